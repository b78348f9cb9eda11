/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of bl_child_run over posix_spawn and waitpid of the same command,
 * both in turn in one loop, so that a noisy machine hits both alike.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "os/os.h"

enum { ROUNDS = 400 };

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t time_spawn(const char *const *argv)
{
	int64_t start = bl_os_monotonic_ns();
	pid_t pid;
	int status = 1;

	if (posix_spawn(&pid, argv[0], NULL, NULL,
			(char *const *)(uintptr_t)argv, environ) ||
	    waitpid(pid, &status, 0) < 0 || status)
		exit(1);
	return bl_os_monotonic_ns() - start;
}

static int64_t time_run(const char *const *argv, struct bl_str input,
			struct bl_arena *arena)
{
	const struct bl_child_spec spec = { .argv = argv,
					    .input = input,
					    .timeout_ms = 10000 };
	struct bl_child_result result;
	int64_t start = bl_os_monotonic_ns();

	if (bl_child_run(&spec, 1, arena, &result, NULL) || result.code ||
	    result.end != BL_CHILD_EXITED)
		exit(1);
	bl_arena_reset(arena);
	return bl_os_monotonic_ns() - start;
}

static void compare_for(const char *const *argv, struct bl_str input)
{
	static int64_t spawn[ROUNDS], run[ROUNDS];
	static char space[16384];
	struct bl_arena arena;

	bl_arena_init(&arena, space, sizeof(space), 0);
	for (int i = 0; i < ROUNDS; i++) {
		spawn[i] = time_spawn(argv);
		run[i] = time_run(argv, input, &arena);
	}
	bl_arena_clear(&arena);
	qsort(spawn, ROUNDS, sizeof(*spawn), compare);
	qsort(run, ROUNDS, sizeof(*run), compare);
	for (int tenth = 1; tenth <= 5; tenth += 4) {
		int at = ROUNDS * tenth / 10;
		double plain = (double)spawn[at] / 1000;
		double ours = (double)run[at] / 1000;

		printf("%-10s p%d0: posix_spawn %7.0f us, bl_child_run "
		       "%7.0f us, +%4.0f us, ratio %.3f\n",
		       argv[0], tenth, plain, ours, ours - plain, ours / plain);
	}
}

int main(void)
{
	static const char *const true_argv[] = { "/bin/true", NULL };
	static const char *const sh_argv[] = { "/bin/sh", "-c", ":", NULL };
	static char event[489];

	memset(event, '.', sizeof(event));
	compare_for(true_argv, (struct bl_str){ event, sizeof(event) });
	compare_for(sh_argv, (struct bl_str){ event, sizeof(event) });
	return 0;
}

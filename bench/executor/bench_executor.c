/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_executor [ROUNDS [COMMAND]]: how long a trivial hook takes in each
 * sandbox, as a ratio to `sh -c` alone (posix_spawn), and beside bubblewrap
 * with a sandbox of the same shape.  The rows run in turn, so that a noisy
 * machine is noisy for all.  Aims: Landlock and seccomp at most 1.05, all
 * layers at most 1.25, bubblewrap 2.5 or more.  The measurement includes the
 * plan.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

enum { MAX_ROUNDS = 10000, USUAL_ROUNDS = 200, WARM_UP = 5 };

#define NAMESPACES                                                             \
	(BL_LAYER(USER) | BL_LAYER(MOUNT) | BL_LAYER(PID) | BL_LAYER(PROC) |   \
	 BL_LAYER(IPC) | BL_LAYER(UTS) | BL_LAYER(NET))

static const char *command = "cat >/dev/null; echo {}";
static char workspace[] = "/tmp/belay-bench-XXXXXX";
static const char payload[] = "{\"command\":\"ls -la\"}";

/* ---- by posix_spawn ------------------------------------------------- */

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* Feeds the payload, reads to the end, waits. */
static bool run_spawned(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2], status;
	char text[256];
	ssize_t got, all = 0;
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		give_up("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	status = posix_spawnp(&pid, argv[0], &actions, NULL,
			      (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	if (!status && write(in[1], payload, sizeof(payload) - 1) < 0)
		give_up("write");
	close(in[1]);
	while (!status && (got = read(out[0], text, sizeof(text))) > 0)
		all += got;
	close(out[0]);
	if (status || waitpid(pid, &status, 0) < 0)
		return false;
	return WIFEXITED(status) && !WEXITSTATUS(status) && all > 0;
}

static bool run_bare(void)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };

	return run_spawned(argv);
}

static bool run_bwrap(void)
{
	const char *const argv[] = {
		"bwrap",
		"--unshare-all",
		"--die-with-parent",
		"--ro-bind",
		"/usr",
		"/usr",
		"--symlink",
		"usr/bin",
		"/bin",
		"--symlink",
		"usr/sbin",
		"/sbin",
		"--symlink",
		"usr/lib",
		"/lib",
		"--symlink",
		"usr/lib64",
		"/lib64",
		"--ro-bind",
		"/opt",
		"/opt",
		"--ro-bind",
		"/etc/passwd",
		"/etc/passwd",
		"--ro-bind",
		"/etc/group",
		"/etc/group",
		"--ro-bind",
		"/etc/localtime",
		"/etc/localtime",
		"--bind",
		workspace,
		"/workspace",
		"--proc",
		"/proc",
		"--dev",
		"/dev",
		"--tmpfs",
		"/tmp",
		"--chdir",
		"/workspace",
		"--clearenv",
		"--hostname",
		"belay",
		"--cap-drop",
		"ALL",
		"/bin/sh",
		"-c",
		command,
		NULL,
	};

	return run_spawned(argv);
}

/* ---- by the sandbox ------------------------------------------------- */

static bool run_sandboxed(const char *profile, bl_layers without)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	struct bl_sandbox_request request = { .workspace = bl_str(workspace) };
	struct bl_sandbox_job job = {
		.request = &request,
		.spec = { .argv = argv,
			  .input = bl_str(payload),
			  .timeout_ms = 10000 },
	};
	struct bl_sandbox_machine machine;
	struct bl_arena arena;
	enum bl_status status;
	bool works;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_sandbox_look(&machine);
	machine.has &= ~without;
	if (without & BL_LAYER(USER))
		machine.is_admin = false;
	status = bl_sandbox_parse(bl_str(profile), &request)
			 ? bl_sandbox_run(&job, 1, &machine, &arena, NULL)
			 : BL_INVALID;
	works = !status && job.result.end == BL_CHILD_EXITED &&
		job.result.code == 0 && job.result.output.len > 0;
	bl_arena_clear(&arena);
	return works;
}

static bool run_none(void)
{
	return run_sandboxed("none", 0);
}

static bool run_few(void)
{
	return run_sandboxed("workspace", NAMESPACES | BL_LAYER(GROUP));
}

static bool run_without_net(void)
{
	return run_sandboxed("workspace", BL_LAYER(NET));
}

static bool run_workspace(void)
{
	return run_sandboxed("workspace", 0);
}

static bool run_readonly(void)
{
	return run_sandboxed("readonly", 0);
}

static bool run_strict(void)
{
	return run_sandboxed("strict", 0);
}

/* ---- the rows ------------------------------------------------------- */

static struct row {
	const char *label;
	bool (*run)(void);
	bool works;
	int64_t ns[MAX_ROUNDS];
} rows[] = {
	{ "sh -c alone", run_bare },
	{ "none", run_none },
	{ "workspace, Landlock and seccomp only", run_few },
	{ "workspace, all but the network namespace", run_without_net },
	{ "workspace", run_workspace },
	{ "readonly", run_readonly },
	{ "strict", run_strict },
	{ "bubblewrap, the same shape", run_bwrap },
};

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void time_once(struct row *row, size_t round)
{
	int64_t start = bl_os_monotonic_ns();

	row->works = row->works && row->run();
	row->ns[round] = bl_os_monotonic_ns() - start;
}

static void print(const struct row *row, size_t rounds)
{
	size_t p10 = (size_t)rounds / 10, p50 = (size_t)rounds / 2;
	int64_t tenth = row->ns[p10], half = row->ns[p50];

	if (!row->works) {
		printf("%-42s does not work here\n", row->label);
		return;
	}
	printf("%-42s %8.0f %8.0f %7.2f %7.2f\n", row->label,
	       (double)tenth / 1e3, (double)half / 1e3,
	       (double)tenth / (double)rows[0].ns[p10],
	       (double)half / (double)rows[0].ns[p50]);
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : USUAL_ROUNDS;
	size_t count = sizeof(rows) / sizeof(rows[0]);

	if (argc > 2)
		command = argv[2];
	if (!rounds || rounds > MAX_ROUNDS || !mkdtemp(workspace))
		return 1;
	for (size_t i = 0; i < count; i++)
		rows[i].works = true;
	for (size_t i = 0; i < WARM_UP * count; i++)
		time_once(&rows[i % count], 0);
	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < count; i++)
			time_once(&rows[(round + i) % count], round);
	}
	rmdir(workspace);
	printf("%-42s %8s %8s %15s\n", "microseconds", "p10", "median",
	       "ratios of these");
	for (size_t i = 0; i < count; i++) {
		qsort(rows[i].ns, rounds, sizeof(rows[i].ns[0]), compare);
		print(&rows[i], rounds);
	}
	return 0;
}

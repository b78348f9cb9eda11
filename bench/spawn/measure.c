/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct sample spawn_measure(const struct command *command, const char *input,
			    const char *errors_path)
{
	posix_spawn_file_actions_t actions;
	struct sample sample = { .exit = -1 };
	struct rusage usage;
	int64_t started;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(
		&actions, 2, errors_path ? errors_path : "/dev/null",
		O_WRONLY | O_CREAT | O_TRUNC, 0600);
	started = now_ns();
	if (!posix_spawnp(&pid, command->argv[0], &actions, NULL, command->argv,
			  environ) &&
	    wait4(pid, &status, 0, &usage) == pid) {
		sample.ns = now_ns() - started;
		sample.faults = usage.ru_minflt;
		sample.max_rss_kib = usage.ru_maxrss;
		sample.exit = WIFEXITED(status) ? WEXITSTATUS(status)
						: 128 + WTERMSIG(status);
	}
	posix_spawn_file_actions_destroy(&actions);
	return sample;
}

/* ---- counts by other programs ------------------------------------------- */

enum { PREFIX_MAX = 8, WORDS_MAX = 256 };

struct temporary {
	char path[sizeof("/tmp/spawn-timer-XXXXXX")];
};

static bool make_temporary(struct temporary *file)
{
	int fd;

	memcpy(file->path, "/tmp/spawn-timer-XXXXXX", sizeof(file->path));
	fd = mkstemp(file->path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Runs the command behind the words of prefix; report gets standard error. */
static bool run_under(const char *const *prefix, const struct command *command,
		      const char *input, const char *report)
{
	char *words[PREFIX_MAX + WORDS_MAX + 1];
	struct command whole = { command->label, words };
	size_t count = 0;

	while (prefix[count])
		count++;
	/* exec takes char *, and writes to none */
	memcpy(words, prefix, count * sizeof(*words));
	for (size_t i = 0; command->argv[i]; i++) {
		if (i == WORDS_MAX)
			return false;
		words[count++] = command->argv[i];
	}
	words[count] = NULL;
	return spawn_measure(&whole, input, report).exit >= 0;
}

/* The number in "text", commas left out. */
static int64_t number_in(const char *text)
{
	int64_t number = 0;

	for (; *text; text++)
		if (*text >= '0' && *text <= '9')
			number = number * 10 + (*text - '0');
	return number;
}

int64_t spawn_count_instructions(const struct command *command,
				 const char *input)
{
	static const char *const prefix[] = { "valgrind", "--tool=callgrind",
					      "--trace-children=yes",
					      "--callgrind-out-file=/dev/null",
					      NULL };
	struct temporary report;
	char line[512];
	int64_t total = -1;
	FILE *file;

	if (!make_temporary(&report))
		return -1;
	file = run_under(prefix, command, input, report.path)
		       ? fopen(report.path, "re")
		       : NULL;
	while (file && fgets(line, sizeof(line), file)) {
		const char *found = strstr(line, "Collected : ");

		if (found)
			total = (total < 0 ? 0 : total) + number_in(found);
	}
	if (file)
		fclose(file);
	unlink(report.path);
	return total;
}

int64_t spawn_count_calls(const struct command *command, const char *input)
{
	struct temporary report;
	char line[512];
	int64_t total = -1;
	FILE *file;

	if (!make_temporary(&report))
		return -1;
	file = run_under((const char *const[]){ "strace", "-f", "-c", "-U",
						"calls,name", "-o", report.path,
						NULL },
			 command, input, NULL)
		       ? fopen(report.path, "re")
		       : NULL;
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, " total"))
			total = number_in(line);
	if (file)
		fclose(file);
	unlink(report.path);
	return total;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of the test's own, and an arena, for the tests of os. */
#ifndef BELAY_TESTS_OS_SCRATCH_H
#define BELAY_TESTS_OS_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"

static char scratch[64];
static struct bl_arena arena;
static struct bl_error error;

/* Makes the directory and goes there. */
static inline bool scratch_open(void)
{
	snprintf(scratch, sizeof(scratch), "/tmp/belay-os-XXXXXX");
	bl_arena_init(&arena, NULL, 0, 0);
	return mkdtemp(scratch) && !chmod(scratch, 0777) && !chdir(scratch) &&
	       !setenv("BELAY_SCRATCH", scratch, 1);
}

static inline void scratch_close(void)
{
	char command[96];

	bl_arena_clear(&arena);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (chdir("/") || system(command))
		fprintf(stderr, "%s is left\n", scratch);
}

static inline void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		fprintf(stderr, "cannot write %s\n", path);
}

static inline struct bl_str read_text(const char *path)
{
	struct bl_str text = { NULL, 0 };

	bl_os_read_file(bl_str(path), 0, 1 << 20, &arena, &text, NULL, NULL);
	return text;
}

/* Entries of a directory, without . and .. */
static inline int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int count = -2;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static inline int open_descriptors(void)
{
	return count_entries("/proc/self/fd");
}

/* ---- processes of this test ----------------------------------------- */

/* A file of /proc/PID, its NULs as blanks. */
static inline bool read_process_file(const char *pid, const char *name,
				     char *out, size_t size)
{
	char path[64];
	FILE *file;
	size_t got = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
	file = fopen(path, "r");
	if (file) {
		got = fread(out, 1, size - 1, file);
		fclose(file);
	}
	for (size_t i = 0; i < got; i++)
		out[i] = out[i] ? out[i] : ' ';
	out[got] = '\0';
	return got > 0;
}

/*
 * A live process whose command line ends in words, 0: none.  Only one that
 * this test has started, however it has cut itself off: its environment names
 * the test's directory.
 */
static inline pid_t find_own(const char *words)
{
	struct bl_str end = bl_str(words);
	DIR *dir = opendir("/proc");
	const struct dirent *item;
	static char text[256 * 1024];
	char mark[96];
	pid_t found = 0;

	snprintf(mark, sizeof(mark), "BELAY_SCRATCH=%s", scratch);
	while (dir && !found && (item = readdir(dir))) {
		if (!read_process_file(item->d_name, "cmdline", text,
				       sizeof(text)) ||
		    !bl_str_has_suffix(bl_str_trim(bl_str(text)), end) ||
		    !read_process_file(item->d_name, "environ", text,
				       sizeof(text)) ||
		    !strstr(text, mark))
			continue;
		found = (pid_t)strtol(item->d_name, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return found;
}

#endif

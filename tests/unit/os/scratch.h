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
	return mkdtemp(scratch) && !chmod(scratch, 0777) && !chdir(scratch);
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

#endif

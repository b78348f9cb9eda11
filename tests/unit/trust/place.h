/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory that only this user can write, with files in it, for the tests
 * of trust and hooks.
 */
#ifndef BELAY_TESTS_TRUST_PLACE_H
#define BELAY_TESTS_TRUST_PLACE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "os/os.h"

static char place[64]; /* its absolute path, without links */
static struct bl_arena arena;
static struct bl_error error;

static inline bool place_open(void)
{
	char *real;

	snprintf(place, sizeof(place), "/tmp/belay-place-XXXXXX");
	bl_arena_init(&arena, NULL, 0, 0);
	umask(022);
	if (!mkdtemp(place))
		return false;
	real = realpath(place, NULL);
	if (!real)
		return false;
	snprintf(place, sizeof(place), "%s", real);
	free(real);
	return !chdir(place);
}

/* Removes what is in the directory. */
static inline void place_empty(void)
{
	char command[160];

	snprintf(command, sizeof(command),
		 "chmod -R u+rwx %s; rm -rf %s/* %s/.[a-z]*", place, place,
		 place);
	if (system(command))
		fprintf(stderr, "%s is not empty\n", place);
}

static inline void place_close(void)
{
	place_empty();
	bl_arena_clear(&arena);
	if (chdir("/") || rmdir(place))
		fprintf(stderr, "%s is left\n", place);
}

/* The absolute path of a name in the directory. */
static inline struct bl_str at(const char *name)
{
	return bl_path_join(&arena, bl_str(place), bl_str(name));
}

static inline void put_bytes(const char *name, struct bl_str text)
{
	struct bl_str path = at(name);
	FILE *file;

	bl_os_make_dirs(bl_path_dir(path), 0755, NULL);
	file = fopen(path.ptr, "w");
	if (!file || fwrite(text.ptr, 1, text.len, file) != text.len ||
	    fclose(file))
		fprintf(stderr, "cannot write %s\n", path.ptr);
}

static inline void put(const char *name, const char *text)
{
	put_bytes(name, bl_str(text));
}

/* For main: nothing works without the directory. */
#define REQUIRE_PLACE()                                                        \
	do {                                                                   \
		if (!place_open())                                             \
			return 1;                                              \
	} while (0)

#endif

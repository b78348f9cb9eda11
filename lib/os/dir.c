/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in a directory, sorted and counted, up to a limit: a folder can be
 * made to have a million.
 */
#include "os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/private.h"

/* Names of one directory, growing in the arena. */
struct names {
	struct bl_arena *arena;
	struct bl_str *items;
	size_t count;
	size_t room;
	size_t max;
};

static int compare_names(const void *a, const void *b)
{
	return bl_str_compare(*(const struct bl_str *)a,
			      *(const struct bl_str *)b);
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static enum bl_status add_name(struct names *names, const char *name,
			       struct bl_error *err)
{
	struct bl_str copy;

	if (names->count == names->max)
		return bl_fail(err, BL_LIMIT, "more than %zu names",
			       names->max);
	if (names->count == names->room) {
		size_t room = names->room ? names->room * 2 : 16;
		struct bl_str *items =
			bl_arena_new_array(names->arena, struct bl_str, room);

		if (!items)
			return bl_arena_fail(names->arena, err);
		if (names->count)
			memcpy(items, names->items,
			       names->count * sizeof(*items));
		names->items = items;
		names->room = room;
	}
	copy = bl_arena_copy_str(names->arena, bl_str(name));
	if (!copy.ptr)
		return bl_arena_fail(names->arena, err);
	names->items[names->count++] = copy;
	return BL_OK;
}

/* An entry as the system call gives it. */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

enum { ENTRIES_BYTES = 16 * 1024 };

static enum bl_status take_entries(const char *buffer, size_t got,
				   struct names *names, struct bl_error *err)
{
	size_t at = 0;

	while (at < got) {
		const struct entry *entry = (const void *)(buffer + at);
		enum bl_status status =
			is_dots(entry->name)
				? BL_OK
				: add_name(names, entry->name, err);

		if (status)
			return status;
		at += entry->len;
	}
	return BL_OK;
}

/*
 * By the system call: musl's readdir takes ENOENT for the end, and a folder
 * that goes while it is read would look like one that is empty.
 */
static enum bl_status read_names(int fd, struct names *names,
				 struct bl_error *err)
{
	_Alignas(struct entry) char buffer[ENTRIES_BYTES];

	for (;;) {
		long got = syscall(SYS_getdents64, fd, buffer, sizeof(buffer));
		enum bl_status status;

		/* Not NOT_FOUND: the folder was there, and may have held names. */
		if (got < 0)
			return bl_fail(
				err, errno == ENOMEM ? BL_NO_MEMORY : BL_SYSTEM,
				"cannot list: %s", strerror(errno));
		if (!got)
			return BL_OK;
		status = take_entries(buffer, (size_t)got, names, err);
		if (status)
			return status;
	}
}

enum bl_status bl_os_list_dir(struct bl_str path, size_t max,
			      struct bl_arena *arena, struct bl_str **out_names,
			      size_t *out_count, struct bl_error *err)
{
	struct names names = { .arena = arena, .max = max };
	int fd;
	enum bl_status status = bl_os_open(path, BL_OPEN_DIRECTORY, &fd, err);

	if (status)
		return status;
	status = read_names(fd, &names, err);
	bl_os_close(fd);
	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items),
		      compare_names);
	*out_names = names.items;
	*out_count = names.count;
	return BL_OK;
}

/* Makes one directory; one that is there already is as good. */
static enum bl_status make_dir(const char *text, uint32_t mode,
			       struct bl_error *err)
{
	struct stat st;

	if (!mkdir(text, mode))
		return BL_OK;
	if (errno != EEXIST)
		return bl_os_fail_path(err, errno, "make", bl_str(text));
	if (stat(text, &st))
		return bl_os_fail_path(err, errno, "inspect", bl_str(text));
	if (!S_ISDIR(st.st_mode))
		return bl_fail(err, BL_INVALID, "%s is not a directory", text);
	return BL_OK;
}

enum bl_status bl_os_make_dirs(struct bl_str path, uint32_t mode,
			       struct bl_error *err)
{
	char text[PATH_MAX];
	struct stat st;
	enum bl_status status = bl_os_path_text(path, text, err);

	if (status)
		return status;
	if (!stat(text, &st) && S_ISDIR(st.st_mode))
		return BL_OK;
	for (size_t i = 1; i < path.len && !status; i++) {
		if (text[i] != '/' || text[i - 1] == '/')
			continue;
		text[i] = '\0';
		/* An ancestor that exists need not be writable to us. */
		if (stat(text, &st))
			status = make_dir(text, mode, err);
		text[i] = '/';
	}
	return status ? status : make_dir(text, mode, err);
}

enum bl_status bl_os_read_link(struct bl_str path, struct bl_arena *arena,
			       struct bl_str *out_text, struct bl_error *err)
{
	char name[PATH_MAX];
	char target[PATH_MAX];
	ssize_t len;
	enum bl_status status = bl_os_path_text(path, name, err);

	if (status)
		return status;
	len = readlink(name, target, sizeof(target));
	if (len < 0 && errno == EINVAL)
		return bl_fail(err, BL_INVALID, "not a link");
	if (len < 0)
		return bl_os_fail_path(err, errno, "read the link", path);
	if ((size_t)len == sizeof(target))
		return bl_fail(err, BL_LIMIT, "the link is too long");
	*out_text = bl_arena_copy_str(arena,
				      (struct bl_str){ target, (size_t)len });
	return out_text->ptr ? BL_OK : bl_arena_fail(arena, err);
}

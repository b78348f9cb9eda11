/* SPDX-License-Identifier: Apache-2.0 */
/* Where a path leads that may not be there (yet). */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"

enum { MAX_LINKS = 40 };

/* One walk: what is done (absolute, no slash at its end), what is to do. */
struct walk {
	struct bl_arena *arena;
	char done[PATH_MAX];
	size_t len;
	struct bl_str rest;
	unsigned links;
};

/* Takes the next name off rest. */
static struct bl_str next_name(struct walk *walk)
{
	struct bl_str rest = walk->rest;
	size_t from = 0;
	size_t to;

	while (from < rest.len && rest.ptr[from] == '/')
		from++;
	to = from;
	while (to < rest.len && rest.ptr[to] != '/')
		to++;
	walk->rest = bl_str_slice(rest, to, rest.len);
	return bl_str_slice(rest, from, to);
}

static void drop_last(struct walk *walk)
{
	while (walk->len && walk->done[walk->len - 1] != '/')
		walk->len--;
	if (walk->len)
		walk->len--;
}

/* The target goes in front of what is left. */
static enum bl_status follow(struct walk *walk, const char *target, size_t len,
			     struct bl_error *err)
{
	struct bl_str rest = bl_arena_printf(walk->arena, "%.*s/%.*s", (int)len,
					     target, BL_STR_ARG(walk->rest));

	if (++walk->links > MAX_LINKS)
		return bl_fail(err, BL_LIMIT, "too many links, or they loop");
	if (!rest.ptr)
		return bl_arena_fail(walk->arena, err);
	drop_last(walk);
	if (len && target[0] == '/')
		walk->len = 0;
	walk->rest = rest;
	return BL_OK;
}

static enum bl_status step(struct walk *walk, struct bl_str name,
			   struct bl_error *err)
{
	char target[PATH_MAX];
	ssize_t len;

	if (!name.len || bl_str_is(name, "."))
		return BL_OK;
	if (bl_str_is(name, "..")) {
		drop_last(walk);
		return BL_OK;
	}
	if (walk->len + name.len + 2 > sizeof(walk->done))
		return bl_fail(err, BL_LIMIT, "the path is too long");
	walk->done[walk->len++] = '/';
	memcpy(walk->done + walk->len, name.ptr, name.len);
	walk->len += name.len;
	walk->done[walk->len] = '\0';
	len = readlink(walk->done, target, sizeof(target));
	if (len < 0 || (size_t)len == sizeof(target))
		return BL_OK; /* no link, or nothing there */
	return follow(walk, target, (size_t)len, err);
}

enum bl_status bl_path_follow(struct bl_arena *arena, struct bl_str path,
			      struct bl_str *out_path, bool *out_is_link,
			      struct bl_error *err)
{
	struct walk walk = { .arena = arena, .rest = path };
	struct bl_file_info info;
	bool is_link;

	if (!bl_path_is_absolute(path))
		return bl_fail(err, BL_INVALID, "the path is not absolute");
	if (memchr(path.ptr, '\0', path.len))
		return bl_fail(err, BL_INVALID, "a path holds a NUL byte");
	is_link = !bl_os_info_path(path, &info, NULL) &&
		  info.type == BL_FILE_LINK;
	while (walk.rest.len) {
		enum bl_status status = step(&walk, next_name(&walk), err);

		if (status)
			return status;
	}
	if (!walk.len)
		walk.done[walk.len++] = '/';
	*out_path = bl_arena_copy_str(arena,
				      (struct bl_str){ walk.done, walk.len });
	if (!out_path->ptr)
		return bl_arena_fail(arena, err);
	if (out_is_link)
		*out_is_link = is_link;
	return BL_OK;
}

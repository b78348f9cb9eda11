/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as text, and the system's own answer to what a path leads to.  Links
 * of paths that need not exist are followed in path_follow.c.
 */
#include "os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/private.h"

enum bl_status bl_os_path_text(struct bl_str path, char *out,
			       struct bl_error *err)
{
	if (path.len && memchr(path.ptr, '\0', path.len))
		return bl_fail(err, BL_INVALID, "a path holds a NUL byte");
	if (path.len >= PATH_MAX)
		return bl_os_fail_path(err, ENAMETOOLONG, "use", path);
	if (path.len)
		memcpy(out, path.ptr, path.len);
	out[path.len] = '\0';
	return BL_OK;
}

enum bl_status bl_os_fail_path(struct bl_error *err, int sys_errno,
			       const char *verb, struct bl_str path)
{
	enum bl_status status = bl_fail_errno(err, sys_errno, "cannot %s %.*s",
					      verb, BL_STR_ARG(path));

	if (sys_errno == EACCES || sys_errno == EPERM)
		status = BL_DENIED;
	if (sys_errno == EEXIST)
		status = BL_EXISTS;
	if (err)
		err->status = status;
	return status;
}

/* The position of the last slash, or SIZE_MAX. */
static size_t last_slash(struct bl_str path)
{
	const char *hit = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

	return hit ? (size_t)(hit - path.ptr) : SIZE_MAX;
}

struct bl_str bl_path_join(struct bl_arena *arena, struct bl_str dir,
			   struct bl_str name)
{
	bool slash = dir.len && dir.ptr[dir.len - 1] != '/';
	size_t bytes;
	char *text;

	if (bl_path_is_absolute(name) || !dir.len)
		return bl_arena_copy_str(arena, name);
	if (!bl_add_size(dir.len, name.len, &bytes) ||
	    !bl_add_size(bytes, 2, &bytes))
		return (struct bl_str){ NULL, 0 };
	text = bl_arena_alloc_aligned(arena, bytes, 1);
	if (!text)
		return (struct bl_str){ NULL, 0 };
	memcpy(text, dir.ptr, dir.len);
	if (slash)
		text[dir.len] = '/';
	if (name.len)
		memcpy(text + dir.len + slash, name.ptr, name.len);
	text[dir.len + slash + name.len] = '\0';
	return (struct bl_str){ text, dir.len + slash + name.len };
}

struct bl_str bl_path_dir(struct bl_str path)
{
	size_t at = last_slash(path);

	if (at == SIZE_MAX)
		return BL_STR(".");
	return (struct bl_str){ path.ptr, at ? at : 1 };
}

struct bl_str bl_path_base(struct bl_str path)
{
	size_t at = last_slash(path);

	if (at == SIZE_MAX)
		return path;
	return (struct bl_str){ path.ptr + at + 1, path.len - at - 1 };
}

bool bl_path_is_in(struct bl_str path, struct bl_str folder)
{
	return bl_str_has_prefix(path, folder) &&
	       (path.len == folder.len || path.ptr[folder.len] == '/');
}

static enum bl_status keep(struct bl_arena *arena, const char *text,
			   struct bl_str *out_path, struct bl_error *err)
{
	struct bl_str path = bl_arena_copy_str(arena, bl_str(text));

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	*out_path = path;
	return BL_OK;
}

enum bl_status bl_path_resolve(struct bl_arena *arena, struct bl_str path,
			       struct bl_str *out_path, struct bl_error *err)
{
	char text[PATH_MAX], resolved[PATH_MAX];
	enum bl_status status = bl_os_path_text(path, text, err);

	if (status)
		return status;
	if (!realpath(text, resolved))
		return bl_os_fail_path(err, errno, "resolve", path);
	return keep(arena, resolved, out_path, err);
}

enum bl_status bl_path_current(struct bl_arena *arena, struct bl_str *out_path,
			       struct bl_error *err)
{
	char text[PATH_MAX];

	if (!getcwd(text, sizeof(text)))
		return bl_fail_errno(err, errno,
				     "cannot tell the working directory");
	return keep(arena, text, out_path, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of files, and the names that they may have. */
#include <stdlib.h>

#include "base/utf8.h"
#include "rego/bundle/private.h"

static enum bl_status refuse(struct bl_str name, const char *why,
			     struct bl_error *err)
{
	return bl_fail(err, BL_INVALID, "'%.*s': %s", BL_STR_ARG(name), why);
}

/* Appends the next part of a name to path; false: it is "..". */
static bool add_part(struct bl_str part, char *path, size_t *len, size_t *depth)
{
	if (bl_str_is(part, ".."))
		return false;
	if (!part.len || bl_str_is(part, "."))
		return true;
	if (*len)
		path[(*len)++] = '/';
	memcpy(path + *len, part.ptr, part.len);
	*len += part.len;
	++*depth;
	return true;
}

/* The path of a name: without "." and empty parts. */
static enum bl_status clean(struct bl_arena *arena, struct bl_str name,
			    struct bl_str *out_path, struct bl_error *err)
{
	char *path = bl_arena_alloc_aligned(arena, name.len + 1, 1);
	size_t len = 0;
	size_t depth = 0;
	size_t at = 0;

	if (!path)
		return bl_arena_fail(arena, err);
	while (at <= name.len) {
		size_t slash = bl_str_find(name, BL_STR("/"), at);
		size_t end = slash == SIZE_MAX ? name.len : slash;

		if (!add_part(bl_str_slice(name, at, end), path, &len, &depth))
			return refuse(name, "a name with '..'", err);
		at = end + 1;
	}
	if (!len)
		return refuse(name, "a file without a name", err);
	if (depth > BL_BUNDLE_MAX_DEPTH)
		return bl_fail(err, BL_LIMIT,
			       "'%.*s': folders are nested more than %d deep",
			       BL_STR_ARG(name), BL_BUNDLE_MAX_DEPTH);
	path[len] = '\0';
	*out_path = (struct bl_str){ path, len };
	return BL_OK;
}

static enum bl_status make_room(struct bl_arena *arena,
				struct bl_bundle_files *files,
				struct bl_error *err)
{
	struct bl_bundle_file *bigger;
	size_t cap = files->cap ? files->cap * 2 : 16;

	if (files->count < files->cap)
		return BL_OK;
	if (files->count >= BL_BUNDLE_MAX_FILES)
		return bl_fail(err, BL_LIMIT, "more than %d files",
			       BL_BUNDLE_MAX_FILES);
	if (cap > BL_BUNDLE_MAX_FILES)
		cap = BL_BUNDLE_MAX_FILES;
	bigger = bl_arena_new_array(arena, struct bl_bundle_file, cap);
	if (!bigger)
		return bl_arena_fail(arena, err);
	if (files->count)
		memcpy(bigger, files->items, files->count * sizeof(*bigger));
	files->items = bigger;
	files->cap = cap;
	return BL_OK;
}

enum bl_status bundle_add_file(struct bl_arena *arena,
			       struct bl_bundle_files *files,
			       struct bl_str name, struct bl_str text,
			       struct bl_error *err)
{
	struct bl_str path = { 0 };
	enum bl_status status;

	if (name.len > BL_BUNDLE_MAX_NAME_BYTES)
		return bl_fail(err, BL_LIMIT, "a name of more than %d bytes",
			       BL_BUNDLE_MAX_NAME_BYTES);
	if (!bl_utf8_is_valid(name) ||
	    (name.len && memchr(name.ptr, 0, name.len)))
		return bl_fail(err, BL_INVALID, "a name that is not text");
	status = make_room(arena, files, err);
	if (!status)
		status = clean(arena, name, &path, err);
	if (status)
		return status;
	files->items[files->count++] = (struct bl_bundle_file){
		.path = path,
		/* As Go's filepath.Clean: one "/" in front stays. */
		.shown = name.ptr[0] == '/'
				 ? bl_arena_printf(arena, "/%s", path.ptr)
				 : path,
		.text = text,
	};
	return files->items[files->count - 1].shown.ptr
		       ? BL_OK
		       : bl_arena_fail(arena, err);
}

static int by_path(const void *a, const void *b)
{
	const struct bl_str *one = a;
	const struct bl_str *other = b;

	return bl_str_compare(*one, *other);
}

enum bl_status bundle_check_unique(struct bl_arena *arena,
				   const struct bl_bundle_files *files,
				   struct bl_error *err)
{
	struct bl_str *paths =
		bl_arena_new_array(arena, struct bl_str, files->count + 1);

	if (!paths)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < files->count; i++)
		paths[i] = files->items[i].path;
	qsort(paths, files->count, sizeof(*paths), by_path);
	for (size_t i = 1; i < files->count; i++)
		if (bl_str_equal(paths[i - 1], paths[i]))
			return refuse(paths[i], "a file that is there twice",
				      err);
	return BL_OK;
}

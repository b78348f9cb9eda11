/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a folder, and which of them are left out. */
#include <fnmatch.h>

#include "rego/bundle/private.h"
#include "os/os.h"

struct walk {
	struct bl_arena *arena;
	const struct bl_bundle_options *options;
	bool all;
	struct bl_bundle_files *files;
	size_t bytes; /* read so far */
	struct bl_error *err;
};

static enum bl_status no_memory(const struct walk *w)
{
	return bl_arena_fail(w->arena, w->err);
}

bool bundle_match(struct bl_arena *arena, struct bl_str pattern,
		  struct bl_str name)
{
	struct bl_str one = bl_arena_copy_str(arena, pattern);
	struct bl_str other = bl_arena_copy_str(arena, name);

	return one.ptr && other.ptr &&
	       !fnmatch(one.ptr, other.ptr, FNM_PATHNAME);
}

/* Does a pattern fit this one name? */
static bool is_ignored_name(struct bl_arena *arena,
			    const struct bl_bundle_options *options,
			    struct bl_str name)
{
	for (size_t i = 0; i < options->ignored_count; i++)
		if (bundle_match(arena, options->ignored[i], name))
			return true;
	return false;
}

bool bl_bundle_is_ignored(struct bl_arena *arena,
			  const struct bl_bundle_options *options,
			  struct bl_str path)
{
	for (; !bl_str_is(path, "."); path = bl_path_dir(path))
		if (is_ignored_name(arena, options, bl_path_base(path)))
			return true;
	return false;
}

static enum bl_status read_folder(struct walk *w, struct bl_str folder,
				  struct bl_str inner, size_t depth);

static enum bl_status read_file(struct walk *w, struct bl_str path,
				struct bl_str inner)
{
	enum bundle_use use = w->all ? BUNDLE_READ : bundle_use_of(inner);
	struct bl_str text = BL_STR("");
	enum bl_status status = BL_OK;

	if (use == BUNDLE_UNUSED)
		return BL_OK;
	if (use == BUNDLE_READ)
		status = bl_os_read_file(path, BL_OPEN_NO_LINK,
					 BL_BUNDLE_MAX_BYTES - w->bytes,
					 w->arena, &text, NULL, w->err);
	if (status)
		return status;
	w->bytes += text.len;
	return bundle_add_file(w->arena, w->files, inner, text, w->err);
}

static enum bl_status read_member(struct walk *w, struct bl_str folder,
				  struct bl_str inner, struct bl_str name,
				  size_t depth)
{
	struct bl_str path = bl_path_join(w->arena, folder, name);
	struct bl_str below =
		inner.len ? bl_path_join(w->arena, inner, name) : name;
	struct bl_file_info info;
	enum bl_status status;

	if (!path.ptr || !below.ptr)
		return no_memory(w);
	if (is_ignored_name(w->arena, w->options, name))
		return BL_OK;
	status = bl_os_info_path(path, &info, w->err);
	if (!status && info.type == BL_FILE_DIRECTORY)
		status = read_folder(w, path, below, depth + 1);
	else if (!status && info.type == BL_FILE_REGULAR)
		status = read_file(w, path, below);
	return status;
}

static enum bl_status read_folder(struct walk *w, struct bl_str folder,
				  struct bl_str inner, size_t depth)
{
	struct bl_str *names;
	size_t count = 0;
	enum bl_status status;

	if (depth > BL_BUNDLE_MAX_DEPTH)
		return bl_fail(w->err, BL_LIMIT,
			       "folders are nested more than %d deep",
			       BL_BUNDLE_MAX_DEPTH);
	status = bl_os_list_dir(folder, BL_BUNDLE_MAX_FILES, w->arena, &names,
				&count, w->err);
	for (size_t i = 0; !status && i < count; i++)
		status = read_member(w, folder, inner, names[i], depth);
	return status;
}

enum bl_status bundle_read_folder(struct bl_arena *arena, struct bl_str folder,
				  const struct bl_bundle_options *options,
				  bool all, struct bl_bundle_files *out_files,
				  struct bl_error *err)
{
	struct walk w = { arena, options, all, out_files, 0, err };

	return read_folder(&w, folder, BL_STR(""), 0);
}

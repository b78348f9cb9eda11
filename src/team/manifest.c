/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifest.c: the document that names the files of a set and their digests.
 *
 *     {"created":1,"expires":2,
 *      "files":[{"bytes":720,"path":"hooks.pb","sha256":"..."}],
 *      "floor":7,"min_client":"0.1.0","spec":1,"team_id":"acme",
 *      "type":"belay-manifest","version":7}
 */
#include "base/ascii.h"
#include "team/document.h"

static bool is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool bl_team_path_is_good(struct bl_str path)
{
	bool at_start = true; /* of a part */

	if (!path.len || path.len > BL_TEAM_MAX_PATH_BYTES)
		return false;
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (at_start && (c == '.' || c == '-' || c == '/'))
			return false;
		if (c != '/' && c != '.' && !is_path_char(c))
			return false;
		at_start = c == '/';
	}
	return !at_start;
}

/* Is what a set may hold at that path known to this reader? */
static bool has_place(struct bl_str path)
{
	return bl_str_is(path, BL_TEAM_HOOKS_FILE) ||
	       bl_str_has_prefix(path, BL_STR(BL_TEAM_POLICY_FOLDER "/"));
}

static enum bl_status read_file(struct bl_value value, struct bl_team_file *out,
				struct bl_error *err)
{
	enum bl_status status = team_get_text(value, "path", &out->path, err);

	if (!status && !bl_team_path_is_good(out->path))
		status = bl_fail(err, BL_INVALID,
				 "'%.*s' is not a path that a set may hold",
				 BL_STR_ARG(out->path));
	if (!status && !has_place(out->path))
		status = bl_fail(err, BL_INVALID,
				 "'%.*s' is neither " BL_TEAM_HOOKS_FILE
				 " nor in " BL_TEAM_POLICY_FOLDER "/",
				 BL_STR_ARG(out->path));
	if (!status)
		status = team_get_integer(value, "bytes", 0, &out->bytes, err);
	if (!status && out->bytes > BL_TEAM_MAX_FILE_BYTES)
		status = bl_fail(err, BL_LIMIT, "'%.*s' has more than %d bytes",
				 BL_STR_ARG(out->path),
				 (int)BL_TEAM_MAX_FILE_BYTES);
	if (!status)
		status = team_get_digest(value, "sha256", out->sha256, err);
	return status;
}

/* Is after in the folder before, as if before were one? */
static bool is_below(struct bl_str after, struct bl_str before)
{
	return after.len > before.len && bl_str_has_prefix(after, before) &&
	       after.ptr[before.len] == '/';
}

/* Rising, so each is there once; and no file is another's folder. */
static enum bl_status check_order(const struct bl_team_manifest *manifest,
				  struct bl_error *err)
{
	int64_t all = 0;

	for (size_t i = 0; i < manifest->file_count; i++) {
		const struct bl_str path = manifest->files[i].path;

		all += manifest->files[i].bytes;
		if (i && bl_str_compare(manifest->files[i - 1].path, path) >= 0)
			return bl_fail(err, BL_INVALID,
				       "'%.*s' is not in the order of paths, "
				       "or there twice",
				       BL_STR_ARG(path));
		for (size_t j = 0; j < i; j++)
			if (is_below(path, manifest->files[j].path) ||
			    bl_ascii_equal(path, manifest->files[j].path))
				return bl_fail(
					err, BL_INVALID,
					"'%.*s' and '%.*s' cannot both "
					"be",
					BL_STR_ARG(path),
					BL_STR_ARG(manifest->files[j].path));
	}
	if (all > BL_TEAM_MAX_SET_BYTES)
		return bl_fail(err, BL_LIMIT,
			       "its files have more than %d bytes together",
			       (int)BL_TEAM_MAX_SET_BYTES);
	return BL_OK;
}

static enum bl_status read_files(struct bl_value value, struct bl_arena *arena,
				 struct bl_team_manifest *out,
				 struct bl_error *err)
{
	struct bl_value list;
	enum bl_status status =
		team_get_list(value, "files", BL_TEAM_MAX_FILES, &list, err);
	size_t count;

	if (status)
		return status;
	count = bl_value_count(list);
	out->files = bl_arena_new_array(arena, struct bl_team_file, count + 1);
	if (!out->files)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < count; i++)
		status = read_file(bl_value_item(list, i), &out->files[i], err);
	out->file_count = count;
	return status ? status : check_order(out, err);
}

static enum bl_status read_numbers(struct bl_value value,
				   struct bl_team_manifest *out,
				   struct bl_error *err)
{
	enum bl_status status =
		team_get_integer(value, "version", 1, &out->version, err);

	if (!status)
		status = team_get_integer(value, "floor", 1, &out->floor, err);
	if (!status && out->floor > out->version)
		status = bl_fail(err, BL_INVALID,
				 "its floor is above its version");
	if (!status)
		status = team_get_integer(value, "created", 0, &out->created,
					  err);
	if (!status)
		status = team_get_integer(value, "expires", 0, &out->expires,
					  err);
	return status;
}

enum bl_status bl_team_read_manifest(struct bl_str text, struct bl_arena *arena,
				     struct bl_team_manifest *out,
				     struct bl_error *err)
{
	struct bl_value value;
	enum bl_status status =
		team_document_value(BL_TEAM_MANIFEST, text, arena, &value, err);

	*out = (struct bl_team_manifest){ .version = 0 };
	if (status)
		return status;
	status = team_get_text(value, "team_id", &out->team_id, err);
	if (!status)
		status = read_numbers(value, out, err);
	if (!status)
		status = team_get_text(value, "min_client", &out->min_client,
				       err);
	if (!status)
		status = read_files(value, arena, out, err);
	if (status)
		bl_error_context(err, "manifest");
	return status;
}

static enum bl_status check_manifest(struct bl_str text, struct bl_arena *arena,
				     struct bl_error *err)
{
	struct bl_team_manifest again;

	return bl_team_read_manifest(text, arena, &again, err);
}

const struct bl_team_file *
bl_team_find_file(const struct bl_team_manifest *manifest, struct bl_str path)
{
	for (size_t i = 0; i < manifest->file_count; i++)
		if (bl_str_equal(manifest->files[i].path, path))
			return &manifest->files[i];
	return NULL;
}

/* ---- writing ------------------------------------------------------------------ */

static struct bl_value file_value(struct bl_arena *arena,
				  const struct bl_team_file *file)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("path"),
			      bl_value_string(file->path));
	bl_object_builder_add(&object, BL_STR("bytes"),
			      bl_value_integer(file->bytes));
	bl_object_builder_add(&object, BL_STR("sha256"),
			      bl_value_string(bl_str(file->sha256)));
	return bl_object_builder_end(&object);
}

static struct bl_value files_value(struct bl_arena *arena,
				   const struct bl_team_manifest *manifest)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < manifest->file_count; i++)
		bl_array_builder_add(&list,
				     file_value(arena, &manifest->files[i]));
	return bl_array_builder_end(&list);
}

enum bl_status bl_team_write_manifest(const struct bl_team_manifest *manifest,
				      struct bl_buf *out, struct bl_error *err)
{
	struct bl_object_builder object;
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	team_begin(&object, &arena, BL_TEAM_MANIFEST, manifest->team_id);
	bl_object_builder_add(&object, BL_STR("version"),
			      bl_value_integer(manifest->version));
	bl_object_builder_add(&object, BL_STR("floor"),
			      bl_value_integer(manifest->floor));
	bl_object_builder_add(&object, BL_STR("created"),
			      bl_value_integer(manifest->created));
	bl_object_builder_add(&object, BL_STR("expires"),
			      bl_value_integer(manifest->expires));
	bl_object_builder_add(&object, BL_STR("min_client"),
			      bl_value_string(manifest->min_client));
	bl_object_builder_add(&object, BL_STR("files"),
			      files_value(&arena, manifest));
	status = team_end(&object, BL_TEAM_MANIFEST, check_manifest, out, err);
	bl_arena_clear(&arena);
	return status;
}

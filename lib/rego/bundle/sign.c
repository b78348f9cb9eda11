/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of bundles, made. verify.c checks them; it runs wherever a bundle
 * is read, this only in `belay rego sign` and build.
 */
#include "rego/bundle/private.h"
#include "json/json.h"
#include "os/os.h"

#define HASHING BL_STR("SHA-256")

enum bl_status bl_bundle_list(struct bl_arena *arena, struct bl_str path,
			      const struct bl_bundle_options *options,
			      struct bl_bundle_files *out_files,
			      struct bl_error *err)
{
	static const struct bl_bundle_options none;
	struct bl_str name = bundle_clean_name(path);
	size_t kept = 0;
	enum bl_status status = bundle_read_files(
		arena, path, options ? options : &none, true, out_files, err);

	if (status) {
		bl_error_context(err, "bundle %.*s", BL_STR_ARG(path));
		return status;
	}
	for (size_t i = 0; i < out_files->count; i++) {
		struct bl_bundle_file *file = &out_files->items[i];

		if (bl_str_is(bl_path_base(file->path), BUNDLE_SIGNATURES))
			continue;
		file->path = bundle_signed_name(
			arena, out_files->is_folder ? name : BL_STR(""),
			file->path);
		if (!file->path.ptr)
			return bl_arena_fail(arena, err);
		out_files->items[kept++] = *file;
	}
	out_files->count = kept;
	return BL_OK;
}

/* {"algorithm": "SHA-256", "hash": ..., "name": ...} */
static enum bl_status add_file(struct bl_arena *arena,
			       const struct bl_bundle_file *file,
			       struct bl_array_builder *list,
			       struct bl_error *err)
{
	struct bl_object_builder row;
	struct bl_buf hex;
	enum bl_status status;

	bl_buf_init(&hex, 0);
	bl_object_builder_init(&row, arena);
	status = bundle_digest(arena, HASHING, file->path, file->text, &hex,
			       err);
	bl_object_builder_add(&row, BL_STR("name"),
			      bl_value_string(file->path));
	bl_object_builder_add(&row, BL_STR("hash"),
			      bl_value_printf(arena, "%s", hex.ptr));
	bl_object_builder_add(&row, BL_STR("algorithm"),
			      bl_value_string(HASHING));
	bl_array_builder_add(list, bl_object_builder_end(&row));
	bl_buf_clear(&hex);
	return status;
}

/* The signed payload; claims come last, so that they may replace the rest. */
static enum bl_status make_payload(struct bl_arena *arena,
				   const struct bl_bundle_file *files,
				   size_t count,
				   const struct bl_bundle_signing *how,
				   struct bl_buf *out, struct bl_error *err)
{
	struct bl_object_builder payload;
	struct bl_array_builder list;
	enum bl_status status = BL_OK;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; !status && i < count; i++)
		status = add_file(arena, &files[i], &list, err);
	bl_object_builder_init(&payload, arena);
	bl_object_builder_add(&payload, BL_STR("files"),
			      bl_array_builder_end(&list));
	if (how->key_id.len)
		bl_object_builder_add(&payload, BL_STR("keyid"),
				      bl_value_string(how->key_id));
	for (size_t i = 0; i < bl_value_count(how->claims); i++)
		bl_object_builder_add(
			&payload, bl_value_text(bl_object_key(how->claims, i)),
			bl_object_value(how->claims, i));
	bl_json_write(out, bl_object_builder_end(&payload), BL_JSON_COMPACT);
	if (status)
		return status;
	return bl_arena_status(arena) ? bl_arena_fail(arena, err)
	       : bl_buf_status(out)   ? bl_fail_memory(err)
				      : BL_OK;
}

static enum bl_status write_token(struct bl_arena *arena, struct bl_str token,
				  struct bl_str *out_text, struct bl_error *err)
{
	struct bl_value one = bl_value_string(token);
	struct bl_object_builder all;
	struct bl_buf text;

	bl_object_builder_init(&all, arena);
	bl_object_builder_add(&all, BL_STR("signatures"),
			      bl_array_make(arena, &one, 1));
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	*out_text = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out_text->ptr ? BL_OK : bl_arena_fail(arena, err);
}

enum bl_status bl_bundle_sign(struct bl_arena *arena,
			      const struct bl_bundle_file *files, size_t count,
			      const struct bl_bundle_signing *how,
			      struct bl_str *out_text, struct bl_error *err)
{
	struct bl_object_builder header;
	struct bl_buf payload;
	struct bl_str token = { 0 };
	enum bl_status status;

	bl_object_builder_init(&header, arena);
	if (how->key_id.len)
		bl_object_builder_add(&header, BL_STR("kid"),
				      bl_value_string(how->key_id));
	bl_buf_init(&payload, 0);
	status = make_payload(arena, files, count, how, &payload, err);
	if (!status)
		status = bl_rego_sign_token(arena, &how->key,
					    bl_object_builder_end(&header),
					    bl_buf_str(&payload), &token, err);
	bl_buf_clear(&payload);
	return status ? status : write_token(arena, token, out_text, err);
}

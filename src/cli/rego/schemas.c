/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/schemas.c: JSON schemas from a file or a folder. */
#include "cli/rego/schemas.h"

#include "base/limits.h"
#include "cli/rego/files.h"
#include "os/os.h"

enum { MAX_NAMES = 10000, MAX_DEPTH = 32 };

struct reader {
	struct cli *cli;
	struct bl_object_builder schemas;
	unsigned depth;
	struct bl_error *err;
};

static enum bl_status add_file(struct reader *reader, struct bl_str path,
			       struct bl_str name)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_value schema;
	struct bl_str text;
	enum bl_status status =
		bl_os_read_file(path, 0, limits.payload_bytes,
				&reader->cli->arena, &text, NULL, reader->err);

	if (status) {
		bl_error_context(reader->err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	status = cli_parse_data(reader->cli, path, text, &schema, reader->err);
	if (!status)
		bl_object_builder_add(&reader->schemas, name, schema);
	return status;
}

static enum bl_status add_folder(struct reader *reader, struct bl_str path,
				 struct bl_str name);

/* name is that of the folder it is in; "" is the one that was given. */
static enum bl_status add_child(struct reader *reader, struct bl_str folder,
				struct bl_str name, struct bl_str child)
{
	struct bl_arena *arena = &reader->cli->arena;
	struct bl_str path = bl_path_join(arena, folder, child);
	struct bl_str inner =
		bl_arena_printf(arena, "%.*s%s%.*s", BL_STR_ARG(name),
				name.len ? "/" : "", BL_STR_ARG(child));
	struct bl_file_info info;
	enum bl_status status;
	size_t end = inner.len;

	if (!path.ptr || !inner.ptr)
		return bl_arena_fail(arena, reader->err);
	status = bl_os_info_path(path, &info, reader->err);
	if (status)
		return status;
	if (info.type == BL_FILE_DIRECTORY)
		return add_folder(reader, path, inner);
	while (end > inner.len - child.len && inner.ptr[end - 1] != '.')
		end--;
	if (end > inner.len - child.len)
		inner.len = end - 1;
	return add_file(reader, path, inner);
}

static enum bl_status add_folder(struct reader *reader, struct bl_str path,
				 struct bl_str name)
{
	struct bl_str *names;
	size_t count;
	enum bl_status status;

	if (reader->depth == MAX_DEPTH)
		return bl_fail(reader->err, BL_LIMIT,
			       "%.*s: folders are nested more than %d deep",
			       BL_STR_ARG(path), MAX_DEPTH);
	reader->depth++;
	status = bl_os_list_dir(path, MAX_NAMES, &reader->cli->arena, &names,
				&count, reader->err);
	for (size_t i = 0; !status && i < count; i++)
		status = add_child(reader, path, name, names[i]);
	reader->depth--;
	return status;
}

enum bl_status cli_read_schemas(struct cli *cli, struct bl_str path,
				struct bl_value *out_schemas,
				struct bl_error *err)
{
	struct reader reader = { .cli = cli, .err = err };
	struct bl_file_info info;
	enum bl_status status;

	*out_schemas = bl_value_undefined();
	if (!path.len)
		return BL_OK;
	bl_object_builder_init(&reader.schemas, &cli->arena);
	status = bl_os_info_path(path, &info, err);
	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	status = info.type == BL_FILE_DIRECTORY
			 ? add_folder(&reader, path, BL_STR(""))
			 : add_file(&reader, path, BL_STR(""));
	if (status)
		return status;
	*out_schemas = bl_object_builder_end(&reader.schemas);
	return bl_value_is_defined(*out_schemas)
		       ? BL_OK
		       : bl_arena_fail(&cli->arena, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one module: its format and its syntax tree. */
#include "json/json.h"
#include "rego/api/private.h"

static const struct bl_rego_module *parse(struct bl_arena *arena,
					  const struct bl_rego_source *source,
					  struct bl_error *err)
{
	const struct bl_rego_module *module = NULL;
	struct bl_diags diags;

	bl_diags_init(&diags, arena);
	if (bl_rego_parse_all(arena, source, &diags, &module, err)) {
		api_take_first(&diags, err);
		return NULL;
	}
	return module;
}

static void put_format(struct bl_arena *arena,
		       const struct bl_rego_module *module, struct bl_buf *out,
		       struct bl_error *err)
{
	bl_rego_format(arena, module, out, err);
}

static void put_tree(struct bl_arena *arena,
		     const struct bl_rego_module *module, struct bl_buf *out,
		     struct bl_error *err)
{
	struct bl_value tree = bl_rego_ast_json(
		module, BL_REGO_AST_COMMENTS | BL_REGO_AST_ANNOTATIONS, arena);

	if (!bl_value_is_defined(tree))
		bl_arena_fail(arena, err);
	else
		bl_json_write(out, tree, BL_JSON_PRETTY);
}

static rego_status write_source(const struct bl_rego_source *source,
				void (*put)(struct bl_arena *arena,
					    const struct bl_rego_module *module,
					    struct bl_buf *out,
					    struct bl_error *err),
				rego_text **out_text, rego_error *error)
{
	const struct bl_rego_module *module;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	struct bl_buf out;

	if (!source->file.ptr || !source->text.ptr || !out_text)
		return api_fail_null(error, !source->file.ptr ? "name"
					    : out_text        ? "text"
							      : "out_text");
	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&out, 0);
	module = parse(&arena, source, &err);
	if (module)
		put(&arena, module, &out, &err);
	if (err.status) {
		bl_buf_clear(&out);
	} else {
		rego_text *text = api_text(&out);

		if (text)
			*out_text = text;
		else
			bl_fail_memory(&err);
	}
	bl_arena_clear(&arena);
	return err.status ? api_fail(&err, error) : REGO_OK;
}

rego_status rego_format(const char *name, const char *text, size_t size,
			uint32_t flags, rego_text **out_text, rego_error *error)
{
	const struct bl_rego_source source = {
		.file = name ? bl_str(name) : (struct bl_str){ 0 },
		.text = { text, size },
		.v0 = flags & REGO_V0,
	};

	return write_source(&source, put_format, out_text, error);
}

rego_status rego_parse(const char *name, const char *text, size_t size,
		       uint32_t flags, rego_text **out_json, rego_error *error)
{
	const struct bl_rego_source source = {
		.file = name ? bl_str(name) : (struct bl_str){ 0 },
		.text = { text, size },
		.v0 = flags & REGO_V0,
	};

	return write_source(&source, put_tree, out_json, error);
}

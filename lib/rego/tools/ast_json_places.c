/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places and comments of syntax trees as OPA writes them: row, column, and the text in
 * base64.
 */
#include "rego/tools/ast_json_places.h"

#include "rego/builtins/functions.h"

bool bl_ast_places_init(struct bl_ast_places *places, struct bl_arena *arena,
			const struct bl_rego_module *module)
{
	struct bl_str text = module->text;
	size_t count = 1;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	*places = (struct bl_ast_places){
		.arena = arena,
		.module = module,
		.starts = bl_arena_new_array(arena, uint32_t, count),
		.count = count,
	};
	if (!places->starts)
		return false;
	count = 0;
	places->starts[count++] = 0;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] == '\n')
			places->starts[count++] = (uint32_t)i + 1;
	return true;
}

/* The number of the line that holds this byte, from 0. */
static size_t line_of(const struct bl_ast_places *places, uint32_t offset)
{
	size_t low = 0;
	size_t high = places->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (places->starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static struct bl_value base64(struct bl_arena *arena, struct bl_str bytes)
{
	struct bl_buf buf;
	struct bl_value value;

	bl_buf_init(&buf, 0);
	bl_base64_put(&buf, bytes, 0);
	value = bl_value_string(bl_arena_copy_str(arena, bl_buf_str(&buf)));
	bl_buf_clear(&buf);
	return value;
}

struct bl_value bl_ast_place(const struct bl_ast_places *places,
			     struct bl_rego_range range, bool with_text)
{
	size_t line = line_of(places, range.from);
	struct bl_object_builder place;

	bl_object_builder_init(&place, places->arena);
	bl_object_builder_add(&place, BL_STR("file"),
			      bl_value_string(places->module->file));
	bl_object_builder_add(&place, BL_STR("row"),
			      bl_value_integer((int64_t)line + 1));
	bl_object_builder_add(
		&place, BL_STR("col"),
		bl_value_integer(range.from - places->starts[line] + 1));
	if (with_text)
		bl_object_builder_add(
			&place, BL_STR("text"),
			base64(places->arena,
			       bl_str_slice(places->module->text, range.from,
					    range.to)));
	return bl_object_builder_end(&place);
}

struct bl_value bl_ast_comments(const struct bl_ast_places *places,
				bool with_text)
{
	const struct bl_rego_module *module = places->module;
	struct bl_array_builder list;

	bl_array_builder_init(&list, places->arena);
	for (size_t i = 0; i < module->comment_count; i++) {
		struct bl_rego_range range = { module->comments[i].from,
					       module->comments[i].to };
		struct bl_str text =
			bl_str_slice(module->text, range.from + 1, range.to);
		struct bl_object_builder one;

		bl_object_builder_init(&one, places->arena);
		bl_object_builder_add(&one, BL_STR("Text"),
				      base64(places->arena, text));
		bl_object_builder_add(&one, BL_STR("Location"),
				      bl_ast_place(places, range, with_text));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

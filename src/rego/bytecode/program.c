/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the tables of a program. */
#include "rego/bytecode/program.h"

#include "json/json.h"

uint32_t bl_program_child(const struct bl_program *program, uint32_t node,
			  struct bl_value key)
{
	uint32_t from = program->nodes[node].first_child;
	uint32_t to = from + program->nodes[node].child_count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		int c = bl_value_compare(
			bl_program_constant(program,
					    program->nodes[middle].key),
			key);

		if (!c)
			return middle;
		if (c < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return BL_NO_NODE;
}

struct bl_str bl_program_path(const struct bl_program *program,
			      struct bl_arena *arena, uint32_t node)
{
	struct bl_value key;
	struct bl_str above;
	struct bl_str path;
	struct bl_str name;
	struct bl_buf text;

	if (program->nodes[node].parent == BL_NO_NODE)
		return BL_STR("data");
	above = bl_program_path(program, arena, program->nodes[node].parent);
	key = bl_program_constant(program, program->nodes[node].key);
	if (!above.ptr)
		return above;
	if (bl_value_is(key, BL_KIND_STRING)) {
		name = bl_value_text(key);
		return bl_arena_printf(arena, "%.*s.%.*s", BL_STR_ARG(above),
				       BL_STR_ARG(name));
	}
	bl_buf_init(&text, 0);
	bl_json_write(&text, key, BL_JSON_COMPACT);
	path = bl_arena_printf(arena, "%.*s[%s]", BL_STR_ARG(above), text.ptr);
	bl_buf_clear(&text);
	return path;
}

struct bl_str bl_program_file_name(const struct bl_program *program,
				   uint32_t module)
{
	const struct bl_program_file *file;

	if (module >= program->file_count)
		return (struct bl_str){ 0 };
	file = &program->files[module];
	return (struct bl_str){ bl_program_at(program, file->name),
				file->name_len };
}

uint32_t bl_program_line(const struct bl_program *program,
			 struct bl_insn_place place)
{
	const uint32_t *lines;
	uint32_t from = 0;
	uint32_t to;

	if (place.module >= program->file_count)
		return 0;
	lines = bl_program_at(program, program->files[place.module].lines);
	to = program->files[place.module].line_count;
	while (to - from > 1) {
		uint32_t middle = from + (to - from) / 2;

		if (lines[middle] <= place.offset)
			from = middle;
		else
			to = middle;
	}
	return from + 1;
}

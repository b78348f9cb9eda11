/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries over the tables of a program: children and paths of nodes, files and
 * lines of places.  Read by the machine and by messages.
 */
#include "rego/runtime/program.h"

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

/* May it be read?  Data that is only for messages is checked here. */
static bool holds(const struct bl_program *program, const void *at,
		  size_t count, size_t size)
{
	return !program->seal ||
	       ((uintptr_t)at % 4 == 0 && count <= SIZE_MAX / size &&
		bl_seal_holds(program->seal, NULL, bl_program_rel(program, at),
			      count * size));
}

static bool text_holds(const struct bl_program *program,
		       const struct bl_program_file *file)
{
	return !program->seal ||
	       bl_seal_holds(program->seal, NULL, file->name, file->name_len);
}

struct bl_insn_place bl_program_place(const struct bl_program *program,
				      const struct bl_insn_place *place)
{
	return place && holds(program, place, 1, sizeof(*place))
		       ? *place
		       : (struct bl_insn_place){ UINT32_MAX, 0 };
}

struct bl_str bl_program_file_name(const struct bl_program *program,
				   uint32_t module)
{
	const struct bl_program_file *file;

	if (module >= program->file_count)
		return (struct bl_str){ 0 };
	file = &program->files[module];
	if (!holds(program, file, 1, sizeof(*file)) ||
	    !text_holds(program, file))
		return (struct bl_str){ 0 };
	return (struct bl_str){ bl_program_at(program, file->name),
				file->name_len };
}

/* Counts from 0 to the line of a place, which begins at *out_begin. */
static bool find_line(const struct bl_program *program,
		      struct bl_insn_place place, uint32_t *out_line,
		      uint32_t *out_begin)
{
	const struct bl_program_file *file;
	const uint32_t *lines;
	uint32_t from = 0;
	uint32_t to;

	if (place.module >= program->file_count)
		return false;
	file = &program->files[place.module];
	if (!holds(program, file, 1, sizeof(*file)))
		return false;
	lines = bl_program_at(program, file->lines);
	to = file->line_count;
	if (!to || !holds(program, lines, to, sizeof(*lines)))
		return false;
	while (to - from > 1) {
		uint32_t middle = from + (to - from) / 2;

		if (lines[middle] <= place.offset)
			from = middle;
		else
			to = middle;
	}
	*out_line = from;
	*out_begin = lines[from];
	return true;
}

uint32_t bl_program_line(const struct bl_program *program,
			 struct bl_insn_place place)
{
	uint32_t line;
	uint32_t begin;

	return find_line(program, place, &line, &begin) ? line + 1 : 0;
}

uint32_t bl_program_column(const struct bl_program *program,
			   struct bl_insn_place place)
{
	uint32_t line;
	uint32_t begin;

	return find_line(program, place, &line, &begin)
		       ? place.offset - begin + 1
		       : 0;
}

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

/* Can it stand behind a dot? */
static bool is_name(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && (!i || c < '0' || c > '9'))
			return false;
	}
	return text.len > 0;
}

void bl_rego_put_key(struct bl_buf *out, struct bl_value key)
{
	if (bl_value_is(key, BL_KIND_STRING) && is_name(bl_value_text(key))) {
		bl_buf_put_char(out, '.');
		bl_buf_put_str(out, bl_value_text(key));
		return;
	}
	bl_buf_put_char(out, '[');
	bl_json_write(out, key, BL_JSON_COMPACT);
	bl_buf_put_char(out, ']');
}

struct bl_str bl_program_path(const struct bl_program *program,
			      struct bl_arena *arena, uint32_t node)
{
	struct bl_str above;
	struct bl_str path;
	struct bl_buf text;

	if (program->nodes[node].parent == BL_NO_NODE)
		return BL_STR("data");
	above = bl_program_path(program, arena, program->nodes[node].parent);
	if (!above.ptr)
		return above;
	bl_buf_init(&text, 0);
	bl_buf_put_str(&text, above);
	bl_rego_put_key(&text,
			bl_program_constant(program, program->nodes[node].key));
	path = bl_arena_copy_str(arena, bl_buf_str(&text));
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

/* Where the lines of a place's file begin; NULL when absent. */
static const uint32_t *lines_of(const struct bl_program *program,
				struct bl_insn_place place, uint32_t *out_count)
{
	const struct bl_program_file *file;
	const uint32_t *lines;

	if (place.module >= program->file_count)
		return NULL;
	file = &program->files[place.module];
	if (!holds(program, file, 1, sizeof(*file)))
		return NULL;
	lines = bl_program_at(program, file->lines);
	*out_count = file->line_count;
	return holds(program, lines, *out_count, sizeof(*lines)) ? lines : NULL;
}

uint32_t bl_program_line(const struct bl_program *program,
			 struct bl_insn_place place)
{
	uint32_t from = 0;
	uint32_t to = 0;
	const uint32_t *lines = lines_of(program, place, &to);

	if (!lines)
		return 0;
	while (to - from > 1) {
		uint32_t middle = from + (to - from) / 2;

		if (lines[middle] <= place.offset)
			from = middle;
		else
			to = middle;
	}
	return from + 1;
}

uint32_t bl_program_column(const struct bl_program *program,
			   struct bl_insn_place place)
{
	uint32_t line = bl_program_line(program, place);
	uint32_t count = 0;
	const uint32_t *lines = lines_of(program, place, &count);

	return line && lines && line <= count
		       ? place.offset - lines[line - 1] + 1
		       : 0;
}

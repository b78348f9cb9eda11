/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant patterns of calls, compiled with the policies, so that an image has their
 * programs.
 */
#include "rego/compiler/emit/private.h"
#include "text/text.h"

/* Of all programs; what is beyond is compiled when it is used. */
enum { PATTERNS_MAX_BYTES = 64 * 1024 * 1024 };

bool bl_program_add_pattern(struct bl_pattern_maker *maker, uint32_t builtin,
			    const struct bl_value *operands,
			    uint32_t *out_index)
{
	struct bl_program *program = maker->program;
	const struct bl_builtin *row = program->builtins[builtin].row;
	struct bl_builtin_state state = { .quiet = true };
	struct bl_builtin_call call = { .arena = maker->arena,
					.state = &state,
					.args = operands,
					.arg_count = row->arity };
	const struct bl_regex *regex;
	struct bl_pattern *patterns;
	size_t bytes;

	if (!bl_builtin_compile_pattern(row, &call, &regex))
		return false;
	bytes = bl_regex_bytes(regex);
	if (bytes > PATTERNS_MAX_BYTES - maker->bytes)
		return false;
	patterns = bl_arena_room(maker->arena, program->patterns,
				 program->pattern_count, &maker->cap,
				 sizeof(*patterns));
	if (!patterns)
		return false;
	maker->bytes += bytes;
	program->patterns = patterns;
	patterns[program->pattern_count] = (struct bl_pattern){
		.regex = bl_program_rel(program, regex),
		.builtin = builtin,
		.bytes = (uint32_t)bytes,
	};
	*out_index = (uint32_t)program->pattern_count++;
	return true;
}

bool bl_emit_pattern(struct bl_emitter *e, const struct bl_builtin *builtin,
		     struct bl_rego_term *const *terms, uint32_t *out_index)
{
	struct bl_program_builder *builder = e->builder;
	unsigned operands = bl_builtin_pattern_operands(builtin);
	struct bl_value args[BL_BUILTIN_MASKS] = { 0 };

	if (!operands || builtin->arity > BL_COUNT(args))
		return false;
	for (size_t i = 0; i < builtin->arity; i++)
		if (operands >> i & 1 && !bl_fold(e, terms[i], &args[i]))
			return false;
	return bl_program_add_pattern(&builder->patterns,
				      bl_emit_builtin_index(e, builtin), args,
				      out_index);
}

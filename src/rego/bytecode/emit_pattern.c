/* SPDX-License-Identifier: Apache-2.0 */
/* Constant patterns of calls, compiled with the policies. */
#include "rego/bytecode/emit.h"
#include "text/text.h"

enum {
	/* Of all programs; what is beyond is compiled when it is used. */
	PATTERNS_MAX_BYTES = 64 * 1024 * 1024,
	OPERANDS_MAX = BL_BUILTIN_MASKS,
};

/* The program of the pattern among the terms; NULL: there is none. */
static const struct bl_regex *compile(struct bl_emitter *e,
				      const struct bl_builtin *builtin,
				      struct bl_rego_term *const *terms)
{
	unsigned operands = bl_builtin_pattern_operands(builtin);
	struct bl_builtin_state state = { .quiet = true };
	struct bl_value args[OPERANDS_MAX] = { 0 };
	struct bl_builtin_call call = { .arena = e->builder->compiler->arena,
					.state = &state,
					.args = args,
					.arg_count = builtin->arity };
	const struct bl_regex *regex;

	if (!operands || builtin->arity > OPERANDS_MAX)
		return NULL;
	for (size_t i = 0; i < builtin->arity; i++) {
		if (!(operands >> i & 1))
			continue;
		if (!bl_fold(e, terms[i], &args[i]))
			return NULL;
	}
	return bl_builtin_compile_pattern(builtin, &call, &regex) ? regex
								  : NULL;
}

bool bl_emit_pattern(struct bl_emitter *e, const struct bl_builtin *builtin,
		     struct bl_rego_term *const *terms, uint32_t *out_index)
{
	struct bl_program_builder *builder = e->builder;
	struct bl_program *program = builder->program;
	const struct bl_regex *regex = compile(e, builtin, terms);
	size_t bytes;

	if (!regex)
		return false;
	bytes = bl_regex_bytes(regex);
	if (bytes > PATTERNS_MAX_BYTES - builder->pattern_bytes)
		return false;
	if (!bl_emit_grow(e, (void **)&program->patterns,
			  program->pattern_count, &builder->pattern_cap,
			  sizeof(*program->patterns)))
		return false;
	builder->pattern_bytes += bytes;
	program->patterns[program->pattern_count] = (struct bl_pattern){
		.regex = bl_program_rel(program, regex),
		.builtin = bl_emit_builtin_index(e, builtin),
		.bytes = (uint32_t)bytes,
	};
	*out_index = (uint32_t)program->pattern_count++;
	return true;
}

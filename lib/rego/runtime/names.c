/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c: do policies name a text?  Some parts of an input cost time to make:
 * the answer says whether a policy can read them.  It stands apart from the
 * machine, which never asks.
 *
 *   input.belay.commands                the constant "commands" is a key
 *   object.get(b, ["x", "commands"], 0) it is an item of a constant
 *   # commands, data.lib.commands       neither: no code has that constant
 */
#include "rego/runtime/private.h"

static const char *const check_lists[] = {
#define OPCODE(name, operands, checks, meaning) [BL_OP_##name] = checks,
#include "rego/runtime/opcodes.def"
#undef OPCODE
};

/* Constants are nested at most 64 deep (docs/formats/image.md). */
static bool has_text(struct bl_value value, struct bl_str text)
{
	bool is_object = bl_value_is(value, BL_KIND_OBJECT);

	if (bl_value_is(value, BL_KIND_STRING))
		return bl_str_equal(bl_value_text(value), text);
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (is_object
			    ? has_text(bl_object_key(value, i), text) ||
				      has_text(bl_object_value(value, i), text)
			    : has_text(bl_value_item(value, i), text))
			return true;
	return false;
}

static bool function_names(const struct bl_program *program,
			   const struct bl_function *function,
			   struct bl_str text)
{
	const struct bl_insn *code = bl_program_at(program, function->code);

	for (uint32_t i = 0; i < function->code_count; i++)
		if (strchr(check_lists[code[i].op], 'k') &&
		    has_text(bl_program_constant(program, code[i].n), text))
			return true;
	return false;
}

bool bl_rego_names(const struct bl_rego_policies *policies, struct bl_str text)
{
	const struct bl_program *program = &policies->program;

	for (size_t i = 0; i < program->function_count; i++)
		if (function_names(program, &program->functions[i], text))
			return true;
	return false;
}

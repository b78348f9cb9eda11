/* SPDX-License-Identifier: Apache-2.0 */
/* rego.parse_module: a syntax tree as OPA writes it in JSON. */
#include "rego/builtins/external/functions.h"
#include "rego/tools/tools.h"

bool bl_fn_rego_parse_module(struct bl_builtin_call *call)
{
	struct bl_str file = bl_builtin_text(call, 0);
	struct bl_str text = bl_builtin_text(call, 1);
	const struct bl_rego_module *module;
	struct bl_error err;
	size_t offset = 0;

	if (bl_rego_parse(call->arena, file, text, false, &module, &offset,
			  &err))
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"1 error occurred: %.*s:%u: rego_parse_error: %s",
			BL_STR_ARG(file), bl_place_at(text, offset).line,
			err.message);
	return bl_builtin_return(
		call,
		bl_rego_ast_json(module, BL_REGO_AST_COMMENTS, call->arena));
}

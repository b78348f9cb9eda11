/* SPDX-License-Identifier: Apache-2.0 */
/* rego/tools/ast_json_places.h: places of a module's text as OPA writes them. */
#ifndef BELAY_REGO_TOOLS_AST_JSON_PLACES_H
#define BELAY_REGO_TOOLS_AST_JSON_PLACES_H

#include "rego/compiler/parse/ast.h"

/* Where the lines of a module begin. */
struct bl_ast_places {
	struct bl_arena *arena;
	const struct bl_rego_module *module;
	uint32_t *starts;
	size_t count;
};

/* False when memory is out. */
bool bl_ast_places_init(struct bl_ast_places *places, struct bl_arena *arena,
			const struct bl_rego_module *module);

/*
 * {"file", "row", "col"} of a range, and with "text", its bytes in base64.
 * Undefined when memory is out.
 */
struct bl_value bl_ast_place(const struct bl_ast_places *places,
			     struct bl_rego_range range, bool with_text);

/* The comments of the module, an array. */
struct bl_value bl_ast_comments(const struct bl_ast_places *places,
				bool with_text);

#endif

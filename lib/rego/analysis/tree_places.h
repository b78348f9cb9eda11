/* SPDX-License-Identifier: Apache-2.0 */
/* rego/analysis/tree_places.h: places of a module's text as OPA writes them. */
#ifndef BELAY_REGO_ANALYSIS_TREE_PLACES_H
#define BELAY_REGO_ANALYSIS_TREE_PLACES_H

#include "rego/syntax/ast.h"

/* Where the lines of a module begin. */
struct bl_tree_places {
	struct bl_arena *arena;
	const struct bl_rego_module *module;
	uint32_t *starts;
	size_t count;
};

/* False when memory is out. */
bool bl_tree_places_init(struct bl_tree_places *places, struct bl_arena *arena,
			 const struct bl_rego_module *module);

/*
 * {"file", "row", "col"} of a range, and with "text", its bytes in base64.
 * Undefined when memory is out.
 */
struct bl_value bl_tree_place(const struct bl_tree_places *places,
			      struct bl_rego_range range, bool with_text);

/* The comments of the module, an array. */
struct bl_value bl_tree_comments(const struct bl_tree_places *places,
				 bool with_text);

#endif

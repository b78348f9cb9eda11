/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/tools/ast_json.h: a syntax tree as OPA writes it in JSON; what
 * ast_json_module.c (modules) needs of ast_json.c (terms and statements).
 */
#ifndef BELAY_REGO_TOOLS_AST_JSON_H
#define BELAY_REGO_TOOLS_AST_JSON_H

#include "rego/tools/ast_json_places.h"
#include "rego/tools/tools.h"

struct bl_ast_writer {
	struct bl_arena *arena;
	const struct bl_rego_module *module;
	unsigned parts;    /* enum bl_rego_ast_parts */
	bool blocks;       /* "not" holds a body */
	int64_t wildcards; /* "_" so far: each is a variable of its own */
	struct bl_ast_places places;
	struct bl_array_builder annotations; /* of the module */
	struct bl_value *of_rule;            /* by rule: its own, as an array */
};

/* Adds a member; an undefined value adds nothing. */
void bl_ast_put(struct bl_object_builder *to, const char *key,
		struct bl_value value);

/* Adds "location", when it is wanted. */
void bl_ast_put_location(struct bl_ast_writer *w, struct bl_object_builder *to,
			 struct bl_rego_range range);

/* {"location", "type", "value"}: any term, a variable, a constant. */
struct bl_value bl_ast_node(struct bl_ast_writer *w, const char *type,
			    struct bl_value value, struct bl_rego_range range);
struct bl_value bl_ast_var(struct bl_ast_writer *w, struct bl_str name,
			   struct bl_rego_range range);
struct bl_value bl_ast_scalar(struct bl_ast_writer *w, struct bl_value value,
			      struct bl_rego_range range);

struct bl_value bl_ast_term(struct bl_ast_writer *w,
			    const struct bl_rego_term *term);

/* A name is a reference of one part; others are themselves. */
struct bl_value bl_ast_ref(struct bl_ast_writer *w,
			   const struct bl_rego_term *term);

/* Arrays of them. */
struct bl_value bl_ast_items(struct bl_ast_writer *w,
			     struct bl_rego_term *const *items, size_t count);
struct bl_value bl_ast_body(struct bl_ast_writer *w,
			    const struct bl_rego_body *body);

/* ---- ast_json_order.c ------------------------------------------------------- */

/*
 * The members of a set, or the pairs of an object, sorted as OPA has them, each
 * key once.
 */
struct bl_value bl_ast_in_order(struct bl_arena *arena, struct bl_value list,
				bool is_object);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/analysis/tree_json.h: a syntax tree as OPA writes it in JSON; what
 * tree_module.c (modules) needs of tree_json.c (terms and statements).
 */
#ifndef BELAY_REGO_ANALYSIS_TREE_JSON_H
#define BELAY_REGO_ANALYSIS_TREE_JSON_H

#include "rego/analysis/tree_places.h"
#include "rego/rego.h"

struct bl_tree_writer {
	struct bl_arena *arena;
	const struct bl_rego_module *module;
	unsigned parts;    /* enum bl_rego_tree_parts */
	bool blocks;       /* "not" holds a body */
	int64_t wildcards; /* "_" so far: each is a variable of its own */
	struct bl_tree_places places;
	struct bl_array_builder annotations; /* of the module */
	struct bl_value *of_rule;            /* by rule: its own, as an array */
};

/* Adds a member; an undefined value adds nothing. */
void bl_tree_put(struct bl_object_builder *to, const char *key,
		 struct bl_value value);

/* Adds "location", when it is wanted. */
void bl_tree_put_location(struct bl_tree_writer *w,
			  struct bl_object_builder *to,
			  struct bl_rego_range range);

/* {"location", "type", "value"}: any term, a variable, a constant. */
struct bl_value bl_tree_node(struct bl_tree_writer *w, const char *type,
			     struct bl_value value, struct bl_rego_range range);
struct bl_value bl_tree_var(struct bl_tree_writer *w, struct bl_str name,
			    struct bl_rego_range range);
struct bl_value bl_tree_scalar(struct bl_tree_writer *w, struct bl_value value,
			       struct bl_rego_range range);

struct bl_value bl_tree_term(struct bl_tree_writer *w,
			     const struct bl_rego_term *term);

/* A name is a reference of one part; others are themselves. */
struct bl_value bl_tree_ref(struct bl_tree_writer *w,
			    const struct bl_rego_term *term);

/* Arrays of them. */
struct bl_value bl_tree_items(struct bl_tree_writer *w,
			      struct bl_rego_term *const *items, size_t count);
struct bl_value bl_tree_body(struct bl_tree_writer *w,
			     const struct bl_rego_body *body);

/* ---- tree_order.c ------------------------------------------------------- */

/*
 * The members of a set, or the pairs of an object, sorted as OPA has them, each
 * key once.
 */
struct bl_value bl_tree_in_order(struct bl_arena *arena, struct bl_value list,
				 bool is_object);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* rego/api/private.h: the objects of <rego.h> from the inside. */
#ifndef BELAY_REGO_API_PRIVATE_H
#define BELAY_REGO_API_PRIVATE_H

#include <rego.h>
#include <stdatomic.h>

#include "rego/tools/tools.h"

struct rego_text {
	struct bl_buf buf;
};

/*
 * Compiled policies and their data.  Those that differ from others in their data
 * alone refer to them.
 */
struct rego_policies {
	atomic_size_t references;
	struct bl_arena arena;
	const struct bl_rego_policies *compiled;
	struct bl_value data; /* an object, or undefined */
	bool is_explainable;
	struct rego_policies *base; /* whose arena has compiled; NULL: own */
};

/* An embedder's function, as the compiler knows it. */
struct api_function {
	struct bl_rego_function function; /* first */
	rego_status (*call)(void *context, rego_call *call);
	void *context;
};

/* Calls it: struct bl_rego_function.call. */
bool api_call_function(struct bl_rego_call *call);

/* ---- texts.c ------------------------------------------------------------- */

/* Reports err to the caller, as much of it as fits; gives its status. */
rego_status api_fail(const struct bl_error *err, rego_error *to);
rego_status api_fail_memory(rego_error *to);

/* USAGE: "WHAT is NULL". */
rego_status api_fail_null(rego_error *to, const char *what);

/* Does the caller's struct have this member? */
#define API_HAS(options, type, member)                                         \
	((options)->struct_size >=                                             \
	 offsetof(type, member) + sizeof((options)->member))

/* A text that takes over what buf holds; NULL, and buf cleared: no memory. */
rego_text *api_text(struct bl_buf *buf);

/* Value as JSON in arena, with a NUL; NULL: no memory. */
const char *api_json(struct bl_arena *arena, struct bl_value value);

/* Reads one JSON value as OPA does; it lives as arena, not as text. */
enum bl_status api_read_json(struct bl_arena *arena, struct bl_str text,
			     struct bl_value *out_value, struct bl_error *err);

/* diags as a JSON text for *out, when wanted; NULL when absent. */
void api_give_diags(const struct bl_diags *diags, rego_text **out);

/* The first error of diags is what the caller is told, when there is one. */
void api_take_first(const struct bl_diags *diags, struct bl_error *err);

/* ---- items.c ------------------------------------------------------------- */

/*
 * The value of a whole row of items, in arena.  Its texts are those of the items,
 * or copies.
 */
enum bl_status api_read_items(struct bl_arena *arena, const rego_item *items,
			      size_t count, bool are_texts_copied,
			      struct bl_value *out_value, struct bl_error *err);

/* The items of value, in arena; their texts are those of value, or in arena. */
enum bl_status api_make_items(struct bl_arena *arena, struct bl_value value,
			      const rego_item **out_items, size_t *out_count,
			      struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/resolve/resolve.h: what the files of the resolver share: scope.c
 * (names and slots), resolve_term.c, resolve.c (statements and rules).
 */
#ifndef BELAY_REGO_COMPILER_RESOLVE_RESOLVE_H
#define BELAY_REGO_COMPILER_RESOLVE_RESOLVE_H

#include "rego/compiler/resolve/analysis.h"

/* One body's own names; the names of outer bodies are seen through parent. */
struct bl_rego_scope {
	struct bl_rego_scope *parent;
	struct bl_str *names;
	int32_t *slots;
	size_t count;
	size_t cap;
	size_t early_count; /* of the first: known before their declaration */
};

/* Zeroed memory of the compiler; NULL is noted there. */
void *bl_resolve_alloc(struct bl_resolver *resolver, size_t count, size_t size);

#define NEW(resolver, type)                                                    \
	((type *)bl_resolve_alloc((resolver), 1, sizeof(type)))
#define NEW_ARRAY(resolver, type, count)                                       \
	((type *)bl_resolve_alloc((resolver), (count), sizeof(type)))

/* ---- scope.c ------------------------------------------------------------ */

/* A slot without a name that can be seen. */
int32_t bl_rego_scope_new_slot(struct bl_resolver *resolver,
			       struct bl_str name);

/* A slot that the present scope knows by name from here on. */
int32_t bl_rego_scope_declare(struct bl_resolver *resolver, struct bl_str name);

/*
 * A name that "some" declares for a body that does not use it itself: each
 * closure which does has one of its own (docs/contracts/rego.md "Safety").
 */
enum { BL_SLOT_OF_CLOSURES = INT32_MIN };
void bl_rego_scope_leave_to_closures(struct bl_resolver *resolver,
				     struct bl_str name);

/* The newest declaration that can be seen, or BL_SLOT_NONE. */
int32_t bl_rego_scope_find(const struct bl_rego_scope *scope,
			   struct bl_str name);

/* Is it declared in this very scope? */
bool bl_rego_scope_has(const struct bl_rego_scope *scope, struct bl_str name);

/* The name that an import is known by. */
struct bl_str bl_import_name(const struct bl_rego_import *import);

/* Is it "x := y"? */
bool bl_expr_is_assignment(const struct bl_rego_expr *expr);

/* The meaning of a name outside of bodies. */
const struct bl_rego_import *
bl_rego_scope_find_import(const struct bl_rego_module *module,
			  struct bl_str name);
const struct bl_rego_import *
bl_rego_scope_import(const struct bl_resolver *resolver, struct bl_str name);
struct bl_node *bl_rego_scope_find_rule(const struct bl_resolver *resolver,
					struct bl_str name);
bool bl_rego_scope_is_root_name(struct bl_str name);
bool bl_rego_scope_is_global(const struct bl_resolver *resolver,
			     struct bl_str name);

/* ---- new nodes ---------------------------------------------------------- */

struct bl_rego_term *bl_make_term(struct bl_resolver *resolver,
				  enum bl_rego_term_kind kind,
				  struct bl_rego_range range);
struct bl_rego_term *bl_make_var(struct bl_resolver *resolver,
				 struct bl_str name, int32_t slot,
				 struct bl_rego_range range);
/* The builtins that the language itself calls, whatever capabilities say. */
struct bl_rego_term *bl_make_callee(struct bl_resolver *resolver,
				    const char *name,
				    struct bl_rego_range range);
struct bl_rego_term *bl_make_scalar(struct bl_resolver *resolver,
				    struct bl_value value,
				    struct bl_rego_range range);
struct bl_rego_term *bl_make_node_ref(struct bl_resolver *resolver,
				      const struct bl_node *node,
				      struct bl_rego_range range);
struct bl_rego_expr *bl_make_expr(struct bl_resolver *resolver,
				  const struct bl_rego_expr *like);

/* A variable that nothing else means. */
struct bl_rego_term *bl_make_blank(struct bl_resolver *resolver,
				   struct bl_rego_range range);

/* The builtin of that name, called with both; NULL also when one is NULL. */
struct bl_rego_term *bl_make_operator(struct bl_resolver *resolver,
				      const char *name, struct bl_rego_term *a,
				      struct bl_rego_term *b);

/* As above, as a statement. */
struct bl_rego_expr *bl_make_statement(struct bl_resolver *resolver,
				       const char *name, struct bl_rego_term *a,
				       struct bl_rego_term *b);

/* The statements of a body that is being made. */
struct bl_statements {
	struct bl_rego_expr **exprs;
	size_t count;
	size_t cap;
};

/* expr is NULL when memory ran out before. */
void bl_statements_add(struct bl_resolver *resolver,
		       struct bl_statements *statements,
		       struct bl_rego_expr *expr);

/* ---- resolve_term.c, resolve.c ------------------------------------------ */

struct bl_rego_term *bl_resolve_term(struct bl_resolver *resolver,
				     const struct bl_rego_term *term);
struct bl_rego_body *bl_resolve_body(struct bl_resolver *resolver,
				     const struct bl_rego_body *body);
bool bl_resolve_withs(struct bl_resolver *resolver,
		      const struct bl_rego_expr *expr,
		      struct bl_rego_expr *copy);

/* ---- calls_first.c ------------------------------------------------------ */

/* Calls that OPA makes before expr go to out, and a name in their place. */
void bl_resolve_calls_first(struct bl_resolver *resolver,
			    struct bl_rego_expr *expr,
			    struct bl_statements *out);

/* As above for a head, whose body is made when absent. */
void bl_resolve_head_calls_first(struct bl_resolver *resolver,
				 struct bl_rego_term **head,
				 struct bl_rego_body **body);

/* ---- heads.c ------------------------------------------------------------ */

/* Do only closures of the present body use the name? */
bool bl_resolve_is_of_closures(const struct bl_resolver *resolver,
			       struct bl_str name);

/*
 * Heads (resolved) that give names of the body or of each other their values
 * become statements, where these have no other: p[k] := input[k].  Slots from
 * own_from on are the body's.
 */
struct bl_head_terms {
	struct bl_rego_term **terms;
	size_t count;
	struct bl_rego_term **value; /* one more; NULL: none */
};
void bl_resolve_heads_first(struct bl_resolver *resolver,
			    const struct bl_head_terms *heads,
			    struct bl_rego_body **body, int32_t own_from);

/* ---- index_first.c ------------------------------------------------------- */

/* Puts first in the body what OPA's index would have asked for before it. */
void bl_resolve_index_first(struct bl_resolver *resolver,
			    struct bl_resolved_rule *rule);

/* Can a conflict in term end the evaluation? */
bool bl_resolve_is_risky(const struct bl_resolver *resolver,
			 const struct bl_rego_term *term);

/* ---- resolve_term.c ------------------------------------------------------ */

/* Does a value of "with" name a builtin, which then replaces a function? */
bool bl_resolve_names_builtin(struct bl_resolver *resolver,
			      const struct bl_rego_term *term);

/* The slots made since slot_from belong to this closure. */
void bl_resolve_own_slots(const struct bl_resolver *resolver,
			  struct bl_rego_body *body, int32_t slot_from);

#endif

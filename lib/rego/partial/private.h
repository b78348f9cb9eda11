/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/partial/private.h: what the files of partial evaluation share.
 *
 *   terms.c      variables and their values, copies, constants
 *   flatten.c    bodies of resolved rules as simple statements
 *   unknown.c    what depends on something that is not known
 *   known.c      what does not: the machine evaluates it
 *   statements.c one statement after the other; what is saved
 *   unify.c      making two terms equal
 *   documents.c  references: the tree of rules, data, parts of values
 *   rules.c      rules in place, or written out as support
 *   functions.c  calls of rules' functions
 *   negation.c   "not", "every", "and" and "or"
 *   propagate.c  variables that only hand something on are taken out
 *   result.c     the texts
 *
 * It is written with continuations: a function that finds a solution calls
 * next, and takes back what it did when that returns.  So all ways are tried one after
 * the other, and at each end of one the statements saved since its beginning are a
 * result.  False ends everything: an error, which the machine has noted.
 *
 * Example: "input.x == y; y > 1" with nothing known of input.  "input.x = y" is
 * saved and y marked as saved; "y > 1" then depends on something unknown, and is saved.
 * propagate.c makes "input.x > 1" of the two.
 */
#ifndef BELAY_REGO_PARTIAL_PRIVATE_H
#define BELAY_REGO_PARTIAL_PRIVATE_H

#include "rego/compiler/emit/compile.h"
#include "rego/compiler/resolve/resolve.h"
#include "rego/partial/partial.h"

enum {
	BL_PARTIAL_MAX_DEPTH = 4000,   /* of statements and references */
	BL_PARTIAL_MAX_STEPS = 200000, /* of both */
	BL_PARTIAL_MAX_QUERIES = 10000,
	BL_PARTIAL_MAX_UNROLL = 32,  /* rounds of "every" */
	BL_PARTIAL_MAX_NEGATED = 16, /* ways to negate what is left */
};

/* A variable: of the query, of a rule each time it is tried, or made here. */
struct bl_partial_var {
	struct bl_str name;
	struct bl_rego_term *value; /* NULL: is not known */
	uint32_t saved; /* it is in statements that are saved, so many times */
	bool is_kept;   /* a variable of the query that its reader wants */
};

/* A growing list of statements. */
struct bl_partial_list {
	struct bl_rego_expr **exprs;
	size_t count;
	size_t cap;
};

/* Modifiers of the statement that is evaluated. */
struct bl_partial_withs {
	const struct bl_rego_with *saved; /* for what is saved of it */
	uint32_t saved_count;
	const struct bl_rego_with *known; /* for what is known */
	uint32_t known_count;
};

/* A reference below which rules are written out. */
struct bl_partial_disabled {
	struct bl_rego_term *ref; /* VAR "data" and constants */
	bool internal;            /* because of a "with", not asked for */
};

/* The rules of a node, resolved and in order. */
struct bl_partial_rules {
	struct bl_resolved_rule **rules;
	const struct bl_rule **written;
	int32_t *slots; /* how many variables each has */
	size_t count;
	bool has_else;
	bool is_written; /* as support; has_support: there was something */
	bool has_support;
	struct bl_rego_term *default_value; /* NULL: none */
	struct bl_rego_term **default_args;
	size_t default_arg_count;
	bool is_judged;
	bool depends; /* on something unknown */
};

struct bl_partial_module {
	struct bl_value package; /* array of names, "partial" first */
	struct bl_rego_rule **rules;
	size_t count;
	size_t cap;
};

struct bl_partial {
	struct bl_arena *arena;
	const struct bl_rego_policies *policies;
	const struct bl_rego_partial_options *options;
	struct bl_compiler compiler;
	struct bl_partial_rules **rules; /* by node */
	struct bl_error *err;
	enum bl_status status;
	struct bl_rego_partial *out;

	struct bl_partial_var *vars;
	size_t var_count;
	size_t var_cap;
	struct bl_rego_term **unknowns;
	size_t unknown_count;
	struct bl_partial_disabled *disabled;
	size_t disabled_count;
	size_t disabled_cap;

	struct bl_partial_list
		saved; /* the present query is from saved_from on */
	size_t saved_from;
	int32_t *marks; /* saved variables, each as often as it is */
	size_t mark_count;
	size_t mark_cap;
	struct bl_partial_withs withs;
	size_t unrolled; /* rounds of the "every"s around */

	struct bl_partial_module *modules;
	size_t module_count;
	size_t module_cap;
	struct bl_value taken; /* an object: names of rules and packages */
	uint32_t support_names;
	uint64_t steps;
	uint32_t depth;
};

struct bl_partial_next {
	bool (*go)(struct bl_partial *pe, const struct bl_partial_next *next);
};

static inline bool bl_partial_go(struct bl_partial *pe,
				 const struct bl_partial_next *next)
{
	return next->go(pe, next);
}

/* Notes that memory is out.  Always false. */
bool bl_partial_no_memory(struct bl_partial *pe);

/* Counts a step; false with LIMIT.  Leave when it was true. */
bool bl_partial_enter(struct bl_partial *pe);
void bl_partial_leave(struct bl_partial *pe);

/* Room for one more in a list in the arena; NULL: memory. */
void *bl_partial_grow(struct bl_partial *pe, void *items, size_t count,
		      size_t *cap, size_t size);

/* ---- terms.c ------------------------------------------------------------ */

struct bl_rego_term *bl_partial_term(struct bl_partial *pe,
				     enum bl_rego_term_kind kind,
				     uint32_t count);
struct bl_rego_term *bl_partial_constant(struct bl_partial *pe,
					 struct bl_value value);
struct bl_rego_term *bl_partial_root(struct bl_partial *pe, const char *name);
struct bl_rego_term *bl_partial_root_named(struct bl_partial *pe,
					   struct bl_str name);

/* A variable of its own; -1: memory. */
int32_t bl_partial_new_vars(struct bl_partial *pe, size_t count);
struct bl_rego_term *bl_partial_var(struct bl_partial *pe, int32_t id);
struct bl_rego_term *bl_partial_fresh(struct bl_partial *pe);

/* "a = b", and the call of a builtin. */
struct bl_rego_expr *bl_partial_expr(struct bl_partial *pe,
				     struct bl_rego_term *only);
struct bl_rego_expr *bl_partial_equality(struct bl_partial *pe,
					 struct bl_rego_term *a,
					 struct bl_rego_term *b);
bool bl_partial_is_equality(const struct bl_rego_expr *statement);

/* Is it a variable of ours (no root, no name of a builtin)? */
static inline bool bl_partial_is_var(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_VAR && t->slot >= 0;
}

static inline bool bl_partial_is_closure(const struct bl_rego_term *t)
{
	return t->kind >= BL_TERM_ARRAY_COMPREHENSION;
}

/* The value at the end of a chain of variables, or the last of these. */
struct bl_rego_term *bl_partial_deref(const struct bl_partial *pe,
				      struct bl_rego_term *t);

/* Copies with another number for each variable, or their values in place. */
struct bl_rego_term *bl_partial_rename(struct bl_partial *pe,
				       const struct bl_rego_term *t,
				       int32_t base);
struct bl_rego_body *bl_partial_rename_body(struct bl_partial *pe,
					    const struct bl_rego_body *body,
					    int32_t base);
struct bl_rego_term *bl_partial_plug(struct bl_partial *pe,
				     struct bl_rego_term *t);
struct bl_rego_expr *bl_partial_plug_expr(struct bl_partial *pe,
					  const struct bl_rego_expr *statement);
struct bl_rego_body *bl_partial_plug_body(struct bl_partial *pe,
					  const struct bl_rego_body *body);

/* A copy made by giving each variable to leaf; fold: constants become one. */
struct bl_partial_copier {
	struct bl_partial *pe;
	struct bl_rego_term *(*leaf)(struct bl_partial_copier *copier,
				     const struct bl_rego_term *var);
	int32_t base; /* of renamed slots of closures */
	bool fold;
	bool open; /* constants are written out as terms */
	void *context;
};
struct bl_rego_term *bl_partial_copy(struct bl_partial_copier *copier,
				     const struct bl_rego_term *t);
struct bl_rego_expr *bl_partial_copy_expr(struct bl_partial_copier *copier,
					  const struct bl_rego_expr *statement);
struct bl_rego_body *bl_partial_copy_body(struct bl_partial_copier *copier,
					  const struct bl_rego_body *body);

/* Equal as written, constants by value. */
bool bl_partial_equal(const struct bl_rego_term *a,
		      const struct bl_rego_term *b);

/* The items of an array (or the members of an object), also of a constant. */
bool bl_partial_is_array(const struct bl_rego_term *t);
bool bl_partial_is_object(const struct bl_rego_term *t);
size_t bl_partial_item_count(const struct bl_rego_term *t);
struct bl_rego_term *bl_partial_item(struct bl_partial *pe,
				     const struct bl_rego_term *t, size_t i);
struct bl_rego_term *bl_partial_key(struct bl_partial *pe,
				    const struct bl_rego_term *t, size_t i);

/* Calls visit with each variable of ours; closed: inside of closures, too. */
struct bl_partial_visitor {
	void (*visit)(struct bl_partial_visitor *visitor,
		      const struct bl_rego_term *var);
	bool closed;
	bool skip_heads; /* of references */
};
void bl_partial_each_var(struct bl_partial_visitor *visitor,
			 const struct bl_rego_term *t);
void bl_partial_each_var_of(struct bl_partial_visitor *visitor,
			    const struct bl_rego_expr *statement);

/* ---- flatten.c ---------------------------------------------------------- */

/*
 * The statements of a body, whose variables are shifted by base: calls,
 * references and comprehensions stand alone, or on one side of an equality.
 * blocks: "not" takes in all of its statement.
 */
bool bl_partial_flatten(struct bl_partial *pe, const struct bl_rego_body *body,
			int32_t base, bool blocks, struct bl_partial_list *out);

/* As above for a term of a head: what it needs goes to out. */
struct bl_rego_term *bl_partial_flatten_term(struct bl_partial *pe,
					     const struct bl_rego_term *t,
					     int32_t base,
					     struct bl_partial_list *out);

bool bl_partial_add(struct bl_partial *pe, struct bl_partial_list *list,
		    struct bl_rego_expr *statement);

/* ---- unknown.c ---------------------------------------------------------- */

/* Is it a saved variable, or a reference to or above what is not known? */
bool bl_partial_is_unknown(struct bl_partial *pe, struct bl_rego_term *t);

/* Has it a saved variable within? */
bool bl_partial_has_saved(struct bl_partial *pe, struct bl_rego_term *t);

/* Does it need what is not known, or rules that do? */
bool bl_partial_depends(struct bl_partial *pe,
			const struct bl_rego_expr *statement);
bool bl_partial_term_depends(struct bl_partial *pe, struct bl_rego_term *t);
bool bl_partial_body_depends(struct bl_partial *pe,
			     const struct bl_rego_body *body);

/* May the reference be to what is not known, once its variables have values? */
bool bl_partial_may_be_unknown(struct bl_partial *pe,
			       const struct bl_rego_term *ref);

/* Is something unknown at or above the reference's first count parts? */
bool bl_partial_covers(struct bl_partial *pe, const struct bl_rego_term *ref,
		       uint32_t count);

bool bl_partial_is_disabled(const struct bl_partial *pe,
			    const struct bl_rego_term *ref, uint32_t count,
			    bool ignore_internal);
bool bl_partial_disable(struct bl_partial *pe, const struct bl_rego_term *ref,
			bool internal);
void bl_partial_enable(struct bl_partial *pe,
		       size_t count); /* back to so many */

/* The rules of a node; NULL: memory, or an error. */
struct bl_partial_rules *bl_partial_rules_of(struct bl_partial *pe,
					     const struct bl_node *node);

/* ---- known.c ------------------------------------------------------------ */

/* All solutions of a statement that depends on nothing unknown. */
bool bl_partial_known(struct bl_partial *pe,
		      const struct bl_rego_expr *statement,
		      const struct bl_partial_next *next);

/* The value of a reference of constants; NULL with *ok: undefined. */
struct bl_rego_term *bl_partial_known_value(struct bl_partial *pe,
					    const struct bl_rego_term *ref,
					    uint32_t count, bool *ok);

/* ---- statements.c ------------------------------------------------------- */

/* Every way in which the statements hold. */
bool bl_partial_statements(struct bl_partial *pe,
			   const struct bl_partial_list *list,
			   const struct bl_partial_next *next);

/* Statements as they stand are a part of the result from here on. */
bool bl_partial_save(struct bl_partial *pe, struct bl_rego_expr *statement,
		     const struct bl_partial_next *next);
bool bl_partial_save_equality(struct bl_partial *pe, struct bl_rego_term *a,
			      struct bl_rego_term *b,
			      const struct bl_partial_next *next);

/* As bl_partial_save; variables of the term get values by it. */
bool bl_partial_save_marking(struct bl_partial *pe,
			     struct bl_rego_expr *statement,
			     struct bl_rego_term *gives,
			     const struct bl_partial_next *next);

/* A statement without "not" and "with". */
bool bl_partial_plain(struct bl_partial *pe, struct bl_rego_expr *statement,
		      const struct bl_partial_next *next);

/* The statements saved of the present query, with values in place. */
bool bl_partial_take_saved(struct bl_partial *pe, struct bl_partial_list *out);

/* ---- unify.c ------------------------------------------------------------ */

bool bl_partial_unify(struct bl_partial *pe, struct bl_rego_term *a,
		      struct bl_rego_term *b,
		      const struct bl_partial_next *next);
bool bl_partial_unify_lists(struct bl_partial *pe,
			    struct bl_rego_term *const *a,
			    struct bl_rego_term *const *b, size_t count,
			    const struct bl_partial_next *next);

/* ---- documents.c -------------------------------------------------------- */

/* A reference that is compared with other. */
struct bl_partial_ref {
	struct bl_rego_term *ref;
	struct bl_rego_term *other;
	const struct bl_partial_next *next;
	bool is_base; /* in data: other is on the left side of what is saved */
};

/* ref is not unknown as a whole. */
bool bl_partial_unify_ref(struct bl_partial *pe, struct bl_rego_term *ref,
			  struct bl_rego_term *other,
			  const struct bl_partial_next *next);

/* value is what ref's first `at` parts are. */
bool bl_partial_unify_value(struct bl_partial *pe,
			    const struct bl_partial_ref *asked, uint32_t at,
			    struct bl_rego_term *value);

/* ---- rules.c ------------------------------------------------------------ */

/* ref's part `at` is the name of a node with rules. */
bool bl_partial_unify_rules(struct bl_partial *pe,
			    const struct bl_partial_ref *asked, uint32_t at,
			    const struct bl_node *node);

/* One rule tried: its variables from base on. */
struct bl_partial_trial {
	const struct bl_resolved_rule *rule;
	int32_t base;
	struct bl_partial_list body;
	struct bl_rego_term *value;
	struct bl_rego_term **keys; /* as many as the rule has */
	struct bl_rego_term **args;
};
bool bl_partial_try(struct bl_partial *pe, const struct bl_partial_rules *rules,
		    size_t i, struct bl_partial_trial *out_trial);

/* The reference to the rule as it is written out. */
struct bl_rego_term *bl_partial_support_ref(struct bl_partial *pe,
					    const struct bl_rego_term *ref);

/* Evaluates statements as a query of their own. */
bool bl_partial_apart(struct bl_partial *pe, const struct bl_partial_list *list,
		      const struct bl_partial_next *next);

/* A rule to write out; body NULL: a default. */
struct bl_partial_support {
	const struct bl_node *node;
	const struct bl_rule *written; /* NULL: the default */
	struct bl_rego_term **args;
	size_t arg_count;
	struct bl_rego_term **keys;
	size_t key_count;
	struct bl_rego_term *contains;
	struct bl_rego_term *value;
	const struct bl_partial_list *body;
	bool raw; /* the body stays as it is */
};
bool bl_partial_add_support(struct bl_partial *pe,
			    const struct bl_partial_support *support);

/* As above for a rule that is not one of the policies'. */
bool bl_partial_add_made_support(struct bl_partial *pe, struct bl_str name,
				 struct bl_rego_term **args, size_t arg_count,
				 const struct bl_partial_list *body);

/* ---- functions.c -------------------------------------------------------- */

bool bl_partial_call(struct bl_partial *pe, struct bl_rego_expr *statement,
		     const struct bl_partial_next *next);

/* ---- negation.c --------------------------------------------------------- */

bool bl_partial_not(struct bl_partial *pe, struct bl_rego_expr *statement,
		    const struct bl_partial_next *next);
bool bl_partial_not_body(struct bl_partial *pe, struct bl_rego_expr *statement,
			 const struct bl_partial_next *next);
bool bl_partial_every(struct bl_partial *pe, struct bl_rego_expr *statement,
		      const struct bl_partial_next *next);

/* ---- propagate.c -------------------------------------------------------- */

/*
 * Takes variables out of list.  Those for which is_live is true stay, and have
 * a value in the end.
 */
struct bl_partial_live {
	bool (*is_live)(const struct bl_partial_live *live, int32_t id);
};
bool bl_partial_propagate(struct bl_partial *pe,
			  const struct bl_partial_live *live, bool not_empty,
			  struct bl_partial_list *list);

/* ---- result.c ----------------------------------------------------------- */

bool bl_partial_put_query(struct bl_partial *pe,
			  const struct bl_partial_list *list,
			  struct bl_rego_partial_query *out_query);
bool bl_partial_put_support(struct bl_partial *pe);

#endif

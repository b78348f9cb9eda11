/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/types/check_types.h: what the files of the type checker share.
 *
 *   check_types.c   statements, rules, and the order in which OPA looks at them
 *   type_calls.c    what calls take and give
 *   type_unify.c    types of terms, and what makes two terms equal
 *   type_env.c      what data and input are, and what "with" makes of them
 *   type_refs.c     references: what is behind them, and what can be in them
 *   type_order.c    which rules come first
 *   type_queries.c  queries, and calls with too many or too few operands
 *   type_errors.c   errors with OPA's texts
 *
 * It must accept exactly what OPA accepts, so its steps are followed: calls,
 * references and comprehensions inside of a term are "hoisted", that is, typed
 * before it as if a variable stood in their place.  REF and CALL keep that type
 * in the term, comprehensions in their body.
 */
#ifndef BELAY_REGO_COMPILER_TYPES_CHECK_TYPES_H
#define BELAY_REGO_COMPILER_TYPES_CHECK_TYPES_H

#include "rego/compiler/check/checks.h"
#include "rego/compiler/types/types.h"

struct bl_schema_scope; /* schema_scopes.c */

/* A step in a path below data or input that a "with" gave another type. */
struct layer_node {
	struct bl_value key;
	const struct bl_type *type; /* NULL: only a step on the way */
	struct layer_node *first_child;
	struct layer_node *next_sibling;
};

/* The target of one "with"; innermost first. */
struct layer {
	struct layer_node *data; /* NULL: nothing of it */
	struct layer_node *input;
	const struct layer *outer;
};

/* Rules that are of any type while a node is replaced; NULL: none. */
struct relaxed {
	const struct bl_node *node;
	struct layer_node *data;
	struct relaxed *next;
};

/* A variable that got a type inside of a closure, which ends with it. */
struct given_type {
	const struct bl_type **place;
	const struct bl_type *before;
};

struct checker {
	struct bl_compiler *compiler;
	struct bl_arena *arena;
	const struct bl_rego_module *module; /* NULL: a query */
	struct bl_signatures signatures;
	bool is_query;
	bool block_not; /* the module's "not" takes in all of its statement */

	/* Variables of the rule, by slot; the last one is of no name. */
	const struct bl_type **vars;
	size_t var_count;
	size_t var_cap;
	struct given_type *given;
	size_t given_count;
	size_t given_cap;
	size_t closures; /* around what is looked at */
	size_t repeats;  /* closures that are looked at again */

	const struct bl_type **results; /* by node: of its rules */
	bool *present;                  /* by node: it or one below has one */
	bool *replaced;                 /* by node: by some "with" */
	const struct layer *layers;
	struct relaxed *relaxed;
	const struct bl_schema_scope *scopes; /* of annotations; NULL: none */
};

/* count zeroed things of size bytes; NULL, noted in the compiler. */
void *bl_types_alloc(struct checker *checker, size_t count, size_t size);

/* ---- check_types.c ------------------------------------------------------- */

/* Variables without types; false: no memory. */
bool bl_types_begin_vars(struct checker *checker, int32_t slot_count);

/* The comprehensions in a term, which keep their types. */
void bl_types_check_closures(struct checker *checker,
			     struct bl_rego_term *term);

void bl_types_check_body(struct checker *checker,
			 const struct bl_rego_body *body);

/* ---- type_unify.c -------------------------------------------------------- */

/*
 * Where the type of a variable, or of what was hoisted, is kept; NULL for
 * other terms.
 */
const struct bl_type **bl_types_place(struct checker *checker,
				      struct bl_rego_term *term);

/* Gives a place a type, until the closure around it ends. */
void bl_types_give(struct checker *checker, const struct bl_type **place,
		   const struct bl_type *type);

/* Ends what was given since *given_count was that. */
void bl_types_take_back(struct checker *checker, size_t given_count);

/* NULL when it has no type yet. */
const struct bl_type *bl_types_of(struct checker *checker,
				  struct bl_rego_term *term);

/*
 * Can term have that type?  Variables without one get it; with "join", those
 * that have one may have either.
 */
bool bl_types_unify_term(struct checker *checker, struct bl_rego_term *term,
			 const struct bl_type *type, bool join);

bool bl_types_unify(struct checker *checker, struct bl_rego_term *a,
		    struct bl_rego_term *b);

/* ---- type_env.c ---------------------------------------------------------- */

/* A place below data or input: in a layer, or in the tree of rules. */
struct place {
	const struct layer_node *layer;
	const struct bl_node *node;
};

bool bl_type_place_exists(struct place place);
const struct bl_type *bl_type_place_type(const struct checker *checker,
					 struct place place);
struct place bl_type_place_child(const struct checker *checker,
				 struct place place, struct bl_value key);
struct place bl_type_place_first(const struct checker *checker,
				 struct place place);
struct place bl_type_place_next(const struct checker *checker,
				struct place place);

/* Data or input as a layer (NULL: the rules) knows it. */
struct place bl_type_place_root(const struct checker *checker,
				const struct layer *layer,
				const struct bl_rego_term *root);

/* Of a place and all below. */
const struct bl_type *bl_type_place_extent(struct checker *checker,
					   struct place place);

/* The type of a rule, beside what is known of the node and around it. */
void bl_types_insert(struct checker *checker, const struct bl_node *node,
		     const struct bl_type *type);

/* The step below *first, which is made when absent; NULL: no memory. */
struct layer_node *bl_types_step_to(struct checker *checker,
				    struct layer_node **first,
				    struct bl_value key);

/* A layer over those that there are; false without memory. */
bool bl_types_push(struct checker *checker, struct layer_node *data,
		   struct layer_node *input);

/* Pushes what the modifiers of expr replace; false without memory. */
bool bl_types_push_withs(struct checker *checker,
			 const struct bl_rego_expr *expr);

/* Does some "with" replace the node, or something above? */
bool bl_types_is_replaced(struct checker *checker, const struct bl_node *node);

/* ---- type_refs.c --------------------------------------------------------- */

bool bl_types_is_root(const struct bl_rego_term *term);

/* Reports what cannot be; gives types to the variables in its brackets. */
void bl_types_check_ref(struct checker *checker, struct bl_rego_term *ref);

/* NULL when absent. */
const struct bl_type *bl_types_of_ref(struct checker *checker,
				      struct bl_rego_term *ref);

/* ---- type_calls.c -------------------------------------------------------- */

/* "=" and ":="; "==" of rules, which OPA takes for "=". */
bool bl_types_is_equation(const struct checker *checker,
			  const struct bl_rego_term *term);

/* NULL: not known.  own is room for that of a rule. */
const struct bl_signature *bl_types_signature(struct checker *checker,
					      struct bl_rego_term *call,
					      struct bl_signature *own);

/*
 * Reports functions that stand in, by a "with", for those that take something
 * else; false then.
 */
bool bl_types_check_withs(struct checker *checker,
			  const struct bl_rego_expr *expr);

/* A call whose operands were hoisted; nested: its value is wanted. */
void bl_types_check_call(struct checker *checker, struct bl_rego_term *call,
			 bool nested);

/* ---- type_order.c -------------------------------------------------------- */

/* All nodes with rules, each behind those that it needs; NULL: no memory. */
const struct bl_node **bl_types_order(struct checker *checker,
				      size_t *out_count);

/* ---- schema_types.c ------------------------------------------------------ */

/* The type of a schema, in arena; NULL: *out_problem says why (empty: memory). */
const struct bl_type *bl_types_of_schema(struct bl_arena *arena,
					 struct bl_value schema,
					 struct bl_str *out_problem);

/* ---- schema_scopes.c ----------------------------------------------------- */

/*
 * Reads the schemas of the options, and those that annotations speak of; false
 * without memory.
 */
bool bl_types_read_schemas(struct checker *checker);

/*
 * Pushes what the schemas of one rule make of data and input; false without
 * memory.
 */
bool bl_types_push_schemas(struct checker *checker, const struct bl_node *node,
			   const struct bl_checked_rule *rule, bool is_else);

/* ---- type_errors.c ------------------------------------------------------- */

/* The first count parts of a reference. */
void bl_types_put_ref(struct checker *checker, struct bl_buf *out,
		      const struct bl_rego_term *ref, uint32_t count);

void bl_types_report_no_parts(struct checker *checker,
			      const struct bl_rego_term *ref, uint32_t at,
			      const struct bl_type *type);

/*
 * Part `at` cannot be inside of something of that type; have: its own type when
 * it is not a constant.
 */
void bl_types_report_part(struct checker *checker,
			  const struct bl_rego_term *ref, uint32_t at,
			  const struct bl_type *type,
			  const struct bl_type *have);

/*
 * A call, the types of its operands (NULL stands for what is not known) and
 * what it should have been.
 */
struct bl_wrong_call {
	const struct bl_rego_term *call;
	const struct bl_type *const *have;
	const struct bl_signature *signature;
	bool nested; /* its value is wanted, and is of no type yet */
	bool arity;  /* it has too many or too few of them */
};

void bl_types_report_args(struct checker *checker,
			  const struct bl_wrong_call *wrong);

/* have: of the function that stands in for target. */
void bl_types_report_stand_in(struct checker *checker,
			      const struct bl_rego_term *target,
			      const struct bl_type *have,
			      const struct bl_signature *signature);

void bl_types_report_match(struct checker *checker, uint32_t offset,
			   const struct bl_type *left,
			   const struct bl_type *right);

#endif

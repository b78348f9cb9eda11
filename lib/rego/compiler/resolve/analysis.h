/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/resolve/analysis.h: from trees as written to trees that can be
 * compiled.  Stages, one file each, in the order in which they run:
 *
 *   rule_tree.c  the tree of packages and rules
 *   resolve.c    names to variables (slots), rules, imports, builtins
 *   order.c      which statements can run when: safety and reordering
 *
 * Resolved nodes are copies in the compiler's arena; the parser's tree is left
 * as it was.
 */
#ifndef BELAY_REGO_COMPILER_RESOLVE_ANALYSIS_H
#define BELAY_REGO_COMPILER_RESOLVE_ANALYSIS_H

#include "rego/compiler/check/callables.h"
#include "rego/compiler/parse/parser.h"
#include "rego/runtime/program.h"

/* ---- rule tree ---------------------------------------------------------------- */

/* One rule of a node: the parser's, the module, the keys behind the node. */
struct bl_rule {
	const struct bl_rego_rule *syntax;
	const struct bl_rego_module *module;
	size_t module_index;
	size_t key_from; /* PARTIAL: index of the first dynamic head part */
	bool is_set;     /* contains */
	struct bl_rule *next;
};

struct bl_node {
	struct bl_value key;
	struct bl_node *parent;
	struct bl_node *first_child;
	struct bl_node *next_sibling;
	struct bl_node *last_child;
	struct bl_node **table; /* of many children: by hash of their keys */
	size_t table_size;      /* a power of two */
	size_t child_count;
	enum bl_rule_kind kind;
	bool is_package;
	uint32_t index;    /* in the program's table of nodes */
	uint32_t function; /* of the rules here */
	size_t arity;      /* FUNCTION */
	struct bl_rule *rules;
	struct bl_rule **rules_tail;
	const struct bl_rego_rule *default_rule;
	const struct bl_rego_module *default_module;
	struct bl_rule *more_defaults; /* there may be only one */
	uint32_t test_count;           /* rules that were tests of this name */
};

/* ---- compiler ----------------------------------------------------------------- */

/* The targets of a "with". */
struct bl_with_target {
	const struct bl_rego_term *target;
	struct bl_with_target *next;
};

enum bl_rego_finding {
#define FINDING(name, code, stage, ends) BL_FINDING_##name,
#include "rego/compiler/resolve/findings.def"
#undef FINDING
};

/* The errors so far (findings.c). */
struct bl_findings {
	struct bl_finding_note *first; /* the latest */
	size_t count;
	size_t ending_count; /* of those that no further stage follows */
};

struct bl_compiler {
	struct bl_arena *arena;
	struct bl_diags *diags; /* what is reported in the end */
	struct bl_findings findings;
	struct bl_diag_source query; /* what errors without a module are in */
	struct bl_rego_compile_options options;
	const struct bl_callables *callables; /* NULL: the tables */
	const struct bl_rego_module *const *modules;
	size_t module_count;
	struct bl_node *root;
	uint32_t node_count;
	struct bl_need **needs;           /* by node; checks.h */
	struct bl_checked_rule **checked; /* the same */
	const struct bl_node **order; /* a node stands before those it needs */
	struct bl_with_target *with_targets;
	struct bl_rego_test *tests; /* options.tests */
	size_t test_count;
	size_t test_cap;
	bool failed_memory;
};

/* Notes an error at a byte offset of module; NULL: of the query. */
void bl_compiler_error(struct bl_compiler *compiler,
		       const struct bl_rego_module *module, uint32_t offset,
		       enum bl_rego_finding kind, const char *fmt, ...)
	BL_PRINTF(5, 6);

/* Adds the errors that OPA would report to compiler->diags, by place. */
void bl_findings_report(struct bl_compiler *compiler);

/* tree.c: fills compiler->root. */
bool bl_analysis_build_tree(struct bl_compiler *compiler);
struct bl_node *bl_node_find_child(const struct bl_node *node,
				   struct bl_value key);

/* As above, and makes one that is missing; NULL without memory. */
struct bl_node *bl_node_make_child(struct bl_compiler *compiler,
				   struct bl_node *parent, struct bl_value key);

/* Of a module's package; NULL: the tree has no rule of it. */
struct bl_node *bl_package_node(const struct bl_compiler *compiler,
				const struct bl_rego_module *module);

/* "data.a.b" of a node. */
struct bl_str bl_node_path(const struct bl_compiler *compiler,
			   const struct bl_node *node);

/* ---- tests (tests.c) --------------------------------------------------------- */

/* The first constant part of a head's name that names a test. */
bool bl_test_find_part(const struct bl_rego_term *name, uint32_t *out_part);

/*
 * Notes the rule as a test of a package (options.tests).  Gives the rule that
 * the tree gets: with a name of its own when there was one of that name.
 */
const struct bl_rego_rule *bl_test_add(struct bl_compiler *compiler,
				       struct bl_node *package,
				       const struct bl_rule *rule);

/* ---- resolved rules ------------------------------------------------------------- */

enum { BL_SLOT_NONE = -1 };

/* A body as written, and the terms of the head in front of it. */
struct bl_written_body {
	const struct bl_rego_body *body;
	struct bl_rego_term *const *heads;
	size_t head_count;
	const struct bl_rego_term *value; /* one more; NULL: none */
};

/*
 * The slot of a resolved VAR; >= 0.  Roots are VARs named "data" and "input"
 * with BL_SLOT_NONE; slots below that stand for registers of the emitter.
 */
struct bl_resolver {
	struct bl_compiler *compiler;
	const struct bl_rego_module *module; /* NULL: a query without one */
	/* A query's: the module whose imports it sees; may be NULL. */
	const struct bl_rego_module *query_scope;
	struct bl_node *package;
	int32_t slot_count;
	struct bl_str *slot_names; /* for messages; grows */
	size_t slot_cap;
	struct bl_rego_scope *scope;
	struct bl_written_body next;    /* heads of the next body */
	struct bl_written_body present; /* being resolved */
	bool block_not;     /* "not" takes in all of its expression */
	bool calls_nothing; /* a call has no function: nothing is resolved */
	const struct bl_bound *body_bound; /* before the body being ordered */
};

struct bl_resolved_rule {
	struct bl_rego_term **args; /* patterns */
	size_t arg_count;
	struct bl_rego_term **keys; /* PARTIAL: dynamic head parts */
	size_t key_count;
	struct bl_rego_term *value; /* NULL: true; PARTIAL set: the member */
	struct bl_rego_body *body;  /* NULL: none */
	struct bl_resolved_rule *else_rule;
	int32_t slot_count; /* of the whole chain */
	const struct bl_rego_rule *syntax;
};

/* Resolves one rule (with its else chain) into slots of resolver. */
struct bl_resolved_rule *bl_resolve_rule(struct bl_resolver *resolver,
					 const struct bl_rule *rule);

/*
 * Can a reference be to what the rule gives?  parts are those behind the
 * rule's node; constants among them (and names that known tells of, which may
 * be NULL) have to be the keys of its head.
 */
struct bl_known;
bool bl_rule_is_reached(struct bl_compiler *compiler,
			const struct bl_resolved_rule *rule,
			struct bl_rego_term *const *parts, size_t count,
			const struct bl_known *known);

/* A query: its body; *out_names and slots of the variables that it names. */
struct bl_rego_body *bl_resolve_query(struct bl_resolver *resolver,
				      const struct bl_rego_body *body,
				      struct bl_str **out_names,
				      int32_t **out_slots, size_t *out_count);

/* Is term the root of that name ("data", "input")? */
bool bl_term_is_root(const struct bl_rego_term *term, const char *name);

/* The builtin that a resolved CALL calls, or NULL for a rule's function. */
const struct bl_builtin *bl_call_builtin(const struct bl_rego_term *call);

/* The node of a resolved user function call; NULL when absent. */
struct bl_node *bl_call_node(const struct bl_compiler *compiler,
			     const struct bl_rego_term *call);

/* Does an import make "not" take in all of its expression? */
bool bl_module_has_block_not(const struct bl_rego_module *module);

/* ---- annotations ------------------------------------------------------------------- */

/* How a syntax tree has the references of annotations, which are texts. */
struct bl_annotation_refs {
	struct bl_value (*write)(const struct bl_annotation_refs *refs,
				 const struct bl_rego_module *text,
				 const struct bl_rego_term *ref,
				 bool with_places);
};

/*
 * An annotation as it was read, written out: for a syntax tree, or for
 * rego.metadata where refs is NULL.
 */
struct bl_value bl_annotation_write_out(struct bl_arena *arena,
					struct bl_value read,
					const char *default_scope,
					const struct bl_annotation_refs *refs);

/*
 * The value of rego.metadata.rule (or chain) inside of this rule
 * (docs/contracts/rego.md "Metadata"): without annotations an empty object, and
 * a chain of the rule alone.
 */
struct bl_value bl_annotations_of(struct bl_compiler *compiler,
				  const struct bl_rego_module *module,
				  const struct bl_rule *rule, bool chain);

/* ---- safety --------------------------------------------------------------------- */

/* The set of slots that have a value at some point. */
struct bl_bound {
	uint64_t *words;
	size_t word_count;
};

bool bl_bound_has(const struct bl_bound *bound, int32_t slot);
void bl_bound_add(struct bl_bound *bound, int32_t slot);
struct bl_bound bl_bound_copy(struct bl_arena *arena,
			      const struct bl_bound *bound);
struct bl_bound bl_bound_new(struct bl_arena *arena, int32_t slot_count);

/*
 * Puts the statements of body in an order in which each can run, and adds to
 * bound what they bind.  Errors ("var X is unsafe") are reported once for each
 * variable; false then.
 */
bool bl_order_body(struct bl_resolver *resolver, struct bl_rego_body *body,
		   struct bl_bound *bound);

/* As above without a message; the statements stay as they are when it fails. */
bool bl_order_try_body(struct bl_resolver *resolver, struct bl_rego_body *body,
		       struct bl_bound *bound);

/*
 * Can all terms of a head be evaluated, one of which may bind what another
 * needs?  Reports what has no value.
 */
bool bl_order_heads(struct bl_resolver *resolver,
		    struct bl_rego_term *const *terms, size_t count,
		    struct bl_bound *bound);

/* Can term be evaluated?  Adds what evaluating it binds. */
bool bl_order_value(struct bl_resolver *resolver,
		    const struct bl_rego_term *term, struct bl_bound *bound);

/* ---- statements, for code and plans (statements.c) ----------------------------- */

/* Has term a variable without a value, outside of closures? */
bool bl_bound_leaves_free(const struct bl_bound *bound,
			  const struct bl_rego_term *term);

/* Can term be evaluated with what is bound?  False also without memory. */
bool bl_bound_makes_ready(struct bl_resolver *resolver,
			  const struct bl_bound *bound,
			  const struct bl_rego_term *term);

/* Can a and b, or parts of them that face each other, be made equal now? */
bool bl_bound_can_unify(struct bl_resolver *resolver,
			const struct bl_bound *bound,
			const struct bl_rego_term *a,
			const struct bl_rego_term *b);

/* Two arrays of one length, or objects with the same constant keys. */
bool bl_terms_have_same_shape(const struct bl_rego_term *a,
			      const struct bl_rego_term *b);

/* Is it evaluated before a plain "not" (docs/contracts/rego.md "Negation")? */
bool bl_term_is_pulled_out(const struct bl_rego_term *term, bool of_equality);

#endif

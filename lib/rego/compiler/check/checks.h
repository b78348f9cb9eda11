/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/check/checks.h: what is refused although it could be run.  Each
 * reports into the compiler's diagnostics, with OPA's codes and messages.
 *
 *   check_names.c      names declared twice or too late, shadowed roots, imports
 *   check_conflicts.c  rules that cannot stand beside or above others
 *   check_rules.c      calls, references and "with" of resolved rules
 *   check_recursion.c  rules that need themselves
 *   check_types.c      values that no call takes, parts that nothing has
 */
#ifndef BELAY_REGO_COMPILER_CHECK_CHECKS_H
#define BELAY_REGO_COMPILER_CHECK_CHECKS_H

#include "rego/compiler/resolve/resolve.h"

struct bl_rule_types; /* below */
struct layer;         /* check_types.h */

/* Checks every module as it was written; false when anything is wrong. */
bool bl_check_names(struct bl_compiler *compiler);

/* "data.p[x].q": the node, and the parts of the rule's head behind it. */
void bl_put_rule_path(struct bl_buf *out, const struct bl_compiler *compiler,
		      const struct bl_node *node, const struct bl_rule *rule);

/* Checks the tree of rules. */
bool bl_check_conflicts(struct bl_compiler *compiler);

/*
 * Checks one resolved rule (with its else chain) and notes in the compiler
 * which nodes it needs.
 */
void bl_check_rule(struct bl_compiler *compiler, const struct bl_node *node,
		   const struct bl_rule *rule,
		   const struct bl_resolved_rule *resolved);

/*
 * Calls of nothing else but known functions stand where no value is wanted,
 * "with" replaces what can be replaced, and so on, in a query's body.
 */
void bl_check_query(struct bl_resolver *resolver,
		    const struct bl_rego_body *body,
		    const struct bl_rule_types *types);

/* "$0 = ...", which stands for a statement of a query that has a value. */
bool bl_rego_is_shown_statement(const struct bl_rego_term *term);

/* ---- who needs whom (check_recursion.c) --------------------------------- */

/* The node `from` needs `to`, through a reference of the rule at `offset`. */
struct bl_need {
	uint32_t to; /* index of a node */
	const struct bl_rego_module *module;
	uint32_t offset;
	struct bl_need *next; /* of the same node */
};

void bl_needs_add(struct bl_compiler *compiler, const struct bl_node *from,
		  const struct bl_node *to, const struct bl_rule *rule);

/*
 * Rule by rule what one needs: gives reach each rule that references in it can
 * be to.  For when nodes need each other, since one rule of a node need not
 * need another (p[x].a and p[x].b).
 */
struct bl_checked_rule;
struct bl_reached {
	void (*reach)(struct bl_reached *reached,
		      const struct bl_checked_rule *rule);
};
void bl_each_reached(struct bl_compiler *compiler, const struct bl_node *node,
		     const struct bl_checked_rule *from,
		     struct bl_reached *reached);

/* Reports every rule that needs itself; fills compiler->order. */
bool bl_check_recursion(struct bl_compiler *compiler);

/* ---- names that stand for constants (known_values.c) -------------------- */

enum { BL_KNOWN_MAX = 64 }; /* of a name; more are as good as unknown */

struct bl_known_name {
	int32_t slot;
	const struct bl_rego_term **terms; /* constants: one of them it is */
	size_t count;
};

struct bl_known {
	struct bl_known_name *names;
	size_t count;
	size_t cap;
};

/* The facts about names that a statement adds to those known before it. */
void bl_known_learn(struct bl_compiler *compiler, struct bl_known *known,
		    const struct bl_rego_expr *expr);

/* NULL: term is not a name, or may be anything. */
const struct bl_known_name *bl_known_find(const struct bl_known *known,
					  const struct bl_rego_term *term);

/* As above for a part of constants in brackets, too: [["a", "b"][_]]. */
bool bl_known_values(struct bl_compiler *compiler, const struct bl_known *known,
		     const struct bl_rego_term *term,
		     struct bl_known_name *out_values);

/* ---- types (check_types.c) ---------------------------------------------- */

/* A rule that was resolved, as bl_check_rule noted it. */
struct bl_checked_rule {
	const struct bl_rego_module *module;
	const struct bl_rego_rule *syntax;
	const struct bl_resolved_rule *resolved;
	bool is_set;
	uint32_t number;              /* in a search for cycles */
	struct bl_checked_rule *next; /* of the same node */
};

/*
 * The types of rules, for queries about them: in the arena of the
 * compiler, read only.  Programs of images and plans do without.
 */
struct bl_rule_types {
	const struct bl_type **results; /* by node: of its rules */
	bool *present;                  /* by node: it or one below has one */
	struct bl_need **needs;         /* those of the compiler */
	const struct bl_node **order;
	const struct layer *layers; /* the type of input, by a schema */
};

/*
 * Checks the types of all rules, whose bodies must be in order by now; needs
 * compiler->order.  NULL when anything is wrong.
 */
const struct bl_rule_types *bl_check_types(struct bl_compiler *compiler);

/* Where a call stands, and what is known of rules there (NULL: nothing). */
struct bl_arity_check {
	struct bl_compiler *compiler;
	const struct bl_rego_module *module;
	const struct bl_rule_types *types;
	int32_t slot_count;
};

/*
 * Reports a call with another number of operands than its function; nested: its
 * value is wanted, so that none of them may stand for that.
 */
void bl_check_arity(const struct bl_arity_check *check,
		    const struct bl_rego_term *call, bool nested);

/*
 * Checks a query's body, in order by now, against types; NULL: rules may be of
 * any type.
 */
void bl_check_query_types(struct bl_resolver *resolver,
			  const struct bl_rego_body *body,
			  const struct bl_rule_types *types);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/emit/rule_index_choose.h: what must hold of one value before a rule can.
 *
 * A condition of a rule is a statement of its body that compares a value that is
 * known outside of the rule (a part of input, an argument of the function, or
 * a plain builtin of such) with constants: x == "a", x in {"a", "b"},
 * startswith(x, "a"), a glob or a regular expression that needs some text.
 * Rules with conditions on the same value are found through one rule index
 * (rule_index.h) instead of being tried one after the other.
 */
#ifndef BELAY_REGO_COMPILER_EMIT_RULE_INDEX_CHOOSE_H
#define BELAY_REGO_COMPILER_EMIT_RULE_INDEX_CHOOSE_H

#include "rego/compiler/emit/private.h"

enum bl_condition_kind {
	BL_CONDITION_EQUAL,  /* it is this value */
	BL_CONDITION_PREFIX, /* it is a string that begins with this text */
	BL_CONDITION_SUFFIX,
	BL_CONDITION_PART, /* it is a string that contains this text */
	BL_CONDITION_KIND_COUNT
};

/* One of the things of which one must hold. */
struct bl_condition_item {
	enum bl_condition_kind kind;
	struct bl_value value;
};

struct bl_condition {
	struct bl_rego_term *subject; /* can be evaluated outside of the rule */
	struct bl_str key;            /* equal for equal subjects */
	struct bl_condition_item *items;
	size_t item_count;
	struct bl_condition *next;
};

/*
 * The conditions of a rule whose body is in order.  Statements behind one that
 * could end the evaluation (a call of a rule, a conflict) give none: leaving
 * out the rule must not leave out its error.
 */
struct bl_condition *bl_conditions_of(struct bl_emitter *e,
				      const struct bl_resolved_rule *rule);

/* Can evaluating the term end the evaluation (calls of rules, conflicts)? */
bool bl_emit_can_fail(struct bl_emitter *e, const struct bl_rego_term *term);

/* As above for a statement. */
bool bl_emit_can_end(struct bl_emitter *e, const struct bl_rego_expr *expr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: rules.  The conditions of a rule are put in the place of a reference
 * to it, or the rule is written out as support, when its default or its whole set is
 * needed, or when that was asked for.
 */
#include "rego/partial/private.h"

/* ---- trying one rule ------------------------------------------------------------ */

static bool head_terms(struct bl_partial *pe, struct bl_partial_trial *trial)
{
	const struct bl_resolved_rule *rule = trial->rule;

	trial->keys = bl_arena_new_array(pe->arena, struct bl_rego_term *,
					 rule->key_count + 1);
	trial->args = bl_arena_new_array(pe->arena, struct bl_rego_term *,
					 rule->arg_count + 1);
	if (!trial->keys || !trial->args)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < rule->key_count; i++) {
		trial->keys[i] = bl_partial_flatten_term(
			pe, rule->keys[i], trial->base, &trial->body);
		if (!trial->keys[i])
			return false;
	}
	for (size_t i = 0; i < rule->arg_count; i++) {
		trial->args[i] =
			bl_partial_rename(pe, rule->args[i], trial->base);
		if (!trial->args[i])
			return false;
	}
	trial->value =
		rule->value ? bl_partial_flatten_term(pe, rule->value,
						      trial->base, &trial->body)
			    : bl_partial_constant(pe, bl_value_boolean(true));
	return trial->value != NULL;
}

bool bl_partial_try(struct bl_partial *pe, const struct bl_partial_rules *rules,
		    size_t i, struct bl_partial_trial *out_trial)
{
	const struct bl_resolved_rule *rule = rules->rules[i];

	*out_trial = (struct bl_partial_trial){
		.rule = rule,
		.base = bl_partial_new_vars(pe, (size_t)rules->slots[i]),
	};
	return out_trial->base >= 0 &&
	       (!rule->body ||
		bl_partial_flatten(
			pe, rule->body, out_trial->base,
			bl_module_has_block_not(rules->written[i]->module),
			&out_trial->body)) &&
	       head_terms(pe, out_trial);
}

bool bl_partial_apart(struct bl_partial *pe, const struct bl_partial_list *list,
		      const struct bl_partial_next *next)
{
	struct bl_partial_withs withs = pe->withs;
	size_t from = pe->saved_from;
	bool ok;

	pe->saved_from = pe->saved.count;
	pe->withs.saved_count = 0;
	ok = bl_partial_statements(pe, list, next);
	pe->withs = withs;
	pe->saved_from = from;
	return ok;
}

/* ---- writing rules out ------------------------------------------------------------ */

struct bl_rego_term *bl_partial_support_ref(struct bl_partial *pe,
					    const struct bl_rego_term *ref)
{
	struct bl_rego_term *longer =
		bl_partial_term(pe, BL_TERM_REF, ref->count + 1);

	if (!longer)
		return NULL;
	longer->as.items[0] = ref->as.items[0];
	longer->as.items[1] =
		bl_partial_constant(pe, bl_value_string(BL_STR("partial")));
	memcpy(longer->as.items + 2, ref->as.items + 1,
	       (ref->count - 1) * sizeof(*ref->as.items));
	return longer->as.items[1] ? longer : NULL;
}

struct writing {
	struct bl_partial_next next;
	const struct bl_node *node;
	const struct bl_rule *written;
	const struct bl_partial_trial *trial;
	struct bl_partial_rules *rules;
};

struct head_live {
	struct bl_partial_live live;
	struct bl_partial_visitor visitor;
	const struct bl_partial_trial *trial;
	struct bl_rego_term **terms;
	size_t count;
	int32_t asked;
	bool found;
};

static void see_live(struct bl_partial_visitor *visitor,
		     const struct bl_rego_term *var)
{
	struct head_live *live =
		(struct head_live *)((char *)visitor -
				     offsetof(struct head_live, visitor));

	live->found |= var->slot == live->asked;
}

static bool is_in_head(const struct bl_partial_live *base, int32_t id)
{
	struct head_live *live = (struct head_live *)(uintptr_t)base;

	live->asked = id;
	live->found = false;
	for (size_t i = 0; i < live->count; i++)
		bl_partial_each_var(&live->visitor, live->terms[i]);
	return live->found;
}

/* A way in which the body holds: one rule of the support. */
static bool write_rule(struct bl_partial *pe,
		       const struct bl_partial_next *next)
{
	const struct writing *one = (const struct writing *)next;
	const struct bl_resolved_rule *rule = one->trial->rule;
	struct bl_partial_list body;
	struct bl_partial_support support = {
		.node = one->node,
		.written = one->written,
		.key_count = rule->key_count,
		.body = &body,
	};
	struct head_live live = {
		.live = { is_in_head },
		.visitor = { see_live, true, false },
	};

	live.terms = bl_arena_new_array(pe->arena, struct bl_rego_term *,
					rule->key_count + 1);
	if (!live.terms)
		return bl_partial_no_memory(pe);
	if (!bl_partial_take_saved(pe, &body))
		return false;
	for (size_t i = 0; i < rule->key_count; i++)
		live.terms[i] = bl_partial_plug(pe, one->trial->keys[i]);
	live.terms[rule->key_count] = bl_partial_plug(pe, one->trial->value);
	live.count = rule->key_count + 1;
	if (pe->status)
		return false;
	support.keys = live.terms;
	if (one->written->is_set)
		support.contains = live.terms[rule->key_count];
	else
		support.value = live.terms[rule->key_count];
	one->rules->has_support = true;
	if (!pe->options->shallow &&
	    !bl_partial_propagate(pe, &live.live, true, &body))
		return false;
	return bl_partial_add_support(pe, &support);
}

/* All rules of the node, once. */
static bool write_rules(struct bl_partial *pe, const struct bl_node *node,
			struct bl_partial_rules *rules)
{
	if (rules->is_written)
		return true;
	rules->is_written = true;
	for (size_t i = 0; i < rules->count; i++) {
		struct bl_partial_trial trial;
		struct writing one = {
			{ write_rule }, node, rules->written[i], &trial, rules
		};

		if (!bl_partial_try(pe, rules, i, &trial) ||
		    !bl_partial_apart(pe, &trial.body, &one.next))
			return false;
	}
	if (rules->default_value) {
		const struct bl_partial_support support = {
			.node = node, .value = rules->default_value
		};

		rules->has_support = true;
		return bl_partial_add_support(pe, &support);
	}
	return true;
}

/* ---- complete rules ------------------------------------------------------------------ */

static bool save_ref(struct bl_partial *pe, const struct bl_partial_ref *asked)
{
	struct bl_rego_term *ref = bl_partial_plug(pe, asked->ref);

	return ref &&
	       bl_partial_save_equality(pe, ref, asked->other, asked->next);
}

static bool save_support(struct bl_partial *pe,
			 const struct bl_partial_ref *asked)
{
	struct bl_rego_term *ref = bl_partial_plug(pe, asked->ref);
	struct bl_rego_term *support =
		ref ? bl_partial_support_ref(pe, ref) : NULL;

	return support &&
	       bl_partial_save_equality(pe, support, asked->other, asked->next);
}

struct tried {
	struct bl_partial_next next;
	const struct bl_partial_ref *asked;
	uint32_t at; /* index of the first part that is still to be matched */
	struct bl_rego_term *value;
};

static bool go_on(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct tried *one = (const struct tried *)next;

	return bl_partial_unify_value(pe, one->asked, one->at, one->value);
}

/* Is the default of account, whatever it is compared with? */
static bool needs_default(struct bl_partial *pe,
			  const struct bl_partial_ref *asked,
			  const struct bl_partial_rules *rules)
{
	struct bl_rego_term *other;

	if (!rules->default_value)
		return false;
	other = bl_partial_plug(pe, asked->other);
	return !other || other->kind != BL_TERM_SCALAR ||
	       bl_partial_equal(other, rules->default_value);
}

static bool complete(struct bl_partial *pe, const struct bl_partial_ref *asked,
		     uint32_t at, const struct bl_node *node,
		     struct bl_partial_rules *rules)
{
	if (needs_default(pe, asked, rules) || pe->options->shallow ||
	    bl_partial_is_disabled(pe, asked->ref, at + 1, false)) {
		if (!write_rules(pe, node, rules))
			return false;
		return rules->has_support ? save_support(pe, asked) : true;
	}
	for (size_t i = 0; i < rules->count; i++) {
		struct bl_partial_trial trial;
		struct tried one = { { go_on }, asked, at + 1, NULL };

		if (!bl_partial_try(pe, rules, i, &trial))
			return false;
		one.value = trial.value;
		if (!bl_partial_statements(pe, &trial.body, &one.next))
			return false;
	}
	return true;
}

/* ---- sets and objects ----------------------------------------------------------------- */

struct partial {
	struct bl_partial_next next;
	const struct bl_partial_ref *asked;
	uint32_t at; /* of the first part behind the node's name */
	const struct bl_partial_trial *trial;
	struct bl_rego_term **keys; /* with the member of a set */
	size_t key_count;
	bool is_set;
	const struct bl_partial_next *after; /* once keys are equal */
};

/* Goes on with the rule's value, below the keys that were asked for. */
static bool go_on_below(struct bl_partial *pe,
			const struct bl_partial_next *next)
{
	const struct partial *one = (const struct partial *)next;
	uint32_t rest = one->asked->ref->count - one->at;
	struct bl_rego_term *value =
		one->is_set ? one->keys[one->key_count - 1] : one->trial->value;
	size_t at = one->key_count;

	if (one->is_set && rest < one->key_count) {
		struct bl_rego_term *set = bl_partial_term(pe, BL_TERM_SET, 1);

		if (!set)
			return false;
		set->as.items[0] = value;
		value = set;
		at--;
	}
	for (; at > rest; at--) {
		struct bl_rego_term *object =
			bl_partial_term(pe, BL_TERM_OBJECT, 2);

		if (!object)
			return false;
		object->as.items[0] = one->keys[at - 1];
		object->as.items[1] = value;
		value = object;
	}
	return bl_partial_unify_value(pe, one->asked, one->at + (uint32_t)at,
				      value);
}

static bool unify_keys(struct bl_partial *pe,
		       const struct bl_partial_next *next)
{
	const struct partial *one = (const struct partial *)next;
	const struct bl_rego_term *ref = one->asked->ref;
	size_t rest = ref->count - one->at;

	return bl_partial_unify_lists(
		pe, ref->as.items + one->at, one->keys,
		rest < one->key_count ? rest : one->key_count, one->after);
}

static bool run_body(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct partial *one = (const struct partial *)next;

	return bl_partial_statements(pe, &one->trial->body, one->after);
}

/* Is a key that is asked for not known?  Then the body comes first. */
static bool has_unknown_key(struct bl_partial *pe,
			    const struct bl_rego_term *ref, uint32_t at)
{
	for (uint32_t i = at; i < ref->count; i++)
		if (bl_partial_term_depends(pe, ref->as.items[i]))
			return true;
	return false;
}

static bool one_of(struct bl_partial *pe, const struct partial *one)
{
	struct partial below = *one;
	struct partial body = *one;
	struct partial keys = *one;

	below.next.go = go_on_below;
	keys.next.go = unify_keys;
	if (has_unknown_key(pe, one->asked->ref, one->at)) {
		keys.after = &below.next;
		return bl_partial_statements(pe, &one->trial->body, &keys.next);
	}
	body.next.go = run_body;
	body.after = &below.next;
	keys.after = &body.next;
	return unify_keys(pe, &keys.next);
}

static bool each_of(struct bl_partial *pe, const struct bl_partial_ref *asked,
		    uint32_t at, const struct bl_partial_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct bl_partial_trial trial;
		struct partial one = { .asked = asked,
				       .at = at + 1,
				       .trial = &trial,
				       .is_set = rules->written[i]->is_set };

		if (!bl_partial_try(pe, rules, i, &trial))
			return false;
		one.key_count = trial.rule->key_count;
		one.keys = bl_arena_new_array(pe->arena, struct bl_rego_term *,
					      one.key_count + 2);
		if (!one.keys)
			return bl_partial_no_memory(pe);
		for (size_t j = 0; j < one.key_count; j++)
			one.keys[j] = trial.keys[j];
		if (one.is_set)
			one.keys[one.key_count++] = trial.value;
		if (!one_of(pe, &one))
			return false;
	}
	return true;
}

static bool partial(struct bl_partial *pe, const struct bl_partial_ref *asked,
		    uint32_t at, const struct bl_node *node,
		    struct bl_partial_rules *rules)
{
	bool whole = asked->ref->count == at + 1;
	struct bl_rego_term *empty;

	if (!whole && !pe->options->shallow &&
	    !bl_partial_is_disabled(pe, asked->ref, at + 1, false))
		return each_of(pe, asked, at, rules);
	if (!write_rules(pe, node, rules))
		return false;
	if (rules->has_support)
		return save_support(pe, asked);
	if (!whole)
		return true;
	empty = bl_partial_constant(
		pe, rules->written[0]->is_set
			    ? bl_set_make(pe->arena, NULL, 0)
			    : bl_object_make(pe->arena, NULL, 0, NULL));
	return empty &&
	       bl_partial_save_equality(pe, empty, asked->other, asked->next);
}

bool bl_partial_unify_rules(struct bl_partial *pe,
			    const struct bl_partial_ref *asked, uint32_t at,
			    const struct bl_node *node)
{
	struct bl_partial_rules *rules = bl_partial_rules_of(pe, node);
	struct bl_rego_term *ref = bl_partial_plug(pe, asked->ref);
	struct bl_rego_term *value;
	bool ok;

	if (!rules || !ref)
		return false;
	if (node->kind == BL_RULE_FUNCTION)
		return true;
	if (!bl_partial_term_depends(pe, ref)) {
		value = pe->status
				? NULL
				: bl_partial_known_value(pe, ref, at + 1, &ok);
		if (!value)
			return !pe->status && ok;
		return bl_partial_unify_value(pe, asked, at + 1, value);
	}
	if (rules->has_else || node->first_child)
		return save_ref(pe, asked);
	return node->kind == BL_RULE_PARTIAL
		       ? partial(pe, asked, at, node, rules)
		       : complete(pe, asked, at, node, rules);
}

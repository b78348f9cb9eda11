/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: calls of rules' functions.  The body is put in the place of
 * the call, or the function is written out where its default may be needed.
 */
#include "rego/partial/private.h"

struct called {
	struct bl_partial_next next;
	const struct bl_partial_trial *trial;
	struct bl_rego_term *result; /* NULL: it must hold */
	const struct bl_partial_next *after;
};

static bool is_false(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_SCALAR &&
	       bl_value_equal(t->as.value, bl_value_boolean(false));
}

/* The body holds: what is its value? */
static bool returned(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct called *one = (const struct called *)next;
	struct bl_rego_term *value = bl_partial_deref(pe, one->trial->value);

	if (one->result)
		return bl_partial_unify(pe, value, one->result, one->after);
	if (bl_partial_is_unknown(pe, value))
		return bl_partial_save_marking(pe, bl_partial_expr(pe, value),
					       NULL, one->after);
	return is_false(value) ? true : bl_partial_go(pe, one->after);
}

static bool args_fit(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct called *one = (const struct called *)next;

	return bl_partial_statements(pe, &one->trial->body, one->after);
}

static bool in_place(struct bl_partial *pe, const struct bl_rego_term *call,
		     const struct bl_partial_rules *rules,
		     struct bl_rego_term *result,
		     const struct bl_partial_next *next)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct bl_partial_trial trial;
		struct called body = { { returned }, &trial, result, next };
		struct called args = {
			{ args_fit }, &trial, result, &body.next
		};

		if (!bl_partial_try(pe, rules, i, &trial) ||
		    !bl_partial_unify_lists(pe, call->as.items + 1, trial.args,
					    trial.rule->arg_count, &args.next))
			return false;
	}
	return true;
}

/* ---- written out ---------------------------------------------------------------- */

struct writing {
	struct bl_partial_next next;
	const struct bl_node *node;
	const struct bl_partial_trial *trial;
	const struct bl_rule *written;
	struct bl_partial_rules *rules;
};

static bool plug_all(struct bl_partial *pe, struct bl_rego_term *const *from,
		     size_t count, struct bl_rego_term ***out_terms)
{
	*out_terms =
		bl_arena_new_array(pe->arena, struct bl_rego_term *, count + 1);
	if (!*out_terms)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < count; i++) {
		(*out_terms)[i] = bl_partial_plug(pe, from[i]);
		if (!(*out_terms)[i])
			return false;
	}
	return true;
}

static bool write_function(struct bl_partial *pe,
			   const struct bl_partial_next *next)
{
	const struct writing *one = (const struct writing *)next;
	struct bl_partial_list body;
	struct bl_partial_support support = {
		.node = one->node,
		.written = one->written,
		.arg_count = one->trial->rule->arg_count,
		.body = &body,
	};

	one->rules->has_support = true;
	support.value = bl_partial_plug(pe, one->trial->value);
	return support.value && bl_partial_take_saved(pe, &body) &&
	       plug_all(pe, one->trial->args, support.arg_count,
			&support.args) &&
	       bl_partial_add_support(pe, &support);
}

struct arguments {
	struct bl_partial_visitor visitor;
	struct bl_partial *pe;
	int change;
};

static void change_saved(struct bl_partial_visitor *visitor,
			 const struct bl_rego_term *var)
{
	const struct arguments *args = (const struct arguments *)visitor;

	args->pe->vars[var->slot].saved += (uint32_t)args->change;
}

static bool write_functions(struct bl_partial *pe, const struct bl_node *node,
			    struct bl_partial_rules *rules)
{
	if (rules->is_written)
		return true;
	rules->is_written = true;
	for (size_t i = 0; i < rules->count; i++) {
		struct arguments args = { { change_saved, true, false },
					  pe,
					  1 };
		struct bl_partial_trial trial;
		struct writing one = { { write_function },
				       node,
				       &trial,
				       rules->written[i],
				       rules };
		bool ok;

		if (!bl_partial_try(pe, rules, i, &trial))
			return false;
		for (size_t j = 0; j < trial.rule->arg_count; j++)
			bl_partial_each_var(&args.visitor, trial.args[j]);
		ok = bl_partial_apart(pe, &trial.body, &one.next);
		args.change = -1;
		for (size_t j = 0; j < trial.rule->arg_count; j++)
			bl_partial_each_var(&args.visitor, trial.args[j]);
		if (!ok)
			return false;
	}
	if (rules->default_value) {
		struct bl_partial_support support = {
			.node = node,
			.value = rules->default_value,
			.args = rules->default_args,
			.arg_count = rules->default_arg_count,
		};

		rules->has_support = true;
		return bl_partial_add_support(pe, &support);
	}
	return true;
}

static bool call_support(struct bl_partial *pe, const struct bl_rego_term *call,
			 struct bl_rego_term *result,
			 const struct bl_partial_next *next)
{
	struct bl_rego_term *other =
		bl_partial_term(pe, BL_TERM_CALL, call->count);

	if (!other)
		return false;
	memcpy(other->as.items, call->as.items,
	       call->count * sizeof(*call->as.items));
	other->as.items[0] = bl_partial_support_ref(pe, call->as.items[0]);
	return other->as.items[0] &&
	       bl_partial_save_marking(pe, bl_partial_expr(pe, other), result,
				       next);
}

/* May the default be its value, and would that count? */
static bool needs_default(const struct bl_partial_rules *rules, bool has_result)
{
	return rules->default_value &&
	       (has_result || !is_false(rules->default_value));
}

bool bl_partial_call(struct bl_partial *pe, struct bl_rego_expr *statement,
		     const struct bl_partial_next *next)
{
	struct bl_rego_term *call = statement->terms[0];
	const struct bl_node *node = bl_call_node(&pe->compiler, call);
	struct bl_partial_rules *rules =
		node ? bl_partial_rules_of(pe, node) : NULL;
	struct bl_rego_term *result;

	if (!rules)
		return !pe->status;
	result = call->count == node->arity + 2
			 ? call->as.items[call->count - 1]
			 : NULL;
	if (rules->has_else)
		return bl_partial_save_marking(pe, bl_partial_expr(pe, call),
					       result, next);
	if (!needs_default(rules, result != NULL) && !pe->options->shallow &&
	    !bl_partial_is_disabled(pe, call->as.items[0],
				    call->as.items[0]->count, false))
		return in_place(pe, call, rules, result, next);
	if (!write_functions(pe, node, rules))
		return false;
	return rules->has_support ? call_support(pe, call, result, next) : true;
}

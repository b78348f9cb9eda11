/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: what depends on something that is not known: references
 * to it, variables that have their values from it, rules that need it.
 */
#include "rego/partial/private.h"

/* ---- references that are not known ------------------------------------------ */

static bool same_root(const struct bl_rego_term *a,
		      const struct bl_rego_term *b)
{
	return a->kind == BL_TERM_VAR && a->slot == BL_SLOT_NONE &&
	       bl_str_equal(a->as.name, b->as.name);
}

/* Do the parts of both agree as far as both go?  Others may be anything. */
static bool agree(const struct bl_partial *pe, const struct bl_rego_term *known,
		  const struct bl_rego_term *ref, uint32_t count, bool loosely)
{
	if (!same_root(ref->as.items[0], known->as.items[0]))
		return false;
	for (uint32_t i = 1; i < count && i < known->count; i++) {
		const struct bl_rego_term *part =
			pe ? bl_partial_deref(pe, ref->as.items[i])
			   : ref->as.items[i];

		if (part->kind == BL_TERM_SCALAR
			    ? !bl_value_equal(part->as.value,
					      known->as.items[i]->as.value)
			    : !loosely)
			return false;
	}
	return true;
}

static bool is_root(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_REF && t->as.items[0]->kind == BL_TERM_VAR &&
	       t->as.items[0]->slot == BL_SLOT_NONE;
}

bool bl_partial_is_unknown(struct bl_partial *pe, struct bl_rego_term *t)
{
	if (bl_partial_is_var(t))
		return pe->vars[t->slot].saved > 0;
	if (t->kind != BL_TERM_REF)
		return false;
	for (size_t i = 0; is_root(t) && i < pe->unknown_count; i++)
		if (agree(pe, pe->unknowns[i], t, t->count, false))
			return true;
	return bl_partial_is_var(t->as.items[0]) &&
	       pe->vars[t->as.items[0]->slot].saved > 0;
}

bool bl_partial_may_be_unknown(struct bl_partial *pe,
			       const struct bl_rego_term *ref)
{
	for (size_t i = 0; is_root(ref) && i < pe->unknown_count; i++)
		if (agree(pe, pe->unknowns[i], ref, ref->count, true))
			return true;
	return false;
}

bool bl_partial_covers(struct bl_partial *pe, const struct bl_rego_term *ref,
		       uint32_t count)
{
	for (size_t i = 0; is_root(ref) && i < pe->unknown_count; i++)
		if (pe->unknowns[i]->count <= count &&
		    agree(pe, pe->unknowns[i], ref, count, false))
			return true;
	return false;
}

struct saved_finder {
	struct bl_partial_visitor visitor;
	struct bl_partial *pe;
	bool found;
};

static void find_saved(struct bl_partial_visitor *visitor,
		       const struct bl_rego_term *var)
{
	struct saved_finder *finder = (struct saved_finder *)visitor;
	const struct bl_partial_var *own = &finder->pe->vars[var->slot];

	if (finder->found)
		return;
	if (own->value)
		bl_partial_each_var(visitor, own->value);
	else
		finder->found = own->saved > 0;
}

bool bl_partial_has_saved(struct bl_partial *pe, struct bl_rego_term *t)
{
	struct saved_finder finder = { { find_saved, true, false }, pe, false };

	bl_partial_each_var(&finder.visitor, t);
	return finder.found;
}

/* ---- rules that are written out ---------------------------------------------- */

bool bl_partial_disable(struct bl_partial *pe, const struct bl_rego_term *ref,
			bool internal)
{
	struct bl_partial_disabled *list =
		bl_partial_grow(pe, pe->disabled, pe->disabled_count,
				&pe->disabled_cap, sizeof(*pe->disabled));
	uint32_t count = 1;
	struct bl_rego_term *prefix;

	if (!list)
		return false;
	pe->disabled = list;
	if (!is_root(ref))
		return true;
	while (count < ref->count &&
	       ref->as.items[count]->kind == BL_TERM_SCALAR)
		count++;
	prefix = bl_partial_term(pe, BL_TERM_REF, count);
	if (!prefix)
		return false;
	memcpy(prefix->as.items, ref->as.items, count * sizeof(*ref->as.items));
	pe->disabled[pe->disabled_count++] =
		(struct bl_partial_disabled){ prefix, internal };
	return true;
}

void bl_partial_enable(struct bl_partial *pe, size_t count)
{
	pe->disabled_count = count;
}

bool bl_partial_is_disabled(const struct bl_partial *pe,
			    const struct bl_rego_term *ref, uint32_t count,
			    bool ignore_internal)
{
	for (size_t i = 0; is_root(ref) && i < pe->disabled_count; i++)
		if (!(pe->disabled[i].internal && ignore_internal) &&
		    agree(pe, pe->disabled[i].ref, ref, count, false))
			return true;
	return false;
}

/* ---- what needs it ------------------------------------------------------------ */

static bool term_needs(struct bl_partial *pe, const struct bl_rego_term *t,
		       bool own);

static bool body_needs(struct bl_partial *pe, const struct bl_rego_body *body,
		       bool own);

static bool is_nondeterministic(const struct bl_partial *pe,
				const struct bl_rego_term *t)
{
	const struct bl_builtin *builtin =
		t->kind == BL_TERM_CALL ? bl_call_builtin(t) : NULL;

	return builtin && !pe->options->nondeterministic &&
	       builtin->flags & BL_BUILTIN_NONDETERMINISTIC;
}

static bool chain_needs(struct bl_partial *pe,
			const struct bl_resolved_rule *rule)
{
	for (; rule; rule = rule->else_rule) {
		if (rule->value && term_needs(pe, rule->value, false))
			return true;
		for (size_t i = 0; i < rule->key_count; i++)
			if (term_needs(pe, rule->keys[i], false))
				return true;
		if (rule->body && body_needs(pe, rule->body, false))
			return true;
	}
	return false;
}

/* Do rules of the node?  Found out once. */
static bool node_needs(struct bl_partial *pe, const struct bl_node *node)
{
	struct bl_partial_rules *rules = bl_partial_rules_of(pe, node);
	bool needs;

	if (!rules)
		return true;
	if (rules->is_judged)
		return rules->depends;
	needs = rules->default_value &&
		term_needs(pe, rules->default_value, false);
	for (size_t i = 0; !needs && i < rules->count; i++)
		needs = chain_needs(pe, rules->rules[i]);
	rules->is_judged = true;
	rules->depends = needs;
	return needs;
}

static bool tree_needs(struct bl_partial *pe, const struct bl_node *node)
{
	if (node_needs(pe, node))
		return true;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		if (tree_needs(pe, child))
			return true;
	return false;
}

/* Do rules that the reference's parts from `at` on may be to? */
static bool rules_need(struct bl_partial *pe, const struct bl_node *node,
		       const struct bl_rego_term *ref, uint32_t at, bool own)
{
	const struct bl_rego_term *part;
	const struct bl_node *child;

	if (at > 1 && node->rules && node_needs(pe, node))
		return true;
	if (at == ref->count) {
		for (child = node->first_child; child;
		     child = child->next_sibling)
			if (tree_needs(pe, child))
				return true;
		return false;
	}
	part = own ? bl_partial_deref(pe, ref->as.items[at])
		   : ref->as.items[at];
	if (part->kind == BL_TERM_SCALAR) {
		child = bl_node_find_child(node, part->as.value);
		return child && rules_need(pe, child, ref, at + 1, own);
	}
	for (child = node->first_child; child; child = child->next_sibling)
		if (rules_need(pe, child, ref, at + 1, own))
			return true;
	return false;
}

static bool ref_needs(struct bl_partial *pe, const struct bl_rego_term *ref,
		      bool own)
{
	if (!is_root(ref))
		return false;
	for (size_t i = 0; i < pe->unknown_count; i++)
		if (agree(own ? pe : NULL, pe->unknowns[i], ref, ref->count,
			  true))
			return true;
	if (bl_partial_is_disabled(pe, ref, ref->count, true))
		return true;
	return bl_term_is_root(ref->as.items[0], "data") &&
	       rules_need(pe, pe->compiler.root, ref, 1, own);
}

static bool expr_needs(struct bl_partial *pe,
		       const struct bl_rego_expr *statement, bool own)
{
	if (statement->with_count)
		return true;
	for (uint32_t i = 0; i < statement->term_count; i++)
		if (term_needs(pe, statement->terms[i], own))
			return true;
	for (uint32_t i = 0; i < statement->body_count; i++)
		if (body_needs(pe, statement->bodies[i], own))
			return true;
	return false;
}

static bool body_needs(struct bl_partial *pe, const struct bl_rego_body *body,
		       bool own)
{
	for (size_t i = 0; i < body->count; i++)
		if (expr_needs(pe, body->exprs[i], own))
			return true;
	return false;
}

/* own: its variables are ours, not those of a rule that was only resolved. */
static bool term_needs(struct bl_partial *pe, const struct bl_rego_term *t,
		       bool own)
{
	const struct bl_rego_term bare = {
		.kind = BL_TERM_REF,
		.count = 1,
		.as.items = (struct bl_rego_term *[]){ (
			struct bl_rego_term *)(uintptr_t)t }
	};

	if (t->kind == BL_TERM_SCALAR)
		return false;
	if (bl_partial_is_var(t)) {
		if (!own)
			return false;
		return pe->vars[t->slot].value
			       ? term_needs(pe, pe->vars[t->slot].value, own)
			       : pe->vars[t->slot].saved > 0;
	}
	if (t->kind == BL_TERM_VAR)
		return !t->builtin && ref_needs(pe, &bare, own);
	if (is_nondeterministic(pe, t))
		return true;
	if (t->kind == BL_TERM_REF && ref_needs(pe, t, own))
		return true;
	for (uint32_t i = t->kind == BL_TERM_REF && is_root(t); i < t->count;
	     i++)
		if (term_needs(pe, t->as.items[i], own))
			return true;
	return bl_partial_is_closure(t) && body_needs(pe, t->body, own);
}

bool bl_partial_depends(struct bl_partial *pe,
			const struct bl_rego_expr *statement)
{
	return expr_needs(pe, statement, true);
}

bool bl_partial_term_depends(struct bl_partial *pe, struct bl_rego_term *t)
{
	return term_needs(pe, t, true);
}

bool bl_partial_body_depends(struct bl_partial *pe,
			     const struct bl_rego_body *body)
{
	return body_needs(pe, body, true);
}

/* ---- rules of a node ----------------------------------------------------------- */

/* Every variable of an argument has a value when the body begins. */
static void bind_args(const struct bl_rego_term *t, struct bl_bound *bound)
{
	if (bl_partial_is_var(t)) {
		bl_bound_add(bound, t->slot);
		return;
	}
	if (t->kind == BL_TERM_SCALAR || t->kind == BL_TERM_VAR)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		bind_args(t->as.items[i], bound);
}

static struct bl_resolver resolver_of(struct bl_partial *pe,
				      const struct bl_rego_module *module)
{
	return (struct bl_resolver){
		.compiler = &pe->compiler,
		.module = module,
		.package = bl_package_node(&pe->compiler, module),
		.block_not = bl_module_has_block_not(module),
	};
}

static bool resolve(struct bl_partial *pe, const struct bl_rule *rule,
		    struct bl_partial_rules *into)
{
	struct bl_resolver resolver = resolver_of(pe, rule->module);
	struct bl_resolved_rule *resolved = bl_resolve_rule(&resolver, rule);

	if (!resolved)
		return bl_partial_no_memory(pe);
	into->has_else |= resolved->else_rule != NULL;
	for (struct bl_resolved_rule *one = resolved; one;
	     one = one->else_rule) {
		struct bl_bound bound =
			bl_bound_new(pe->arena, resolver.slot_count);

		if (!bound.words)
			return bl_partial_no_memory(pe);
		for (size_t i = 0; i < one->arg_count; i++)
			bind_args(one->args[i], &bound);
		if (one->body)
			bl_order_body(&resolver, one->body, &bound);
	}
	into->rules[into->count] = resolved;
	into->written[into->count] = rule;
	into->slots[into->count++] = resolver.slot_count;
	return true;
}

static bool resolve_default(struct bl_partial *pe, const struct bl_node *node,
			    struct bl_partial_rules *into)
{
	const struct bl_rego_rule *rule = node->default_rule;
	struct bl_resolver resolver = resolver_of(pe, node->default_module);
	struct bl_rego_scope scope = { 0 };

	resolver.scope = &scope;
	into->default_args = bl_arena_new_array(
		pe->arena, struct bl_rego_term *, rule->arg_count + 1);
	into->default_arg_count = rule->arg_count;
	if (!into->default_args)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < rule->arg_count; i++) {
		into->default_args[i] =
			bl_resolve_term(&resolver, rule->args[i]);
		if (!into->default_args[i])
			return bl_partial_no_memory(pe);
	}
	into->default_value =
		rule->value ? bl_resolve_term(&resolver, rule->value)
			    : bl_partial_constant(pe, bl_value_boolean(true));
	return into->default_value || bl_partial_no_memory(pe);
}

struct bl_partial_rules *bl_partial_rules_of(struct bl_partial *pe,
					     const struct bl_node *node)
{
	struct bl_partial_rules *rules = pe->rules[node->index];
	size_t count = 0;

	if (rules)
		return rules;
	rules = bl_arena_new(pe->arena, struct bl_partial_rules);
	for (const struct bl_rule *rule = node->rules; rule; rule = rule->next)
		count++;
	if (!rules)
		return bl_partial_no_memory(pe), NULL;
	rules->rules = bl_arena_new_array(pe->arena, struct bl_resolved_rule *,
					  count + 1);
	rules->written = bl_arena_new_array(pe->arena, const struct bl_rule *,
					    count + 1);
	rules->slots = bl_arena_new_array(pe->arena, int32_t, count + 1);
	if (!rules->rules || !rules->written || !rules->slots)
		return bl_partial_no_memory(pe), NULL;
	for (const struct bl_rule *rule = node->rules; rule; rule = rule->next)
		if (!resolve(pe, rule, rules))
			return NULL;
	if (node->default_rule && !resolve_default(pe, node, rules))
		return NULL;
	pe->rules[node->index] = rules;
	return rules;
}

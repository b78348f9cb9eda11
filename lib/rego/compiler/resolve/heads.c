/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the terms of a head and the names of its body belong together: heads may bind
 * what the body needs, and the other way round.
 */
#include "rego/compiler/resolve/resolve.h"

/* ---- names that are for closures only ---------------------------------------------------- */

static bool body_uses(const struct bl_rego_body *body, struct bl_str name);

/* Is the name in term, outside of closures? */
static bool term_uses(const struct bl_rego_term *term, struct bl_str name)
{
	if (term->kind == BL_TERM_VAR)
		return bl_str_equal(term->as.name, name);
	if (term->kind == BL_TERM_TEMPLATE)
		return body_uses(term->body, name);
	for (uint32_t i = 0; term->kind >= BL_TERM_REF &&
			     term->kind <= BL_TERM_OBJECT && i < term->count;
	     i++)
		if (term_uses(term->as.items[i], name))
			return true;
	return false;
}

static bool expr_uses(const struct bl_rego_expr *expr, struct bl_str name)
{
	uint32_t from = expr->kind == BL_EXPR_EVERY ? expr->term_count - 1 : 0;

	for (uint32_t i = from;
	     expr->kind != BL_EXPR_SOME && i < expr->term_count; i++)
		if (term_uses(expr->terms[i], name))
			return true;
	for (uint32_t i = 0; i < expr->with_count; i++)
		if (term_uses(expr->withs[i].target, name) ||
		    term_uses(expr->withs[i].value, name))
			return true;
	for (uint32_t i = 0; i < expr->body_count; i++)
		if (expr->kind == BL_EXPR_LOGICAL && !expr->bodies[i]->braced &&
		    body_uses(expr->bodies[i], name))
			return true;
	return false;
}

static bool body_uses(const struct bl_rego_body *body, struct bl_str name)
{
	for (size_t i = 0; i < body->count; i++)
		if (expr_uses(body->exprs[i], name))
			return true;
	return false;
}

bool bl_resolve_is_of_closures(const struct bl_resolver *resolver,
			       struct bl_str name)
{
	const struct bl_written_body *present = &resolver->present;

	for (size_t i = 0; i < present->head_count; i++)
		if (term_uses(present->heads[i], name))
			return false;
	return !(present->value && term_uses(present->value, name)) &&
	       present->body && !body_uses(present->body, name);
}

/* ---- heads that give names their values ---------------------------------------------------- */

/* Is there a name of the body in brackets, which going through would bind? */
static bool may_bind(const struct bl_rego_term *term, int32_t own_from)
{
	if (term->kind < BL_TERM_REF || term->kind > BL_TERM_OBJECT)
		return false;
	for (uint32_t i = 0; i < term->count; i++) {
		const struct bl_rego_term *item = term->as.items[i];

		if (term->kind == BL_TERM_REF && i &&
		    item->kind == BL_TERM_VAR && item->slot >= own_from &&
		    !bl_str_is(item->as.name, "_"))
			return true;
		if (may_bind(item, own_from))
			return true;
	}
	return false;
}

/* Have the statements and the heads values without each other's help? */
static bool is_in_order(struct bl_resolver *resolver,
			const struct bl_head_terms *heads,
			struct bl_rego_body *body, int32_t own_from)
{
	struct bl_arena *arena = resolver->compiler->arena;
	struct bl_bound bound = bl_bound_new(arena, resolver->slot_count);

	for (int32_t i = 0; i < own_from; i++)
		bl_bound_add(&bound, i);
	if (body && !bl_order_try_body(resolver, body, &bound))
		return false;
	for (size_t i = 0; i < heads->count; i++)
		if (!bl_bound_makes_ready(resolver, &bound, heads->terms[i]))
			return false;
	return !heads->value ||
	       bl_bound_makes_ready(resolver, &bound, *heads->value);
}

static void put_first(struct bl_resolver *resolver,
		      struct bl_statements *statements,
		      struct bl_rego_term **place)
{
	struct bl_rego_term *term = *place;
	struct bl_rego_term *var;

	if (term->kind != BL_TERM_REF && term->kind != BL_TERM_CALL) {
		for (uint32_t i = 0;
		     term->kind >= BL_TERM_ARRAY &&
		     term->kind <= BL_TERM_OBJECT && i < term->count;
		     i++)
			put_first(resolver, statements, &term->as.items[i]);
		return;
	}
	var = bl_make_blank(resolver, term->range);
	bl_statements_add(resolver, statements,
			  bl_make_statement(resolver, "eq", var, term));
	if (var)
		*place = bl_make_var(resolver, var->as.name, var->slot,
				     var->range);
}

void bl_resolve_heads_first(struct bl_resolver *resolver,
			    const struct bl_head_terms *heads,
			    struct bl_rego_body **body, int32_t own_from)
{
	struct bl_statements statements = { 0 };
	bool may = heads->value && may_bind(*heads->value, own_from);

	for (size_t i = 0; !may && i < heads->count; i++)
		may = may_bind(heads->terms[i], own_from);
	if (!may || is_in_order(resolver, heads, *body, own_from))
		return;
	for (size_t i = 0; *body && i < (*body)->count; i++)
		bl_statements_add(resolver, &statements, (*body)->exprs[i]);
	for (size_t i = 0; i < heads->count; i++)
		put_first(resolver, &statements, &heads->terms[i]);
	if (heads->value)
		put_first(resolver, &statements, heads->value);
	if (!*body)
		*body = NEW(resolver, struct bl_rego_body);
	if (!*body)
		return;
	(*body)->exprs = statements.exprs;
	(*body)->count = statements.count;
}

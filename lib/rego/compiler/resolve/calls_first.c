/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OPA makes the calls of a statement before it evaluates comprehensions in it
 * (docs/contracts/rego.md "Negation").  That can be seen when a call has no
 * value and a comprehension would end the evaluation: then calls become
 * statements of their own here, too.
 */
#include "rego/compiler/resolve/resolve.h"

struct hoister {
	struct bl_resolver *resolver;
	struct bl_statements *out;
	const struct bl_rego_expr *from; /* whose modifiers count; NULL: none */
};

static bool is_composite(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET ||
	       term->kind == BL_TERM_OBJECT || term->kind == BL_TERM_REF;
}

/* Is there a call behind something that can end the evaluation? */
static bool has_late_call(const struct bl_resolver *resolver,
			  const struct bl_rego_term *term, bool *risky)
{
	if (term->kind >= BL_TERM_ARRAY_COMPREHENSION)
		*risky |= bl_resolve_is_risky(resolver, term);
	if (term->kind == BL_TERM_CALL && *risky)
		return true;
	for (uint32_t i = term->kind == BL_TERM_CALL;
	     (is_composite(term) || term->kind == BL_TERM_CALL) &&
	     i < term->count;
	     i++)
		if (has_late_call(resolver, term->as.items[i], risky))
			return true;
	return false;
}

static void hoist(struct hoister *hoister, struct bl_rego_term **place)
{
	struct bl_rego_term *term = *place;
	struct bl_rego_term *var;
	struct bl_rego_expr *expr;

	for (uint32_t i = 0; is_composite(term) && i < term->count; i++)
		hoist(hoister, &term->as.items[i]);
	if (term->kind != BL_TERM_CALL)
		return;
	for (uint32_t i = 1; i < term->count; i++)
		hoist(hoister, &term->as.items[i]);
	var = bl_make_blank(hoister->resolver, term->range);
	expr = bl_make_statement(hoister->resolver, "eq", var, term);
	if (!expr)
		return;
	if (hoister->from) {
		expr->withs = hoister->from->withs;
		expr->with_count = hoister->from->with_count;
	}
	bl_statements_add(hoister->resolver, hoister->out, expr);
	*place = bl_make_var(hoister->resolver, var->as.name, var->slot,
			     var->range);
}

void bl_resolve_calls_first(struct bl_resolver *resolver,
			    struct bl_rego_expr *expr,
			    struct bl_statements *out)
{
	struct hoister hoister = { resolver, out, expr };
	struct bl_rego_term *term;
	bool risky = false;
	bool late = false;

	if (expr->kind != BL_EXPR_TERM ||
	    (expr->negated && resolver->block_not))
		return;
	term = expr->terms[0];
	if (!is_composite(term) && term->kind != BL_TERM_CALL)
		return;
	for (uint32_t i = 0; !late && i < term->count; i++)
		late = has_late_call(resolver, term->as.items[i], &risky);
	/* The first item of a call is what is called. */
	for (uint32_t i = term->kind == BL_TERM_CALL; late && i < term->count;
	     i++)
		hoist(&hoister, &term->as.items[i]);
}

void bl_resolve_head_calls_first(struct bl_resolver *resolver,
				 struct bl_rego_term **head,
				 struct bl_rego_body **body)
{
	struct bl_statements statements = { 0 };
	struct hoister hoister = { resolver, &statements, NULL };
	bool risky = false;

	if (!has_late_call(resolver, *head, &risky))
		return;
	for (size_t i = 0; *body && i < (*body)->count; i++)
		bl_statements_add(resolver, &statements, (*body)->exprs[i]);
	hoist(&hoister, head);
	if (!*body)
		*body = NEW(resolver, struct bl_rego_body);
	if (!*body)
		return;
	(*body)->exprs = statements.exprs;
	(*body)->count = statements.count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Going through syntax trees, which many passes do, each with another aim. */
#include "rego/compiler/parse/visit.h"

static void visit_closure(struct bl_visitor *visitor,
			  const struct bl_rego_body *body,
			  struct bl_rego_term *const *terms, size_t count)
{
	struct bl_visit_closure closure = { body, visitor->closures };

	if (visitor->is_done ||
	    (visitor->body && !visitor->body(visitor, body)))
		return;
	visitor->closures = &closure;
	bl_visit_terms(visitor, terms, count);
	for (size_t i = 0; i < body->count; i++)
		bl_visit_expr(visitor, body->exprs[i]);
	visitor->closures = closure.outer;
}

void bl_visit_term(struct bl_visitor *visitor, const struct bl_rego_term *term)
{
	if (!term || visitor->is_done ||
	    (visitor->term && !visitor->term(visitor, term)))
		return;
	if (term->kind == BL_TERM_TEMPLATE)
		bl_visit_body(visitor, term->body);
	else if (bl_term_is_comprehension(term))
		visit_closure(visitor, term->body, term->as.items, term->count);
	else if (term->kind >= BL_TERM_REF)
		bl_visit_terms(visitor, term->as.items, term->count);
}

void bl_visit_terms(struct bl_visitor *visitor,
		    struct bl_rego_term *const *terms, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bl_visit_term(visitor, terms[i]);
}

void bl_visit_expr(struct bl_visitor *visitor, const struct bl_rego_expr *expr)
{
	/* Of "every": its names, which its body owns. */
	uint32_t own = expr->kind == BL_EXPR_EVERY ? expr->term_count - 1 : 0;

	if (visitor->is_done ||
	    (visitor->expr && !visitor->expr(visitor, expr)))
		return;
	bl_visit_terms(visitor, expr->terms + own, expr->term_count - own);
	for (uint32_t i = 0; i < expr->body_count; i++)
		visit_closure(visitor, expr->bodies[i], expr->terms, own);
	for (uint32_t i = 0; i < expr->with_count; i++)
		bl_visit_term(visitor, expr->withs[i].value);
}

void bl_visit_body(struct bl_visitor *visitor, const struct bl_rego_body *body)
{
	visit_closure(visitor, body, NULL, 0);
}

bool bl_term_is_constant(const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_SCALAR)
		return true;
	if (term->kind != BL_TERM_ARRAY && term->kind != BL_TERM_OBJECT &&
	    term->kind != BL_TERM_SET)
		return false;
	for (uint32_t i = 0; i < term->count; i++)
		if (!bl_term_is_constant(term->as.items[i]))
			return false;
	return true;
}

bool bl_visit_is_own(const struct bl_visitor *visitor,
		     const struct bl_rego_term *var)
{
	for (const struct bl_visit_closure *at = visitor->closures; at;
	     at = at->outer)
		if (var->slot >= at->body->slot_from &&
		    var->slot < at->body->slot_to)
			return true;
	return false;
}

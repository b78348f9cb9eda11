/* SPDX-License-Identifier: Apache-2.0 */
/* Going through syntax trees, which many passes do, each with another aim. */
#include "rego/compiler/parse/visit.h"

void bl_visit_term(struct bl_visitor *visitor, const struct bl_rego_term *term)
{
	if (!term || visitor->is_done ||
	    (visitor->term && !visitor->term(visitor, term)))
		return;
	if (term->kind >= BL_TERM_REF)
		bl_visit_terms(visitor, term->as.items, term->count);
	if (term->kind == BL_TERM_TEMPLATE || bl_term_is_comprehension(term))
		bl_visit_body(visitor, term->body);
	if (visitor->term_end && !visitor->is_done)
		visitor->term_end(visitor, term);
}

void bl_visit_terms(struct bl_visitor *visitor,
		    struct bl_rego_term *const *terms, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bl_visit_term(visitor, terms[i]);
}

void bl_visit_expr(struct bl_visitor *visitor, const struct bl_rego_expr *expr)
{
	if (visitor->is_done ||
	    (visitor->expr && !visitor->expr(visitor, expr)))
		return;
	bl_visit_terms(visitor, expr->terms, expr->term_count);
	for (uint32_t i = 0; i < expr->body_count; i++)
		bl_visit_body(visitor, expr->bodies[i]);
	for (uint32_t i = 0; i < expr->with_count; i++) {
		bl_visit_term(visitor, expr->withs[i].target);
		bl_visit_term(visitor, expr->withs[i].value);
	}
}

void bl_visit_body(struct bl_visitor *visitor, const struct bl_rego_body *body)
{
	if (!body || visitor->is_done ||
	    (visitor->body && !visitor->body(visitor, body)))
		return;
	for (size_t i = 0; i < body->count; i++)
		bl_visit_expr(visitor, body->exprs[i]);
	if (visitor->body_end && !visitor->is_done)
		visitor->body_end(visitor, body);
}

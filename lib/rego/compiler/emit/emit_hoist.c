/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A term with the same value in every round of a loop is computed in the first
 * round that comes to it, and kept in a register of its own:
 *
 *      UNDEFINE r
 *   the loop ...
 *      JUMP_IF_DEFINED r -> known
 *      ... r := the value -> the next round
 *      KEEP the loop
 *   known:
 *
 * It is found out where it always was, so errors stay where they were; what is
 * undefined is found out again.
 */
#include "rego/compiler/emit/private.h"

/* Below a "with" nothing of before counts, and inside of it are other values. */
struct scan {
	struct bl_emitter *e;
	bl_register loop;
	uint32_t depth;
};

enum { DEPTH_MAX = 32 };

static void look_at(struct scan *scan, const struct bl_rego_term *term);

/* ---- what stays the same ------------------------------------------------------ */

static bool is_fixed(struct scan *scan, const struct bl_rego_term *term);

static bool are_fixed(struct scan *scan, const struct bl_rego_term *term,
		      uint32_t from)
{
	bool fixed = scan->depth < DEPTH_MAX;

	scan->depth++;
	for (uint32_t i = from; fixed && i < term->count; i++)
		fixed = is_fixed(scan, term->as.items[i]);
	scan->depth--;
	return fixed;
}

/* A call that has one value, and does nothing else. */
static bool is_plain_call(struct bl_emitter *e, const struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node = bl_call_node(e->builder->compiler, call);

	if (!builtin)
		return node && call->count == node->arity + 1u;
	return builtin->function && call->count == builtin->arity + 1u &&
	       !(builtin->flags &
		 (BL_BUILTIN_NONDETERMINISTIC | BL_BUILTIN_RELATION |
		  BL_BUILTIN_VOID | BL_BUILTIN_NETWORK));
}

/* Has it one value, whatever the loop that begins here does? */
static bool is_fixed(struct scan *scan, const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return true;
	case BL_TERM_VAR:
		return bl_bound_has(&scan->e->bound, term->slot);
	case BL_TERM_CALL:
		return is_plain_call(scan->e, term) && are_fixed(scan, term, 1);
	case BL_TERM_REF:
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return are_fixed(scan, term, 0);
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return bl_emit_is_ready(scan->e, term);
	case BL_TERM_TEMPLATE:
		break;
	}
	return false;
}

/* Does finding it out take more than looking whether it is known? */
static bool is_costly(const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_CALL)
		return term->as.items[0]->kind != BL_TERM_VAR ||
		       !bl_rego_is_comparison(term->as.items[0]->as.name);
	if (term->kind == BL_TERM_REF)
		return bl_term_is_root(term->as.items[0], "data");
	return term->kind == BL_TERM_ARRAY_COMPREHENSION ||
	       term->kind == BL_TERM_SET_COMPREHENSION ||
	       term->kind == BL_TERM_OBJECT_COMPREHENSION;
}

/* ---- the search ----------------------------------------------------------------- */

static void note(struct scan *scan, const struct bl_rego_term *term)
{
	struct bl_emitter *e = scan->e;
	bl_register reg;

	if (e->hoisted_count == BL_HOISTED_MAX || bl_emit_hoisted(e, term))
		return;
	reg = bl_emit_registers(e, 1);
	EMIT(e, UNDEFINE, .a = reg);
	e->hoisted[e->hoisted_count++] =
		(struct bl_hoisted){ term, reg, scan->loop };
}

static void look_at_body(struct scan *scan, const struct bl_rego_body *body,
			 size_t from);

static void look_at_items(struct scan *scan, const struct bl_rego_term *term)
{
	if (scan->depth >= DEPTH_MAX)
		return;
	scan->depth++;
	for (uint32_t i = 0; i < term->count; i++)
		look_at(scan, term->as.items[i]);
	if (term->body)
		look_at_body(scan, term->body, 0);
	scan->depth--;
}

static void look_at(struct scan *scan, const struct bl_rego_term *term)
{
	struct bl_value value;

	if (term->kind == BL_TERM_SCALAR || term->kind == BL_TERM_VAR ||
	    term->kind == BL_TERM_TEMPLATE || bl_fold(scan->e, term, &value))
		return;
	if (is_costly(term) && is_fixed(scan, term))
		note(scan, term);
	else
		look_at_items(scan, term);
}

static void look_at_expr(struct scan *scan, const struct bl_rego_expr *expr)
{
	if (expr->with_count)
		return;
	for (uint32_t i = 0; i < expr->term_count; i++) {
		const struct bl_rego_term *term = expr->terms[i];

		/* A statement with "not" is taken apart (pull_out). */
		if (expr->negated && term->kind == BL_TERM_CALL)
			look_at_items(scan, term);
		else
			look_at(scan, term);
	}
	for (uint32_t i = 0; i < expr->body_count; i++)
		look_at_body(scan, expr->bodies[i], 0);
}

static void look_at_body(struct scan *scan, const struct bl_rego_body *body,
			 size_t from)
{
	for (size_t i = from; i < body->count; i++)
		look_at_expr(scan, body->exprs[i]);
}

void bl_emit_hoist(struct bl_emitter *e, bl_register loop)
{
	struct scan scan = { .e = e, .loop = loop };
	const struct bl_rego_expr *expr;

	if (!e->body || e->unfolded || bl_emit_observes(e))
		return;
	expr = e->body->exprs[e->body_at];
	if (expr->kind == BL_EXPR_EVERY) {
		look_at_body(&scan, expr->bodies[0], 0);
		return;
	}
	if (expr->kind == BL_EXPR_TERM)
		look_at_expr(&scan, expr);
	look_at_body(&scan, e->body, e->body_at + 1);
}

const struct bl_hoisted *bl_emit_hoisted(const struct bl_emitter *e,
					 const struct bl_rego_term *term)
{
	for (uint32_t i = e->hoisted_from; i < e->hoisted_count; i++)
		if (e->hoisted[i].term == term)
			return &e->hoisted[i];
	return NULL;
}

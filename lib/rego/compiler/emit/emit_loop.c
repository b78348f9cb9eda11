/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code for loops.  "some x in xs; x.id == y" is a join: when y is known before
 * the loop, the machine may look up the rounds whose id is y (vm/join.c).  The
 * statement is evaluated all the same, so a join is only ever a hint.
 */
#include "rego/compiler/emit/private.h"
#include "rego/compiler/emit/rule_index_choose.h"

/* The value that a part of each round's value has to equal. */
struct join {
	const struct bl_rego_term *ref; /* parts from `from` on lead to it */
	uint32_t from;
	const struct bl_rego_term *other;
};

static bool are_constant(const struct bl_rego_term *ref, uint32_t from)
{
	for (uint32_t i = from; i < ref->count; i++)
		if (ref->as.items[i]->kind != BL_TERM_SCALAR)
			return false;
	return true;
}

/* Has it one value before the loop, which can be had without a loop of its own
 * and without ending the evaluation? */
static bool is_known(struct bl_emitter *e, const struct bl_rego_term *term)
{
	const struct bl_builtin *builtin;
	struct bl_value value;
	uint32_t from = 0;

	if (bl_fold(e, term, &value))
		return true;
	if (term->kind == BL_TERM_VAR)
		return term->slot == BL_SLOT_NONE
			       ? bl_term_is_root(term, "input")
			       : bl_bound_has(&e->bound, term->slot);
	if (term->kind == BL_TERM_CALL) {
		builtin = bl_call_builtin(term);
		if (!builtin || !builtin->function ||
		    (builtin->flags &
		     (BL_BUILTIN_RELATION | BL_BUILTIN_VOID)) ||
		    term->count != builtin->arity + 1u)
			return false;
		from = 1;
	} else if (term->kind != BL_TERM_REF) {
		return false;
	}
	for (uint32_t i = from; i < term->count; i++)
		if (!is_known(e, term->as.items[i]))
			return false;
	return true;
}

static bool is_equality(const struct bl_rego_term *term)
{
	struct bl_str name;

	if (term->kind != BL_TERM_CALL || term->count != 3 ||
	    term->as.items[0]->kind != BL_TERM_VAR)
		return false;
	name = term->as.items[0]->as.name;
	return bl_str_is(name, "equal") || bl_str_is(name, "eq");
}

/* Is term the variable in this slot, or a constant part of it? */
static bool is_part_of(const struct bl_rego_term *term, int32_t slot)
{
	if (term->kind == BL_TERM_VAR)
		return term->slot == slot;
	return term->kind == BL_TERM_REF &&
	       term->as.items[0]->kind == BL_TERM_VAR &&
	       term->as.items[0]->slot == slot && are_constant(term, 1);
}

/* The first statement behind this one that joins on the variable. */
static bool find_join(struct bl_emitter *e, int32_t slot, struct join *out_join)
{
	const struct bl_rego_body *body = e->body;

	for (size_t i = e->body_at + 1; body && i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		struct bl_rego_term *const *sides;

		if (expr->with_count || bl_emit_can_end(e, expr))
			return false;
		if (expr->kind != BL_EXPR_TERM || expr->negated ||
		    !is_equality(expr->terms[0]))
			continue;
		sides = expr->terms[0]->as.items + 1;
		for (int side = 0; side < 2; side++) {
			if (!is_part_of(sides[side], slot) ||
			    !is_known(e, sides[!side]))
				continue;
			*out_join =
				(struct join){ sides[side], 1, sides[!side] };
			return true;
		}
	}
	return false;
}

/* The keys that lead from a round's value to the part, as one constant. */
static uint32_t path_constant(struct bl_emitter *e, const struct join *join)
{
	struct bl_array_builder path;
	struct bl_value value;

	bl_array_builder_init(&path, e->builder->compiler->arena);
	for (uint32_t i = join->from;
	     join->ref->kind == BL_TERM_REF && i < join->ref->count; i++)
		bl_array_builder_add(&path, join->ref->as.items[i]->as.value);
	value = bl_array_builder_end(&path);
	e->failed |= !bl_value_is_defined(value);
	return bl_emit_constant(e, value);
}

static struct bl_emit_round
emit_loop(struct bl_emitter *e, bl_register collection, const struct join *join)
{
	bl_register other = 0;
	bl_register state = bl_emit_registers(e, 2);
	bl_register pair = bl_emit_registers(e, 2);
	bl_label next = bl_emit_new_label(e);

	if (!e->first_loop.is_there)
		e->first_loop = (struct bl_first_loop){ true, join ? join->other
								   : NULL };
	e->loop_count++;
	bl_emit_hoist(e, state);
	if (join)
		other = bl_emit_value(e, join->other);

	if (join)
		EMIT(e, LOOP_BEGIN_WHERE, .a = state, .b = collection,
		     .c = other, .n = path_constant(e, join), .j = e->fail);
	else
		EMIT(e, LOOP_BEGIN, .a = state, .b = collection, .j = e->fail);
	bl_emit_place_label(e, next);
	EMIT(e, LOOP_NEXT, .a = state, .b = pair, .c = (bl_register)(pair + 1),
	     .n = 1, .j = e->fail);
	e->fail = next;
	return (struct bl_emit_round){ pair, (bl_register)(pair + 1) };
}

struct bl_emit_round bl_emit_loop(struct bl_emitter *e, bl_register collection)
{
	return emit_loop(e, collection, NULL);
}

struct bl_emit_round bl_emit_value_loop(struct bl_emitter *e,
					bl_register collection,
					const struct bl_rego_term *pattern)
{
	struct join join;
	bool found = !bl_emit_shows_rounds(e) && pattern->kind == BL_TERM_VAR &&
		     pattern->slot >= 0 &&
		     !bl_bound_has(&e->bound, pattern->slot) &&
		     find_join(e, pattern->slot, &join);

	return emit_loop(e, collection, found ? &join : NULL);
}

/* xs[i].id == y, or x := xs[i] before x.id == y, as the running statement. */
static bool find_ref_join(struct bl_emitter *e, const struct bl_rego_term *ref,
			  uint32_t i, struct join *out_join)
{
	const struct bl_rego_expr *expr =
		e->body ? e->body->exprs[e->body_at] : NULL;
	const struct bl_rego_term *term;
	struct bl_rego_term *const *sides;

	if (!expr || expr->kind != BL_EXPR_TERM || expr->negated ||
	    expr->with_count || !are_constant(ref, i + 1))
		return false;
	term = expr->terms[0];
	if (term->kind != BL_TERM_CALL || term->count != 3)
		return false;
	sides = term->as.items + 1;
	for (int side = 0; side < 2; side++) {
		const struct bl_rego_term *other = sides[!side];

		if (sides[side] != ref)
			continue;
		if (is_equality(term) && is_known(e, other)) {
			*out_join = (struct join){ ref, i + 1, other };
			return true;
		}
		if (i + 1 == ref->count && other->kind == BL_TERM_VAR &&
		    other->slot >= 0 && !bl_bound_has(&e->bound, other->slot) &&
		    term->as.items[0]->kind == BL_TERM_VAR &&
		    (is_equality(term) ||
		     bl_str_is(term->as.items[0]->as.name, "assign")))
			return find_join(e, other->slot, out_join);
	}
	return false;
}

struct bl_emit_round bl_emit_ref_loop(struct bl_emitter *e,
				      bl_register collection,
				      const struct bl_rego_term *ref,
				      uint32_t i)
{
	struct join join;
	bool found =
		!bl_emit_shows_rounds(e) && find_ref_join(e, ref, i, &join);

	return emit_loop(e, collection, found ? &join : NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: bodies as simple statements.
 *
 *     count(input.xs) > data.limits[input.k]
 *
 * becomes
 *
 *     a = input.xs; count(a, b); c = input.k; d = data.limits[c]; b > d
 *
 * so that each statement is either known or saved, and nothing of a saved one has to
 * be looked at again.  The insides of closures stay as they are.
 */
#include "rego/partial/private.h"

struct flattener {
	struct bl_partial *pe;
	struct bl_partial_list *out;
	const struct bl_rego_with *withs; /* of the statement */
	uint32_t with_count;
	bool blocks;
};

static struct bl_rego_term *value(struct flattener *f, struct bl_rego_term *t);

bool bl_partial_add(struct bl_partial *pe, struct bl_partial_list *list,
		    struct bl_rego_expr *statement)
{
	struct bl_rego_expr **exprs = bl_partial_grow(
		pe, list->exprs, list->count, &list->cap, sizeof(*list->exprs));

	if (!exprs || !statement)
		return bl_partial_no_memory(pe);
	list->exprs = exprs;
	list->exprs[list->count++] = statement;
	return true;
}

static bool emit(struct flattener *f, struct bl_rego_expr *statement)
{
	if (!statement)
		return false;
	statement->withs = (struct bl_rego_with *)(uintptr_t)f->withs;
	statement->with_count = f->with_count;
	return bl_partial_add(f->pe, f->out, statement);
}

/* Is it "input" or "data" alone? */
static bool is_bare_root(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_VAR && t->slot == BL_SLOT_NONE &&
	       (bl_term_is_root(t, "input") || bl_term_is_root(t, "data"));
}

/* The items from `from` on as values, in a copy. */
static struct bl_rego_term *with_values(struct flattener *f,
					struct bl_rego_term *t, uint32_t from)
{
	struct bl_rego_term *copy = bl_partial_term(
		f->pe, (enum bl_rego_term_kind)t->kind, t->count);

	if (!copy)
		return NULL;
	copy->infix = t->infix;
	copy->range = t->range;
	for (uint32_t i = 0; i < t->count; i++) {
		copy->as.items[i] =
			i < from ? t->as.items[i] : value(f, t->as.items[i]);
		if (!copy->as.items[i])
			return NULL;
	}
	return copy;
}

static struct bl_rego_term *reference(struct flattener *f,
				      struct bl_rego_term *t)
{
	struct bl_rego_term *copy;

	if (t->kind == BL_TERM_VAR) {
		copy = bl_partial_term(f->pe, BL_TERM_REF, 1);
		if (copy)
			copy->as.items[0] = t;
		return copy;
	}
	copy = with_values(f, t, 1);
	if (copy && t->as.items[0]->kind != BL_TERM_VAR)
		copy->as.items[0] = value(f, t->as.items[0]);
	return copy && copy->as.items[0] ? copy : NULL;
}

/* One side of an equality, where a reference may stand. */
static struct bl_rego_term *side(struct flattener *f, struct bl_rego_term *t)
{
	if (t->kind == BL_TERM_REF || is_bare_root(t))
		return reference(f, t);
	if (bl_partial_is_closure(t))
		return t;
	return value(f, t);
}

/* The operands; one more is for the result. */
static struct bl_rego_term *call(struct flattener *f, struct bl_rego_term *t,
				 struct bl_rego_term *result)
{
	struct bl_rego_term *copy = with_values(f, t, 1);
	struct bl_rego_term *longer;

	if (!copy || !result)
		return copy;
	longer = bl_partial_term(f->pe, BL_TERM_CALL, copy->count + 1);
	if (!longer)
		return NULL;
	memcpy(longer->as.items, copy->as.items,
	       copy->count * sizeof(*copy->as.items));
	longer->as.items[copy->count] = result;
	return longer;
}

/* A term without references, calls and closures. */
static struct bl_rego_term *value(struct flattener *f, struct bl_rego_term *t)
{
	struct bl_rego_term *name;

	switch ((enum bl_rego_term_kind)t->kind) {
	case BL_TERM_SCALAR:
		return t;
	case BL_TERM_VAR:
		if (!is_bare_root(t))
			return t;
		break;
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return with_values(f, t, 0);
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_TEMPLATE:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	name = bl_partial_fresh(f->pe);
	if (!name)
		return NULL;
	if (t->kind == BL_TERM_CALL) {
		if (!emit(f, bl_partial_expr(f->pe, call(f, t, name))))
			return NULL;
	} else if (!emit(f, bl_partial_equality(f->pe, name, side(f, t)))) {
		return NULL;
	}
	return name;
}

/* "=", ":=" and "==", which is one where it is a statement. */
static bool is_equality(const struct bl_rego_term *t)
{
	const struct bl_rego_term *callee;

	if (t->kind != BL_TERM_CALL || t->count != 3)
		return false;
	callee = t->as.items[0];
	return callee->kind == BL_TERM_VAR &&
	       (bl_str_is(callee->as.name, "eq") ||
		bl_str_is(callee->as.name, "assign") ||
		bl_str_is(callee->as.name, "equal"));
}

/* "some k, v in xs" is "v = xs[k]". */
static struct bl_rego_expr *some_in(struct flattener *f,
				    const struct bl_rego_expr *written)
{
	uint32_t last = written->term_count - 1;
	struct bl_rego_term *domain = side(f, written->terms[last]);
	struct bl_rego_term *key;
	struct bl_rego_term *ref;

	if (domain && domain->kind != BL_TERM_REF)
		domain = value(f, domain);
	key = last == 2 ? value(f, written->terms[0]) : bl_partial_fresh(f->pe);
	if (!domain || !key)
		return NULL;
	if (domain->kind != BL_TERM_REF) {
		ref = bl_partial_term(f->pe, BL_TERM_REF, 2);
		if (ref)
			ref->as.items[0] = domain;
	} else {
		ref = bl_partial_term(f->pe, BL_TERM_REF, domain->count + 1);
		if (ref)
			memcpy(ref->as.items, domain->as.items,
			       domain->count * sizeof(*domain->as.items));
	}
	if (!ref)
		return NULL;
	ref->as.items[ref->count - 1] = key;
	return bl_partial_equality(f->pe, side(f, written->terms[last - 1]),
				   ref);
}

/* A statement whose bodies stay, with its domain as a value. */
static struct bl_rego_expr *with_bodies(struct flattener *f,
					const struct bl_rego_expr *written)
{
	struct bl_rego_expr *copy =
		bl_arena_new(f->pe->arena, struct bl_rego_expr);
	uint32_t count = written->term_count;

	if (!copy)
		return bl_partial_no_memory(f->pe), NULL;
	*copy = *written;
	copy->terms = bl_arena_new_array(f->pe->arena, struct bl_rego_term *,
					 count + 1);
	if (!copy->terms)
		return bl_partial_no_memory(f->pe), NULL;
	for (uint32_t i = 0; i < count; i++)
		copy->terms[i] = i + 1 < count ? written->terms[i]
					       : value(f, written->terms[i]);
	return count && !copy->terms[count - 1] ? NULL : copy;
}

static struct bl_rego_expr *plain(struct flattener *f,
				  const struct bl_rego_expr *written)
{
	struct bl_rego_term *only = written->terms[0];

	if (is_equality(only))
		return bl_partial_equality(f->pe, side(f, only->as.items[1]),
					   side(f, only->as.items[2]));
	if (only->kind == BL_TERM_CALL)
		return bl_partial_expr(f->pe, call(f, only, NULL));
	return bl_partial_expr(f->pe, side(f, only));
}

/* The name of a builtin or a function, which stays as it is. */
static bool names_function(struct bl_partial *pe, struct bl_rego_term *given)
{
	struct bl_rego_term *items[1] = { given };
	const struct bl_rego_term call = { .kind = BL_TERM_CALL,
					   .count = 1,
					   .as.items = items };
	const struct bl_node *node;

	if (given->kind == BL_TERM_VAR)
		return !bl_partial_is_var(given) && !is_bare_root(given);
	if (given->kind != BL_TERM_REF)
		return false;
	node = bl_call_node(&pe->compiler, &call);
	return node && node->kind == BL_RULE_FUNCTION;
}

/* The values of its "with"s; they are evaluated without them. */
static bool modifiers(struct flattener *f, const struct bl_rego_expr *written)
{
	struct bl_rego_with *withs = bl_arena_new_array(
		f->pe->arena, struct bl_rego_with, written->with_count + 1);

	f->withs = NULL;
	f->with_count = 0;
	if (!withs)
		return bl_partial_no_memory(f->pe);
	for (uint32_t i = 0; i < written->with_count; i++) {
		struct bl_rego_term *given = written->withs[i].value;

		withs[i].target = written->withs[i].target;
		withs[i].value =
			names_function(f->pe, given) ? given : value(f, given);
		if (!withs[i].value)
			return false;
	}
	f->withs = withs;
	f->with_count = written->with_count;
	return true;
}

/* "not x" as "not { x }". */
static struct bl_rego_expr *block(struct flattener *f,
				  const struct bl_rego_expr *written)
{
	struct bl_rego_expr *outer =
		bl_arena_new(f->pe->arena, struct bl_rego_expr);
	struct bl_rego_expr *inner =
		bl_arena_new(f->pe->arena, struct bl_rego_expr);
	struct bl_rego_body *body =
		bl_arena_new(f->pe->arena, struct bl_rego_body);
	struct bl_rego_expr **exprs =
		bl_arena_new_array(f->pe->arena, struct bl_rego_expr *, 1);
	struct bl_rego_body **bodies =
		bl_arena_new_array(f->pe->arena, struct bl_rego_body *, 1);

	if (!outer || !inner || !body || !exprs || !bodies)
		return bl_partial_no_memory(f->pe), NULL;
	*inner = *written;
	inner->negated = false;
	exprs[0] = inner;
	body->exprs = exprs;
	body->count = 1;
	body->braced = true;
	bodies[0] = body;
	outer->kind = BL_EXPR_NOT_BODY;
	outer->body_count = 1;
	outer->bodies = bodies;
	return outer;
}

static bool flatten(struct flattener *f, const struct bl_rego_expr *written)
{
	struct bl_rego_expr *made;

	if (written->kind == BL_EXPR_SOME)
		return true;
	if (written->negated && f->blocks) {
		f->with_count = 0;
		return emit(f, block(f, written));
	}
	if (!modifiers(f, written))
		return false;
	if (written->kind == BL_EXPR_TERM)
		made = plain(f, written);
	else if (written->kind == BL_EXPR_SOME_IN)
		made = some_in(f, written);
	else
		made = with_bodies(f, written);
	if (!made)
		return false;
	made->negated = written->negated;
	made->range = written->range;
	return emit(f, made);
}

bool bl_partial_flatten(struct bl_partial *pe, const struct bl_rego_body *body,
			int32_t base, bool blocks, struct bl_partial_list *out)
{
	struct flattener f = { .pe = pe, .out = out, .blocks = blocks };
	const struct bl_rego_body *own = bl_partial_rename_body(pe, body, base);

	if (!own)
		return false;
	for (size_t i = 0; i < own->count; i++)
		if (!flatten(&f, own->exprs[i]))
			return false;
	return true;
}

struct bl_rego_term *bl_partial_flatten_term(struct bl_partial *pe,
					     const struct bl_rego_term *t,
					     int32_t base,
					     struct bl_partial_list *out)
{
	struct flattener f = { .pe = pe, .out = out };
	struct bl_rego_term *own = bl_partial_rename(pe, t, base);

	return own ? value(&f, own) : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: making two terms equal.  A variable without a value gets
 * one; what is not known is saved as "a = b".
 */
#include "rego/partial/private.h"

struct list {
	struct bl_partial_next next;
	struct bl_rego_term *const *a;
	struct bl_rego_term *const *b;
	size_t count;
	size_t at;
	const struct bl_partial_next *after;
};

static bool next_item(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct list *one = (const struct list *)next;
	struct list rest = *one;

	if (one->at == one->count)
		return bl_partial_go(pe, one->after);
	rest.at++;
	return bl_partial_unify(pe, one->a[one->at], one->b[one->at],
				&rest.next);
}

bool bl_partial_unify_lists(struct bl_partial *pe,
			    struct bl_rego_term *const *a,
			    struct bl_rego_term *const *b, size_t count,
			    const struct bl_partial_next *next)
{
	struct list first = { { next_item }, a, b, count, 0, next };

	return next_item(pe, &first.next);
}

/* The items of an array, or the values of an object by the order of keys. */
static bool unify_items(struct bl_partial *pe, struct bl_rego_term *a,
			struct bl_rego_term *b,
			const struct bl_partial_next *next)
{
	size_t count = bl_partial_item_count(a);
	struct bl_rego_term **left =
		bl_arena_new_array(pe->arena, struct bl_rego_term *, count + 1);
	struct bl_rego_term **right =
		bl_arena_new_array(pe->arena, struct bl_rego_term *, count + 1);
	bool objects = bl_partial_is_object(a);

	if (count != bl_partial_item_count(b))
		return true;
	if (!left || !right)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < count; i++) {
		left[i] = bl_partial_item(pe, a, i);
		right[i] = objects ? NULL : bl_partial_item(pe, b, i);
		for (size_t j = 0; objects && j < count; j++) {
			struct bl_rego_term *x = bl_partial_key(pe, a, i);
			struct bl_rego_term *y = bl_partial_key(pe, b, j);

			if (x && y && bl_partial_equal(x, y))
				right[i] = bl_partial_item(pe, b, j);
		}
		if (!left[i] || !right[i])
			return !pe->status;
	}
	return bl_partial_unify_lists(pe, left, right, count, next);
}

static bool bind(struct bl_partial *pe, struct bl_rego_term *var,
		 struct bl_rego_term *value, const struct bl_partial_next *next)
{
	bool ok;

	pe->vars[var->slot].value = value;
	ok = bl_partial_go(pe, next);
	pe->vars[var->slot].value = NULL;
	return ok;
}

static bool is_unknown(struct bl_partial *pe, struct bl_rego_term *t)
{
	if (t->kind == BL_TERM_SET)
		return bl_partial_has_saved(pe, t);
	return bl_partial_is_unknown(pe, t);
}

struct valued {
	struct bl_partial_next next;
	struct bl_rego_term *name;
	struct bl_rego_term *other;
	const struct bl_partial_next *after;
};

static bool unify_valued(struct bl_partial *pe,
			 const struct bl_partial_next *next)
{
	const struct valued *one = (const struct valued *)next;

	return bl_partial_unify(pe, one->name, one->other, one->after);
}

/* A comprehension: known, or saved with the values of what it names. */
static bool unify_closure(struct bl_partial *pe, struct bl_rego_term *closure,
			  struct bl_rego_term *other, bool swap,
			  const struct bl_partial_next *next)
{
	struct valued one = {
		{ unify_valued }, bl_partial_fresh(pe), other, next
	};
	struct bl_rego_expr *statement;
	struct bl_rego_term *plugged;

	if (!bl_partial_term_depends(pe, closure)) {
		statement =
			pe->status ? NULL
				   : bl_partial_equality(pe, one.name, closure);
		return statement && bl_partial_known(pe, statement, &one.next);
	}
	plugged = bl_partial_plug(pe, closure);
	if (!plugged)
		return false;
	return swap ? bl_partial_save_equality(pe, other, plugged, next)
		    : bl_partial_save_equality(pe, plugged, other, next);
}

static bool unify_values(struct bl_partial *pe, struct bl_rego_term *a,
			 struct bl_rego_term *b,
			 const struct bl_partial_next *next)
{
	bool left = is_unknown(pe, a);
	bool right;

	if (!left && a->kind == BL_TERM_REF)
		return bl_partial_unify_ref(pe, a, b, next);
	right = is_unknown(pe, b);
	if (!right && b->kind == BL_TERM_REF)
		return bl_partial_unify_ref(pe, b, a, next);
	if (left || right)
		return bl_partial_save_equality(pe, a, b, next);
	if (bl_partial_is_closure(a))
		return unify_closure(pe, a, b, false, next);
	if (bl_partial_is_closure(b))
		return unify_closure(pe, b, a, true, next);
	if (bl_partial_is_var(a))
		return bl_partial_is_var(b) && a->slot == b->slot
			       ? bl_partial_go(pe, next)
			       : bind(pe, a, b, next);
	if (bl_partial_is_var(b))
		return bind(pe, b, a, next);
	a = bl_partial_plug(pe, a);
	b = bl_partial_plug(pe, b);
	if (!a || !b)
		return false;
	return bl_partial_equal(a, b) ? bl_partial_go(pe, next) : true;
}

bool bl_partial_unify(struct bl_partial *pe, struct bl_rego_term *a,
		      struct bl_rego_term *b,
		      const struct bl_partial_next *next)
{
	bool ok;

	if (!a || !b || !bl_partial_enter(pe))
		return false;
	a = bl_partial_deref(pe, a);
	b = bl_partial_deref(pe, b);
	if (a->kind == BL_TERM_SCALAR && b->kind == BL_TERM_SCALAR)
		ok = bl_partial_equal(a, b) ? bl_partial_go(pe, next) : true;
	else if ((bl_partial_is_array(a) && bl_partial_is_array(b)) ||
		 (bl_partial_is_object(a) && bl_partial_is_object(b)))
		ok = unify_items(pe, a, b, next);
	else
		ok = unify_values(pe, a, b, next);
	bl_partial_leave(pe);
	return ok;
}

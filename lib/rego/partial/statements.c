/* SPDX-License-Identifier: Apache-2.0 */
/* Partial evaluation: statements one after the other, and what is saved. */
#include "rego/partial/private.h"

/* ---- what is saved ----------------------------------------------------------- */

struct marker {
	struct bl_partial_visitor visitor;
	struct bl_partial *pe;
	bool ok;
};

static void mark(struct bl_partial_visitor *visitor,
		 const struct bl_rego_term *var)
{
	struct marker *marker = (struct marker *)visitor;
	struct bl_partial *pe = marker->pe;
	struct bl_partial_var *own = &pe->vars[var->slot];
	int32_t *marks;

	if (own->value) {
		bl_partial_each_var(visitor, own->value);
		return;
	}
	marks = bl_partial_grow(pe, pe->marks, pe->mark_count, &pe->mark_cap,
				sizeof(*marks));
	if (!marks) {
		marker->ok = false;
		return;
	}
	pe->marks = marks;
	pe->marks[pe->mark_count++] = var->slot;
	own->saved++;
}

static bool mark_all(struct bl_partial *pe, struct bl_rego_term *t)
{
	struct marker marker = { { mark, false, true }, pe, true };

	bl_partial_each_var(&marker.visitor, t);
	return marker.ok;
}

static void unmark(struct bl_partial *pe, size_t count)
{
	while (pe->mark_count > count)
		pe->vars[pe->marks[--pe->mark_count]].saved--;
}

bool bl_partial_save(struct bl_partial *pe, struct bl_rego_expr *statement,
		     const struct bl_partial_next *next)
{
	bool ok;

	if (!bl_partial_add(pe, &pe->saved, statement))
		return false;
	ok = bl_partial_go(pe, next);
	pe->saved.count--;
	return ok;
}

/* The modifiers of the statement that is evaluated go with what is saved of it. */
static void modify(const struct bl_partial *pe, struct bl_rego_expr *statement)
{
	if (!pe->withs.saved_count)
		return;
	statement->withs = (struct bl_rego_with *)(uintptr_t)pe->withs.saved;
	statement->with_count = pe->withs.saved_count;
}

bool bl_partial_save_equality(struct bl_partial *pe, struct bl_rego_term *a,
			      struct bl_rego_term *b,
			      const struct bl_partial_next *next)
{
	struct bl_rego_expr *statement = bl_partial_equality(pe, a, b);
	size_t marks = pe->mark_count;
	bool ok;

	if (!statement)
		return false;
	modify(pe, statement);
	ok = mark_all(pe, a) && mark_all(pe, b) &&
	     bl_partial_save(pe, statement, next);
	unmark(pe, marks);
	return ok;
}

bool bl_partial_save_marking(struct bl_partial *pe,
			     struct bl_rego_expr *statement,
			     struct bl_rego_term *gives,
			     const struct bl_partial_next *next)
{
	size_t marks = pe->mark_count;
	bool ok;

	if (!statement)
		return false;
	if (!statement->with_count)
		modify(pe, statement);
	ok = (!gives || mark_all(pe, gives)) &&
	     bl_partial_save(pe, statement, next);
	unmark(pe, marks);
	return ok;
}

bool bl_partial_take_saved(struct bl_partial *pe, struct bl_partial_list *out)
{
	*out = (struct bl_partial_list){ 0 };
	for (size_t i = pe->saved_from; i < pe->saved.count; i++) {
		struct bl_rego_expr *plugged =
			bl_partial_plug_expr(pe, pe->saved.exprs[i]);

		if (!plugged || !bl_partial_add(pe, out, plugged))
			return false;
	}
	return true;
}

/* ---- a term ------------------------------------------------------------------- */

struct held {
	struct bl_partial_next next;
	struct bl_rego_term *name;
	const struct bl_partial_next *after;
};

/* It has a value: which must not be false, now or later. */
static bool held(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct held *one = (const struct held *)next;
	struct bl_rego_term *found;

	if (bl_partial_is_unknown(pe, one->name))
		return bl_partial_save_marking(
			pe, bl_partial_expr(pe, one->name), NULL, one->after);
	found = bl_partial_deref(pe, one->name);
	if (found->kind == BL_TERM_SCALAR &&
	    bl_value_equal(found->as.value, bl_value_boolean(false)))
		return true;
	return bl_partial_go(pe, one->after);
}

static bool hold(struct bl_partial *pe, struct bl_rego_term *t,
		 const struct bl_partial_next *next)
{
	struct held one = { { held }, bl_partial_fresh(pe), next };

	return one.name && bl_partial_unify(pe, t, one.name, &one.next);
}

/* ---- one statement ------------------------------------------------------------ */

static bool has_ref(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_REF || bl_partial_is_closure(t);
}

static bool save_builtin(struct bl_partial *pe, struct bl_rego_expr *statement,
			 const struct bl_builtin *builtin,
			 const struct bl_partial_next *next)
{
	const struct bl_rego_term *called = statement->terms[0];
	struct bl_rego_term *result =
		called->count == builtin->arity + 2U
			? called->as.items[called->count - 1]
			: NULL;

	return bl_partial_save_marking(
		pe, bl_partial_expr(pe, statement->terms[0]), result, next);
}

bool bl_partial_plain(struct bl_partial *pe, struct bl_rego_expr *statement,
		      const struct bl_partial_next *next)
{
	struct bl_rego_term *only;
	const struct bl_builtin *builtin;

	if (bl_partial_is_equality(statement)) {
		only = statement->terms[0];
		if ((!has_ref(only->as.items[1]) &&
		     !has_ref(only->as.items[2])) ||
		    bl_partial_depends(pe, statement))
			return bl_partial_unify(pe, only->as.items[1],
						only->as.items[2], next);
		return pe->status ? false
				  : bl_partial_known(pe, statement, next);
	}
	if (!bl_partial_depends(pe, statement))
		return pe->status ? false
				  : bl_partial_known(pe, statement, next);
	if (statement->kind == BL_EXPR_EVERY)
		return bl_partial_every(pe, statement, next);
	if (statement->kind == BL_EXPR_NOT_BODY)
		return bl_partial_not_body(pe, statement, next);
	if (statement->kind != BL_EXPR_TERM)
		return bl_partial_save_marking(
			pe, bl_partial_plug_expr(pe, statement), NULL, next);
	only = statement->terms[0];
	if (only->kind != BL_TERM_CALL)
		return hold(pe, only, next);
	builtin = bl_call_builtin(only);
	return builtin ? save_builtin(pe, statement, builtin, next)
		       : bl_partial_call(pe, statement, next);
}

/* ---- "with" ------------------------------------------------------------------- */

struct modified {
	struct bl_partial_next next;
	struct bl_partial_withs outer;
	const struct bl_partial_next *after;
};

/* The statement held: what follows is evaluated without its modifiers. */
static bool go_without(struct bl_partial *pe,
		       const struct bl_partial_next *next)
{
	const struct modified *one = (const struct modified *)next;
	struct bl_partial_withs own = pe->withs;
	size_t disabled = pe->disabled_count;
	bool ok;

	pe->withs = one->outer;
	ok = bl_partial_go(pe, one->after);
	pe->withs = own;
	pe->disabled_count = disabled;
	return ok;
}

/* Rules that the statement refers to are written out, as seen through it. */
static bool disable_refs(struct bl_partial *pe, const struct bl_rego_term *t)
{
	if (t->kind == BL_TERM_REF && !bl_partial_disable(pe, t, true))
		return false;
	if (t->kind == BL_TERM_SCALAR || t->kind == BL_TERM_VAR)
		return true;
	for (uint32_t i = 0; i < t->count; i++)
		if (!disable_refs(pe, t->as.items[i]))
			return false;
	return true;
}

/* Can it not be evaluated now: functions replaced, or values not known? */
static bool is_opaque(struct bl_partial *pe,
		      const struct bl_rego_expr *statement)
{
	for (uint32_t i = 0; i < statement->with_count; i++) {
		const struct bl_rego_term *target = statement->withs[i].target;
		const struct bl_rego_term *root = target->kind == BL_TERM_REF
							  ? target->as.items[0]
							  : target;
		const struct bl_rego_term call = {
			.kind = BL_TERM_CALL,
			.count = 1,
			.as.items = (struct bl_rego_term *[]){ (
				struct bl_rego_term *)(uintptr_t)target }
		};
		const struct bl_node *node;

		if (!bl_term_is_root(root, "input") &&
		    !bl_term_is_root(root, "data"))
			return true;
		node = bl_term_is_root(root, "data")
			       ? bl_call_node(&pe->compiler, &call)
			       : NULL;
		if ((node && node->kind == BL_RULE_FUNCTION) ||
		    bl_partial_has_saved(pe, statement->withs[i].value))
			return true;
	}
	return false;
}

/* Variables that get their values by a statement that is saved as it is. */
static struct bl_rego_term *given_by(const struct bl_rego_expr *statement)
{
	return statement->kind == BL_EXPR_TERM ? statement->terms[0] : NULL;
}

static bool with(struct bl_partial *pe, struct bl_rego_expr *statement,
		 const struct bl_partial_next *next)
{
	struct modified one = { { go_without }, pe->withs, next };
	struct bl_rego_expr inner = *statement;
	struct bl_rego_expr *plugged = bl_partial_plug_expr(pe, statement);
	uint32_t before = pe->withs.known_count;
	struct bl_rego_with *known = bl_arena_new_array(
		pe->arena, struct bl_rego_with, before + statement->with_count);
	size_t disabled = pe->disabled_count;
	bool ok = true;

	if (!plugged || !known)
		return bl_partial_no_memory(pe);
	inner.with_count = 0;
	if (!bl_partial_depends(pe, &inner))
		return pe->status ? false
				  : bl_partial_known(pe, statement, next);
	if (is_opaque(pe, statement))
		return bl_partial_save_marking(pe, plugged, given_by(statement),
					       next);
	for (uint32_t i = 0; i < before; i++)
		known[i] = pe->withs.known[i];
	for (uint32_t i = 0; i < statement->with_count; i++)
		known[before + i] = plugged->withs[i];
	for (uint32_t i = 0; ok && i < inner.term_count; i++)
		ok = disable_refs(pe, inner.terms[i]);
	pe->withs = (struct bl_partial_withs){ plugged->withs,
					       statement->with_count, known,
					       before + statement->with_count };
	ok = ok && bl_partial_plain(pe, &inner, &one.next);
	pe->withs = one.outer;
	bl_partial_enable(pe, disabled);
	return ok;
}

/* ---- all of them -------------------------------------------------------------- */

struct step {
	struct bl_partial_next next;
	const struct bl_partial_list *list;
	size_t at;
	const struct bl_partial_next *after;
};

static bool step(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct step *one = (const struct step *)next;
	struct step rest = *one;
	struct bl_rego_expr *statement;
	bool ok;

	if (one->at == one->list->count)
		return bl_partial_go(pe, one->after);
	if (!bl_partial_enter(pe))
		return false;
	statement = one->list->exprs[rest.at++];
	if (statement->negated)
		ok = bl_partial_not(pe, statement, &rest.next);
	else if (statement->with_count)
		ok = with(pe, statement, &rest.next);
	else
		ok = bl_partial_plain(pe, statement, &rest.next);
	bl_partial_leave(pe);
	return ok;
}

bool bl_partial_statements(struct bl_partial *pe,
			   const struct bl_partial_list *list,
			   const struct bl_partial_next *next)
{
	struct step first = { { step }, list, 0, next };

	return step(pe, &first.next);
}

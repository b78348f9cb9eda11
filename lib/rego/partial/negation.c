/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: what stands in a scope of its own.
 *
 * The operand of "not" leaves queries, of which none may hold.  When they are
 * simple, each statement is negated instead, in every combination:
 *
 *     not (a and b or c and d)   ->   not a, not c;  not a, not d;
 *                                     not b, not c;  not b, not d
 *
 * Otherwise they become the bodies of a rule of their own, data.partial.__notN__.
 */
#include "rego/partial/private.h"

/* ---- what is left of the operand ---------------------------------------------------- */

struct queries {
	struct bl_partial_list *items;
	size_t count;
	size_t cap;
};

struct collector {
	struct bl_partial_next next;
	struct queries *queries;
	bool propagate;
};

/* The variables saved before the operand was, for as long as it is looked at. */
struct outer_live {
	struct bl_partial_live live;
	const int32_t *marks;
	size_t count;
};

static bool is_outer(const struct bl_partial_live *live, int32_t id)
{
	const struct outer_live *outer = (const struct outer_live *)live;

	for (size_t i = 0; i < outer->count; i++)
		if (outer->marks[i] == id)
			return true;
	return false;
}

struct collecting {
	struct collector collector;
	struct outer_live outer;
};

static bool collect(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct collecting *one = (const struct collecting *)next;
	struct queries *queries = one->collector.queries;
	struct bl_partial_list *items =
		bl_partial_grow(pe, queries->items, queries->count,
				&queries->cap, sizeof(*items));

	if (!items)
		return false;
	queries->items = items;
	if (!bl_partial_take_saved(pe, &items[queries->count]))
		return false;
	return (!one->collector.propagate ||
		bl_partial_propagate(pe, &one->outer.live, true,
				     &items[queries->count])) &&
	       ++queries->count;
}

static bool evaluate(struct bl_partial *pe, const struct bl_partial_list *list,
		     bool propagate, struct queries *out)
{
	int32_t *marks =
		bl_arena_new_array(pe->arena, int32_t, pe->mark_count + 1);
	struct collecting one = {
		.collector = { { collect }, out, propagate },
		.outer = { { is_outer }, marks, pe->mark_count },
	};

	if (!marks)
		return bl_partial_no_memory(pe);
	if (pe->mark_count)
		memcpy(marks, pe->marks, pe->mark_count * sizeof(*marks));
	return bl_partial_apart(pe, list, &one.collector.next);
}

/* ---- can each statement be negated by itself? ------------------------------------------ */

static bool has_ref_or_call(const struct bl_rego_term *t, uint32_t from)
{
	if (t->kind == BL_TERM_SCALAR || t->kind == BL_TERM_VAR)
		return false;
	if (!from && (t->kind == BL_TERM_REF || t->kind == BL_TERM_CALL ||
		      bl_partial_is_closure(t)))
		return true;
	for (uint32_t i = from; i < t->count; i++)
		if (has_ref_or_call(t->as.items[i], 0))
			return true;
	return false;
}

/* A reference may stand alone, with simple parts. */
static bool is_simple(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_REF ? !has_ref_or_call(t, 1)
				      : !has_ref_or_call(t, 0);
}

struct free_finder {
	struct bl_partial_visitor visitor;
	const struct bl_partial *pe;
	bool found;
};

static void find_free(struct bl_partial_visitor *visitor,
		      const struct bl_rego_term *var)
{
	struct free_finder *finder = (struct free_finder *)visitor;

	finder->found |= !finder->pe->vars[var->slot].saved;
}

static bool can_negate(const struct bl_partial *pe,
		       const struct bl_rego_expr *one)
{
	struct free_finder finder = { { find_free, false, false }, pe, false };
	const struct bl_rego_term *only;

	if (one->kind == BL_EXPR_NOT_BODY) {
		for (size_t i = 0; i < one->bodies[0]->count; i++)
			if (!can_negate(pe, one->bodies[0]->exprs[i]))
				return false;
		return true;
	}
	if (one->kind != BL_EXPR_TERM)
		return false;
	only = one->terms[0];
	if (only->kind == BL_TERM_CALL) {
		for (uint32_t i = 1; i < only->count; i++)
			if (bl_partial_is_equality(one)
				    ? !is_simple(only->as.items[i])
				    : has_ref_or_call(only->as.items[i], 0))
				return false;
	} else if (!is_simple(only)) {
		return false;
	}
	if (!one->negated)
		bl_partial_each_var_of(&finder.visitor, one);
	return !finder.found;
}

static bool can_inline(const struct bl_partial *pe,
		       const struct queries *queries)
{
	size_t size = 1;

	for (size_t i = 0; i < queries->count; i++) {
		size *= queries->items[i].count;
		if (size > BL_PARTIAL_MAX_NEGATED)
			return false;
		for (size_t j = 0; j < queries->items[i].count; j++)
			if (!can_negate(pe, queries->items[i].exprs[j]))
				return false;
	}
	return true;
}

/* ---- every combination ------------------------------------------------------------------ */

struct product {
	const struct queries *queries;
	size_t at;
	const struct bl_rego_expr *written; /* for its modifiers */
	const struct bl_partial_next *after;
};

struct saving {
	struct bl_partial_next next;
	struct product rest;
};

static bool combine(struct bl_partial *pe, const struct product *product);

static bool combine_next(struct bl_partial *pe,
			 const struct bl_partial_next *next)
{
	return combine(pe, &((const struct saving *)next)->rest);
}

static struct bl_rego_expr *negated(struct bl_partial *pe,
				    const struct bl_rego_expr *one,
				    const struct bl_rego_expr *written)
{
	struct bl_rego_expr *plugged = bl_partial_plug_expr(pe, one);

	if (!plugged)
		return NULL;
	plugged->negated = !one->negated;
	if (written->with_count) {
		struct bl_rego_expr *withs = bl_partial_plug_expr(pe, written);

		if (!withs)
			return NULL;
		plugged->withs = withs->withs;
		plugged->with_count = withs->with_count;
	}
	return plugged;
}

struct bodies {
	struct bl_partial_next next;
	const struct bl_rego_body *body;
	size_t at;
	const struct bl_partial_next *after;
};

/* "not not {...}": its statements, one by one. */
static bool save_body(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct bodies *one = (const struct bodies *)next;
	struct bodies rest = *one;

	if (one->at == one->body->count)
		return bl_partial_go(pe, one->after);
	rest.at++;
	return bl_partial_save(pe, one->body->exprs[one->at], &rest.next);
}

static bool combine(struct bl_partial *pe, const struct product *product)
{
	struct saving rest = { { combine_next }, *product };
	const struct bl_partial_list *list;

	if (product->at == product->queries->count)
		return bl_partial_go(pe, product->after);
	list = &product->queries->items[product->at];
	rest.rest.at++;
	for (size_t i = 0; i < list->count; i++) {
		const struct bl_rego_expr *one = list->exprs[i];
		struct bl_rego_expr *other;

		if (one->kind == BL_EXPR_NOT_BODY) {
			struct bodies bodies = {
				{ save_body }, one->bodies[0], 0, &rest.next
			};

			if (!save_body(pe, &bodies.next))
				return false;
			continue;
		}
		other = negated(pe, one, product->written);
		if (!other || !bl_partial_save(pe, other, &rest.next))
			return false;
	}
	return true;
}

/* ---- a rule of its own ----------------------------------------------------------------------- */

struct naming {
	struct bl_partial_visitor visitor;
	struct bl_partial *pe;
	int32_t *ids;
	size_t count;
	size_t cap;
};

static void note_saved(struct bl_partial_visitor *visitor,
		       const struct bl_rego_term *var)
{
	struct naming *naming = (struct naming *)visitor;
	int32_t *ids;

	if (!naming->pe->vars[var->slot].saved)
		return;
	for (size_t i = 0; i < naming->count; i++)
		if (naming->ids[i] == var->slot)
			return;
	ids = bl_partial_grow(naming->pe, naming->ids, naming->count,
			      &naming->cap, sizeof(*ids));
	if (!ids)
		return;
	naming->ids = ids;
	naming->ids[naming->count++] = var->slot;
}

static bool make_rule(struct bl_partial *pe, const struct bl_rego_expr *written,
		      const struct queries *queries,
		      const struct bl_partial_next *next)
{
	struct naming naming = { { note_saved, true, false }, pe };
	struct bl_str name = bl_arena_printf(pe->arena, "__not%u__",
					     (unsigned)++pe->support_names);
	struct bl_rego_term *ref = bl_partial_term(pe, BL_TERM_REF, 3);
	struct bl_rego_term *call;
	struct bl_rego_expr *statement;

	for (size_t i = 0; i < queries->count; i++)
		for (size_t j = 0; j < queries->items[i].count; j++)
			bl_partial_each_var_of(&naming.visitor,
					       queries->items[i].exprs[j]);
	if (!ref || !name.ptr || pe->status)
		return bl_partial_no_memory(pe);
	ref->as.items[0] = bl_partial_root(pe, "data");
	ref->as.items[1] =
		bl_partial_constant(pe, bl_value_string(BL_STR("partial")));
	ref->as.items[2] = bl_partial_constant(pe, bl_value_string(name));
	call = bl_partial_term(pe, BL_TERM_CALL, (uint32_t)naming.count + 1);
	if (!call || pe->status)
		return false;
	call->as.items[0] = ref;
	for (size_t i = 0; i < naming.count; i++)
		call->as.items[i + 1] = bl_partial_var(pe, naming.ids[i]);
	for (size_t i = 0; i < queries->count; i++)
		if (!bl_partial_add_made_support(pe, name, call->as.items + 1,
						 naming.count,
						 &queries->items[i]))
			return false;
	statement = bl_partial_expr(pe, naming.count ? call : ref);
	statement = statement ? negated(pe, statement, written) : NULL;
	return statement && bl_partial_save(pe, statement, next);
}

/* ---- "not" ---------------------------------------------------------------------------------- */

bool bl_partial_not(struct bl_partial *pe, struct bl_rego_expr *statement,
		    const struct bl_partial_next *next)
{
	struct bl_rego_expr *inner =
		bl_arena_new(pe->arena, struct bl_rego_expr);
	struct bl_partial_list list = { 0 };
	struct queries queries = { 0 };
	struct product product = { &queries, 0, statement, next };
	struct bl_rego_expr bare = *statement;

	if (!inner)
		return bl_partial_no_memory(pe);
	bare.with_count = 0;
	if (!bl_partial_depends(pe, &bare))
		return pe->status ? false
				  : bl_partial_known(pe, statement, next);
	*inner = *statement;
	inner->negated = false;
	if (!bl_partial_add(pe, &list, inner) ||
	    !evaluate(pe, &list, !pe->options->shallow, &queries))
		return false;
	if (!queries.count)
		return bl_partial_go(pe, next);
	return can_inline(pe, &queries)
		       ? combine(pe, &product)
		       : make_rule(pe, statement, &queries, next);
}

/* "not { ... }": each of what is left is one again. */
bool bl_partial_not_body(struct bl_partial *pe, struct bl_rego_expr *statement,
			 const struct bl_partial_next *next)
{
	struct bl_partial_list list = { 0 };
	struct queries queries = { 0 };
	struct bl_rego_body *all = bl_arena_new(pe->arena, struct bl_rego_body);
	struct bodies bodies = { { save_body }, all, 0, next };

	if (!all)
		return bl_partial_no_memory(pe);
	if (!bl_partial_flatten(pe, statement->bodies[0], 0, false, &list) ||
	    !evaluate(pe, &list, false, &queries))
		return false;
	all->exprs = bl_arena_new_array(pe->arena, struct bl_rego_expr *,
					queries.count + 1);
	if (!all->exprs)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < queries.count; i++) {
		struct bl_rego_expr *one =
			bl_arena_new(pe->arena, struct bl_rego_expr);
		struct bl_rego_body *body =
			bl_arena_new(pe->arena, struct bl_rego_body);

		if (!one || !body)
			return bl_partial_no_memory(pe);
		if (!queries.items[i].count)
			return true;
		body->exprs = queries.items[i].exprs;
		body->count = queries.items[i].count;
		body->braced = true;
		*one = *statement;
		one->bodies =
			bl_arena_new_array(pe->arena, struct bl_rego_body *, 1);
		if (!one->bodies)
			return bl_partial_no_memory(pe);
		one->bodies[0] = body;
		all->exprs[all->count++] = one;
	}
	return save_body(pe, &bodies.next);
}

/* ---- "every" ----------------------------------------------------------------------------------- */

struct round_copier {
	struct bl_partial_copier copier;
	int32_t from;
	int32_t to;
	int32_t shift;
};

static struct bl_rego_term *of_round(struct bl_partial_copier *copier,
				     const struct bl_rego_term *var)
{
	const struct round_copier *one = (const struct round_copier *)copier;
	bool is_own = var->slot >= one->from && var->slot < one->to;

	return bl_partial_var(copier->pe,
			      is_own ? var->slot + one->shift : var->slot);
}

/* The statements of one round, whose key and value are known. */
static bool add_round(struct bl_partial *pe, const struct bl_rego_expr *every,
		      const struct bl_rego_term *domain, size_t i,
		      struct bl_partial_list *out)
{
	const struct bl_rego_body *body = every->bodies[0];
	int32_t count = body->slot_to - body->slot_from;
	int32_t base = bl_partial_new_vars(pe, (size_t)count);
	uint32_t last = every->term_count - 1;
	struct round_copier copier = {
		.copier = { .pe = pe, .leaf = of_round },
		.from = body->slot_from,
		.to = body->slot_to,
		.shift = base - body->slot_from,
	};
	struct bl_rego_body *own;
	struct bl_rego_term *name;

	if (base < 0)
		return false;
	for (int32_t j = 0; j < count; j++)
		pe->vars[base + j].name = pe->vars[body->slot_from + j].name;
	own = bl_partial_copy_body(&copier.copier, body);
	name = bl_partial_copy(&copier.copier, every->terms[last - 1]);
	if (!own || !name ||
	    !bl_partial_add(pe, out,
			    bl_partial_equality(
				    pe, name, bl_partial_item(pe, domain, i))))
		return false;
	if (last == 2) {
		name = bl_partial_copy(&copier.copier, every->terms[0]);
		if (!name ||
		    !bl_partial_add(
			    pe, out,
			    bl_partial_equality(pe, name,
						bl_partial_key(pe, domain, i))))
			return false;
	}
	return bl_partial_flatten(pe, own, 0, false, out);
}

struct rounds {
	struct bl_partial_next next;
	size_t outer;
	const struct bl_partial_next *after;
};

static bool all_hold(struct bl_partial *pe, const struct bl_partial_next *next)
{
	const struct rounds *one = (const struct rounds *)next;
	size_t own = pe->unrolled;
	bool ok;

	pe->unrolled = one->outer;
	ok = bl_partial_go(pe, one->after);
	pe->unrolled = own;
	return ok;
}

bool bl_partial_every(struct bl_partial *pe, struct bl_rego_expr *statement,
		      const struct bl_partial_next *next)
{
	struct bl_rego_term *domain = bl_partial_plug(
		pe, statement->terms[statement->term_count - 1]);
	struct rounds one = { { all_hold }, pe->unrolled, next };
	struct bl_partial_list list = { 0 };
	size_t around = pe->unrolled ? pe->unrolled : 1;
	size_t count;
	bool ok;

	if (!domain)
		return false;
	count = bl_partial_item_count(domain);
	if (bl_partial_term_depends(pe, domain) ||
	    (count ? count : 1) * around > BL_PARTIAL_MAX_UNROLL ||
	    domain->kind == BL_TERM_OBJECT)
		return bl_partial_save_marking(
			pe, bl_partial_plug_expr(pe, statement), NULL, next);
	if (domain->kind == BL_TERM_SCALAR &&
	    domain->as.value.kind < BL_KIND_ARRAY)
		return true;
	for (size_t i = 0; i < count; i++)
		if (!add_round(pe, statement, domain, i, &list))
			return false;
	pe->unrolled = around * (count ? count : 1);
	ok = bl_partial_statements(pe, &list, &one.next);
	pe->unrolled = one.outer;
	return ok;
}

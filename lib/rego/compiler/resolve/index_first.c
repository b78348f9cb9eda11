/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the terms that OPA's index of rules evaluates before a rule's body.
 *
 * That can be seen: when something on the way would end the evaluation (keys of an
 * object comprehension, or values of a rule, that conflict), but a part of input that
 * stands behind it is missing or another one, OPA never comes to it.
 *
 *     allow if {
 *         m := {k: v | some i; k := input.keys[i]; v := i}   # may conflict
 *         m.x == 1
 *         input.user == "ann"                                # the index asks first
 *     }
 *
 * With {"keys": ["x", "x"], "user": "bob"} OPA's answer is "undefined", not the
 * conflict of m.  So in rules that have something of that kind, what stands behind it
 * and can be known from input and base documents is put before the body: here
 * input.user == "ann", moved as a whole; of a statement that cannot be moved, only that the parts of input
 * which it names are there.
 */
#include "rego/compiler/parse/visit.h"
#include "rego/compiler/resolve/resolve.h"

struct finder {
	struct bl_resolver *resolver;
	const struct bl_rego_body *body;
	struct bl_statements first; /* of our own, and moved ones */
	const struct bl_rego_term **refs;
	size_t ref_count;
	size_t ref_cap;
};

/* ---- what can end the evaluation ----------------------------------------- */

/* Below input, or below data where no rule is, with constant parts only. */
static bool is_base(const struct bl_resolver *resolver,
		    const struct bl_rego_term *term)
{
	const struct bl_node *node = NULL;

	if (term->kind != BL_TERM_REF)
		return false;
	if (bl_term_is_root(term->as.items[0], "data"))
		node = resolver->compiler->root;
	else if (!bl_term_is_root(term->as.items[0], "input"))
		return false;
	for (uint32_t i = 1; i < term->count; i++) {
		if (term->as.items[i]->kind != BL_TERM_SCALAR)
			return false;
		if (node && node->kind != BL_RULE_NONE)
			return false;
		if (node)
			node = bl_node_find_child(node,
						  term->as.items[i]->as.value);
	}
	return !node;
}

struct risk {
	struct bl_visitor visitor; /* first: see_risk is given this */
	const struct bl_resolver *resolver;
};

/* Done: something risky was found. */
static bool see_risk(struct bl_visitor *visitor,
		     const struct bl_rego_term *term)
{
	const struct risk *risk = (const struct risk *)visitor;

	if (term->kind == BL_TERM_OBJECT_COMPREHENSION ||
	    (term->kind == BL_TERM_VAR && bl_term_is_root(term, "data")))
		visitor->is_done = true;
	return term->kind != BL_TERM_TEMPLATE &&
	       !((term->kind == BL_TERM_REF || term->kind == BL_TERM_CALL) &&
		 is_base(risk->resolver, term));
}

bool bl_resolve_is_risky(const struct bl_resolver *resolver,
			 const struct bl_rego_term *term)
{
	struct risk risk = { { .term = see_risk }, resolver };

	bl_visit_term(&risk.visitor, term);
	return risk.visitor.is_done;
}

static bool is_risky_expr(const struct bl_resolver *resolver,
			  const struct bl_rego_expr *expr)
{
	struct risk risk = { { .term = see_risk }, resolver };

	bl_visit_expr(&risk.visitor, expr);
	return risk.visitor.is_done;
}

/* ---- statements that come first ------------------------------------------ */

static void put_call_first(struct finder *finder, const char *name,
			   struct bl_rego_term *a, struct bl_rego_term *b)
{
	bl_statements_add(finder->resolver, &finder->first,
			  bl_make_statement(finder->resolver, name, a, b));
}

static bool is_same(const struct bl_rego_term *a, const struct bl_rego_term *b)
{
	if (a->count != b->count ||
	    !bl_str_is(a->as.items[0]->as.name, "input") ==
		    bl_str_is(b->as.items[0]->as.name, "input"))
		return false;
	for (uint32_t i = 1; i < a->count; i++)
		if (!bl_value_equal(a->as.items[i]->as.value,
				    b->as.items[i]->as.value))
			return false;
	return true;
}

/* It has to be there. */
static void require(struct finder *finder, struct bl_rego_term *ref)
{
	struct bl_compiler *compiler = finder->resolver->compiler;
	const struct bl_rego_term **room;

	for (size_t i = 0; i < finder->ref_count; i++)
		if (is_same(finder->refs[i], ref))
			return;
	room = bl_arena_room(compiler->arena, finder->refs, finder->ref_count,
			     &finder->ref_cap, sizeof(*room));
	if (!room) {
		compiler->failed_memory = true;
		return;
	}
	finder->refs = room;
	room[finder->ref_count++] = ref;
	put_call_first(finder, "eq",
		       bl_make_blank(finder->resolver, ref->range), ref);
}

/* An array has to be there: of that length, and with these constants. */
static void require_array(struct finder *finder, struct bl_rego_term *ref,
			  const struct bl_rego_term *array)
{
	struct bl_resolver *resolver = finder->resolver;
	struct bl_rego_term *copy =
		bl_make_term(resolver, BL_TERM_ARRAY, array->range);

	if (!copy)
		return;
	copy->count = array->count;
	copy->as.items =
		NEW_ARRAY(resolver, struct bl_rego_term *, array->count);
	for (uint32_t i = 0; copy->as.items && i < array->count; i++) {
		struct bl_rego_term *item = array->as.items[i];

		copy->as.items[i] =
			item->kind == BL_TERM_SCALAR
				? item
				: bl_make_blank(resolver, item->range);
		if (!copy->as.items[i])
			return;
	}
	if (copy->as.items)
		put_call_first(finder, "eq", copy, ref);
}

/* ---- what OPA looks up --------------------------------------------------- */

static bool is_call_of(const struct bl_rego_term *term, const char *name)
{
	return term->kind == BL_TERM_CALL && term->count == 3 &&
	       term->as.items[0]->kind == BL_TERM_VAR &&
	       bl_str_is(term->as.items[0]->as.name, name);
}

static bool is_equation(const struct bl_rego_term *term)
{
	return is_call_of(term, "eq") || is_call_of(term, "assign") ||
	       is_call_of(term, "equal");
}

/* The reference below input that a statement of the body gives to a name; or NULL. */
static const struct bl_rego_term *alias_of(const struct finder *finder,
					   const struct bl_rego_term *name)
{
	for (size_t i = 0; finder->body && i < finder->body->count; i++) {
		const struct bl_rego_expr *expr = finder->body->exprs[i];

		if (expr->kind != BL_EXPR_TERM || expr->negated ||
		    expr->with_count || !is_equation(expr->terms[0]))
			continue;
		for (uint32_t side = 1; side < 3; side++) {
			const struct bl_rego_term *var =
				expr->terms[0]->as.items[side];
			const struct bl_rego_term *ref =
				expr->terms[0]->as.items[3 - side];

			if (var->kind == BL_TERM_VAR &&
			    var->slot == name->slot &&
			    is_base(finder->resolver, ref))
				return ref;
		}
	}
	return NULL;
}

/* x.b, when x is input.a, is input.a.b to the index. */
static void require_aliased(struct finder *finder,
			    const struct bl_rego_term *term)
{
	const struct bl_rego_term *head = term->as.items[0];
	const struct bl_rego_term *base;
	struct bl_rego_term *ref;

	if (head->kind != BL_TERM_VAR || head->slot < 0)
		return;
	for (uint32_t i = 1; i < term->count; i++)
		if (term->as.items[i]->kind != BL_TERM_SCALAR)
			return;
	base = alias_of(finder, head);
	ref = base ? bl_make_term(finder->resolver, BL_TERM_REF, term->range)
		   : NULL;
	if (!ref)
		return;
	ref->count = base->count + term->count - 1;
	ref->as.items =
		NEW_ARRAY(finder->resolver, struct bl_rego_term *, ref->count);
	if (!ref->as.items)
		return;
	memcpy(ref->as.items, base->as.items,
	       base->count * sizeof(*ref->as.items));
	memcpy(ref->as.items + base->count, term->as.items + 1,
	       (term->count - 1) * sizeof(*ref->as.items));
	if (is_base(finder->resolver, ref))
		require(finder, ref);
}

/* A term that OPA takes apart before its statement. */
static void find_in(struct finder *finder, struct bl_rego_term *term)
{
	bool composite = term->kind >= BL_TERM_REF &&
			 term->kind < BL_TERM_ARRAY_COMPREHENSION;

	if (is_base(finder->resolver, term)) {
		require(finder, term);
		return;
	}
	if (term->kind == BL_TERM_REF)
		require_aliased(finder, term);
	for (uint32_t i = term->kind == BL_TERM_CALL;
	     composite && i < term->count; i++)
		find_in(finder, term->as.items[i]);
}

/* As above of a reference that stands where it is. */
static void find_inside(struct finder *finder, struct bl_rego_term *term)
{
	if (term->kind != BL_TERM_REF) {
		find_in(finder, term);
		return;
	}
	for (uint32_t i = 0; i < term->count; i++)
		find_in(finder, term->as.items[i]);
}

/* Is it flat, with nothing but constants and what is a name to OPA? */
static bool is_flat_array(const struct bl_rego_term *term)
{
	if (term->kind != BL_TERM_ARRAY)
		return false;
	for (uint32_t i = 0; i < term->count; i++) {
		uint8_t kind = term->as.items[i]->kind;

		if (kind == BL_TERM_ARRAY || kind == BL_TERM_SET ||
		    kind == BL_TERM_OBJECT)
			return false;
	}
	return true;
}

static bool find_in_equation(struct finder *finder, struct bl_rego_term *ref,
			     struct bl_rego_term *value)
{
	if (!is_base(finder->resolver, ref))
		return false;
	if (value->kind == BL_TERM_VAR || value->kind == BL_TERM_CALL)
		require(finder, ref);
	else if (is_flat_array(value))
		require_array(finder, ref, value);
	else
		return false;
	return true;
}

static bool is_constant(const struct bl_rego_term *term, bool collection)
{
	if (!collection)
		return term->kind == BL_TERM_SCALAR;
	for (uint32_t i = 0; i < term->count; i++)
		if (term->as.items[i]->kind != BL_TERM_SCALAR)
			return false;
	return term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET;
}

/* A reference that OPA looks up as a whole, and that binds nothing. */
static bool is_movable(const struct finder *finder,
		       const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term = expr->terms[0];
	const struct bl_rego_term *a;
	const struct bl_rego_term *b;

	if (expr->kind != BL_EXPR_TERM || expr->negated || expr->with_count ||
	    term->kind != BL_TERM_CALL || term->count != 3)
		return false;
	a = term->as.items[1];
	b = term->as.items[2];
	if (is_equation(term))
		return (is_base(finder->resolver, a) &&
			is_constant(b, false)) ||
		       (is_base(finder->resolver, b) && is_constant(a, false));
	return is_call_of(term, "internal.member_2") &&
	       ((is_base(finder->resolver, a) && is_constant(b, true)) ||
		(is_base(finder->resolver, b) && is_constant(a, false)));
}

static void find_in_term(struct finder *finder, const struct bl_rego_expr *expr)
{
	struct bl_rego_term *term = expr->terms[0];

	if (is_equation(term)) {
		struct bl_rego_term *a = term->as.items[1];
		struct bl_rego_term *b = term->as.items[2];

		if (!expr->negated && (find_in_equation(finder, a, b) ||
				       find_in_equation(finder, b, a)))
			return;
		find_inside(finder, a);
		find_inside(finder, b);
	} else if (is_base(finder->resolver, term)) {
		if (!expr->negated)
			require(finder, term);
	} else {
		find_inside(finder, term);
	}
}

/* "some x in xs": the domain is not looked up, what is in its brackets is. */
static void find_in_some(struct finder *finder, const struct bl_rego_expr *expr)
{
	uint32_t last = expr->term_count - 1;
	struct bl_rego_term *domain = expr->terms[last];

	for (uint32_t i = 0; i < last; i++)
		find_in(finder, expr->terms[i]);
	if (is_base(finder->resolver, domain) &&
	    expr->terms[last - 1]->kind == BL_TERM_SCALAR)
		put_call_first(finder, "internal.member_2",
			       expr->terms[last - 1], domain);
	else if (!is_base(finder->resolver, domain))
		find_inside(finder, domain);
}

static void find_in_expr(struct finder *finder, const struct bl_rego_expr *expr)
{
	for (uint32_t i = 0; i < expr->with_count; i++)
		find_in(finder, expr->withs[i].value);
	if (expr->with_count || (expr->negated && finder->resolver->block_not))
		return;
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		find_in_term(finder, expr);
		break;
	case BL_EXPR_SOME_IN:
		find_in_some(finder, expr);
		break;
	case BL_EXPR_EVERY:
		find_in(finder, expr->terms[expr->term_count - 1]);
		break;
	case BL_EXPR_SOME:
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		break;
	}
}

/* ---- rules --------------------------------------------------------------- */

/* The statements that are first, and then the statements that were not moved there. */
static void join(struct finder *finder, struct bl_resolved_rule *rule,
		 size_t from)
{
	struct bl_resolver *resolver = finder->resolver;
	size_t count = rule->body ? rule->body->count : 0;
	struct bl_rego_body *body =
		rule->body ? rule->body : NEW(resolver, struct bl_rego_body);
	struct bl_rego_expr **exprs = NEW_ARRAY(resolver, struct bl_rego_expr *,
						count + finder->first.count);
	size_t at = finder->first.count;

	if (!body || !exprs)
		return;
	memcpy(exprs, finder->first.exprs, at * sizeof(*exprs));
	for (size_t i = 0; i < count; i++)
		if (i < from || !is_movable(finder, body->exprs[i]))
			exprs[at++] = body->exprs[i];
	body->exprs = exprs;
	body->count = at;
	rule->body = body;
}

void bl_resolve_index_first(struct bl_resolver *resolver,
			    struct bl_resolved_rule *rule)
{
	struct finder finder = { .resolver = resolver, .body = rule->body };
	size_t count = rule->body ? rule->body->count : 0;
	size_t from = 0;

	while (from < count &&
	       !is_risky_expr(resolver, rule->body->exprs[from]))
		from++;
	if (from == count &&
	    (!rule->value || !bl_resolve_is_risky(resolver, rule->value)))
		return;
	for (size_t i = from; i < count; i++) {
		struct bl_rego_expr *expr = rule->body->exprs[i];

		if (is_movable(&finder, expr))
			bl_statements_add(resolver, &finder.first, expr);
		else
			find_in_expr(&finder, expr);
	}
	for (size_t i = 0; i < rule->key_count; i++)
		find_in(&finder, rule->keys[i]);
	if (rule->value)
		find_in(&finder, rule->value);
	if (finder.first.count)
		join(&finder, rule, from);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Safety and reordering (docs/contracts/rego.md "Safety"): puts the statements of a
 * body in the first order in which each can run, and reports what never gets a
 * value.
 *
 *     p contains y if {
 *         y > n             # 1
 *         some i            # 2
 *         y = xs[i] + n     # 3
 *         n = input.n       # 4
 *         xs = data.xs      # 5
 *     }
 *
 * The set of names with a value (bound) grows as statements are placed.  First round: 1 needs y and
 * n, not yet; 2 needs nothing; 3 needs xs, not yet (i would be bound by going through
 * xs, n would not); 4 and 5 are placed.  bound = {n, xs}.  Second round: 1 still needs
 * y; 3 is placed, bound += {i, y}.  Third round: 1.  The order is 2 4 5 3 1.  A round
 * that places nothing ends it; what is left, and only that, is searched for names
 * without a value: "var y is unsafe".
 *
 * A closure counts as one statement: all that it shares with the outside must have a
 * value, its own names need not.
 */
#include "rego/compiler/parse/visit.h"
#include "rego/compiler/resolve/resolve.h"

static bool order_pattern(struct bl_resolver *resolver,
			  const struct bl_rego_term *term,
			  struct bl_bound *bound);
static bool try_value(struct bl_resolver *resolver,
		      const struct bl_rego_term *term, struct bl_bound *bound);

/* ---- visiting the variables of terms and bodies ------------------------------------ */

struct visitor {
	struct bl_visitor visit; /* first: see_term is given this */
	void (*see)(struct visitor *visitor, const struct bl_rego_term *var);
	struct bl_resolver *resolver;
	struct bl_bound *bound;
	bool missing;
	bool all;     /* names that OPA takes for its own, too */
	bool is_head; /* of a rule */
};

static bool see_term(struct bl_visitor *visit, const struct bl_rego_term *term)
{
	struct visitor *visitor = (struct visitor *)visit;

	if (term->kind == BL_TERM_VAR && !bl_visit_is_own(visit, term))
		visitor->see(visitor, term);
	return term->kind != BL_TERM_TEMPLATE;
}

static void note_missing(struct visitor *visitor,
			 const struct bl_rego_term *var)
{
	visitor->missing |= !bl_bound_has(visitor->bound, var->slot);
}

static struct visitor looking_for_missing(struct bl_bound *bound)
{
	return (struct visitor){ .visit.term = see_term,
				 .see = note_missing,
				 .bound = bound };
}

/* ---- what can be evaluated, and what that binds ------------------------------------- */

/*
 * Operands side by side: one may bind what another needs, so they are gone
 * through until nothing more becomes ready.
 */
static bool order_values(struct bl_resolver *resolver,
			 struct bl_rego_term *const *terms, size_t count,
			 struct bl_bound *bound)
{
	bool *done = NULL;
	size_t left = count;
	bool progress = true;

	if (count > 0) {
		done = bl_arena_new_array(resolver->compiler->arena, bool,
					  count);
		if (!done)
			return false;
	}
	while (left > 0 && progress) {
		progress = false;
		for (size_t i = 0; i < count; i++) {
			if (done[i] || !try_value(resolver, terms[i], bound))
				continue;
			done[i] = progress = true;
			left--;
		}
	}
	return left == 0;
}

static size_t call_arity(const struct bl_resolver *resolver,
			 const struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node;

	if (builtin)
		return builtin->function || builtin->arity
			       ? builtin->arity
			       : call->count - 1; /* print takes any number */
	node = bl_call_node(resolver->compiler, call);
	return node ? node->arity : call->count - 1;
}

static bool order_call(struct bl_resolver *resolver,
		       const struct bl_rego_term *call, struct bl_bound *bound)
{
	size_t arity = call_arity(resolver, call);
	size_t args = call->count - 1;

	if (args != arity + 1)
		return order_values(resolver, call->as.items + 1, args, bound);
	return order_values(resolver, call->as.items + 1, arity, bound) &&
	       order_pattern(resolver, call->as.items[args], bound);
}

bool bl_order_value(struct bl_resolver *resolver,
		    const struct bl_rego_term *term, struct bl_bound *bound)
{
	struct visitor visitor;

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
		return true;
	case BL_TERM_VAR:
		return bl_bound_has(bound, term->slot);
	case BL_TERM_REF:
		if (!bl_order_value(resolver, term->as.items[0], bound))
			return false;
		for (uint32_t i = 1; i < term->count; i++)
			if (!order_pattern(resolver, term->as.items[i], bound))
				return false;
		return true;
	case BL_TERM_CALL:
		return order_call(resolver, term, bound);
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return order_values(resolver, term->as.items, term->count,
				    bound);
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		visitor = looking_for_missing(bound);
		bl_visit_term(&visitor.visit, term);
		return !visitor.missing;
	}
	return false;
}

/* A place where unbound variables get values: what is matched against. */
static bool order_pattern(struct bl_resolver *resolver,
			  const struct bl_rego_term *term,
			  struct bl_bound *bound)
{
	if (term->kind == BL_TERM_VAR) {
		bl_bound_add(bound, term->slot);
		return true;
	}
	if (term->kind == BL_TERM_ARRAY) {
		for (uint32_t i = 0; i < term->count; i++)
			if (!order_pattern(resolver, term->as.items[i], bound))
				return false;
		return true;
	}
	if (term->kind == BL_TERM_OBJECT) {
		for (uint32_t i = 0; i < term->count; i += 2)
			if (!bl_order_value(resolver, term->as.items[i],
					    bound) ||
			    !order_pattern(resolver, term->as.items[i + 1],
					   bound))
				return false;
		return true;
	}
	return bl_order_value(resolver, term, bound);
}

/* As above, leaving bound alone on failure. */
static bool try_value(struct bl_resolver *resolver,
		      const struct bl_rego_term *term, struct bl_bound *bound)
{
	struct bl_bound trial = bl_bound_copy(resolver->compiler->arena, bound);

	if (!trial.words || !bl_order_value(resolver, term, &trial))
		return false;
	*bound = trial;
	return true;
}

static bool order_eq(struct bl_resolver *resolver, const struct bl_rego_term *a,
		     const struct bl_rego_term *b, struct bl_bound *bound);

/* Two arrays, or two objects: pair by pair, as they become ready. */
static bool order_pairs(struct bl_resolver *resolver,
			const struct bl_rego_term *a,
			const struct bl_rego_term *b, struct bl_bound *bound)
{
	bool is_object = a->kind == BL_TERM_OBJECT;
	uint32_t left = is_object ? a->count / 2 : a->count;
	bool *done =
		bl_arena_new_array(resolver->compiler->arena, bool, left + 1);
	bool progress = true;

	if (!done || !bl_terms_have_same_shape(a, b))
		return false;
	while (left > 0 && progress) {
		progress = false;
		for (uint32_t i = 0; i < (is_object ? a->count / 2 : a->count);
		     i++) {
			uint32_t at = is_object ? i * 2 + 1 : i;

			if (done[i] || !order_eq(resolver, a->as.items[at],
						 b->as.items[at], bound))
				continue;
			done[i] = progress = true;
			left--;
		}
	}
	return left == 0;
}

static bool order_eq(struct bl_resolver *resolver, const struct bl_rego_term *a,
		     const struct bl_rego_term *b, struct bl_bound *bound)
{
	struct bl_bound trial = bl_bound_copy(resolver->compiler->arena, bound);

	if (!trial.words)
		return false;
	if ((bl_order_value(resolver, a, &trial) &&
	     order_pattern(resolver, b, &trial))) {
		*bound = trial;
		return true;
	}
	trial = bl_bound_copy(resolver->compiler->arena, bound);
	if (trial.words && bl_order_value(resolver, b, &trial) &&
	    order_pattern(resolver, a, &trial)) {
		*bound = trial;
		return true;
	}
	return order_pairs(resolver, a, b, bound);
}

static bool order_term(struct bl_resolver *resolver,
		       const struct bl_rego_term *term, struct bl_bound *bound)
{
	struct bl_str name;

	if (term->kind != BL_TERM_CALL ||
	    term->as.items[0]->kind != BL_TERM_VAR || term->count != 3)
		return try_value(resolver, term, bound);
	name = term->as.items[0]->as.name;
	if (bl_str_is(name, "eq"))
		return order_eq(resolver, term->as.items[1], term->as.items[2],
				bound);
	if (bl_str_is(name, "assign")) {
		if (!try_value(resolver, term->as.items[2], bound))
			return false;
		return order_pattern(resolver, term->as.items[1], bound);
	}
	return try_value(resolver, term, bound);
}

static bool bodies_ready(const struct bl_rego_expr *expr,
			 struct bl_bound *bound)
{
	struct visitor visitor = looking_for_missing(bound);

	for (uint32_t i = 0; i < expr->body_count; i++)
		bl_visit_body(&visitor.visit, expr->bodies[i]);
	return !visitor.missing;
}

/* The calls of an operand, or of the items that it is made of. */
static bool order_calls(struct bl_resolver *resolver,
			const struct bl_rego_term *term, struct bl_bound *bound)
{
	if (term->kind == BL_TERM_CALL)
		return try_value(resolver, term, bound);
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET ||
	    term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 0; i < term->count; i++)
			if (!order_calls(resolver, term->as.items[i], bound))
				return false;
	return true;
}

/* ---- what OPA makes of closures beside other operands -------------------- */

/*
 * Names of the body that closures in operands of a statement use, and names
 * that stand in brackets of references beside them.  Calls in operands are
 * statements of their own to OPA.
 */
struct closure_use {
	struct visitor visitor; /* first: collect_shared is given this */
	struct bl_bound closures;
	struct bl_bound keys;
	bool any;
};

static void collect_shared(struct visitor *visitor,
			   const struct bl_rego_term *var)
{
	struct closure_use *use = (struct closure_use *)visitor;

	if (bl_bound_has(visitor->bound, var->slot))
		return;
	bl_bound_add(&use->closures, var->slot);
	use->any = true;
}

static void collect_use(struct closure_use *use,
			const struct bl_rego_term *term, bool is_key)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
	case BL_TERM_CALL:
		return;
	case BL_TERM_VAR:
		if (is_key)
			bl_bound_add(&use->keys, term->slot);
		return;
	case BL_TERM_REF:
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = 0; i < term->count; i++)
			collect_use(use, term->as.items[i],
				    is_key || (term->kind == BL_TERM_REF && i));
		return;
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		bl_visit_term(&use->visitor.visit, term);
		return;
	}
}

static bool use_of(struct bl_resolver *resolver,
		   const struct bl_rego_expr *expr, struct closure_use *out_use)
{
	const struct bl_rego_term *term = expr->terms[0];

	*out_use = (struct closure_use){
		.visitor = { .visit.term = see_term,
			     .see = collect_shared,
			     .bound = (struct bl_bound *)(uintptr_t)
					      resolver->body_bound },
		.closures = bl_bound_new(resolver->compiler->arena,
					 resolver->slot_count),
		.keys = bl_bound_new(resolver->compiler->arena,
				     resolver->slot_count),
	};
	if (expr->kind != BL_EXPR_TERM || term->kind != BL_TERM_CALL ||
	    !resolver->body_bound || !out_use->closures.words ||
	    !out_use->keys.words)
		return false;
	for (uint32_t i = 1; i < term->count; i++)
		collect_use(out_use, term->as.items[i], false);
	return out_use->any;
}

/* Names without a value that an equation would give one. */
static bool binds_more(const struct bl_rego_term *term,
		       const struct closure_use *use,
		       const struct bl_bound *bound)
{
	if (term->kind == BL_TERM_VAR)
		return !bl_bound_has(bound, term->slot) &&
		       !bl_bound_has(&use->closures, term->slot);
	for (uint32_t i = 0;
	     (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_OBJECT) &&
	     i < term->count;
	     i++)
		if (binds_more(term->as.items[i], use, bound))
			return true;
	return false;
}

/*
 * OPA never finds a statement safe whose closures use just the names in the
 * brackets beside them: xs[i] > [1 | ys[i]].  Of an equation it counts those
 * only that have no value yet.
 */
static bool is_closed_over_itself(struct bl_resolver *resolver,
				  const struct bl_rego_expr *expr,
				  const struct bl_bound *bound)
{
	const struct bl_rego_term *term = expr->terms[0];
	struct closure_use use;
	bool equation;

	if (!use_of(resolver, expr, &use))
		return false;
	equation = term->count == 3 && term->as.items[0]->kind == BL_TERM_VAR &&
		   (bl_str_is(term->as.items[0]->as.name, "eq") ||
		    bl_str_is(term->as.items[0]->as.name, "assign"));
	for (uint32_t i = 1; equation && i < term->count; i++)
		if (binds_more(term->as.items[i], &use, bound))
			return false;
	for (size_t i = 0; i < use.keys.word_count; i++) {
		uint64_t keys = use.keys.words[i];

		if (equation)
			keys &= ~bound->words[i];
		if (use.closures.words[i] != keys)
			return false;
	}
	return true;
}

/*
 * When closures in it use names of the body, OPA asks for these only: others
 * that have no value are gone through, as in a "not" with a body.
 */
static bool is_closure_negated(struct bl_resolver *resolver,
			       const struct bl_rego_expr *expr,
			       const struct bl_bound *bound)
{
	struct closure_use use;

	if (!use_of(resolver, expr, &use))
		return false;
	for (size_t i = 0; i < use.closures.word_count; i++)
		if (use.closures.words[i] & ~bound->words[i])
			return false;
	return true;
}

/*
 * A negated statement binds nothing; but calls in the operands of a plain "not"
 * are made before it (docs/contracts/rego.md "Negation").
 */
static bool order_negated(struct bl_resolver *resolver,
			  const struct bl_rego_expr *expr,
			  struct bl_bound *bound)
{
	struct bl_bound trial = bl_bound_copy(resolver->compiler->arena, bound);
	struct visitor visitor = looking_for_missing(&trial);
	const struct bl_rego_term *term =
		expr->kind == BL_EXPR_TERM ? expr->terms[0] : NULL;

	if (!trial.words)
		return false;
	if (term && term->kind == BL_TERM_CALL && !resolver->block_not)
		for (uint32_t i = 1; i < term->count; i++)
			if (!order_calls(resolver, term->as.items[i], &trial))
				return false;
	bl_visit_expr(&visitor.visit, expr);
	if (visitor.missing && !is_closure_negated(resolver, expr, &trial))
		return false;
	*bound = trial;
	return true;
}

/* Can the statement run?  Adds what it binds. */
static bool order_expr(struct bl_resolver *resolver,
		       const struct bl_rego_expr *expr, struct bl_bound *bound)
{
	uint32_t last = expr->term_count - 1;

	for (uint32_t i = 0; i < expr->with_count; i++)
		if (!try_value(resolver, expr->withs[i].value, bound))
			return false;
	if (expr->negated)
		return order_negated(resolver, expr, bound);
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		return !is_closed_over_itself(resolver, expr, bound) &&
		       order_term(resolver, expr->terms[0], bound);
	case BL_EXPR_SOME:
		return true;
	case BL_EXPR_SOME_IN:
		if (!try_value(resolver, expr->terms[last], bound))
			return false;
		for (uint32_t i = 0; i < last; i++)
			if (!order_pattern(resolver, expr->terms[i], bound))
				return false;
		return true;
	case BL_EXPR_EVERY:
		return try_value(resolver, expr->terms[last], bound) &&
		       bodies_ready(expr, bound);
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		return bodies_ready(expr, bound);
	}
	return false;
}

/* ---- reporting ------------------------------------------------------------------------- */

static void report_var(struct visitor *visitor, const struct bl_rego_term *var)
{
	struct bl_resolver *resolver = visitor->resolver;
	struct bl_str name = var->as.name;

	if (bl_bound_has(visitor->bound, var->slot) ||
	    (!visitor->all && bl_str_has_prefix(name, BL_STR("__local"))))
		return;
	if (bl_str_has_prefix(name, BL_STR("$"))) /* of a query's statement */
		name = BL_STR("_");
	bl_compiler_error(resolver->compiler, resolver->module, var->range.from,
			  visitor->is_head ? BL_FINDING_UNSAFE_HEAD
					   : BL_FINDING_UNSAFE_BODY,
			  "var %.*s is unsafe", BL_STR_ARG(name));
	bl_bound_add(visitor->bound, var->slot); /* once is enough */
}

bool bl_order_heads(struct bl_resolver *resolver,
		    struct bl_rego_term *const *terms, size_t count,
		    struct bl_bound *bound)
{
	struct visitor visitor = { .visit.term = see_term,
				   .see = report_var,
				   .resolver = resolver,
				   .bound = bound,
				   .is_head = true };
	const struct bl_findings *findings = &resolver->compiler->findings;
	size_t errors = findings->count;

	if (order_values(resolver, terms, count, bound))
		return true;
	for (size_t i = 0; i < count; i++)
		bl_visit_term(&visitor.visit, terms[i]);
	visitor.all = true;
	for (size_t i = 0; i < count && findings->count == errors; i++)
		bl_visit_term(&visitor.visit, terms[i]);
	return false;
}

static void report_closed(struct bl_resolver *resolver,
			  const struct bl_rego_expr *expr,
			  const struct bl_bound *bound)
{
	struct closure_use use;
	int32_t slot = 0;

	if (!is_closed_over_itself(resolver, expr, bound) ||
	    !use_of(resolver, expr, &use))
		return;
	while (!bl_bound_has(&use.keys, slot))
		slot++;
	bl_compiler_error(resolver->compiler, resolver->module,
			  expr->range.from, BL_FINDING_UNSAFE_BODY,
			  "var %.*s is unsafe",
			  BL_STR_ARG(resolver->slot_names[slot]));
}

/* Puts those that can run, in order, first; how many are they? */
static size_t order_statements(struct bl_resolver *resolver,
			       struct bl_rego_body *body,
			       struct bl_bound *bound)
{
	struct bl_arena *arena = resolver->compiler->arena;
	struct bl_rego_expr **ordered = bl_arena_new_array(
		arena, struct bl_rego_expr *, body->count + 1);
	bool *done = bl_arena_new_array(arena, bool, body->count + 1);
	struct bl_bound before = bl_bound_copy(arena, bound);
	const struct bl_bound *outer = resolver->body_bound;
	size_t count = 0;
	size_t placed;
	bool progress = true;

	if (!ordered || !done || !before.words) {
		resolver->compiler->failed_memory = true;
		return 0;
	}
	resolver->body_bound = &before;
	while (count < body->count && progress) {
		progress = false;
		for (size_t i = 0; i < body->count; i++) {
			if (done[i] ||
			    !order_expr(resolver, body->exprs[i], bound))
				continue;
			ordered[count++] = body->exprs[i];
			done[i] = progress = true;
		}
	}
	placed = count;
	for (size_t i = 0; i < body->count; i++)
		if (!done[i])
			ordered[placed++] = body->exprs[i];
	memcpy(body->exprs, ordered, placed * sizeof(*ordered));
	resolver->body_bound = outer;
	return count;
}

bool bl_order_try_body(struct bl_resolver *resolver, struct bl_rego_body *body,
		       struct bl_bound *bound)
{
	return order_statements(resolver, body, bound) == body->count;
}

/* Names that statements without order would assign. */
static struct bl_bound with_assigned(struct bl_resolver *resolver,
				     const struct bl_rego_body *body,
				     size_t from, const struct bl_bound *bound)
{
	struct bl_bound all = bl_bound_copy(resolver->compiler->arena, bound);

	for (size_t i = from; i < body->count; i++)
		if (bl_expr_is_assignment(body->exprs[i]))
			order_pattern(resolver,
				      body->exprs[i]->terms[0]->as.items[1],
				      &all);
	return all;
}

/* The missing names; names that would be assigned only when nothing else is. */
static void report_body(struct bl_resolver *resolver,
			const struct bl_rego_body *body, size_t from,
			struct bl_bound *bound)
{
	struct bl_bound all = with_assigned(resolver, body, from, bound);
	struct visitor visitor = { .visit.term = see_term,
				   .see = report_var,
				   .resolver = resolver,
				   .bound = &all };
	const struct bl_findings *findings = &resolver->compiler->findings;
	size_t before = findings->count;

	for (size_t i = from; i < body->count; i++) {
		size_t errors = findings->count;

		bl_visit_expr(&visitor.visit, body->exprs[i]);
		if (!body->exprs[i]->negated && findings->count == errors)
			report_closed(resolver, body->exprs[i], bound);
	}
	visitor.bound = bound;
	visitor.all = true;
	for (size_t i = from; i < body->count && findings->count == before; i++)
		bl_visit_expr(&visitor.visit, body->exprs[i]);
}

bool bl_order_body(struct bl_resolver *resolver, struct bl_rego_body *body,
		   struct bl_bound *bound)
{
	struct bl_bound before =
		bl_bound_copy(resolver->compiler->arena, bound);
	const struct bl_bound *outer = resolver->body_bound;
	size_t count = order_statements(resolver, body, bound);

	if (count == body->count)
		return true;
	resolver->body_bound = &before;
	report_body(resolver, body, count, bound);
	resolver->body_bound = outer;
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolver: copies rules and queries so that each name is a slot (a number of the
 * rule), a path of rules or data, an import or a builtin (docs/contracts/rego.md
 * "Scopes").
 *
 *     import data.lib.limit as max
 *
 *     p if {
 *         some x in input.xs        # x: a slot
 *         x < max                   # that slot < data.lib.limit
 *         ys := [y | y := x * 2]    # ys: a slot; y: a slot of the closure alone
 *         q(ys[_])                  # the rule data.p.q; each _ is a slot of its own
 *     }
 *
 * A scope is a body; one sees the names of those around it.  A name belongs to the
 * innermost scope that declares it ("some", ":=", an argument), else to the body in
 * which it is first used; ":=" counts from its statement on, and its right side does not
 * see the new name.  Slots are never reused, so that the stages behind ask only
 * "which number", never "which scope".  scope.c keeps the names, resolve_term.c does
 * terms, this file statements, rules and queries.
 */
#include "rego/compiler/resolve/resolve.h"

/* ---- statements ------------------------------------------------------------------------- */

bool bl_expr_is_assignment(const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term =
		expr->kind == BL_EXPR_TERM ? expr->terms[0] : NULL;

	return term && term->kind == BL_TERM_CALL && term->infix &&
	       bl_str_is(term->as.items[0]->as.name, "assign");
}

/* The variables of a pattern, declared here: arrays, and values of objects. */
static void declare_pattern(struct bl_resolver *resolver,
			    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR) {
		if (!bl_str_is(term->as.name, "_"))
			bl_rego_scope_declare(resolver, term->as.name);
		return;
	}
	if (term->kind == BL_TERM_ARRAY)
		for (uint32_t i = 0; i < term->count; i++)
			declare_pattern(resolver, term->as.items[i]);
	if (term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 1; i < term->count; i += 2)
			declare_pattern(resolver, term->as.items[i]);
}

/* "left := right": the right side does not see the names of the left. */
static bool resolve_assignment(struct bl_resolver *resolver,
			       const struct bl_rego_expr *expr,
			       struct bl_rego_expr *copy)
{
	const struct bl_rego_term *term = expr->terms[0];
	struct bl_rego_term *call =
		bl_make_term(resolver, BL_TERM_CALL, term->range);

	if (!call)
		return false;
	call->infix = true;
	call->count = 3;
	call->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 3);
	if (!call->as.items)
		return false;
	call->as.items[0] = bl_make_callee(resolver, "assign", term->range);
	call->as.items[2] = bl_resolve_term(resolver, term->as.items[2]);
	declare_pattern(resolver, term->as.items[1]);
	call->as.items[1] = bl_resolve_term(resolver, term->as.items[1]);
	copy->terms[0] = call;
	return call->as.items[1] && call->as.items[2];
}

/* "some k, v in xs": xs first, then the patterns' names. */
static bool resolve_some_in(struct bl_resolver *resolver,
			    const struct bl_rego_expr *expr,
			    struct bl_rego_expr *copy)
{
	uint32_t last = expr->term_count - 1;

	copy->terms[last] = bl_resolve_term(resolver, expr->terms[last]);
	for (uint32_t i = 0; i < last; i++)
		declare_pattern(resolver, expr->terms[i]);
	for (uint32_t i = 0; i < last; i++) {
		copy->terms[i] = bl_resolve_term(resolver, expr->terms[i]);
		if (!copy->terms[i])
			return false;
	}
	return copy->terms[last] != NULL;
}

/*
 * In the body of "every", OPA lets closures see what a later statement of the
 * body declares, unless the name means something before it.
 */
static void declare_early(struct bl_resolver *resolver,
			  const struct bl_rego_term *pattern)
{
	if (pattern->kind == BL_TERM_VAR) {
		if (!bl_str_is(pattern->as.name, "_") &&
		    bl_rego_scope_find(resolver->scope, pattern->as.name) ==
			    BL_SLOT_NONE &&
		    !bl_rego_scope_is_global(resolver, pattern->as.name))
			bl_rego_scope_declare(resolver, pattern->as.name);
	} else if (pattern->kind == BL_TERM_ARRAY ||
		   pattern->kind == BL_TERM_OBJECT) {
		bool is_object = pattern->kind == BL_TERM_OBJECT;

		for (uint32_t i = is_object; i < pattern->count;
		     i += 1 + is_object)
			declare_early(resolver, pattern->as.items[i]);
	}
}

static void declare_all_early(struct bl_resolver *resolver,
			      const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		uint32_t count = expr->kind == BL_EXPR_SOME ? expr->term_count
				 : expr->kind == BL_EXPR_SOME_IN
					 ? expr->term_count - 1
					 : 0;

		if (bl_expr_is_assignment(expr))
			declare_early(resolver, expr->terms[0]->as.items[1]);
		for (uint32_t j = 0; j < count; j++)
			declare_early(resolver, expr->terms[j]);
	}
	resolver->scope->early_count = resolver->scope->count;
}

static bool resolve_every(struct bl_resolver *resolver,
			  const struct bl_rego_expr *expr,
			  struct bl_rego_expr *copy)
{
	struct bl_rego_scope scope = { .parent = resolver->scope };
	uint32_t last = expr->term_count - 1;
	int32_t slot_from;
	bool ok;

	copy->terms[last] = bl_resolve_term(resolver, expr->terms[last]);
	slot_from = resolver->slot_count;
	resolver->scope = &scope;
	for (uint32_t i = 0; i < last; i++) {
		declare_pattern(resolver, expr->terms[i]);
		copy->terms[i] = bl_resolve_term(resolver, expr->terms[i]);
	}
	declare_all_early(resolver, expr->bodies[0]);
	copy->bodies[0] = bl_resolve_body(resolver, expr->bodies[0]);
	ok = copy->terms[last] && copy->bodies[0];
	if (ok)
		bl_resolve_own_slots(resolver, copy->bodies[0], slot_from);
	resolver->scope = scope.parent;
	return ok;
}

static bool resolve_bodies(struct bl_resolver *resolver,
			   const struct bl_rego_expr *expr,
			   struct bl_rego_expr *copy)
{
	for (uint32_t i = 0; i < expr->body_count; i++) {
		struct bl_rego_scope scope = { .parent = resolver->scope };
		int32_t slot_from = resolver->slot_count;

		resolver->scope = &scope;
		copy->bodies[i] = bl_resolve_body(resolver, expr->bodies[i]);
		resolver->scope = scope.parent;
		if (!copy->bodies[i])
			return false;
		bl_resolve_own_slots(resolver, copy->bodies[i], slot_from);
	}
	return true;
}

static bool resolve_statement(struct bl_resolver *resolver,
			      const struct bl_rego_expr *expr,
			      struct bl_rego_expr *copy)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		if (bl_expr_is_assignment(expr))
			return resolve_assignment(resolver, expr, copy);
		copy->terms[0] = bl_resolve_term(resolver, expr->terms[0]);
		return copy->terms[0] != NULL;
	case BL_EXPR_SOME:
		for (uint32_t i = 0; i < expr->term_count; i++) {
			struct bl_str name = expr->terms[i]->as.name;

			if (bl_resolve_is_of_closures(resolver, name)) {
				bl_rego_scope_leave_to_closures(resolver, name);
				copy->terms[i] = bl_make_blank(
					resolver, expr->terms[i]->range);
				continue;
			}
			declare_pattern(resolver, expr->terms[i]);
			copy->terms[i] =
				bl_resolve_term(resolver, expr->terms[i]);
			if (!copy->terms[i])
				return false;
		}
		return true;
	case BL_EXPR_SOME_IN:
		return resolve_some_in(resolver, expr, copy);
	case BL_EXPR_EVERY:
		return resolve_every(resolver, expr, copy);
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		return resolve_bodies(resolver, expr, copy);
	}
	return false;
}

/* ---- names that are not declared ---------------------------------------------------------- */

/* Is name declared by a statement of this body itself? */
static bool pattern_declares(const struct bl_rego_term *term,
			     struct bl_str name)
{
	if (term->kind == BL_TERM_VAR)
		return bl_str_equal(term->as.name, name);
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 0; i < term->count; i++)
			if ((term->kind == BL_TERM_ARRAY || i % 2 == 1) &&
			    pattern_declares(term->as.items[i], name))
				return true;
	return false;
}

static bool body_declares(const struct bl_rego_body *body, struct bl_str name)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		uint32_t count = expr->kind == BL_EXPR_SOME ? expr->term_count
				 : expr->kind == BL_EXPR_SOME_IN
					 ? expr->term_count - 1
					 : 0;

		if (bl_expr_is_assignment(expr) &&
		    pattern_declares(expr->terms[0]->as.items[1], name))
			return true;
		for (uint32_t j = 0; j < count; j++)
			if (pattern_declares(expr->terms[j], name))
				return true;
	}
	return false;
}

static bool means_nothing(const struct bl_resolver *resolver,
			  struct bl_str name)
{
	int32_t slot = bl_rego_scope_find(resolver->scope, name);

	return slot == BL_SLOT_OF_CLOSURES ||
	       (slot == BL_SLOT_NONE && !bl_str_is(name, "_") &&
		!bl_rego_scope_is_global(resolver, name));
}

/*
 * Gives the plain names of a term (not those inside closures) that mean
 * nothing yet a slot of this body.
 */
static void declare_implicit(struct bl_resolver *resolver,
			     const struct bl_rego_body *body,
			     const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return;
	case BL_TERM_VAR:
		if (means_nothing(resolver, term->as.name) &&
		    !(body && body_declares(body, term->as.name)))
			bl_rego_scope_declare(resolver, term->as.name);
		return;
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = term->kind == BL_TERM_CALL; i < term->count;
		     i++)
			declare_implicit(resolver, body, term->as.items[i]);
		return;
	}
}

static void declare_implicits(struct bl_resolver *resolver,
			      const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		uint32_t from =
			expr->kind == BL_EXPR_EVERY ? expr->term_count - 1 : 0;

		for (uint32_t j = from; j < expr->term_count; j++)
			declare_implicit(resolver, body, expr->terms[j]);
		for (uint32_t j = 0; j < expr->with_count; j++)
			if (!bl_resolve_names_builtin(resolver,
						      expr->withs[j].value))
				declare_implicit(resolver, body,
						 expr->withs[j].value);
	}
}

/* As resolve_statement; a negated call stands, to OPA, where its "not" does. */
static bool resolve_placed(struct bl_resolver *resolver,
			   const struct bl_rego_expr *expr,
			   struct bl_rego_expr *copy)
{
	struct bl_rego_expr placed = *expr;
	struct bl_rego_term call;
	struct bl_rego_term *only = &call;

	if (expr->kind != BL_EXPR_TERM || !expr->negated ||
	    expr->terms[0]->kind != BL_TERM_CALL)
		return resolve_statement(resolver, expr, copy);
	call = *expr->terms[0];
	call.range.from = expr->range.from;
	placed.terms = &only;
	return resolve_statement(resolver, &placed, copy);
}

/* One statement, and before it what OPA does before it. */
static bool resolve_one(struct bl_resolver *resolver,
			const struct bl_rego_expr *expr,
			struct bl_statements *out)
{
	struct bl_rego_expr *copy = bl_make_expr(resolver, expr);

	if (!copy || !resolve_placed(resolver, expr, copy) ||
	    !bl_resolve_withs(resolver, expr, copy))
		return false;
	/* Those who observe see statements as they were written. */
	if (!resolver->compiler->options.observe)
		bl_resolve_calls_first(resolver, copy, out);
	bl_statements_add(resolver, out, copy);
	return !resolver->compiler->failed_memory;
}

struct bl_rego_body *bl_resolve_body(struct bl_resolver *resolver,
				     const struct bl_rego_body *body)
{
	struct bl_rego_body *copy = NEW(resolver, struct bl_rego_body);
	struct bl_statements statements = { .cap = body->count + 1 };
	struct bl_written_body outer = resolver->present;

	if (!copy)
		return NULL;
	statements.exprs =
		NEW_ARRAY(resolver, struct bl_rego_expr *, statements.cap);
	if (!statements.exprs)
		return NULL;
	resolver->present = resolver->next;
	resolver->present.body = body;
	resolver->next = (struct bl_written_body){ 0 };
	declare_implicits(resolver, body);
	for (size_t i = 0; i < body->count; i++)
		if (!resolve_one(resolver, body->exprs[i], &statements))
			return NULL;
	resolver->present = outer;
	*copy = *body;
	copy->exprs = statements.exprs;
	copy->count = statements.count;
	return copy;
}

/* ---- rules and queries --------------------------------------------------------------------- */

static struct bl_rego_term **resolve_list(struct bl_resolver *resolver,
					  struct bl_rego_term *const *terms,
					  size_t count)
{
	struct bl_rego_term **copies =
		NEW_ARRAY(resolver, struct bl_rego_term *, count);

	for (size_t i = 0; copies && i < count; i++) {
		copies[i] = bl_resolve_term(resolver, terms[i]);
		if (!copies[i])
			return NULL;
	}
	return copies;
}

/* One rule of a chain in a scope of its own. */
static struct bl_resolved_rule *resolve_chain(struct bl_resolver *resolver,
					      const struct bl_rule *rule,
					      const struct bl_rego_rule *syntax)
{
	struct bl_rego_scope scope = { .parent = resolver->scope };
	struct bl_resolved_rule *resolved =
		NEW(resolver, struct bl_resolved_rule);
	const struct bl_rego_term *value =
		syntax->contains ? syntax->contains : syntax->value;
	int32_t own_from = resolver->slot_count;
	bool ok = true;

	if (!resolved)
		return NULL;
	resolver->scope = &scope;
	resolved->syntax = syntax;
	if (syntax->body) {
		resolver->next.value = value;
		if (syntax->name && syntax->name->kind == BL_TERM_REF) {
			resolver->next.heads = syntax->name->as.items + 1;
			resolver->next.head_count = syntax->name->count - 1;
		}
		resolved->body = bl_resolve_body(resolver, syntax->body);
		ok = resolved->body != NULL;
	}
	if (ok && value) {
		resolved->value = bl_resolve_term(resolver, value);
		ok = resolved->value != NULL;
	}
	if (ok && syntax->name && syntax->name->kind == BL_TERM_REF &&
	    rule->key_from < syntax->name->count) {
		resolved->key_count = syntax->name->count - rule->key_from;
		resolved->keys = resolve_list(
			resolver, syntax->name->as.items + rule->key_from,
			resolved->key_count);
		ok = resolved->keys != NULL;
	}
	if (ok)
		bl_resolve_heads_first(
			resolver,
			&(struct bl_head_terms){
				resolved->keys, resolved->key_count,
				resolved->value ? &resolved->value : NULL },
			&resolved->body, own_from);
	if (ok && !resolver->compiler->options.observe) {
		if (resolved->value)
			bl_resolve_head_calls_first(resolver, &resolved->value,
						    &resolved->body);
		bl_resolve_index_first(resolver, resolved);
	}
	resolver->scope = scope.parent;
	if (ok && syntax->else_rule) {
		resolved->else_rule =
			resolve_chain(resolver, rule, syntax->else_rule);
		ok = resolved->else_rule != NULL;
	}
	return ok ? resolved : NULL;
}

/* Every name of an argument pattern is a variable of the rule. */
static void declare_argument(struct bl_resolver *resolver,
			     const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR) {
		if (!bl_str_is(term->as.name, "_") &&
		    !bl_rego_scope_has(resolver->scope, term->as.name))
			bl_rego_scope_declare(resolver, term->as.name);
		return;
	}
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET)
		for (uint32_t i = 0; i < term->count; i++)
			declare_argument(resolver, term->as.items[i]);
	if (term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 1; i < term->count; i += 2)
			declare_argument(resolver, term->as.items[i]);
}

struct bl_resolved_rule *bl_resolve_rule(struct bl_resolver *resolver,
					 const struct bl_rule *rule)
{
	const struct bl_rego_rule *syntax = rule->syntax;
	struct bl_rego_scope scope = { 0 };
	struct bl_rego_term **args;
	struct bl_resolved_rule *resolved;

	resolver->scope = &scope;
	for (size_t i = 0; i < syntax->arg_count; i++)
		declare_argument(resolver, syntax->args[i]);
	args = resolve_list(resolver, syntax->args, syntax->arg_count);
	resolved = args ? resolve_chain(resolver, rule, syntax) : NULL;
	for (struct bl_resolved_rule *at = resolved; at; at = at->else_rule) {
		at->args = args;
		at->arg_count = syntax->arg_count;
		at->slot_count = resolver->slot_count;
	}
	resolver->scope = NULL;
	return resolver->calls_nothing ? NULL : resolved;
}

struct bl_rego_body *bl_resolve_query(struct bl_resolver *resolver,
				      const struct bl_rego_body *body,
				      struct bl_str **out_names,
				      int32_t **out_slots, size_t *out_count)
{
	struct bl_rego_scope scope = { 0 };
	struct bl_rego_body *resolved;

	resolver->scope = &scope;
	resolved = bl_resolve_body(resolver, body);
	resolver->scope = NULL;
	*out_names = scope.names;
	*out_slots = scope.slots;
	*out_count = 0;
	for (size_t i = 0; i < scope.count; i++) {
		if (scope.slots[i] == BL_SLOT_OF_CLOSURES)
			continue;
		scope.names[*out_count] = scope.names[i];
		scope.slots[(*out_count)++] = scope.slots[i];
	}
	return resolver->calls_nothing ? NULL : resolved;
}

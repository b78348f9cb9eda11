/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of resolved rules whose statements are in order (docs/contracts/rego.md
 * "Types"): operands that no call can take, parts that no value has, equations
 * that can never hold.  The steps are those of OPA, which first makes
 * statements of their own of the calls in a statement, then of references and
 * comprehensions.
 */
#include "rego/compiler/types/check_types.h"

#include "rego/compiler/check/checks.h"

/* OPA looks at closures within closures twice each; deeper ones we do not. */
enum { MAX_REPEATS = 2 };

static void hoist_calls(struct checker *checker, struct bl_rego_term *term);
static void hoist(struct checker *checker, struct bl_rego_term *term);

void *bl_types_alloc(struct checker *checker, size_t count, size_t size)
{
	void *made = bl_arena_zalloc(checker->arena, count ? count : 1, size);

	if (!made)
		checker->compiler->failed_memory = true;
	return made;
}

static size_t error_count(const struct checker *checker)
{
	return checker->compiler->findings.count;
}

/* ---- closures ------------------------------------------------------------ */

static bool is_comprehension(const struct bl_rego_term *term)
{
	return term->kind >= BL_TERM_ARRAY_COMPREHENSION;
}

static const struct bl_type *
type_of_comprehension(struct checker *checker, const struct bl_rego_term *term)
{
	static const enum bl_type_kind kinds[] = {
		[BL_TERM_ARRAY_COMPREHENSION] = BL_TYPE_ARRAY,
		[BL_TERM_SET_COMPREHENSION] = BL_TYPE_SET,
		[BL_TERM_OBJECT_COMPREHENSION] = BL_TYPE_OBJECT,
	};
	struct bl_type type = { .kind = kinds[term->kind] };

	if (type.kind == BL_TYPE_OBJECT)
		type.key = bl_types_of(checker, term->as.items[0]);
	type.rest = bl_types_of(checker, term->as.items[term->count - 1]);
	return bl_type_make(checker->arena, &type);
}

/* Its type stays in its body, without one when something is wrong in it. */
static bool check_comprehension(struct checker *checker,
				struct bl_rego_term *term)
{
	size_t errors = error_count(checker);
	size_t given = checker->given_count;
	const struct bl_type *type = NULL;

	checker->closures++;
	bl_types_check_body(checker, term->body);
	for (uint32_t i = 0; i < term->count; i++) {
		hoist_calls(checker, term->as.items[i]);
		hoist(checker, term->as.items[i]);
	}
	if (error_count(checker) == errors)
		type = type_of_comprehension(checker, term);
	bl_types_take_back(checker, given);
	checker->closures--;
	term->body->type = type;
	return type != NULL;
}

static void check_closures_of_body(struct checker *checker,
				   const struct bl_rego_body *body);

/*
 * The comprehensions in a term.  Those within sound ones are looked at once
 * more, without what the outer one's statements tell of its variables.
 */
void bl_types_check_closures(struct checker *checker, struct bl_rego_term *term)
{
	uint32_t from = term->kind == BL_TERM_CALL;

	if (term->kind == BL_TERM_SCALAR || term->kind == BL_TERM_VAR)
		return;
	if (is_comprehension(term)) {
		const struct bl_type *type;

		if (!check_comprehension(checker, term) ||
		    checker->repeats == MAX_REPEATS)
			return;
		type = term->body->type;
		checker->repeats++;
		for (uint32_t i = 0; i < term->count; i++)
			bl_types_check_closures(checker, term->as.items[i]);
		check_closures_of_body(checker, term->body);
		checker->repeats--;
		term->body->type = type;
		return;
	}
	for (uint32_t i = from; i < term->count; i++)
		bl_types_check_closures(checker, term->as.items[i]);
}

static void check_closures_of_body(struct checker *checker,
				   const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];

		for (uint32_t j = 0; j < expr->term_count; j++)
			bl_types_check_closures(checker, expr->terms[j]);
		for (uint32_t j = 0; j < expr->body_count; j++)
			check_closures_of_body(checker, expr->bodies[j]);
		for (uint32_t j = 0; j < expr->with_count; j++)
			bl_types_check_closures(checker, expr->withs[j].value);
	}
}

/* ---- hoisting ------------------------------------------------------------ */

static bool is_composite(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_OBJECT ||
	       term->kind == BL_TERM_SET;
}

/* The calls in a term, innermost first; not those in closures. */
static void hoist_calls(struct checker *checker, struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_REF) {
		struct bl_rego_term *head = term->as.items[0];

		for (uint32_t i = 0; i < term->count; i++)
			hoist_calls(checker, term->as.items[i]);
		if (is_composite(head) || is_comprehension(head))
			hoist(checker, head);
	} else if (is_composite(term)) {
		for (uint32_t i = 0; i < term->count; i++)
			hoist_calls(checker, term->as.items[i]);
	} else if (term->kind == BL_TERM_CALL) {
		for (uint32_t i = 1; i < term->count; i++)
			hoist_calls(checker, term->as.items[i]);
		for (uint32_t i = 1; i < term->count; i++)
			hoist(checker, term->as.items[i]);
		bl_types_check_call(checker, term, true);
	}
}

/* The references and comprehensions in a term, whose calls are done. */
static void hoist(struct checker *checker, struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_REF) {
		const struct bl_type *type;

		for (uint32_t i = 1; i < term->count; i++)
			hoist(checker, term->as.items[i]);
		bl_types_check_ref(checker, term);
		type = bl_types_of_ref(checker, term);
		bl_types_give(checker, &term->type,
			      bl_type_is_unknown(type) ? &bl_type_any : type);
	} else if (is_composite(term)) {
		for (uint32_t i = 0; i < term->count; i++)
			hoist(checker, term->as.items[i]);
	} else if (is_comprehension(term)) {
		bl_types_check_closures(checker, term);
	}
}

/*
 * As above for an operand of an equation, which may itself be a reference or a
 * comprehension: these come last.
 */
static void hoist_inside(struct checker *checker, struct bl_rego_term *term)
{
	if (term->kind != BL_TERM_REF) {
		if (!is_comprehension(term))
			hoist(checker, term);
		return;
	}
	for (uint32_t i = 1; i < term->count; i++)
		hoist(checker, term->as.items[i]);
}

static void check_itself(struct checker *checker, struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_REF)
		bl_types_check_ref(checker, term);
}

/* ---- statements ---------------------------------------------------------- */

static void check_equation(struct checker *checker, uint32_t offset,
			   struct bl_rego_term *a, struct bl_rego_term *b)
{
	struct bl_rego_term *sides[] = { a, b };
	const struct bl_type *types[2];
	size_t errors;

	for (size_t i = 0; i < 2; i++)
		hoist_calls(checker, sides[i]);
	for (size_t i = 0; i < 2; i++)
		hoist_inside(checker, sides[i]);
	errors = error_count(checker);
	for (size_t i = 0; i < 2; i++)
		if (is_comprehension(sides[i]))
			bl_types_check_closures(checker, sides[i]);
	for (size_t i = 0; i < 2; i++)
		check_itself(checker, sides[i]);
	for (size_t i = 0; i < 2; i++) {
		if (sides[i]->kind == BL_TERM_REF)
			bl_types_give(checker, &sides[i]->type,
				      bl_types_of_ref(checker, sides[i]));
		types[i] = bl_types_of(checker, sides[i]);
	}
	if (bl_types_unify(checker, a, b))
		return;
	/* An earlier error is the reason for the missing type. */
	if (error_count(checker) == errors ||
	    (!bl_type_is_unknown(types[0]) && !bl_type_is_unknown(types[1])))
		bl_types_report_match(checker, offset, types[0], types[1]);
}

/* "$0 = call(...)" of a query, whose last operand stands for the value. */
static bool is_whole(struct checker *checker, struct bl_rego_term *call)
{
	struct bl_signature own;
	const struct bl_signature *signature =
		call->kind == BL_TERM_CALL
			? bl_types_signature(checker, call, &own)
			: NULL;

	return signature && call->count == signature->type->count + 2;
}

static void check_term(struct checker *checker, const struct bl_rego_expr *expr)
{
	struct bl_rego_term *term = expr->terms[0];

	if (bl_rego_is_shown_statement(term) &&
	    is_whole(checker, term->as.items[2]))
		term = term->as.items[2];
	if (bl_types_is_equation(checker, term)) {
		check_equation(checker, expr->range.from, term->as.items[1],
			       term->as.items[2]);
		return;
	}
	if (term->kind != BL_TERM_CALL) {
		hoist_calls(checker, term);
		hoist_inside(checker, term);
		bl_types_check_closures(checker, term);
		check_itself(checker, term);
		return;
	}
	for (uint32_t i = 1; i < term->count; i++)
		hoist_calls(checker, term->as.items[i]);
	for (uint32_t i = 1; i < term->count; i++)
		hoist(checker, term->as.items[i]);
	bl_types_check_call(checker, term, false);
}

/*
 * "some k, v in xs" is to OPA: v = xs[k].  NULL without memory.  In the arena,
 * since the checker keeps the places of types that it may take back.
 */
static struct bl_rego_term *some_ref(struct checker *checker,
				     const struct bl_rego_expr *expr)
{
	struct bl_rego_term *domain = expr->terms[expr->term_count - 1];
	bool is_ref = domain->kind == BL_TERM_REF;
	uint32_t count = is_ref ? domain->count : 1;
	struct bl_rego_term *ref = bl_types_alloc(checker, 1, sizeof(*ref));
	struct bl_rego_term *key = bl_types_alloc(checker, 1, sizeof(*key));
	struct bl_rego_term **items = bl_types_alloc(
		checker, count + 1, sizeof(struct bl_rego_term *));

	if (!ref || !key || !items)
		return NULL;
	*ref = *domain;
	ref->kind = BL_TERM_REF;
	ref->count = count + 1;
	ref->as.items = items;
	for (uint32_t i = 0; i < count; i++)
		items[i] = is_ref ? domain->as.items[i] : domain;
	key->kind = BL_TERM_VAR;
	key->as.name = BL_STR("_");
	key->slot = (int32_t)checker->var_count - 1;
	checker->vars[key->slot] = NULL;
	items[count] = expr->term_count > 2 ? expr->terms[0] : key;
	return ref;
}

static void check_some(struct checker *checker, const struct bl_rego_expr *expr)
{
	struct bl_rego_term *ref = some_ref(checker, expr);

	if (ref)
		check_equation(checker, expr->range.from,
			       expr->terms[expr->term_count - 2], ref);
}

/* ---- bodies of which OPA checks references and closures only ------------- */

static void check_refs_of_body(struct checker *checker,
			       const struct bl_rego_body *body);

/* No equation gave a type to what was put in the place of that. */
static void forget(struct checker *checker, struct bl_rego_term *term)
{
	const struct bl_type **place = bl_types_place(checker, term);

	if (place && term->kind != BL_TERM_VAR)
		*place = NULL;
}

static void check_refs(struct checker *checker, struct bl_rego_term *term)
{
	uint32_t from = term->kind == BL_TERM_CALL;

	if (term->kind == BL_TERM_SCALAR || term->kind == BL_TERM_VAR ||
	    is_comprehension(term))
		return;
	for (uint32_t i = from; i < term->count; i++)
		check_refs(checker, term->as.items[i]);
	if (term->kind != BL_TERM_REF)
		return;
	for (uint32_t i = 0; i < term->count; i++)
		forget(checker, term->as.items[i]);
	if (!is_composite(term->as.items[0]))
		bl_types_check_ref(checker, term);
}

/* The value of a "with" that is a function, not a value; it gets its type. */
static bool stands_in(struct checker *checker, struct bl_rego_term *value)
{
	const struct bl_type *type = NULL;

	if (value->kind == BL_TERM_REF)
		type = bl_types_of_ref(checker, value);
	if (!type || type->kind != BL_TYPE_FUNCTION)
		return false;
	value->type = type;
	return true;
}

static void check_refs_of_expr(struct checker *checker,
			       const struct bl_rego_expr *expr)
{
	uint32_t from = expr->kind == BL_EXPR_SOME_IN ? expr->term_count : 0;

	for (uint32_t i = 0; !checker->is_query && i < expr->with_count; i++)
		if (!stands_in(checker, expr->withs[i].value))
			check_refs(checker, expr->withs[i].value);
	for (uint32_t i = from; i < expr->term_count; i++)
		check_refs(checker, expr->terms[i]);
	if (expr->kind == BL_EXPR_SOME_IN) {
		struct bl_rego_term *ref = some_ref(checker, expr);

		check_refs(checker, expr->terms[expr->term_count - 2]);
		if (ref)
			check_refs(checker, ref);
	}
	for (uint32_t i = 0; i < expr->body_count; i++)
		check_refs_of_body(checker, expr->bodies[i]);
}

static void check_refs_of_body(struct checker *checker,
			       const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++)
		check_refs_of_expr(checker, body->exprs[i]);
}

static void check_bodies(struct checker *checker,
			 const struct bl_rego_expr *expr)
{
	for (uint32_t i = 0; i < expr->body_count; i++)
		check_closures_of_body(checker, expr->bodies[i]);
	for (uint32_t i = 0; i < expr->body_count; i++)
		check_refs_of_body(checker, expr->bodies[i]);
}

static void check_every(struct checker *checker,
			const struct bl_rego_expr *expr)
{
	struct bl_rego_term *domain = expr->terms[expr->term_count - 1];

	hoist_calls(checker, domain);
	hoist(checker, domain);
	check_bodies(checker, expr);
}

/* ---- bodies -------------------------------------------------------------- */

static void check_statement(struct checker *checker,
			    const struct bl_rego_expr *expr)
{
	if (expr->negated && checker->block_not) {
		for (uint32_t i = 0; i < expr->term_count; i++)
			bl_types_check_closures(checker, expr->terms[i]);
		check_refs_of_expr(checker, expr);
		return;
	}
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		check_term(checker, expr);
		break;
	case BL_EXPR_SOME:
		break;
	case BL_EXPR_SOME_IN:
		check_some(checker, expr);
		break;
	case BL_EXPR_EVERY:
		check_every(checker, expr);
		break;
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		check_bodies(checker, expr);
		break;
	}
}

/*
 * The value of a "with".  In closures of queries OPA leaves it where it is, so
 * that it is looked at no further.
 */
static void check_with(struct checker *checker, struct bl_rego_term *value)
{
	if (stands_in(checker, value))
		return;
	hoist_calls(checker, value);
	if (!checker->is_query || !checker->closures)
		hoist(checker, value);
	else if (value->kind == BL_TERM_REF)
		value->type = bl_types_of_ref(checker, value);
}

void bl_types_check_body(struct checker *checker,
			 const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		const struct layer *layers = checker->layers;

		for (uint32_t j = 0; j < expr->with_count; j++)
			check_with(checker, expr->withs[j].value);
		if (!expr->with_count || (bl_types_push_withs(checker, expr) &&
					  bl_types_check_withs(checker, expr)))
			check_statement(checker, expr);
		checker->layers = layers;
	}
}

/* ---- rules --------------------------------------------------------------- */

/* The type of a rule's head; NULL: not known. */
static const struct bl_type *check_head(struct checker *checker,
					struct bl_rego_term *term)
{
	hoist_calls(checker, term);
	hoist(checker, term);
	return bl_types_of(checker, term);
}

/* The type of a partial rule from its keys and its value; NULL: not known. */
static const struct bl_type *
type_of_document(struct checker *checker, const struct bl_checked_rule *checked,
		 const struct bl_resolved_rule *rule,
		 const struct bl_type *value)
{
	if (value && checked->is_set)
		value = bl_type_make(checker->arena,
				     &(struct bl_type){ .kind = BL_TYPE_SET,
							.rest = value });
	for (size_t i = rule->key_count; value && i > 0; i--) {
		struct bl_type type = { .kind = BL_TYPE_OBJECT, .rest = value };

		type.key = bl_types_of(checker, rule->keys[i - 1]);
		value = type.key ? bl_type_make(checker->arena, &type) : NULL;
	}
	return value;
}

/* Names in arguments of which the body tells nothing are of any type. */
static void open_arg(struct checker *checker, struct bl_rego_term *arg)
{
	const struct bl_type **place = bl_types_place(checker, arg);

	if (arg->kind == BL_TERM_VAR && place && !*place)
		*place = &bl_type_any;
	for (uint32_t i = 0; is_composite(arg) && i < arg->count; i++)
		open_arg(checker, arg->as.items[i]);
}

static const struct bl_type *
type_of_function(struct checker *checker, const struct bl_resolved_rule *rule)
{
	struct bl_type type = { .kind = BL_TYPE_FUNCTION,
				.count = rule->arg_count,
				.rest = &bl_type_boolean };

	type.items = bl_types_alloc(checker, type.count, sizeof(*type.items));
	for (size_t i = 0; type.items && i < type.count; i++) {
		open_arg(checker, rule->args[i]);
		type.items[i] = bl_types_of(checker, rule->args[i]);
	}
	if (rule->value)
		type.rest = bl_types_of(checker, rule->value);
	return type.items ? bl_type_make(checker->arena, &type) : NULL;
}

/* One rule of a chain; its type, NULL when it is not known. */
static const struct bl_type *check_one(struct checker *checker,
				       const struct bl_node *node,
				       const struct bl_checked_rule *checked,
				       const struct bl_resolved_rule *rule)
{
	size_t errors = error_count(checker);
	const struct bl_type *type = &bl_type_boolean;

	if (rule->body)
		bl_types_check_body(checker, rule->body);
	for (size_t i = 0; i < rule->key_count; i++)
		check_head(checker, rule->keys[i]);
	for (size_t i = 0; i < rule->arg_count; i++)
		check_head(checker, rule->args[i]);
	if (rule->value)
		type = check_head(checker, rule->value);
	/* So that what refers to it has no error because of this one. */
	if (error_count(checker) > errors)
		return &bl_type_any;
	return node->kind == BL_RULE_FUNCTION
		       ? type_of_function(checker, rule)
		       : type_of_document(checker, checked, rule, type);
}

bool bl_types_begin_vars(struct checker *checker, int32_t slot_count)
{
	size_t count = (size_t)slot_count + 1;

	if (!checker->vars || count > checker->var_cap) {
		checker->var_cap = count * 2;
		checker->vars = bl_types_alloc(checker, checker->var_cap,
					       sizeof(*checker->vars));
	} else if (checker->vars) {
		memset(checker->vars, 0, count * sizeof(*checker->vars));
	}
	checker->var_count = count;
	return checker->vars != NULL;
}

static void check_node(struct checker *checker, const struct bl_node *node)
{
	const struct layer *layers = checker->layers;

	for (const struct bl_checked_rule *checked =
		     checker->compiler->checked[node->index];
	     checked; checked = checked->next) {
		checker->module = checked->module;
		checker->block_not = bl_module_has_block_not(checked->module);
		for (const struct bl_resolved_rule *rule = checked->resolved;
		     rule; rule = rule->else_rule) {
			const struct bl_type *type;

			if (!bl_types_begin_vars(checker,
						 checked->resolved->slot_count))
				return;
			if (!bl_types_push_schemas(checker, node, checked,
						   rule != checked->resolved))
				return;
			type = check_one(checker, node, checked, rule);
			checker->layers = layers;
			/* The effect of "with" on an empty value is not known. */
			if (bl_type_has_empty(type) &&
			    bl_types_is_replaced(checker, node))
				type = bl_type_without_empty(checker->arena,
							     type);
			if (type)
				bl_types_insert(checker, node, type);
		}
	}
}

const struct bl_rule_types *bl_check_types(struct bl_compiler *compiler)
{
	struct checker checker = { .compiler = compiler,
				   .arena = compiler->arena,
				   .signatures = {
					   .arena = compiler->arena,
					   .callables = compiler->callables } };
	struct bl_rule_types *types =
		bl_types_alloc(&checker, 1, sizeof(*types));
	size_t errors = compiler->findings.count;
	const struct bl_node **order = NULL;
	size_t count = 0;

	checker.results = bl_types_alloc(&checker, compiler->node_count,
					 sizeof(*checker.results));
	checker.present = bl_types_alloc(&checker, compiler->node_count,
					 sizeof(*checker.present));
	if (compiler->checked)
		order = bl_types_order(&checker, &count);
	if (compiler->failed_memory || !bl_types_read_schemas(&checker))
		return NULL;
	for (size_t i = 0; i < count; i++)
		check_node(&checker, order[i]);
	*types = (struct bl_rule_types){ checker.results, checker.present,
					 compiler->needs, compiler->order,
					 checker.layers };
	return compiler->findings.count == errors ? types : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of resolved rules whose statements are in order (spec/rego.md 1.10):
 * operands that no call can take, parts that no value has, equations that can
 * never hold.  What depends on input, base documents or "with" is "any".
 */
#include "rego/analysis/check_types.h"
#include "rego/analysis/checks.h"

#include <stdlib.h>

#include "json/json.h"

static bool unify_term(struct checker *checker, const struct bl_rego_term *term,
		       const struct bl_type *type);
static void check_body(struct checker *checker,
		       const struct bl_rego_body *body);

void *bl_types_alloc(struct checker *checker, size_t count, size_t size)
{
	void *made = bl_arena_zalloc(checker->arena, count ? count : 1, size);

	if (!made)
		checker->compiler->failed_memory = true;
	return made;
}

/* ---- memory of what was looked at --------------------------------------- */

static struct known_type *find_known(const struct checker *checker,
				     const struct bl_rego_term *term)
{
	size_t mask = checker->known_size - 1;
	size_t at = ((uintptr_t)term >> 4) * (size_t)0x9E3779B1u;

	while (checker->known[at & mask].term &&
	       checker->known[at & mask].term != term)
		at++;
	return &checker->known[at & mask];
}

static bool grow_known(struct checker *checker)
{
	struct known_type *old = checker->known;
	size_t size = old ? checker->known_size : 0;

	if (old && checker->known_count < size / 2)
		return true;
	checker->known_size = size ? size * 2 : 64;
	checker->known =
		bl_types_alloc(checker, checker->known_size, sizeof(*old));
	if (!checker->known)
		return false;
	for (size_t i = 0; i < size; i++)
		if (old[i].term)
			*find_known(checker, old[i].term) = old[i];
	return true;
}

static void remember(struct checker *checker, const struct bl_rego_term *term,
		     const struct bl_type *type)
{
	if (!grow_known(checker))
		return;
	*find_known(checker, term) = (struct known_type){ term, type };
	checker->known_count++;
}

/* ---- references --------------------------------------------------------- */

/*
 * The type behind part `at` of a reference; an error is reported, and what is
 * behind is of any type then.
 */
static const struct bl_type *step(struct checker *checker,
				  const struct bl_rego_term *ref, uint32_t at,
				  const struct bl_type *type)
{
	const struct bl_rego_term *part = ref->as.items[at];
	const struct bl_type *keys = bl_type_keys(checker->arena, type);
	const struct bl_type *have;
	const struct bl_type *found;

	if (bl_type_is_unknown(type) || bl_type_is_any(type) ||
	    (bl_type_is_empty(type) && part->kind != BL_TERM_SCALAR)) {
		unify_term(checker, part, &bl_type_any);
		return &bl_type_any;
	}
	if (!keys && !bl_type_is_empty(type)) {
		bl_types_report_no_parts(checker, ref, at, type);
		return &bl_type_any;
	}
	if (part->kind == BL_TERM_SCALAR) {
		found = bl_type_select(checker->arena, type, part->as.value);
		if (!found)
			bl_types_report_part(checker, ref, at, type, NULL);
		return found ? found : &bl_type_any;
	}
	have = bl_types_of(checker, part);
	if (!unify_term(checker, part, keys)) {
		bl_types_report_part(checker, ref, at, type, have);
		return &bl_type_any;
	}
	return bl_type_values(checker->arena, type);
}

/* The node with rules that a reference below data leads to, or NULL. */
static const struct bl_node *find_rules(const struct checker *checker,
					const struct bl_rego_term *ref,
					uint32_t *out_at)
{
	const struct bl_node *node = checker->compiler->root;
	uint32_t i;

	for (i = 1; node && i < ref->count; i++) {
		if (ref->as.items[i]->kind != BL_TERM_SCALAR)
			return NULL;
		node = bl_node_find_child(node, ref->as.items[i]->as.value);
		if (node && node->kind != BL_RULE_NONE)
			break;
	}
	*out_at = i + 1;
	return node && node->kind != BL_RULE_NONE && !node->first_child ? node
									: NULL;
}

static const struct bl_type *type_of_ref(struct checker *checker,
					 const struct bl_rego_term *ref)
{
	const struct bl_rego_term *head = ref->as.items[0];
	const struct bl_type *type = &bl_type_any;
	uint32_t at = 1;

	if (bl_term_is_root(head, "data")) {
		const struct bl_node *node = find_rules(checker, ref, &at);

		if (node && !checker->replaced)
			type = checker->results[node->index];
		if (!node)
			at = 1;
	} else if (!bl_term_is_root(head, "input")) {
		type = bl_types_of(checker, head);
	}
	if (!type)
		type = &bl_type_any;
	for (; at < ref->count; at++)
		type = step(checker, ref, at, type);
	return type;
}

/* ---- calls -------------------------------------------------------------- */

static const struct bl_signature *
find_signature(struct checker *checker, const struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node;
	const struct bl_signature *found;

	if (builtin)
		return bl_signature_find(checker->arena, bl_str(builtin->name));
	node = bl_call_node(checker->compiler, call);
	found = node ? &checker->functions[node->index] : NULL;
	return found && found->types && !checker->replaced ? found : NULL;
}

static const struct bl_type *type_of_call(struct checker *checker,
					  const struct bl_rego_term *call,
					  bool nested)
{
	const struct bl_signature *signature = find_signature(checker, call);
	bool ok = true;

	for (uint32_t i = 1; i < call->count; i++)
		bl_types_of(checker, call->as.items[i]);
	if (!signature || call->count - 1 > signature->arity + 1 ||
	    call->count - 1 < signature->arity) {
		for (uint32_t i = 1; i < call->count; i++)
			unify_term(checker, call->as.items[i], &bl_type_any);
		return &bl_type_any;
	}
	for (uint32_t i = 1; ok && i < call->count; i++)
		ok = unify_term(checker, call->as.items[i],
				signature->types[i - 1]);
	if (!ok)
		bl_types_report_args(checker, call, signature, nested);
	return ok ? signature->types[signature->arity] : &bl_type_any;
}

/* ---- terms -------------------------------------------------------------- */

static const struct bl_type *type_of_items(struct checker *checker,
					   const struct bl_rego_term *term)
{
	bool pairs = term->kind == BL_TERM_OBJECT;
	struct bl_type type = { .kind = pairs ? BL_TYPE_OBJECT
					      : BL_TYPE_ARRAY };

	type.items = bl_types_alloc(checker, term->count, sizeof(*type.items));
	type.keys = bl_types_alloc(checker, term->count, sizeof(*type.keys));
	if (!type.items || !type.keys)
		return &bl_type_any;
	for (uint32_t i = 0; i < term->count; i += pairs ? 2 : 1) {
		const struct bl_rego_term *key = term->as.items[i];
		const struct bl_type *value =
			bl_types_of(checker, term->as.items[i + pairs]);

		if (!pairs || key->kind == BL_TERM_SCALAR) {
			if (pairs)
				type.keys[type.count] = key->as.value;
			type.items[type.count++] = value;
			continue;
		}
		type.key = bl_types_of(checker, key);
		type.rest = value;
		if (!type.key || !value) /* not known, so anything */
			type.key = type.rest = &bl_type_any;
	}
	return bl_type_make(checker->arena, &type);
}

static const struct bl_type *type_of_set(struct checker *checker,
					 const struct bl_rego_term *term)
{
	struct bl_type type = { .kind = BL_TYPE_SET };

	for (uint32_t i = 0; i < term->count; i++)
		type.rest = bl_type_or(checker->arena, type.rest,
				       bl_types_of(checker, term->as.items[i]));
	return bl_type_make(checker->arena, &type);
}

static const struct bl_type *
type_of_comprehension(struct checker *checker, const struct bl_rego_term *term)
{
	struct bl_type type = { .kind = BL_TYPE_ARRAY };
	enum leniency leniency = checker->leniency;

	if (leniency == IN_HEAD)
		checker->leniency = STRICT;
	check_body(checker, term->body);
	checker->leniency = leniency;
	type.rest = bl_types_of(checker, term->as.items[term->count - 1]);
	if (!type.rest)
		type.rest = &bl_type_any;
	if (term->kind == BL_TERM_SET_COMPREHENSION)
		type.kind = BL_TYPE_SET;
	if (term->kind == BL_TERM_OBJECT_COMPREHENSION) {
		type.kind = BL_TYPE_OBJECT;
		type.key = bl_types_of(checker, term->as.items[0]);
		if (!type.key)
			type.key = &bl_type_any;
	}
	return bl_type_make(checker->arena, &type);
}

static const struct bl_type *look_at(struct checker *checker,
				     const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_REF)
		return type_of_ref(checker, term);
	if (term->kind == BL_TERM_CALL)
		return type_of_call(checker, term, true);
	return type_of_comprehension(checker, term);
}

/* NULL when it has no type yet. */
const struct bl_type *bl_types_of(struct checker *checker,
				  const struct bl_rego_term *term)
{
	const struct bl_type *type;

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return bl_type_of_scalar(term->as.value);
	case BL_TERM_VAR:
		return term->slot >= 0 ? checker->vars[term->slot]
				       : &bl_type_any;
	case BL_TERM_ARRAY:
	case BL_TERM_OBJECT:
		return type_of_items(checker, term);
	case BL_TERM_SET:
		return type_of_set(checker, term);
	case BL_TERM_TEMPLATE:
		return &bl_type_any;
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	if (checker->known && find_known(checker, term)->term)
		return find_known(checker, term)->type;
	type = look_at(checker, term);
	remember(checker, term, type);
	return type;
}

/* ---- equations ---------------------------------------------------------- */

/* The items of a composite against a type of the same kind. */
static bool unify_items(struct checker *checker,
			const struct bl_rego_term *term,
			const struct bl_type *type)
{
	bool pairs = term->kind == BL_TERM_OBJECT;
	size_t count = pairs ? term->count / 2 : term->count;

	if (term->kind != BL_TERM_SET && count != type->count && !type->rest)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct bl_rego_term *item = term->as.items[i];
		const struct bl_type *wanted = type->rest;

		if (pairs) {
			const struct bl_rego_term *key = term->as.items[i * 2];

			item = term->as.items[i * 2 + 1];
			wanted = key->kind == BL_TERM_SCALAR
					 ? bl_type_select(checker->arena, type,
							  key->as.value)
					 : &bl_type_any;
		} else if (term->kind == BL_TERM_ARRAY && i < type->count) {
			wanted = type->items[i];
		}
		if (!wanted || !unify_term(checker, item, wanted))
			return false;
	}
	return true;
}

/* Can term have that type?  Variables without one get it. */
static bool unify_term(struct checker *checker, const struct bl_rego_term *term,
		       const struct bl_type *type)
{
	static const enum bl_type_kind kinds[] = {
		[BL_TERM_ARRAY] = BL_TYPE_ARRAY,
		[BL_TERM_SET] = BL_TYPE_SET,
		[BL_TERM_OBJECT] = BL_TYPE_OBJECT,
	};
	const struct bl_type *have = bl_types_of(checker, term);
	bool found = false;

	if (term->kind == BL_TERM_VAR && term->slot >= 0 && !have) {
		checker->vars[term->slot] = type ? type : &bl_type_any;
		return true;
	}
	if (term->kind != BL_TERM_ARRAY && term->kind != BL_TERM_SET &&
	    term->kind != BL_TERM_OBJECT)
		return bl_type_unifies(have, type);
	if (!type || bl_type_is_any(type)) {
		for (uint32_t i = 0; i < term->count; i++)
			unify_term(checker, term->as.items[i], &bl_type_any);
		return true;
	}
	if (!bl_type_is_unknown(have))
		return bl_type_unifies(have, type);
	if (type->kind == kinds[term->kind])
		return unify_items(checker, term, type);
	if (type->kind != BL_TYPE_ANY)
		return false;
	for (size_t i = 0; i < type->count; i++)
		found |= type->items[i]->kind == kinds[term->kind];
	/* Which one it is cannot be told, so what is inside is anything. */
	for (uint32_t i = 0; found && i < term->count; i++)
		unify_term(checker, term->as.items[i], &bl_type_any);
	return found;
}

static bool unify_pairs(struct checker *checker, const struct bl_rego_term *a,
			const struct bl_rego_term *b);

static bool unify_terms(struct checker *checker, const struct bl_rego_term *a,
			const struct bl_rego_term *b)
{
	const struct bl_type *left = bl_types_of(checker, a);
	const struct bl_type *right = bl_types_of(checker, b);
	bool left_open = bl_type_is_unknown(left);
	bool right_open = bl_type_is_unknown(right);

	if (!left_open && !right_open)
		return bl_type_unifies(left, right);
	if (left_open && !right_open)
		return unify_term(checker, a, right);
	if (right_open && !left_open)
		return unify_term(checker, b, left);
	if (a->kind == b->kind && a->count == b->count &&
	    a->kind != BL_TERM_VAR)
		return unify_pairs(checker, a, b);
	unify_term(checker, a, &bl_type_any);
	unify_term(checker, b, &bl_type_any);
	return true;
}

static bool unify_pairs(struct checker *checker, const struct bl_rego_term *a,
			const struct bl_rego_term *b)
{
	bool arrays = a->kind == BL_TERM_ARRAY;

	for (uint32_t i = 0; i < a->count; i++) {
		if (arrays &&
		    !unify_terms(checker, a->as.items[i], b->as.items[i]))
			return false;
		if (!arrays) {
			unify_term(checker, a->as.items[i], &bl_type_any);
			unify_term(checker, b->as.items[i], &bl_type_any);
		}
	}
	return true;
}

static void check_equation(struct checker *checker,
			   const struct bl_rego_expr *expr)
{
	static const char *const plurals[] = {
		[BL_TYPE_ARRAY] = "arrays",
		[BL_TYPE_OBJECT] = "objects",
		[BL_TYPE_SET] = "sets",
	};
	const struct bl_rego_term *call = expr->terms[0];
	const struct bl_type *left = bl_types_of(checker, call->as.items[1]);
	const struct bl_type *right = bl_types_of(checker, call->as.items[2]);
	struct bl_buf text;

	if (unify_terms(checker, call->as.items[1], call->as.items[2]))
		return;
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "match error\n\tleft  : ");
	bl_type_put(&text, left);
	bl_buf_puts(&text, "\n\tright : ");
	bl_type_put(&text, right);
	if (left && right && left->kind == right->kind &&
	    left->kind >= BL_TYPE_ARRAY && left->kind <= BL_TYPE_SET)
		bl_buf_printf(&text,
			      "\n\thint  : both sides are %s but their types "
			      "differ, so they can never be equal (see "
			      "https://www.openpolicyagent.org/docs/errors/"
			      "rego-type-error/match-error)",
			      plurals[left->kind]);
	bl_types_report(checker, expr->range.from, &text);
	bl_buf_clear(&text);
}

/* ---- statements --------------------------------------------------------- */

static bool is_equation(const struct bl_rego_term *term)
{
	static const char *const names[] = { "eq", "assign", "equal" };
	const struct bl_builtin *builtin =
		term->kind == BL_TERM_CALL && term->count == 3
			? bl_call_builtin(term)
			: NULL;

	for (size_t i = 0; builtin && i < BL_COUNT(names); i++)
		if (strcmp(builtin->name, names[i]) == 0)
			return true;
	return false;
}

/* "some k, v in xs" and "every": the patterns against what xs gives. */
static void check_members(struct checker *checker,
			  const struct bl_rego_expr *expr)
{
	uint32_t last = expr->term_count - 1;
	const struct bl_type *domain = bl_types_of(checker, expr->terms[last]);

	if (bl_type_is_unknown(domain))
		domain = &bl_type_any;
	unify_term(checker, expr->terms[last - 1],
		   bl_type_values(checker->arena, domain));
	if (last == 2)
		unify_term(checker, expr->terms[0],
			   bl_type_keys(checker->arena, domain));
}

static void check_expr(struct checker *checker, const struct bl_rego_expr *expr)
{
	bool replaced = checker->replaced;
	enum leniency leniency = checker->leniency;

	for (uint32_t i = 0; i < expr->with_count; i++)
		bl_types_of(checker, expr->withs[i].value);
	checker->replaced |= expr->with_count > 0;
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		if (is_equation(expr->terms[0]))
			check_equation(checker, expr);
		else if (expr->terms[0]->kind == BL_TERM_CALL)
			type_of_call(checker, expr->terms[0], false);
		else
			bl_types_of(checker, expr->terms[0]);
		break;
	case BL_EXPR_SOME:
		break;
	case BL_EXPR_SOME_IN:
	case BL_EXPR_EVERY:
		check_members(checker, expr);
		break;
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		break;
	}
	if (expr->kind == BL_EXPR_EVERY)
		checker->leniency = IN_EVERY;
	for (uint32_t i = 0; i < expr->body_count; i++)
		check_body(checker, expr->bodies[i]);
	checker->replaced = replaced;
	checker->leniency = leniency;
}

static void check_body(struct checker *checker, const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++)
		check_expr(checker, body->exprs[i]);
}

/* ---- rules -------------------------------------------------------------- */

/* What a partial rule makes of its keys and its value. */
static const struct bl_type *
type_of_document(struct checker *checker, const struct bl_checked_rule *checked,
		 const struct bl_resolved_rule *rule,
		 const struct bl_type *value)
{
	if (checked->is_set)
		value = bl_type_make(checker->arena,
				     &(struct bl_type){ .kind = BL_TYPE_SET,
							.rest = value });
	for (size_t i = rule->key_count; i > 0; i--) {
		const struct bl_type *key =
			bl_types_of(checker, rule->keys[i - 1]);

		value = bl_type_make(
			checker->arena,
			&(struct bl_type){ .kind = BL_TYPE_OBJECT,
					   .key = key ? key : &bl_type_any,
					   .rest = value });
	}
	return value;
}

static void add_args(struct checker *checker, const struct bl_node *node,
		     const struct bl_resolved_rule *rule)
{
	struct bl_signature *function = &checker->functions[node->index];

	if (!function->types)
		function->types = bl_types_alloc(checker, node->arity + 1,
						 sizeof(*function->types));
	if (!function->types)
		return;
	function->arity = node->arity;
	for (size_t i = 0; i < rule->arg_count; i++) {
		const struct bl_type *type;

		if (bl_type_is_unknown(bl_types_of(checker, rule->args[i])))
			unify_term(checker, rule->args[i], &bl_type_any);
		type = bl_types_of(checker, rule->args[i]);
		function->types[i] = bl_type_or(
			checker->arena, function->types[i],
			bl_type_is_unknown(type) ? &bl_type_any : type);
	}
}

/* One rule of a chain; its type, "any" when something is wrong with it. */
static const struct bl_type *check_one(struct checker *checker,
				       const struct bl_node *node,
				       const struct bl_checked_rule *checked,
				       const struct bl_resolved_rule *rule)
{
	size_t errors = checker->compiler->diags->error_count;
	const struct bl_type *type = bl_type_of_scalar(bl_value_boolean(true));

	if (rule->body)
		check_body(checker, rule->body);
	checker->leniency = IN_HEAD;
	for (size_t i = 0; i < rule->key_count; i++)
		bl_types_of(checker, rule->keys[i]);
	if (rule->value)
		type = bl_types_of(checker, rule->value);
	checker->leniency = STRICT;
	if (node->kind == BL_RULE_FUNCTION)
		add_args(checker, node, rule);
	/* An empty one may be replaced by "with", or be filled elsewhere. */
	if (checker->compiler->diags->error_count > errors ||
	    bl_type_is_unknown(type) || bl_type_is_empty(type))
		type = &bl_type_any;
	return type_of_document(checker, checked, rule, type);
}

static void check_node(struct checker *checker, const struct bl_node *node)
{
	const struct bl_type *type = NULL;

	for (const struct bl_checked_rule *checked =
		     checker->compiler->checked[node->index];
	     checked; checked = checked->next) {
		checker->module = checked->module;
		for (const struct bl_resolved_rule *rule = checked->resolved;
		     rule; rule = rule->else_rule) {
			checker->vars = bl_types_alloc(
				checker, (size_t)checked->resolved->slot_count,
				sizeof(*checker->vars));
			checker->known = NULL;
			checker->known_count = checker->known_size = 0;
			if (!checker->vars)
				return;
			type = bl_type_or(
				checker->arena, type,
				check_one(checker, node, checked, rule));
		}
	}
	checker->results[node->index] =
		node->kind == BL_RULE_FUNCTION ? &bl_type_any : type;
	if (checker->functions[node->index].types)
		checker->functions[node->index].types[node->arity] = type;
}

bool bl_check_types(struct bl_compiler *compiler)
{
	struct checker checker = { .compiler = compiler,
				   .arena = compiler->arena };
	size_t errors = compiler->diags->error_count;

	if (!compiler->checked || !compiler->order)
		return true;
	checker.results = bl_types_alloc(&checker, compiler->node_count,
					 sizeof(*checker.results));
	checker.functions = bl_types_alloc(&checker, compiler->node_count,
					   sizeof(*checker.functions));
	if (!checker.results || !checker.functions)
		return false;
	/* Those that nothing needs come first in order. */
	for (uint32_t i = compiler->node_count; i > 0; i--)
		check_node(&checker, compiler->order[i - 1]);
	return compiler->diags->error_count == errors;
}

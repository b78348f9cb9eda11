/* SPDX-License-Identifier: Apache-2.0 */
/* Terms and statements as OPA writes them in JSON. */
#include "rego/tools/ast_json.h"

#include "rego/compiler/parse/operators.h"

void bl_ast_put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

void bl_ast_put_location(struct bl_ast_writer *w, struct bl_object_builder *to,
			 struct bl_rego_range range)
{
	if (w->parts & BL_REGO_AST_LOCATIONS)
		bl_ast_put(to, "location",
			   bl_ast_place(&w->places, range, true));
}

struct bl_value bl_ast_node(struct bl_ast_writer *w, const char *type,
			    struct bl_value value, struct bl_rego_range range)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_ast_put_location(w, &out, range);
	bl_ast_put(&out, "type", bl_value_string(bl_str(type)));
	bl_ast_put(&out, "value", value);
	return bl_object_builder_end(&out);
}

struct bl_value bl_ast_var(struct bl_ast_writer *w, struct bl_str name,
			   struct bl_rego_range range)
{
	struct bl_value value = bl_value_string(name);

	if (bl_str_is(name, "_"))
		value = bl_value_printf(w->arena, "$%lld",
					(long long)w->wildcards++);
	return bl_ast_node(w, "var", value, range);
}

struct bl_value bl_ast_scalar(struct bl_ast_writer *w, struct bl_value value,
			      struct bl_rego_range range)
{
	if (bl_value_is(value, BL_KIND_NULL))
		return bl_ast_node(w, "null",
				   bl_object_make(w->arena, NULL, 0, NULL),
				   range);
	return bl_ast_node(w, bl_kind_name(bl_value_kind(value)), value, range);
}

/* ---- terms -------------------------------------------------------------- */

struct bl_value bl_ast_items(struct bl_ast_writer *w,
			     struct bl_rego_term *const *items, size_t count)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list, bl_ast_term(w, items[i]));
	return bl_array_builder_end(&list);
}

/* A name ("eq", "internal.member_2") that stands in range, as a reference. */
static struct bl_value name_ref(struct bl_ast_writer *w, struct bl_str name,
				struct bl_rego_range range)
{
	struct bl_array_builder parts;
	size_t dot;

	bl_array_builder_init(&parts, w->arena);
	do {
		struct bl_str part;

		dot = bl_str_find(name, BL_STR("."), 0);
		part = bl_str_slice(name, 0, dot);
		bl_array_builder_add(
			&parts,
			parts.count
				? bl_ast_scalar(w, bl_value_string(part), range)
				: bl_ast_var(w, part, range));
		name = bl_str_slice(name, dot + 1, SIZE_MAX);
	} while (dot != SIZE_MAX);
	return bl_ast_node(w, "ref", bl_array_builder_end(&parts), range);
}

/* A name as a reference; others as they are. */
struct bl_value bl_ast_ref(struct bl_ast_writer *w,
			   const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_VAR
		       ? name_ref(w, term->as.name, term->range)
		       : bl_ast_term(w, term);
}

/* Where a sign stands between two terms; all of both when it is not there. */
static struct bl_rego_range sign_range(const struct bl_ast_writer *w,
				       struct bl_str sign,
				       const struct bl_rego_term *left,
				       const struct bl_rego_term *right)
{
	struct bl_str before =
		bl_str_slice(w->module->text, 0, right->range.from);
	size_t at = bl_str_find(before, sign, left->range.to);

	if (at == SIZE_MAX)
		return (struct bl_rego_range){ left->range.from,
					       right->range.to };
	return (struct bl_rego_range){ (uint32_t)at,
				       (uint32_t)(at + sign.len) };
}

/* Where the operator of a call stands. */
static struct bl_rego_range operator_range(const struct bl_ast_writer *w,
					   const struct bl_rego_term *call)
{
	const struct bl_rego_operator *row =
		bl_rego_operator_of(call->as.items[0]->as.name);

	if (call->count < 3)
		return call->range;
	return sign_range(w, row ? bl_str(row->text) : BL_STR("in"),
			  call->as.items[call->count - 2],
			  call->as.items[call->count - 1]);
}

/* Operator and arguments of a call. */
static struct bl_value call_value(struct bl_ast_writer *w,
				  const struct bl_rego_term *term)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(
		&list, term->infix ? name_ref(w, term->as.items[0]->as.name,
					      operator_range(w, term))
				   : bl_ast_ref(w, term->as.items[0]));
	for (size_t i = 1; i < term->count; i++)
		bl_array_builder_add(&list, bl_ast_term(w, term->as.items[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value list_value(struct bl_ast_writer *w,
				  const struct bl_rego_term *term)
{
	return bl_ast_items(w, term->as.items, term->count);
}

static struct bl_value set_value(struct bl_ast_writer *w,
				 const struct bl_rego_term *term)
{
	return bl_ast_in_order(w->arena, list_value(w, term), false);
}

/* The head is a variable also when it is data or input. */
static struct bl_value ref_value(struct bl_ast_writer *w,
				 const struct bl_rego_term *term)
{
	const struct bl_rego_term *head = term->as.items[0];
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(&list,
			     head->kind == BL_TERM_VAR
				     ? bl_ast_var(w, head->as.name, head->range)
				     : bl_ast_term(w, head));
	for (size_t i = 1; i < term->count; i++)
		bl_array_builder_add(&list, bl_ast_term(w, term->as.items[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value object_value(struct bl_ast_writer *w,
				    const struct bl_rego_term *term)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i + 1 < term->count; i += 2)
		bl_array_builder_add(&list,
				     bl_ast_items(w, term->as.items + i, 2));
	return bl_ast_in_order(w->arena, bl_array_builder_end(&list), true);
}

static struct bl_value comprehension(struct bl_ast_writer *w,
				     const struct bl_rego_term *term)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	if (term->count == 2) {
		bl_ast_put(&out, "key", bl_ast_term(w, term->as.items[0]));
		bl_ast_put(&out, "value", bl_ast_term(w, term->as.items[1]));
	} else {
		bl_ast_put(&out, "term", bl_ast_term(w, term->as.items[0]));
	}
	bl_ast_put(&out, "body", bl_ast_body(w, term->body));
	return bl_object_builder_end(&out);
}

/* Texts and constants are terms, the rest are statements of their own. */
static struct bl_value template_parts(struct bl_ast_writer *w,
				      const struct bl_rego_term *term)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < term->body->count; i++) {
		struct bl_rego_expr *expr = term->body->exprs[i];
		const struct bl_rego_term *first = expr->terms[0];
		struct bl_rego_body one = { .exprs = &expr, .count = 1 };

		if (first->kind != BL_TERM_SCALAR || expr->with_count)
			bl_array_builder_add(
				&list, bl_value_item(bl_ast_body(w, &one), 0));
		else
			bl_array_builder_add(
				&list,
				bl_ast_scalar(w, first->as.value,
					      first->range.to ? first->range
							      : term->range));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value template_value(struct bl_ast_writer *w,
				      const struct bl_rego_term *term)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_ast_put(&out, "multi_line", bl_value_boolean(term->raw));
	bl_ast_put(&out, "parts",
		   term->body->count ? template_parts(w, term)
				     : bl_value_null());
	return bl_object_builder_end(&out);
}

/* "array", ... : the type of a term, and what makes its value. */
static const struct {
	const char *type;
	struct bl_value (*write)(struct bl_ast_writer *w,
				 const struct bl_rego_term *term);
} compounds[] = {
	[BL_TERM_TEMPLATE] = { "templatestring", template_value },
	[BL_TERM_REF] = { "ref", ref_value },
	[BL_TERM_CALL] = { "call", call_value },
	[BL_TERM_ARRAY] = { "array", list_value },
	[BL_TERM_SET] = { "set", set_value },
	[BL_TERM_OBJECT] = { "object", object_value },
	[BL_TERM_ARRAY_COMPREHENSION] = { "arraycomprehension", comprehension },
	[BL_TERM_SET_COMPREHENSION] = { "setcomprehension", comprehension },
	[BL_TERM_OBJECT_COMPREHENSION] = { "objectcomprehension",
					   comprehension },
};

struct bl_value bl_ast_term(struct bl_ast_writer *w,
			    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_SCALAR)
		return bl_ast_scalar(w, term->as.value, term->range);
	if (term->kind == BL_TERM_VAR)
		return bl_str_is(term->as.name, "data") ||
				       bl_str_is(term->as.name, "input")
			       ? name_ref(w, term->as.name, term->range)
			       : bl_ast_var(w, term->as.name, term->range);
	return bl_ast_node(w, compounds[term->kind].type,
			   compounds[term->kind].write(w, term), term->range);
}

/* ---- expressions -------------------------------------------------------- */

/* The keyword that a statement begins with. */
static struct bl_rego_range keyword_range(const struct bl_rego_expr *expr,
					  uint32_t len)
{
	return (struct bl_rego_range){ expr->range.from,
				       expr->range.from + len };
}

/* "some k, v in xs": a call of internal.member_N. */
static struct bl_value member_call(struct bl_ast_writer *w,
				   const struct bl_rego_expr *expr)
{
	size_t last = expr->term_count - 1;
	struct bl_rego_range in = sign_range(
		w, BL_STR("in"), expr->terms[last - 1], expr->terms[last]);
	struct bl_rego_range all = { expr->terms[0]->range.from,
				     expr->terms[last]->range.to };
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(&list,
			     name_ref(w,
				      last == 2 ? BL_STR("internal.member_3")
						: BL_STR("internal.member_2"),
				      in));
	for (size_t i = 0; i <= last; i++)
		bl_array_builder_add(&list, bl_ast_term(w, expr->terms[i]));
	return bl_ast_node(w, "call", bl_array_builder_end(&list), all);
}

static struct bl_value symbols(struct bl_ast_writer *w,
			       const struct bl_rego_expr *expr)
{
	struct bl_object_builder out;
	struct bl_value list;

	bl_object_builder_init(&out, w->arena);
	if (expr->kind == BL_EXPR_SOME_IN) {
		list = member_call(w, expr);
		list = bl_array_make(w->arena, &list, 1);
	} else {
		list = bl_ast_items(w, expr->terms, expr->term_count);
	}
	bl_ast_put_location(w, &out, keyword_range(expr, 4));
	bl_ast_put(&out, "symbols", list);
	return bl_object_builder_end(&out);
}

static struct bl_value every(struct bl_ast_writer *w,
			     const struct bl_rego_expr *expr)
{
	size_t last = expr->term_count - 1;
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_ast_put(&out, "key",
		   last == 2 ? bl_ast_term(w, expr->terms[0])
			     : bl_value_null());
	bl_ast_put(&out, "value", bl_ast_term(w, expr->terms[last - 1]));
	bl_ast_put(&out, "domain", bl_ast_term(w, expr->terms[last]));
	bl_ast_put(&out, "body", bl_ast_body(w, expr->bodies[0]));
	bl_ast_put_location(w, &out, keyword_range(expr, 5));
	return bl_object_builder_end(&out);
}

/* An array of one statement. */
static struct bl_value one_statement(struct bl_ast_writer *w,
				     struct bl_value terms,
				     struct bl_value withs,
				     struct bl_rego_range range)
{
	struct bl_object_builder one;
	struct bl_value statement;

	bl_object_builder_init(&one, w->arena);
	bl_ast_put(&one, "index", bl_value_integer(0));
	bl_ast_put_location(w, &one, range);
	bl_ast_put(&one, "terms", terms);
	bl_ast_put(&one, "with", withs);
	statement = bl_object_builder_end(&one);
	return bl_array_make(w->arena, &statement, 1);
}

/* The operand; one in braces may be alone in an "and" of its own. */
static const struct bl_rego_body *operand(const struct bl_rego_body *body)
{
	const struct bl_rego_expr *only = body->exprs[0];

	return !body->braced && only->kind == BL_EXPR_LOGICAL &&
			       only->body_count == 1 && !only->negated
		       ? only->bodies[0]
		       : body;
}

/* Pairs from the left: "a and b and c" is "(a and b) and c". */
static struct bl_value logical(struct bl_ast_writer *w,
			       const struct bl_rego_expr *expr)
{
	const struct bl_rego_body *first = operand(expr->bodies[0]);
	struct bl_value left = bl_ast_body(w, first);
	struct bl_value pair = bl_value_undefined();

	for (size_t i = 1; i < expr->body_count; i++) {
		struct bl_rego_range range = { expr->bodies[0]->range.from,
					       expr->bodies[i]->range.to };
		const struct bl_rego_body *right = operand(expr->bodies[i]);
		struct bl_object_builder out;

		bl_object_builder_init(&out, w->arena);
		if (i == 1 && first->braced)
			bl_ast_put(&out, "explicit_lhs",
				   bl_value_boolean(true));
		if (right->braced)
			bl_ast_put(&out, "explicit_rhs",
				   bl_value_boolean(true));
		bl_ast_put(&out, "lhs", left);
		bl_ast_put(&out, "rhs", bl_ast_body(w, right));
		bl_ast_put(&out, "type",
			   bl_value_string(expr->is_or ? BL_STR("or")
						       : BL_STR("and")));
		pair = bl_object_builder_end(&out);
		if (i + 1 < expr->body_count)
			left = one_statement(w, pair, bl_value_undefined(),
					     range);
	}
	return pair;
}

static struct bl_value not_node(struct bl_ast_writer *w, struct bl_value body,
				bool is_block)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_ast_put(&out, "body", body);
	bl_ast_put(&out, "explicit_body", bl_value_boolean(is_block));
	bl_ast_put(&out, "type", bl_value_string(BL_STR("not")));
	return bl_object_builder_end(&out);
}

/* A call is its operator and arguments, other terms are themselves. */
static struct bl_value terms(struct bl_ast_writer *w,
			     const struct bl_rego_expr *expr)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		return expr->terms[0]->kind == BL_TERM_CALL
			       ? call_value(w, expr->terms[0])
			       : bl_ast_term(w, expr->terms[0]);
	case BL_EXPR_SOME:
	case BL_EXPR_SOME_IN:
		return symbols(w, expr);
	case BL_EXPR_EVERY:
		return every(w, expr);
	case BL_EXPR_NOT_BODY:
		return not_node(w, bl_ast_body(w, expr->bodies[0]), true);
	case BL_EXPR_LOGICAL:
		return logical(w, expr);
	}
	return bl_value_undefined();
}

/* From the keyword, which stands before the target, to the value's end. */
static struct bl_rego_range with_range(const struct bl_ast_writer *w,
				       const struct bl_rego_with *with)
{
	uint32_t from = with->target->range.from;

	while (from &&
	       !bl_str_has_prefix(bl_str_slice(w->module->text, from, SIZE_MAX),
				  BL_STR("with")))
		from--;
	return (struct bl_rego_range){ from, with->value->range.to };
}

static struct bl_value withs(struct bl_ast_writer *w,
			     const struct bl_rego_expr *expr)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < expr->with_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, w->arena);
		bl_ast_put_location(w, &one, with_range(w, &expr->withs[i]));
		bl_ast_put(&one, "target",
			   bl_ast_term(w, expr->withs[i].target));
		bl_ast_put(&one, "value", bl_ast_term(w, expr->withs[i].value));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* The operand of "not", where it holds a body: that has one statement. */
static struct bl_value negated(struct bl_ast_writer *w,
			       const struct bl_rego_expr *expr)
{
	const struct bl_rego_expr *inner = expr;
	struct bl_value value;

	/* A group of one statement. */
	if (expr->kind == BL_EXPR_LOGICAL && expr->body_count == 1)
		inner = expr->bodies[0]->exprs[0];
	value = inner != expr && inner->negated ? negated(w, inner)
						: terms(w, inner);
	return not_node(w,
			one_statement(w, value,
				      inner != expr && inner->with_count
					      ? withs(w, inner)
					      : bl_value_undefined(),
				      expr->range),
			false);
}

struct bl_value bl_ast_body(struct bl_ast_writer *w,
			    const struct bl_rego_body *body)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, w->arena);
		bl_ast_put(&one, "index", bl_value_integer((int64_t)i));
		bl_ast_put_location(w, &one, expr->range);
		if (expr->negated && !w->blocks)
			bl_ast_put(&one, "negated", bl_value_boolean(true));
		bl_ast_put(&one, "terms",
			   expr->negated && w->blocks ? negated(w, expr)
						      : terms(w, expr));
		if (expr->with_count)
			bl_ast_put(&one, "with", withs(w, expr));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

struct bl_value bl_rego_query_json(const struct bl_rego_body *body,
				   struct bl_arena *arena)
{
	static const struct bl_rego_module none = { 0 };
	struct bl_ast_writer w = { .arena = arena, .module = &none };

	return bl_ast_body(&w, body);
}

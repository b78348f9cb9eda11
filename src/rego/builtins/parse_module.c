/* SPDX-License-Identifier: Apache-2.0 */
/* rego.parse_module: a syntax tree as OPA writes it in JSON. */
#include "rego/builtins/functions.h"
#include "rego/rego.h"
#include "rego/syntax/ast.h"

struct writer {
	struct bl_arena *arena;
	int64_t wildcards; /* "_" so far: each is a variable of its own */
};

static struct bl_value term_value(struct writer *w,
				  const struct bl_rego_term *term);
static struct bl_value body_value(struct writer *w,
				  const struct bl_rego_body *body);

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

static struct bl_value node(struct writer *w, const char *type,
			    struct bl_value value)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "type", bl_value_string(bl_str(type)));
	put(&out, "value", value);
	return bl_object_builder_end(&out);
}

static struct bl_value var(struct writer *w, struct bl_str name)
{
	struct bl_value value = bl_value_string(name);

	if (bl_str_is(name, "_"))
		value = bl_value_printf(w->arena, "$%lld",
					(long long)w->wildcards++);
	return node(w, "var", value);
}

static struct bl_value scalar(struct writer *w, struct bl_value value)
{
	if (bl_value_is(value, BL_KIND_NULL))
		return node(w, "null", bl_object_make(w->arena, NULL, 0, NULL));
	return node(w, bl_kind_name(bl_value_kind(value)), value);
}

/* ---- terms -------------------------------------------------------------- */

static struct bl_value
items_value(struct writer *w, struct bl_rego_term *const *items, size_t count)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list, term_value(w, items[i]));
	return bl_array_builder_end(&list);
}

/* A name ("eq", "internal.member_2") as a reference; others as they are. */
static struct bl_value as_ref(struct writer *w, const struct bl_rego_term *term)
{
	struct bl_array_builder parts;
	struct bl_str rest;
	size_t dot;

	if (term->kind != BL_TERM_VAR)
		return term_value(w, term);
	rest = term->as.name;
	bl_array_builder_init(&parts, w->arena);
	do {
		struct bl_str part;

		dot = bl_str_find(rest, BL_STR("."), 0);
		part = bl_str_slice(rest, 0, dot);
		bl_array_builder_add(
			&parts, parts.count ? scalar(w, bl_value_string(part))
					    : var(w, part));
		rest = bl_str_slice(rest, dot + 1, SIZE_MAX);
	} while (dot != SIZE_MAX);
	return node(w, "ref", bl_array_builder_end(&parts));
}

/* Operator and arguments of a call. */
static struct bl_value call_value(struct writer *w,
				  const struct bl_rego_term *term)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < term->count; i++)
		bl_array_builder_add(&list, i ? term_value(w, term->as.items[i])
					      : as_ref(w, term->as.items[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value object_value(struct writer *w,
				    const struct bl_rego_term *term)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i + 1 < term->count; i += 2)
		bl_array_builder_add(&list,
				     items_value(w, term->as.items + i, 2));
	return bl_array_builder_end(&list);
}

static struct bl_value comprehension(struct writer *w,
				     const struct bl_rego_term *term)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	if (term->count == 2) {
		put(&out, "key", term_value(w, term->as.items[0]));
		put(&out, "value", term_value(w, term->as.items[1]));
	} else {
		put(&out, "term", term_value(w, term->as.items[0]));
	}
	put(&out, "body", body_value(w, term->body));
	return bl_object_builder_end(&out);
}

static struct bl_value template_value(struct writer *w,
				      const struct bl_rego_term *term)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "parts", body_value(w, term->body));
	put(&out, "multi_line", bl_value_boolean(term->raw));
	return bl_object_builder_end(&out);
}

static struct bl_value term_value(struct writer *w,
				  const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return scalar(w, term->as.value);
	case BL_TERM_TEMPLATE:
		return node(w, "templatestring", template_value(w, term));
	case BL_TERM_VAR:
		return var(w, term->as.name);
	case BL_TERM_REF:
		return node(w, "ref",
			    items_value(w, term->as.items, term->count));
	case BL_TERM_CALL:
		return node(w, "call", call_value(w, term));
	case BL_TERM_ARRAY:
		return node(w, "array",
			    items_value(w, term->as.items, term->count));
	case BL_TERM_SET:
		return node(w, "set",
			    items_value(w, term->as.items, term->count));
	case BL_TERM_OBJECT:
		return node(w, "object", object_value(w, term));
	case BL_TERM_ARRAY_COMPREHENSION:
		return node(w, "arraycomprehension", comprehension(w, term));
	case BL_TERM_SET_COMPREHENSION:
		return node(w, "setcomprehension", comprehension(w, term));
	case BL_TERM_OBJECT_COMPREHENSION:
		return node(w, "objectcomprehension", comprehension(w, term));
	}
	return bl_value_undefined();
}

/* ---- expressions -------------------------------------------------------- */

static struct bl_value bodies_value(struct writer *w,
				    const struct bl_rego_expr *expr)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < expr->body_count; i++)
		bl_array_builder_add(&list, body_value(w, expr->bodies[i]));
	return bl_array_builder_end(&list);
}

/* "some k, v in xs": a call of internal.member_N. */
static struct bl_value member_call(struct writer *w,
				   const struct bl_rego_expr *expr)
{
	struct bl_value parts[2] = {
		var(w, BL_STR("internal")),
		scalar(w, bl_value_string(expr->term_count == 3
						  ? BL_STR("member_3")
						  : BL_STR("member_2"))),
	};
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(&list,
			     node(w, "ref", bl_array_make(w->arena, parts, 2)));
	for (size_t i = 0; i < expr->term_count; i++)
		bl_array_builder_add(&list, term_value(w, expr->terms[i]));
	return node(w, "call", bl_array_builder_end(&list));
}

static struct bl_value symbols(struct writer *w,
			       const struct bl_rego_expr *expr)
{
	struct bl_object_builder out;
	struct bl_value list;

	bl_object_builder_init(&out, w->arena);
	if (expr->kind == BL_EXPR_SOME_IN) {
		list = member_call(w, expr);
		list = bl_array_make(w->arena, &list, 1);
	} else {
		list = items_value(w, expr->terms, expr->term_count);
	}
	put(&out, "symbols", list);
	return bl_object_builder_end(&out);
}

static struct bl_value every(struct writer *w, const struct bl_rego_expr *expr)
{
	size_t last = expr->term_count - 1;
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "key",
	    last == 2 ? term_value(w, expr->terms[0]) : bl_value_null());
	put(&out, "value", term_value(w, expr->terms[last - 1]));
	put(&out, "domain", term_value(w, expr->terms[last]));
	put(&out, "body", body_value(w, expr->bodies[0]));
	return bl_object_builder_end(&out);
}

static struct bl_value logical(struct writer *w,
			       const struct bl_rego_expr *expr)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "operator",
	    bl_value_string(expr->is_or ? BL_STR("or") : BL_STR("and")));
	put(&out, "operands", bodies_value(w, expr));
	return bl_object_builder_end(&out);
}

/* A call is its operator and arguments, other terms are themselves. */
static struct bl_value terms(struct writer *w, const struct bl_rego_expr *expr)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		return expr->terms[0]->kind == BL_TERM_CALL
			       ? call_value(w, expr->terms[0])
			       : term_value(w, expr->terms[0]);
	case BL_EXPR_SOME:
	case BL_EXPR_SOME_IN:
		return symbols(w, expr);
	case BL_EXPR_EVERY:
		return every(w, expr);
	case BL_EXPR_NOT_BODY:
		return body_value(w, expr->bodies[0]);
	case BL_EXPR_LOGICAL:
		return logical(w, expr);
	}
	return bl_value_undefined();
}

static struct bl_value withs(struct writer *w, const struct bl_rego_expr *expr)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < expr->with_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, w->arena);
		put(&one, "target", as_ref(w, expr->withs[i].target));
		put(&one, "value", term_value(w, expr->withs[i].value));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value body_value(struct writer *w,
				  const struct bl_rego_body *body)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		struct bl_object_builder one;

		bl_object_builder_init(&one, w->arena);
		put(&one, "index", bl_value_integer((int64_t)i));
		if (expr->negated || expr->kind == BL_EXPR_NOT_BODY)
			put(&one, "negated", bl_value_boolean(true));
		put(&one, "terms", terms(w, expr));
		if (expr->with_count)
			put(&one, "with", withs(w, expr));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* ---- rules -------------------------------------------------------------- */

static struct bl_value true_term(struct writer *w)
{
	return node(w, "boolean", bl_value_boolean(true));
}

/* The body of a rule that has none. */
static struct bl_value true_body(struct writer *w)
{
	struct bl_object_builder one;
	struct bl_value expr;

	bl_object_builder_init(&one, w->arena);
	put(&one, "index", bl_value_integer(0));
	put(&one, "terms", true_term(w));
	expr = bl_object_builder_end(&one);
	return bl_array_make(w->arena, &expr, 1);
}

/* name is of the rule whose head (or else) this is. */
static struct bl_value head_value(struct writer *w,
				  const struct bl_rego_rule *rule,
				  const struct bl_rego_term *name)
{
	struct bl_value ref = bl_object_find(as_ref(w, name), BL_STR("value"));
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "name",
	    bl_object_find(bl_value_item(ref, 0), BL_STR("value")));
	if (rule->has_args)
		put(&out, "args", items_value(w, rule->args, rule->arg_count));
	if (rule->contains)
		put(&out, "key", term_value(w, rule->contains));
	else
		put(&out, "value",
		    rule->value ? term_value(w, rule->value) : true_term(w));
	if (rule->assigns)
		put(&out, "assign", bl_value_boolean(true));
	put(&out, "ref", ref);
	return bl_object_builder_end(&out);
}

/* A rule with what may follow it: else first, so that it is written once. */
static struct bl_value rule_value(struct writer *w,
				  const struct bl_rego_rule *rule,
				  const struct bl_rego_term *name)
{
	const struct bl_rego_rule *chain[256];
	struct bl_value value = bl_value_undefined();
	size_t count = 0;

	for (; rule && count < BL_COUNT(chain); rule = rule->else_rule)
		chain[count++] = rule;
	while (count--) {
		struct bl_object_builder out;

		rule = chain[count];
		bl_object_builder_init(&out, w->arena);
		if (rule->is_default)
			put(&out, "default", bl_value_boolean(true));
		put(&out, "head", head_value(w, rule, name));
		put(&out, "body",
		    rule->body ? body_value(w, rule->body) : true_body(w));
		put(&out, "else", value);
		value = bl_object_builder_end(&out);
	}
	return value;
}

static struct bl_value rules(struct writer *w,
			     const struct bl_rego_module *module)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];

		for (; rule; rule = rule->chained)
			bl_array_builder_add(
				&list,
				rule_value(w, rule, module->rules[i]->name));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

/* ---- modules ------------------------------------------------------------ */

/* A part of a package's path: strings, whatever it was written as. */
static struct bl_value package_part(struct writer *w,
				    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR)
		return scalar(w, bl_value_string(term->as.name));
	return term_value(w, term);
}

static struct bl_value package(struct writer *w,
			       const struct bl_rego_term *path)
{
	struct bl_array_builder parts;
	struct bl_object_builder out;

	bl_array_builder_init(&parts, w->arena);
	bl_array_builder_add(&parts, var(w, BL_STR("data")));
	if (path->kind == BL_TERM_REF) {
		for (size_t i = 0; i < path->count; i++)
			bl_array_builder_add(
				&parts, package_part(w, path->as.items[i]));
	} else {
		bl_array_builder_add(&parts, package_part(w, path));
	}
	bl_object_builder_init(&out, w->arena);
	put(&out, "path", bl_array_builder_end(&parts));
	return bl_object_builder_end(&out);
}

static struct bl_value imports(struct writer *w,
			       const struct bl_rego_module *module)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];
		struct bl_object_builder out;

		bl_object_builder_init(&out, w->arena);
		put(&out, "path", as_ref(w, import->path));
		if (import->alias.len)
			put(&out, "alias", bl_value_string(import->alias));
		bl_array_builder_add(&list, bl_object_builder_end(&out));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

bool bl_fn_rego_parse_module(struct bl_builtin_call *call)
{
	struct bl_str file = bl_builtin_text(call, 0);
	struct bl_str text = bl_builtin_text(call, 1);
	struct writer w = { .arena = call->arena };
	const struct bl_rego_module *module;
	struct bl_object_builder out;
	struct bl_error err;
	size_t offset = 0;

	if (bl_rego_parse(call->arena, file, text, false, &module, &offset,
			  &err))
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"1 error occurred: %.*s:%u: rego_parse_error: %s",
			BL_STR_ARG(file), bl_place_at(text, offset).line,
			err.message);
	bl_object_builder_init(&out, call->arena);
	put(&out, "package", package(&w, module->package));
	put(&out, "imports", imports(&w, module));
	put(&out, "rules", rules(&w, module));
	return bl_builtin_return(call, bl_object_builder_end(&out));
}

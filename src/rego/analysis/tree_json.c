/* SPDX-License-Identifier: Apache-2.0 */
/* A syntax tree as OPA writes it in JSON. */
#include "rego/analysis/analysis.h"
#include "rego/analysis/tree_places.h"
#include "rego/rego.h"
#include "rego/syntax/operators.h"

struct writer {
	struct bl_arena *arena;
	const struct bl_rego_module *module;
	unsigned parts;    /* enum bl_rego_tree_parts */
	int64_t wildcards; /* "_" so far: each is a variable of its own */
	struct bl_tree_places places;
	struct bl_array_builder annotations; /* of the module */
	struct bl_value *of_rule;            /* by rule: its own, as an array */
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

static void put_location(struct writer *w, struct bl_object_builder *to,
			 struct bl_rego_range range)
{
	if (w->parts & BL_REGO_TREE_LOCATIONS)
		put(to, "location", bl_tree_place(&w->places, range, true));
}

static struct bl_value node(struct writer *w, const char *type,
			    struct bl_value value, struct bl_rego_range range)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put_location(w, &out, range);
	put(&out, "type", bl_value_string(bl_str(type)));
	put(&out, "value", value);
	return bl_object_builder_end(&out);
}

static struct bl_value var(struct writer *w, struct bl_str name,
			   struct bl_rego_range range)
{
	struct bl_value value = bl_value_string(name);

	if (bl_str_is(name, "_"))
		value = bl_value_printf(w->arena, "$%lld",
					(long long)w->wildcards++);
	return node(w, "var", value, range);
}

static struct bl_value scalar(struct writer *w, struct bl_value value,
			      struct bl_rego_range range)
{
	if (bl_value_is(value, BL_KIND_NULL))
		return node(w, "null", bl_object_make(w->arena, NULL, 0, NULL),
			    range);
	return node(w, bl_kind_name(bl_value_kind(value)), value, range);
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

/* A name ("eq", "internal.member_2") that stands in range, as a reference. */
static struct bl_value name_ref(struct writer *w, struct bl_str name,
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
			parts.count ? scalar(w, bl_value_string(part), range)
				    : var(w, part, range));
		name = bl_str_slice(name, dot + 1, SIZE_MAX);
	} while (dot != SIZE_MAX);
	return node(w, "ref", bl_array_builder_end(&parts), range);
}

/* A name as a reference; others as they are. */
static struct bl_value as_ref(struct writer *w, const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_VAR
		       ? name_ref(w, term->as.name, term->range)
		       : term_value(w, term);
}

/* Where a sign stands between two terms; all of both when it is not there. */
static struct bl_rego_range sign_range(const struct writer *w,
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
static struct bl_rego_range operator_range(const struct writer *w,
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
static struct bl_value call_value(struct writer *w,
				  const struct bl_rego_term *term)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(
		&list, term->infix ? name_ref(w, term->as.items[0]->as.name,
					      operator_range(w, term))
				   : as_ref(w, term->as.items[0]));
	for (size_t i = 1; i < term->count; i++)
		bl_array_builder_add(&list, term_value(w, term->as.items[i]));
	return bl_array_builder_end(&list);
}

static struct bl_value list_value(struct writer *w,
				  const struct bl_rego_term *term)
{
	return items_value(w, term->as.items, term->count);
}

/* The head is a variable also when it is data or input. */
static struct bl_value ref_value(struct writer *w,
				 const struct bl_rego_term *term)
{
	const struct bl_rego_term *head = term->as.items[0];
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(&list, head->kind == BL_TERM_VAR
					    ? var(w, head->as.name, head->range)
					    : term_value(w, head));
	for (size_t i = 1; i < term->count; i++)
		bl_array_builder_add(&list, term_value(w, term->as.items[i]));
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
	put(&out, "body", body_value(w, term->body));
	if (term->count == 2) {
		put(&out, "key", term_value(w, term->as.items[0]));
		put(&out, "value", term_value(w, term->as.items[1]));
	} else {
		put(&out, "term", term_value(w, term->as.items[0]));
	}
	return bl_object_builder_end(&out);
}

/* Texts and constants are terms, the rest are statements of their own. */
static struct bl_value template_parts(struct writer *w,
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
				&list, bl_value_item(body_value(w, &one), 0));
		else
			bl_array_builder_add(
				&list, scalar(w, first->as.value,
					      first->range.to ? first->range
							      : term->range));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value template_value(struct writer *w,
				      const struct bl_rego_term *term)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "multi_line", bl_value_boolean(term->raw));
	put(&out, "parts", template_parts(w, term));
	return bl_object_builder_end(&out);
}

/* "array", ... : the type of a term, and what makes its value. */
static const struct {
	const char *type;
	struct bl_value (*write)(struct writer *w,
				 const struct bl_rego_term *term);
} compounds[] = {
	[BL_TERM_TEMPLATE] = { "templatestring", template_value },
	[BL_TERM_REF] = { "ref", ref_value },
	[BL_TERM_CALL] = { "call", call_value },
	[BL_TERM_ARRAY] = { "array", list_value },
	[BL_TERM_SET] = { "set", list_value },
	[BL_TERM_OBJECT] = { "object", object_value },
	[BL_TERM_ARRAY_COMPREHENSION] = { "arraycomprehension", comprehension },
	[BL_TERM_SET_COMPREHENSION] = { "setcomprehension", comprehension },
	[BL_TERM_OBJECT_COMPREHENSION] = { "objectcomprehension",
					   comprehension },
};

static struct bl_value term_value(struct writer *w,
				  const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_SCALAR)
		return scalar(w, term->as.value, term->range);
	if (term->kind == BL_TERM_VAR)
		return bl_str_is(term->as.name, "data") ||
				       bl_str_is(term->as.name, "input")
			       ? name_ref(w, term->as.name, term->range)
			       : var(w, term->as.name, term->range);
	return node(w, compounds[term->kind].type,
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
static struct bl_value member_call(struct writer *w,
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
		bl_array_builder_add(&list, term_value(w, expr->terms[i]));
	return node(w, "call", bl_array_builder_end(&list), all);
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
	put_location(w, &out, keyword_range(expr, 4));
	put(&out, "symbols", list);
	return bl_object_builder_end(&out);
}

static struct bl_value every(struct writer *w, const struct bl_rego_expr *expr)
{
	size_t last = expr->term_count - 1;
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "body", body_value(w, expr->bodies[0]));
	put(&out, "domain", term_value(w, expr->terms[last]));
	put(&out, "key",
	    last == 2 ? term_value(w, expr->terms[0]) : bl_value_null());
	put_location(w, &out, keyword_range(expr, 5));
	put(&out, "value", term_value(w, expr->terms[last - 1]));
	return bl_object_builder_end(&out);
}

/* An array of one statement. */
static struct bl_value one_statement(struct writer *w, struct bl_value terms,
				     struct bl_rego_range range)
{
	struct bl_object_builder one;
	struct bl_value statement;

	bl_object_builder_init(&one, w->arena);
	put(&one, "index", bl_value_integer(0));
	put_location(w, &one, range);
	put(&one, "terms", terms);
	statement = bl_object_builder_end(&one);
	return bl_array_make(w->arena, &statement, 1);
}

/* Pairs from the left: "a and b and c" is "(a and b) and c". */
static struct bl_value logical(struct writer *w,
			       const struct bl_rego_expr *expr)
{
	struct bl_value left = body_value(w, expr->bodies[0]);
	struct bl_value pair = bl_value_undefined();

	for (size_t i = 1; i < expr->body_count; i++) {
		struct bl_rego_range range = { expr->bodies[0]->range.from,
					       expr->bodies[i]->range.to };
		struct bl_object_builder out;

		bl_object_builder_init(&out, w->arena);
		put(&out, "lhs", left);
		put(&out, "rhs", body_value(w, expr->bodies[i]));
		put(&out, "type",
		    bl_value_string(expr->is_or ? BL_STR("or")
						: BL_STR("and")));
		pair = bl_object_builder_end(&out);
		if (i + 1 < expr->body_count)
			left = one_statement(w, pair, range);
	}
	return pair;
}

static struct bl_value not_body(struct writer *w,
				const struct bl_rego_expr *expr)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put(&out, "body", body_value(w, expr->bodies[0]));
	put(&out, "explicit_body", bl_value_boolean(true));
	put(&out, "type", bl_value_string(BL_STR("not")));
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
		return not_body(w, expr);
	case BL_EXPR_LOGICAL:
		return logical(w, expr);
	}
	return bl_value_undefined();
}

/* From the keyword, which stands before the target, to the value's end. */
static struct bl_rego_range with_range(const struct writer *w,
				       const struct bl_rego_with *with)
{
	uint32_t from = with->target->range.from;

	while (from &&
	       !bl_str_has_prefix(bl_str_slice(w->module->text, from, SIZE_MAX),
				  BL_STR("with")))
		from--;
	return (struct bl_rego_range){ from, with->value->range.to };
}

static struct bl_value withs(struct writer *w, const struct bl_rego_expr *expr)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < expr->with_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, w->arena);
		put_location(w, &one, with_range(w, &expr->withs[i]));
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
		put_location(w, &one, expr->range);
		if (expr->negated)
			put(&one, "negated", bl_value_boolean(true));
		put(&one, "terms", terms(w, expr));
		if (expr->with_count)
			put(&one, "with", withs(w, expr));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* ---- rules -------------------------------------------------------------- */

/* The body of a rule that has none. */
static struct bl_value true_body(struct writer *w, struct bl_rego_range range)
{
	struct bl_object_builder one;
	struct bl_value expr;

	bl_object_builder_init(&one, w->arena);
	put(&one, "generated", bl_value_boolean(true));
	put(&one, "index", bl_value_integer(0));
	put_location(w, &one, range);
	put(&one, "terms", node(w, "boolean", bl_value_boolean(true), range));
	expr = bl_object_builder_end(&one);
	return bl_array_make(w->arena, &expr, 1);
}

/* All of a rule; of a default, as OPA has it, the keyword. */
static struct bl_rego_range rule_range(const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = rule->range;

	if (rule->is_default)
		range.to = range.from + 7;
	else if (rule->chained)
		range.to = rule->body->range.to;
	for (; rule->else_rule; rule = rule->else_rule)
		range.to = rule->else_rule->range.to;
	return range;
}

/*
 * From the name (of an else: from the keyword) to the last of what it says
 * about the value.
 */
static struct bl_rego_range head_range(const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = rule->range;

	if (rule->name)
		range = rule->name->range;
	else if (!rule->value)
		range.to = range.from + 4;
	for (size_t i = 0; i < rule->arg_count; i++)
		range.to = rule->args[i]->range.to + 1;
	if (rule->contains)
		range.to = rule->contains->range.to;
	if (rule->value)
		range.to = rule->value->range.to;
	return range;
}

/* What a rule without a body has its generated one from. */
static struct bl_rego_range body_range(const struct bl_rego_rule *rule)
{
	if (rule->is_default)
		return rule_range(rule);
	if (rule->contains)
		return rule->name->range;
	return rule->value && rule->name ? rule->value->range : rule->range;
}

/* "p[x]" and "p.x", which are keys of p in older Rego. */
static bool is_pair(const struct bl_rego_rule *rule)
{
	return rule->name->kind == BL_TERM_REF && rule->name->count == 2 &&
	       !rule->contains;
}

/* Before v1, "p[x]" without a value is a set. */
static bool is_old_set(const struct writer *w, const struct bl_rego_rule *rule)
{
	return w->module->v0 && is_pair(rule) && !rule->uses_if &&
	       !rule->value && !rule->has_args;
}

static bool has_key(const struct writer *w, const struct bl_rego_rule *rule)
{
	if (is_old_set(w, rule))
		return true;
	if (rule->has_args)
		return false;
	return rule->uses_if ? rule->name->as.items[1]->kind != BL_TERM_SCALAR
			     : rule->value != NULL;
}

/* The value of a head that gives none: most have no place. */
static struct bl_value generated_true(struct writer *w,
				      const struct bl_rego_rule *rule)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	if (!rule->name || is_pair(rule))
		put_location(w, &out, head_range(rule));
	put(&out, "type", bl_value_string(BL_STR("boolean")));
	put(&out, "value", bl_value_boolean(true));
	return bl_object_builder_end(&out);
}

/* name is of the rule whose head (or else) this is. */
static struct bl_value head_value(struct writer *w,
				  const struct bl_rego_rule *rule,
				  const struct bl_rego_rule *named)
{
	const struct bl_rego_term *name = named->name;
	bool old_set = is_old_set(w, named);
	struct bl_object_builder out;

	if (old_set || (is_pair(named) && named->value))
		name = name->as.items[0];
	bl_object_builder_init(&out, w->arena);
	if (name->kind == BL_TERM_VAR)
		put(&out, "name", bl_value_string(name->as.name));
	if (named->has_args)
		put(&out, "args",
		    items_value(w, named->args, named->arg_count));
	if (rule->contains)
		put(&out, "key", term_value(w, rule->contains));
	else if (is_pair(named) && has_key(w, named))
		put(&out, "key", term_value(w, named->name->as.items[1]));
	if (!rule->contains && !old_set)
		put(&out, "value",
		    rule->value ? term_value(w, rule->value)
				: generated_true(w, rule));
	if (rule->assigns)
		put(&out, "assign", bl_value_boolean(true));
	put(&out, "ref",
	    bl_object_find(as_ref(w, old_set ? name : named->name),
			   BL_STR("value")));
	put_location(w, &out, head_range(rule));
	return bl_object_builder_end(&out);
}

/*
 * A rule with what may follow it: else first, so that it is written once.
 * named is the rule that has the name.
 */
static struct bl_value rule_value(struct writer *w,
				  const struct bl_rego_rule *rule,
				  const struct bl_rego_rule *named,
				  struct bl_value annotations)
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
		if (!count)
			put(&out, "annotations", annotations);
		put(&out, "body",
		    rule->body ? body_value(w, rule->body)
			       : true_body(w, body_range(rule)));
		if (rule->is_default)
			put(&out, "default", bl_value_boolean(true));
		put(&out, "else", value);
		put(&out, "head", head_value(w, rule, named));
		put_location(w, &out, rule_range(rule));
		value = bl_object_builder_end(&out);
	}
	return value;
}

/* ---- annotations -------------------------------------------------------- */

static bool same_name(const struct writer *w, const struct bl_rego_rule *a,
		      const struct bl_rego_rule *b)
{
	struct bl_str text = w->module->text;

	return bl_str_equal(
		bl_str_slice(text, a->name->range.from, a->name->range.to),
		bl_str_slice(text, b->name->range.from, b->name->range.to));
}

/* What is known of annotations, in the order that OPA gives them. */
static struct bl_value annotation_value(struct writer *w,
					const struct bl_rego_annotation *one,
					const char *scope)
{
	static const char *const keys[] = {
		"authors",
		"compile",
		"custom",
		"description",
		"entrypoint",
		"organizations",
		"related_resources",
		"schemas",
		"scope",
		"title",
	};
	struct bl_value read =
		bl_annotation_write_out(w->arena, one->value, scope);
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	put_location(w, &out, (struct bl_rego_range){ one->from, one->to });
	for (size_t i = 0; i < BL_COUNT(keys); i++)
		put(&out, keys[i], bl_object_find(read, bl_str(keys[i])));
	return bl_object_builder_end(&out);
}

/* Scope "rule" belongs to the next rule, "document" to all of its name. */
static void attach(struct writer *w, size_t next, struct bl_value annotation)
{
	const struct bl_rego_module *module = w->module;
	bool all = bl_str_is(
		bl_value_text(bl_object_find(annotation, BL_STR("scope"))),
		"document");

	for (size_t i = 0; i < module->rule_count; i++) {
		struct bl_array_builder list;

		if (i != next && !(all && same_name(w, module->rules[i],
						    module->rules[next])))
			continue;
		bl_array_builder_init(&list, w->arena);
		for (size_t j = 0; j < bl_value_count(w->of_rule[i]); j++)
			bl_array_builder_add(&list,
					     bl_value_item(w->of_rule[i], j));
		bl_array_builder_add(&list, annotation);
		w->of_rule[i] = bl_array_builder_end(&list);
	}
}

static void take_annotation(void *context, const struct bl_rego_annotation *one)
{
	struct writer *w = context;
	const struct bl_rego_module *module = w->module;
	struct bl_value entrypoint =
		bl_object_find(one->value, BL_STR("entrypoint"));
	const char *scope = one->before_package            ? "package"
			    : bl_value_is_true(entrypoint) ? "document"
							   : "rule";
	struct bl_value annotation = annotation_value(w, one, scope);
	size_t next = 0;

	bl_array_builder_add(&w->annotations, annotation);
	while (next < module->rule_count &&
	       module->rules[next]->range.from < one->to)
		next++;
	if (!one->before_package && next < module->rule_count)
		attach(w, next, annotation);
}

/* Fills annotations and of_rule. */
static bool read_annotations(struct writer *w)
{
	w->of_rule = bl_arena_new_array(w->arena, struct bl_value,
					w->module->rule_count + 1);
	bl_array_builder_init(&w->annotations, w->arena);
	if (!w->of_rule)
		return false;
	for (size_t i = 0; i < w->module->rule_count; i++)
		w->of_rule[i] = bl_value_undefined();
	return !(w->parts & BL_REGO_TREE_ANNOTATIONS) ||
	       !bl_rego_each_annotation(w->module, w->arena, take_annotation, w,
					NULL);
}

/* ---- modules ------------------------------------------------------------ */

static struct bl_value rules(struct writer *w)
{
	const struct bl_rego_module *module = w->module;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];
		struct bl_value annotations = w->of_rule[i];

		for (; rule; rule = rule->chained) {
			bl_array_builder_add(&list, rule_value(w, rule,
							       module->rules[i],
							       annotations));
			annotations = bl_value_undefined();
		}
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

/* A part of a package's path: strings, whatever it was written as. */
static struct bl_value package_part(struct writer *w,
				    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR)
		return scalar(w, bl_value_string(term->as.name), term->range);
	return term_value(w, term);
}

static struct bl_value package(struct writer *w)
{
	const struct bl_rego_term *path = w->module->package;
	const struct bl_rego_term *first =
		path->kind == BL_TERM_REF ? path->as.items[0] : path;
	uint32_t from = w->module->package_from;
	struct bl_array_builder parts;
	struct bl_object_builder out;

	bl_array_builder_init(&parts, w->arena);
	bl_array_builder_add(&parts, var(w, BL_STR("data"), first->range));
	bl_array_builder_add(&parts, package_part(w, first));
	for (size_t i = 1; path->kind == BL_TERM_REF && i < path->count; i++)
		bl_array_builder_add(&parts,
				     package_part(w, path->as.items[i]));
	bl_object_builder_init(&out, w->arena);
	put_location(w, &out, (struct bl_rego_range){ from, from + 7 });
	put(&out, "path", bl_array_builder_end(&parts));
	return bl_object_builder_end(&out);
}

static struct bl_value imports(struct writer *w)
{
	const struct bl_rego_module *module = w->module;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];
		uint32_t from = import->range.from;
		uint32_t to = import->range.to;
		struct bl_rego_range alias = { to - (uint32_t)import->alias.len,
					       to };
		struct bl_object_builder out;

		bl_object_builder_init(&out, w->arena);
		if (import->alias.len)
			put(&out, "alias", bl_value_string(import->alias));
		if (import->alias.len && w->parts & BL_REGO_TREE_LOCATIONS)
			put(&out, "alias_location",
			    bl_tree_place(&w->places, alias, true));
		put_location(w, &out, (struct bl_rego_range){ from, from + 6 });
		put(&out, "path", as_ref(w, import->path));
		bl_array_builder_add(&list, bl_object_builder_end(&out));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

struct bl_value bl_rego_tree(const struct bl_rego_module *module,
			     unsigned parts, struct bl_arena *arena)
{
	struct writer w = { .arena = arena, .module = module, .parts = parts };
	struct bl_object_builder out;

	if (!bl_tree_places_init(&w.places, arena, module) ||
	    !read_annotations(&w))
		return bl_value_undefined();
	bl_object_builder_init(&out, arena);
	put(&out, "package", package(&w));
	put(&out, "imports", imports(&w));
	if (w.annotations.count)
		put(&out, "annotations", bl_array_builder_end(&w.annotations));
	put(&out, "rules", rules(&w));
	if (parts & BL_REGO_TREE_COMMENTS)
		put(&out, "comments",
		    bl_tree_comments(&w.places,
				     parts & BL_REGO_TREE_LOCATIONS));
	return arena->status ? bl_value_undefined()
			     : bl_object_builder_end(&out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Syntax trees as `opa parse` prints them for people. */
#include "cli/rego/tree.h"

#include "json/json.h"

/* Trees are as deep as the parser lets them be: BL_REGO_MAX_NESTING. */
static void put_term(struct bl_buf *out, int depth, struct bl_value term);
static void put_body(struct bl_buf *out, int depth, struct bl_value body);

static struct bl_value part(struct bl_value node, const char *name)
{
	return bl_object_find(node, bl_str(name));
}

static void put_line(struct bl_buf *out, int depth, const char *text)
{
	bl_buf_printf(out, "%*s%s\n", depth, "", text);
}

static void put_terms(struct bl_buf *out, int depth, struct bl_value terms)
{
	for (size_t i = 0; i < bl_value_count(terms); i++)
		put_term(out, depth, bl_value_item(terms, i));
}

/* ---- terms -------------------------------------------------------------- */

static void put_list(struct bl_buf *out, int depth, struct bl_value value)
{
	put_terms(out, depth, value);
}

static void put_pairs(struct bl_buf *out, int depth, struct bl_value value)
{
	for (size_t i = 0; i < bl_value_count(value); i++)
		put_terms(out, depth, bl_value_item(value, i));
}

static void put_comprehension(struct bl_buf *out, int depth,
			      struct bl_value value)
{
	static const char *const heads[] = { "term", "key", "value" };

	for (size_t i = 0; i < BL_COUNT(heads); i++)
		if (bl_value_is_defined(part(value, heads[i])))
			put_term(out, depth, part(value, heads[i]));
	put_line(out, depth, "body");
	put_body(out, depth + 1, part(value, "body"));
}

/* The inside is not shown. */
static void put_nothing(struct bl_buf *out, int depth, struct bl_value value)
{
	(void)out;
	(void)depth;
	(void)value;
}

static const struct {
	const char *type;
	void (*put)(struct bl_buf *out, int depth, struct bl_value value);
} compounds[] = {
	{ "ref", put_list },
	{ "call", put_list },
	{ "array", put_list },
	{ "set", put_list },
	{ "object", put_pairs },
	{ "arraycomprehension", put_comprehension },
	{ "setcomprehension", put_comprehension },
	{ "objectcomprehension", put_comprehension },
	{ "templatestring", put_nothing },
};

/* Variables by their names, constants as JSON. */
static void put_leaf(struct bl_buf *out, int depth, struct bl_str type,
		     struct bl_value value)
{
	bl_buf_printf(out, "%*s", depth, "");
	if (bl_str_is(type, "null"))
		bl_buf_puts(out, "null");
	else if (!bl_str_is(type, "var"))
		bl_json_write(out, value, BL_JSON_COMPACT);
	else if (bl_str_has_prefix(bl_value_text(value), BL_STR("$")))
		bl_buf_put_char(out, '_');
	else
		bl_buf_put_str(out, bl_value_text(value));
	bl_buf_put_char(out, '\n');
}

static void put_term(struct bl_buf *out, int depth, struct bl_value term)
{
	struct bl_str type = bl_value_text(part(term, "type"));

	for (size_t i = 0; i < BL_COUNT(compounds); i++) {
		if (bl_str_is(type, compounds[i].type)) {
			put_line(out, depth, compounds[i].type);
			compounds[i].put(out, depth + 1, part(term, "value"));
			return;
		}
	}
	put_leaf(out, depth, type, part(term, "value"));
}

/* ---- statements --------------------------------------------------------- */

static void put_every(struct bl_buf *out, int depth, struct bl_value every)
{
	static const char *const parts[] = { "key", "value", "domain" };

	put_line(out, depth, "every");
	for (size_t i = 0; i < BL_COUNT(parts); i++)
		if (bl_value_is(part(every, parts[i]), BL_KIND_OBJECT))
			put_term(out, depth + 1, part(every, parts[i]));
	put_line(out, depth + 1, "body");
	put_body(out, depth + 2, part(every, "body"));
}

static void put_logical(struct bl_buf *out, int depth, struct bl_value logical)
{
	struct bl_str type = bl_value_text(part(logical, "type"));

	bl_buf_printf(out, "%*slogical%.*s\n", depth, "", BL_STR_ARG(type));
	put_line(out, depth + 1, "body");
	put_body(out, depth + 2, part(logical, "lhs"));
	put_line(out, depth + 1, "body");
	put_body(out, depth + 2, part(logical, "rhs"));
}

static void put_statement(struct bl_buf *out, int depth, struct bl_value terms)
{
	if (bl_value_is_defined(part(terms, "symbols"))) {
		put_line(out, depth, "somedecl");
		put_terms(out, depth + 1, part(terms, "symbols"));
	} else if (bl_value_is_defined(part(terms, "domain"))) {
		put_every(out, depth, terms);
	} else if (bl_value_is_defined(part(terms, "lhs"))) {
		put_logical(out, depth, terms);
	} else if (bl_value_is_defined(part(terms, "explicit_body"))) {
		put_line(out, depth, "not");
		put_line(out, depth + 1, "body");
		put_body(out, depth + 2, part(terms, "body"));
	} else if (bl_value_is(terms, BL_KIND_ARRAY)) {
		put_terms(out, depth, terms);
	} else {
		put_term(out, depth, terms);
	}
}

static void put_body(struct bl_buf *out, int depth, struct bl_value body)
{
	for (size_t i = 0; i < bl_value_count(body); i++) {
		struct bl_value one = bl_value_item(body, i);
		struct bl_value withs = part(one, "with");

		bl_buf_printf(out, "%*sexpr%s index=%zu\n", depth, "",
			      bl_value_is_true(part(one, "negated"))
				      ? " negated"
				      : "",
			      i);
		put_statement(out, depth + 1, part(one, "terms"));
		for (size_t j = 0; j < bl_value_count(withs); j++) {
			struct bl_value with = bl_value_item(withs, j);

			put_line(out, depth + 1, "with");
			put_term(out, depth + 2, part(with, "target"));
			put_term(out, depth + 2, part(with, "value"));
		}
	}
}

/* ---- modules ------------------------------------------------------------ */

static void put_ref(struct bl_buf *out, int depth, struct bl_value parts)
{
	put_line(out, depth, "ref");
	put_terms(out, depth + 1, parts);
}

static void put_rule(struct bl_buf *out, int depth, struct bl_value rule)
{
	for (; bl_value_is_defined(rule); rule = part(rule, "else"), depth++) {
		struct bl_value head = part(rule, "head");

		put_line(out, depth, "rule");
		put_line(out, depth + 1, "head");
		put_ref(out, depth + 2, part(head, "ref"));
		if (bl_value_is_defined(part(head, "args"))) {
			put_line(out, depth + 2, "args");
			put_terms(out, depth + 3, part(head, "args"));
		}
		if (bl_value_is_defined(part(head, "value")))
			put_term(out, depth + 2, part(head, "value"));
		put_line(out, depth + 1, "body");
		put_body(out, depth + 2, part(rule, "body"));
	}
}

static void put_import(struct bl_buf *out, struct bl_value import)
{
	struct bl_value path = part(import, "path");
	struct bl_str alias = bl_value_text(part(import, "alias"));

	put_line(out, 1, "import");
	put_term(out, 2, path);
	bl_buf_printf(out, "  %.*s\n", BL_STR_ARG(alias));
}

void cli_put_rego_tree(struct bl_buf *out, struct bl_value tree)
{
	struct bl_value imports = part(tree, "imports");
	struct bl_value rules = part(tree, "rules");

	put_line(out, 0, "module");
	put_line(out, 1, "package");
	put_ref(out, 2, part(part(tree, "package"), "path"));
	for (size_t i = 0; i < bl_value_count(imports); i++)
		put_import(out, bl_value_item(imports, i));
	for (size_t i = 0; i < bl_value_count(rules); i++)
		put_rule(out, 1, bl_value_item(rules, i));
	for (size_t i = 0; i < bl_value_count(part(tree, "annotations")); i++)
		put_line(out, 1, "annotations");
	for (size_t i = 0; i < bl_value_count(part(tree, "comments")); i++)
		put_line(out, 1, "comment");
}

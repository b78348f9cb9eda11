/* SPDX-License-Identifier: Apache-2.0 */
/* An explanation for people: the tree of explain_tree.c as indented lines. */
#include "json/json.h"
#include "rego/tools/tools.h"

enum { STEP = 2 };

static void put_rules(struct bl_buf *out, struct bl_value of, size_t indent);

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static struct bl_str text(struct bl_value object, const char *name)
{
	return bl_value_text(member(object, name));
}

static void put_indent(struct bl_buf *out, size_t indent)
{
	bl_buf_printf(out, "%*s", (int)indent, "");
}

/* Text written by explain_tree.c's add_value. */
static void put_value(struct bl_buf *out, struct bl_value of)
{
	struct bl_value value = member(of, "value");

	if (bl_value_is_defined(value)) {
		bl_json_write(out, value, BL_JSON_COMPACT);
	} else if (text(of, "value_start").len) {
		bl_buf_put_str(out, text(of, "value_start"));
		bl_buf_puts(out, "... (");
		bl_json_write(out, member(of, "value_bytes"), BL_JSON_COMPACT);
		bl_buf_puts(out, " bytes)");
	} else {
		bl_buf_puts(out, "undefined");
	}
}

static void put_cut(struct bl_buf *out, struct bl_value of, size_t indent)
{
	struct bl_str cut = text(of, "cut");

	if (!cut.len)
		return;
	put_indent(out, indent);
	bl_buf_printf(out, "... (cut: %.*s)\n", BL_STR_ARG(cut));
}

/* "| input.command = "ls"", and the rules. */
static void put_reasons(struct bl_buf *out, struct bl_value of, size_t indent)
{
	struct bl_value values = member(of, "values");

	for (size_t i = 0; i < bl_value_count(values); i++) {
		struct bl_value fact = bl_value_item(values, i);

		put_indent(out, indent);
		bl_buf_puts(out, "| ");
		bl_buf_put_str(out, text(fact, "name"));
		bl_buf_puts(out, " = ");
		put_value(out, fact);
		bl_buf_put_char(out, '\n');
	}
	put_rules(out, of, indent);
}

static void put_statement(struct bl_buf *out, struct bl_value statement,
			  size_t indent)
{
	put_indent(out, indent);
	bl_buf_put_str(out, text(statement, "text"));
	bl_buf_put_char(out, '\n');
	put_reasons(out, statement, indent + STEP);
}

/* "data.p.deny contains "no" (p.rego:3)" */
static void put_head(struct bl_buf *out, struct bl_value rule, size_t indent)
{
	struct bl_value keys = member(rule, "keys");

	put_indent(out, indent);
	bl_buf_put_str(out, text(rule, "rule"));
	for (size_t i = 0; i < bl_value_count(keys); i++) {
		bl_buf_put_char(out, '[');
		put_value(out, bl_value_item(keys, i));
		bl_buf_put_char(out, ']');
	}
	bl_buf_puts(out, bl_value_is_defined(member(rule, "contains"))
				 ? " contains "
				 : " = ");
	put_value(out, rule);
	bl_buf_puts(out, " (");
	bl_buf_put_str(out, text(rule, "file"));
	bl_buf_put_char(out, ':');
	bl_json_write(out, member(rule, "line"), BL_JSON_COMPACT);
	bl_buf_puts(out, ")");
	if (bl_value_is_defined(member(rule, "more"))) {
		bl_buf_puts(out, ", in ");
		bl_json_write(out, member(rule, "more"), BL_JSON_COMPACT);
		bl_buf_puts(out, " more ways");
	}
	if (bl_value_is_defined(member(rule, "repeated")))
		bl_buf_puts(out, ", as above");
	bl_buf_put_char(out, '\n');
}

static void put_rules(struct bl_buf *out, struct bl_value of, size_t indent)
{
	struct bl_value rules = member(of, "rules");

	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_value rule = bl_value_item(rules, i);
		struct bl_value because = member(rule, "because");
		bool is_query = !text(rule, "rule").len;
		size_t inner = is_query ? indent : indent + STEP;

		if (!is_query)
			put_head(out, rule, indent);
		for (size_t j = 0; j < bl_value_count(because); j++)
			put_statement(out, bl_value_item(because, j), inner);
		put_reasons(out, rule, inner);
	}
	put_cut(out, of, indent);
}

void bl_rego_put_explanation(struct bl_buf *out, struct bl_value tree,
			     size_t indent)
{
	put_rules(out, tree, indent);
}

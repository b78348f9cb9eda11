/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules as `opa fmt` lays them out: heads, bodies, else, and what is on one
 * line. Terms and statements are format_term.c and format_body.c.
 */
#include "json/json.h"
#include "rego/tools/tools.h"
#include "rego/tools/format.h"
#include "rego/compiler/parse/print.h"

static void put_rule(struct bl_formatter *f, const struct bl_rego_rule *rule);

/* The offset behind the head of rule, which is what stands before "if". */
static uint32_t head_end(const struct bl_rego_rule *rule)
{
	const struct bl_rego_term *last = rule->value      ? rule->value
					  : rule->contains ? rule->contains
							   : rule->name;
	uint32_t end = last ? last->range.to : rule->range.from + 4;

	if (rule->has_args && !rule->value && rule->arg_count)
		end = rule->args[rule->arg_count - 1]->range.to;
	return end;
}

static struct bl_rego_range head_range(const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = { rule->name->range.from, head_end(rule) };

	/* Behind the last argument stands the bracket. */
	if (rule->has_args && !rule->value)
		range.to = rule->body ? rule->body->range.from : rule->range.to;
	return range;
}

static bool put_value(struct bl_formatter *f, const struct bl_rego_rule *rule)
{
	if (bl_rego_rule_writes_true(f->module, rule))
		bl_format_put(f, f->module->v0 ? " = true" : " := true");
	if (!rule->value || bl_rego_rule_value_implied(rule))
		return true;
	bl_format_put(f, f->module->v0 && !rule->assigns ? " = " : " := ");
	return bl_format_term(f, rule->value);
}

/*
 * p.q is written as p["q"], unless a name in the module has more parts: so the
 * first text of the language was, and opa fmt keeps to it.
 */
static bool put_name(struct bl_formatter *f, const struct bl_rego_rule *rule)
{
	const struct bl_rego_term *name = rule->name;
	const struct bl_rego_term *part;

	if (f->long_names || name->kind != BL_TERM_REF || name->count != 2)
		return bl_format_ref(f, name);
	part = name->as.items[1];
	bl_buf_printf(f->out, "%.*s[", BL_STR_ARG(name->as.items[0]->as.name));
	if (part->kind == BL_TERM_SCALAR)
		bl_json_write(f->out, part->as.value, BL_JSON_COMPACT);
	else if (!bl_format_term(f, part))
		return false;
	bl_format_put(f, "]");
	return true;
}

static bool put_head(struct bl_formatter *f, const struct bl_rego_rule *rule)
{
	bool ok = true;

	if (rule->is_else) {
		bl_format_put(f, "else");
		/* A comment between the two goes into the body. */
		f->moved = rule->value;
		f->moved_row = bl_format_row(f, rule->range.from);
		return put_value(f, rule);
	}
	if (!put_name(f, rule))
		return false;
	if (rule->arg_count) {
		struct bl_rego_range range = head_range(rule);

		bl_format_put(f, "(");
		ok = bl_format_items(
			f, rule->args, rule->arg_count, range,
			bl_format_closing_row(f, range, NULL, "()"));
		bl_format_put(f, ")");
	}
	if (!ok)
		return false;
	if (rule->contains) {
		bl_format_put(f, " contains ");
		return bl_format_term(f, rule->contains);
	}
	return put_value(f, rule);
}

/* The row of the brace that ends the body, as far as it can be told. */
static int body_end_row(const struct bl_formatter *f,
			const struct bl_rego_rule *rule)
{
	const char *skip = rule->arg_count  ? "()"
			   : rule->contains ? "[]"
					    : NULL;
	struct bl_rego_range range = rule->range;

	if (rule->chained)
		range.to = rule->body->range.to;
	return bl_format_closing_row(f, range, skip, "{}");
}

static void put_else(struct bl_formatter *f, const struct bl_rego_rule *rule)
{
	const struct bl_rego_rule *next = rule->else_rule;
	struct bl_str text = f->module->text;
	int row = bl_format_row(f, next->range.from);
	uint32_t from = next->range.from;
	bool comment_above = f->pending != BL_FORMAT_NONE ||
			     bl_format_comment_between(f, -1, row);
	bool follows;

	while (from > 0 && strchr(" \t\r", text.ptr[from - 1]))
		from--;
	follows = row > bl_format_row(f, rule->range.from) && from > 0 &&
		  text.ptr[from - 1] != '\n';
	if (!comment_above && follows) {
		bl_format_put(f, " ");
	} else {
		bl_format_blank_line(f);
		bl_format_start_line(f);
	}
	bl_format_comments(f, row);
	if (comment_above && !follows)
		bl_format_start_line(f);
	put_rule(f, next);
}

/* Behind the head: "if" and what holds.  blocked: the head has a comment. */
static void put_body(struct bl_formatter *f, const struct bl_rego_rule *rule,
		     bool blocked)
{
	const struct bl_rego_body *body = rule->body;
	uint32_t end = head_end(rule);

	if (rule->uses_if || !f->module->v0)
		bl_format_put(f, " if");
	if (body->count == 1 && rule->uses_if &&
	    !bl_format_is_set(body->exprs[0]) &&
	    bl_format_row(f, body->exprs[0]->range.from) ==
		    bl_format_row(f, end ? end - 1 : 0)) {
		bl_format_put(f, " ");
		bl_format_expr(f, body->exprs[0]);
		bl_format_end_line(f);
		if (rule->else_rule)
			put_else(f, rule);
		return;
	}
	if (blocked && f->next < f->module->comment_count) {
		bl_format_put(f, " { ");
	} else {
		bl_format_put(f, " {");
		bl_format_end_line(f);
	}
	if (!rule->is_else)
		bl_format_group_lead(f, body->exprs[0]);
	f->level++;
	bl_format_body(f, body);
	bl_format_comments(f, body_end_row(f, rule));
	f->level--;
	bl_format_start_line(f);
	bl_format_put(f, "}");
	if (rule->else_rule)
		put_else(f, rule);
}

static void put_rule(struct bl_formatter *f, const struct bl_rego_rule *rule)
{
	bool constant = bl_rego_rule_is_constant(rule);
	bool ok;

	if (!rule->is_else)
		bl_format_start_line(f);
	if (rule->is_default)
		bl_format_put(f, "default ");
	f->take_last_comment = constant;
	ok = put_head(f, rule);
	if (constant) {
		bl_format_end_line(f);
		if (rule->else_rule)
			put_else(f, rule);
		return;
	}
	f->take_last_comment = true;
	put_body(f, rule, !ok);
}

/* Written in one line, so that a rule may follow in the next one. */
static bool is_one_line(const struct bl_formatter *f,
			const struct bl_rego_rule *rule)
{
	bool has_if = !f->module->v0 ||
		      bl_rego_imports_keyword(f->module, BL_STR("if"));

	return has_if && !rule->is_default && !rule->else_rule &&
	       !(rule->body && (rule->body->count > 1 ||
				bl_format_is_set(rule->body->exprs[0])));
}

void bl_format_rules(struct bl_formatter *f, struct bl_rego_rule *const *rules,
		     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct bl_rego_rule *rule = rules[i];
		int row = bl_format_row(f, rule->range.from);

		for (; rule; rule = rule->chained) {
			bl_format_comments(f,
					   bl_format_row(f, rule->range.from));
			put_rule(f, rule);
			if (rule->chained)
				bl_format_blank_line(f);
		}
		if (i + 1 < count && is_one_line(f, rules[i]) &&
		    is_one_line(f, rules[i + 1]) &&
		    bl_format_row(f, rules[i + 1]->range.from) == row + 1)
			continue;
		bl_format_blank_line(f);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements that are rules by their shape only: "p := 1", "f(x)", "p[x]"; and
 * what v1 demands of every rule (docs/contracts/rego.md "Grammar", "Parser
 * rules", "Rule heads", "Checks after parsing").
 */
#include "rego/builtins/builtins.h"
#include "rego/compiler/parse/parser.h"

/* The kind of a term when it depends on names; NULL: it does not. */
const char *bl_rego_variable_kind(const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_VAR:
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_TEMPLATE:
		return bl_rego_term_kind_name(term);
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = 0; i < term->count; i++)
			if (bl_rego_variable_kind(term->as.items[i]))
				return bl_rego_variable_kind(term->as.items[i]);
		return NULL;
	case BL_TERM_SCALAR:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	return NULL;
}

bool bl_rego_is_old_set(const struct bl_rego_rule *rule)
{
	return rule->name->kind == BL_TERM_REF && rule->name->count == 2 &&
	       !rule->arg_count && !rule->value && !rule->contains &&
	       !rule->uses_if && !rule->is_default;
}

/* ---- from statements --------------------------------------------------------
 */

/* The part of a statement that no rule has; NULL: no such part. */
static const char *no_head(const struct bl_rego_parser *parser,
			   const struct bl_rego_body *body)
{
	const struct bl_rego_expr *expr = body->exprs[0];
	bool blocks = parser->keywords & BL_KEYWORD_NOT_BODY;

	if (body->count != 1)
		return "multiple expressions cannot be used for rule head";
	if (expr->with_count)
		return "expressions using with keyword cannot be used for rule "
		       "head";
	if (expr->negated && !blocks)
		return "negated expressions cannot be used for rule head";
	if (expr->kind == BL_EXPR_SOME || expr->kind == BL_EXPR_SOME_IN)
		return "'some' declarations cannot be used for rule head";
	if (expr->kind != BL_EXPR_TERM || expr->negated)
		return "expression cannot be used for rule head";
	return NULL;
}

static const char *refuse_name(struct bl_rego_parser *parser,
			       const struct bl_rego_term *term)
{
	struct bl_str text =
		bl_str_slice(parser->text, term->range.from, term->range.to);

	if (term->kind == BL_TERM_REF)
		return bl_parser_text_of(parser, "invalid rule head: %.*s",
					 BL_STR_ARG(text));
	return bl_parser_text_of(parser, "%s cannot be used for rule name",
				 bl_rego_term_kind_name(term));
}

/* "f(x)": a function that is true. */
static const char *take_call(struct bl_rego_parser *parser,
			     struct bl_rego_rule *rule,
			     struct bl_rego_term *term)
{
	struct bl_str name =
		bl_str_slice(parser->text, term->as.items[0]->range.from,
			     term->as.items[0]->range.to);

	if (term->infix || bl_builtin_find(name))
		return "rule name conflicts with built-in function";
	if (term->count < 2)
		return "rule argument list must take at least one argument";
	return bl_parse_set_name(rule, term)
		       ? NULL
		       : refuse_name(parser, term->as.items[0]);
}

/* "p := 1", "f(x) = y": the operator's two sides. */
static const char *take_value(struct bl_rego_parser *parser,
			      struct bl_rego_rule *rule,
			      struct bl_rego_term *const *items)
{
	struct bl_rego_term *name = items[1];

	rule->assigns = bl_str_is(items[0]->as.name, "assign");
	rule->value = items[2];
	if (!(name->kind == BL_TERM_CALL && name->infix) &&
	    bl_parse_set_name(rule, name))
		return NULL;
	return refuse_name(parser, name);
}

/* Makes the rule of a term; NULL, or why it is not one. */
static const char *take_term(struct bl_rego_parser *parser,
			     struct bl_rego_rule *rule,
			     struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_CALL && term->infix && term->count == 3 &&
	    (bl_str_is(term->as.items[0]->as.name, "assign") ||
	     bl_str_is(term->as.items[0]->as.name, "eq")))
		return take_value(parser, rule, term->as.items);
	if (term->kind == BL_TERM_CALL)
		return take_call(parser, rule, term);
	if (term->kind == BL_TERM_REF && bl_parse_set_name(rule, term))
		return NULL;
	return term->kind == BL_TERM_VAR &&
			       strcmp(bl_rego_term_kind_name(term), "ref") == 0
		       ? "refs cannot be used for rule head"
		       : refuse_name(parser, term);
}

bool bl_parse_short_rule(struct bl_rego_parser *parser,
			 struct bl_rego_rule **out_rule)
{
	size_t first = parser->at;
	struct bl_rego_body *body = bl_parse_query(parser, BL_TOKEN_EOF);
	struct bl_rego_rule *rule =
		bl_arena_new(parser->arena, struct bl_rego_rule);
	const char *wrong;

	*out_rule = NULL;
	if (!body)
		return false;
	if (!rule)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory"),
		       false;
	wrong = no_head(parser, body);
	if (!wrong)
		wrong = take_term(parser, rule, body->exprs[0]->terms[0]);
	rule->range = bl_parser_range(parser, first);
	if (wrong)
		bl_parser_fail_late(parser, rule->range.from, wrong);
	else
		*out_rule = rule;
	return true;
}

/* ---- what v1 demands --------------------------------------------------------
 */

/* A keyword as the name, or as the first part of a set in the old form. */
static void check_keyword(struct bl_rego_parser *parser, uint32_t from,
			  const struct bl_rego_rule *rule)
{
	const struct bl_rego_parser v1 = { .keywords = BL_KEYWORDS_V1 };
	struct bl_str name = { 0 };

	if (rule->name->kind == BL_TERM_VAR)
		name = rule->name->as.name;
	else if (bl_rego_is_old_set(rule))
		name = rule->name->as.items[0]->as.name;
	if (bl_rego_is_keyword(&v1, name))
		bl_parser_fail_late(
			parser, from,
			bl_parser_text_of(
				parser,
				"%.*s keyword cannot be used for rule name",
				BL_STR_ARG(name)));
}

static void check_one(struct bl_rego_parser *parser,
		      const struct bl_rego_rule *head,
		      const struct bl_rego_rule *rule)
{
	uint32_t from = rule->range.from;
	bool has_args = head->arg_count > 0;
	const struct bl_rego_term *name = rule->name;

	if (name)
		check_keyword(parser, from, rule);
	if (name && name->kind == BL_TERM_REF && name->count > 2 &&
	    !rule->has_args && !rule->body && !rule->value && !rule->contains)
		bl_parser_fail_late(parser, from,
				    "rule must have value assignment and/or "
				    "body declaration");
	if (rule->body && !rule->uses_if)
		bl_parser_fail_late(
			parser, from,
			has_args ? "`if` keyword is required before function "
				   "body"
				 : "`if` keyword is required before rule body");
	if (name && bl_rego_is_old_set(rule))
		bl_parser_fail_late(parser, from,
				    "`contains` keyword is required for "
				    "partial set rules");
}

void bl_parse_check_v1(struct bl_rego_parser *parser,
		       const struct bl_rego_rule *rule)
{
	for (; rule; rule = rule->chained) {
		for (const struct bl_rego_rule *r = rule; r; r = r->else_rule)
			check_one(parser, rule, r);
	}
}

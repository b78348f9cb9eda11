/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: heads, bodies, else, default (spec/rego.md 1.2 to 1.4). */
#include "rego/syntax/parser.h"

static struct bl_rego_rule *new_rule(struct bl_rego_parser *parser)
{
	struct bl_rego_rule *rule =
		bl_arena_new(parser->arena, struct bl_rego_rule);

	if (!rule)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	return rule;
}

/* ":=" or "=" and a term, when one of them is next. */
static bool parse_value(struct bl_rego_parser *parser,
			struct bl_rego_rule *rule)
{
	rule->assigns = bl_parser_is(parser, BL_TOKEN_ASSIGN);
	if (!rule->assigns && !bl_parser_is(parser, BL_TOKEN_UNIFY))
		return true;
	parser->at++;
	rule->value = bl_parse_expr_term(parser, true);
	return rule->value != NULL;
}

/* Takes a name term apart: a call is a name with arguments. */
static bool set_name(struct bl_rego_parser *parser, struct bl_rego_rule *rule,
		     struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_CALL && !term->infix) {
		rule->has_args = true;
		rule->args = term->as.items + 1;
		rule->arg_count = term->count - 1;
		term = term->as.items[0];
	}
	if (term->kind == BL_TERM_REF && term->as.items[0]->kind != BL_TERM_VAR)
		return bl_parser_fail(parser, "unexpected rule name"), false;
	if (term->kind != BL_TERM_VAR && term->kind != BL_TERM_REF)
		return bl_parser_fail(parser, "%s cannot be used for rule name",
				      term->kind == BL_TERM_SCALAR
					      ? bl_kind_name(bl_value_kind(
							term->as.value))
					      : "this term"),
		       false;
	rule->name = term;
	return true;
}

/* A rule that begins with a keyword: what is wrong with it. */
static void refuse_keyword(struct bl_rego_parser *parser)
{
	struct bl_str word = bl_parser_text(parser, bl_parser_token(parser));

	if (bl_str_is(word, "not"))
		bl_parser_fail(parser, "negated expressions cannot be used for "
				       "rule head");
	else if (bl_str_is(word, "some"))
		bl_parser_fail(parser, "'some' declarations cannot be used for "
				       "rule head");
	else if (bl_str_is(word, "package"))
		bl_parser_fail(parser, "unexpected package");
	else
		bl_parser_fail(parser,
			       "%.*s keyword cannot be used for rule name",
			       BL_STR_ARG(word));
}

static bool parse_head(struct bl_rego_parser *parser, struct bl_rego_rule *rule)
{
	const struct bl_rego_token *token = bl_parser_token(parser);
	struct bl_rego_term *term;

	if (token->kind == BL_TOKEN_NAME &&
	    bl_rego_is_keyword(parser, bl_parser_text(parser, token)) &&
	    parser->tokens[parser->at + 1].kind != BL_TOKEN_DOT &&
	    parser->tokens[parser->at + 1].kind != BL_TOKEN_LBRACKET)
		return refuse_keyword(parser), false;
	term = bl_parse_term(parser);
	if (!term || !set_name(parser, rule, term))
		return false;
	if (bl_parser_accept_keyword(parser, "contains")) {
		rule->contains = bl_parse_expr_term(parser, true);
		return rule->contains != NULL;
	}
	return parse_value(parser, rule);
}

/* Behind "if": a statement, or a query in braces when it is none or a set. */
static struct bl_rego_body *parse_if_body(struct bl_rego_parser *parser)
{
	size_t before = parser->at;
	struct bl_rego_expr *expr = bl_parse_literal(parser);
	bool is_set = expr && expr->kind == BL_EXPR_TERM && !expr->negated &&
		      !expr->with_count &&
		      expr->terms[0]->kind == BL_TERM_SET &&
		      expr->terms[0]->count > 0;

	if (expr && !(is_set && parser->tokens[before].kind == BL_TOKEN_LBRACE))
		return bl_parse_single_body(parser, expr);
	if (parser->status || parser->tokens[before].kind != BL_TOKEN_LBRACE)
		return NULL;
	parser->at = before;
	return bl_parse_braced_query(parser);
}

static bool parse_else(struct bl_rego_parser *parser, struct bl_rego_rule *rule)
{
	for (; bl_parser_is_keyword(parser, "else"); rule = rule->else_rule) {
		size_t first = parser->at++;
		struct bl_rego_rule *next = new_rule(parser);

		if (!next || !parse_value(parser, next))
			return false;
		next->is_else = true;
		next->uses_if = bl_parser_accept_keyword(parser, "if");
		if (next->uses_if)
			next->body = parse_if_body(parser);
		else if (bl_parser_is(parser, BL_TOKEN_LBRACE))
			next->body = bl_parse_braced_query(parser);
		else if (next->value)
			next->body = NULL;
		else
			return bl_parser_unexpected(parser, "if keyword"),
			       false;
		if ((next->uses_if || !next->value) && !next->body)
			return false;
		next->range = bl_parser_range(parser, first);
		rule->else_rule = next;
	}
	return true;
}

/* Further "{...}" bodies behind a braced one: rules with the same head. */
static bool parse_chained(struct bl_rego_parser *parser,
			  struct bl_rego_rule *rule)
{
	const struct bl_rego_rule *head = rule;

	while (bl_parser_is(parser, BL_TOKEN_LBRACE) &&
	       !bl_parser_token(parser)->newline_before) {
		size_t first = parser->at;
		struct bl_rego_rule *next = new_rule(parser);

		if (!next)
			return false;
		*next = *head;
		next->chained = NULL;
		next->body = bl_parse_braced_query(parser);
		if (!next->body)
			return false;
		next->range = bl_parser_range(parser, first);
		rule->chained = next;
		rule = next;
	}
	return true;
}

static bool parse_bodies(struct bl_rego_parser *parser,
			 struct bl_rego_rule *rule)
{
	rule->uses_if = bl_parser_accept_keyword(parser, "if");
	if (rule->uses_if)
		rule->body = parse_if_body(parser);
	else if (bl_parser_is(parser, BL_TOKEN_LBRACE))
		rule->body = bl_parse_braced_query(parser);
	else
		return true;
	if (!rule->body)
		return false;
	if (rule->body->braced && !parse_chained(parser, rule))
		return false;
	return rule->chained || parse_else(parser, rule);
}

/* What a v1 module demands of a rule (spec/rego.md 1.5). */
static bool check_v1(struct bl_rego_parser *parser, size_t first,
		     const struct bl_rego_rule *rule)
{
	bool keys = rule->name->kind == BL_TERM_REF && !rule->has_args;

	if (parser->v0)
		return true;
	if (!rule->body && !rule->value && !rule->contains)
		return bl_parser_refuse(
			       parser, first, "%s",
			       keys ? "`contains` keyword is required for "
				      "partial set rules"
				    : "rule must have value assignment and/or "
				      "body declaration"),
		       false;
	for (; rule; rule = rule->else_rule)
		if (rule->body && !rule->uses_if)
			return bl_parser_refuse(parser, first,
						"`if` keyword is required "
						"before rule body"),
			       false;
	return true;
}

/* Inside a comprehension a term may use variables; outside none. */
static const char *variable_kind(const struct bl_rego_term *term)
{
	static const char *const words[] = { [BL_TERM_VAR] = "var",
					     [BL_TERM_REF] = "ref",
					     [BL_TERM_CALL] = "call",
					     [BL_TERM_TEMPLATE] =
						     "templatestring" };

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_VAR:
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_TEMPLATE:
		return words[term->kind];
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = 0; i < term->count; i++)
			if (variable_kind(term->as.items[i]))
				return variable_kind(term->as.items[i]);
		return NULL;
	case BL_TERM_SCALAR:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	return NULL;
}

/* Which rules may have an "else" (spec/rego.md 1.3). */
static bool check_else(struct bl_rego_parser *parser, size_t first,
		       const struct bl_rego_rule *rule)
{
	if (!rule->else_rule)
		return true;
	if (rule->contains)
		return bl_parser_refuse(parser, first,
					"else keyword cannot be used on "
					"multi-value rules"),
		       false;
	for (uint32_t i = 1;
	     rule->name->kind == BL_TERM_REF && i < rule->name->count; i++)
		if (variable_kind(rule->name->as.items[i]))
			return bl_parser_refuse(parser, first,
						"else keyword cannot be used "
						"on rules with variables in "
						"head"),
			       false;
	return true;
}

/* The arguments of a default are different names. */
static bool check_default_args(struct bl_rego_parser *parser, size_t first,
			       const struct bl_rego_rule *rule)
{
	for (size_t i = 0; i < rule->arg_count; i++) {
		const struct bl_rego_term *arg = rule->args[i];

		if (arg->kind != BL_TERM_VAR)
			return bl_parser_refuse(
				       parser, first,
				       "illegal default rule (arguments can "
				       "only be variables)"),
			       false;
		for (size_t j = 0; j < i; j++)
			if (bl_str_equal(arg->as.name,
					 rule->args[j]->as.name) &&
			    !bl_str_is(arg->as.name, "_"))
				return bl_parser_refuse(
					       parser, first,
					       "illegal default rule "
					       "(arguments cannot be repeated "
					       "%.*s)",
					       BL_STR_ARG(arg->as.name)),
				       false;
	}
	return true;
}

static bool parse_default(struct bl_rego_parser *parser, size_t first,
			  struct bl_rego_rule *rule)
{
	const char *kind;

	rule->is_default = true;
	if (!parse_head(parser, rule))
		return false;
	if (!rule->value || rule->contains)
		return bl_parser_refuse(parser, first,
					"default rules must have a value"),
		       false;
	kind = variable_kind(rule->value);
	if (kind)
		return bl_parser_refuse(parser, first,
					"illegal default rule (value cannot "
					"contain %s)",
					kind),
		       false;
	if (!check_default_args(parser, first, rule))
		return false;
	if (bl_parser_is_keyword(parser, "if") ||
	    bl_parser_is(parser, BL_TOKEN_LBRACE))
		return bl_parser_fail(parser,
				      "default rules cannot have a body"),
		       false;
	return true;
}

struct bl_rego_rule *bl_parse_rule(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_rule *rule = new_rule(parser);

	if (!rule)
		return NULL;
	if (bl_parser_accept_keyword(parser, "default")) {
		if (!parse_default(parser, first, rule))
			return NULL;
	} else if (!parse_head(parser, rule) || !parse_bodies(parser, rule) ||
		   !check_v1(parser, first, rule) ||
		   !check_else(parser, first, rule)) {
		return NULL;
	}
	rule->range = bl_parser_range(parser, first);
	return rule;
}

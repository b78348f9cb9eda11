/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules: heads, bodies, else, default (docs/contracts/rego.md "Grammar",
 * "Parser rules", "Rule heads").
 */
#include "rego/compiler/parse/parser.h"

static struct bl_rego_rule *new_rule(struct bl_rego_parser *parser)
{
	struct bl_rego_rule *rule =
		bl_arena_new(parser->arena, struct bl_rego_rule);

	if (!rule)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	return rule;
}

/* The name of a head's missing value (OPA's words). */
static const char *value_wanted(struct bl_rego_parser *parser,
				const struct bl_rego_rule *rule)
{
	struct bl_str name = bl_str_slice(parser->text, rule->name->range.from,
					  rule->name->range.to);
	static const struct {
		const char *what;
		const char *behind;
	} forms[] = {
		{ "rule value term (e.g., ", "[<nil>] = <VALUE> { ... })" },
		{ "function value term (e.g., ", "(...) := <VALUE> { ... })" },
		{ "default rule value term (e.g., default ", " := <VALUE>)" },
		{ "rule value term (e.g., ", " := <VALUE> { ... })" },
	};
	size_t form = !rule->assigns     ? 0
		      : rule->arg_count  ? 1
		      : rule->is_default ? 2
					 : 3;

	return bl_parser_text_of(parser, "expected %s%.*s%s", forms[form].what,
				 BL_STR_ARG(name), forms[form].behind);
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

bool bl_parse_set_name(struct bl_rego_rule *rule, struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_CALL && !term->infix) {
		rule->has_args = true;
		rule->args = term->as.items + 1;
		rule->arg_count = term->count - 1;
		term = term->as.items[0];
	}
	rule->name = term;
	return term->kind == BL_TERM_VAR ||
	       (term->kind == BL_TERM_REF &&
		term->as.items[0]->kind == BL_TERM_VAR);
}

/* "contains" and the key. */
static void parse_contains(struct bl_rego_parser *parser,
			   struct bl_rego_rule *rule)
{
	struct bl_str name = bl_str_slice(parser->text, rule->name->range.from,
					  rule->name->range.to);

	if (rule->has_args)
		bl_parser_unexpected(
			parser,
			bl_parser_text_of(
				parser,
				"the contains keyword can only be used with "
				"multi-value rule definitions (e.g., %.*s "
				"contains <VALUE> { ... })",
				BL_STR_ARG(name)));
	parser->at++;
	rule->contains = bl_parse_expr_term(parser, true);
	if (!rule->contains)
		bl_parser_unexpected(parser,
				     bl_parser_text_of(parser,
						       "expected rule key term "
						       "(e.g., %.*s contains "
						       "<VALUE> { ... })",
						       BL_STR_ARG(name)));
}

/*
 * The head.  Where its value or key is invalid the rest of the rule is read all the
 * same, for what else is wrong with it.
 */
static bool parse_head(struct bl_rego_parser *parser, struct bl_rego_rule *rule)
{
	const struct bl_rego_token *next = bl_parser_token(parser) + 1;
	struct bl_rego_term *term;

	if (!next->space_before && next->kind >= BL_TOKEN_EQUAL &&
	    next->kind <= BL_TOKEN_OR) { /* an operator */
		parser->at++;
		bl_parser_unexpected(parser, NULL);
		parser->at--;
	}
	term = bl_parse_head_term(parser);
	if (!term)
		return bl_parser_unexpected(parser, "expected rule head name"),
		       false;
	if (!bl_parse_set_name(rule, term))
		return false;
	if (bl_parser_is_word(parser, "contains"))
		parse_contains(parser, rule);
	else if (!parse_value(parser, rule))
		bl_parser_unexpected(parser, value_wanted(parser, rule));
	return true;
}

/* Behind "if": a statement, or a query in braces when it is not one or a set. */
static struct bl_rego_body *parse_if_body(struct bl_rego_parser *parser)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	bool braced = bl_parser_is(parser, BL_TOKEN_LBRACE);
	struct bl_rego_expr *expr = bl_parse_literal(parser);
	bool is_set = expr && expr->kind == BL_EXPR_TERM && !expr->negated &&
		      expr->terms[0]->kind == BL_TERM_SET;

	if (expr && !(is_set && braced))
		return bl_parse_single_body(parser, expr);
	if (parser->status || !braced)
		return NULL;
	bl_parser_go(parser, mark);
	return bl_parse_braced_query(parser);
}

/* Behind "else" and its value: "if" and a body, or a body. */
static bool parse_else_body(struct bl_rego_parser *parser,
			    struct bl_rego_rule *rule)
{
	struct bl_rego_expr *expr;

	rule->uses_if = bl_parser_accept_word(parser, "if");
	if (bl_parser_is(parser, BL_TOKEN_LBRACE)) {
		rule->body = bl_parse_braced_query(parser);
		return rule->body != NULL;
	}
	if (!rule->uses_if)
		return true;
	if (bl_parser_is(parser, BL_TOKEN_EOF))
		return bl_parser_unexpected(parser, "rule body expected"),
		       false;
	expr = bl_parse_literal(parser);
	rule->body = expr ? bl_parse_single_body(parser, expr) : NULL;
	return rule->body != NULL;
}

static bool parse_else(struct bl_rego_parser *parser, struct bl_rego_rule *rule)
{
	for (; bl_parser_is_word(parser, "else"); rule = rule->else_rule) {
		size_t first = parser->at++;
		struct bl_rego_rule *next = new_rule(parser);

		if (!next || !parse_value(parser, next))
			return false;
		next->is_else = true;
		if (!next->value && !bl_parser_is_word(parser, "if") &&
		    !bl_parser_is(parser, BL_TOKEN_LBRACE))
			return bl_parser_unexpected(parser,
						    "expected else value term "
						    "or rule body"),
			       false;
		if (!parse_else_body(parser, next))
			return false;
		next->range = bl_parser_range(parser, first);
		rule->else_rule = next;
	}
	return true;
}

/* Further "{...}" bodies: rules with the same head. */
static bool parse_chained(struct bl_rego_parser *parser,
			  struct bl_rego_rule *rule)
{
	const struct bl_rego_rule *head = rule;

	while (bl_parser_is(parser, BL_TOKEN_LBRACE)) {
		size_t first = parser->at;
		struct bl_rego_rule *next = new_rule(parser);

		if (head->else_rule)
			return bl_parser_fail(parser, "expected else keyword"),
			       false;
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

/* Has the name a part that is not known before evaluating? */
static bool has_variables(const struct bl_rego_term *name)
{
	for (uint32_t i = 1; name->kind == BL_TERM_REF && i < name->count; i++)
		if (bl_rego_variable_kind(name->as.items[i]))
			return true;
	return false;
}

/* Which rules may have an "else" (docs/contracts/rego.md "Parser rules"). */
static bool check_else(struct bl_rego_parser *parser,
		       const struct bl_rego_rule *rule)
{
	if (has_variables(rule->name) && !bl_rego_is_old_set(rule))
		return bl_parser_fail(parser, "else keyword cannot be used on "
					      "rules with variables in head"),
		       false;
	if (rule->contains || bl_rego_is_old_set(rule))
		return bl_parser_fail(parser, "else keyword cannot be used on "
					      "multi-value rules"),
		       false;
	return true;
}

/* False without a fault: nothing of a body is there. */
static bool parse_bodies(struct bl_rego_parser *parser, size_t first,
			 struct bl_rego_rule *rule)
{
	/* Behind an expression a keyword that goes on is a name. */
	rule->uses_if = rule->value || rule->contains
				? bl_parser_accept_keyword(parser, "if")
				: bl_parser_accept_word(parser, "if");
	if (rule->uses_if)
		rule->body = parse_if_body(parser);
	else if (bl_parser_is(parser, BL_TOKEN_LBRACE))
		rule->body = bl_parse_braced_query(parser);
	else
		return rule->contains != NULL;
	if (!rule->body)
		return false;
	rule->range = bl_parser_range(parser, first);
	if (bl_parser_is_keyword(parser, "else") &&
	    (!check_else(parser, rule) || !parse_else(parser, rule)))
		return false;
	return parse_chained(parser, rule);
}

/* Notes what the value of a default has of names; they are found in order. */
static void check_default_value(struct bl_rego_parser *parser, size_t first,
				const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_VAR:
	case BL_TERM_REF:
	case BL_TERM_CALL:
		bl_parser_fail_at(parser, parser->tokens[first].from,
				  "illegal default rule (value cannot contain "
				  "%s)",
				  bl_rego_term_kind_name(term));
		return;
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = 0; i < term->count; i++)
			check_default_value(parser, first, term->as.items[i]);
		return;
	case BL_TERM_TEMPLATE:
		for (size_t i = 0; i < term->body->count; i++)
			check_default_value(parser, first,
					    term->body->exprs[i]->terms[0]);
		return;
	case BL_TERM_SCALAR:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return;
	}
}

/* The arguments of a default are different names. */
static void check_default_args(struct bl_rego_parser *parser, size_t first,
			       const struct bl_rego_rule *rule)
{
	uint32_t from = parser->tokens[first].from;

	for (size_t i = 0; i < rule->arg_count; i++) {
		const struct bl_rego_term *arg = rule->args[i];
		const char *kind = bl_rego_term_kind_name(arg);

		if (strcmp(kind, "var") != 0) {
			bl_parser_fail_at(parser, from,
					  "illegal default rule (arguments "
					  "cannot contain %s)",
					  kind);
			continue;
		}
		for (size_t j = 0; j < i; j++) {
			if (rule->args[j]->kind != BL_TERM_VAR ||
			    !bl_str_equal(arg->as.name,
					  rule->args[j]->as.name) ||
			    bl_str_is(arg->as.name, "_"))
				continue;
			bl_parser_fail_at(parser, from,
					  "illegal default rule (arguments "
					  "cannot be repeated %.*s)",
					  BL_STR_ARG(arg->as.name));
			break;
		}
	}
}

/* "default p": true. */
static bool set_true(struct bl_rego_parser *parser, struct bl_rego_rule *rule)
{
	rule->value = bl_parse_new_term(parser, BL_TERM_SCALAR);
	if (!rule->value)
		return false;
	rule->value->as.value = bl_value_boolean(true);
	rule->value->range = rule->name->range;
	rule->assigns = true;
	return true;
}

static bool check_default(struct bl_rego_parser *parser, size_t first,
			  struct bl_rego_rule *rule)
{
	const struct bl_parser_fault *before = parser->faults;

	if (!rule->value &&
	    (rule->contains || (rule->name->kind == BL_TERM_REF &&
				rule->name->count == 2 && !rule->arg_count)))
		return bl_parser_fail_at(parser, parser->tokens[first].from,
					 "illegal default rule (must have a "
					 "value)"),
		       false;
	if (!rule->value && !set_true(parser, rule))
		return false;
	check_default_value(parser, first, rule->value);
	if (parser->faults == before)
		check_default_args(parser, first, rule);
	return parser->faults == before;
}

/*
 * Which tokens behind a keyword at the beginning of a statement show that it is
 * meant as the name of a rule; behind "default" anything does.
 */
enum {
	NEXT_SIGN = 1, /* ":=", "=" */
	NEXT_WORD = 2, /* "if", "contains" */
	NEXT_CALL = 4, /* "(" */
};

static const struct {
	const char *word;
	unsigned next;
} rule_names[] = {
	{ "every", NEXT_SIGN | NEXT_WORD | NEXT_CALL },
	{ "if", NEXT_SIGN | NEXT_WORD | NEXT_CALL },
	{ "in", NEXT_SIGN | NEXT_WORD | NEXT_CALL },
	{ "some", NEXT_SIGN | NEXT_WORD | NEXT_CALL },
	{ "as", NEXT_SIGN | NEXT_WORD | NEXT_CALL },
	{ "package", NEXT_SIGN | NEXT_CALL },
	{ "import", NEXT_SIGN | NEXT_CALL },
	{ "not", NEXT_SIGN | NEXT_WORD },
	{ "and", NEXT_SIGN | NEXT_WORD },
	{ "or", NEXT_SIGN | NEXT_WORD },
	{ "contains", NEXT_WORD },
};

static unsigned next_class(const struct bl_rego_parser *parser,
			   const struct bl_rego_token *token)
{
	struct bl_str word = bl_parser_text(parser, token);

	if (token->kind == BL_TOKEN_ASSIGN || token->kind == BL_TOKEN_UNIFY)
		return NEXT_SIGN;
	if (token->kind == BL_TOKEN_LPAREN)
		return NEXT_CALL;
	return (bl_str_is(word, "if") || bl_str_is(word, "contains")) &&
			       bl_rego_is_keyword(parser, word)
		       ? NEXT_WORD
		       : 0;
}

bool bl_parse_keyword_name(struct bl_rego_parser *parser, bool is_default)
{
	const struct bl_rego_token *token = bl_parser_token(parser);

	if (token->kind != BL_TOKEN_NAME)
		return false;
	for (size_t i = 0; i < BL_COUNT(rule_names); i++) {
		if (!bl_parser_is_word(parser, rule_names[i].word))
			continue;
		if (!is_default &&
		    !(rule_names[i].next & next_class(parser, token + 1)))
			return false;
		bl_parser_fail(parser,
			       "%s keyword cannot be used for rule name",
			       rule_names[i].word);
		return true;
	}
	return false;
}

/* A name, or a keyword that goes on as a reference. */
static bool accept_name(struct bl_rego_parser *parser)
{
	if (bl_parser_begins_ref(parser))
		parser->plain = parser->at;
	return bl_parser_is(parser, BL_TOKEN_NAME) &&
	       (parser->plain == parser->at ||
		!bl_rego_is_keyword(
			parser,
			bl_parser_text(parser, bl_parser_token(parser))));
}

struct bl_rego_rule *bl_parse_rule(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_rule *rule;
	bool is_default = bl_parser_accept_keyword(parser, "default");

	if (!accept_name(parser)) {
		if (is_default)
			bl_parse_keyword_name(parser, true);
		return NULL;
	}
	rule = new_rule(parser);
	if (!rule)
		return NULL;
	rule->is_default = is_default;
	if (!parse_head(parser, rule))
		return NULL;
	if (is_default ? !check_default(parser, first, rule)
		       : !parse_bodies(parser, first, rule))
		return NULL;
	rule->range = bl_parser_range(parser, first);
	return rule;
}

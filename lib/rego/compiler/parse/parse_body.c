/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and queries (docs/contracts/rego.md "Grammar": literal, query). */
#include "rego/compiler/parse/operators.h"
#include "rego/compiler/parse/parser.h"

struct bl_rego_expr *bl_parse_new_expr(struct bl_rego_parser *parser,
				       enum bl_rego_expr_kind kind,
				       const struct bl_rego_list *terms)
{
	struct bl_rego_expr *expr =
		bl_arena_new(parser->arena, struct bl_rego_expr);

	if (!expr)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	expr->kind = (uint8_t)kind;
	if (terms) {
		expr->terms = (struct bl_rego_term **)terms->items;
		expr->term_count = (uint32_t)terms->count;
	}
	return expr;
}

void bl_parse_set_bodies(struct bl_rego_expr *expr,
			 const struct bl_rego_list *bodies)
{
	expr->bodies = (struct bl_rego_body **)bodies->items;
	expr->body_count = (uint32_t)bodies->count;
}

struct bl_rego_body *bl_parse_new_body(struct bl_rego_parser *parser,
				       const struct bl_rego_list *exprs)
{
	struct bl_rego_body *body =
		bl_arena_new(parser->arena, struct bl_rego_body);

	if (!body)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	body->exprs = (struct bl_rego_expr **)exprs->items;
	body->count = exprs->count;
	return body;
}

struct bl_rego_body *bl_parse_single_body(struct bl_rego_parser *parser,
					  struct bl_rego_expr *expr)
{
	struct bl_rego_list exprs = { 0 };
	struct bl_rego_body *body;

	if (!bl_rego_list_add(parser, &exprs, expr))
		return NULL;
	body = bl_parse_new_body(parser, &exprs);
	if (body)
		body->range = expr->range;
	return body;
}

struct bl_rego_expr *bl_parse_term_expr(struct bl_rego_parser *parser,
					struct bl_rego_term *term)
{
	struct bl_rego_list terms = { 0 };

	if (!bl_rego_list_add(parser, &terms, term))
		return NULL;
	return bl_parse_new_expr(parser, BL_EXPR_TERM, &terms);
}

/* ---- "with" -----------------------------------------------------------------
 */

bool bl_parse_withs(struct bl_rego_parser *parser, struct bl_rego_expr *expr)
{
	struct bl_rego_list pairs = { 0 };

	while (bl_parser_accept_keyword(parser, "with")) {
		struct bl_rego_with *with =
			bl_arena_new(parser->arena, struct bl_rego_with);

		if (!with) {
			bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
			return false;
		}
		if (!bl_parser_is(parser, BL_TOKEN_NAME) ||
		    bl_rego_is_keyword(
			    parser,
			    bl_parser_text(parser, bl_parser_token(parser)))) {
			bl_parser_unexpected(parser, "expected ident");
			return false;
		}
		with->target = bl_parse_term(parser);
		if (!with->target)
			return false;
		if (with->target->kind != BL_TERM_REF &&
		    with->target->kind != BL_TERM_VAR)
			bl_parser_unexpected(parser,
					     "expected with target path");
		if (!bl_parser_accept_word(parser, "as")) {
			bl_parser_unexpected(parser, "expected as keyword");
			return false;
		}
		with->value = bl_parse_expr_term(parser, true);
		if (!with->value || !bl_rego_list_add(parser, &pairs, with))
			return false;
	}
	if (!pairs.count)
		return true;
	expr->withs = bl_arena_new_array(parser->arena, struct bl_rego_with,
					 pairs.count);
	if (!expr->withs) {
		bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
		return false;
	}
	for (size_t i = 0; i < pairs.count; i++)
		expr->withs[i] = *(struct bl_rego_with *)pairs.items[i];
	expr->with_count = (uint32_t)pairs.count;
	return true;
}

/* ---- some, every ------------------------------------------------------------
 */

/* The operands of "x in xs" and "x, y in xs"; the count of them, or 0. */
static size_t membership(const struct bl_rego_term *term,
			 struct bl_rego_list *out_operands)
{
	static const char *const names[] = { "internal.member_2",
					     "internal.member_3" };

	if (term->kind != BL_TERM_CALL ||
	    term->as.items[0]->kind != BL_TERM_VAR)
		return 0;
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (!bl_str_is(term->as.items[0]->as.name, names[i]))
			continue;
		out_operands->items = (void **)(term->as.items + 1);
		out_operands->count = term->count - 1;
		return out_operands->count;
	}
	return 0;
}

/* Behind "some": declared names, or [key,] value "in" domain. */
static struct bl_rego_expr *parse_some(struct bl_rego_parser *parser)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	struct bl_rego_list terms = { 0 };
	struct bl_rego_term *term = bl_parse_expr_term(parser, true);

	if (term && membership(term, &terms))
		return bl_parse_new_expr(parser, BL_EXPR_SOME_IN, &terms);
	if (term && term->kind == BL_TERM_CALL)
		return bl_parser_unexpected(
			parser,
			"expected `x in xs` or `x, y in xs` expression");
	bl_parser_go(parser, mark);
	do {
		struct bl_str name =
			bl_parser_text(parser, bl_parser_token(parser));

		if (!bl_parser_is(parser, BL_TOKEN_NAME) ||
		    bl_rego_is_keyword(parser, name))
			return bl_parser_unexpected(parser, "expected var");
		term = bl_parse_new_term(parser, BL_TERM_VAR);
		if (!bl_rego_list_add(parser, &terms, term))
			return NULL;
		term->as.name = name;
		term->range = bl_parser_range(parser, parser->at++);
	} while (bl_parser_accept(parser, BL_TOKEN_COMMA));
	return bl_parse_new_expr(parser, BL_EXPR_SOME, &terms);
}

static struct bl_rego_expr *parse_every(struct bl_rego_parser *parser)
{
	static const char shape[] =
		"expected `x[, y] in xs { ... }` expression";
	struct bl_rego_list terms = { 0 };
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_term *term = bl_parse_expr_term(parser, true);
	struct bl_rego_expr *expr;
	size_t count;

	if (!term)
		return NULL;
	count = membership(term, &terms);
	if (!count)
		return bl_parser_unexpected(parser, shape);
	for (size_t i = 0; i + 1 < count; i++) {
		const struct bl_rego_term *name = terms.items[i];

		if (name->kind != BL_TERM_VAR ||
		    strcmp(bl_rego_term_kind_name(name), "var") != 0)
			return bl_parser_unexpected(
				parser,
				i + 2 < count
					? "expected key to be a variable"
					: "expected value to be a variable");
	}
	if (!bl_parser_is(parser, BL_TOKEN_LBRACE))
		return bl_parser_unexpected(parser, "missing body");
	if (!bl_rego_list_add(parser, &bodies, bl_parse_braced_query(parser)))
		return NULL;
	expr = bl_parse_new_expr(parser, BL_EXPR_EVERY, &terms);
	if (expr)
		bl_parse_set_bodies(expr, &bodies);
	return expr;
}

/* ---- plain expressions -----------------------------------------------------
 */

struct bl_rego_expr *bl_parse_plain(struct bl_rego_parser *parser)
{
	struct bl_rego_term *operands[2];
	const char *builtin;

	operands[0] = bl_parse_expr_term(parser, true);
	if (!operands[0])
		return NULL;
	builtin = bl_parser_is(parser, BL_TOKEN_ASSIGN)  ? "assign"
		  : bl_parser_is(parser, BL_TOKEN_UNIFY) ? "eq"
							 : NULL;
	if (builtin) {
		parser->at++;
		operands[1] = bl_parse_expr_term(parser, true);
		operands[0] = operands[1] ? bl_parse_infix(parser, builtin,
							   operands, 2)
					  : NULL;
	}
	return bl_parse_term_expr(parser, operands[0]);
}

/* ---- statements
 * -------------------------------------------------------------- */

/* "not some" and "not every". */
static bool refuse_negation(struct bl_rego_parser *parser)
{
	static const struct {
		const char *word;
		const char *text;
	} words[] = {
		{ "some", "illegal negation of 'some'" },
		{ "every", "illegal negation of 'every'" },
	};

	if (!bl_parser_accept_keyword(parser, "not"))
		return false;
	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (bl_parser_is_word(parser, words[i].word))
			return bl_parser_unexpected(parser, words[i].text),
			       true;
	parser->at--;
	return false;
}

static struct bl_rego_expr *parse_negated(struct bl_rego_parser *parser)
{
	struct bl_rego_expr *expr;

	if ((parser->keywords & BL_KEYWORD_NOT_BODY) &&
	    bl_parser_is(parser, BL_TOKEN_LBRACE))
		return bl_parse_not_block(parser);
	expr = bl_parse_plain(parser);
	if (expr)
		expr->negated = true;
	return expr;
}

static struct bl_rego_expr *parse_statement(struct bl_rego_parser *parser)
{
	if (bl_parser_begins_ref(parser))
		parser->plain = parser->at;
	if (bl_parser_accept_keyword(parser, "some"))
		return parse_some(parser);
	if (bl_parser_accept_keyword(parser, "every"))
		return parse_every(parser);
	if (refuse_negation(parser))
		return NULL;
	if (parser->keywords & (BL_KEYWORD_AND | BL_KEYWORD_OR))
		return bl_parse_logical(parser, BL_KEYWORD_OR, NULL);
	if (bl_parser_accept_keyword(parser, "not"))
		return parse_negated(parser);
	return bl_parse_plain(parser);
}

struct bl_rego_expr *bl_parse_literal(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_expr *expr;
	uint32_t with;

	if (!bl_parser_enter(parser))
		return NULL;
	expr = parse_statement(parser);
	with = bl_parser_token(parser)->from;
	if (expr && !bl_parse_withs(parser, expr))
		expr = NULL;
	if (expr && expr->with_count && expr->kind == BL_EXPR_TERM &&
	    bl_parse_logical_word(parser))
		expr = bl_parse_refuse_with(parser, with);
	if (expr)
		expr->range = bl_parser_range(parser, first);
	bl_parser_leave(parser);
	return expr;
}

/* Where a statement ends and a further one follows on its line. */
static void *refuse_same_line(struct bl_rego_parser *parser,
			      enum bl_rego_token_kind closing)
{
	enum { EVERY }; /* by the word in front of it */
	static const struct {
		const char *word;
		const char *hint;
	} infix[] = {
		[EVERY] = { "every x",
			    "`import future.keywords.every` for `every x "
			    "in xs { ... }` expressions" },
		{ "in", "`import future.keywords.in` for `x in xs` "
			"expressions" },
		{ "and", "`import future.keywords.and` for `x and y` "
			 "expressions" },
		{ "or", "`import future.keywords.or` for `x or y` "
			"expressions" },
	};
	const struct bl_rego_token *token = bl_parser_token(parser);
	struct bl_str word = bl_parser_text(parser, token);

	if (parser->faults) /* it says enough */
		return NULL;
	if (token->kind == BL_TOKEN_ILLEGAL && parser->lex_text)
		return bl_parser_fail(parser, "%s", parser->lex_text);
	for (size_t i = 0; i < BL_COUNT(infix) && !parser->hints; i++)
		if ((bl_str_is(word, infix[i].word) &&
		     !bl_rego_is_keyword(parser, word)) ||
		    (i == EVERY && token->kind == BL_TOKEN_NAME &&
		     bl_str_is(bl_parser_text(parser, token - 1), "every")))
			bl_parser_hint(parser, infix[i].hint);
	return bl_parser_unexpected(parser, closing == BL_TOKEN_RBRACE
						    ? "expected \\n or ; or }"
						    : "expected \\n or ; or ]");
}

struct bl_rego_body *bl_parse_query(struct bl_rego_parser *parser,
				    enum bl_rego_token_kind closing)
{
	struct bl_rego_list exprs = { 0 };
	size_t first = parser->at;
	struct bl_rego_body *body;

	if (bl_parser_is(parser, closing))
		return bl_parser_fail(parser, "found empty body");
	for (;;) {
		if (!bl_rego_list_add(parser, &exprs, bl_parse_literal(parser)))
			return NULL;
		if (bl_parser_accept(parser, BL_TOKEN_SEMICOLON))
			continue;
		if (bl_parser_is(parser, closing) || closing == BL_TOKEN_EOF)
			break;
		if (!bl_parser_token(parser)->newline_before)
			return refuse_same_line(parser, closing);
	}
	body = bl_parse_new_body(parser, &exprs);
	if (body)
		body->range = bl_parser_range(parser, first);
	return body;
}

struct bl_rego_body *bl_parse_braced_query(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_body *body;

	parser->at++;
	body = bl_parse_query(parser, BL_TOKEN_RBRACE);
	if (!body)
		return NULL;
	parser->at++;
	body->braced = true;
	body->range = bl_parser_range(parser, first);
	return body;
}

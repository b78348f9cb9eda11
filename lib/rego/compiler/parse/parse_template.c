/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Template strings: pieces of text and "{ expr }" holes (docs/contracts/rego.md
 * "Tokens").
 */
#include "rego/compiler/parse/parser.h"

/*
 * The reason why a term may not be a hole (docs/contracts/rego.md "Parser rules", rule 15);
 * NULL: it may be.
 */
static const char *refused(const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term;

	if (expr->negated)
		return "negation ('not')";
	if (expr->kind == BL_EXPR_EVERY)
		return "'every'";
	if (expr->kind == BL_EXPR_SOME || expr->kind == BL_EXPR_SOME_IN)
		return "'some'";
	if (expr->kind != BL_EXPR_TERM)
		return "statement";
	term = expr->terms[0];
	if (term->kind != BL_TERM_CALL || !term->infix)
		return NULL;
	if (bl_str_is(term->as.items[0]->as.name, "eq"))
		return "unification ('=')";
	return bl_str_is(term->as.items[0]->as.name, "assign")
		       ? "assignment (':=')"
		       : NULL;
}

/* The expression at the beginning of the tokens, and what must be behind it. */
static struct bl_rego_expr *parse_in_hole(struct bl_rego_parser *parser)
{
	struct bl_rego_expr *expr = bl_parse_literal(parser);

	if (!expr)
		return bl_parser_fail(parser,
				      "invalid template-string expression");
	if (refused(expr))
		return bl_parser_fail_at(
			parser, expr->range.from,
			"unexpected %s in template-string expression",
			refused(expr));
	if (!bl_parser_is(parser, BL_TOKEN_RBRACE))
		return bl_parser_fail(
			parser, "expected } to end template string expression");
	return expr;
}

/* The expression from behind "{" to behind "}". */
static struct bl_rego_expr *parse_hole(struct bl_rego_parser *outer,
				       size_t from, size_t to)
{
	struct bl_rego_tokens tokens;
	struct bl_rego_parser parser = *outer;
	struct bl_rego_expr *expr = NULL;
	size_t offset;
	enum bl_status status =
		bl_rego_lex(outer->arena, outer->text, from, to, &tokens,
			    &offset, &outer->stop_error);

	if (status && status != BL_SYNTAX)
		return bl_parser_stop(outer, status, "out of memory");
	parser.tokens = tokens.tokens;
	parser.lex_text = tokens.illegal;
	parser.at = 0;
	parser.plain = SIZE_MAX;
	parser.memo = bl_arena_new_array(outer->arena, struct bl_rego_memo,
					 tokens.count);
	if (!parser.memo)
		return bl_parser_stop(outer, BL_NO_MEMORY, "out of memory");
	if (bl_parser_enter(&parser))
		expr = parse_in_hole(&parser);
	outer->faults = parser.faults;
	outer->hints = parser.hints;
	outer->stuck = expr           ? NULL
		       : parser.stuck ? parser.stuck
				      : bl_parser_token(&parser);
	outer->status = parser.status;
	outer->stop_from = parser.stop_from;
	outer->stop_error = parser.stop_error;
	return expr;
}

static bool add_piece(struct bl_rego_parser *parser, struct bl_rego_list *parts,
		      struct bl_str piece, enum bl_rego_quoting quoting)
{
	size_t offset;

	if (piece.len == 0)
		return true;
	if (bl_rego_unescape(parser->arena, piece, quoting, &piece, &offset,
			     NULL)) {
		bl_parser_fail(parser, "illegal template-string part: %.*s",
			       BL_STR_ARG(piece));
		return false;
	}
	return bl_rego_list_add(
		parser, parts,
		bl_parse_term_expr(parser,
				   bl_parse_string_term(parser, piece)));
}

struct bl_rego_term *bl_parse_template(struct bl_rego_parser *parser)
{
	const struct bl_rego_token *token = bl_parser_token(parser);
	bool raw = token->kind == BL_TOKEN_RAW_TEMPLATE;
	enum bl_rego_quoting quoting =
		raw ? BL_REGO_RAW_TEMPLATE : BL_REGO_TEMPLATE;
	size_t at = token->from + 2; /* $ and the quote */
	/* a token without its closing quote ends in an open hole */
	size_t end = token->to - (parser->text.ptr[token->to - 1] != '{');
	struct bl_rego_list parts = { 0 };
	struct bl_rego_term *term;

	if (parser->v0)
		return bl_parser_fail(parser,
				      "template strings are not supported by "
				      "current capabilities");
	while (at < end) {
		size_t hole = bl_rego_template_piece_end(parser->text, at, end,
							 quoting);
		size_t hole_end;
		size_t offset;

		if (!add_piece(parser, &parts,
			       bl_str_slice(parser->text, at, hole), quoting))
			return NULL;
		at = hole;
		if (at >= end)
			break;
		if (bl_rego_template_hole_end(parser->arena, parser->text, at,
					      &hole_end, &offset, NULL))
			hole_end = token->to;
		if (!bl_rego_list_add(parser, &parts,
				      parse_hole(parser, at + 1, hole_end)))
			return NULL;
		at = hole_end;
	}
	parser->at++;
	term = bl_parse_new_term(parser, BL_TERM_TEMPLATE);
	if (!term)
		return NULL;
	term->raw = raw;
	term->body = bl_parse_new_body(parser, &parts);
	return term->body ? term : NULL;
}

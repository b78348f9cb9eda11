/* SPDX-License-Identifier: Apache-2.0 */
/* Template strings: pieces of text and "{ expr }" holes (spec/rego.md 1.1). */
#include "rego/syntax/operators.h"
#include "rego/syntax/parser.h"

/* Holes are plain expressions (spec/rego.md 1.3, rule 15). */
static bool is_allowed(const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term;
	const struct bl_rego_operator *op;

	if (expr->kind != BL_EXPR_TERM || expr->negated)
		return false;
	term = expr->terms[0];
	if (term->kind != BL_TERM_CALL || !term->infix)
		return true;
	op = bl_rego_operator_of(term->as.items[0]->as.name);
	return !op || op->level != BL_REGO_LEVEL_STATEMENT;
}

/* The expression inside the braces, bytes from..to without them. */
static struct bl_rego_expr *parse_hole(struct bl_rego_parser *outer,
				       size_t from, size_t to)
{
	struct bl_rego_tokens tokens;
	struct bl_rego_parser parser = *outer;
	struct bl_rego_expr *expr = NULL;
	size_t offset;

	if (bl_rego_lex(outer->arena, outer->text, from, to, &tokens, &offset,
			&outer->fail_error))
		return bl_parser_fail(outer, "illegal template expression");
	parser.tokens = tokens.tokens;
	parser.at = 0;
	parser.failed = false;
	parser.memo = bl_arena_new_array(outer->arena, struct bl_rego_memo,
					 tokens.count);
	if (!parser.memo)
		return bl_parser_stop(outer, BL_NO_MEMORY, "out of memory");
	if (bl_parser_enter(&parser))
		expr = bl_parse_literal(&parser);
	if (expr && !bl_parser_is(&parser, BL_TOKEN_EOF))
		expr = bl_parser_unexpected(&parser, "}");
	if (expr && !is_allowed(expr))
		expr = bl_parser_fail(&parser, "unexpected statement in "
					       "template expression");
	if (!expr && (!outer->failed || parser.fail_from >= outer->fail_from)) {
		outer->failed = true;
		outer->status = parser.status;
		outer->fail_from = parser.fail_from;
		outer->fail_error = parser.fail_error;
	}
	return expr;
}

static bool add_piece(struct bl_rego_parser *parser, struct bl_rego_list *parts,
		      struct bl_str piece, enum bl_rego_quoting quoting)
{
	size_t offset;

	if (piece.len == 0)
		return true;
	if (bl_rego_unescape(parser->arena, piece, quoting, &piece, &offset,
			     &parser->fail_error)) {
		bl_parser_fail(parser, "illegal string escape sequence");
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
	size_t end = token->to - 1;
	struct bl_rego_list parts = { 0 };
	struct bl_rego_term *term;

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
					      &hole_end, &offset,
					      &parser->fail_error))
			return bl_parser_fail(parser,
					      "illegal template expression");
		if (!bl_rego_list_add(parser, &parts,
				      parse_hole(parser, at + 1, hole_end - 1)))
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

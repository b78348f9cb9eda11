/* SPDX-License-Identifier: Apache-2.0 */
/* "and", "or", and "not" of blocks and groups. */
#include "rego/compiler/parse/parser.h"

/* "{a | b}" as a block looks like a comprehension: a fault. */
static bool check_union(struct bl_rego_parser *parser,
			const struct bl_rego_body *body, const char *prefix)
{
	const struct bl_rego_expr *expr = body->exprs[0];
	const struct bl_rego_term *term =
		expr->kind == BL_EXPR_TERM ? expr->terms[0] : NULL;
	struct bl_str text =
		bl_str_slice(parser->text, body->range.from, body->range.to);
	struct bl_str first =
		bl_str_slice(parser->text, expr->range.from, expr->range.to);
	size_t before = expr->range.from - body->range.from;
	struct bl_str rest = bl_str_slice(text, before + first.len, text.len);

	if (!term || term->kind != BL_TERM_CALL || !term->infix ||
	    !bl_str_is(term->as.items[0]->as.name, "or") || first.ptr[0] == '(')
		return true;
	bl_parser_hint(parser,
		       bl_parser_text_of(
			       parser,
			       "write `%s(%.*s)` for the comprehension, or "
			       "`%s%.*s(%.*s)%.*s` for the set union",
			       prefix, BL_STR_ARG(text), prefix, (int)before,
			       text.ptr, BL_STR_ARG(first), BL_STR_ARG(rest)));
	bl_parser_fail_at(parser, body->range.from,
			  "ambiguous `{ ... | ... }` operand: read as a body "
			  "holding a set-union expression, not as a "
			  "comprehension");
	return false;
}

/* An operand that only prints is always true: a fault. */
static void check_void(struct bl_rego_parser *parser,
		       const struct bl_rego_body *body, const char *word)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		const struct bl_rego_term *term =
			expr->kind == BL_EXPR_TERM ? expr->terms[0] : NULL;

		if (!term || expr->negated || term->kind != BL_TERM_CALL ||
		    term->as.items[0]->kind != BL_TERM_VAR ||
		    !bl_str_is(term->as.items[0]->as.name, "print"))
			return;
	}
	bl_parser_hint(parser,
		       "`print` produces no value and always succeeds, so the "
		       "operand can never fail; move it out of the operand, or "
		       "add an expression that can fail");
	bl_parser_fail_at(parser, body->exprs[0]->range.from,
			  "operand of `%s` cannot consist only of calls to "
			  "`print`",
			  word);
}

static struct bl_rego_expr *not_body(struct bl_rego_parser *parser,
				     struct bl_rego_body *body)
{
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_expr *expr;

	expr = bl_parse_new_expr(parser, BL_EXPR_NOT_BODY, NULL);
	if (!expr || !bl_rego_list_add(parser, &bodies, body) ||
	    !check_union(parser, body, "not "))
		return NULL;
	bl_parse_set_bodies(expr, &bodies);
	return expr;
}

/* The kind of value that the "{" in front of a term opens. */
static const char *braced_value(const struct bl_rego_term *term)
{
	while (term->kind == BL_TERM_CALL && term->infix && term->count > 1)
		term = term->as.items[1]; /* the left side of an operator */
	return bl_rego_term_kind_name(term);
}

/* Where braces hold a block, a value in braces would read as one: refused. */
static void *refuse_braced(struct bl_rego_parser *parser,
			   const struct bl_rego_term *term, size_t first,
			   const char *word)
{
	struct bl_rego_range range = bl_parser_range(parser, first);
	struct bl_str text = bl_str_slice(parser->text, range.from, range.to);

	if (word) {
		bl_parser_hint(
			parser,
			bl_parser_text_of(parser,
					  "wrap the operand to keep the value: "
					  "`(%.*s) %s ...`",
					  BL_STR_ARG(text), word));
		return bl_parser_fail_at(parser, range.from,
					 "operand of `%s` cannot begin with "
					 "`{` unless the braces hold a body",
					 word);
	}
	bl_parser_hint(parser,
		       bl_parser_text_of(parser,
					 "write `not (%.*s)` to negate the "
					 "value, or `not {%.*s}` for a body "
					 "holding it",
					 BL_STR_ARG(text), BL_STR_ARG(text)));
	return bl_parser_fail_at(parser, range.from,
				 "`{...}` in an operand position must contain "
				 "expression(s), got: %s",
				 braced_value(term));
}

/*
 * A block at "{" where only a block may be.  When it is not one but the braces hold
 * a value that is said, else what is wrong with the block.
 */
static struct bl_rego_body *parse_block(struct bl_rego_parser *parser,
					const char *word)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	bool empty = parser->tokens[mark.at + 1].kind == BL_TOKEN_RBRACE;
	struct bl_rego_body *body = bl_parse_braced_query(parser);
	struct bl_parser_mark failed = bl_parser_mark(parser);
	struct bl_rego_term *term;

	if (body || empty)
		return body;
	bl_parser_go(parser, mark);
	term = bl_parse_expr_term(parser, true);
	if (term && !parser->faults)
		return refuse_braced(parser, term, mark.at, word);
	bl_parser_go(parser, failed);
	return NULL;
}

/* The keyword that follows; NULL: neither does. */
const char *bl_parse_logical_word(const struct bl_rego_parser *parser)
{
	if (bl_parser_is_word(parser, "and"))
		return "and";
	return bl_parser_is_word(parser, "or") ? "or" : NULL;
}

struct bl_rego_expr *bl_parse_not_block(struct bl_rego_parser *parser)
{
	struct bl_rego_body *body = parse_block(parser, NULL);

	return body ? not_body(parser, body) : NULL;
}

/* "with" on an operand would mean the operand or all of the operation. */
void *bl_parse_refuse_with(struct bl_rego_parser *parser, uint32_t from)
{
	const char *word = bl_parse_logical_word(parser);

	bl_parser_hint(parser,
		       bl_parser_text_of(
			       parser,
			       "Wrap the operand in `(...)` or `{...}` to "
			       "scope, or move `with` after the `%s` "
			       "expression to apply it to the whole expression",
			       word));
	return bl_parser_fail_at(
		parser, from,
		"`with` modifier is not allowed on operand of `%s`", word);
}

/* Where parentheses are around a block, that cannot be read as a value. */
static bool refuse_parens(struct bl_rego_parser *parser, const char *prefix)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	uint32_t open = bl_parser_token(parser)->from;
	const struct bl_rego_body *body;
	const struct bl_rego_term *term;
	struct bl_str text;

	parser->at++;
	if (!bl_parser_is(parser, BL_TOKEN_LBRACE)) {
		bl_parser_go(parser, mark);
		return false;
	}
	body = bl_parse_braced_query(parser);
	bl_parser_go(parser, mark);
	parser->at++;
	term = bl_parse_term(parser);
	bl_parser_go(parser, mark);
	if (!body || term)
		return false;
	text = bl_str_slice(parser->text, body->range.from, body->range.to);
	bl_parser_hint(parser,
		       bl_parser_text_of(parser,
					 "drop the parens to keep the body: "
					 "`%s%.*s`",
					 prefix, BL_STR_ARG(text)));
	bl_parser_fail_at(parser, open,
			  "`(...)` in an operand position cannot contain a "
			  "body");
	return true;
}

/* How a "(" was meant. */
enum group {
	GROUP_NONE, /* a term in parentheses: nothing was taken */
	GROUP_TAKEN,
	GROUP_BROKEN, /* with a fault */
};

/* Behind the operations of a group: "with" and ")". */
static enum group end_group(struct bl_rego_parser *parser,
			    struct bl_rego_expr *expr, bool operand)
{
	uint32_t with = bl_parser_token(parser)->from;
	bool logical = expr->kind == BL_EXPR_LOGICAL;

	if (!bl_parse_withs(parser, expr))
		return GROUP_BROKEN;
	if (expr->with_count && !logical && bl_parse_logical_word(parser))
		return bl_parse_refuse_with(parser, with), GROUP_BROKEN;
	if (!logical && !expr->negated && expr->kind != BL_EXPR_NOT_BODY &&
	    !expr->with_count)
		return GROUP_NONE;
	if (!bl_parser_accept(parser, BL_TOKEN_RPAREN))
		return bl_parser_fail(parser, "expected ) to close "
					      "parenthesized group"),
		       GROUP_BROKEN;
	if (expr->with_count && !logical && !operand &&
	    !bl_parse_logical_word(parser))
		return GROUP_NONE;
	expr->grouped = true;
	return GROUP_TAKEN;
}

/*
 * "(" logical { with } ")" when it is a group and not a term.  prefix is what
 * stands in front of it: NULL where it is not known yet to be an operand.
 */
static enum group try_group(struct bl_rego_parser *parser, const char *prefix,
			    struct bl_rego_expr **out_expr)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	uint32_t open = bl_parser_token(parser)->from;
	unsigned operators = parser->operators;
	enum group group = GROUP_NONE;

	parser->at++;
	if (prefix && bl_parser_is(parser, BL_TOKEN_RPAREN))
		return bl_parser_fail_at(parser, open,
					 "empty parenthesized group"),
		       GROUP_BROKEN;
	*out_expr = bl_parse_logical(parser, BL_KEYWORD_OR, NULL);
	if (*out_expr)
		group = end_group(parser, *out_expr, prefix != NULL);
	else if (parser->operators != operators)
		group = GROUP_BROKEN;
	if (group != GROUP_NONE)
		return group;
	*out_expr = NULL;
	bl_parser_go(parser, mark);
	return refuse_parens(parser, prefix ? prefix : "") ? GROUP_BROKEN
							   : GROUP_NONE;
}

/* A group of one expression, so that it can be negated as a whole. */
static struct bl_rego_expr *wrap_group(struct bl_rego_parser *parser,
				       struct bl_rego_expr *inner)
{
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_expr *expr =
		bl_parse_new_expr(parser, BL_EXPR_LOGICAL, NULL);

	if (!expr || !bl_rego_list_add(parser, &bodies,
				       bl_parse_single_body(parser, inner)))
		return NULL;
	bl_parse_set_bodies(expr, &bodies);
	inner->grouped = false;
	expr->grouped = true;
	return expr;
}

/* An operand in front of which stands "not". */
static struct bl_rego_expr *parse_negated_operand(struct bl_rego_parser *parser)
{
	bool blocks = parser->keywords & BL_KEYWORD_NOT_BODY;
	struct bl_rego_expr *expr = NULL;

	if (blocks && bl_parser_is(parser, BL_TOKEN_LBRACE))
		return bl_parse_not_block(parser);
	if (blocks && bl_parser_is(parser, BL_TOKEN_LPAREN))
		if (try_group(parser, "not ", &expr) == GROUP_BROKEN)
			return NULL;
	if (!expr)
		expr = bl_parse_plain(parser);
	if (expr && (expr->negated || expr->with_count))
		expr = wrap_group(parser, expr);
	if (expr)
		expr->negated = true;
	return expr;
}

/* The first operand of a statement when it is a block: a keyword follows it. */
static struct bl_rego_body *try_first_block(struct bl_rego_parser *parser)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	struct bl_rego_body *body;

	if (!bl_parser_is(parser, BL_TOKEN_LBRACE))
		return NULL;
	body = bl_parse_braced_query(parser);
	if (body && bl_parse_logical_word(parser))
		return body;
	bl_parser_go(parser, mark);
	return NULL;
}

static bool is_empty_object(const struct bl_rego_expr *expr)
{
	return expr->kind == BL_EXPR_TERM && !expr->with_count &&
	       expr->terms[0]->kind == BL_TERM_OBJECT && !expr->terms[0]->count;
}

/*
 * An operand of "and" and "or", as a body; word is the keyword in front of it,
 * NULL for the first.
 */
static struct bl_rego_body *parse_operand(struct bl_rego_parser *parser,
					  const char *word)
{
	size_t first = parser->at;
	bool braced = bl_parser_is(parser, BL_TOKEN_LBRACE);
	struct bl_rego_expr *expr = NULL;
	struct bl_rego_body *body;

	if (braced && word) {
		body = parse_block(parser, word);
		if (body)
			check_union(parser, body, "");
		return body;
	}
	body = try_first_block(parser);
	if (body)
		return check_union(parser, body, "") ? body : NULL;
	if (bl_parser_accept_keyword(parser, "not"))
		expr = parse_negated_operand(parser);
	else if (bl_parser_is(parser, BL_TOKEN_LPAREN) &&
		 try_group(parser, word ? "" : NULL, &expr) == GROUP_BROKEN)
		return NULL;
	if (!expr && parser->at == first)
		expr = bl_parse_plain(parser);
	if (!expr)
		return NULL;
	if (braced && bl_parse_logical_word(parser) && is_empty_object(expr))
		return bl_parser_fail_at(parser, parser->tokens[first].from,
					 "found empty body");
	if (braced && bl_parse_logical_word(parser))
		return refuse_braced(parser, expr->terms[0], first,
				     bl_parse_logical_word(parser));
	expr->range = bl_parser_range(parser, first);
	return bl_parse_single_body(parser, expr);
}

static bool accept_operator(struct bl_rego_parser *parser, const char *word)
{
	if (!bl_parser_accept_word(parser, word))
		return false;
	parser->operators++;
	return true;
}

/* The chain of one keyword: "or" over "and" over operands. */
struct bl_rego_expr *bl_parse_logical(struct bl_rego_parser *parser,
				      unsigned keyword, const char *before)
{
	const char *word = keyword == BL_KEYWORD_OR ? "or" : "and";
	size_t first = parser->at;
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_expr *expr;

	if (!bl_parser_enter(parser))
		return NULL;
	do {
		struct bl_rego_body *body;

		if (keyword == BL_KEYWORD_OR) {
			expr = bl_parse_logical(parser, BL_KEYWORD_AND, before);
			body = expr ? bl_parse_single_body(parser, expr) : NULL;
		} else {
			body = parse_operand(parser, before);
		}
		if (!bl_rego_list_add(parser, &bodies, body)) {
			bl_parser_leave(parser);
			return NULL;
		}
		before = word;
	} while (accept_operator(parser, word));
	bl_parser_leave(parser);
	if (bodies.count == 1) {
		struct bl_rego_body *only = bodies.items[0];

		if (only->count == 1 && !only->braced)
			return only->exprs[0];
	}
	for (size_t i = 0; i < bodies.count; i++)
		check_void(parser, bodies.items[i], word);
	expr = bl_parse_new_expr(parser, BL_EXPR_LOGICAL, NULL);
	if (!expr)
		return NULL;
	expr->is_or = keyword == BL_KEYWORD_OR;
	expr->range = bl_parser_range(parser, first);
	bl_parse_set_bodies(expr, &bodies);
	return expr;
}

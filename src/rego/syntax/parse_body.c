/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and queries (spec/rego.md 1.2: literal, query). */
#include "rego/syntax/operators.h"
#include "rego/syntax/parser.h"

static struct bl_rego_expr *new_expr(struct bl_rego_parser *parser,
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

static void set_bodies(struct bl_rego_expr *expr,
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
	return new_expr(parser, BL_EXPR_TERM, &terms);
}

/* ---- "with" -----------------------------------------------------------------
 */

static bool parse_withs(struct bl_rego_parser *parser,
			struct bl_rego_expr *expr)
{
	struct bl_rego_list pairs = { 0 };

	while (bl_parser_accept_keyword(parser, "with")) {
		struct bl_rego_with *with =
			bl_arena_new(parser->arena, struct bl_rego_with);

		if (!with) {
			bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
			return false;
		}
		if (!bl_parser_is(parser, BL_TOKEN_NAME)) {
			bl_parser_unexpected(parser, "ident");
			return false;
		}
		with->target = bl_parse_term(parser);
		if (with->target && with->target->kind != BL_TERM_REF &&
		    with->target->kind != BL_TERM_VAR) {
			bl_parser_fail(parser, "expected with target path");
			return false;
		}
		if (!with->target)
			return false;
		if (!bl_parser_accept_keyword(parser, "as")) {
			bl_parser_unexpected(parser, "as keyword");
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

/* Behind "some": declared names, or [key,] value "in" domain. */
static struct bl_rego_expr *parse_some(struct bl_rego_parser *parser)
{
	struct bl_rego_list terms = { 0 };
	struct bl_rego_term *term;

	do {
		if (!bl_rego_list_add(parser, &terms, bl_parse_term(parser)))
			return NULL;
	} while (bl_parser_accept(parser, BL_TOKEN_COMMA));
	if (bl_parser_accept_keyword(parser, "in")) {
		if (terms.count > 2)
			return bl_parser_fail(parser, "illegal variable "
						      "declaration");
		if (!bl_rego_list_add(parser, &terms,
				      bl_parse_expr_term(parser, true)))
			return NULL;
		return new_expr(parser, BL_EXPR_SOME_IN, &terms);
	}
	for (size_t i = 0; i < terms.count; i++) {
		term = terms.items[i];
		if (term->kind != BL_TERM_VAR)
			return bl_parser_unexpected(parser, "in keyword");
	}
	return new_expr(parser, BL_EXPR_SOME, &terms);
}

static struct bl_rego_expr *parse_every(struct bl_rego_parser *parser)
{
	struct bl_rego_list terms = { 0 };
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_expr *expr;

	do {
		struct bl_rego_term *term = bl_parse_term(parser);

		if (!bl_rego_list_add(parser, &terms, term))
			return NULL;
		if (term->kind != BL_TERM_VAR || terms.count > 2)
			return bl_parser_fail(parser,
					      "expected a variable for every");
	} while (bl_parser_accept(parser, BL_TOKEN_COMMA));
	if (!bl_parser_accept_keyword(parser, "in"))
		return bl_parser_unexpected(parser, "in keyword");
	if (!bl_rego_list_add(parser, &terms,
			      bl_parse_expr_term(parser, true)) ||
	    !bl_rego_list_add(parser, &bodies, bl_parse_braced_query(parser)))
		return NULL;
	expr = new_expr(parser, BL_EXPR_EVERY, &terms);
	if (expr)
		set_bodies(expr, &bodies);
	return expr;
}

/* ---- plain expressions, "and", "or"
 * ------------------------------------------ */

static struct bl_rego_expr *parse_plain(struct bl_rego_parser *parser)
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

/* Behind "not" when "not {...}" is allowed: the block, or NULL as no block. */
static struct bl_rego_expr *try_not_body(struct bl_rego_parser *parser)
{
	size_t before = parser->at;
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_body *body;
	struct bl_rego_expr *expr;

	if (!bl_parser_is(parser, BL_TOKEN_LBRACE))
		return NULL;
	body = bl_parse_braced_query(parser);
	if (!body) {
		parser->at = before;
		return NULL;
	}
	expr = new_expr(parser, BL_EXPR_NOT_BODY, NULL);
	if (!expr || !bl_rego_list_add(parser, &bodies, body))
		return NULL;
	set_bodies(expr, &bodies);
	return expr;
}

/* What the value is that the "{" in front of a term opens. */
static const char *braced_value(const struct bl_rego_term *term)
{
	static const char *const names[] = {
		[BL_TERM_REF] = "ref",
		[BL_TERM_SET] = "set",
		[BL_TERM_OBJECT] = "object",
		[BL_TERM_SET_COMPREHENSION] = "setcomprehension",
		[BL_TERM_OBJECT_COMPREHENSION] = "objectcomprehension",
	};

	while (term->kind == BL_TERM_CALL && term->count > 1)
		term = term->as.items[1]; /* the left side of an operator */
	return (size_t)term->kind < BL_COUNT(names) && names[term->kind]
		       ? names[term->kind]
		       : "value";
}

/* Where braces hold a block, a value in braces would read as one: refused. */
static struct bl_rego_expr *refuse_braced(struct bl_rego_parser *parser,
					  const struct bl_rego_expr *expr,
					  size_t first, const char *word)
{
	struct bl_rego_range range = bl_parser_range(parser, first);
	struct bl_str text = bl_str_slice(parser->text, range.from, range.to);

	if (word)
		return bl_parser_refuse(
			parser, first,
			"operand of `%s` cannot begin with `{` unless the "
			"braces hold a body (hint: wrap the operand to keep "
			"the value: `(%.*s) %s ...`)",
			word, BL_STR_ARG(text), word);
	return bl_parser_refuse(
		parser, first,
		"`{...}` in an operand position must contain expression(s), "
		"got: %s (hint: write `not (%.*s)` to negate the value, or "
		"`not {%.*s}` for a body holding it)",
		braced_value(expr->terms[0]), BL_STR_ARG(text),
		BL_STR_ARG(text));
}

/*
 * Behind "not" when "not {...}" is allowed: a block, or what does not begin with
 * a brace.
 */
static struct bl_rego_expr *parse_block_negated(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	bool braced = bl_parser_is(parser, BL_TOKEN_LBRACE);
	struct bl_rego_expr *expr = try_not_body(parser);

	if (expr)
		return expr;
	expr = parse_plain(parser);
	if (expr && braced)
		return refuse_braced(parser, expr, first, NULL);
	if (expr)
		expr->negated = true;
	return expr;
}

static struct bl_rego_expr *parse_logical(struct bl_rego_parser *parser,
					  unsigned keyword, const char *before);

/* The keyword that follows; NULL: neither does. */
static const char *logical_word(const struct bl_rego_parser *parser)
{
	if (bl_parser_is_keyword(parser, "and"))
		return "and";
	return bl_parser_is_keyword(parser, "or") ? "or" : NULL;
}

/* "(" logical { with } ")" when it is a group and not a term. */
static struct bl_rego_expr *try_group(struct bl_rego_parser *parser)
{
	size_t before = parser->at;
	struct bl_rego_expr *expr;

	parser->at++;
	expr = parse_logical(parser, BL_KEYWORD_OR, NULL);
	if (expr && parse_withs(parser, expr) &&
	    bl_parser_accept(parser, BL_TOKEN_RPAREN) &&
	    (expr->kind == BL_EXPR_LOGICAL || expr->negated ||
	     expr->with_count || logical_word(parser))) {
		expr->grouped = true;
		return expr;
	}
	parser->at = before;
	return NULL;
}

/* A group of one expression, so that it can be negated as a whole. */
static struct bl_rego_expr *wrap_group(struct bl_rego_parser *parser,
				       struct bl_rego_expr *inner)
{
	struct bl_rego_list bodies = { 0 };
	struct bl_rego_expr *expr = new_expr(parser, BL_EXPR_LOGICAL, NULL);

	if (!expr || !bl_rego_list_add(parser, &bodies,
				       bl_parse_single_body(parser, inner)))
		return NULL;
	set_bodies(expr, &bodies);
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
		return parse_block_negated(parser);
	if (blocks && bl_parser_is(parser, BL_TOKEN_LPAREN))
		expr = try_group(parser);
	if (!expr)
		expr = parse_plain(parser);
	if (expr && (expr->negated || expr->with_count))
		expr = wrap_group(parser, expr);
	if (expr)
		expr->negated = true;
	return expr;
}

/*
 * An operand of "and" and "or", as a body; word is the keyword in front of it,
 * NULL for the first.  The first one of a statement that begins with a brace is a
 * query only when a keyword follows.
 */
static struct bl_rego_body *parse_operand(struct bl_rego_parser *parser,
					  const char *word)
{
	size_t first = parser->at;
	bool braced = bl_parser_is(parser, BL_TOKEN_LBRACE);
	struct bl_rego_expr *expr = NULL;
	struct bl_rego_body *body;

	if (braced) {
		body = bl_parse_braced_query(parser);
		if (body && (word || logical_word(parser)))
			return body;
		parser->at = first;
	}
	if (bl_parser_accept_keyword(parser, "not"))
		expr = parse_negated_operand(parser);
	else if (bl_parser_is(parser, BL_TOKEN_LPAREN))
		expr = try_group(parser);
	if (!expr && parser->at == first)
		expr = parse_plain(parser);
	if (!expr)
		return NULL;
	if (braced && (word || logical_word(parser))) {
		refuse_braced(parser, expr, first,
			      word ? word : logical_word(parser));
		return NULL;
	}
	expr->range = bl_parser_range(parser, first);
	return bl_parse_single_body(parser, expr);
}

/* The chain of one keyword: "or" over "and" over operands. */
static struct bl_rego_expr *parse_logical(struct bl_rego_parser *parser,
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
			expr = parse_logical(parser, BL_KEYWORD_AND, before);
			body = expr ? bl_parse_single_body(parser, expr) : NULL;
		} else {
			body = parse_operand(parser, before);
		}
		if (!bl_rego_list_add(parser, &bodies, body)) {
			bl_parser_leave(parser);
			return NULL;
		}
		before = word;
	} while (bl_parser_accept_keyword(parser, word));
	bl_parser_leave(parser);
	if (bodies.count == 1) {
		struct bl_rego_body *only = bodies.items[0];

		if (only->count == 1 && !only->braced)
			return only->exprs[0];
	}
	expr = new_expr(parser, BL_EXPR_LOGICAL, NULL);
	if (!expr)
		return NULL;
	expr->is_or = keyword == BL_KEYWORD_OR;
	expr->range = bl_parser_range(parser, first);
	set_bodies(expr, &bodies);
	return expr;
}

/* ---- statements
 * -------------------------------------------------------------- */

static struct bl_rego_expr *parse_negated(struct bl_rego_parser *parser)
{
	struct bl_rego_expr *expr;

	if (bl_parser_is_keyword(parser, "some") ||
	    bl_parser_is_keyword(parser, "every"))
		return bl_parser_fail(parser, "illegal negation of '%s'",
				      bl_parser_is_keyword(parser, "some")
					      ? "some"
					      : "every");
	if (parser->keywords & BL_KEYWORD_NOT_BODY)
		return parse_block_negated(parser);
	expr = parse_plain(parser);
	if (expr)
		expr->negated = true;
	return expr;
}

static struct bl_rego_expr *parse_statement(struct bl_rego_parser *parser)
{
	if (bl_parser_accept_keyword(parser, "some"))
		return parse_some(parser);
	if (bl_parser_accept_keyword(parser, "every"))
		return parse_every(parser);
	if (parser->keywords & (BL_KEYWORD_AND | BL_KEYWORD_OR))
		return parse_logical(parser, BL_KEYWORD_OR, NULL);
	if (bl_parser_accept_keyword(parser, "not"))
		return parse_negated(parser);
	return parse_plain(parser);
}

struct bl_rego_expr *bl_parse_literal(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_expr *expr;

	if (!bl_parser_enter(parser))
		return NULL;
	expr = parse_statement(parser);
	if (expr && !parse_withs(parser, expr))
		expr = NULL;
	if (expr)
		expr->range = bl_parser_range(parser, first);
	bl_parser_leave(parser);
	return expr;
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
		bool semicolon;

		if (!bl_rego_list_add(parser, &exprs, bl_parse_literal(parser)))
			return NULL;
		semicolon = bl_parser_accept(parser, BL_TOKEN_SEMICOLON);
		if (bl_parser_is(parser, closing))
			break;
		if (!semicolon && !bl_parser_token(parser)->newline_before)
			return bl_parser_unexpected(
				parser, bl_rego_token_name(closing));
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

	if (!bl_parser_expect(parser, BL_TOKEN_LBRACE))
		return NULL;
	body = bl_parse_query(parser, BL_TOKEN_RBRACE);
	if (!body || !bl_parser_expect(parser, BL_TOKEN_RBRACE))
		return NULL;
	body->braced = true;
	body->range = bl_parser_range(parser, first);
	return body;
}

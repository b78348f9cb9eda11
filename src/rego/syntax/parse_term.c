/* SPDX-License-Identifier: Apache-2.0 */
/* Terms: scalars, names, collections, comprehensions, references, calls. */
#include "rego/syntax/parser.h"

struct bl_rego_term *bl_parse_new_term(struct bl_rego_parser *parser,
				       enum bl_rego_term_kind kind)
{
	struct bl_rego_term *term =
		bl_arena_new(parser->arena, struct bl_rego_term);

	if (!term)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	term->kind = (uint8_t)kind;
	return term;
}

struct bl_rego_term *bl_parse_list_term(struct bl_rego_parser *parser,
					enum bl_rego_term_kind kind,
					const struct bl_rego_list *list)
{
	struct bl_rego_term *term = bl_parse_new_term(parser, kind);

	if (!term)
		return NULL;
	term->as.items = (struct bl_rego_term **)list->items;
	term->count = (uint32_t)list->count;
	return term;
}

static struct bl_rego_term *scalar(struct bl_rego_parser *parser,
				   struct bl_value value)
{
	struct bl_rego_term *term = bl_parse_new_term(parser, BL_TERM_SCALAR);

	if (term)
		term->as.value = value;
	return term;
}

struct bl_rego_term *bl_parse_string_term(struct bl_rego_parser *parser,
					  struct bl_str text)
{
	return scalar(parser, bl_value_string(text));
}

/* A number token, whose spelling begins at from (a "-" before it counts). */
enum {
	LEAD_DIGITS = 19, /* as many as fit in 64 bits */
};

/* A number's first digits, d.ddd, and the power of ten that they are of. */
static void measure(struct bl_str spelling, uint64_t *out_lead,
		    int64_t *out_power)
{
	int64_t before = 0; /* the point, from the first digit that counts */
	int64_t exponent = 0;
	bool behind = false;
	unsigned int digits = 0;
	size_t i;

	*out_lead = 0;
	for (i = 0; i < spelling.len && (spelling.ptr[i] | 0x20) != 'e'; i++) {
		char c = spelling.ptr[i];

		behind |= c == '.';
		if (c < '0' || c > '9')
			continue;
		if (!*out_lead && c == '0') {
			before -= behind;
			continue;
		}
		before += !behind;
		if (digits++ < LEAD_DIGITS)
			*out_lead = *out_lead * 10 + (uint64_t)(c - '0');
	}
	for (; *out_lead && digits < LEAD_DIGITS; digits++)
		*out_lead *= 10;
	for (size_t from = i + 1; from < spelling.len; from++)
		if (spelling.ptr[from] >= '0' && spelling.ptr[from] <= '9' &&
		    exponent < INT32_MAX)
			exponent = exponent * 10 + (spelling.ptr[from] - '0');
	if (i + 1 < spelling.len && spelling.ptr[i + 1] == '-')
		exponent = -exponent;
	*out_power = before - 1 + exponent;
}

/*
 * From 2^-100001 on and below 2^100000, or 0: what OPA takes as a literal.  The
 * time that calculating takes grows with the power.
 */
static bool is_in_range(struct bl_str spelling)
{
	static const struct {
		int64_t power;
		uint64_t lead;
	} least = { -30104, 5004994518993470834u },
	  most = { 30102, 9990020930143845079u };
	uint64_t lead;
	int64_t power;

	measure(spelling, &lead, &power);
	return !lead || ((power > least.power ||
			  (power == least.power && lead >= least.lead)) &&
			 (power < most.power ||
			  (power == most.power && lead <= most.lead)));
}

static struct bl_rego_term *parse_number(struct bl_rego_parser *parser,
					 bool negative)
{
	struct bl_str spelling =
		bl_parser_text(parser, bl_parser_token(parser));
	struct bl_value value;
	enum bl_status status;

	if (negative || spelling.ptr[0] == '.') {
		spelling = bl_arena_printf(parser->arena, "%s%s%.*s",
					   negative ? "-" : "",
					   spelling.ptr[0] == '.' ? "0" : "",
					   BL_STR_ARG(spelling));
		if (!spelling.ptr)
			return bl_parser_stop(parser, BL_NO_MEMORY,
					      "out of memory");
	}
	status = bl_number_from_text(spelling, &value);
	if (status == BL_LIMIT || (!status && !is_in_range(spelling)))
		return bl_parser_fail(parser, "number too big");
	if (status)
		return bl_parser_fail(parser, "illegal number format");
	parser->at++;
	return scalar(parser, value);
}

static struct bl_rego_term *parse_string(struct bl_rego_parser *parser)
{
	const struct bl_rego_token *token = bl_parser_token(parser);
	bool raw = token->kind == BL_TOKEN_RAW_STRING;
	struct bl_str text = bl_parser_text(parser, token);
	struct bl_rego_term *term;
	size_t offset;

	text = bl_str_slice(text, 1, text.len - 1);
	if (!raw && bl_rego_unescape(parser->arena, text, BL_REGO_PLAIN, &text,
				     &offset, &parser->fail_error))
		return bl_parser_fail(parser, "illegal string escape sequence");
	parser->at++;
	term = bl_parse_string_term(parser, text);
	if (term)
		term->raw = raw;
	return term;
}

static struct bl_rego_term *var(struct bl_rego_parser *parser,
				struct bl_str name)
{
	struct bl_rego_term *term = bl_parse_new_term(parser, BL_TERM_VAR);

	if (term)
		term->as.name = name;
	return term;
}

static struct bl_rego_term *parse_name(struct bl_rego_parser *parser)
{
	static const struct {
		const char *word;
		enum bl_kind kind;
		bool boolean;
	} literals[] = {
		{ "true", BL_KIND_BOOLEAN, true },
		{ "false", BL_KIND_BOOLEAN, false },
		{ "null", BL_KIND_NULL, false },
	};
	struct bl_str name = bl_parser_text(parser, bl_parser_token(parser));

	for (size_t i = 0; i < BL_COUNT(literals); i++) {
		if (bl_parser_accept_keyword(parser, literals[i].word))
			return scalar(parser,
				      literals[i].kind == BL_KIND_NULL
					      ? bl_value_null()
					      : bl_value_boolean(
							literals[i].boolean));
	}
	/* "contains" is a plain name everywhere but in rule heads. */
	if (bl_rego_is_keyword(parser, name) && !bl_str_is(name, "contains") &&
	    bl_parser_is_keyword(parser,
				 bl_arena_copy_str(parser->arena, name).ptr))
		return bl_parser_unexpected(parser, NULL);
	parser->at++;
	return var(parser, name);
}

/* ---- collections ------------------------------------------------------------
 */

/* "| query" closing, behind the head(s) of a comprehension. */
static struct bl_rego_term *
parse_comprehension(struct bl_rego_parser *parser, enum bl_rego_term_kind kind,
		    const struct bl_rego_list *heads,
		    enum bl_rego_token_kind closing)
{
	struct bl_rego_term *term = bl_parse_list_term(parser, kind, heads);

	parser->at++; /* "|" */
	if (!term)
		return NULL;
	term->body = bl_parse_query(parser, closing);
	if (!term->body || !bl_parser_expect(parser, closing))
		return NULL;
	return term;
}

/*
 * When a plain term and "|" follow, the head of a comprehension: added to list
 * and true.  Else nothing is taken.
 */
static bool accept_comprehension_head(struct bl_rego_parser *parser,
				      struct bl_rego_list *list)
{
	size_t before = parser->at;
	struct bl_rego_term *term = bl_parse_term(parser);

	if (term && bl_parser_is(parser, BL_TOKEN_OR))
		return bl_rego_list_add(parser, list, term);
	parser->at = before;
	return false;
}

/* Items up to closing (not taken), separated by commas; one may trail. */
static bool parse_items(struct bl_rego_parser *parser,
			struct bl_rego_list *list,
			enum bl_rego_token_kind closing)
{
	while (!bl_parser_is(parser, closing)) {
		if (!bl_rego_list_add(parser, list,
				      bl_parse_expr_term(parser, false)))
			return false;
		if (!bl_parser_accept(parser, BL_TOKEN_COMMA))
			break;
	}
	return true;
}

static struct bl_rego_term *parse_array(struct bl_rego_parser *parser)
{
	struct bl_rego_list items = { 0 };

	parser->at++;
	if (!bl_parser_accept(parser, BL_TOKEN_COMMA) &&
	    !bl_parser_is(parser, BL_TOKEN_RBRACKET) &&
	    accept_comprehension_head(parser, &items))
		return parse_comprehension(parser, BL_TERM_ARRAY_COMPREHENSION,
					   &items, BL_TOKEN_RBRACKET);
	if (!parse_items(parser, &items, BL_TOKEN_RBRACKET) ||
	    !bl_parser_expect(parser, BL_TOKEN_RBRACKET))
		return NULL;
	return bl_parse_list_term(parser, BL_TERM_ARRAY, &items);
}

/* The rest of an object behind its first key and ":". */
static struct bl_rego_term *parse_object(struct bl_rego_parser *parser,
					 struct bl_rego_list *items,
					 bool maybe_comprehension)
{
	if (maybe_comprehension && accept_comprehension_head(parser, items))
		return parse_comprehension(parser, BL_TERM_OBJECT_COMPREHENSION,
					   items, BL_TOKEN_RBRACE);
	for (;;) {
		if (!bl_rego_list_add(parser, items,
				      bl_parse_expr_term(parser, false)))
			return NULL;
		if (!bl_parser_accept(parser, BL_TOKEN_COMMA) ||
		    bl_parser_is(parser, BL_TOKEN_RBRACE))
			break;
		if (!bl_rego_list_add(parser, items,
				      bl_parse_expr_term(parser, false)) ||
		    !bl_parser_expect(parser, BL_TOKEN_COLON))
			return NULL;
	}
	if (!bl_parser_expect(parser, BL_TOKEN_RBRACE))
		return NULL;
	return bl_parse_list_term(parser, BL_TERM_OBJECT, items);
}

static struct bl_rego_term *parse_braces(struct bl_rego_parser *parser)
{
	struct bl_rego_list items = { 0 };
	bool maybe_comprehension;

	parser->at++;
	if (bl_parser_accept(parser, BL_TOKEN_RBRACE))
		return bl_parse_list_term(parser, BL_TERM_OBJECT, &items);
	maybe_comprehension = !bl_parser_accept(parser, BL_TOKEN_COMMA);
	if (bl_parser_accept(parser, BL_TOKEN_RBRACE))
		return bl_parse_list_term(parser, BL_TERM_OBJECT, &items);
	if (maybe_comprehension && accept_comprehension_head(parser, &items))
		return parse_comprehension(parser, BL_TERM_SET_COMPREHENSION,
					   &items, BL_TOKEN_RBRACE);
	if (!bl_rego_list_add(parser, &items,
			      bl_parse_expr_term(parser, false)))
		return NULL;
	if (bl_parser_accept(parser, BL_TOKEN_COLON))
		return parse_object(parser, &items, maybe_comprehension);
	if (bl_parser_accept(parser, BL_TOKEN_COMMA) &&
	    !parse_items(parser, &items, BL_TOKEN_RBRACE))
		return NULL;
	if (!bl_parser_expect(parser, BL_TOKEN_RBRACE))
		return NULL;
	return bl_parse_list_term(parser, BL_TERM_SET, &items);
}

static struct bl_rego_term *parse_group(struct bl_rego_parser *parser)
{
	struct bl_rego_term *term;

	parser->at++;
	term = bl_parse_expr_term(parser, true);
	if (!term || !bl_parser_expect(parser, BL_TOKEN_RPAREN))
		return NULL;
	term->grouped = true;
	return term;
}

/* "-" before a number, or before a name: 0 - name. */
static struct bl_rego_term *parse_negative(struct bl_rego_parser *parser)
{
	struct bl_rego_list items = { 0 };
	struct bl_rego_term *term;

	parser->at++;
	if (bl_parser_is(parser, BL_TOKEN_NUMBER))
		return parse_number(parser, true);
	if (!bl_parser_is(parser, BL_TOKEN_NAME))
		return bl_parser_unexpected(parser, "number");
	if (!bl_rego_list_add(parser, &items, var(parser, BL_STR("minus"))) ||
	    !bl_rego_list_add(parser, &items,
			      scalar(parser, bl_value_integer(0))) ||
	    !bl_rego_list_add(parser, &items, bl_parse_term(parser)))
		return NULL;
	term = bl_parse_list_term(parser, BL_TERM_CALL, &items);
	if (term)
		term->infix = true;
	return term;
}

static struct bl_rego_term *parse_primary(struct bl_rego_parser *parser)
{
	switch (bl_parser_token(parser)->kind) {
	case BL_TOKEN_NAME:
		return parse_name(parser);
	case BL_TOKEN_NUMBER:
		return parse_number(parser, false);
	case BL_TOKEN_MINUS:
		return parse_negative(parser);
	case BL_TOKEN_STRING:
	case BL_TOKEN_RAW_STRING:
		return parse_string(parser);
	case BL_TOKEN_TEMPLATE:
	case BL_TOKEN_RAW_TEMPLATE:
		return bl_parse_template(parser);
	case BL_TOKEN_LBRACKET:
		return parse_array(parser);
	case BL_TOKEN_LBRACE:
		return parse_braces(parser);
	case BL_TOKEN_LPAREN:
		return parse_group(parser);
	default:
		return bl_parser_unexpected(parser, NULL);
	}
}

/* ---- suffixes: .name [expr] (arguments), without white space before
 * ---------- */

static bool has_suffix(const struct bl_rego_parser *parser,
		       enum bl_rego_token_kind kind)
{
	return bl_parser_is(parser, kind) &&
	       !bl_parser_token(parser)->space_before;
}

/* One ".name" or "[expr]" added to the parts of a reference. */
static bool parse_ref_part(struct bl_rego_parser *parser,
			   struct bl_rego_list *parts)
{
	struct bl_rego_term *part;

	if (bl_parser_accept(parser, BL_TOKEN_DOT)) {
		const struct bl_rego_token *token = bl_parser_token(parser);

		if (token->kind != BL_TOKEN_NAME || token->space_before) {
			bl_parser_unexpected(parser, "ident");
			return false;
		}
		parser->at++;
		part = bl_parse_string_term(parser,
					    bl_parser_text(parser, token));
		if (part)
			part->range = bl_parser_range(parser, parser->at - 1);
		return bl_rego_list_add(parser, parts, part);
	}
	parser->at++;
	part = bl_parse_expr_term(parser, true);
	return bl_rego_list_add(parser, parts, part) &&
	       bl_parser_expect(parser, BL_TOKEN_RBRACKET);
}

static struct bl_rego_term *parse_ref(struct bl_rego_parser *parser,
				      struct bl_rego_term *head)
{
	struct bl_rego_list parts = { 0 };

	if (head->kind == BL_TERM_SCALAR || head->kind == BL_TERM_TEMPLATE)
		return bl_parser_fail(
			parser, "illegal ref (head cannot be %s)",
			head->kind == BL_TERM_TEMPLATE
				? "template string"
				: bl_kind_name(bl_value_kind(head->as.value)));
	if (!bl_rego_list_add(parser, &parts, head))
		return NULL;
	while (has_suffix(parser, BL_TOKEN_DOT) ||
	       has_suffix(parser, BL_TOKEN_LBRACKET))
		if (!parse_ref_part(parser, &parts))
			return NULL;
	return bl_parse_list_term(parser, BL_TERM_REF, &parts);
}

static struct bl_rego_term *parse_call(struct bl_rego_parser *parser,
				       struct bl_rego_term *operator)
{
	struct bl_rego_list items = { 0 };

	if (operator->kind != BL_TERM_VAR && operator->kind != BL_TERM_REF)
		return bl_parser_unexpected(parser, NULL);
	parser->at++;
	if (!bl_rego_list_add(parser, &items, operator) ||
	    !parse_items(parser, &items, BL_TOKEN_RPAREN) ||
	    !bl_parser_expect(parser, BL_TOKEN_RPAREN))
		return NULL;
	if (items.count == 1 && operator->kind == BL_TERM_VAR &&
				bl_str_is(operator->as.name, "set")) {
		items.count = 0;
		return bl_parse_list_term(parser, BL_TERM_SET, &items);
	}
	return bl_parse_list_term(parser, BL_TERM_CALL, &items);
}

static struct bl_rego_term *parse_suffixed(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	bool negative = bl_parser_is(parser, BL_TOKEN_MINUS);
	struct bl_rego_term *term = parse_primary(parser);

	if (term)
		term->range = bl_parser_range(parser, first);
	while (term && !negative) {
		if (has_suffix(parser, BL_TOKEN_DOT) ||
		    has_suffix(parser, BL_TOKEN_LBRACKET))
			term = parse_ref(parser, term);
		else if (has_suffix(parser, BL_TOKEN_LPAREN))
			term = parse_call(parser, term);
		else
			break;
		if (term)
			term->range = bl_parser_range(parser, first);
	}
	return term;
}

struct bl_rego_term *bl_parse_term(struct bl_rego_parser *parser)
{
	struct bl_rego_memo *memo = &parser->memo[parser->at];
	struct bl_rego_term *term;

	if (memo->end) {
		if (memo->term)
			parser->at = memo->end;
		return memo->term;
	}
	if (!bl_parser_enter(parser))
		return NULL;
	term = parse_suffixed(parser);
	bl_parser_leave(parser);
	memo->term = term;
	memo->end = term ? parser->at : SIZE_MAX;
	return term;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Terms: scalars, names, collections, comprehensions, references, calls. */
#include "rego/compiler/parse/parser.h"

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
	bool point = bl_parser_accept(parser, BL_TOKEN_DOT);
	struct bl_str spelling =
		bl_parser_text(parser, bl_parser_token(parser));
	struct bl_value value;
	enum bl_status status;

	if (!bl_parser_is(parser, BL_TOKEN_NUMBER))
		return bl_parser_unexpected(parser, "expected number");
	if (!point && spelling.len > 1 && spelling.ptr[0] == '0' &&
	    spelling.ptr[1] >= '0' && spelling.ptr[1] <= '9')
		return bl_parser_unexpected(parser, "expected number without "
						    "leading zero");
	if (negative || point || spelling.ptr[0] == '.') {
		spelling = bl_arena_printf(parser->arena, "%s%s%.*s",
					   negative ? "-" : "",
					   point                    ? "0."
					   : spelling.ptr[0] == '.' ? "0"
								    : "",
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
	struct bl_str inside = bl_str_slice(text, 1, text.len - 1);
	size_t offset;

	if (!raw && bl_rego_unescape(parser->arena, inside, BL_REGO_PLAIN,
				     &inside, &offset, NULL))
		return bl_parser_fail(parser, "illegal string literal: %.*s",
				      BL_STR_ARG(text));
	parser->at++;
	term = bl_parse_string_term(parser, inside);
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

/* "and(" or "or(", where a term is meant to begin. */
static bool begins_logical_call(const struct bl_rego_parser *parser)
{
	const struct bl_rego_token *next = &parser->tokens[parser->at + 1];

	return next->kind == BL_TOKEN_LPAREN && !next->space_before &&
	       (bl_parser_is_word(parser, "and") ||
		bl_parser_is_word(parser, "or"));
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

	if (parser->at == parser->plain) {
		parser->at++;
		return var(parser, name);
	}
	for (size_t i = 0; i < BL_COUNT(literals); i++) {
		if (bl_parser_accept_word(parser, literals[i].word))
			return scalar(parser,
				      literals[i].kind == BL_KIND_NULL
					      ? bl_value_null()
					      : bl_value_boolean(
							literals[i].boolean));
	}
	/* "contains" is a plain name everywhere but in rule heads, "and" and
	 * "or" in front of "(" are the functions. */
	if (bl_rego_is_keyword(parser, name) && !bl_str_is(name, "contains") &&
	    !begins_logical_call(parser))
		return bl_parser_unexpected(parser, NULL);
	parser->at++;
	return var(parser, name);
}

/* ---- collections ------------------------------------------------------------
 */

/*
 * Behind the head(s) of a comprehension: "|", the query and closing.  NULL with
 * *out_other when it may be a list that has an "|" in its first item.
 */
static struct bl_rego_term *
parse_comprehension(struct bl_rego_parser *parser, enum bl_rego_term_kind kind,
		    const struct bl_rego_list *heads, bool *out_other)
{
	enum bl_rego_token_kind closing = kind == BL_TERM_ARRAY_COMPREHENSION
						  ? BL_TOKEN_RBRACKET
						  : BL_TOKEN_RBRACE;
	struct bl_rego_term *term = bl_parse_list_term(parser, kind, heads);

	parser->at++; /* "|" */
	if (!term)
		return NULL;
	term->body = bl_parse_query(parser, closing);
	*out_other = !term->body && bl_parser_is(parser, BL_TOKEN_COMMA);
	if (!term->body)
		return NULL;
	parser->at++;
	return term;
}

/* Items up to closing (taken), separated by commas; one may trail. */
static bool parse_items(struct bl_rego_parser *parser,
			struct bl_rego_list *list,
			enum bl_rego_token_kind closing)
{
	while (!bl_parser_accept(parser, closing)) {
		if (!bl_rego_list_add(parser, list,
				      bl_parse_expr_term(parser, false)))
			return false;
		if (bl_parser_accept(parser, closing))
			break;
		if (!bl_parser_accept(parser, BL_TOKEN_COMMA))
			return bl_parser_unexpected(
				       parser,
				       closing == BL_TOKEN_RBRACKET
					       ? "expected \",\" or \"]\""
				       : closing == BL_TOKEN_RPAREN
					       ? "expected \",\" or \")\""
					       : "expected \",\" or \"}\""),
			       false;
	}
	return true;
}

static struct bl_rego_term *parse_array(struct bl_rego_parser *parser)
{
	struct bl_rego_list items = { 0 };
	struct bl_parser_mark mark;
	struct bl_rego_term *term;
	bool other = true;
	bool comma;

	parser->at++;
	if (bl_parser_accept(parser, BL_TOKEN_RBRACKET))
		return bl_parse_list_term(parser, BL_TERM_ARRAY, &items);
	comma = bl_parser_accept(parser, BL_TOKEN_COMMA);
	mark = bl_parser_mark(parser);
	if (!bl_rego_list_add(parser, &items, bl_parse_term(parser)))
		return NULL;
	if (!comma && bl_parser_is(parser, BL_TOKEN_OR)) {
		term = parse_comprehension(parser, BL_TERM_ARRAY_COMPREHENSION,
					   &items, &other);
		if (term || !other)
			return term;
	}
	bl_parser_go(parser, mark);
	items.count = 0;
	if (!parse_items(parser, &items, BL_TOKEN_RBRACKET))
		return NULL;
	return bl_parse_list_term(parser, BL_TERM_ARRAY, &items);
}

/* The rest of an object behind its first value: further pairs and "}". */
static struct bl_rego_term *end_object(struct bl_rego_parser *parser,
				       struct bl_rego_list *items)
{
	while (!bl_parser_accept(parser, BL_TOKEN_RBRACE)) {
		if (!bl_parser_accept(parser, BL_TOKEN_COMMA))
			return bl_parser_unexpected(
				parser, items->count == 2
						? "non-terminated object"
						: "expected \",\" or \"}\"");
		if (bl_parser_accept(parser, BL_TOKEN_RBRACE))
			break;
		if (!bl_rego_list_add(parser, items,
				      bl_parse_expr_term(parser, false)))
			return NULL;
		if (!bl_parser_accept(parser, BL_TOKEN_COLON))
			return bl_parser_unexpected(parser, "expected \":\"");
		if (!bl_rego_list_add(parser, items,
				      bl_parse_expr_term(parser, false)))
			return NULL;
	}
	return bl_parse_list_term(parser, BL_TERM_OBJECT, items);
}

/* The rest of an object behind its first key, at the ":". */
static struct bl_rego_term *parse_object(struct bl_rego_parser *parser,
					 struct bl_rego_list *items, bool comma)
{
	struct bl_parser_mark mark;
	struct bl_rego_term *value;
	bool other;

	parser->at++;
	mark = bl_parser_mark(parser);
	value = bl_parse_term(parser);
	if (!value)
		return NULL;
	if (!comma && bl_parser_is(parser, BL_TOKEN_OR)) {
		struct bl_rego_list heads = { 0 };
		struct bl_rego_term *term;

		if (!bl_rego_list_add(parser, &heads, items->items[0]) ||
		    !bl_rego_list_add(parser, &heads, value))
			return NULL;
		term = parse_comprehension(parser, BL_TERM_OBJECT_COMPREHENSION,
					   &heads, &other);
		if (term)
			return term;
	}
	bl_parser_go(parser, mark);
	if (!bl_rego_list_add(parser, items, bl_parse_expr_term(parser, false)))
		return NULL;
	return end_object(parser, items);
}

static struct bl_rego_term *parse_braces(struct bl_rego_parser *parser)
{
	struct bl_rego_list items = { 0 };
	struct bl_parser_mark mark;
	struct bl_rego_term *term;
	bool other = true;
	bool comma;

	parser->at++;
	if (bl_parser_accept(parser, BL_TOKEN_RBRACE))
		return bl_parse_list_term(parser, BL_TERM_OBJECT, &items);
	comma = bl_parser_accept(parser, BL_TOKEN_COMMA);
	mark = bl_parser_mark(parser);
	if (!bl_rego_list_add(parser, &items, bl_parse_term(parser)))
		return NULL;
	if (bl_parser_is(parser, BL_TOKEN_COLON))
		return parse_object(parser, &items, comma);
	if (!comma && bl_parser_is(parser, BL_TOKEN_OR)) {
		term = parse_comprehension(parser, BL_TERM_SET_COMPREHENSION,
					   &items, &other);
		if (term || !other)
			return term;
	}
	bl_parser_go(parser, mark);
	items.count = 0;
	if (!bl_rego_list_add(parser, &items,
			      bl_parse_expr_term(parser, false)))
		return NULL;
	if (bl_parser_is(parser, BL_TOKEN_COLON))
		return parse_object(parser, &items, comma);
	if (!bl_parser_is(parser, BL_TOKEN_RBRACE) &&
	    !bl_parser_is(parser, BL_TOKEN_COMMA))
		return bl_parser_unexpected(parser, "non-terminated set");
	if (!bl_parser_accept(parser, BL_TOKEN_COMMA))
		parser->at++;
	else if (!parse_items(parser, &items, BL_TOKEN_RBRACE))
		return NULL;
	return bl_parse_list_term(parser, BL_TERM_SET, &items);
}

static struct bl_rego_term *parse_group(struct bl_rego_parser *parser)
{
	struct bl_rego_term *term;

	parser->at++;
	term = bl_parse_expr_term(parser, true);
	if (!term)
		return NULL;
	if (!bl_parser_accept(parser, BL_TOKEN_RPAREN))
		return bl_parser_fail(parser, "non-terminated expression");
	term->grouped = true;
	return term;
}

/* "-" before a number, or before a name: 0 - name. */
static struct bl_rego_term *parse_negative(struct bl_rego_parser *parser)
{
	struct bl_rego_list items = { 0 };
	struct bl_rego_term *term;
	struct bl_str name;

	parser->at++;
	if (bl_parser_is(parser, BL_TOKEN_NUMBER) ||
	    bl_parser_is(parser, BL_TOKEN_DOT))
		return parse_number(parser, true);
	name = bl_parser_text(parser, bl_parser_token(parser));
	if (!bl_parser_is(parser, BL_TOKEN_NAME) ||
	    (bl_rego_is_keyword(parser, name) && !bl_str_is(name, "contains")))
		return bl_parser_unexpected(parser, "expected number");
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
	case BL_TOKEN_DOT:
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

/* At a token that has white space in front of it: that is what is wrong. */
static void *refuse_space(struct bl_rego_parser *parser)
{
	struct bl_rego_token *space =
		bl_arena_new(parser->arena, struct bl_rego_token);

	if (!space)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	space->kind = BL_TOKEN_WHITESPACE;
	space->from = bl_parser_token(parser)[-1].to;
	/* the end of a line is where the next one begins */
	space->from += parser->text.ptr[space->from] == '\n';
	space->to = space->from;
	parser->stuck = space;
	return bl_parser_unexpected(parser, "expected identifier");
}

/* One ".name" or "[expr]". */
static struct bl_rego_term *parse_ref_part(struct bl_rego_parser *parser)
{
	struct bl_rego_term *part;

	if (bl_parser_accept(parser, BL_TOKEN_DOT)) {
		const struct bl_rego_token *token = bl_parser_token(parser);

		if (token->space_before)
			return refuse_space(parser);
		if (token->kind != BL_TOKEN_NAME)
			return bl_parser_unexpected(parser,
						    "expected identifier");
		parser->at++;
		part = bl_parse_string_term(parser,
					    bl_parser_text(parser, token));
		if (part)
			part->range = bl_parser_range(parser, parser->at - 1);
		return part;
	}
	parser->at++;
	part = bl_parse_expr_term(parser, true);
	if (part && !bl_parser_accept(parser, BL_TOKEN_RBRACKET))
		return bl_parser_unexpected(parser, "expected [");
	return part;
}

const char *bl_rego_term_kind_name(const struct bl_rego_term *term)
{
	static const char *const names[] = {
		[BL_TERM_VAR] = "var",
		[BL_TERM_REF] = "ref",
		[BL_TERM_CALL] = "call",
		[BL_TERM_ARRAY] = "array",
		[BL_TERM_SET] = "set",
		[BL_TERM_OBJECT] = "object",
		[BL_TERM_ARRAY_COMPREHENSION] = "arraycomprehension",
		[BL_TERM_SET_COMPREHENSION] = "setcomprehension",
		[BL_TERM_OBJECT_COMPREHENSION] = "objectcomprehension",
		[BL_TERM_TEMPLATE] = "templatestring",
	};

	if (term->kind == BL_TERM_SCALAR)
		return bl_kind_name(bl_value_kind(term->as.value));
	/* "input" and "data" alone are references. */
	if (term->kind == BL_TERM_VAR && (bl_str_is(term->as.name, "input") ||
					  bl_str_is(term->as.name, "data")))
		return "ref";
	return names[term->kind];
}

/* A fault of a head that may not be one; the text after it is read nonetheless. */
static void check_ref_head(struct bl_rego_parser *parser,
			   const struct bl_rego_term *head)
{
	if (head->kind == BL_TERM_SCALAR || head->kind == BL_TERM_TEMPLATE)
		bl_parser_fail_at(parser, head->range.from,
				  "illegal ref (head cannot be %s)",
				  bl_rego_term_kind_name(head));
}

/* At "." or "[", whether white space is in front of it or not. */
static struct bl_rego_term *parse_ref(struct bl_rego_parser *parser,
				      struct bl_rego_term *head)
{
	struct bl_rego_list parts = { 0 };

	check_ref_head(parser, head);
	if (!bl_rego_list_add(parser, &parts, head))
		return NULL;
	do {
		if (!bl_rego_list_add(parser, &parts, parse_ref_part(parser)))
			return NULL;
	} while (has_suffix(parser, BL_TOKEN_DOT) ||
		 has_suffix(parser, BL_TOKEN_LBRACKET));
	return bl_parse_list_term(parser, BL_TERM_REF, &parts);
}

/* A term other than a name, as a reference of one part: it can be called, too. */
static struct bl_rego_term *as_ref(struct bl_rego_parser *parser,
				   struct bl_rego_term *head)
{
	struct bl_rego_list parts = { 0 };
	struct bl_rego_term *term;

	if (!bl_rego_list_add(parser, &parts, head))
		return NULL;
	term = bl_parse_list_term(parser, BL_TERM_REF, &parts);
	if (term)
		term->range = head->range;
	return term;
}

static struct bl_rego_term *parse_call(struct bl_rego_parser *parser,
				       struct bl_rego_term *operator)
{
	struct bl_rego_list items = { 0 };

	check_ref_head(parser, operator);
	parser->at++;
	if (operator->kind != BL_TERM_VAR && operator->kind != BL_TERM_REF)
		operator= as_ref(parser, operator);
	if (!operator|| !bl_rego_list_add(parser, &items, operator) ||
	    !parse_items(parser, &items, BL_TOKEN_RPAREN))
		return NULL;
	if (items.count == 1 && operator->kind == BL_TERM_VAR &&
				bl_str_is(operator->as.name, "set")) {
		items.count = 0;
		return bl_parse_list_term(parser, BL_TERM_SET, &items);
	}
	return bl_parse_list_term(parser, BL_TERM_CALL, &items);
}

static struct bl_rego_term *parse_suffixes(struct bl_rego_parser *parser,
					   size_t first,
					   struct bl_rego_term *term)
{
	bool called = false; /* a call is not called again at once */

	while (term) {
		if (has_suffix(parser, BL_TOKEN_DOT) ||
		    has_suffix(parser, BL_TOKEN_LBRACKET))
			term = parse_ref(parser, term);
		else if (has_suffix(parser, BL_TOKEN_LPAREN) && !called)
			term = parse_call(parser, term);
		else
			break;
		called = term && term->kind == BL_TERM_CALL;
		if (term)
			term->range = bl_parser_range(parser, first);
	}
	return term;
}

static struct bl_rego_term *parse_suffixed(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	bool negative = bl_parser_is(parser, BL_TOKEN_MINUS);
	struct bl_rego_term *term = parse_primary(parser);

	if (term)
		term->range = bl_parser_range(parser, first);
	if (negative && term && term->kind == BL_TERM_CALL)
		return term;
	return parse_suffixes(parser, first, term);
}

struct bl_rego_term *bl_parse_head_term(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_term *term =
		var(parser, bl_parser_text(parser, bl_parser_token(parser)));

	parser->at++;
	if (!term)
		return NULL;
	term->range = bl_parser_range(parser, first);
	switch (bl_parser_token(parser)->kind) {
	case BL_TOKEN_DOT:
	case BL_TOKEN_LBRACKET:
		term = parse_ref(parser, term);
		break;
	case BL_TOKEN_LPAREN:
		term = parse_call(parser, term);
		break;
	default:
		return term;
	}
	if (term)
		term->range = bl_parser_range(parser, first);
	return parse_suffixes(parser, first, term);
}

struct bl_rego_term *bl_parse_term(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_memo *memo = &parser->memo[first];
	bool plain = first == parser->plain;
	const struct bl_parser_fault *before = parser->faults;
	struct bl_rego_term *term;

	if (memo->end && memo->plain == plain) {
		parser->at = memo->end - 1;
		if (memo->faults)
			parser->faults = memo->faults;
		return memo->term;
	}
	if (!bl_parser_enter(parser))
		return NULL;
	term = parse_suffixed(parser);
	bl_parser_leave(parser);
	*memo = (struct bl_rego_memo){
		.term = term,
		.faults = parser->faults != before ? parser->faults : NULL,
		.end = parser->at + 1,
		.plain = plain,
	};
	return term;
}

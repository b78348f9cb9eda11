/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of all files of the parser: tokens, new nodes, and the faults that are
 * reported when no way of reading a text worked.
 */
#include "rego/compiler/parse/parser.h"

#include <stdarg.h>
#include <stdio.h>

/* Words that are keywords, and the flag that a module needs for it (0: none).
 */
static const struct {
	const char *word;
	unsigned flag;
} keywords[] = {
	{ "as", 0 },
	{ "default", 0 },
	{ "else", 0 },
	{ "false", 0 },
	{ "import", 0 },
	{ "not", 0 },
	{ "null", 0 },
	{ "package", 0 },
	{ "some", 0 },
	{ "true", 0 },
	{ "with", 0 },
	{ "contains", BL_KEYWORD_CONTAINS },
	{ "every", BL_KEYWORD_EVERY },
	{ "if", BL_KEYWORD_IF },
	{ "in", BL_KEYWORD_IN },
	{ "and", BL_KEYWORD_AND },
	{ "or", BL_KEYWORD_OR },
};

bool bl_rego_is_keyword(const struct bl_rego_parser *parser, struct bl_str word)
{
	for (size_t i = 0; i < BL_COUNT(keywords); i++)
		if (word.len && word.ptr[0] == keywords[i].word[0] &&
		    bl_str_is(word, keywords[i].word))
			return !keywords[i].flag ||
			       (parser->keywords & keywords[i].flag);
	return false;
}

bool bl_parser_accept(struct bl_rego_parser *parser,
		      enum bl_rego_token_kind kind)
{
	if (!bl_parser_is(parser, kind))
		return false;
	if (kind != BL_TOKEN_EOF)
		parser->at++;
	return true;
}

/* A name that goes on at once with "." or "[" is a plain name. */
bool bl_parser_begins_ref(const struct bl_rego_parser *parser)
{
	const struct bl_rego_token *next = bl_parser_token(parser);

	if (next->kind != BL_TOKEN_NAME)
		return false;
	next++;
	return !next->space_before &&
	       (next->kind == BL_TOKEN_DOT || next->kind == BL_TOKEN_LBRACKET);
}

bool bl_parser_is_word(const struct bl_rego_parser *parser, const char *word)
{
	const struct bl_rego_token *token = bl_parser_token(parser);

	return token->kind == BL_TOKEN_NAME &&
	       parser->text.ptr[token->from] == word[0] &&
	       bl_str_is(bl_parser_text(parser, token), word) &&
	       bl_rego_is_keyword(parser, bl_str(word));
}

bool bl_parser_accept_word(struct bl_rego_parser *parser, const char *word)
{
	if (!bl_parser_is_word(parser, word))
		return false;
	parser->at++;
	return true;
}

bool bl_parser_is_keyword(const struct bl_rego_parser *parser, const char *word)
{
	return bl_parser_is_word(parser, word) && !bl_parser_begins_ref(parser);
}

bool bl_parser_accept_keyword(struct bl_rego_parser *parser, const char *word)
{
	if (!bl_parser_is_keyword(parser, word))
		return false;
	parser->at++;
	return true;
}

struct bl_rego_range bl_parser_range(const struct bl_rego_parser *parser,
				     size_t first)
{
	size_t last = parser->at > first ? parser->at - 1 : first;

	return (struct bl_rego_range){ parser->tokens[first].from,
				       parser->tokens[last].to };
}

/* ---- faults -----------------------------------------------------------------
 */

static struct bl_parser_fault *add_fault(struct bl_rego_parser *parser,
					 uint32_t from, const char *text)
{
	struct bl_parser_fault *fault;

	if (parser->status)
		return NULL;
	fault = bl_arena_new(parser->arena, struct bl_parser_fault);
	if (!fault)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	fault->before = parser->faults;
	fault->text = text;
	fault->from = from;
	fault->hints = parser->hints;
	parser->hints = NULL;
	parser->faults = fault;
	return fault;
}

static const char *text_of(struct bl_rego_parser *parser, const char *fmt,
			   va_list args) BL_PRINTF(2, 0);
static const char *text_of(struct bl_rego_parser *parser, const char *fmt,
			   va_list args)
{
	char text[BL_ERROR_TEXT_BYTES];
	struct bl_str copy;

	vsnprintf(text, sizeof(text), fmt, args);
	copy = bl_arena_printf(parser->arena, "%s", text);
	if (!copy.ptr)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	return copy.ptr;
}

const char *bl_parser_text_of(struct bl_rego_parser *parser, const char *fmt,
			      ...)
{
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = text_of(parser, fmt, args);
	va_end(args);
	return text;
}

/* The token that a fault is about. */
static const struct bl_rego_token *
fault_token(const struct bl_rego_parser *parser)
{
	return parser->stuck ? parser->stuck : bl_parser_token(parser);
}

void *bl_parser_fail(struct bl_rego_parser *parser, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_fault(parser, fault_token(parser)->from,
		  text_of(parser, fmt, args));
	va_end(args);
	return NULL;
}

void *bl_parser_fail_at(struct bl_rego_parser *parser, uint32_t from,
			const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_fault(parser, from, text_of(parser, fmt, args));
	va_end(args);
	return NULL;
}

void bl_parser_fail_late(struct bl_rego_parser *parser, uint32_t from,
			 const char *text)
{
	const struct bl_parser_fault *faults = parser->faults;
	struct bl_parser_fault *fault;

	parser->faults = parser->late;
	fault = add_fault(parser, from, text);
	parser->faults = faults;
	if (fault)
		parser->late = fault;
}

void *bl_parser_stop(struct bl_rego_parser *parser, enum bl_status status,
		     const char *message)
{
	if (!parser->status) {
		bl_fail(&parser->stop_error, status, "%s", message);
		parser->status = status;
		parser->stop_from = bl_parser_token(parser)->from;
	}
	return NULL;
}

/* At the ILLEGAL token: what the lexer said of it comes first, once. */
static void *fail_illegal(struct bl_rego_parser *parser, const char *text)
{
	uint32_t from = bl_parser_token(parser)->from;
	bool known = !parser->lex_text;

	for (const struct bl_parser_fault *fault = parser->faults; fault;
	     fault = fault->before)
		known |= fault->text == parser->lex_text;
	if (!known)
		add_fault(parser, from, parser->lex_text);
	if (text)
		add_fault(parser, from, text);
	return NULL;
}

void *bl_parser_unexpected(struct bl_rego_parser *parser, const char *text)
{
	const struct bl_rego_token *token = fault_token(parser);
	struct bl_parser_fault *fault;

	if (token->kind == BL_TOKEN_ILLEGAL)
		return fail_illegal(parser, "illegal token");
	fault = add_fault(parser, token->from, text);
	if (fault) {
		fault->unexpected = token;
		fault->keyword = token->kind == BL_TOKEN_NAME &&
				 bl_rego_is_keyword(
					 parser, bl_parser_text(parser, token));
	}
	return NULL;
}

void bl_parser_hint(struct bl_rego_parser *parser, const char *text)
{
	struct bl_parser_hint *hint =
		bl_arena_new(parser->arena, struct bl_parser_hint);

	if (!hint) {
		bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
		return;
	}
	hint->before = parser->hints;
	hint->text = text;
	parser->hints = hint;
}

struct bl_str bl_parser_fault_text(const struct bl_rego_parser *parser,
				   const struct bl_parser_fault *fault)
{
	const struct bl_rego_token *token = fault->unexpected;
	const struct bl_parser_hint *hint = fault->hints;
	struct bl_str word = { 0 };

	if (token)
		word = fault->keyword ? bl_parser_text(parser, token)
				      : bl_str(bl_rego_token_name(token->kind));
	return bl_arena_printf(parser->arena, "%s%.*s%s%s%s%s%s%s",
			       token ? "unexpected " : "", BL_STR_ARG(word),
			       !token           ? ""
			       : fault->keyword ? " keyword"
						: " token",
			       token && fault->text ? ": " : "",
			       fault->text ? fault->text : "",
			       hint ? " (hint: " : "", hint ? hint->text : "",
			       hint ? ")" : "");
}

bool bl_parser_enter(struct bl_rego_parser *parser)
{
	if (++parser->depth <= BL_REGO_MAX_NESTING && !parser->status)
		return true;
	parser->depth--;
	bl_parser_stop(parser, BL_LIMIT,
		       "max parsing recursion depth exceeded");
	return false;
}

void bl_parser_leave(struct bl_rego_parser *parser)
{
	parser->depth--;
}

bool bl_rego_list_add(struct bl_rego_parser *parser, struct bl_rego_list *list,
		      void *item)
{
	if (!item)
		return false;
	if (list->count == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 4;
		void **items = bl_arena_new_array(parser->arena, void *, cap);

		if (!items)
			return bl_parser_stop(parser, BL_NO_MEMORY,
					      "out of memory"),
			       false;
		if (list->count)
			memcpy(items, list->items,
			       list->count * sizeof(*items));
		list->items = items;
		list->cap = cap;
	}
	list->items[list->count++] = item;
	return true;
}

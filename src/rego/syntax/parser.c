/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/syntax/parser.h"

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

bool bl_parser_expect(struct bl_rego_parser *parser,
		      enum bl_rego_token_kind kind)
{
	if (bl_parser_accept(parser, kind))
		return true;
	bl_parser_unexpected(parser, bl_rego_token_name(kind));
	return false;
}

/* A name that goes on at once with "." or "[" is a plain name. */
static bool begins_reference(const struct bl_rego_parser *parser)
{
	const struct bl_rego_token *next = &parser->tokens[parser->at + 1];

	return !next->space_before &&
	       (next->kind == BL_TOKEN_DOT || next->kind == BL_TOKEN_LBRACKET);
}

bool bl_parser_is_keyword(const struct bl_rego_parser *parser, const char *word)
{
	const struct bl_rego_token *token = bl_parser_token(parser);

	return token->kind == BL_TOKEN_NAME &&
	       parser->text.ptr[token->from] == word[0] &&
	       bl_str_is(bl_parser_text(parser, token), word) &&
	       bl_rego_is_keyword(parser, bl_str(word)) &&
	       !begins_reference(parser);
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

void *bl_parser_fail(struct bl_rego_parser *parser, const char *fmt, ...)
{
	uint32_t from = bl_parser_token(parser)->from;
	char message[256];
	va_list args;

	if (parser->status || (parser->failed && from < parser->fail_from))
		return NULL;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	bl_fail(&parser->fail_error, BL_SYNTAX, "%s", message);
	parser->failed = true;
	parser->fail_from = from;
	return NULL;
}

void *bl_parser_refuse(struct bl_rego_parser *parser, size_t first,
		       const char *fmt, ...)
{
	char message[256];
	va_list args;

	if (parser->status)
		return NULL;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	parser->at = first;
	parser->failed = false;
	return bl_parser_fail(parser, "%s", message);
}

void *bl_parser_stop(struct bl_rego_parser *parser, enum bl_status status,
		     const char *message)
{
	if (!parser->status) {
		bl_fail(&parser->fail_error, status, "%s", message);
		parser->status = status;
		parser->failed = true;
		parser->fail_from = bl_parser_token(parser)->from;
	}
	return NULL;
}

void *bl_parser_unexpected(struct bl_rego_parser *parser, const char *expected)
{
	const struct bl_rego_token *token = bl_parser_token(parser);
	struct bl_str word = bl_parser_text(parser, token);
	bool keyword = token->kind == BL_TOKEN_NAME &&
		       bl_rego_is_keyword(parser, word);

	if (keyword)
		return bl_parser_fail(parser, "unexpected %.*s keyword%s%s",
				      BL_STR_ARG(word),
				      expected ? ": expected " : "",
				      expected ? expected : "");
	return bl_parser_fail(parser, "unexpected %s token%s%s",
			      bl_rego_token_name(token->kind),
			      expected ? ": expected " : "",
			      expected ? expected : "");
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

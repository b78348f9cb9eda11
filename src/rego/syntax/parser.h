/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/syntax/parser.h: what the files of the parser share.
 *
 * A recursive descent parser over an array of tokens that goes back by setting
 * its index.  Functions return NULL (or false) on failure; the message kept is
 * the one that was met farthest in the text.  Terms are remembered by the
 * token at which they begin, so that going back never makes nested brackets
 * exponential.
 */
#ifndef BELAY_REGO_SYNTAX_PARSER_H
#define BELAY_REGO_SYNTAX_PARSER_H

#include "rego/syntax/ast.h"
#include "rego/syntax/lexer.h"

/* Names that are keywords in a module besides those that always are. */
enum bl_rego_keywords {
	BL_KEYWORD_CONTAINS = 1,
	BL_KEYWORD_EVERY = 2,
	BL_KEYWORD_IF = 4,
	BL_KEYWORD_IN = 8,
	BL_KEYWORDS_V1 = 15,
	BL_KEYWORD_NOT_BODY = 16, /* the richer "not" */
	BL_KEYWORD_AND = 32,
	BL_KEYWORD_OR = 64,
	BL_KEYWORDS_V2 = 112,
};

enum { BL_REGO_MAX_NESTING = 1500 };

struct bl_rego_memo {
	struct bl_rego_term *term; /* NULL with an end: it is no term */
	size_t end;                /* token index behind it; 0: not known */
};

struct bl_rego_parser {
	struct bl_arena *arena;
	struct bl_str text;
	const struct bl_rego_token *tokens;
	size_t at; /* index of the next token */
	unsigned keywords;
	bool v0;
	unsigned depth;
	struct bl_rego_memo *memo; /* one per token */

	/* the failure that was met farthest */
	enum bl_status status; /* of a failure that is no matter of syntax */
	uint32_t fail_from;
	bool failed;
	struct bl_error fail_error;
};

/* ---- tokens -----------------------------------------------------------------
 */

static inline const struct bl_rego_token *
bl_parser_token(const struct bl_rego_parser *parser)
{
	return &parser->tokens[parser->at];
}

static inline bool bl_parser_is(const struct bl_rego_parser *parser,
				enum bl_rego_token_kind kind)
{
	return parser->tokens[parser->at].kind == kind;
}

static inline struct bl_str bl_parser_text(const struct bl_rego_parser *parser,
					   const struct bl_rego_token *token)
{
	return (struct bl_str){ parser->text.ptr + token->from,
				token->to - token->from };
}

/* Takes the next token when it is of this kind. */
bool bl_parser_accept(struct bl_rego_parser *parser,
		      enum bl_rego_token_kind kind);

/* The same, and a failure ("unexpected X token: expected Y") when it is not. */
bool bl_parser_expect(struct bl_rego_parser *parser,
		      enum bl_rego_token_kind kind);

/* Is the next token this keyword, used as one (spec/rego.md 1.1)? */
bool bl_parser_is_keyword(const struct bl_rego_parser *parser,
			  const char *word);
bool bl_parser_accept_keyword(struct bl_rego_parser *parser, const char *word);

/* Is word a keyword in this module? */
bool bl_rego_is_keyword(const struct bl_rego_parser *parser,
			struct bl_str word);

/* The range from the token with index first to the last one taken. */
struct bl_rego_range bl_parser_range(const struct bl_rego_parser *parser,
				     size_t first);

/* ---- failures ---------------------------------------------------------------
 */

/* Notes a failure at the next token.  Always NULL, for `return`. */
void *bl_parser_fail(struct bl_rego_parser *parser, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* The same for a failure that is no matter of syntax (memory, limits). */
void *bl_parser_stop(struct bl_rego_parser *parser, enum bl_status status,
		     const char *message);

/*
 * Refuses what was parsed well but may not be, at the token with index first:
 * whatever else failed on the way there is forgotten.
 */
void *bl_parser_refuse(struct bl_rego_parser *parser, size_t first,
		       const char *fmt, ...) BL_PRINTF(3, 4);

/* "unexpected X token", with what was expected after ": ". */
void *bl_parser_unexpected(struct bl_rego_parser *parser, const char *expected);

/* One level of nesting more; false (a failure) when there are too many. */
bool bl_parser_enter(struct bl_rego_parser *parser);
void bl_parser_leave(struct bl_rego_parser *parser);

/* ---- lists ------------------------------------------------------------------
 */

/* A growing array of pointers in the arena. */
struct bl_rego_list {
	void **items;
	size_t count;
	size_t cap;
};

bool bl_rego_list_add(struct bl_rego_parser *parser, struct bl_rego_list *list,
		      void *item);

/* ---- the grammar ------------------------------------------------------------
 */

struct bl_rego_term *bl_parse_new_term(struct bl_rego_parser *parser,
				       enum bl_rego_term_kind kind);

/* A new term of this kind with the items of list. */
struct bl_rego_term *bl_parse_list_term(struct bl_rego_parser *parser,
					enum bl_rego_term_kind kind,
					const struct bl_rego_list *list);

/* A scalar of a string value that borrows text. */
struct bl_rego_term *bl_parse_string_term(struct bl_rego_parser *parser,
					  struct bl_str text);

/* parse_term.c: a term with its suffixes, without operators. */
struct bl_rego_term *bl_parse_term(struct bl_rego_parser *parser);

/* parse_expr.c: a term with operators; in_comma allows "a, b in c". */
struct bl_rego_term *bl_parse_expr_term(struct bl_rego_parser *parser,
					bool in_comma);

/* parse_template.c: the TEMPLATE or RAW_TEMPLATE token that is next. */
struct bl_rego_term *bl_parse_template(struct bl_rego_parser *parser);

/* parse_body.c: one statement; a query up to (not with) the closing token. */
struct bl_rego_expr *bl_parse_literal(struct bl_rego_parser *parser);
struct bl_rego_body *bl_parse_query(struct bl_rego_parser *parser,
				    enum bl_rego_token_kind closing);

/* "{" query "}". */
struct bl_rego_body *bl_parse_braced_query(struct bl_rego_parser *parser);

/* A body of these expressions, without a range. */
struct bl_rego_body *bl_parse_new_body(struct bl_rego_parser *parser,
				       const struct bl_rego_list *exprs);

/* The expression that is just a term (NULL gives NULL). */
struct bl_rego_expr *bl_parse_term_expr(struct bl_rego_parser *parser,
					struct bl_rego_term *term);

/* A body of one expression. */
struct bl_rego_body *bl_parse_single_body(struct bl_rego_parser *parser,
					  struct bl_rego_expr *expr);

/* parse_rule.c */
struct bl_rego_rule *bl_parse_rule(struct bl_rego_parser *parser);

#endif

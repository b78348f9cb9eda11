/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/parse/lexer.h: Rego text to tokens (docs/contracts/rego.md "Tokens").
 *
 * The whole text becomes one array, so the parser can look ahead and go back
 * by moving an index.  Comments are kept apart.  Every error has the byte
 * offset at which it was met.
 */
#ifndef BELAY_REGO_COMPILER_PARSE_LEXER_H
#define BELAY_REGO_COMPILER_PARSE_LEXER_H

#include "base/arena.h"
#include "base/error.h"
#include "rego/compiler/parse/ast.h"

enum bl_rego_token_kind {
#define TOKEN(name, text) BL_TOKEN_##name,
#include "rego/compiler/parse/tokens.def"
#undef TOKEN
	BL_TOKEN_COUNT
};

/* "identifier", "[", ... */
const char *bl_rego_token_name(enum bl_rego_token_kind kind);

struct bl_rego_token {
	uint8_t kind;        /* enum bl_rego_token_kind */
	bool space_before;   /* white space, a newline or a comment before it */
	bool newline_before; /* at least one newline before it */
	uint32_t from;       /* bytes from..to of the text */
	uint32_t to;
};

struct bl_rego_tokens {
	struct bl_rego_token *tokens; /* the last one is EOF */
	size_t count;
	struct bl_rego_comment *comments;
	size_t comment_count;
	const char *illegal; /* what is wrong with the ILLEGAL token */
};

enum { BL_REGO_MAX_SOURCE_BYTES = 64 << 20 };

/*
 * Tokens of bytes from..to of text (a whole module, or the inside of a
 * template's braces).  SYNTAX with *out_offset: the tokens before, then ILLEGAL
 * and EOF; LIMIT when the text is too long, NO_MEMORY.
 */
enum bl_status bl_rego_lex(struct bl_arena *arena, struct bl_str text,
			   size_t from, size_t to,
			   struct bl_rego_tokens *out_tokens,
			   size_t *out_offset, struct bl_error *err);

/* Which escapes a piece of text has. */
enum bl_rego_quoting {
	BL_REGO_PLAIN,        /* JSON's */
	BL_REGO_TEMPLATE,     /* the same and "\{" */
	BL_REGO_RAW_TEMPLATE, /* "\{" only */
};

/*
 * The text that the inside of a string or a piece of a template stands for:
 * in arena when there was an escape, else borrowed.  SYNTAX for a bad escape
 * (*out_offset counts from the start of piece).
 */
enum bl_status bl_rego_unescape(struct bl_arena *arena, struct bl_str piece,
				enum bl_rego_quoting quoting,
				struct bl_str *out_text, size_t *out_offset,
				struct bl_error *err);

/* The offset of the "{" that ends the template piece at from, or to. */
size_t bl_rego_template_piece_end(struct bl_str text, size_t from, size_t to,
				  enum bl_rego_quoting quoting);

/* The offset after the "}" that closes the "{" at from.  SYNTAX if none. */
enum bl_status bl_rego_template_hole_end(struct bl_arena *arena,
					 struct bl_str text, size_t from,
					 size_t *out_end, size_t *out_offset,
					 struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* text/escape.h: what the escapes of both dialects share. */
#ifndef BELAY_TEXT_ESCAPE_H
#define BELAY_TEXT_ESCAPE_H

#include "text/ast.h"

/* The byte at parser->at, or NUL at the end. */
static inline char escape_peek(const struct parser *parser)
{
	return parser->at < parser->pattern.len
		       ? parser->pattern.ptr[parser->at]
		       : '\0';
}

/* Octal digits while the value stays at most max. */
static inline uint32_t escape_octal(struct parser *parser, int digits,
				    uint32_t max)
{
	uint32_t value = 0;

	while (digits-- > 0) {
		char c = escape_peek(parser);

		if (c < '0' || c > '7' || value * 8 + (uint32_t)(c - '0') > max)
			break;
		value = value * 8 + (uint32_t)(c - '0');
		parser->at++;
	}
	return value;
}

/* \d \D \s \S \w \W: the positive set, or NULL when c is not one of them. */
static inline const struct charset *escape_set(const struct parser *parser,
					       char c, bool *out_negate)
{
	*out_negate = c >= 'A' && c <= 'Z';
	switch (c | 0x20) {
	case 'd':
		return &charset_digit;
	case 's':
		return parser->dialect->space;
	case 'w':
		return &charset_word;
	default:
		return NULL;
	}
}

/* The escape as one item of the pattern. */
static inline bool escape_push_set(struct parser *parser,
				   const struct charset *set, bool negate)
{
	struct charset_build build = { .arena = parser->arena,
				       .fold = parser->flags & FLAG_FOLD };

	if (!negate && !build.fold)
		return parse_push_set(parser, set);
	charset_add_set(&build, set, negate);
	return parse_push_set(parser, charset_finish(&build, false));
}

#endif

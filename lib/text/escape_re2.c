/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RE2's escapes. JavaScript's are escape_js.c: the dialects agree on few
 * letters, and a file for each keeps what one takes out of the other.
 */
#include "base/hex.h"
#include "text/escape.h"

enum { LAST_RUNE = 0x10FFFF };

static const struct {
	char letter;
	char value;
} controls[] = {
	{ 'a', '\a' }, { 'f', '\f' }, { 'n', '\n' },
	{ 'r', '\r' }, { 't', '\t' }, { 'v', '\v' },
};

static bool bad_escape(struct parser *parser, size_t at)
{
	return parse_fail(parser, BL_SYNTAX, at, "this escape does not exist");
}

/* \xFF and \x{10FFFF}, behind the x. */
static bool hex_escape(struct parser *parser, size_t at, uint32_t *out_rune)
{
	bool braces = escape_peek(parser) == '{';
	uint32_t value = 0;
	int digits = 0;

	parser->at += braces;
	while (bl_hex_value(escape_peek(parser)) >= 0 &&
	       (braces || digits < 2)) {
		value = value * 16 +
			(uint32_t)bl_hex_value(escape_peek(parser));
		if (value > LAST_RUNE)
			return bad_escape(parser, at);
		parser->at++;
		digits++;
	}
	if (braces ? !digits || escape_peek(parser) != '}' : digits != 2)
		return bad_escape(parser, at);
	parser->at += braces;
	*out_rune = value;
	return true;
}

static bool octal_escape(struct parser *parser, size_t at, char first,
			 uint32_t *out_rune)
{
	char c = escape_peek(parser);

	/* One digit alone would be a reference to a group. */
	if (first != '0' && (c < '0' || c > '7'))
		return bad_escape(parser, at);
	parser->at--;
	*out_rune = escape_octal(parser, 3, UINT32_MAX);
	return true;
}

/* An escape that stands for one character; parser->at is behind the \. */
static bool char_escape(struct parser *parser, uint32_t *out_rune)
{
	size_t at = parser->at - 1;
	char c = escape_peek(parser);

	if (parser->at == parser->pattern.len)
		return parse_fail(parser, BL_SYNTAX, at,
				  "a \\ at the end of the pattern");
	parser->at++;
	if (c >= '0' && c <= '7')
		return octal_escape(parser, at, c, out_rune);
	if (c == 'x')
		return hex_escape(parser, at, out_rune);
	for (size_t i = 0; i < BL_COUNT(controls); i++) {
		if (controls[i].letter == c) {
			*out_rune = (unsigned char)controls[i].value;
			return true;
		}
	}
	if ((unsigned char)c >= 128 || (c >= '8' && c <= '9') ||
	    (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
		return bad_escape(parser, at);
	*out_rune = (unsigned char)c;
	return true;
}

/* \pN, \p{Greek}, \P{^Greek}; parser->at is at the p. */
static bool unicode_escape(struct parser *parser, struct charset_build *build)
{
	struct charset_build group = { .arena = build->arena,
				       .fold = build->fold };
	size_t at = parser->at - 1;
	bool negate = parser->pattern.ptr[parser->at++] == 'P';
	size_t end = parser->at + 1;
	struct bl_str name;

	if (escape_peek(parser) == '{') {
		end = bl_str_find(parser->pattern, BL_STR("}"), parser->at);
		parser->at++;
	}
	if (end == SIZE_MAX || parser->at >= parser->pattern.len)
		return parse_fail(parser, BL_SYNTAX, at,
				  "a class name without its end");
	name = bl_str_slice(parser->pattern, parser->at, end);
	parser->at = end + (parser->pattern.ptr[parser->at - 1] == '{');
	if (name.len > 1 && name.ptr[0] == '^') {
		negate = !negate;
		name = bl_str_slice(name, 1, name.len);
	}
	if (!charset_add_unicode(&group, name))
		return parse_fail(parser, BL_SYNTAX, at,
				  "no Unicode class has this name");
	if (negate || build->count) {
		const struct charset *set = charset_finish(&group, negate);

		group = *build;
		group.fold = false;
		if (set)
			charset_add_set(&group, set, false);
		group.failed = group.failed || !set;
		group.fold = build->fold;
	}
	*build = group;
	return true;
}

/* \Q...\E, behind the Q. */
static bool quoted(struct parser *parser)
{
	while (parser->at < parser->pattern.len) {
		if (parse_see(parser, "\\E")) {
			parser->at += 2;
			return true;
		}
		if (!parse_push_char(parser, parse_rune(parser)))
			return false;
	}
	return true;
}

static const struct {
	char letter;
	enum regex_assert bit;
} asserts[] = {
	{ 'A', AT_TEXT_BEGIN },
	{ 'z', AT_TEXT_END },
	{ 'b', AT_WORD_EDGE },
	{ 'B', AT_NO_WORD_EDGE },
};

static bool unicode_item(struct parser *parser)
{
	struct charset_build build = { .arena = parser->arena,
				       .fold = parser->flags & FLAG_FOLD };

	return unicode_escape(parser, &build) &&
	       parse_push_set(parser, charset_finish(&build, false));
}

bool parse_escape_re2(struct parser *parser)
{
	size_t at = parser->at++;
	char c = escape_peek(parser);
	const struct charset *set;
	bool negate;
	uint32_t rune;

	for (size_t i = 0; i < BL_COUNT(asserts); i++) {
		if (asserts[i].letter == c) {
			parser->at++;
			return parse_push_assert(parser, asserts[i].bit);
		}
	}
	set = escape_set(parser, c, &negate);
	if (set) {
		parser->at++;
		return escape_push_set(parser, set, negate);
	}
	switch (c) {
	case 'p':
	case 'P':
		return unicode_item(parser);
	case 'Q':
		parser->at++;
		return quoted(parser);
	case 'C':
		return parse_fail(parser, BL_SYNTAX, at,
				  "single bytes (\\C) are not supported");
	default:
		return char_escape(parser, &rune) &&
		       parse_push_char(parser, rune);
	}
}

enum class_item parse_item_re2(struct parser *parser,
			       struct charset_build *build, uint32_t *out_rune)
{
	const struct charset *set;
	bool negate;
	char c;

	parser->at++;
	c = escape_peek(parser);
	if (c == 'p' || c == 'P')
		return unicode_escape(parser, build) ? ITEM_SET : ITEM_FAILED;
	set = escape_set(parser, c, &negate);
	if (set) {
		parser->at++;
		charset_add_set(build, set, negate);
		return ITEM_SET;
	}
	return char_escape(parser, out_rune) ? ITEM_CHAR : ITEM_FAILED;
}

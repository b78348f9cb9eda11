/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JavaScript's escapes, as a pattern without flags has them (ECMA-262, B.1.2):
 * what no rule claims stands for itself.
 */
#include "base/ascii.h"
#include "base/hex.h"
#include "text/escape.h"

/* Where the class that starts at at ends. */
static size_t skip_class(struct bl_str p, size_t at)
{
	while (++at < p.len && p.ptr[at] != ']') {
		if (p.ptr[at] == '\\')
			at++;
	}
	return at;
}

/* The meaning of \1 and \k depends on all groups, later ones included. */
static void count_groups(struct parser *parser)
{
	struct bl_str p = parser->pattern;

	if (parser->counted)
		return;
	parser->counted = true;
	for (size_t at = 0; at < p.len; at++) {
		struct bl_str rest = bl_str_slice(p, at, p.len);
		bool named = bl_str_has_prefix(rest, BL_STR("(?<")) &&
			     !bl_str_has_prefix(rest, BL_STR("(?<=")) &&
			     !bl_str_has_prefix(rest, BL_STR("(?<!"));

		if (p.ptr[at] == '\\')
			at++;
		else if (p.ptr[at] == '[')
			at = skip_class(p, at);
		else if (named || (p.ptr[at] == '(' &&
				   !bl_str_has_prefix(rest, BL_STR("(?"))))
			parser->groups_ahead++;
		parser->names_ahead = parser->names_ahead || named;
	}
}

/* Exactly digits hexadecimal digits at at. */
static bool read_hex(const struct parser *parser, size_t at, size_t digits,
		     uint32_t *out_value)
{
	int32_t value = bl_hex_read(parser->pattern, at, digits);

	if (value >= 0)
		*out_value = (uint32_t)value;
	return value >= 0;
}

/* \uHHHH behind the u; two that are a surrogate pair make one character. */
static bool unicode_escape(struct parser *parser, size_t at, uint32_t *out_rune)
{
	uint32_t high, low;

	*out_rune = 'u';
	if (!read_hex(parser, parser->at, 4, &high))
		return true;
	parser->at += 4;
	if (high < 0xD800 || high > 0xDFFF) {
		*out_rune = high;
		return true;
	}
	if (high > 0xDBFF || !parse_see(parser, "\\u") ||
	    !read_hex(parser, parser->at + 2, 4, &low) || low < 0xDC00 ||
	    low > 0xDFFF)
		return parse_fail(parser, BL_UNSUPPORTED, at,
				  "half of a surrogate pair cannot be matched");
	parser->at += 6;
	*out_rune = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
	return true;
}

/* \cX; otherwise the \ stands for itself and the c is read again. */
static uint32_t control_escape(struct parser *parser, bool in_class)
{
	char c = parser->at + 1 < parser->pattern.len
			 ? parser->pattern.ptr[parser->at + 1]
			 : '\0';

	if (!bl_ascii_is_letter(c) &&
	    !(in_class && (bl_ascii_is_digit(c) || c == '_')))
		return '\\';
	parser->at += 2;
	return (uint32_t)c % 32;
}

/* An escape that stands for one character; parser->at is behind the \. */
static bool char_escape(struct parser *parser, bool in_class,
			uint32_t *out_rune)
{
	static const char controls[] = "f\fn\nr\rt\tv\v";
	size_t at = parser->at - 1;
	char c = escape_peek(parser);

	if (parser->at == parser->pattern.len)
		return parse_fail(parser, BL_SYNTAX, at,
				  "a \\ at the end of the pattern");
	if (c == 'c') {
		*out_rune = control_escape(parser, in_class);
		return true;
	}
	if (c >= '0' && c <= '7') {
		*out_rune = escape_octal(parser, 3, 0xFF);
		return true;
	}
	*out_rune = parse_rune(parser);
	if (c == 'u')
		return unicode_escape(parser, at, out_rune);
	if (c == 'x' && read_hex(parser, parser->at, 2, out_rune))
		parser->at += 2;
	for (const char *control = controls; *control; control += 2) {
		if (*control == c)
			*out_rune = (unsigned char)control[1];
	}
	return true;
}

static bool push_reference(struct parser *parser, size_t at, uint32_t group)
{
	struct node *node = parse_node(parser, NODE_BACKREF);

	parse_irregular(parser, at, "a reference to a group");
	if (node)
		node->value = group;
	return parse_push(parser, node);
}

/* \1 where so many groups exist; false in *out_done: no reference. */
static bool number_reference(struct parser *parser, size_t at, bool *out_done)
{
	size_t end = parser->at;
	uint32_t number = 0;

	for (; end < parser->pattern.len &&
	       bl_ascii_is_digit(parser->pattern.ptr[end]);
	     end++) {
		if (number < BL_REGEX_MAX_PATTERN_BYTES)
			number = number * 10 +
				 (uint32_t)(parser->pattern.ptr[end] - '0');
	}
	count_groups(parser);
	*out_done = number <= parser->groups_ahead;
	if (!*out_done)
		return true;
	parser->at = end;
	return push_reference(parser, at, number);
}

/* \k<name>, behind the k. */
static bool name_reference(struct parser *parser, size_t at)
{
	struct name_reference *reference =
		bl_arena_new(parser->arena, struct name_reference);

	if (!reference)
		return parse_no_memory(parser);
	if (escape_peek(parser) != '<')
		return parse_fail(parser, BL_SYNTAX, at,
				  "\\k without the <name> of a group");
	parser->at++;
	reference->at = at;
	reference->name = parse_name(parser);
	if (!reference->name.len || !push_reference(parser, at, 0))
		return false;
	reference->node = parser->cat;
	reference->next = parser->references;
	parser->references = reference;
	return true;
}

static bool has_names(struct parser *parser)
{
	count_groups(parser);
	return parser->names_ahead;
}

bool parse_escape_js(struct parser *parser)
{
	size_t at = parser->at++;
	char c = escape_peek(parser);
	const struct charset *set;
	bool done, negate;
	uint32_t rune;

	if (c == 'b' || c == 'B') {
		parser->at++;
		return parse_push_assert(parser, c == 'b' ? AT_WORD_EDGE
							  : AT_NO_WORD_EDGE);
	}
	set = escape_set(parser, c, &negate);
	if (set) {
		parser->at++;
		return escape_push_set(parser, set, negate);
	}
	if (c >= '1' && c <= '9') {
		if (!number_reference(parser, at, &done))
			return false;
		if (done)
			return true;
	}
	if (c == 'k' && has_names(parser)) {
		parser->at++;
		return name_reference(parser, at);
	}
	return char_escape(parser, false, &rune) &&
	       parse_push_char(parser, rune);
}

enum class_item parse_item_js(struct parser *parser,
			      struct charset_build *build, uint32_t *out_rune)
{
	size_t at = parser->at++;
	char c = escape_peek(parser);
	const struct charset *set;
	bool negate;

	if (c == 'b') {
		parser->at++;
		*out_rune = '\b';
		return ITEM_CHAR;
	}
	set = escape_set(parser, c, &negate);
	if (set) {
		parser->at++;
		charset_add_set(build, set, negate);
		return ITEM_SET;
	}
	if (c == 'k' && has_names(parser)) {
		parse_fail(parser, BL_SYNTAX, at, "\\k in a class");
		return ITEM_FAILED;
	}
	return char_escape(parser, true, out_rune) ? ITEM_CHAR : ITEM_FAILED;
}

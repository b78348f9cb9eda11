/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms behind "(?" in the two dialects: names, flags, look-around. Most of
 * what is refused is refused here, with its reason, apart from the plain
 * operators.
 */
#include "text/ast.h"

static const struct {
	char letter;
	uint8_t flag;
} flag_letters[] = {
	{ 'i', FLAG_FOLD },
	{ 'm', FLAG_MULTI_LINE },
	{ 's', FLAG_DOT_ALL },
	{ 'U', FLAG_SWAP_LAZY },
};

/* Forms that other dialects have, and what to say about them. */
static const struct form {
	const char *start;
	const char *message;
} foreign_re2[] = {
	{ "=", "look-ahead (?= is not supported" },
	{ "!", "look-ahead (?! is not supported" },
	{ "<=", "look-behind (?<= is not supported" },
	{ "<!", "look-behind (?<! is not supported" },
	{ "P=", "references to groups are not supported" },
	{ "P>", "calls of groups are not supported" },
	{ ">", "atomic groups (?> are not supported" },
	{ "#", "comments (?# are not supported" },
	{ "|", "(?| is not supported" },
}, foreign_js[] = {
	{ "P", "(?P is Python's form; JavaScript writes (?<name>...)" },
	{ ">", "JavaScript has no atomic groups (?>" },
	{ "#", "JavaScript has no comments (?#" },
	{ "|", "JavaScript has no (?|" },
	{ "i", "JavaScript has no inline flags (?i)" },
	{ "m", "JavaScript has no inline flags (?m)" },
	{ "s", "JavaScript has no inline flags (?s)" },
	{ "-", "JavaScript has no inline flags (?-" },
};

static bool refuse_foreign(struct parser *parser, const struct form *forms,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (parse_see(parser, forms[i].start))
			return parse_fail(parser, BL_SYNTAX, parser->at - 2,
					  "%s", forms[i].message);
	}
	return parse_fail(parser, BL_SYNTAX, parser->at - 2,
			  "this form of (? does not exist");
}

static bool is_word(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_';
}

/* Characters that JavaScript has in names besides the above. */
static bool is_js_letter(uint32_t rune, bool first)
{
	static const char *const groups[] = {
		"L", "Nl", "Mn", "Mc", "Nd", "Pc"
	};

	if (rune < 128)
		return rune == '$';
	if (rune == 0x200C || rune == 0x200D)
		return !first;
	for (size_t i = 0; i < (first ? 2 : BL_COUNT(groups)); i++) {
		if (charset_unicode_has(bl_str(groups[i]), rune))
			return true;
	}
	return false;
}

static bool is_in_name(const struct parser *parser, uint32_t rune, bool first)
{
	if (parser->dialect->plain_names)
		return is_word(rune);
	if (is_word(rune))
		return !first || rune < '0' || rune > '9';
	return is_js_letter(rune, first);
}

struct bl_str parse_name(struct parser *parser)
{
	const struct bl_str none = { NULL, 0 };
	size_t from = parser->at;

	while (parser->at < parser->pattern.len) {
		size_t at = parser->at;
		uint32_t rune = parse_rune(parser);

		if (rune == '>' && at > from)
			return bl_str_slice(parser->pattern, from, at);
		if (rune == '\\' && !parser->dialect->plain_names) {
			parse_fail(parser, BL_UNSUPPORTED, at,
				   "escapes in group names");
			return none;
		}
		if (!is_in_name(parser, rune, at == from)) {
			parse_fail(parser, BL_SYNTAX, at,
				   "this is not the name of a group");
			return none;
		}
	}
	parse_fail(parser, BL_SYNTAX, from, "a group name without its >");
	return none;
}

static uint32_t flag_of(char letter)
{
	for (size_t i = 0; i < BL_COUNT(flag_letters); i++) {
		if (flag_letters[i].letter == letter)
			return flag_letters[i].flag;
	}
	return 0;
}

/* (?i-s) and (?i-s:...). */
static bool flags_group(struct parser *parser)
{
	size_t at = parser->at - 2;
	uint32_t flags = parser->flags;
	bool negative = false, seen = true;

	while (parser->at < parser->pattern.len) {
		char c = parser->pattern.ptr[parser->at++];
		uint32_t flag = flag_of(c);

		if (flag) {
			flags = negative ? flags & ~flag : flags | flag;
			seen = true;
		} else if (c == '-' && !negative) {
			negative = true;
			seen = false;
		} else if (c == ':' && seen) {
			if (!parse_open(parser, NULL, at))
				return false;
			parser->flags = flags;
			return true;
		} else if (c == ')' && seen) {
			parser->flags = flags;
			return true;
		} else {
			break;
		}
	}
	return parse_fail(parser, BL_SYNTAX, at,
			  "this form of (? does not exist");
}

bool parse_group_re2(struct parser *parser)
{
	size_t at = parser->at - 2;

	if (parse_see(parser, "P<") ||
	    (parse_see(parser, "<") && !parse_see(parser, "<=") &&
	     !parse_see(parser, "<!"))) {
		parser->at += parser->pattern.ptr[parser->at] == 'P' ? 2 : 1;
		return parse_named_group(parser, at);
	}
	for (size_t i = 0; i < BL_COUNT(foreign_re2); i++) {
		if (parse_see(parser, foreign_re2[i].start))
			return refuse_foreign(parser, foreign_re2,
					      BL_COUNT(foreign_re2));
	}
	return flags_group(parser);
}

static const struct {
	const char *start;
	enum look look;
} looks[] = {
	{ "=", LOOK_AHEAD },
	{ "!", LOOK_NOT_AHEAD },
	{ "<=", LOOK_BEHIND },
	{ "<!", LOOK_NOT_BEHIND },
};

bool parse_group_js(struct parser *parser)
{
	size_t at = parser->at - 2;
	struct node *group;

	for (size_t i = 0; i < BL_COUNT(looks); i++) {
		if (!parse_see(parser, looks[i].start))
			continue;
		parser->at += strlen(looks[i].start);
		parse_irregular(parser, at, "look-around");
		group = parse_node(parser, NODE_LOOK);
		if (!group)
			return false;
		group->value = looks[i].look;
		return parse_open(parser, group, at);
	}
	if (parse_see(parser, ":")) {
		parser->at++;
		return parse_open(parser, NULL, at);
	}
	if (parse_see(parser, "<")) {
		parser->at++;
		return parse_named_group(parser, at);
	}
	return refuse_foreign(parser, foreign_js, BL_COUNT(foreign_js));
}

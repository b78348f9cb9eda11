/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes in brackets, of both dialects. They have a grammar of their own,
 * without operators and groups, so the parser leaves the brackets to this file.
 */
#include "text/ast.h"

/* [:name:] and [:^name:]; *out_done says whether there was one. */
static bool posix_class(struct parser *parser, struct charset_build *build,
			bool *out_done)
{
	size_t end = bl_str_find(parser->pattern, BL_STR(":]"), parser->at + 2);
	struct bl_str name;
	bool negate;

	*out_done = end != SIZE_MAX;
	if (!*out_done)
		return true;
	name = bl_str_slice(parser->pattern, parser->at + 2, end);
	negate = bl_str_has_prefix(name, BL_STR("^"));
	if (negate)
		name = bl_str_slice(name, 1, name.len);
	if (!charset_add_posix(build, name, negate))
		return parse_fail(parser, BL_SYNTAX, parser->at,
				  "no class has this name");
	parser->at = end + 2;
	return true;
}

static enum class_item next_item(struct parser *parser,
				 struct charset_build *build,
				 uint32_t *out_rune)
{
	if (parser->at < parser->pattern.len &&
	    parser->pattern.ptr[parser->at] == '\\')
		return parser->dialect->item(parser, build, out_rune);
	*out_rune = parse_rune(parser);
	return ITEM_CHAR;
}

/* At a - that has something other than ] behind it. */
static bool at_range(const struct parser *parser)
{
	return parse_see(parser, "-") && parser->at + 1 < parser->pattern.len &&
	       parser->pattern.ptr[parser->at + 1] != ']';
}

/* lo-hi where one of the two may be a set. */
static bool range(struct parser *parser, struct charset_build *build,
		  enum class_item first, uint32_t lo)
{
	size_t at = parser->at++;
	uint32_t hi;
	enum class_item second = next_item(parser, build, &hi);

	if (second == ITEM_FAILED)
		return false;
	if (first == ITEM_CHAR && second == ITEM_CHAR) {
		if (hi < lo)
			return parse_fail(parser, BL_SYNTAX, at,
					  "the range is out of order");
		charset_add(build, lo, hi);
		return true;
	}
	if (!parser->dialect->sets_end_ranges)
		return parse_fail(parser, BL_SYNTAX, at,
				  "a range cannot end with a class");
	charset_add(build, '-', '-');
	if (first == ITEM_CHAR)
		charset_add(build, lo, lo);
	if (second == ITEM_CHAR)
		charset_add(build, hi, hi);
	return true;
}

static bool class_item(struct parser *parser, struct charset_build *build)
{
	enum class_item first;
	uint32_t lo;
	bool done = false;

	if (parser->dialect->posix_classes && parse_see(parser, "[:")) {
		if (!posix_class(parser, build, &done))
			return false;
		if (done)
			return true;
	}
	first = next_item(parser, build, &lo);
	if (first == ITEM_FAILED)
		return false;
	if (at_range(parser) &&
	    (first == ITEM_CHAR || parser->dialect->sets_end_ranges))
		return range(parser, build, first, lo);
	if (first == ITEM_CHAR)
		charset_add(build, lo, lo);
	return true;
}

bool parse_class(struct parser *parser)
{
	struct charset_build build = { .arena = parser->arena,
				       .fold = parser->flags & FLAG_FOLD };
	size_t at = parser->at - 1;
	bool negate = parse_see(parser, "^");
	size_t first = parser->at += negate;

	while (parser->at < parser->pattern.len) {
		if (parse_see(parser, "]") &&
		    (parser->at > first || !parser->dialect->bracket_first)) {
			parser->at++;
			return parse_push_set(parser,
					      charset_finish(&build, negate));
		}
		if (!class_item(parser, &build))
			return false;
		if (build.failed)
			return parse_no_memory(parser);
	}
	return parse_fail(parser, BL_SYNTAX, at, "[ without its ]");
}

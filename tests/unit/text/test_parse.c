/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns that are refused, why, and where. */
#include "base/arena.h"
#include "tap.h"
#include "text/text.h"

static const struct {
	const char *pattern;
	enum bl_regex_dialect dialect;
	enum bl_status status;
	size_t offset;
	const char *message; /* a part of it */
} rows[] = {
	/* RE2 refuses these, too (libre2 20220601). */
	{ "(", BL_REGEX_RE2, BL_SYNTAX, 0, "without its )" },
	{ "a(b(c)", BL_REGEX_RE2, BL_SYNTAX, 1, "without its )" },
	{ "a)", BL_REGEX_RE2, BL_SYNTAX, 1, "without its (" },
	{ "[a", BL_REGEX_RE2, BL_SYNTAX, 0, "without its ]" },
	{ "[]", BL_REGEX_RE2, BL_SYNTAX, 0, "without its ]" },
	{ "x[b-a]", BL_REGEX_RE2, BL_SYNTAX, 3, "out of order" },
	{ "[a-\\d]", BL_REGEX_RE2, BL_SYNTAX, 2, "end with a class" },
	{ "[[:foo:]]", BL_REGEX_RE2, BL_SYNTAX, 1, "no class" },
	{ "[\\b]", BL_REGEX_RE2, BL_SYNTAX, 1, "escape" },
	{ "*", BL_REGEX_RE2, BL_SYNTAX, 0, "nothing to repeat" },
	{ "a|*", BL_REGEX_RE2, BL_SYNTAX, 2, "nothing to repeat" },
	{ "(?i)*", BL_REGEX_RE2, BL_SYNTAX, 4, "nothing to repeat" },
	{ "{2}", BL_REGEX_RE2, BL_SYNTAX, 0, "nothing to repeat" },
	{ "a**", BL_REGEX_RE2, BL_SYNTAX, 2, "follow a repetition" },
	{ "a++", BL_REGEX_RE2, BL_SYNTAX, 2, "follow a repetition" },
	{ "a*??", BL_REGEX_RE2, BL_SYNTAX, 3, "follow a repetition" },
	{ "a{2}{3}", BL_REGEX_RE2, BL_SYNTAX, 4, "follow a repetition" },
	{ "a{2,1}", BL_REGEX_RE2, BL_SYNTAX, 1, "out of order" },
	{ "a{1001}", BL_REGEX_RE2, BL_SYNTAX, 1, "above 1000" },
	{ "a{1,1001}", BL_REGEX_RE2, BL_SYNTAX, 1, "above 1000" },
	{ "a{1001,}", BL_REGEX_RE2, BL_SYNTAX, 1, "above 1000" },
	{ "(a{40}){30}", BL_REGEX_RE2, BL_SYNTAX, 7, "multiply" },
	{ "((a{10}){10}b){11}", BL_REGEX_RE2, BL_SYNTAX, 14, "multiply" },
	{ "\\", BL_REGEX_RE2, BL_SYNTAX, 0, "end of the pattern" },
	{ "\\1", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "(a)\\1", BL_REGEX_RE2, BL_SYNTAX, 3, "escape" },
	{ "\\8", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\Z", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\q", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\E", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\\u00e9", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\x1", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\x{}", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\x{110000}", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\x{41", BL_REGEX_RE2, BL_SYNTAX, 0, "escape" },
	{ "\\pX", BL_REGEX_RE2, BL_SYNTAX, 0, "Unicode class" },
	{ "\\p", BL_REGEX_RE2, BL_SYNTAX, 0, "without its end" },
	{ "\\p{Greek", BL_REGEX_RE2, BL_SYNTAX, 0, "without its end" },
	{ "\\p{greek}", BL_REGEX_RE2, BL_SYNTAX, 0, "Unicode class" },
	{ "\\p{}", BL_REGEX_RE2, BL_SYNTAX, 0, "Unicode class" },
	{ "(?=a)", BL_REGEX_RE2, BL_SYNTAX, 0, "look-ahead" },
	{ "(?!a)", BL_REGEX_RE2, BL_SYNTAX, 0, "look-ahead" },
	{ "x(?<=a)", BL_REGEX_RE2, BL_SYNTAX, 1, "look-behind" },
	{ "(?<!a)", BL_REGEX_RE2, BL_SYNTAX, 0, "look-behind" },
	{ "(?>a)", BL_REGEX_RE2, BL_SYNTAX, 0, "atomic" },
	{ "(?#c)", BL_REGEX_RE2, BL_SYNTAX, 0, "comments" },
	{ "(?P<n>a)(?P=n)", BL_REGEX_RE2, BL_SYNTAX, 8, "references" },
	{ "(?P>n)", BL_REGEX_RE2, BL_SYNTAX, 0, "calls" },
	{ "(?|a)", BL_REGEX_RE2, BL_SYNTAX, 0, "(?|" },
	{ "(?P<>a)", BL_REGEX_RE2, BL_SYNTAX, 4, "name" },
	{ "(?P<a-b>a)", BL_REGEX_RE2, BL_SYNTAX, 5, "name" },
	{ "(?P<a", BL_REGEX_RE2, BL_SYNTAX, 4, "without its >" },
	{ "(?i", BL_REGEX_RE2, BL_SYNTAX, 0, "does not exist" },
	{ "(?x)a", BL_REGEX_RE2, BL_SYNTAX, 0, "does not exist" },
	{ "(?i-)a", BL_REGEX_RE2, BL_SYNTAX, 0, "does not exist" },
	{ "(?", BL_REGEX_RE2, BL_SYNTAX, 0, "does not exist" },
	/* Go refuses these two. */
	{ "\\C", BL_REGEX_RE2, BL_SYNTAX, 0, "single bytes" },
	{ "(?P<n>a)(?P<n>b)", BL_REGEX_RE2, BL_SYNTAX, 12, "same name" },
	{ "a\xff", BL_REGEX_RE2, BL_SYNTAX, 1, "UTF-8" },
	/* JavaScript; cases.tsv has the verdicts of node. */
	{ "(?i)a", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 0, "inline flags" },
	{ "(?-i:a)", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 0, "inline flags" },
	{ "(?P<n>a)", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 0, "Python" },
	{ "(?>a)", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 0, "atomic" },
	{ "(?#a)", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 0, "comments" },
	{ "a++", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 2, "follow a repetition" },
	{ "^*", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 1, "nothing to repeat" },
	{ "(?<=a)*", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 6, "nothing to repeat" },
	{ "(?<a>x)\\k<b>", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 7, "no group" },
	{ "(?<a>x)\\k", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 7, "\\k without" },
	{ "(?<a>x)[\\k]", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 8, "\\k in" },
	{ "a(?=b)", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 1, "look-around" },
	{ "a(?<!b)", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 1, "look-around" },
	{ "(a)\\1", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 3, "reference" },
	{ "\\k<a>(?<a>x)", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 0,
	  "reference" },
	{ "(?=a)(", BL_REGEX_JAVASCRIPT, BL_SYNTAX, 5, "without its )" },
	/* Syntax that works on UTF-16 or is rare is reported as missing. */
	{ "a\\ud83d", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 1, "surrogate" },
	{ "[\\ud800-\\udbff]", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 1,
	  "surrogate" },
	{ "(?<\\u0061>x)", BL_REGEX_JAVASCRIPT, BL_UNSUPPORTED, 3, "escapes" },
	{ "a{1001}", BL_REGEX_JAVASCRIPT, BL_LIMIT, 1, "above 1000" },
};

static void refused(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_regex *regex;
		struct bl_error err = { .message = "" };
		struct bl_arena arena;
		size_t offset = SIZE_MAX;
		enum bl_status status;

		bl_arena_init(&arena, NULL, 0, 0);
		status = bl_regex_compile(&arena, bl_str(rows[i].pattern),
					  rows[i].dialect, &regex, &offset,
					  &err);
		if (status != rows[i].status || offset != rows[i].offset ||
		    !strstr(err.message, rows[i].message)) {
			tap_failures++;
			TAP_NOTE("%s: %s at %zd: %s", rows[i].pattern,
				 bl_status_name(status), (ssize_t)offset,
				 err.message);
		}
		bl_arena_clear(&arena);
	}
}

/* As above without an error to fill. */
static void without_error(void)
{
	const struct bl_regex *regex;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK_STATUS(bl_regex_compile(&arena, BL_STR("("), BL_REGEX_RE2, &regex,
				      NULL, NULL),
		     BL_SYNTAX);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(refused);
	RUN(without_error);
	return tap_end();
}

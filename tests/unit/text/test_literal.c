/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns that are plain texts. */
#include "base/arena.h"
#include "base/buf.h"
#include "tap.h"
#include "text/text.h"

static void note(void *context, struct bl_str literal)
{
	bl_buf_put_str(context, literal);
	bl_buf_puts(context, ";");
}

/* The literals with ; behind each, "-" where the answer is no. */
static void check(const char *pattern, const char *expected)
{
	const struct bl_regex *regex = NULL;
	struct bl_arena arena;
	struct bl_buf seen;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&seen, 0);
	REQUIRE(!bl_regex_compile(&arena, bl_str(pattern), BL_REGEX_JAVASCRIPT,
				  &regex, NULL, NULL));
	if (!bl_regex_each_literal(regex, note, &seen)) {
		CHECK_INT(seen.len, 0);
		bl_buf_puts(&seen, "-");
	}
	CHECK_STR(bl_buf_str(&seen), expected);
	bl_buf_clear(&seen);
	bl_arena_clear(&arena);
}

static void literals(void)
{
	check("Shell", "Shell;");
	check("^Shell$", "Shell;");
	check("Shell|Write|MCP:x", "Shell;Write;MCP:x;");
	check("^(Shell|Write)$", "Shell;Write;");
	check("^(?:Shell|Write)$", "Shell;Write;");
	check("(^Shell$)|((Write))", "Shell;Write;");
	check("^(a|(b|c)$)", "a;b;c;");
	check("\\u20ac\\.", "\u20ac.;");
	check("git push ", "git push ;");
}

static void others(void)
{
	check("", "-");
	check("^$", "-");
	check("a|", "-");
	check("|", "-");
	check("Shell.", "-");
	check("Shell|W.*", "-");
	check("[ab]", "-");
	check("a+", "-");
	check("\\bShell", "-");
	check("(a|b)c", "-");
	check("a$b", "-");
	check("a^", "-");
	check("a(b)", "-");
	check("^^a", "-");
}

/* They are searched for without the program, so look at the results, too. */
static void searched(void)
{
	static const struct {
		const char *pattern;
		const char *text;
		size_t from, to; /* both 0: none */
	} rows[] = {
		{ "Shell|Write", "a Write Shell", 2, 7 },
		{ "ab|abc", "xabc", 1, 3 },
		{ "abc|ab", "xabc", 1, 4 },
		{ "^a|b", "xab", 2, 3 },
		{ "^(aa|b)$", "aa", 0, 2 },
		{ "^(aa|b)$", "aab", 0, 0 },
		{ "a$|bb", "abba", 1, 3 },
		{ "a$", "aba", 2, 3 },
		{ "aaa$", "aa", 0, 0 },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_regex *regex = NULL;
		struct bl_arena arena;
		struct bl_span span = { 0, 0 };
		bool found, only;

		bl_arena_init(&arena, NULL, 0, 0);
		REQUIRE(!bl_regex_compile(&arena, bl_str(rows[i].pattern),
					  BL_REGEX_RE2, &regex, NULL, NULL));
		bl_regex_search(regex, &arena, bl_str(rows[i].text), 0, &span,
				1, &found);
		bl_regex_search(regex, &arena, bl_str(rows[i].text), 0, NULL, 0,
				&only);
		CHECK(found == (rows[i].to > 0) && only == found);
		CHECK_INT(span.from, rows[i].from);
		CHECK_INT(span.to, rows[i].to);
		bl_arena_clear(&arena);
	}
}

/*
 * A part that may be anything at an end is left out of the search when only the answer
 * counts; where the match is asked for, the program is run as it is.
 */
static void answers_without_spans(void)
{
	static const char *const patterns[] = {
		"(?s)^ab.*$",   "(?s)^.*ab$",    "(?s)^.*ab.*$",
		"(?s).*ab$",    "(?s)^ab.*",     "ab.*$",
		"^.*ab",        "x*ab",          "^x*ab$",
		"abx?",         "(ab|bb)+?a*",   "(?s)\\A(?:.*(?:ab|\\.b))\\z",
		"^ab[^.]*$",    "^a[^.]*b$",     "^(?:ab|b)[^x]*$",
		"^\\bab.*",     "^ab\\b[^.]*$",  "(?s)^ab+.*$",
		"(?m)^ab.*$",   "^(a)(b).*",     "(?s)^(?:.*)$",
		"^ab\\z[^.]*$", "^(?:a|ab)*$",   "^aba*$|^b[^.]*$",
		"[ab]+$",       "[ab]+?\\z",     "[^x]+$",
		"x[ab]+$",      "[ab]*x$|[a]+$", "(?:[ab])+\\z",
	};
	static const char *const texts[] = {
		"",     "ab",    "xab",        "abx",    "ab.x",   "ab\n",
		"\nab", "a\nb",  "x\nab\nx",   "abab",   "bab",    "xxab",
		"b",    "a.b",   "ab\xc3\xa4", "ab\xc3", "abaaaa", "bb.",
		"aba",  "abbbx", "axa",        "xaxbb",
	};
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < BL_COUNT(patterns); i++) {
		const struct bl_regex *regex = NULL;

		REQUIRE(!bl_regex_compile(&arena, bl_str(patterns[i]),
					  BL_REGEX_RE2, &regex, NULL, NULL));
		for (size_t j = 0; j < BL_COUNT(texts); j++) {
			bool answer = false, found = false;
			struct bl_span spans[3];

			CHECK_STATUS(bl_regex_search(regex, &arena,
						     bl_str(texts[j]), 0, NULL,
						     0, &answer),
				     BL_OK);
			CHECK_STATUS(bl_regex_search(regex, &arena,
						     bl_str(texts[j]), 0, spans,
						     3, &found),
				     BL_OK);
			if (answer != found)
				TAP_NOTE("%s of \"%s\"", patterns[i], texts[j]);
			CHECK(answer == found);
		}
	}
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(literals);
	RUN(others);
	RUN(answers_without_spans);
	RUN(searched);
	return tap_end();
}

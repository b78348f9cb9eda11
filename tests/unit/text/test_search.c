/* SPDX-License-Identifier: Apache-2.0 */
/* Matches and groups in RE2's dialect; the table was printed by libre2. */
#include <stdio.h>

#include "base/arena.h"
#include "tap.h"
#include "text/text.h"

/* clang-format off */
static const struct {
	const char *pattern;
	const char *text;
	const char *spans; /* or "no" */
} rows[] = {
	{ "", "", "(0,0)" },
	{ "", "a", "(0,0)" },
	{ "abc", "xabcx", "(1,4)" },
	{ "abc", "ab", "no" },
	{ "a|ab", "ab", "(0,1)" },
	{ "ab|a", "ab", "(0,2)" },
	{ "(a|ab)(c|bcd)(d*)", "abcd", "(0,4)(0,1)(1,4)(4,4)" },
	{ "(a+)(b|c)*?d", "xaabcd", "(1,6)(1,3)(4,5)" },
	{ "(a+)(b|c)*?d", "aad", "(0,3)(0,2)(?)" },
	{ "(a+)(b|c)*?d", "x", "no" },
	{ "^abc$", "abc", "(0,3)" },
	{ "^abc$", "abc\n", "no" },
	{ "^abc$", "xabc", "no" },
	{ "(?m)^b$", "a\nb\nc", "(2,3)" },
	{ "(?m)^b$", "ab", "no" },
	{ "(?m)$", "\n", "(0,0)" },
	{ "\\Aa\\z", "a", "(0,1)" },
	{ "\\Aa\\z", "a\n", "no" },
	{ ".+", "\n\nab\nc", "(2,4)" },
	{ "(?s).+", "a\nb", "(0,3)" },
	{ "(?s)^.$", "\n", "(0,1)" },
	{ "(?U)a+", "aaa", "(0,1)" },
	{ "(?U)a+?", "aaa", "(0,3)" },
	{ "(?i)straSSe", "STRASSE", "(0,7)" },
	{ "(?i)straSSe", "stra\303\237e", "no" },
	{ "(?i)k", "K", "(0,1)" },
	{ "(?i)k", "\342\204\252", "(0,3)" },
	{ "(?i)[k-m]", "\342\204\252", "(0,3)" },
	{ "(?i)[k-m]", "L", "(0,1)" },
	{ "(?i)[k-m]", "n", "no" },
	{ "(?i)\303\237", "\341\272\236", "(0,3)" },
	{ "(?i)\303\237", "ss", "no" },
	{ "(?i)[^s]", "\305\277", "no" },
	{ "(?i)[^s]", "S", "no" },
	{ "(?i)[^s]", "x", "(0,1)" },
	{ "(?i:a)b", "Ab", "(0,2)" },
	{ "(?i:a)b", "AB", "no" },
	{ "a(?i)b|c", "aB", "(0,2)" },
	{ "a(?i)b|c", "C", "(0,1)" },
	{ "a(?i)b|c", "AB", "no" },
	{ "(a(?i)b)c", "aBc", "(0,3)(0,2)" },
	{ "(a(?i)b)c", "aBC", "no" },
	{ "(?i-s:a.)", "A\n", "no" },
	{ "(?i-s:a.)", "Ab", "(0,2)" },
	{ "\\d\\D\\w\\W\\s\\S", "1a_- x", "(0,6)" },
	{ "\\d\\D\\w\\W\\s\\S", "1a_-\013x", "no" },
	{ "\\s", "\013", "no" },
	{ "\\s", "\014", "(0,1)" },
	{ "\\s", " ", "(0,1)" },
	{ "\\s", "\302\240", "no" },
	{ "[[:alpha:]]+", "12abC3", "(2,5)" },
	{ "[[:^alpha:]]+", "ab12c", "(2,4)" },
	{ "[[:space:]]", "\013", "(0,1)" },
	{ "[[:punct:]]+", "ab!?~c", "(2,5)" },
	{ "[[:word:][:cntrl:]]+", "-a_\001-", "(1,4)" },
	{ "[[:xdigit:]]+", "xyzfF09g", "(3,7)" },
	{ "\\pN+", "a12\302\262b", "(1,5)" },
	{ "\\p{Greek}+", "ab\316\261\316\262c", "(2,6)" },
	{ "\\P{Greek}+", "\316\261bc\316\262", "(2,4)" },
	{ "\\p{^Greek}+", "\316\261bc\316\262", "(2,4)" },
	{ "\\pL\\p{Lu}", "aB", "(0,2)" },
	{ "\\pL\\p{Lu}", "ab", "no" },
	{ "[\\p{Cyrillic}\\d]+", "x\320\2207y", "(1,4)" },
	{ "[^\\pL]+", "ab12c", "(2,4)" },
	{ "\\p{Any}", "\n", "(0,1)" },
	{ "\\p{Han}", "\344\270\255", "(0,3)" },
	{ "\\p{Han}", "a", "no" },
	{ "\\p{Zs}", "\302\240", "(0,2)" },
	{ "\\p{Zs}", "\n", "no" },
	{ "\\bfoo\\b", "a foo.", "(2,5)" },
	{ "\\bfoo\\b", "foobar", "no" },
	{ "\\bfoo\\b", "\303\251foo", "(2,5)" },
	{ "\\Boo", "foo", "(1,3)" },
	{ "\\Boo", "oo", "no" },
	{ "x*", "aaa", "(0,0)" },
	{ "x*", "xxa", "(0,2)" },
	{ "(?:x*)*y", "xxy", "(0,3)" },
	{ "(a*)*", "b", "(0,0)(0,0)" },
	{ "(a*)*", "aa", "(0,2)(0,2)" },
	{ "(a*)+", "b", "(0,0)(0,0)" },
	{ "(a*)+", "aa", "(0,2)(0,2)" },
	{ "(|a)*", "aa", "(0,0)(0,0)" },
	{ "(|a)+", "aa", "(0,0)(0,0)" },
	{ "(a|b)*", "abba", "(0,4)(3,4)" },
	{ "(a)|b", "b", "(0,1)(?)" },
	{ "(a)|b", "a", "(0,1)(0,1)" },
	{ "(a)?(b)?", "b", "(0,1)(?)(0,1)" },
	{ "a{2}", "aaa", "(0,2)" },
	{ "a{2}", "a", "no" },
	{ "a{2,}", "aaaa", "(0,4)" },
	{ "a{1,2}?", "aa", "(0,1)" },
	{ "a{0}b", "ab", "(1,2)" },
	{ "(a{0,2}){3}", "aaaaa", "(0,5)(4,5)" },
	{ "a{,2}", "a{,2}", "(0,5)" },
	{ "a{02}", "a{02}", "(0,5)" },
	{ "a{02}", "aa", "no" },
	{ "a{", "a{", "(0,2)" },
	{ "{", "{", "(0,1)" },
	{ "]", "]", "(0,1)" },
	{ "[]a]+", "x]a", "(1,3)" },
	{ "[^]a]+", "]ab]", "(2,3)" },
	{ "[a-]+", "b-a-", "(1,4)" },
	{ "[--a]+", "a.-", "(0,3)" },
	{ "[a\\-z]", "-", "(0,1)" },
	{ "[a\\-z]", "b", "no" },
	{ "\\Qa.b\\E+", "a.bbb", "(0,5)" },
	{ "\\Qa.b\\E+", "axb", "no" },
	{ "\\Q\\", "\\", "(0,1)" },
	{ "\\x41\\x{1F600}", "A\360\237\230\200", "(0,5)" },
	{ "\\101\\07", "A\007", "(0,2)" },
	{ "\\a\\f\\v\\t\\r\\n", "\007\014\013\011\015\n", "(0,6)" },
	{ "\\_\\-\\/", "_-/", "(0,3)" },
	{ "(?P<year>\\d{4})-(?P<month>\\d\\d)", "on 2024-05-06", "(3,10)(3,7)(8,10)" },
	{ "[^\\x00-\\x{10FFFF}]", "a", "no" },
	{ "[^\\x00-\\x{10FFFF}]", "", "no" },
	{ "a[^\\x00-\\x{10FFFF}]|b", "ab", "(1,2)" },
	{ "(?:(?:a))", "a", "(0,1)" },
	{ "^*a", "ba", "(1,2)" },
	{ "$*a", "a", "(0,1)" },
	{ "(^)*a", "ba", "(1,2)(?)" },
	{ "\\b+a", "ba", "no" },
	{ "\\b+a", " a", "(1,2)" },
	{ "rm\\s+-rf\\s+(/\\S*)", "sudo rm  -rf /etc x", "(5,17)(13,17)" },
	{ "(\\w+)@(\\w+)\\.com", "to joe@example.com now", "(3,18)(3,6)(7,14)" },
	{ "\303\251+", "caf\303\251\303\251", "(3,7)" },
	{ "[\303\240-\303\277]+", "caf\303\251\303\251", "(3,7)" },
	{ "\360\237\230\200|\342\202\254", "\342\202\254\360\237\230\200", "(0,3)" },
	{ "(x)(y)?(z)?", "xz", "(0,2)(0,1)(?)(1,2)" },
};
/* clang-format on */

enum { GROUPS_MAX = 8, SPANS_TEXT_BYTES = 256 };

static const struct bl_regex *compile(struct bl_arena *arena,
				      const char *pattern)
{
	const struct bl_regex *regex = NULL;

	CHECK_STATUS(bl_regex_compile(arena, bl_str(pattern), BL_REGEX_RE2,
				      &regex, NULL, NULL),
		     BL_OK);
	return regex;
}

static void print_spans(const struct bl_span *spans, size_t count, char *out)
{
	for (size_t i = 0; i < count; i++) {
		if (spans[i].from == SIZE_MAX)
			out += sprintf(out, "(?)");
		else
			out += sprintf(out, "(%zu,%zu)", spans[i].from,
				       spans[i].to);
	}
}

static void check_row(const char *pattern, const char *text,
		      const char *expected)
{
	struct bl_span spans[GROUPS_MAX], first;
	char printed[SPANS_TEXT_BYTES] = "no";
	bool found, found_first, found_only;
	const struct bl_regex *regex;
	struct bl_arena arena;
	size_t count;

	bl_arena_init(&arena, NULL, 0, 0);
	regex = compile(&arena, pattern);
	REQUIRE(regex != NULL);
	count = bl_regex_group_count(regex) + 1;
	REQUIRE(count <= GROUPS_MAX);
	CHECK_STATUS(bl_regex_search(regex, &arena, bl_str(text), 0, spans,
				     count, &found),
		     BL_OK);
	CHECK_STATUS(bl_regex_search(regex, &arena, bl_str(text), 0, &first, 1,
				     &found_first),
		     BL_OK);
	CHECK_STATUS(bl_regex_search(regex, &arena, bl_str(text), 0, NULL, 0,
				     &found_only),
		     BL_OK);
	if (found)
		print_spans(spans, count, printed);
	if (strcmp(printed, expected) != 0) {
		tap_failures++;
		TAP_NOTE("%s on \"%s\": %s, not %s", pattern, text, printed,
			 expected);
	}
	CHECK(found_first == found && found_only == found);
	if (found)
		CHECK(first.from == spans[0].from && first.to == spans[0].to);
	bl_arena_clear(&arena);
}

static void as_re2(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		check_row(rows[i].pattern, rows[i].text, rows[i].spans);
}

/* Texts long enough for the automaton; what is found follows from how they
 * are made: 5000 times fill, then tail. */
static void long_texts(void)
{
	static const struct {
		const char *pattern;
		const char *fill;
		const char *tail;
		size_t from; /* of the match, in tail; SIZE_MAX: none */
		size_t to;
	} cases[] = {
		{ "needle", "need ", "needle", 0, 6 },
		{ "n[e-]+dle$", "needle ", "n-e-dle", 0, 7 },
		{ "n[e-]+dle$", "needle ", "n-e-dle.", SIZE_MAX, 0 },
		{ "\\bgit\\s+push\\b", "gitpush git pushx ", "git \tpush", 0,
		  9 },
		{ "(?m)^x.y$", "xy\n", "x\u20acy", 0, 5 },
		{ "(?m)^x.y$", "xzzy\n", "x\ny", SIZE_MAX, 0 },
		{ "[\u00e0-\u00ff]{3}", "\u00e9\u00e9a", "\u00e9\u00e9\u00ff",
		  0, 6 },
		{ "(a|b)*c|d", "abab", "abd", 2, 3 },
		{ "a{3,5}?b", "aab ", "aaaaab", 0, 6 },
		{ "\\pL\\d\\z", "a1 ", "\u00df7", 0, 3 },
		{ "(?i)end\\b", "enden ", "eND", 0, 3 },
		{ "^a", "ba", "a", SIZE_MAX, 0 },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		static char text[100000];
		size_t fill = 0, tail = strlen(cases[i].tail);
		struct bl_span span = { 0, 0 };
		struct bl_arena arena;
		const struct bl_regex *regex;
		bool found, only;
		bool expected = cases[i].from != SIZE_MAX;

		for (int n = 0; n < 5000; n++) {
			memcpy(text + fill, cases[i].fill,
			       strlen(cases[i].fill));
			fill += strlen(cases[i].fill);
		}
		memcpy(text + fill, cases[i].tail, tail);
		bl_arena_init(&arena, NULL, 0, 0);
		regex = compile(&arena, cases[i].pattern);
		REQUIRE(regex != NULL);
		bl_regex_search(regex, &arena,
				(struct bl_str){ text, fill + tail }, 0, &span,
				1, &found);
		bl_regex_search(regex, &arena,
				(struct bl_str){ text, fill + tail }, 0, NULL,
				0, &only);
		if (found != expected || only != expected ||
		    (found && (span.from != fill + cases[i].from ||
			       span.to != fill + cases[i].to))) {
			tap_failures++;
			TAP_NOTE("%s: %d %d %zu-%zu, fill %zu",
				 cases[i].pattern, found, only, span.from,
				 span.to, fill);
		}
		bl_arena_clear(&arena);
	}
}

/* The text before from is seen, but nothing starts there. */
static void from_an_offset(void)
{
	struct bl_arena arena;
	struct bl_span span;
	bool found;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_regex_search(compile(&arena, "a"), &arena, BL_STR("aba"), 1, &span,
			1, &found);
	CHECK(found && span.from == 2);
	bl_regex_search(compile(&arena, "^b"), &arena, BL_STR("ab"), 1, &span,
			1, &found);
	CHECK(!found);
	bl_regex_search(compile(&arena, "\\bb"), &arena, BL_STR("ab"), 1, &span,
			1, &found);
	CHECK(!found);
	bl_regex_search(compile(&arena, "(?m)^b"), &arena, BL_STR("a\nb"), 2,
			&span, 1, &found);
	CHECK(found && span.from == 2);
	bl_regex_search(compile(&arena, "x*"), &arena, BL_STR("ab"), 2, &span,
			1, &found);
	CHECK(found && span.from == 2 && span.to == 2);
	bl_regex_search(compile(&arena, "x*"), &arena, BL_STR("ab"), 3, &span,
			1, &found);
	CHECK(!found);
	bl_arena_clear(&arena);
}

/* Each byte that is not UTF-8 is one U+FFFD. */
static void broken_text(void)
{
	struct bl_arena arena;
	struct bl_span span;
	bool found;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_regex_search(compile(&arena, "^a.b$"), &arena,
			BL_STR("a\xff"
			       "b"),
			0, &span, 1, &found);
	CHECK(found);
	bl_regex_search(compile(&arena, "\uFFFD{2}"), &arena,
			BL_STR("x\xe2\x82"), 0, &span, 1, &found);
	CHECK(found && span.from == 1 && span.to == 3);
	bl_regex_search(compile(&arena, "\uFFFD"), &arena, BL_STR("x\xc0"), 0,
			&span, 1, &found);
	CHECK(found && span.from == 1 && span.to == 2);
	bl_regex_search(compile(&arena, "\u20ac"), &arena, BL_STR("\xe2\x82"),
			0, &span, 1, &found);
	CHECK(!found);
	bl_arena_clear(&arena);
}

/* Groups that were not asked for do no harm, nor are too many spans. */
static void span_counts(void)
{
	struct bl_span spans[4];
	const struct bl_regex *regex;
	struct bl_arena arena;
	bool found;

	bl_arena_init(&arena, NULL, 0, 0);
	regex = compile(&arena, "(a)(b)");
	CHECK_INT(bl_regex_group_count(regex), 2);
	bl_regex_search(regex, &arena, BL_STR("xab"), 0, spans, 2, &found);
	CHECK(found && spans[1].from == 1 && spans[1].to == 2);
	bl_regex_search(regex, &arena, BL_STR("xab"), 0, spans, 4, &found);
	CHECK(found && spans[2].from == 2 && spans[3].from == SIZE_MAX);
	regex = compile(&arena, "(a)(?P<two>b)(?<three>c)");
	CHECK_STR(bl_regex_group_name(regex, 1), "");
	CHECK_STR(bl_regex_group_name(regex, 2), "two");
	CHECK_STR(bl_regex_group_name(regex, 3), "three");
	CHECK_STR(bl_regex_group_name(regex, 0), "");
	CHECK_STR(bl_regex_group_name(regex, 4), "");
	bl_arena_clear(&arena);
}

/* A loop of searches must not pile up memory. */
static void memory_is_given_back(void)
{
	struct bl_arena arena;
	const struct bl_regex *regex;
	struct bl_span spans[2];
	size_t used;
	bool found;

	bl_arena_init(&arena, NULL, 0, 0);
	regex = compile(&arena, "(a+)b");
	bl_regex_search(regex, &arena, BL_STR("xaab"), 0, spans, 2, &found);
	used = arena.used_bytes;
	for (int i = 0; i < 10000; i++)
		bl_regex_search(regex, &arena, BL_STR("xaab"), 0, spans, 2,
				&found);
	CHECK_INT(arena.used_bytes, used);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(as_re2);
	RUN(long_texts);
	RUN(from_an_offset);
	RUN(broken_text);
	RUN(span_counts);
	RUN(memory_is_given_back);
	return tap_end();
}

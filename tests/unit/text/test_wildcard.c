/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/text/wildcard.c: by hand, and against fnmatch of the C library, where a
 * pattern has no "**".
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "tap.h"
#include "text/text.h"

enum { PATH = BL_WILDCARD_PATH, BELOW = BL_WILDCARD_PATH | BL_WILDCARD_BELOW };

static const struct {
	const char *pattern;
	const char *text;
	unsigned flags;
	bool matches;
} rows[] = {
	{ "", "", 0, true },
	{ "", "a", 0, false },
	{ "*", "", 0, true },
	{ "*", "a/b", 0, true },
	{ "*", "a/b", PATH, false },
	{ "a?c", "abc", 0, true },
	{ "a?c", "a/c", 0, true },
	{ "a?c", "a/c", PATH, false },
	{ "git_*", "git_push", 0, true },
	{ "*ab", "aab", 0, true },
	{ "*a*b*", "xxbxa", 0, false },
	{ "src/*.c", "src/a.c", PATH, true },
	{ "src/*.c", "src/x/a.c", PATH, false },
	{ "src/**/x*.c", "src/a/b/x1.c", PATH, true },
	{ "src/**/x.c", "src/x.c", PATH, true },
	{ "src/**/x.c", "src/ax.c", PATH, false },
	{ "**/x", "x", PATH, true },
	{ "**/x", "a/x", PATH, true },
	{ "**/x", "ax", PATH, false },
	{ "a**", "a/b/c", PATH, true },
	{ "a/**", "a/", PATH, true },
	{ "a/**", "a", PATH, false },
	{ "**/a/*/b", "a/x/a/y/b", PATH, true },
	{ "**/a*/b/*c", "x/a1/b/a2/b/d/c", PATH, false },
	{ "x/settings*.json", "x/settings.local.json", BELOW, true },
	{ "x/settings*.json", "x/settings.json/y", BELOW, true },
	{ "x/settings*.json", "x/settings.jsonl", BELOW, false },
	{ "x/p*", "x/plugins/a/b", BELOW, true },
	{ "x/p*", "x/plugins/a/b", PATH, false },
	{ "x", "xy", BELOW, false },
	{ "*", "/x", BELOW, false },
};

static void by_hand(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (bl_wildcard_match(bl_str(rows[i].pattern),
				      bl_str(rows[i].text),
				      rows[i].flags) != rows[i].matches) {
			CHECK_STR(bl_str(rows[i].pattern), rows[i].text);
			TAP_NOTE("row %zu", i);
		}
}

static void random_text(char *out, const char *letters, int count)
{
	int len = (int)(random() % 9);

	for (int i = 0; i < len; i++) {
		*out = letters[random() % count];
		/* "**" is not fnmatch's. */
		if (i && out[-1] == '*' && *out == '*')
			*out = 'a';
		out++;
	}
	*out = '\0';
}

static void as_fnmatch(void)
{
	srandom(11);
	for (int i = 0; i < 300000; i++) {
		char pattern[16], text[16];
		bool is_path = i % 2;

		random_text(pattern, "ab*?/", 5);
		random_text(text, "ab/", 3);
		if (bl_wildcard_match(bl_str(pattern), bl_str(text),
				      is_path ? PATH : 0) !=
		    !fnmatch(pattern, text, is_path ? FNM_PATHNAME : 0))
			CHECK_STR(bl_str(pattern), text);
	}
}

/* Many stars and no match: no more than the product of the lengths. */
static void hostile(void)
{
	char pattern[2001], text[20001];

	for (size_t i = 0; i < sizeof(pattern) - 1; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	memset(text, 'a', sizeof(text) - 1);
	pattern[sizeof(pattern) - 1] = text[sizeof(text) - 1] = '\0';
	pattern[sizeof(pattern) - 2] = 'b';
	CHECK(!bl_wildcard_match(bl_str(pattern), bl_str(text), 0));
	CHECK(!bl_wildcard_match(bl_str(pattern), bl_str(text), PATH));
}

int main(void)
{
	RUN(by_hand);
	RUN(as_fnmatch);
	RUN(hostile);
	return tap_end();
}

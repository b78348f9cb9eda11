/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that a pattern needs: worked out by hand from the pattern. */
#include "base/buf.h"
#include "tap.h"
#include "text/text.h"

static void put(void *context, uint32_t choice, struct bl_str text, bool leads)
{
	bl_buf_printf(context, "%u%s%.*s ", (unsigned)choice, leads ? "^" : "=",
		      BL_STR_ARG(text));
}

/* The visited nodes of the pattern: "0^ab 1=c " is ab at the start, and c. */
static void check(const char *pattern, const char *expected)
{
	struct bl_arena arena;
	struct bl_buf got;
	bool any;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&got, 0);
	any = bl_regex_each_required(&arena, bl_str(pattern), BL_REGEX_RE2, put,
				     &got);
	CHECK_STR(bl_buf_str(&got), expected);
	CHECK(any == (expected[0] != '\0'));
	bl_buf_clear(&got);
	bl_arena_clear(&arena);
}

static void runs_of_characters(void)
{
	check("abc", "0=abc ");
	check("^abc", "0^abc ");
	check("^ab\\s+cd$", "0=cd 1^ab ");
	check("ab.*cd", "0=cd 1=ab ");
	check("\\bgit\\b", "0=git ");
	check("(?i)abc", "");
	check("\xc3\xa4.", "0=\xc3\xa4 ");
}

static void what_may_be_missing_is_not_needed(void)
{
	check("ab?", "0=a ");
	check("(ab)*", "");
	check("(ab)+c", "0=c 1=ab ");
	check("a{0,2}b", "0=b ");
	check(".*", "");
	check("", "");
}

static void one_of_several(void)
{
	check("abc|de", "0=de 0=abc ");
	check("^(ab|cd)x", "0=x 1=cd 1=ab ");
	check("ab|[cd]", "");
	check("(ab|c*)d", "0=d ");
	check("^ab|^cd", "0^cd 0^ab ");
}

static void what_is_no_pattern_needs_nothing(void)
{
	check("a(", "");
}

int main(void)
{
	RUN(runs_of_characters);
	RUN(what_may_be_missing_is_not_needed);
	RUN(one_of_several);
	RUN(what_is_no_pattern_needs_nothing);
	return tap_end();
}

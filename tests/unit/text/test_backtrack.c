/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript patterns that are not regular.  Their matches are in
 * tests/conformance/regex_js; here: limits, broken text, refusals. */
#include "tap.h"
#include "text/text.h"

static struct bl_backtrack *compile(const char *pattern)
{
	struct bl_backtrack *backtrack = NULL;

	CHECK_STATUS(
		bl_backtrack_compile(bl_str(pattern), &backtrack, NULL, NULL),
		BL_OK);
	return backtrack;
}

static void limits(void)
{
	struct bl_backtrack *backtrack = compile("(?=a)(a+)+$");
	struct bl_error err = { .message = "" };
	bool found;

	REQUIRE(backtrack != NULL);
	CHECK_STATUS(bl_backtrack_search(
			     backtrack,
			     BL_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"),
			     &found, &err),
		     BL_LIMIT);
	CHECK(strstr(err.message, "too long") != NULL);
	CHECK_STATUS(
		bl_backtrack_search(backtrack, BL_STR("aaa"), &found, &err),
		BL_OK);
	CHECK(found);
	bl_backtrack_free(backtrack);
}

/* Each byte that is not UTF-8 is one U+FFFD. */
static void broken_text(void)
{
	struct bl_backtrack *backtrack = compile("^a(?!b)\\ufffd\\ufffd$");
	bool found = false;

	REQUIRE(backtrack != NULL);
	CHECK_STATUS(bl_backtrack_search(backtrack, BL_STR("a\xff\xc3"), &found,
					 NULL),
		     BL_OK);
	CHECK(found);
	CHECK_STATUS(
		bl_backtrack_search(backtrack, BL_STR("a\xff"), &found, NULL),
		BL_OK);
	CHECK(!found);
	CHECK_STATUS(bl_backtrack_search(backtrack, (struct bl_str){ NULL, 0 },
					 &found, NULL),
		     BL_OK);
	CHECK(!found);
	bl_backtrack_free(backtrack);
}

static void refusals(void)
{
	struct bl_backtrack *backtrack = NULL;
	struct bl_error err = { .message = "" };
	size_t offset = SIZE_MAX;

	CHECK_STATUS(
		bl_backtrack_compile(BL_STR("ab("), &backtrack, &offset, &err),
		BL_SYNTAX);
	CHECK_INT(offset, 2);
	/* JavaScript allows it, PCRE2 wants a fixed length. */
	CHECK_STATUS(bl_backtrack_compile(BL_STR("(?<=a+)b"), &backtrack,
					  &offset, &err),
		     BL_UNSUPPORTED);
	CHECK(strstr(err.message, "PCRE2") != NULL);
	CHECK(backtrack == NULL);
	CHECK(bl_backtrack_free(NULL) == NULL);
}

/* PCRE2 keeps groups where JavaScript forgets them: say so where it shows. */
static void forgotten_groups(void)
{
	static const char *const refused[] = {
		"^(?:(a)|b)*\\1$",   "(?:\\1(a))+",   "(?:(?:(a)){0,1}b\\1)*",
		"(?:(?=(a))?.\\1)*", "(?:(a)|\\1b)*", "(\\1a)+",
	};
	static const char *const taken[] = {
		"(\\w)\\1+", "(?:(\\w)\\1)+", "(a)|b\\1", "\\1(a)", "(a)*\\1",
	};
	struct bl_backtrack *backtrack;
	struct bl_error err;

	for (size_t i = 0; i < BL_COUNT(refused); i++) {
		err.message[0] = '\0';
		CHECK_STATUS(bl_backtrack_compile(bl_str(refused[i]),
						  &backtrack, NULL, &err),
			     BL_UNSUPPORTED);
		CHECK(strstr(err.message, "forgets") != NULL);
	}
	for (size_t i = 0; i < BL_COUNT(taken); i++) {
		backtrack = compile(taken[i]);
		bl_backtrack_free(backtrack);
	}
}

int main(void)
{
	RUN(limits);
	RUN(broken_text);
	RUN(refusals);
	RUN(forgotten_groups);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/compiler/parse/lexer.h"
#include "tap.h"

static struct bl_arena arena;

static void check(const char *piece, enum bl_rego_quoting quoting,
		  const char *wanted)
{
	struct bl_str text = { 0 };
	struct bl_error err = { 0 };
	size_t offset = 0;

	CHECK_STATUS(bl_rego_unescape(&arena, bl_str(piece), quoting, &text,
				      &offset, &err),
		     BL_OK);
	CHECK_STR(text, wanted);
}

static void check_bad(const char *piece, enum bl_rego_quoting quoting,
		      size_t wanted)
{
	struct bl_str text = { 0 };
	struct bl_error err = { 0 };
	size_t offset = 99;

	CHECK_STATUS(bl_rego_unescape(&arena, bl_str(piece), quoting, &text,
				      &offset, &err),
		     BL_SYNTAX);
	CHECK_INT(offset, wanted);
}

static void test_plain(void)
{
	check("", BL_REGO_PLAIN, "");
	check("a\\n\\t\\\\\\/\\\"", BL_REGO_PLAIN, "a\n\t\\/\"");
	check("\\u00e9", BL_REGO_PLAIN, "\xc3\xa9");
	check("\\ud83d\\ude00", BL_REGO_PLAIN, "\xf0\x9f\x98\x80");
	check("\\ud800", BL_REGO_PLAIN, "\xef\xbf\xbd");
}

static void test_templates(void)
{
	check("\\{a\\n", BL_REGO_TEMPLATE, "{a\n");
	check("\\{a\\n", BL_REGO_RAW_TEMPLATE, "{a\\n");
}

static void test_bad(void)
{
	check_bad("ab\\x", BL_REGO_PLAIN, 2);
	check_bad("\\{", BL_REGO_PLAIN, 0);
	check_bad("a\\u12", BL_REGO_PLAIN, 1);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 1 << 20);
	RUN(test_plain);
	RUN(test_templates);
	RUN(test_bad);
	bl_arena_clear(&arena);
	return tap_end();
}

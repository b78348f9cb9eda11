/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages about hook outputs (docs/contracts/everruns.md "Output").
 */
#include "everruns_test.h"

#define PARSE   "hook stdout JSON parse failed:"
#define MISSING "hook decision `mutate` missing `patch`"

static const struct {
	int exit_code;
	const char *output;
	const char *errors;
	const char *outcome;
	const char *reason; /* ends in ":" after a prefix alone */
	const char *user_message;
} cases[] = {
	{ 0, "", "", "allow", "", NULL },
	{ 0, "", "noise", "allow", "", NULL },
	{ 1, "", "why not\n", "block", "why not", NULL },
	{ 1, "", " \xC2\xA0 why \xE2\x80\xA8\n", "block", "why", NULL },
	{ 1, "", "", "block", "hook exited non-zero", NULL },
	{ 127, "", " \n", "block", "hook exited non-zero", NULL },
	{ 0, " \n\t", "", "allow", "", NULL },
	{ 0, "\xC2\xA0\xE3\x80\x80\xE2\x80\xA8", "", "allow", "", NULL },
	{ 3, "\xC2\xA0", "", "block", "hook exited non-zero", NULL },
	{ 0, "{}", "", "allow", "", NULL },
	{ 7, "{}", "x", "allow", "", NULL },
	{ 7, "{\"decision\":\"allow\"}", "", "allow", "", NULL },
	{ 0, "{\"decision\":\"allow\",\"patch\":{},\"reason\":\"r\"}", "",
	  "allow", "", NULL },
	{ 0, "{\"decision\":null,\"reason\":null}", "", "allow", "", NULL },
	{ 0, "{\"reason\":\"only\"}", "", "allow", "", NULL },
	{ 0, "{\"decision\":\"block\"}", "", "block", "hook blocked", NULL },
	{ 0,
	  "{\"decision\":\"block\",\"reason\":\"no\",\"user_message\":"
	  "\"sorry\"}",
	  "", "block", "no", "sorry" },
	{ 7, "{\"decision\":\"block\",\"reason\":\"\"}", "e", "block", "",
	  NULL },
	{ 0, "\xE3\x80\x80{\"decision\":\"block\"}\n ", "", "block",
	  "hook blocked", NULL },
	{ 0, "{\"decision\":\"mutate\",\"patch\":{\"a\":1}}", "", "mutate", "",
	  NULL },
	{ 0, "{\"decision\":\"mutate\",\"patch\":0,\"reason\":\"r\"}", "",
	  "mutate", "r", NULL },
	{ 0, "{\"decision\":\"mutate\",\"patch\":false}", "", "mutate", "",
	  NULL },
	{ 0, "{\"decision\":\"mutate\"}", "", "error", MISSING, NULL },
	{ 0, "{\"decision\":\"mutate\",\"patch\":null}", "", "error", MISSING,
	  NULL },
	{ 0, "{\"decision\":\"deny\"}", "", "error",
	  "unknown hook decision `deny`", NULL },
	{ 0, "{\"decision\":\"Block\"}", "", "error",
	  "unknown hook decision `Block`", NULL },
	{ 0, "{\"decision\":\"\"}", "", "error", "unknown hook decision ``",
	  NULL },
	{ 0, "hello", "", "error",
	  "hook stdout is not JSON (first 80 bytes: hello)", NULL },
	{ 1, "[]\n", "", "error",
	  "hook stdout is not JSON (first 80 bytes: []\n)", NULL },
	{ 0, "{\"decision\":", "", "error", PARSE, NULL },
	{ 0, "{} {}", "", "error", PARSE, NULL },
	{ 0, "{} trailing", "", "error", PARSE, NULL },
	{ 0, "{\"decision\":42}", "", "error",
	  PARSE " `decision` is of type number, not string", NULL },
	{ 0, "{\"reason\":false}", "", "error",
	  PARSE " `reason` is of type boolean, not string", NULL },
	{ 0, "{\"user_message\":[]}", "", "error",
	  PARSE " `user_message` is of type array, not string", NULL },
	{ 0, "{\"decision\":\"block\",\"decision\":\"allow\"}", "", "error",
	  PARSE " duplicate field `decision`", NULL },
	{ 0, "{\"decision\":\"block\",\"\\u0064ecision\":\"allow\"}", "",
	  "error", PARSE " duplicate field `decision`", NULL },
	{ 0, "{\"x\":1,\"x\":2}", "", "allow", "", NULL },
	{ 0, "{\"x\":{\"patch\":1,\"patch\":2},\"decision\":\"block\"}", "",
	  "block", "hook blocked", NULL },
	{ 0, "{\"x\":[\"patch\",\"patch\"],\"y\":1,\"y\":2}", "", "allow", "",
	  NULL },
	{ 0, "{\"reason\":\"\\ud800\"}", "", "error",
	  PARSE " half of a surrogate pair", NULL },
	{ 0, "\xFFgo", "", "error",
	  "hook stdout is not JSON (first 80 bytes: \xEF\xBF\xBDgo)", NULL },
};

static void all(void)
{
	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_everruns_outcome got = { 0 };
		struct bl_str expected = bl_str(cases[i].reason);
		int before = tap_failures;

		CHECK_STATUS(bl_everruns_parse_output(cases[i].exit_code,
						      bl_str(cases[i].output),
						      bl_str(cases[i].errors),
						      &arena, &got, NULL),
			     BL_OK);
		CHECK_STR(bl_str(bl_everruns_outcome_name(got.kind)),
			  cases[i].outcome);
		if (bl_str_is(expected, PARSE))
			CHECK(bl_str_has_prefix(got.reason, expected));
		else
			CHECK_STR(got.reason, cases[i].reason);
		CHECK(!got.user_message.ptr == !cases[i].user_message);
		if (cases[i].user_message)
			CHECK_STR(got.user_message, cases[i].user_message);
		if (tap_failures != before)
			TAP_NOTE("in case %zu", i);
	}
}

/* The excerpt of so many x and then tail. */
static void check_excerpt(size_t count, const char *tail, size_t expected)
{
	static const char before[] = "hook stdout is not JSON (first 80 "
				     "bytes: ";
	struct bl_everruns_outcome got = { 0 };
	char text[200];

	memset(text, 'x', count);
	strcpy(text + count, tail);
	CHECK_STATUS(bl_everruns_parse_output(0, bl_str(text), BL_STR(""),
					      &arena, &got, NULL),
		     BL_OK);
	CHECK_INT(got.reason.len, sizeof(before) - 1 + expected + 1);
}

static void excerpts(void)
{
	check_excerpt(80, "", 80);
	check_excerpt(81, "", 80);
	check_excerpt(79, "\xF0\x9F\x98\x80", 79);
	check_excerpt(76, "\xF0\x9F\x98\x80", 80);
	check_excerpt(77, "\xF0\x9F\x98\x80", 77);
}

/* A patch inside of so many arrays; the object itself is one level. */
static const char *nested(size_t depth, char *text)
{
	size_t at = (size_t)sprintf(text, "{\"patch\":");

	memset(text + at, '[', depth - 1);
	memset(text + at + depth - 1, ']', depth - 1);
	strcpy(text + at + 2 * (depth - 1), ",\"decision\":\"mutate\"}");
	return text;
}

static void depth(void)
{
	struct bl_everruns_outcome got = { 0 };
	char text[400];

	CHECK_STATUS(bl_everruns_parse_output(0, bl_str(nested(128, text)),
					      BL_STR(""), &arena, &got, NULL),
		     BL_OK);
	CHECK_INT(got.kind, BL_EVERRUNS_MUTATED);
	CHECK_STATUS(bl_everruns_parse_output(0, bl_str(nested(129, text)),
					      BL_STR(""), &arena, &got, NULL),
		     BL_OK);
	CHECK_INT(got.kind, BL_EVERRUNS_FAILED);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(all);
	RUN(excerpts);
	RUN(depth);
	bl_arena_clear(&arena);
	return tap_end();
}

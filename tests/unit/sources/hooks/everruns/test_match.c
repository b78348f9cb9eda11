/* SPDX-License-Identifier: Apache-2.0 */
/* Which hooks fire (docs/contracts/everruns.md "Matchers"). */
#include "everruns_test.h"

static const char *const answers[] = {
	[BL_EVERRUNS_FIRES] = "fires",
	[BL_EVERRUNS_NO_MATCH] = "no",
	[BL_EVERRUNS_UNRESOLVED] = "unresolved",
};

#define NAME       "{\"tool_name\":\"bash\"}"
#define ARGS(args) "{\"tool_name\":\"bash\",\"arguments\":" args "}"

/* In the order of fields: name, glob, path, match, deny. */
static const struct {
	const char *field[BL_EVERRUNS_FIELD_COUNT];
	const char *data;
	const char *answer;
} cases[] = {
	{ { NULL }, "{}", "fires" },
	{ { "bash" }, NAME, "fires" },
	{ { "Bash" }, NAME, "no" },
	{ { "bas" }, NAME, "no" },
	{ { NULL, "bash" }, NAME, "fires" },
	{ { NULL, "read|ba*" }, NAME, "fires" },
	{ { NULL, "read|  bash " }, NAME, "fires" },
	{ { NULL, "*" }, NAME, "fires" },
	{ { NULL, "read||" }, NAME, "no" },
	{ { NULL, "" }, NAME, "no" },
	{ { NULL, "bas" }, NAME, "no" },
	{ { "bash", "b*" }, NAME, "fires" },
	{ { "bash", "r*" }, NAME, "no" },
	{ { "read", "b*" }, NAME, "no" },
	{ { NULL, NULL, "$.a.b" }, ARGS("{\"a\":{\"b\":\"x\"}}"), "fires" },
	{ { NULL, NULL, "a..b" }, ARGS("{\"a\":{\"b\":\"x\"}}"), "fires" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"a\":0}"), "fires" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"a\":false}"), "fires" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"a\":[]}"), "fires" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"a\":{}}"), "fires" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"a\":null}"), "no" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"a\":\"\"}"), "no" },
	{ { NULL, NULL, "$.a" }, ARGS("{\"b\":1}"), "unresolved" },
	{ { NULL, NULL, "$.a.0" }, ARGS("{\"a\":[1]}"), "unresolved" },
	{ { NULL, NULL, "$" }, ARGS("{\"a\":[1]}"), "unresolved" },
	{ { NULL, NULL, "$" }, ARGS("{\"$\":1}"), "fires" },
	{ { NULL, NULL, "$.a", "^\\[\"ls\"\\]$" },
	  ARGS("{\"a\":[\"ls\"]}"),
	  "fires" },
	{ { NULL, NULL, "$.a", "rm" }, ARGS("{\"a\":\"x rm y\"}"), "fires" },
	{ { NULL, NULL, "$.a", "^rm" }, ARGS("{\"a\":\"x rm y\"}"), "no" },
	{ { NULL, NULL, "$.a", NULL, "rm" }, ARGS("{\"a\":\"rm\"}"), "fires" },
	{ { NULL, NULL, "$.a", NULL, "rm" }, ARGS("{\"a\":\"ls\"}"), "no" },
	{ { NULL, NULL, "$.a", "^$" }, ARGS("{}"), "fires" },
	{ { NULL, NULL, "$.a", "x" }, ARGS("{}"), "unresolved" },
	{ { NULL, NULL, "$.a", "[[:digit:]]" }, ARGS("{\"a\":5}"), "fires" },
	{ { NULL, NULL, NULL, "a" }, ARGS("{\"a\":\"a\"}"), "no" },
	{ { NULL, NULL, NULL, NULL, "a" }, ARGS("{\"a\":\"a\"}"), "no" },
	{ { NULL, NULL, "$.a", "a", "a" }, ARGS("{\"a\":\"a\"}"), "no" },
	{ { NULL, NULL, "$.a", "(" }, ARGS("{\"a\":\"(\"}"), "no" },
};

static void all(void)
{
	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_everruns_hook hook = { .timeout_ms = 100 };
		enum bl_everruns_match got;

		hook.event = BL_EVERRUNS_PRE_TOOL_USE;
		hook.command = BL_STR("true");
		for (size_t k = 0; k < BL_EVERRUNS_FIELD_COUNT; k++)
			hook.matcher.text[k] = bl_str(cases[i].field[k]);
		bl_everruns_check(rules("everruns"), &hook, &arena);
		got = bl_everruns_match(&hook.matcher, json(cases[i].data),
					&arena);
		if (strcmp(answers[got], cases[i].answer) != 0)
			TAP_NOTE("case %zu", i);
		CHECK_STR(bl_str(answers[got]), cases[i].answer);
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(all);
	bl_arena_clear(&arena);
	return tap_end();
}

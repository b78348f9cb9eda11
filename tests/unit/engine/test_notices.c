/* SPDX-License-Identifier: Apache-2.0 */
/* Notices beside the decision. */
#include "tap.h"

#include "worlds.h"

static void test_lost_refusal(void)
{
	new_world("cursor");
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("echo '{\"permission\":\"deny\"}'; exit 1"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_NONE);
	CHECK(noticed("answered deny, which does not count, since it ended "
		      "with exit code 1"));
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("echo '{\"permission\":\"allow\"}'; exit 1",
			"echo text; exit 1"));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(bl_value_count(reply.notices), 0);
}

#define TOOL                                                                   \
	"{\"hook_event_name\":\"preToolUse\",\"tool_name\":\"Shell\","         \
	"\"tool_input\":{},\"tool_use_id\":\"1\"}"

static void test_lost_updates(void)
{
	new_world("cursor");
	put_hooks(USER, "preToolUse",
		  HOOKS("echo '{\"updated_input\":{\"a\":1}}'",
			"echo '{\"updated_input\":{\"b\":2}}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(TOOL), BL_OK);
	CHECK_STR(json_of(reply.answer), "{\"updated_input\":{\"a\":1}}");
	CHECK(noticed("1 other answers with updated_input do not count"));
}

/* preToolUse accepts ask and does not enforce it (C22). */
static void test_ask_that_is_not_enforced(void)
{
	new_world("cursor");
	put_hooks(USER, "preToolUse", HOOKS("echo '{\"permission\":\"ask\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(TOOL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ASK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_NONE);
	CHECK(noticed("preToolUse cannot do what was decided: ask"));
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_lost_refusal);
	RUN(test_lost_updates);
	RUN(test_ask_that_is_not_enforced);
	CLOSE_WORLD();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The result object of docs/formats/result.md. */
#include "tap.h"

#include "worlds.h"

/* The names of an object's members, joined by blanks. */
static struct bl_str members(struct bl_value object)
{
	struct bl_str names = BL_STR("");

	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str name = bl_value_text(bl_object_key(object, i));

		names = bl_arena_printf(&arena, "%.*s%s%.*s", BL_STR_ARG(names),
					i ? " " : "", BL_STR_ARG(name));
	}
	return names;
}

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static void test_result(void)
{
	struct bl_value result, execution;

	new_world("cursor-2.3");
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("echo no >&2; exit 1", "echo '{\"permission\":\"deny\","
					       "\"user_message\":\"u\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	result = bl_reply_to_value(&reply, &arena);
	CHECK_STR(members(result),
		  "v event kind profile answer decision enforcement executions "
		  "notices recorded");
	CHECK_STR(json_of(member(result, "v")), "1");
	CHECK_STR(text_of(result, "event"), "beforeShellExecution");
	CHECK_STR(text_of(result, "kind"), "shell.before");
	CHECK_STR(text_of(result, "profile"), "cursor-2.3");
	CHECK_STR(json_of(member(result, "answer")),
		  "{\"permission\":\"deny\",\"user_message\":\"u\"}");
	CHECK_STR(text_of(result, "decision"), "deny");
	CHECK_STR(members(member(result, "enforcement")),
		  "verdict code user model error");
	CHECK_STR(text_of(member(result, "enforcement"), "verdict"), "deny");
	CHECK_STR(json_of(member(result, "notices")), "[]");
	CHECK_STR(json_of(member(result, "recorded")), "true");
	execution = bl_value_item(member(result, "executions"), 0);
	CHECK_STR(members(execution),
		  "id source file command outcome effect asked duration_ms "
		  "exit_code reason stderr");
	CHECK_STR(text_of(execution, "outcome"), "exit_code");
	CHECK_STR(text_of(execution, "effect"), "nothing");
	CHECK_STR(text_of(execution, "stderr"), "no\n");
	CHECK_STR(json_of(member(execution, "exit_code")), "1");
	execution = bl_value_item(member(result, "executions"), 1);
	CHECK_STR(text_of(execution, "effect"), "use");
	CHECK_STR(text_of(execution, "asked"), "deny");
}

static void test_signal(void)
{
	struct bl_value execution;

	new_world("cursor");
	put_hooks(USER, "stop", HOOKS("kill -9 $$"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	execution = bl_value_item(
		member(bl_reply_to_value(&reply, &arena), "executions"), 0);
	CHECK_STR(json_of(member(execution, "signal")), "9");
	CHECK(!bl_value_is_defined(member(execution, "exit_code")));
}

static void test_follow_up(void)
{
	struct bl_value result;

	new_world("cursor");
	put_hooks(USER, "stop", HOOKS("echo '{\"followup_message\":\"go\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	result = bl_reply_to_value(&reply, &arena);
	CHECK_STR(json_of(member(result, "enforcement")),
		  "{\"verdict\":\"none\",\"followup\":\"go\"}");
}

static void test_failure(void)
{
	struct bl_error failure;
	struct bl_value result;

	bl_fail(&failure, BL_LIMIT, "too \"much\"");
	result = bl_reply_failure_value(&failure, &arena);
	CHECK_STR(json_of(result),
		  "{\"v\":1,\"answer\":{\"permission\":\"deny\","
		  "\"continue\":false,\"user_message\":\"too \\\"much\\\"\"},"
		  "\"decision\":\"deny\",\"enforcement\":{\"verdict\":\"deny\","
		  "\"code\":\"UNDECIDED\",\"user\":\"too \\\"much\\\"\","
		  "\"model\":\"too \\\"much\\\"\"},\"executions\":[],"
		  "\"notices\":[],\"recorded\":false,\"error\":{"
		  "\"status\":\"LIMIT\",\"message\":\"too \\\"much\\\"\"}}");
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_result);
	RUN(test_signal);
	RUN(test_follow_up);
	RUN(test_failure);
	CLOSE_WORLD();
	return tap_end();
}

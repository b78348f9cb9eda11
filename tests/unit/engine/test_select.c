/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that are held back: trust, broken files, prompt hooks, matchers. */
#include "tap.h"

#include "trust/trust.h"
#include "worlds.h"

#define DENY "echo '{\"permission\":\"deny\"}'"

static void test_untrusted(void)
{
	struct bl_value *entries;
	struct bl_str remedy;

	new_world("cursor");
	options.trust_all = false;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS("touch ran"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	REQUIRE(reply.execution_count == 1);
	CHECK_INT(reply.executions[0].match, BL_MATCH_UNTRUSTED);
	CHECK_INT(reply.executions[0].outcome.kind, BL_OUTCOME_UNTRUSTED);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_NONE);
	remedy = bl_arena_printf(&arena, "belay trust add %s/w1", place);
	CHECK(noticed(remedy.ptr));
	CHECK(access("w1/ran", F_OK) != 0);
	REQUIRE(read_journal(&entries) == 1);
	CHECK_STR(text_of(entries[0], "outcome"), "untrusted");
	CHECK(!bl_value_is_defined(
		bl_object_find(entries[0], BL_STR("duration_ms"))));
	/* an event that the file has no hook for says nothing */
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	CHECK_INT(bl_value_count(reply.notices), 0);
}

/* Trusts w1 as it is now, pinned. */
static void trust_project(void)
{
	struct bl_trust_commands commands = { .dir = at("w1") };
	struct bl_trust_pins pins = { NULL, 0 };
	struct bl_str text = { NULL, 0 };
	struct bl_trust_record record = { .workspace = at("w1"),
					  .mode = BL_TRUST_PINNED };

	bl_os_read_file(at(PROJECT_1), 0, 1 << 20, &arena, &text, NULL, NULL);
	CHECK_STATUS(bl_trust_make_pins(at(PROJECT_1), text, &commands, &arena,
					&pins, &error),
		     BL_OK);
	record.pins = pins.items;
	record.pin_count = pins.count;
	CHECK_STATUS(bl_trust_add(at("home"), &record, &error), BL_OK);
}

static void test_trusted(void)
{
	new_world("cursor");
	options.trust_all = false;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	trust_project();
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK_INT(bl_value_count(reply.notices), 0);
}

static void test_changed(void)
{
	new_world("cursor");
	options.trust_all = false;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	trust_project();
	put_hooks(PROJECT_1, "beforeShellExecution",
		  HOOKS("echo '{\"permission\":\"allow\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.executions[0].outcome.kind, BL_OUTCOME_CHANGED);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ASK);
	CHECK(has(reply.decision.user_message, "belay trust add"));
	CHECK(noticed("belay trust add"));
	/* where the step cannot ask, it refuses */
	put_hooks(PROJECT_1, "preToolUse", HOOKS(DENY));
	trust_project();
	put_hooks(PROJECT_1, "preToolUse", HOOKS("echo '{}'"));
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"preToolUse\"}"), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
}

/* A guard that is gone from its file, or with it, is asked about as well. */
static void test_changed_file_without_the_hook(void)
{
	new_world("cursor");
	options.trust_all = false;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	trust_project();
	put_hooks(PROJECT_1, "stop", HOOKS(DENY));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK(bl_engine_has_hook(engine, BL_STR("beforeShellExecution")));
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ASK);
	REQUIRE(reply.execution_count == 1);
	CHECK_INT(reply.executions[0].hook->command.len, 0);
	unlink(at(PROJECT_1).ptr);
	CHECK_STATUS(bl_engine_reload(engine, &error), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ASK);
	/* what cannot be refused is not asked about */
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"sessionEnd\"}"), BL_OK);
	CHECK_INT(reply.execution_count, 0);
}

/* ---- broken files ------------------------------------------------------- */

static void check_broken_managed(const char *profile)
{
	struct bl_value *entries;

	new_world(profile);
	put(ENTERPRISE, "{\"version\":1,\"hooks\":5}");
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("echo '{\"permission\":\"allow\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK(bl_engine_has_hook(engine, BL_STR("beforeReadFile")));
	CHECK(!bl_engine_has_hook(engine, BL_STR("afterFileEdit")));
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.executions[0].outcome.kind, BL_OUTCOME_BROKEN_SOURCE);
	CHECK(!reply.executions[0].ran);
	CHECK(reply.executions[1].ran);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
	CHECK(has(reply.decision.user_message, at(ENTERPRISE).ptr));
	CHECK(has(reply.decision.user_message, "Config hooks must be an"));
	CHECK(has(json_of(reply.answer), "\"permission\":\"deny\""));
	REQUIRE(read_journal(&entries) == 2);
	CHECK_STR(text_of(entries[0], "outcome"), "broken_source");
	CHECK_STR(text_of(entries[0], "asked"), "deny");
	CHECK_STR(text_of(entries[1], "asked"), "allow");
	CHECK_STR(text_of(entries[1], "enforced"), "deny");
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"afterFileEdit\"}"),
		     BL_OK);
	CHECK_INT(reply.execution_count, 0);
	CHECK(noticed("Config hooks must be an object"));
}

static void test_broken_managed(void)
{
	check_broken_managed("cursor");
	check_broken_managed("cursor-2.3");
}

static void test_unsafe_managed(void)
{
	new_world("cursor");
	put_hooks(ENTERPRISE, "stop", HOOKS("true"));
	chmod(at(ENTERPRISE).ptr, 0666);
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
}

static void test_broken_user_file(void)
{
	new_world("cursor");
	put(USER, "{\"version\":0,\"hooks\":{}}");
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(DENY));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK_INT(reply.execution_count, 1);
	CHECK(noticed(at(USER).ptr));
	CHECK(noticed("Config version must be a positive integer"));
}

/* ---- single hooks ------------------------------------------------------- */

#define ONE(entry)                                                             \
	"{\"version\":1,\"hooks\":{\"beforeShellExecution\":[" entry "]}}"

static void test_prompt_hooks(void)
{
	new_world("cursor");
	put(USER, ONE("{\"type\":\"prompt\",\"prompt\":\"is it safe?\"}"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	REQUIRE(reply.execution_count == 1);
	CHECK_INT(reply.executions[0].outcome.kind, BL_OUTCOME_NOT_SUPPORTED);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_NONE);
	CHECK(noticed("prompt hooks need a model"));
}

static void test_matchers(void)
{
	new_world("cursor");
	put(USER, ONE("{\"command\":\"exit 2\",\"matcher\":\"^rm\"},"
		      "{\"command\":\"echo '{}'\",\"matcher\":\"^l\"}"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK(bl_engine_has_hook(engine, BL_STR("beforeShellExecution")));
	CHECK(!bl_engine_has_hook(engine, BL_STR("stop")));
	CHECK(!bl_engine_has_hook(engine, BL_STR("nope")));
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.execution_count, 1);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_NONE);
}

/* A catastrophic pattern is cut short, and then the hook runs. */
static void test_matcher_that_reaches_a_limit(void)
{
	struct bl_str payload = bl_arena_printf(
		&arena,
		"{\"hook_event_name\":\"beforeShellExecution\","
		"\"command\":\"%s\"}",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");

	new_world("cursor");
	put(USER, ONE("{\"command\":\"exit 2\","
		      "\"matcher\":\"^(?=(a+)+$)(a|aa)+$\"}"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(payload.ptr), BL_OK);
	REQUIRE(reply.execution_count == 1);
	CHECK_INT(reply.executions[0].match, BL_MATCH_RUNS_LIMIT);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK(noticed("without its matcher"));
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_untrusted);
	RUN(test_trusted);
	RUN(test_changed);
	RUN(test_changed_file_without_the_hook);
	RUN(test_broken_managed);
	RUN(test_unsafe_managed);
	RUN(test_broken_user_file);
	RUN(test_prompt_hooks);
	RUN(test_matchers);
	RUN(test_matcher_that_reaches_a_limit);
	CLOSE_WORLD();
	return tap_end();
}

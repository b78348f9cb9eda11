/* SPDX-License-Identifier: Apache-2.0 */
/* Whole events: order, combination, enforcement. */
#include "tap.h"

#include "worlds.h"

#define DENY(text)                                                             \
	"echo '{\"permission\":\"deny\",\"user_message\":\"" text "\"}'"
#define ALLOW "echo '{\"permission\":\"allow\"}'"

static void test_no_hooks(void)
{
	struct bl_value *entries;

	new_world("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_NONE);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_NONE);
	CHECK_STR(json_of(reply.answer), "{}");
	CHECK_INT(reply.execution_count, 0);
	CHECK_INT(bl_value_count(reply.notices), 0);
	CHECK(reply.recorded);
	/* nothing was executed, so there is nothing to record */
	CHECK_INT(read_journal(&entries), 0);
}

/*
 * Recorded (docs/contracts/cursor.md "Merging"): texts of the refusing hooks,
 * in configuration order.
 */
static void test_four_hooks_two_refusing(void)
{
	new_world("cursor");
	put_hooks(PROJECT_1, "beforeShellExecution",
		  HOOKS(ALLOW, "sleep 0.2; echo first >&2; exit 2"));
	put_hooks(USER, "beforeShellExecution", HOOKS(ALLOW, DENY("second")));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.execution_count, 4);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_DENY);
	CHECK_STR(reply.decision.user_message,
		  "Hook blocked with message: first\n\n---\n\nsecond");
	CHECK_INT(reply.executions[0].effect, BL_EFFECT_USE);
	CHECK_INT(reply.executions[1].effect, BL_EFFECT_DENY);
	CHECK_INT(reply.executions[3].effect, BL_EFFECT_USE);
	CHECK_STR(bl_str(reply.enforcement.code), "REJECTED_BY_HOOK");
	CHECK(bl_str_has_prefix(reply.enforcement.user_text,
				BL_STR("Command execution was blocked by a "
				       "hook: Hook blocked with message: "
				       "first")));
}

static void test_order_of_sources(void)
{
	static const char *const files[] = { ENTERPRISE, PROJECT_1, PROJECT_2,
					     USER };

	new_world("cursor");
	for (size_t i = 0; i < BL_COUNT(files); i++)
		put_hooks(files[i], "beforeShellExecution", HOOKS(ALLOW));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.execution_count, 4);
	for (size_t i = 0; i < BL_COUNT(files); i++)
		CHECK_STR(reply.executions[i].hook->file->path,
			  at(files[i]).ptr);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ALLOW);
}

static void test_same_command_in_two_sources(void)
{
	struct bl_str ran = { NULL, 0 };
	const char *command;

	new_world("cursor");
	command = bl_arena_printf(&arena, "echo x >>%s/ran; echo '{}'", place)
			  .ptr;
	put_hooks(PROJECT_1, "beforeShellExecution", HOOKS(command));
	put_hooks(USER, "beforeShellExecution", HOOKS(command));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	bl_os_read_file(at("ran"), 0, 100, &arena, &ran, NULL, NULL);
	CHECK_STR(ran, "x\nx\n");
}

static void test_folders_of_commands(void)
{
	struct bl_str ran = { NULL, 0 };
	struct bl_str expected;

	new_world("cursor");
	put_hooks(PROJECT_2, "stop", HOOKS("pwd >>../ran"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	bl_os_read_file(at("ran"), 0, 1000, &arena, &ran, NULL, NULL);
	expected = bl_arena_printf(&arena, "%s/w2\n", place);
	CHECK_STR(ran, expected.ptr);
}

static void test_first_valid_wins_in_2_3(void)
{
	new_world("cursor-2.3");
	put_hooks(PROJECT_1, "beforeShellExecution",
		  HOOKS("echo text",
			"echo '{\"permission\":\"allow\",\"x\":[1.50]}'"));
	put_hooks(USER, "beforeShellExecution", HOOKS(DENY("late")));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_INT(reply.decision.verdict, BL_VERDICT_ALLOW);
	CHECK_STR(json_of(reply.answer),
		  "{\"permission\":\"allow\",\"x\":[1.50]}");
	CHECK_INT(reply.execution_count, 3);
	CHECK_INT(reply.executions[0].outcome.kind, BL_OUTCOME_NOT_JSON);
	CHECK_INT(reply.executions[2].outcome.kind, BL_OUTCOME_SKIPPED);
	CHECK(!reply.executions[2].ran);
}

/* docs/contracts/cursor-2.3.41.md "Refusals", word by word. */
static void test_refusal_of_2_3(void)
{
	new_world("cursor-2.3");
	put_hooks(USER, "beforeShellExecution",
		  HOOKS("echo '{\"permission\":\"deny\",\"user_message\":\"u\""
			",\"agent_message\":\"a\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(SHELL), BL_OK);
	CHECK_STR(bl_str(reply.enforcement.code), "REJECTED_BY_HOOK");
	CHECK_STR(reply.enforcement.user_text,
		  "Command execution was blocked by a hook: u");
	CHECK_STR(reply.enforcement.model_text,
		  "The terminal command was rejected by a hook that prevents "
		  "execution of this command: a. Do not attempt to work around "
		  "this restriction using alternative methods or commands.");
}

static void test_prompt(void)
{
	new_world("cursor");
	put_hooks(USER, "beforeSubmitPrompt",
		  HOOKS("echo '{\"continue\":false,\"user_message\":\"no\"}'"));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"beforeSubmitPrompt\","
			      "\"prompt\":\"x\"}"),
		     BL_OK);
	CHECK_INT(reply.enforcement.verdict, BL_VERDICT_DENY);
	CHECK_STR(bl_str(reply.enforcement.code), "ERROR_HOOKS_BLOCKED");
}

/* ---- stop --------------------------------------------------------------- */

#define STOP(count)                                                            \
	"{\"hook_event_name\":\"stop\",\"status\":\"completed\","              \
	"\"loop_count\":" count "}"
#define FOLLOW_UP "touch ../../ran; echo '{\"followup_message\":\"again\"}'"

static void test_follow_up(void)
{
	new_world("cursor");
	put_hooks(USER, "stop", HOOKS(FOLLOW_UP));
	CHECK_STATUS(open_engine(), BL_OK);
	CHECK_STATUS(dispatch(STOP("4")), BL_OK);
	CHECK_STR(reply.enforcement.followup, "again");
	CHECK(access("ran", F_OK) == 0);
	CHECK_STATUS(dispatch(STOP("5")), BL_OK);
	CHECK_INT(reply.enforcement.followup.len, 0);
	CHECK_INT(reply.executions[0].outcome.kind, BL_OUTCOME_LOOP_LIMIT);
	CHECK(noticed("loop_count 5 has reached its limit of 5"));
}

/* Section 6, 7: the text is interface. */
#define LIMIT_TEXT                                                             \
	"Stop hook auto-loop limit reached (loop_count=%s). Skipping stop "    \
	"hooks"

static void test_loop_limit_of_2_3(void)
{
	struct bl_value *entries;
	static const char *const counts[] = { "5", "6", "5.5" };
	char expected[128];

	new_world("cursor-2.3");
	put_hooks(USER, "stop", HOOKS(FOLLOW_UP, FOLLOW_UP));
	CHECK_STATUS(open_engine(), BL_OK);
	for (size_t i = 0; i < BL_COUNT(counts); i++) {
		char payload[128];

		snprintf(payload, sizeof(payload), STOP("%s"), counts[i]);
		snprintf(expected, sizeof(expected), LIMIT_TEXT, counts[i]);
		CHECK_STATUS(dispatch(payload), BL_OK);
		CHECK_STR(json_of(reply.answer), "{}");
		CHECK_INT(bl_value_count(reply.notices), 1);
		CHECK_STR(bl_value_text(bl_value_item(reply.notices, 0)),
			  expected);
	}
	CHECK(access("ran", F_OK) != 0);
	CHECK_INT(read_journal(&entries), 6);
	CHECK_STR(text_of(entries[5], "reason"), expected);
	CHECK_STR(text_of(entries[5], "outcome"), "loop_limit");
	CHECK_STATUS(dispatch(STOP("4.5")), BL_OK);
	CHECK_STR(json_of(reply.answer), "{\"followup_message\":\"again\"}");
	CHECK_STATUS(dispatch("{\"hook_event_name\":\"stop\"}"), BL_OK);
	CHECK_STR(json_of(reply.answer), "{\"followup_message\":\"again\"}");
}

/* ---- explain ------------------------------------------------------------ */

static void test_explain(void)
{
	struct bl_request request = { .payload = BL_STR(SHELL) };
	struct bl_value *entries;

	new_world("cursor");
	put(USER, "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"x\"}],"
		  "\"beforeShellExecution\":[{\"command\":\"touch ../../ran\"},"
		  "{\"command\":\"y\",\"matcher\":\"^rm\"}]}}");
	CHECK_STATUS(open_engine(), BL_OK);
	bl_reply_clear(&reply);
	CHECK_STATUS(
		bl_engine_explain(engine, &request, &arena, &reply, &error),
		BL_OK);
	REQUIRE(reply.execution_count == 3);
	CHECK_INT(reply.executions[0].match, BL_MATCH_OTHER_EVENT);
	CHECK_INT(reply.executions[1].match, BL_MATCH_RUNS);
	CHECK_INT(reply.executions[2].match, BL_MATCH_NO_MATCH);
	CHECK(access("ran", F_OK) != 0);
	CHECK_INT(read_journal(&entries), 0);
}

/* ---- the 26 shapes ------------------------------------------------------ */

#define SHAPES "../shared/corpus/cursor-payload-shapes.jsonl"

static char shapes_path[4096];

/* Every step answers "{}": each payload gets through, in both profiles. */
static void dispatch_shapes(const char *profile, struct bl_str shapes,
			    size_t expected_known)
{
	size_t known = 0;
	size_t lines = 0;
	size_t at_byte = 0;

	new_world(profile);
	CHECK_STATUS(open_engine(), BL_OK);
	while (at_byte < shapes.len) {
		size_t end = bl_str_find(shapes, BL_STR("\n"), at_byte);
		struct bl_str line = bl_str_slice(shapes, at_byte, end);
		enum bl_status status = dispatch_as("", line);

		if (end == SIZE_MAX)
			end = shapes.len;
		at_byte = end + 1;
		lines++;
		known += status == BL_OK;
		if (status != BL_OK && status != BL_NOT_FOUND) {
			tap_failures++;
			TAP_NOTE("%s: %s", profile, error.message);
		}
	}
	CHECK_INT(lines, 26);
	CHECK_INT(known, expected_known);
}

/* Read with a hook on every step of the profile. */
static void put_hook_of_every_step(const char *profile)
{
	const struct bl_profile *rules = bl_profile_find(bl_str(profile));
	const struct bl_contract *agent = bl_contract_get(rules->dialect);
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"version\":1,\"hooks\":{");
	for (size_t i = 0; i < agent->event_count; i++)
		bl_buf_printf(&text,
			      "%s\"%s\":[{\"command\":\"cat >got; "
			      "echo '{}'\"}]",
			      i ? "," : "", agent->events[i].name);
	bl_buf_puts(&text, "}}");
	put(USER, text.ptr);
	bl_buf_clear(&text);
}

static struct bl_str read_shapes(void)
{
	struct bl_str text = { NULL, 0 };

	bl_os_read_file(bl_str(shapes_path), 0, 1 << 20, &arena, &text, NULL,
			NULL);
	return text;
}

/* Of the 26 lines, those that name a step of 2.3.41: each of the 12 once. */
enum { SHAPES_OF_2_3 = 12 };

static void test_shapes(void)
{
	struct bl_str shapes = read_shapes();

	dispatch_shapes("cursor", shapes, 26);
	dispatch_shapes("cursor-2.3", shapes, SHAPES_OF_2_3);
}

static void test_shapes_reach_the_hook(void)
{
	struct bl_str shapes = read_shapes();
	size_t at_byte = 0;

	new_world("cursor");
	put_hook_of_every_step("cursor");
	CHECK_STATUS(open_engine(), BL_OK);
	while (at_byte < shapes.len) {
		size_t end = bl_str_find(shapes, BL_STR("\n"), at_byte);
		struct bl_str line = bl_str_slice(shapes, at_byte, end);
		struct bl_str got = { NULL, 0 };
		struct bl_value a, b;

		if (end == SIZE_MAX)
			end = shapes.len;
		at_byte = end + 1;
		CHECK_STATUS(dispatch_as("", line), BL_OK);
		REQUIRE(reply.execution_count == 1);
		CHECK_INT(reply.executions[0].outcome.kind,
			  BL_OUTCOME_ANSWERED);
		bl_os_read_file(at("home/.cursor/got"), 0, 1 << 20, &arena,
				&got, NULL, NULL);
		CHECK_STATUS(bl_json_read(&arena, line, NULL, &a, NULL, NULL,
					  &error),
			     BL_OK);
		CHECK_STATUS(
			bl_json_read(&arena, got, NULL, &b, NULL, NULL, &error),
			BL_OK);
		for (size_t i = 0; i < bl_value_count(a); i++) {
			struct bl_value key = bl_object_key(a, i);

			/* The service's own workspaces replace those. */
			if (!bl_str_is(bl_value_text(key), "workspace_roots"))
				CHECK(bl_value_equal(
					bl_object_value(a, i),
					bl_object_find_value(b, key)));
		}
	}
}

static bool find_shapes(void)
{
	return realpath(SHAPES, shapes_path) != NULL;
}

int main(void)
{
	bool has_shapes = find_shapes();

	REQUIRE_PLACE();
	RUN(test_no_hooks);
	RUN(test_four_hooks_two_refusing);
	RUN(test_order_of_sources);
	RUN(test_same_command_in_two_sources);
	RUN(test_folders_of_commands);
	RUN(test_first_valid_wins_in_2_3);
	RUN(test_refusal_of_2_3);
	RUN(test_prompt);
	RUN(test_follow_up);
	RUN(test_loop_limit_of_2_3);
	RUN(test_explain);
	if (has_shapes) {
		RUN(test_shapes);
		RUN(test_shapes_reach_the_hook);
	} else {
		printf("ok %d # SKIP ../shared not found\n", ++tap_count);
	}
	CLOSE_WORLD();
	return tap_end();
}

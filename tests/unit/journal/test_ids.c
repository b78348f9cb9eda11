/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "logs.h"

static void test_dir(void)
{
	struct bl_str dir;

	unsetenv("XDG_STATE_HOME");
	CHECK_STATUS(bl_journal_dir(&arena, BL_STR("/h"), &dir, &error), BL_OK);
	CHECK_STR(dir, "/h/.local/state/belay");
	setenv("XDG_STATE_HOME", "/x", 1);
	CHECK_STATUS(bl_journal_dir(&arena, BL_STR("/h"), &dir, &error), BL_OK);
	CHECK_STR(dir, "/x/belay");
	setenv("XDG_STATE_HOME", "x", 1);
	CHECK_STATUS(bl_journal_dir(&arena, BL_STR("/h"), &dir, &error), BL_OK);
	CHECK_STR(dir, "/h/.local/state/belay");
	unsetenv("XDG_STATE_HOME");
}

static void test_new_ids(void)
{
	char ids[200][BL_JOURNAL_ID_BYTES];
	size_t equal = 0;

	for (size_t i = 0; i < 200; i++) {
		CHECK_STATUS(bl_journal_new_id(ids[i], &error), BL_OK);
		CHECK_INT(strlen(ids[i]), 26);
		CHECK_INT(
			strspn(ids[i], "0123456789abcdefghijklmnopqrstuvwxyz"),
			9);
		CHECK(ids[i][9] == '-');
		CHECK_INT(
			strspn(ids[i] + 10, "0123456789abcdefghijklmnopqrstuv"),
			16);
		for (size_t j = 0; j < i; j++)
			equal += !strcmp(ids[i], ids[j]);
	}
	CHECK_INT(equal, 0);
}

/* The time of an id, read back, is now. */
static void test_time_of_an_id(void)
{
	int64_t before = bl_os_wall_ms();
	char id[BL_JOURNAL_ID_BYTES];
	int64_t time;

	CHECK_STATUS(bl_journal_new_id(id, &error), BL_OK);
	id[9] = '\0';
	time = strtoll(id, NULL, 36);
	CHECK(time >= before && time <= bl_os_wall_ms());
}

static struct bl_str action(enum bl_event_kind kind, const char *payload)
{
	char id[BL_JOURNAL_ID_BYTES];
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(payload), NULL, &value, NULL,
				  NULL, &error),
		     BL_OK);
	bl_journal_action_id(kind, value, id);
	CHECK_INT(strlen(id), 32);
	return bl_arena_copy_str(&arena, bl_str(id));
}

#define C "{\"conversation_id\":\"c\","

/*
 * Pairs of events: are they of one action (docs/contracts/cursor.md "One
 * action")?
 */
static const struct {
	bool same;
	enum bl_event_kind a;
	const char *payload_a;
	enum bl_event_kind b;
	const char *payload_b;
} pairs[] = {
	{ true, BL_EVENT_TOOL_BEFORE,
	  C "\"tool_name\":\"Shell\",\"tool_input\":{\"command\":\"ls\","
	    "\"cwd\":\"\",\"timeout\":30000}}",
	  BL_EVENT_SHELL_BEFORE, C "\"command\":\"ls\",\"cwd\":\"/w\"}" },
	{ true, BL_EVENT_SHELL_AFTER, C "\"command\":\"ls\",\"output\":\"x\"}",
	  BL_EVENT_TOOL_AFTER,
	  C "\"tool_name\":\"Shell\",\"tool_input\":{\"command\":\"ls\"}}" },
	{ true, BL_EVENT_TOOL_FAILED,
	  C "\"tool_name\":\"Shell\",\"tool_input\":{\"command\":\"ls\"}}",
	  BL_EVENT_SHELL_BEFORE, C "\"command\":\"ls\"}" },
	{ true, BL_EVENT_TOOL_BEFORE,
	  C "\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"/a\"}}",
	  BL_EVENT_READ_BEFORE, C "\"file_path\":\"/a\",\"content\":\"x\"}" },
	{ true, BL_EVENT_TOOL_BEFORE,
	  C "\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\"/a\","
	    "\"content\":\"bye\"}}",
	  BL_EVENT_EDIT_AFTER, C "\"file_path\":\"/a\",\"edits\":[]}" },
	{ true, BL_EVENT_TOOL_BEFORE,
	  C "\"tool_name\":\"MCP:find\",\"tool_input\":{\"b\":1,\"a\":2}}",
	  BL_EVENT_MCP_BEFORE,
	  C "\"tool_name\":\"find\",\"tool_input\":\"{\\\"a\\\": 2, "
	    "\\\"b\\\": 1.0}\",\"command\":\"npx x\"}" },
	{ true, BL_EVENT_TOOL_BEFORE,
	  C "\"tool_name\":\"MCP:run\",\"tool_input\":{\"command\":\"x\"}}",
	  BL_EVENT_MCP_AFTER,
	  C "\"tool_name\":\"run\","
	    "\"tool_input\":\"{\\\"command\\\":\\\"x\\\"}\"}" },
	{ false, BL_EVENT_SHELL_BEFORE, C "\"command\":\"ls\"}",
	  BL_EVENT_SHELL_BEFORE,
	  "{\"conversation_id\":\"d\",\"command\":\"ls\"}" },
	{ false, BL_EVENT_SHELL_BEFORE, C "\"command\":\"ls\"}",
	  BL_EVENT_SHELL_BEFORE, C "\"command\":\"ls -l\"}" },
	{ false, BL_EVENT_SHELL_BEFORE, C "\"command\":\"/a\"}",
	  BL_EVENT_READ_BEFORE, C "\"file_path\":\"/a\"}" },
	{ false, BL_EVENT_MCP_BEFORE,
	  C "\"tool_name\":\"find\",\"tool_input\":\"not json\"}",
	  BL_EVENT_MCP_BEFORE,
	  C "\"tool_name\":\"find\",\"tool_input\":\"not json 2\"}" },
	{ false, BL_EVENT_PROMPT, C "\"generation_id\":\"1\"}", BL_EVENT_PROMPT,
	  C "\"generation_id\":\"2\"}" },
	{ false, BL_EVENT_PROMPT, C "\"generation_id\":\"1\"}", BL_EVENT_STOP,
	  C "\"generation_id\":\"1\"}" },
};

static void test_actions(void)
{
	for (size_t i = 0; i < BL_COUNT(pairs); i++) {
		struct bl_str a = action(pairs[i].a, pairs[i].payload_a);
		struct bl_str b = action(pairs[i].b, pairs[i].payload_b);

		if (bl_str_equal(a, b) == pairs[i].same)
			continue;
		tap_failures++;
		TAP_NOTE("%s and %s", pairs[i].payload_a, pairs[i].payload_b);
	}
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_dir);
	RUN(test_new_ids);
	RUN(test_time_of_an_id);
	RUN(test_actions);
	place_close();
	return tap_end();
}

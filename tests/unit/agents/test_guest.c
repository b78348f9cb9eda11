/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guest's tables, and what no table of tests/conformance/guest shows:
 * telling agents apart (docs/contracts/agents.md "Detection"), answers without
 * an event, limits.
 */
#include "agents_test.h"

static struct bl_value read_json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	bl_json_read(&arena, bl_str(text), NULL, &value, NULL, NULL, NULL);
	return value;
}

/* ---- names -------------------------------------------------------------- */

static void agents_have_names(void)
{
	static const char *const names[BL_AGENT_COUNT] = { "cursor", "claude",
							   "factory",
							   "opencode" };
	enum bl_agent agent;

	for (size_t i = 0; i < BL_AGENT_COUNT; i++) {
		CHECK_STR(bl_str(bl_agent_name((enum bl_agent)i)), names[i]);
		CHECK(bl_agent_parse(bl_str(names[i]), &agent));
		CHECK_INT(agent, i);
	}
	CHECK(!bl_agent_parse(BL_STR("Cursor"), &agent));
	CHECK(!bl_agent_parse(BL_STR(""), &agent));
}

static void rows_are_whole(void)
{
	for (size_t i = 0; i < BL_AGENT_COUNT; i++) {
		size_t count;
		const struct bl_guest_event *events =
			bl_guest_events((enum bl_agent)i, &count);

		CHECK(count > 0);
		for (size_t j = 0; j < count; j++) {
			CHECK(events[j].name[0]);
			CHECK(events[j].shape != NULL);
			for (size_t k = 0; k < j; k++)
				CHECK(strcmp(events[j].name, events[k].name));
		}
	}
	for (size_t i = 0; i < BL_GUEST_LOSS_COUNT; i++) {
		CHECK(bl_guest_loss_id((enum bl_guest_loss)i)[0]);
		CHECK(bl_guest_loss_text((enum bl_guest_loss)i)[0]);
	}
	CHECK_STR(bl_str(bl_tool_kind_name(BL_TOOL_NONE)), "");
	CHECK_STR(bl_str(bl_tool_kind_name(BL_TOOL_FILE_READ)), "file.read");
	CHECK(strlen(bl_tool_kind_purpose(BL_TOOL_SHELL)) > 0);
}

/* 20.4: prompt, stop and session events are always open. */
static void failures_close_what_can_be_stopped(void)
{
	static const struct {
		const char *event;
		bool closed;
	} rows[] = {
		{ "PreToolUse", true },
		{ "PermissionRequest", true },
		{ "UserPromptSubmit", false },
		{ "Stop", false },
		{ "SessionStart", false },
		{ "PostToolUse", false },
		{ "Newer", true },
	};
	const struct bl_guest_facts facts = { .detected_by = NULL };

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_guest_request request;
		struct bl_error err;
		struct bl_str text = bl_arena_printf(
			&arena, "{\"hook_event_name\":\"%s\"}", rows[i].event);

		REQUIRE(!bl_guest_decode(BL_AGENT_CLAUDE, read_json(text.ptr),
					 &facts, &arena, &request, &err));
		CHECK_INT(bl_guest_fails_closed(request.event), rows[i].closed);
	}
}

/* ---- which agent -------------------------------------------------------- */

static const char *set_name; /* the one variable that is set */

static struct bl_str fake_getenv(const char *name)
{
	if (set_name && !strcmp(name, set_name))
		return BL_STR("1");
	return (struct bl_str){ NULL, 0 };
}

static void agents_are_told_apart(void)
{
	static const struct {
		const char *payload;
		const char *variable;
		int agent; /* BL_AGENT_COUNT: nothing tells */
	} rows[] = {
		{ "{\"cursor_version\":\"3\"}", "CLAUDECODE", BL_AGENT_CURSOR },
		{ "{\"conversation_id\":\"c\",\"generation_id\":\"g\"}", NULL,
		  BL_AGENT_CURSOR },
		{ "{\"hook_event_name\":\"beforeShellExecution\"}", NULL,
		  BL_AGENT_CURSOR },
		{ "{\"hookEventName\":\"Stop\",\"sessionId\":\"s\","
		  "\"permissionMode\":\"off\"}",
		  NULL, BL_AGENT_FACTORY },
		{ "{\"hook_event_name\":\"Stop\",\"session_id\":\"s\","
		  "\"transcript_path\":\"t\"}",
		  "FACTORY_PROJECT_DIR", BL_AGENT_FACTORY },
		{ "{\"hook_event_name\":\"Stop\",\"session_id\":\"s\","
		  "\"transcript_path\":\"t\"}",
		  NULL, BL_AGENT_CLAUDE },
		{ "{\"hook_event_name\":\"Stop\"}", "CLAUDE_CODE_SESSION_ID",
		  BL_AGENT_CLAUDE },
		{ "{\"hook_event_name\":\"PreToolUse\",\"tool\":\"bash\","
		  "\"args\":{}}",
		  NULL, BL_AGENT_OPENCODE },
		{ "{\"hook_event_name\":\"Stop\"}", "CLAUDE_PROJECT_DIR",
		  BL_AGENT_COUNT },
		{ "{}", NULL, BL_AGENT_COUNT },
		{ "[]", NULL, BL_AGENT_COUNT },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		enum bl_agent agent = BL_AGENT_COUNT;
		const char *evidence = NULL;
		bool is_told;

		set_name = rows[i].variable;
		is_told = bl_agent_detect(read_json(rows[i].payload),
					  fake_getenv, &agent, &evidence);
		CHECK_INT(agent, rows[i].agent);
		CHECK_INT(is_told, rows[i].agent != BL_AGENT_COUNT);
		CHECK_INT(evidence != NULL, is_told);
	}
}

/* ---- answers ------------------------------------------------------------ */

static void an_emergency_refuses_without_an_event(void)
{
	struct bl_guest_answer answer;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_guest_emergency(BL_AGENT_CLAUDE, BL_STR("no JSON"), &buf, &answer);
	CHECK_INT(answer.exit_code, 2);
	CHECK_STR(answer.output, "");
	CHECK_STR(answer.errors, "no JSON");
	bl_guest_emergency(BL_AGENT_OPENCODE, BL_STR("a \"b\""), &buf, &answer);
	CHECK_INT(answer.exit_code, 0);
	CHECK_STR(answer.output,
		  "{\"decision\":\"block\",\"reason\":\"a \\\"b\\\"\"}\n");
	CHECK_STR(answer.errors, "");
	bl_buf_clear(&buf);

	bl_buf_init(&buf, 4);
	bl_guest_emergency(BL_AGENT_OPENCODE, BL_STR("too long"), &buf,
			   &answer);
	CHECK_INT(answer.exit_code, 2);
	bl_guest_emergency(BL_AGENT_CURSOR, BL_STR("too long"), &buf, &answer);
	CHECK_STR(answer.errors, "out of memory");
	bl_buf_clear(&buf);
}

/* Each arena limit either suffices, or is reported. */
static void memory_running_out_is_reported(void)
{
	const struct bl_guest_facts facts = { .cwd = BL_STR("/w") };
	const struct bl_guest_options options = { .is_strict = false };
	struct bl_value payload = read_json(
		"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
		"\"tool_input\":{\"command\":\"rm  /a/b ./c\"}}");
	struct bl_ruling ruling = {
		.verb = BL_RULING_MODIFY,
		.reason = BL_STR("R"),
		.agent_reason = BL_STR("A"),
		.context = read_json("[\"c\",\"d\"]"),
		.updated_input = read_json("{\"command\":\"x\"}"),
	};
	bool was_enough = false;
	bool was_short = false;

	for (size_t bytes = 1; bytes < 16384; bytes += 7) {
		struct bl_arena small;
		char *first = malloc(bytes);
		struct bl_guest_request request;
		struct bl_guest_answer answer;
		struct bl_error err;
		enum bl_status status;

		REQUIRE(first);
		bl_arena_init(&small, first, bytes, 1);
		status = bl_guest_decode(BL_AGENT_CLAUDE, payload, &facts,
					 &small, &request, &err);
		if (!status)
			status = bl_guest_encode(&request, &ruling, &options,
						 &small, &answer, &err);
		if (status) {
			CHECK_STATUS(status, BL_LIMIT);
			was_short = true;
		} else {
			CHECK_STR(answer.output,
				  "{\"hookSpecificOutput\":{"
				  "\"additionalContext\":\"A\\nc\\nd\","
				  "\"hookEventName\":\"PreToolUse\","
				  "\"permissionDecision\":\"allow\","
				  "\"permissionDecisionReason\":\"R\","
				  "\"updatedInput\":{\"command\":\"x\"}}}\n");
			was_enough = true;
		}
		bl_arena_clear(&small);
		free(first);
	}
	CHECK(was_short);
	CHECK(was_enough);
}

static void too_many_paths_are_refused(void)
{
	const struct bl_guest_facts facts = { .cwd = BL_STR("/w") };
	struct bl_guest_request request;
	struct bl_error err;

	for (size_t count = 1000; count <= 1001; count++) {
		struct bl_buf buf;

		bl_buf_init(&buf, 0);
		bl_buf_puts(&buf,
			    "{\"hook_event_name\":\"beforeShellExecution\","
			    "\"command\":\"rm");
		for (size_t i = 0; i < count; i++)
			bl_buf_puts(&buf, " /a");
		bl_buf_puts(&buf, "\"}");
		CHECK_STATUS(bl_guest_decode(BL_AGENT_CURSOR,
					     read_json(buf.ptr), &facts, &arena,
					     &request, &err),
			     count > 1000 ? BL_LIMIT : BL_OK);
		bl_buf_clear(&buf);
	}
}

/* A patch goes deep, and what it does not name stays. */
static void the_full_input_is_merged(void)
{
	const struct bl_guest_facts facts = { .cwd = BL_STR("/w") };
	const struct bl_guest_options options = { .is_strict = false };
	struct bl_ruling ruling = {
		.verb = BL_RULING_MODIFY,
		.reason = BL_STR("R"),
		.updated_input = read_json("{\"b\":{\"y\":2},\"d\":[9]}"),
	};
	struct bl_guest_request request;
	struct bl_guest_answer answer;
	struct bl_error err;

	REQUIRE(!bl_guest_decode(
		BL_AGENT_CLAUDE,
		read_json("{\"hook_event_name\":\"PreToolUse\",\"tool_name\":"
			  "\"X\",\"tool_input\":{\"a\":1,\"b\":{\"x\":1,\"y\":"
			  "1},\"d\":[1,2]}}"),
		&facts, &arena, &request, &err));
	REQUIRE(!bl_guest_encode(&request, &ruling, &options, &arena, &answer,
				 &err));
	CHECK_STR(answer.output,
		  "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
		  "\"permissionDecision\":\"allow\","
		  "\"permissionDecisionReason\":\"R\",\"updatedInput\":{\"a\":"
		  "1,\"b\":{\"x\":1,\"y\":2},\"d\":[9]}}}\n");
	CHECK_INT(answer.effect, BL_RULING_MODIFY);
	CHECK_INT(answer.exit_code, 0);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(agents_have_names);
	RUN(rows_are_whole);
	RUN(failures_close_what_can_be_stopped);
	RUN(agents_are_told_apart);
	RUN(an_emergency_refuses_without_an_event);
	RUN(memory_running_out_is_reported);
	RUN(too_many_paths_are_refused);
	RUN(the_full_input_is_merged);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where belay is an agent's hook: the tables, and what no table of
 * tests/conformance/agents shows: telling agents apart, responses without an
 * event, limits.
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
	struct bl_buf buf;

	for (size_t i = 0; bl_agents[i]; i++) {
		CHECK(bl_agent_find(bl_str(bl_agents[i]->name)) ==
		      bl_agents[i]);
		CHECK_INT(bl_agent_index(bl_agents[i]), i);
	}
	CHECK(!bl_agent_find(BL_STR("Cursor")));
	CHECK(!bl_agent_find(BL_STR("")));
	bl_buf_init(&buf, 0);
	for (size_t i = 0; bl_agents[i]; i++)
		bl_buf_printf(&buf, "%s ", bl_agents[i]->name);
	CHECK_STR(bl_buf_str(&buf),
		  "cursor claude factory opencode codex copilot gemini qwen "
		  "cline vscode tabnine antigravity windsurf devin kiro kilo "
		  "amp augment goose crush grok junie trae qoder codebuddy "
		  "openhands kimi vibe hermes continue dockeragent cortex "
		  "commandcode muse bob letta mcp ");
	bl_buf_clear(&buf);
}

/* How an agent writes the names of its tools, by the name of its shell. */
static void names_in_another_case(void)
{
	static const struct {
		const char *agent; /* NULL: any */
		const char *name;
		const char *meant; /* NULL: nothing is said */
		enum bl_tool_kind kind;
	} rows[] = {
		{ "claude", "bash", "Bash", BL_TOOL_SHELL },
		{ "claude", "webfetch", "WebFetch", BL_TOOL_WEB_FETCH },
		{ "claude", "Bash", NULL, BL_TOOL_NONE },
		{ "claude", "apply_patch", NULL, BL_TOOL_NONE },
		{ "cursor", "shell", "Shell", BL_TOOL_SHELL },
		{ "crush", "Bash", "bash", BL_TOOL_SHELL },
		{ "crush", "bash", NULL, BL_TOOL_NONE },
		/* Policies see its tools under Claude's names. */
		{ "opencode", "read", "Read", BL_TOOL_FILE_READ },
		/* Its events name no tool. */
		{ "windsurf", "bash", NULL, BL_TOOL_NONE },
		{ NULL, "bash", "Bash", BL_TOOL_SHELL },
		{ NULL, "Bash", "bash", BL_TOOL_SHELL },
		{ NULL, "mine", NULL, BL_TOOL_NONE },
		{ NULL, "", NULL, BL_TOOL_NONE },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		enum bl_tool_kind kind = BL_TOOL_NONE;
		const struct bl_agent *agent =
			rows[i].agent ? bl_agent_find(bl_str(rows[i].agent))
				      : NULL;
		const char *meant = bl_agent_recased_tool(
			agent, bl_str(rows[i].name), &kind);

		CHECK_STR(bl_str(meant), rows[i].meant ? rows[i].meant : "");
		CHECK_INT(kind, rows[i].kind);
	}
}

static void rows_are_whole(void)
{
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_agent *agent = bl_agents[i];
		const struct bl_hook_event *events = agent->events;

		REQUIRE(i < BL_AGENT_MAX);
		CHECK(agent->title[0]);
		/* Clients of MCP servers have a proxy instead. */
		CHECK(agent->registration || !strcmp(agent->name, "mcp"));
		CHECK(agent->event_count > 0);
		CHECK(agent->unknown.response != NULL);
		for (size_t j = 0; j < agent->event_count; j++) {
			CHECK(events[j].name[0]);
			CHECK(events[j].response != NULL);
			CHECK(bl_agent_find_event(agent,
						  bl_str(events[j].name)) ==
			      &events[j]);
		}
	}
	for (size_t i = 0; i < BL_DEGRADATION_COUNT; i++) {
		CHECK(bl_degradation_id((enum bl_degradation)i)[0]);
		CHECK(bl_degradation_text((enum bl_degradation)i)[0]);
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
	const struct bl_agent_facts facts = { .detected_by = NULL };

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_agent_request request;
		struct bl_error err;
		struct bl_str text = bl_arena_printf(
			&arena, "{\"hook_event_name\":\"%s\"}", rows[i].event);

		REQUIRE(!bl_agent_decode(AGENT("claude"), read_json(text.ptr),
					 &facts, &arena, &request, &err));
		CHECK_INT(bl_hook_event_fails_closed(request.event),
			  rows[i].closed);
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
		const char *agent; /* NULL: nothing tells */
	} rows[] = {
		{ "{\"cursor_version\":\"3\"}", "CLAUDECODE", "cursor" },
		{ "{\"conversation_id\":\"c\",\"generation_id\":\"g\"}", NULL,
		  "cursor" },
		{ "{\"hook_event_name\":\"beforeShellExecution\"}", NULL,
		  "cursor" },
		{ "{\"hookEventName\":\"Stop\",\"sessionId\":\"s\","
		  "\"permissionMode\":\"off\"}",
		  NULL, "factory" },
		{ "{\"hook_event_name\":\"Stop\",\"session_id\":\"s\","
		  "\"transcript_path\":\"t\"}",
		  "FACTORY_PROJECT_DIR", "factory" },
		{ "{\"hook_event_name\":\"Stop\",\"session_id\":\"s\","
		  "\"transcript_path\":\"t\"}",
		  NULL, "claude" },
		{ "{\"hook_event_name\":\"Stop\"}", "CLAUDE_CODE_SESSION_ID",
		  "claude" },
		{ "{\"hook_event_name\":\"PreToolUse\",\"tool\":\"bash\","
		  "\"args\":{}}",
		  NULL, "opencode" },
		{ "{\"hookName\":\"tool_call\",\"taskId\":\"t\"}", NULL,
		  "cline" },
		{ "{\"hookEventName\":\"Stop\",\"sessionId\":\"s\","
		  "\"timestamp\":\"t\"}",
		  NULL, "vscode" },
		{ "{\"conversationId\":\"c\",\"workspacePaths\":[]}", NULL,
		  "antigravity" },
		{ "{\"agent_action_name\":\"pre_run_command\"}", NULL,
		  "windsurf" },
		{ "{\"hook_event_name\":\"Stop\"}", "DEVIN_PROJECT_DIR",
		  "devin" },
		{ "{\"event\":\"Stop\",\"session_id\":\"g\","
		  "\"matcher_context\":null}",
		  NULL, "goose" },
		{ "{\"hookEventName\":\"Stop\",\"workspaceRoot\":\"/r\"}", NULL,
		  "grok" },
		{ "{\"hook_event_name\":\"pre_tool_call\",\"profile\":\"p\","
		  "\"extra\":{}}",
		  NULL, "hermes" },
		{ "{\"hook_event_name\":\"Stop\"}", "CLAUDE_PROJECT_DIR",
		  NULL },
		{ "{}", NULL, NULL },
		{ "[]", NULL, NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_agent *agent;
		const char *evidence = NULL;

		set_name = rows[i].variable;
		agent = bl_agent_detect(read_json(rows[i].payload), fake_getenv,
					&evidence);
		CHECK_STR(bl_str(agent ? agent->name : NULL),
			  rows[i].agent ? rows[i].agent : "");
		CHECK_INT(evidence != NULL, rows[i].agent != NULL);
	}
}

/* ---- answers ------------------------------------------------------------ */

static void an_emergency_refuses_without_an_event(void)
{
	struct bl_response answer;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_agent_emergency(AGENT("claude"), BL_STR("no JSON"), &buf, &answer);
	CHECK_INT(answer.exit_code, 2);
	CHECK_STR(answer.output, "");
	CHECK_STR(answer.errors, "no JSON");
	bl_agent_emergency(AGENT("cline"), BL_STR("no JSON"), &buf, &answer);
	CHECK_INT(answer.exit_code, 0);
	CHECK_STR(answer.output,
		  "{\"cancel\":true,\"errorMessage\":\"no JSON\"}\n");
	bl_agent_emergency(AGENT("antigravity"), BL_STR("x"), &buf, &answer);
	CHECK_STR(answer.output, "{\"decision\":\"deny\",\"reason\":\"x\"}\n");
	bl_agent_emergency(AGENT("opencode"), BL_STR("a \"b\""), &buf, &answer);
	CHECK_INT(answer.exit_code, 0);
	CHECK_STR(answer.output,
		  "{\"decision\":\"block\",\"reason\":\"a \\\"b\\\"\"}\n");
	CHECK_STR(answer.errors, "");
	bl_buf_clear(&buf);

	bl_buf_init(&buf, 4);
	bl_agent_emergency(AGENT("opencode"), BL_STR("too long"), &buf,
			   &answer);
	CHECK_INT(answer.exit_code, 2);
	bl_agent_emergency(AGENT("cursor"), BL_STR("too long"), &buf, &answer);
	CHECK_STR(answer.errors, "out of memory");
	bl_buf_clear(&buf);
}

/* Each arena limit either suffices, or is reported. */
static void memory_running_out_is_reported(void)
{
	const struct bl_agent_facts facts = { .cwd = BL_STR("/w") };
	const struct bl_response_options options = { .is_strict = false };
	struct bl_value payload = read_json(
		"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
		"\"tool_input\":{\"command\":\"rm  /a/b ./c\"}}");
	struct bl_decision decision = {
		.verdict = BL_VERDICT_ALLOW,
		.attributes = BL_REWRITES,
		.user_message = BL_STR("R"),
		.agent_message = BL_STR("A"),
		.additional_context = read_json("[\"c\",\"d\"]"),
		.updated_input = read_json("{\"command\":\"x\"}"),
	};
	bool was_enough = false;
	bool was_short = false;

	for (size_t bytes = 1; bytes < 16384; bytes += 7) {
		struct bl_arena small;
		char *first = malloc(bytes);
		struct bl_agent_request request;
		struct bl_response answer;
		struct bl_error err;
		enum bl_status status;

		REQUIRE(first);
		bl_arena_init(&small, first, bytes, 1);
		status = bl_agent_decode(AGENT("claude"), payload, &facts,
					 &small, &request, &err);
		if (!status)
			status = bl_agent_encode(&request, &decision, &options,
						 &small, &answer, &err);
		if (status) {
			CHECK_STATUS(status, BL_LIMIT);
			was_short = true;
		} else {
			CHECK_STR(answer.output,
				  "{\"hookSpecificOutput\":{"
				  "\"additionalContext\":\"R\\nA\\nc\\nd\","
				  "\"hookEventName\":\"PreToolUse\","
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
	const struct bl_agent_facts facts = { .cwd = BL_STR("/w") };
	struct bl_agent_request request;
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
		CHECK_STATUS(bl_agent_decode(AGENT("cursor"),
					     read_json(buf.ptr), &facts, &arena,
					     &request, &err),
			     count > 1000 ? BL_LIMIT : BL_OK);
		bl_buf_clear(&buf);
	}
}

/* A patch goes deep, and what it does not name stays. */
static void the_full_input_is_merged(void)
{
	const struct bl_agent_facts facts = { .cwd = BL_STR("/w") };
	const struct bl_response_options options = { .is_strict = false };
	struct bl_decision decision = {
		.verdict = BL_VERDICT_ALLOW,
		.attributes = BL_REWRITES,
		.user_message = BL_STR("R"),
		.updated_input = read_json("{\"b\":{\"y\":2},\"d\":[9]}"),
	};
	struct bl_agent_request request;
	struct bl_response answer;
	struct bl_error err;

	REQUIRE(!bl_agent_decode(
		AGENT("claude"),
		read_json("{\"hook_event_name\":\"PreToolUse\",\"tool_name\":"
			  "\"X\",\"tool_input\":{\"a\":1,\"b\":{\"x\":1,\"y\":"
			  "1},\"d\":[1,2]}}"),
		&facts, &arena, &request, &err));
	REQUIRE(!bl_agent_encode(&request, &decision, &options, &arena, &answer,
				 &err));
	CHECK_STR(answer.output,
		  "{\"hookSpecificOutput\":{\"additionalContext\":\"R\","
		  "\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"a\":"
		  "1,\"b\":{\"x\":1,\"y\":2},\"d\":[9]}}}\n");
	CHECK_INT(answer.effect, BL_VERB_MODIFY);
	CHECK_INT(answer.exit_code, 0);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(agents_have_names);
	RUN(names_in_another_case);
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goose: rows only (docs/contracts/agents.md "Goose"; by its source, not run).
 * "decision": "block" refuses at any exit status; Goose reads no decision in
 * any other output but "allow", so belay is silent otherwise.  `on_failure` makes the
 * hook refuse when it fails.
 */
#include "agents/rows.h"

static const struct response_part block[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", EVERYTHING),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = { FORM(block), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(block), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = { FORM(block), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { .is_silent = true,
			       .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

#define SILENT bl_exit_2_silent_response

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE, tool_response),
	EVENT("PreToolUseResult", NOTIFICATION, 0, SILENT),
	EVENT("PostToolUse", TOOL_AFTER, 0, SILENT),
	EVENT("PostToolUseFailure", TOOL_FAILED, 0, SILENT),
	EVENT("UserPromptSubmit", PROMPT, 0, SILENT),
	EVENT("SessionStart", SESSION_START, 0, SILENT),
	EVENT("SessionEnd", SESSION_END, 0, SILENT),
	EVENT("BeforeReadFile", NOTIFICATION, 0, SILENT),
	EVENT("AfterFileEdit", NOTIFICATION, 0, SILENT),
	EVENT("BeforeShellExecution", NOTIFICATION, 0, SILENT),
	EVENT("AfterShellExecution", NOTIFICATION, 0, SILENT),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "goose-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "event", "session_id", "matcher_context" },
		     "payload: event and matcher_context" } },
	.fields = {
		[PAYLOAD_EVENT] = { "event", "hook_event_name" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_CWD] = { "working_dir", "cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_input" },
		[PAYLOAD_CALL_ID] = { "tool_call_id" },
		[PAYLOAD_OUTPUT] = { "tool_response", "tool_output" },
		[PAYLOAD_ERROR] = { "error" },
		[PAYLOAD_PROMPT] = { "message" },
		[PAYLOAD_MESSAGE] = { "last_assistant_message" },
	},
	.path_fields = { "path", "file_path" },
	.mcp_between = "__",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".agents/plugins",
	.global_folder = ".config/goose",
	.files = { { ".agents/plugins/belay/hooks/hooks.json",
		     ".agents/plugins/belay/hooks/hooks.json" } },
	.timeout = 20,
	.fails_closed_key = "on_failure",
	.fails_closed_word = "block",
	/* the folder that goose was started in */
	.project = "",
	.entries = {
		{ "PreToolUse", .fails_closed = true },
		{ "PostToolUse" },
		{ "UserPromptSubmit" },
		{ "Stop" },
	},
	.canary = "{\"event\":\"PreToolUse\",\"session_id\":\"canary\","
		  "\"matcher_context\":\"developer__shell\",\"tool_name\":"
		  "\"developer__shell\",\"tool_input\":{\"command\":@command},"
		  "\"working_dir\":@cwd}",
};

const struct bl_agent bl_agent_goose = {
	.name = "goose",
	.title = "Goose",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &tool_response },
	.payload = &payload_rows,
	.registration = &registration,
};

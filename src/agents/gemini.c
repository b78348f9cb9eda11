/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gemini CLI: rows only (docs/contracts/agents.md "Gemini CLI").  A flat form
 * of its own: `decision` and `reason` at the top.  A question hangs a run
 * without a person, so it refuses; context before a tool is dropped, so a
 * refusal says everything in its reason.
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

static const struct response_part deny[] = {
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", EVERYTHING),
};
/* tool_input is taken for the whole input. */
static const struct response_part tool_modify[] = {
	NAMED,
	PART(SPECIFIC, "tool_input", FULL_INPUT),
};
static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	NAMED,
};
static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
};

const struct bl_response_shape bl_gemini_tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { FORM(deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

const struct bl_response_shape bl_gemini_tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* The reason becomes the next prompt. */
const struct bl_response_shape bl_gemini_stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

const struct bl_response_shape bl_gemini_unknown_response = {
	"unknown",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { FORM(deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("BeforeTool", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_REWRITE,
	      bl_gemini_tool_response),
	EVENT("AfterTool", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_gemini_tool_after_response),
	EVENT("BeforeAgent", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("AfterAgent", STOP, BL_CAN_CONTINUE, bl_gemini_stop_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("PreCompress", COMPACT, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "gemini-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "GEMINI_SESSION_ID" },
		     "environment: GEMINI_SESSION_ID" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_TRANSCRIPT] = { "transcript_path" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_input" },
		[PAYLOAD_OUTPUT] = { "tool_response" },
		[PAYLOAD_ERROR] = { "tool_response.error", "error" },
		[PAYLOAD_PROMPT] = { "prompt" },
		[PAYLOAD_MESSAGE] = { "prompt_response", "message" },
		[PAYLOAD_STOP_ACTIVE] = { "stop_hook_active" },
		[PAYLOAD_SERVER] = { "mcp_context.server_name" },
	},
	.path_fields = { "file_path", "path", "dir_path" },
	.folder_field = "dir_path",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".gemini",
	.global_folder = ".gemini",
	.files = { { ".gemini/settings.json", ".gemini/settings.json",
		     "etc/gemini-cli/settings.json" } },
	.off_key = "hooksConfig.enabled",
	.consent = BL_CONSENT_USUAL_FOLDER,
	.timeout = 20000, /* milliseconds */
	.closes_by_status = true,
	/* with braces, or Gemini puts a quoted path inside the quotes */
	.project = "\"${GEMINI_PROJECT_DIR}\"/",
	.variable = "GEMINI_PROJECT_DIR",
	.entries = {
		{ "BeforeTool", "*", .fails_closed = true },
		{ "AfterTool", "*" },
		{ "BeforeAgent" },
		{ "SessionStart" },
		{ "AfterAgent" },
	},
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"BeforeTool\",\"tool_name\":\"run_shell_command\","
		  "\"tool_input\":{\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_gemini = {
	.name = "gemini",
	.title = "Gemini CLI",
	.measured = "0.61.0",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &bl_gemini_unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

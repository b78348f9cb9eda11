/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JetBrains' Junie: rows only (docs/contracts/agents.md "Junie"; by its
 * documents, not run).  A flat form of its own.  Payloads are thin: no session,
 * no folder.  Only the user's file is read, not the project's.
 */
#include "agents/rows.h"

static const struct response_part ask[] = {
	CONSTANT(TOP, "decision", "ask"),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct response_part context[] = {
	PART(TOP, "additionalContext", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "additionalContext", TOLD),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(ask), .effect = ASKS },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct bl_response_shape start_response = {
	"start",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_ASK | BL_CAN_CONTEXT, tool_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT, start_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("StopFailure", STOP_FAILED, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "junie-hooks",
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".junie",
	.global_folder = ".junie",
	.files = { { NULL, ".junie/config.json" } },
	.timeout = 20,
	.closes_by_status = true,
	.program = "junie",
	.entries = {
		{ "PreToolUse", .fails_closed = true },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("Bash"),
};

const struct bl_agent bl_agent_junie = {
	.name = "junie",
	.title = "Junie",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

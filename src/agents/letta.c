/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Letta Code: rows only (docs/contracts/agents.md "Letta Code"; by its
 * documents, not run).  Claude Code's older events; time-outs in milliseconds.
 * Letta means to replace hooks by modules of JavaScript.
 */
#include "agents/rows.h"

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_exit_2_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_exit_2_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_exit_2_stop_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_exit_2_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "letta-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "LETTA_AGENT_ID" },
		     "environment: LETTA_AGENT_ID" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".letta",
	.global_folder = ".letta",
	.files = { { ".letta/settings.json", ".letta/settings.json" } },
	.settings = {
		[BL_SCOPE_PROJECT] = { ".letta/settings.local.json" },
	},
	.timeout = 20000, /* milliseconds */
	.closes_by_status = true,
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.program = "letta",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("Bash"),
};

const struct bl_agent bl_agent_letta = {
	.name = "letta",
	.title = "Letta Code",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

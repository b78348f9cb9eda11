/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Continue's command-line program: rows only (docs/contracts/agents.md
 * "Continue"; by its documents, not run).  Claude Code's form, whose file it
 * reads, too.  The end of a turn always says that a hook kept it going, so belay
 * does not keep it going twice.
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
	.dialect = "continue-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "CONTINUE_PROJECT_DIR" },
		     "environment: CONTINUE_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path", "filepath" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".continue",
	.global_folder = ".continue",
	.files = { { ".continue/settings.json", ".continue/settings.json" } },
	.timeout = 20,
	.closes_by_status = true,
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("Bash"),
};

const struct bl_agent bl_agent_continue = {
	.name = "continue",
	.title = "Continue",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command Code: rows only (docs/contracts/agents.md "Command Code"; by its
 * documents, not run).  Claude Code's form with four events; before a tool it
 * can be refused, no more.
 */
#include "agents/rows.h"

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_exit_2_tool_after_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_exit_2_stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "command-code-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "COMMANDCODE_PROJECT_DIR" },
		     "environment: COMMANDCODE_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path", "filePath" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".commandcode",
	.global_folder = ".commandcode",
	.files = { { ".commandcode/settings.json",
		     ".commandcode/settings.json" } },
	.settings = {
		[BL_SCOPE_PROJECT] = { ".commandcode/settings.local.json" },
	},
	.timeout = 20,
	.closes_by_status = true,
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.program = "command-code",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("shell_command"),
};

const struct bl_agent bl_agent_commandcode = {
	.name = "commandcode",
	.title = "Command Code",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

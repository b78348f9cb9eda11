/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Qoder's command-line program: rows only (docs/contracts/agents.md "Qoder"; by
 * its documents, not run).  Claude Code's events and form; an answer whose
 * hookSpecificOutput does not name its event is dropped as a whole, so every one
 * does, and a refusal is exit status 2.
 */
#include "agents/rows.h"

#define REFUSE  BL_CAN_REFUSE
#define CONTEXT BL_CAN_CONTEXT
#define RESULT  (BL_CAN_FEEDBACK | BL_CAN_CONTEXT)

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, REFUSE, bl_exit_2_tool_response),
	EVENT("PermissionRequest", PERMISSION, REFUSE, bl_exit_2_tool_response),
	EVENT("PermissionDenied", PERMISSION_DENIED, 0,
	      bl_claude_notice_response),
	EVENT("PostToolUse", TOOL_AFTER, RESULT, bl_exit_2_tool_after_response),
	EVENT("PostToolUseFailure", TOOL_FAILED, RESULT,
	      bl_exit_2_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, REFUSE | CONTEXT,
	      bl_exit_2_prompt_response),
	EVENT("SessionStart", SESSION_START, CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_exit_2_stop_response),
	EVENT("StopFailure", STOP_FAILED, 0, bl_claude_notice_response),
	EVENT("SubagentStart", SUBAGENT_START, CONTEXT,
	      bl_claude_context_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_exit_2_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("PostCompact", COMPACTED, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "qoder-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "QODER_PROJECT_DIR" },
		     "environment: QODER_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".qoder",
	.global_folder = ".qoder",
	.files = { { ".qoder/settings.json", ".qoder/settings.json" } },
	.off_key = "disableAllHooks",
	.off_value = true,
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$QODER_PROJECT_DIR\"/",
	.variable = "QODER_PROJECT_DIR",
	.program = "qodercli",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "PostToolUseFailure", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = CLAUDE_CANARY("Bash"),
};

const struct bl_agent bl_agent_qoder = {
	.name = "qoder",
	.title = "Qoder",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trae: rows only (docs/contracts/agents.md "Trae"; by its documents, not run).
 * Claude Code's form; hooks have to be turned on in Settings > Hooks, and may
 * run in a sandbox that cannot write outside the workspace.
 */
#include "agents/rows.h"

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_ASK,
	      bl_exit_2_asking_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_exit_2_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_exit_2_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_exit_2_stop_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "trae-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hook_event_name", "llm_tool_name" },
		     "payload: llm_tool_name" },
		   { MARK_ENVIRONMENT,
		     { "TRAE_PROJECT_DIR" },
		     "environment: TRAE_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_ROOTS] = { "workspace_roots" },
		[PAYLOAD_LOOPS] = { "loop_count" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".trae",
	.global_folder = ".trae",
	.files = { { ".trae/hooks.json", ".trae/hooks.json" } },
	.has_version = true,
	.consent = BL_CONSENT_UNSEEN,
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$TRAE_PROJECT_DIR\"/",
	.variable = "TRAE_PROJECT_DIR",
	.program = "trae",
	.afterwards = "Trae runs hooks only when they are turned on in "
		      "Settings > Hooks",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("RunCommand"),
};

const struct bl_agent bl_agent_trae = {
	.name = "trae",
	.title = "Trae",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

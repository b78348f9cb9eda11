/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meta's Muse Code: rows only (docs/contracts/agents.md "Muse Code"; by its
 * documents, not run).  Claude Code's events with a closed schema like Codex's:
 * a word that it does not know makes it go on, so belay answers by exit status
 * alone.
 */
#include "agents/rows.h"

#define SILENT bl_exit_2_silent_response

/* Feedback by standard error; no context, which might not be understood. */
static const struct bl_response_shape tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { .is_silent = true,
			       .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK, tool_after_response),
	EVENT("PostToolUseFailure", TOOL_FAILED, BL_CAN_FEEDBACK,
	      tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE,
	      bl_exit_2_stop_response),
	EVENT("SessionStart", SESSION_START, 0, SILENT),
	EVENT("SessionEnd", SESSION_END, 0, SILENT),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_exit_2_stop_response),
	EVENT("SubagentStart", SUBAGENT_START, 0, SILENT),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_exit_2_stop_response),
	EVENT("PreCompact", COMPACT, 0, SILENT),
	EVENT("PostCompact", COMPACTED, 0, SILENT),
	EVENT("PreLLMCall", NOTIFICATION, 0, SILENT),
	EVENT("PostLLMCall", NOTIFICATION, 0, SILENT),
	EVENT("Notification", NOTIFICATION, 0, SILENT),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "muse-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "MUSE_PROJECT_DIR" },
		     "environment: MUSE_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".muse",
	.global_folder = ".config/muse",
	.files = { { ".muse/hooks.json", ".config/muse/settings.json" } },
	.json = BL_JSON_STRICT_NO_BOM,
	.consent = BL_CONSENT_UNSEEN,
	.timeout = 20,
	.closes_by_status = true,
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.afterwards = "Muse runs the hooks of a project only when it is trusted",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("Bash"),
};

const struct bl_agent bl_agent_muse = {
	.name = "muse",
	.title = "Muse Code",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

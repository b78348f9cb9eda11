/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tencent's CodeBuddy Code: rows only (docs/contracts/agents.md "CodeBuddy"; by
 * its documents, not run).  Claude Code's form, with `continue` false where that
 * blocks a prompt or the end.  At exit status 2 standard output is read before
 * standard error: it stays empty.
 */
#include "agents/rows.h"

static const struct response_part halt[] = {
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	PART(SPECIFIC, "hookEventName", EVENT),
};
static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	PART(SPECIFIC, "hookEventName", EVENT),
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(halt), .effect = DENIES },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* Here the words keep the agent going. */
static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(halt), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_exit_2_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE, stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "codebuddy-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "CODEBUDDY_PROJECT_DIR" },
		     "environment: CODEBUDDY_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".codebuddy",
	.global_folder = ".codebuddy",
	.files = { { ".codebuddy/settings.json", ".codebuddy/settings.json" } },
	.settings = {
		[BL_SCOPE_PROJECT] = { ".codebuddy/settings.local.json" },
	},
	.off_key = "disableAllHooks",
	.off_value = true,
	.consent = BL_CONSENT_UNSEEN,
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$CODEBUDDY_PROJECT_DIR\"/",
	.variable = "CODEBUDDY_PROJECT_DIR",
	.program = "codebuddy",
	.afterwards = "CodeBuddy runs a hook only when it is approved in its "
		      "panel /hooks",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = CLAUDE_CANARY("Bash"),
};

const struct bl_agent bl_agent_codebuddy = {
	.name = "codebuddy",
	.title = "CodeBuddy Code",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

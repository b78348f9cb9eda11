/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Qwen Code: rows only (docs/contracts/agents.md "Qwen Code").  The form is
 * Claude Code's; a changed input and context before a tool have no effect, nor
 * has a refusal after one.
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

static const struct response_part tool_deny[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", EVERYTHING),
};
static const struct response_part tool_ask[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "ask"),
	PART(SPECIFIC, "permissionDecisionReason", BOTH_REASONS),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(tool_ask), .effect = ASKS },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
};
static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	NAMED,
};

static const struct bl_response_shape tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

#define RESULT (BL_CAN_FEEDBACK | BL_CAN_CONTEXT)

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_ASK,
	      tool_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE | BL_CAN_ASK,
	      bl_claude_permission_response),
	EVENT("PermissionDenied", PERMISSION_DENIED, 0,
	      bl_claude_notice_response),
	EVENT("PostToolUse", TOOL_AFTER, RESULT, tool_after_response),
	EVENT("PostToolUseFailure", TOOL_FAILED, RESULT, tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_claude_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("SessionDelete", SESSION_END, 0, bl_claude_notice_response),
	EVENT("MessageDisplay", MESSAGE, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("StopFailure", STOP_FAILED, 0, bl_claude_notice_response),
	EVENT("SubagentStart", SUBAGENT_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("PostCompact", COMPACTED, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
	EVENT("TodoCreated", TASK_CREATED, 0, bl_claude_notice_response),
	EVENT("TodoCompleted", TASK_COMPLETED, 0, bl_claude_notice_response),
};

static const char *const unattended[] = { "yolo", NULL };

static const struct bl_payload_rows payload_rows = {
	.dialect = "qwen-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "QWEN_PROJECT_DIR" },
		     "environment: QWEN_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
	.folder_field = "directory",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".qwen",
	.global_folder = ".qwen",
	.files = { { ".qwen/settings.json", ".qwen/settings.json" } },
	.off_key = "disableAllHooks",
	.off_value = true,
	.consent = BL_CONSENT_OPTIONAL_FOLDER,
	/* milliseconds, which builds that count in seconds take as such */
	.timeout = 20000,
	.closes_by_status = true,
	.project = "\"$QWEN_PROJECT_DIR\"/",
	.variable = "QWEN_PROJECT_DIR",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "PostToolUseFailure", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"PreToolUse\",\"tool_name\":\"run_shell_command\","
		  "\"tool_input\":{\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_qwen = {
	.name = "qwen",
	.title = "Qwen Code",
	.measured = "0.24.4",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE | BL_CAN_HALT,
		     .response = &bl_claude_unknown_response },
	.unattended_modes = unattended,
	.payload = &payload_rows,
	.registration = &registration,
};

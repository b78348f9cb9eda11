/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAI's Codex: rows only (docs/contracts/agents.md "Codex").  The form is
 * Claude Code's, with a closed schema: an unknown key, a question, a deny
 * without a reason and `continue: false` before a tool let the call go on, so
 * nothing is said but what was seen to count.
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	NAMED,
};
static const struct response_part tool_deny[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
};
static const struct response_part tool_ask[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", EVERYTHING),
};
/*
 * The input is changed only beside an "allow", which grants nothing: Codex's
 * sandbox and approvals decide about the new command.
 */
static const struct response_part tool_modify[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "allow"),
	PART(SPECIFIC, "updatedInput", FULL_INPUT),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(tool_ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

/* An event that is not known: no JSON that it might not understand. */
static const struct bl_response_shape unknown_response = {
	"unknown",
	{
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .is_silent = true,
			       .exits_2 = true },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_REWRITE | BL_CAN_CONTEXT, tool_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE | BL_CAN_ASK,
	      bl_claude_permission_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_claude_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_claude_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("SubagentStart", SUBAGENT_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("PostCompact", COMPACTED, 0, bl_claude_notice_response),
	EVENT("Interrupt", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "codex-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hook_event_name", "turn_id", "model" },
		     "payload: turn_id and model" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
	.folder_field = "workdir",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".codex",
	.global_folder = ".codex",
	.files = { { ".codex/hooks.json", ".codex/hooks.json",
		     "etc/codex/hooks.json" } },
	.json = BL_JSON_STRICT_NO_BOM,
	.consent = BL_CONSENT_HOOKS,
	.timeout = 20,
	.closes_by_status = true,
	/* hooks run where the session is, and no variable names the project */
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.afterwards = "Codex runs a hook only when it is trusted: start codex "
		      "and approve belay's with /hooks",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PermissionRequest", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = "{\"session_id\":\"canary\",\"turn_id\":\"canary\",\"model\":"
		  "\"m\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":"
		  "\"Bash\",\"tool_input\":{\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_codex = {
	.name = "codex",
	.title = "Codex",
	.measured = "0.171.0",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factory Droid: rows only (docs/contracts/agents.md "Factory Droid";
 * docs/contracts/cupcake.md "Responses").
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

/* Here the context of an allowed tool goes where reasons go. */
static const struct response_part tool_allow[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "allow"),
	PART(SPECIFIC, "permissionDecisionReason", CONTEXT),
};
static const struct response_part tool_deny[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
};
static const struct response_part tool_ask[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "ask"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
};
/* updatedInput holds the fields to change. */
static const struct response_part tool_modify[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "allow"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
	PART(SPECIFIC, "updatedInput", PATCH),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(tool_allow) },
		[CASE_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(tool_ask), .effect = ASKS },
		[CASE_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_ASK | BL_CAN_REWRITE | BL_CAN_CONTEXT,
	      tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_claude_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_claude_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT | BL_CAN_HALT,
	      bl_claude_start_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_end_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, BL_CAN_HALT, bl_claude_compact_response),
	EVENT("Notification", NOTIFICATION, BL_CAN_HALT,
	      bl_claude_halt_response),
};

/* ---- the agent ----------------------------------------------------------- */

static const struct bl_payload_rows payload_rows = {
	.dialect = "factory-hooks",
	.marks = {
		{ MARK_PAYLOAD,
		  { "hookEventName", "sessionId", "permissionMode" },
		  "payload: hookEventName, sessionId and permissionMode" },
		{ MARK_ENVIRONMENT,
		  { "FACTORY_PROJECT_DIR" },
		  "environment: FACTORY_PROJECT_DIR" },
	},
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hookEventName", "hook_event_name" },
	},
	.path_fields = { "file_path", "path", "notebook_path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".factory",
	.global_folder = ".factory",
	/* settings.json is read only where hooks.json is missing */
	.files = { { ".factory/hooks.json", ".factory/hooks.json",
		     .is_top_level = true, .is_optional = true },
		   { ".factory/settings.json",
		     ".factory/settings.json" } },
	.timeout_s = 20,
	.project = "\"$FACTORY_PROJECT_DIR\"/",
	.variable = "FACTORY_PROJECT_DIR",
	.entries = {
		{ "PreToolUse", "*" },
		{ "PostToolUse", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary =
		"{\"session_id\":\"canary\",\"hook_event_name\":"
		"\"PreToolUse\",\"tool_name\":\"Execute\","
		"\"tool_input\":{\"command\":@command},"
		"\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_factory = {
	.name = "factory",
	.title = "Factory Droid",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE | BL_CAN_HALT,
		     .response = &bl_claude_unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factory Droid: rows only (docs/contracts/agents.md "Factory Droid";
 * docs/contracts/cupcake.md "Responses").
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

/*
 * Before a tool.  A deny behind an earlier hook's "allow" is lost, status 2 is
 * not; the model reads the reason, and no context.  "ask" lets the tool run, and
 * "allow" skips Droid's own question, so neither is said.
 */
static const struct response_part tool_deny[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", EVERYTHING),
};
/* updatedInput holds the fields to change. */
static const struct response_part tool_modify[] = {
	NAMED,
	PART(SPECIFIC, "updatedInput", PATCH),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(tool_deny), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(tool_deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	NAMED,
};
static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
};

/* After a tool "decision" is lost: status 2 and standard error count. */
static const struct bl_response_shape tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { .effect = DENIES,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK),
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* Answers at the end of a subagent are ignored. */
static const struct bl_response_shape subagent_response = {
	"end of a subagent",
	{
		[CASE_REFUSE] = { .degradations = DEGRADES(REFUSAL) },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* An event that is not known: every word that any event understands. */
static const struct response_part unknown_deny[] = {
	FLAG(TOP, "continue", FALSE),
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", EVERYTHING),
	PART(TOP, "stopReason", EVERYTHING),
};

static const struct bl_response_shape unknown_response = {
	"unknown",
	{
		[CASE_REFUSE] = { FORM(unknown_deny), .effect = BL_VERB_HALT,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(unknown_deny), .effect = BL_VERB_HALT,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_REWRITE,
	      tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT | BL_CAN_HALT,
	      bl_claude_start_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_end_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("SubagentStop", SUBAGENT_STOP, 0, subagent_response),
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
		   { ".factory/settings.json", ".factory/settings.json",
		     "etc/factory/settings.json" } },
	.managed_only_key = "allowManagedHooksOnly",
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$FACTORY_PROJECT_DIR\"/",
	.variable = "FACTORY_PROJECT_DIR",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
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
	.measured = "0.225.2",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE | BL_CAN_HALT,
		     .response = &unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

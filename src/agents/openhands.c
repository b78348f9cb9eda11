/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenHands: rows only (docs/contracts/agents.md "OpenHands"; by its documents,
 * not run).  "decision": "deny" counts at any exit status, and 2 without it;
 * context stands at the top.  Of several files only the first that exists is
 * read.
 */
#include "agents/rows.h"

static const struct response_part deny[] = {
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", EVERYTHING),
};
static const struct response_part context[] = {
	PART(TOP, "additionalContext", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "additionalContext", TOLD),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct bl_response_shape context_response = {
	"context",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Names in the file are in snake case, those in payloads in capitals, or not. */
static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      tool_response),
	EVENT("pre_tool_use", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_CONTEXT, context_response),
	EVENT("post_tool_use", TOOL_AFTER, BL_CAN_CONTEXT, context_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("user_prompt_submit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT, context_response),
	EVENT("session_start", SESSION_START, BL_CAN_CONTEXT, context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("session_end", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
	EVENT("stop", STOP, BL_CAN_CONTINUE, stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "openhands-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "OPENHANDS_PROJECT_DIR" },
		     "environment: OPENHANDS_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "event_type", "hook_event_name" },
	},
	.path_fields = { "path", "file_path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".openhands",
	.global_folder = ".openhands",
	.files = { { ".openhands/hooks.json", ".openhands/hooks.json",
		     .is_top_level = true } },
	.timeout = 20,
	.closes_by_status = true,
	/* hooks run in the workspace */
	.project = "",
	.program = "openhands",
	.entries = {
		{ "pre_tool_use", "*", .fails_closed = true },
		{ "post_tool_use", "*" },
		{ "user_prompt_submit" },
		{ "session_start" },
		{ "stop" },
	},
	.canary = "{\"session_id\":\"canary\",\"event_type\":\"PreToolUse\","
		  "\"tool_name\":\"terminal\",\"tool_input\":{\"command\":"
		  "@command},\"working_dir\":@cwd}",
};

const struct bl_agent bl_agent_openhands = {
	.name = "openhands",
	.title = "OpenHands",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

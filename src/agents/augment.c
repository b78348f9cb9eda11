/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Augment's Auggie: rows only (docs/contracts/agents.md "Augment"; by its
 * documents, not run).  Exit status 2 counts before a tool alone; after it and at
 * the end a block is nested.  A hook is a program's file, without arguments.
 */
#include "agents/rows.h"

static const struct response_part block[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	CONSTANT(SPECIFIC, "decision", "block"),
	PART(SPECIFIC, "hookEventName", EVENT),
	PART(SPECIFIC, "reason", BOTH_REASONS),
};
static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	PART(SPECIFIC, "hookEventName", EVENT),
};
static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	PART(SPECIFIC, "hookEventName", EVENT),
};
static const struct response_part go_on[] = {
	CONSTANT(SPECIFIC, "decision", "block"),
	PART(SPECIFIC, "hookEventName", EVENT),
	PART(SPECIFIC, "reason", BOTH_REASONS),
};

static const struct bl_response_shape tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(block), .effect = DENIES,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(go_on), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      tool_after_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_exit_2_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_exit_2_silent_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "augment-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hook_event_name", "conversation_id",
		       "is_mcp_tool" },
		     "payload: conversation_id and is_mcp_tool" },
		   { MARK_PAYLOAD,
		     { "conversation_id", "agent_stop_cause" },
		     "payload: agent_stop_cause" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "conversation_id" },
		[PAYLOAD_ROOTS] = { "workspace_roots" },
		[PAYLOAD_TOOL_NAME] = { "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_input" },
		[PAYLOAD_OUTPUT] = { "tool_output" },
		[PAYLOAD_ERROR] = { "tool_error" },
		[PAYLOAD_STATUS] = { "agent_stop_cause" },
	},
	.path_fields = { "path", "file_path" },
	.mcp_between = "_",
	.mcp_server_is_last = true,
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".augment",
	.global_folder = ".augment",
	.files = { { ".augment/settings.json", ".augment/settings.json" } },
	.settings = {
		[BL_SCOPE_PROJECT] = { ".augment/settings.local.json" },
	},
	.timeout = 20000, /* milliseconds */
	.project = "\"$(dirname \"$0\")/..\"/",
	.program = "auggie",
	.entries = {
		{ "PreToolUse", ".*", .fails_closed = true },
		{ "PostToolUse", ".*" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.script = "belay-hook.sh",
	.script_text = "@command\n"
		       "status=$?\n"
		       "[ $status = 0 ] || exit 2\n",
	.canary = "{\"hook_event_name\":\"PreToolUse\",\"conversation_id\":"
		  "\"canary\",\"workspace_roots\":[@cwd],\"tool_name\":"
		  "\"launch-process\",\"tool_input\":{\"command\":@command,"
		  "\"cwd\":@cwd},\"is_mcp_tool\":false}",
};

const struct bl_agent bl_agent_augment = {
	.name = "augment",
	.title = "Augment",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

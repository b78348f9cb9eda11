/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_cursor.c: Cursor as the host of belay: rows only.  Answers:
 * docs/contracts/cupcake.md "Responses" for the twelve old events,
 * docs/contracts/cursor.md "Events" for the others and for what the old ones
 * take today.
 */
#include "agents/guest_rows.h"

static const struct guest_part permission_allow[] = {
	CONSTANT(TOP, "permission", "allow"),
};
static const struct guest_part permission_deny[] = {
	PART(TOP, "agent_message", AGENT_REASON),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};
static const struct guest_part permission_ask[] = {
	PART(TOP, "agent_message", AGENT_REASON),
	CONSTANT(TOP, "permission", "ask"),
	PART(TOP, "question", REASON),
	PART(TOP, "user_message", REASON),
};

/* beforeShellExecution, beforeMCPExecution */
static const struct bl_guest_shape command_shape = {
	"permission",
	{
		[GUEST_ALLOW] = { FORM(permission_allow) },
		[GUEST_REFUSE] = { FORM(permission_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(permission_ask), .effect = ASKS },
		[GUEST_MODIFY] = { FORM(permission_allow),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* Old versions take no message; today's send transcript_path. */
static const struct guest_part read_deny[] = {
	CONSTANT(TOP, "permission", "deny"),
	{ "user_message", NULL, "transcript_path", GUEST_TOP, GUEST_REASON },
};

/* beforeReadFile, beforeTabFileRead */
static const struct bl_guest_shape read_shape = {
	"read permission",
	{
		[GUEST_ALLOW] = { FORM(permission_allow) },
		[GUEST_REFUSE] = { FORM(read_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(read_deny), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(permission_allow),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct guest_part prompt_allow[] = {
	PART(TOP, "additional_context", CONTEXT),
	FLAG(TOP, "continue", TRUE),
};
static const struct guest_part prompt_deny[] = {
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "user_message", REASON),
};

static const struct bl_guest_shape prompt_shape = {
	"prompt",
	{
		[GUEST_ALLOW] = { FORM(prompt_allow) },
		[GUEST_REFUSE] = { FORM(prompt_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(prompt_deny), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(prompt_allow),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct guest_part followup[] = {
	PART(TOP, "followup_message", BOTH_REASONS),
};

/* stop, subagentStop */
static const struct bl_guest_shape stop_shape = {
	"follow-up",
	{
		[GUEST_REFUSE] = { FORM(followup), .effect = DENIES },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* What only tells: sessionEnd, the after events of old, workspaceOpen. */
static const struct bl_guest_shape notice_shape = {
	"notice",
	{
		[GUEST_REFUSE] = { .losses = LOSES(REFUSAL) },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct guest_part tool_allow[] = {
	PART(TOP, "additional_context", CONTEXT),
	CONSTANT(TOP, "permission", "allow"),
};
static const struct guest_part tool_deny[] = {
	PART(TOP, "additional_context", CONTEXT),
	PART(TOP, "agent_message", AGENT_REASON),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};
/* "ask" is accepted, and the tool runs all the same. */
static const struct guest_part tool_ask[] = {
	PART(TOP, "additional_context", CONTEXT),
	PART(TOP, "agent_message", ASK_FIRST),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};
static const struct guest_part tool_modify[] = {
	PART(TOP, "additional_context", TOLD),
	CONSTANT(TOP, "permission", "allow"),
	PART(TOP, "updated_input", FULL_INPUT),
};

static const struct bl_guest_shape tool_shape = {
	"tool",
	{
		[GUEST_ALLOW] = { FORM(tool_allow) },
		[GUEST_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(tool_ask), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

static const struct guest_part context[] = {
	PART(TOP, "additional_context", CONTEXT),
};
static const struct guest_part told[] = {
	PART(TOP, "additional_context", TOLD),
};

/* postToolUse, postToolUseFailure */
static const struct bl_guest_shape result_shape = {
	"tool result",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(told),
				   .losses = LOSES(REFUSAL_FEEDBACK) },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(told), .losses = LOSES(REWRITE_TOLD) },
	},
};

/* Accepted, recorded, and not acted on: continue and user_message. */
static const struct guest_part session_deny[] = {
	PART(TOP, "additional_context", CONTEXT),
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "user_message", REASON),
};

static const struct bl_guest_shape session_shape = {
	"session",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(session_deny),
				   .losses = LOSES(REFUSAL) },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(told), .losses = LOSES(REWRITE_TOLD) },
	},
};

static const struct guest_part subagent_deny[] = {
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};

static const struct bl_guest_shape subagent_shape = {
	"subagent",
	{
		[GUEST_ALLOW] = { FORM(permission_allow) },
		[GUEST_REFUSE] = { FORM(subagent_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(subagent_deny), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(permission_allow),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct guest_part user_context[] = {
	PART(TOP, "user_message", CONTEXT),
};
static const struct guest_part user_reason[] = {
	PART(TOP, "user_message", REASON),
};

static const struct bl_guest_shape compact_shape = {
	"message",
	{
		[GUEST_ALLOW] = { FORM(user_context) },
		[GUEST_REFUSE] = { FORM(user_reason),
				   .losses = LOSES(REFUSAL) },
		[GUEST_ASK] = { FORM(user_reason),
				.losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { FORM(user_reason),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* An event that is not known: every word that any event understands. */
static const struct guest_part unknown_deny[] = {
	PART(TOP, "agent_message", AGENT_REASON),
	FLAG(TOP, "continue", FALSE),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};

static const struct bl_guest_shape unknown_shape = {
	"unknown",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(unknown_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(unknown_deny), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(context),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

#define COMMAND_ABILITIES (BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_ASK)

static const struct bl_guest_event events[] = {
	{ "beforeShellExecution", BL_EVENT_TOOL_BEFORE, BL_TOOL_SHELL,
	  COMMAND_ABILITIES, &command_shape },
	{ "beforeMCPExecution", BL_EVENT_TOOL_BEFORE, BL_TOOL_MCP,
	  COMMAND_ABILITIES, &command_shape },
	{ "beforeReadFile", BL_EVENT_TOOL_BEFORE, BL_TOOL_FILE_READ,
	  BL_GUEST_CAN_REFUSE, &read_shape },
	{ "beforeTabFileRead", BL_EVENT_TOOL_BEFORE, BL_TOOL_FILE_READ,
	  BL_GUEST_CAN_REFUSE, &read_shape },
	{ "beforeSubmitPrompt", BL_EVENT_PROMPT, BL_TOOL_NONE,
	  BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_CONTEXT, &prompt_shape },
	{ "preToolUse", BL_EVENT_TOOL_BEFORE, BL_TOOL_NONE,
	  BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_REWRITE | BL_GUEST_CAN_CONTEXT,
	  &tool_shape },
	{ "postToolUse", BL_EVENT_TOOL_AFTER, BL_TOOL_NONE,
	  BL_GUEST_CAN_CONTEXT | BL_GUEST_CAN_FEEDBACK, &result_shape },
	{ "postToolUseFailure", BL_EVENT_TOOL_FAILED, BL_TOOL_NONE,
	  BL_GUEST_CAN_CONTEXT | BL_GUEST_CAN_FEEDBACK, &result_shape },
	{ "afterShellExecution", BL_EVENT_TOOL_AFTER, BL_TOOL_SHELL, 0,
	  &notice_shape },
	{ "afterMCPExecution", BL_EVENT_TOOL_AFTER, BL_TOOL_MCP, 0,
	  &notice_shape },
	{ "afterFileEdit", BL_EVENT_TOOL_AFTER, BL_TOOL_FILE_EDIT, 0,
	  &notice_shape },
	{ "afterTabFileEdit", BL_EVENT_TOOL_AFTER, BL_TOOL_FILE_EDIT, 0,
	  &notice_shape },
	{ "afterAgentResponse", BL_EVENT_RESPONSE, BL_TOOL_NONE, 0,
	  &notice_shape },
	{ "afterAgentThought", BL_EVENT_THOUGHT, BL_TOOL_NONE, 0,
	  &notice_shape },
	{ "stop", BL_EVENT_STOP, BL_TOOL_NONE, BL_GUEST_CAN_CONTINUE,
	  &stop_shape },
	{ "subagentStart", BL_EVENT_SUBAGENT_START, BL_TOOL_NONE,
	  BL_GUEST_CAN_REFUSE, &subagent_shape },
	{ "subagentStop", BL_EVENT_SUBAGENT_STOP, BL_TOOL_NONE,
	  BL_GUEST_CAN_CONTINUE, &stop_shape },
	{ "sessionStart", BL_EVENT_SESSION_START, BL_TOOL_NONE,
	  BL_GUEST_CAN_CONTEXT, &session_shape },
	{ "sessionEnd", BL_EVENT_SESSION_END, BL_TOOL_NONE, 0, &notice_shape },
	{ "preCompact", BL_EVENT_COMPACT, BL_TOOL_NONE, 0, &compact_shape },
	{ "workspaceOpen", BL_EVENT_WORKSPACE_OPEN, BL_TOOL_NONE, 0,
	  &notice_shape },
};

const struct guest_agent bl_guest_cursor = {
	.name = "cursor",
	.dialect = "cursor",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { "", BL_EVENT_UNKNOWN, BL_TOOL_NONE,
		     BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_CONTEXT,
		     &unknown_shape },
	.fields = {
		[GUEST_FIELD_EVENT] = { "hook_event_name", "hookEventName" },
		[GUEST_FIELD_SESSION] = { "conversation_id", "session_id" },
		[GUEST_FIELD_TURN] = { "generation_id" },
		[GUEST_FIELD_TRANSCRIPT] = { "transcript_path" },
		[GUEST_FIELD_CWD] = { "cwd" },
		[GUEST_FIELD_ROOTS] = { "workspace_roots" },
		[GUEST_FIELD_MODE] = { "composer_mode" },
		[GUEST_FIELD_VERSION] = { "cursor_version" },
		[GUEST_FIELD_AGENT_ID] = { "subagent_id" },
		[GUEST_FIELD_AGENT_TYPE] = { "subagent_type" },
		[GUEST_FIELD_TOOL_NAME] = { "tool_name" },
		[GUEST_FIELD_TOOL_INPUT] = { "tool_input" },
		[GUEST_FIELD_CALL_ID] = { "tool_use_id" },
		[GUEST_FIELD_OUTPUT] = { "tool_output", "output",
					 "result_json" },
		[GUEST_FIELD_ERROR] = { "error_message" },
		[GUEST_FIELD_PROMPT] = { "prompt", "prompt_text" },
		[GUEST_FIELD_MESSAGE] = { "text", "summary" },
		[GUEST_FIELD_STATUS] = { "status" },
		[GUEST_FIELD_LOOPS] = { "loop_count" },
		[GUEST_FIELD_SERVER] = { "mcp_server_name" },
		[GUEST_FIELD_URL] = { "mcp_server_url", "url" },
	},
	.path_fields = { "file_path", "path" },
};

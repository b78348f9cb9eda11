/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_opencode.c: OpenCode as the host of belay: rows only.  OpenCode has no
 * hooks of this kind; a plugin of it calls belay.  Answers:
 * docs/contracts/cupcake.md "Responses", which that plugin of Cupcake's
 * understands; the plugin that belay init writes (src/setup) understands
 * `updated_input` besides, and says so with `takes_input` in what it sends.
 */
#include "agents/guest_rows.h"

#define TAKES_INPUT "takes_input"

static const struct guest_part allow[] = {
	PART(TOP, "context", CONTEXT_LIST),
	CONSTANT(TOP, "decision", "allow"),
};
static const struct guest_part refuse[] = {
	PART(TOP, "decision", REFUSAL_WORD),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct guest_part ask[] = {
	CONSTANT(TOP, "decision", "ask"),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct guest_part modify[] = {
	PART(TOP, "context", TOLD_LIST),
	CONSTANT(TOP, "decision", "allow"),
	{ "updated_input", NULL, TAKES_INPUT, GUEST_TOP, GUEST_PATCH },
};

static const struct bl_guest_shape tool_shape = {
	"tool",
	{
		[GUEST_ALLOW] = { FORM(allow) },
		[GUEST_REFUSE] = { FORM(refuse), .effect = DENIES },
		/* the plugins throw, and the tool does not run */
		[GUEST_ASK] = { FORM(ask), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

/* A permission has no input to change. */
static const struct bl_guest_shape permission_shape = {
	"permission",
	{
		[GUEST_ALLOW] = { FORM(allow) },
		[GUEST_REFUSE] = { FORM(refuse), .effect = DENIES },
		[GUEST_ASK] = { FORM(ask), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(allow),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct bl_guest_shape result_shape = {
	"tool result",
	{
		[GUEST_ALLOW] = { FORM(allow) },
		[GUEST_REFUSE] = { FORM(refuse), .effect = DENIES,
				   .losses = LOSES(REFUSAL_FEEDBACK) },
		[GUEST_ASK] = { FORM(ask), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(modify),
				   .losses = LOSES(REWRITE_TOLD) },
	},
};

/* Stopped is what has been said to the agent, as for every other agent. */
static const struct bl_guest_shape other_shape = {
	"other",
	{
		[GUEST_ALLOW] = { FORM(allow) },
		[GUEST_REFUSE] = { FORM(refuse), .effect = DENIES },
		[GUEST_ASK] = { FORM(ask), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { FORM(modify),
				   .losses = LOSES(REWRITE_TOLD) },
	},
};

#define TOOL_ABILITIES                                                         \
	(BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_REWRITE | BL_GUEST_CAN_CONTEXT)
#define RESULT_ABILITIES (BL_GUEST_CAN_FEEDBACK | BL_GUEST_CAN_CONTEXT)

static const struct bl_guest_event events[] = {
	{ "PreToolUse", BL_EVENT_TOOL_BEFORE, BL_TOOL_NONE, TOOL_ABILITIES,
	  &tool_shape },
	{ "PostToolUse", BL_EVENT_TOOL_AFTER, BL_TOOL_NONE, RESULT_ABILITIES,
	  &result_shape },
	{ "tool.execute.before", BL_EVENT_TOOL_BEFORE, BL_TOOL_NONE,
	  TOOL_ABILITIES, &tool_shape },
	{ "tool.execute.after", BL_EVENT_TOOL_AFTER, BL_TOOL_NONE,
	  RESULT_ABILITIES, &result_shape },
	{ "PermissionRequest", BL_EVENT_PERMISSION, BL_TOOL_NONE,
	  BL_GUEST_CAN_REFUSE, &permission_shape },
	{ "Stop", BL_EVENT_STOP, BL_TOOL_NONE, BL_GUEST_CAN_CONTINUE,
	  &other_shape },
};

const struct guest_agent bl_guest_opencode = {
	.name = "opencode",
	.dialect = "opencode-plugin",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { "", BL_EVENT_UNKNOWN, BL_TOOL_NONE, BL_GUEST_CAN_REFUSE,
		     &other_shape },
	.fields = {
		[GUEST_FIELD_EVENT] = { "hook_event_name", "hookEventName" },
		[GUEST_FIELD_SESSION] = { "session_id" },
		[GUEST_FIELD_TURN] = { "message_id" },
		[GUEST_FIELD_CWD] = { "cwd" },
		[GUEST_FIELD_VERSION] = { "version" },
		[GUEST_FIELD_AGENT_TYPE] = { "agent" },
		[GUEST_FIELD_TOOL_NAME] = { "tool", "tool_name" },
		[GUEST_FIELD_TOOL_INPUT] = { "args", "tool_input" },
		[GUEST_FIELD_CALL_ID] = { "call_id", "tool_use_id" },
		[GUEST_FIELD_OUTPUT] = { "result", "tool_response" },
		[GUEST_FIELD_PROMPT] = { "prompt" },
		[GUEST_FIELD_MESSAGE] = { "last_assistant_message" },
		[GUEST_FIELD_LOOPS] = { "loop_count" },
	},
	.path_fields = { "file_path", "path", "filePath" },
	.splits_mcp_names = true,
	.renames_tools = true,
};

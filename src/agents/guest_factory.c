/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_factory.c: Factory Droid as the host of belay: rows only.  Answers:
 * docs/contracts/cupcake.md "Responses", docs/contracts/agents.md "Factory
 * Droid".
 */
#include "agents/guest_rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

/* Here the context of an allowed tool goes where reasons go. */
static const struct guest_part tool_allow[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "allow"),
	PART(SPECIFIC, "permissionDecisionReason", CONTEXT),
};
static const struct guest_part tool_deny[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
};
static const struct guest_part tool_ask[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "ask"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
};
/* updatedInput holds the fields to change. */
static const struct guest_part tool_modify[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "allow"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
	PART(SPECIFIC, "updatedInput", PATCH),
};

static const struct bl_guest_shape tool_shape = {
	"tool",
	{
		[GUEST_ALLOW] = { FORM(tool_allow) },
		[GUEST_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(tool_ask), .effect = ASKS },
		[GUEST_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

#define EVENT(name, kind, abilities, shape)                                    \
	{                                                                      \
		name, BL_EVENT_##kind, BL_TOOL_NONE, abilities, &shape         \
	}

static const struct bl_guest_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_ASK | BL_GUEST_CAN_REWRITE |
		      BL_GUEST_CAN_CONTEXT,
	      tool_shape),
	EVENT("PostToolUse", TOOL_AFTER,
	      BL_GUEST_CAN_FEEDBACK | BL_GUEST_CAN_CONTEXT,
	      bl_guest_tool_after_shape),
	EVENT("UserPromptSubmit", PROMPT,
	      BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_CONTEXT,
	      bl_guest_prompt_shape),
	EVENT("SessionStart", SESSION_START,
	      BL_GUEST_CAN_CONTEXT | BL_GUEST_CAN_HALT, bl_guest_start_shape),
	EVENT("SessionEnd", SESSION_END, 0, bl_guest_end_shape),
	EVENT("Stop", STOP, BL_GUEST_CAN_CONTINUE, bl_guest_stop_shape),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_GUEST_CAN_CONTINUE,
	      bl_guest_stop_shape),
	EVENT("PreCompact", COMPACT, BL_GUEST_CAN_HALT, bl_guest_compact_shape),
	EVENT("Notification", NOTIFICATION, BL_GUEST_CAN_HALT,
	      bl_guest_halt_shape),
};

const struct guest_agent bl_guest_factory = {
	.name = "factory",
	.dialect = "factory-hooks",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { "", BL_EVENT_UNKNOWN, BL_TOOL_NONE,
		     BL_GUEST_CAN_REFUSE | BL_GUEST_CAN_HALT,
		     &bl_guest_unknown_shape },
	.fields = {
		CLAUDE_FIELDS,
		[GUEST_FIELD_EVENT] = { "hookEventName", "hook_event_name" },
	},
	.path_fields = { "file_path", "path", "notebook_path" },
};

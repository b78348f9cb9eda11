/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_claude.c: Claude Code as the host of belay: rows only.  Answers:
 * docs/contracts/cupcake.md "Responses" and docs/contracts/agents.md "Claude
 * Code: events", "Claude Code: responses".  Several shapes are Factory's as
 * well.
 */
#include "agents/guest_rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

/* ---- before a tool ------------------------------------------------------ */

static const struct guest_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	NAMED,
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
/* Claude takes updatedInput for the whole input. */
static const struct guest_part tool_modify[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "allow"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
	PART(SPECIFIC, "updatedInput", FULL_INPUT),
};

static const struct bl_guest_shape tool_shape = {
	"tool",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[GUEST_ASK] = { FORM(tool_ask), .effect = ASKS },
		[GUEST_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

static const struct guest_part permission_deny[] = {
	CONSTANT(DECISION, "behavior", "deny"),
	PART(DECISION, "message", BOTH_REASONS),
	NAMED,
};
static const struct guest_part permission_modify[] = {
	CONSTANT(DECISION, "behavior", "allow"),
	PART(DECISION, "updatedInput", FULL_INPUT),
	NAMED,
};

/* Without an answer Claude asks the user, which is what ASK wants. */
static const struct bl_guest_shape permission_shape = {
	"permission",
	{
		[GUEST_REFUSE] = { FORM(permission_deny), .effect = DENIES },
		[GUEST_ASK] = { .effect = ASKS },
		[GUEST_MODIFY] = { FORM(permission_modify),
				   .effect = MODIFIES },
	},
};

/* ---- after a tool ------------------------------------------------------- */

static const struct guest_part block[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", REASON),
};
static const struct guest_part block_note[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", REASON),
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
};
static const struct guest_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
};

const struct bl_guest_shape bl_guest_tool_after_shape = {
	"tool result",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(block_note), .effect = DENIES,
				   .losses = LOSES(REFUSAL_FEEDBACK) },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(context),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* The calls are over; the loop that made them ends. */
static const struct bl_guest_shape batch_shape = {
	"batch of tools",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(block_note), .effect = BL_RULING_HALT },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(context),
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* Where context is all that counts. */
static const struct bl_guest_shape context_shape = {
	"context",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(told),
				   .losses = LOSES(REFUSAL_FEEDBACK) },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(told), .losses = LOSES(REWRITE_TOLD) },
	},
};

/* ---- ends, prompts, starts ---------------------------------------------- */

static const struct guest_part go_on[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", BOTH_REASONS),
};

const struct bl_guest_shape bl_guest_stop_shape = {
	"stop",
	{
		[GUEST_REFUSE] = { FORM(go_on), .effect = DENIES },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

const struct bl_guest_shape bl_guest_prompt_shape = {
	"prompt",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(block), .effect = DENIES },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(told), .losses = LOSES(REWRITE_TOLD) },
	},
};

static const struct guest_part halt[] = {
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "stopReason", REASON),
};

const struct bl_guest_shape bl_guest_start_shape = {
	"start",
	{
		[GUEST_ALLOW] = { FORM(context) },
		[GUEST_REFUSE] = { FORM(halt), .effect = BL_RULING_HALT },
		[GUEST_ASK] = { FORM(told), .losses = LOSES(ASK_TOLD) },
		[GUEST_MODIFY] = { FORM(told), .losses = LOSES(REWRITE_TOLD) },
	},
};

static const struct guest_part user_context[] = {
	PART(TOP, "systemMessage", CONTEXT),
};

const struct bl_guest_shape bl_guest_compact_shape = {
	"compaction",
	{
		[GUEST_ALLOW] = { FORM(user_context) },
		[GUEST_REFUSE] = { FORM(halt), .effect = BL_RULING_HALT },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

const struct bl_guest_shape bl_guest_halt_shape = {
	"halt",
	{
		[GUEST_REFUSE] = { FORM(halt), .effect = BL_RULING_HALT },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* Accepted, and there is nothing left to be stopped. */
const struct bl_guest_shape bl_guest_end_shape = {
	"end",
	{
		[GUEST_REFUSE] = { FORM(halt), .losses = LOSES(REFUSAL) },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct bl_guest_shape block_shape = {
	"block",
	{
		[GUEST_REFUSE] = { FORM(block), .effect = DENIES },
		[GUEST_ASK] = { FORM(block), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* What only tells. */
static const struct bl_guest_shape notice_shape = {
	"notice",
	{
		[GUEST_REFUSE] = { .losses = LOSES(REFUSAL) },
		[GUEST_ASK] = { .losses = LOSES(ASK_DROPPED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

static const struct guest_part decline[] = {
	CONSTANT(SPECIFIC, "action", "decline"),
	NAMED,
};

static const struct bl_guest_shape elicitation_shape = {
	"elicitation",
	{
		[GUEST_REFUSE] = { FORM(decline), .effect = DENIES,
				   .losses = LOSES(REASON_DROPPED) },
		[GUEST_ASK] = { .effect = ASKS },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* The user has answered: silence lets the answer pass. */
static const struct bl_guest_shape elicited_shape = {
	"elicitation result",
	{
		[GUEST_REFUSE] = { FORM(decline), .effect = DENIES,
				   .losses = LOSES(REASON_DROPPED) },
		[GUEST_ASK] = { FORM(decline), .effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* Standard output would be taken for the path of the worktree. */
static const struct bl_guest_shape worktree_shape = {
	"worktree",
	{
		[GUEST_ALLOW] = { .is_silent = true },
		[GUEST_REFUSE] = { .is_silent = true,
				   .exits_2 = true,
				   .effect = DENIES },
		[GUEST_ASK] = { .is_silent = true,
				.exits_2 = true,
				.effect = DENIES,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { .is_silent = true,
				   .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* An event that is not known: every word that any event understands. */
static const struct guest_part unknown_deny[] = {
	FLAG(TOP, "continue", FALSE),
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", REASON),
	PART(TOP, "stopReason", REASON),
};

const struct bl_guest_shape bl_guest_unknown_shape = {
	"unknown",
	{
		[GUEST_REFUSE] = { FORM(unknown_deny),
				   .effect = BL_RULING_HALT },
		[GUEST_ASK] = { FORM(unknown_deny), .effect = BL_RULING_HALT,
				.losses = LOSES(ASK_DENIED) },
		[GUEST_MODIFY] = { .losses = LOSES(REWRITE_DROPPED) },
	},
};

/* ---- events ------------------------------------------------------------- */

#define EVENT(name, kind, abilities, shape)                                    \
	{                                                                      \
		name, BL_EVENT_##kind, BL_TOOL_NONE, abilities, &shape         \
	}
#define REFUSE   BL_GUEST_CAN_REFUSE
#define CONTEXTS BL_GUEST_CAN_CONTEXT
#define RESULT   (BL_GUEST_CAN_FEEDBACK | BL_GUEST_CAN_CONTEXT)

static const struct bl_guest_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      REFUSE | CONTEXTS | BL_GUEST_CAN_ASK | BL_GUEST_CAN_REWRITE,
	      tool_shape),
	EVENT("PermissionRequest", PERMISSION,
	      REFUSE | BL_GUEST_CAN_ASK | BL_GUEST_CAN_REWRITE,
	      permission_shape),
	EVENT("PermissionDenied", PERMISSION_DENIED, 0, notice_shape),
	EVENT("PostToolUse", TOOL_AFTER, RESULT, bl_guest_tool_after_shape),
	EVENT("PostToolUseFailure", TOOL_FAILED, RESULT, context_shape),
	EVENT("PostToolBatch", TOOL_BATCH, RESULT | BL_GUEST_CAN_HALT,
	      batch_shape),
	EVENT("UserPromptSubmit", PROMPT, REFUSE | CONTEXTS,
	      bl_guest_prompt_shape),
	EVENT("UserPromptExpansion", PROMPT_EXPAND, REFUSE | CONTEXTS,
	      bl_guest_prompt_shape),
	EVENT("SessionStart", SESSION_START, CONTEXTS | BL_GUEST_CAN_HALT,
	      bl_guest_start_shape),
	EVENT("SessionEnd", SESSION_END, 0, bl_guest_end_shape),
	EVENT("Setup", SETUP, CONTEXTS, context_shape),
	EVENT("Stop", STOP, BL_GUEST_CAN_CONTINUE, bl_guest_stop_shape),
	EVENT("StopFailure", STOP_FAILED, 0, notice_shape),
	EVENT("SubagentStart", SUBAGENT_START, CONTEXTS, context_shape),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_GUEST_CAN_CONTINUE,
	      bl_guest_stop_shape),
	EVENT("PreCompact", COMPACT, BL_GUEST_CAN_HALT, bl_guest_compact_shape),
	EVENT("PostCompact", COMPACTED, 0, notice_shape),
	EVENT("Notification", NOTIFICATION, BL_GUEST_CAN_HALT,
	      bl_guest_halt_shape),
	EVENT("MessageDisplay", MESSAGE, 0, notice_shape),
	EVENT("InstructionsLoaded", INSTRUCTIONS, 0, notice_shape),
	EVENT("ConfigChange", CONFIG_CHANGE, REFUSE, block_shape),
	EVENT("CwdChanged", CWD_CHANGE, 0, notice_shape),
	EVENT("DirectoryAdded", WORKSPACE_OPEN, 0, notice_shape),
	EVENT("FileChanged", FILE_CHANGE, 0, notice_shape),
	EVENT("WorktreeCreate", WORKTREE_CREATE, REFUSE, worktree_shape),
	EVENT("WorktreeRemove", WORKTREE_REMOVE, REFUSE, worktree_shape),
	EVENT("TaskCreated", TASK_CREATED, REFUSE, block_shape),
	EVENT("TaskCompleted", TASK_COMPLETED, BL_GUEST_CAN_HALT,
	      bl_guest_halt_shape),
	EVENT("TeammateIdle", TASK_IDLE, BL_GUEST_CAN_HALT,
	      bl_guest_halt_shape),
	EVENT("PreModelSwitch", MODEL_SWITCH, REFUSE, block_shape),
	EVENT("PostModelSwitch", MODEL_SWITCHED, CONTEXTS, context_shape),
	EVENT("Elicitation", ELICITATION, REFUSE | BL_GUEST_CAN_ASK,
	      elicitation_shape),
	EVENT("ElicitationResult", ELICITATION_RESULT, REFUSE, elicited_shape),
};

static const char *const unattended[] = { "bypassPermissions", "dontAsk",
					  NULL };

const struct guest_agent bl_guest_claude = {
	.name = "claude",
	.dialect = "claude-hooks",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { "", BL_EVENT_UNKNOWN, BL_TOOL_NONE,
		     REFUSE | BL_GUEST_CAN_HALT,
		     &bl_guest_unknown_shape },
	.fields = {
		CLAUDE_FIELDS,
		[GUEST_FIELD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path", "notebook_path" },
	.unattended_modes = unattended,
};

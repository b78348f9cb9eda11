/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claude Code: rows only (docs/contracts/agents.md "Claude Code: events",
 * "Claude Code: responses"; docs/contracts/cupcake.md "Responses").  Several of
 * the response shapes are those of other agents, too (private.h).
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

/* ---- before a tool ------------------------------------------------------ */

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
/* Claude takes updatedInput for the whole input; an ask is about the new one. */
static const struct response_part tool_ask[] = {
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "ask"),
	PART(SPECIFIC, "permissionDecisionReason", REASON),
	PART(SPECIFIC, "updatedInput", FULL_INPUT),
};
/* Without a decision: an "allow" would skip Claude's own question. */
static const struct response_part tool_modify[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
	PART(SPECIFIC, "updatedInput", FULL_INPUT),
};

const struct bl_response_shape bl_claude_tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(tool_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(tool_ask), .effect = ASKS },
		[CASE_MODIFY] = { FORM(tool_modify), .effect = MODIFIES },
	},
};

static const struct response_part skill_deny[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", BOTH_REASONS),
};
static const struct response_part skill_ask[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "deny"),
	PART(SPECIFIC, "permissionDecisionReason", ASK_FIRST),
};

static const struct response_part permission_deny[] = {
	CONSTANT(DECISION, "behavior", "deny"),
	PART(DECISION, "message", BOTH_REASONS),
	NAMED,
};

/*
 * Without an answer Claude asks the user, which is what ASK wants.  An input
 * could only be changed by permitting it, without the user.
 */
const struct bl_response_shape bl_claude_permission_response = {
	"permission",
	{
		[CASE_REFUSE] = { FORM(permission_deny), .effect = DENIES },
		[CASE_ASK] = { .effect = ASKS },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* A shell line of a skill: no question and no change have an effect. */
static const struct bl_response_shape skill_response = {
	"shell line of a skill",
	{
		[CASE_REFUSE] = { FORM(skill_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(skill_ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* ---- after a tool ------------------------------------------------------- */

static const struct response_part block[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", REASON),
};
static const struct response_part block_note[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", REASON),
	PART(SPECIFIC, "additionalContext", NOTE),
	NAMED,
};
static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
};

const struct bl_response_shape bl_claude_tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(block_note), .effect = DENIES,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* The calls are over; the loop that made them ends. */
static const struct bl_response_shape batch_response = {
	"batch of tools",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(block_note), .effect = BL_VERB_HALT },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Where context is all that counts. */
const struct bl_response_shape bl_claude_context_response = {
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

/* ---- ends, prompts, starts ---------------------------------------------- */

static const struct response_part go_on[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", BOTH_REASONS),
};

const struct bl_response_shape bl_claude_stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(go_on), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

const struct bl_response_shape bl_claude_prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(block), .effect = DENIES },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct response_part halt[] = {
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "stopReason", REASON),
};

const struct bl_response_shape bl_claude_start_response = {
	"start",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(halt), .effect = BL_VERB_HALT },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct response_part user_context[] = {
	PART(TOP, "systemMessage", CONTEXT),
};

const struct bl_response_shape bl_claude_compact_response = {
	"compaction",
	{
		[CASE_ALLOW] = { FORM(user_context) },
		[CASE_REFUSE] = { FORM(halt), .effect = BL_VERB_HALT },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

const struct bl_response_shape bl_claude_halt_response = {
	"halt",
	{
		[CASE_REFUSE] = { FORM(halt), .effect = BL_VERB_HALT },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Accepted, and there is nothing left to be stopped. */
const struct bl_response_shape bl_claude_end_response = {
	"end",
	{
		[CASE_REFUSE] = { FORM(halt),
				  .degradations = DEGRADES(REFUSAL) },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape block_response = {
	"block",
	{
		[CASE_REFUSE] = { FORM(block), .effect = DENIES },
		[CASE_ASK] = { FORM(block), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Events that only inform. */
const struct bl_response_shape bl_claude_notice_response = {
	"notice",
	{
		[CASE_REFUSE] = { .degradations = DEGRADES(REFUSAL) },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part decline[] = {
	CONSTANT(SPECIFIC, "action", "decline"),
	NAMED,
};

static const struct bl_response_shape elicitation_response = {
	"elicitation",
	{
		[CASE_REFUSE] = { FORM(decline), .effect = DENIES,
				  .degradations = DEGRADES(REASON_DROPPED) },
		[CASE_ASK] = { .effect = ASKS },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* The user has answered: silence lets the answer pass. */
static const struct bl_response_shape elicited_response = {
	"elicitation result",
	{
		[CASE_REFUSE] = { FORM(decline), .effect = DENIES,
				  .degradations = DEGRADES(REASON_DROPPED) },
		[CASE_ASK] = { FORM(decline), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Standard output would be taken for the path of the worktree. */
static const struct bl_response_shape worktree_response = {
	"worktree",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = { .is_silent = true,
				  .exits_2 = true,
				  .effect = DENIES },
		[CASE_ASK] = { .is_silent = true,
			       .exits_2 = true,
			       .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* An event that is not known: every word that any event understands. */
static const struct response_part unknown_deny[] = {
	FLAG(TOP, "continue", FALSE),
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", REASON),
	PART(TOP, "stopReason", REASON),
};

const struct bl_response_shape bl_claude_unknown_response = {
	"unknown",
	{
		[CASE_REFUSE] = { FORM(unknown_deny), .effect = BL_VERB_HALT },
		[CASE_ASK] = { FORM(unknown_deny), .effect = BL_VERB_HALT,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* ---- events ------------------------------------------------------------- */

#define REFUSE   BL_CAN_REFUSE
#define CONTEXTS BL_CAN_CONTEXT
#define RESULT   (BL_CAN_FEEDBACK | BL_CAN_CONTEXT)

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      REFUSE | CONTEXTS | BL_CAN_ASK | BL_CAN_REWRITE,
	      bl_claude_tool_response),
	EVENT("PreSkillShellCommand", TOOL_BEFORE, REFUSE, skill_response),
	EVENT("PermissionRequest", PERMISSION, REFUSE | BL_CAN_ASK,
	      bl_claude_permission_response),
	EVENT("PermissionDenied", PERMISSION_DENIED, 0,
	      bl_claude_notice_response),
	EVENT("PostToolUse", TOOL_AFTER, RESULT, bl_claude_tool_after_response),
	EVENT("PostToolUseFailure", TOOL_FAILED, RESULT,
	      bl_claude_context_response),
	EVENT("PostToolBatch", TOOL_BATCH, RESULT | BL_CAN_HALT,
	      batch_response),
	EVENT("UserPromptSubmit", PROMPT, REFUSE | CONTEXTS,
	      bl_claude_prompt_response),
	EVENT("UserPromptExpansion", PROMPT_EXPAND, REFUSE | CONTEXTS,
	      bl_claude_prompt_response),
	EVENT("SessionStart", SESSION_START, CONTEXTS | BL_CAN_HALT,
	      bl_claude_start_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_end_response),
	EVENT("Setup", SETUP, CONTEXTS, bl_claude_context_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("StopFailure", STOP_FAILED, 0, bl_claude_notice_response),
	EVENT("SubagentStart", SUBAGENT_START, CONTEXTS,
	      bl_claude_context_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, BL_CAN_HALT, bl_claude_compact_response),
	EVENT("PostCompact", COMPACTED, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, BL_CAN_HALT,
	      bl_claude_halt_response),
	EVENT("MessageDisplay", MESSAGE, 0, bl_claude_notice_response),
	EVENT("InstructionsLoaded", INSTRUCTIONS, 0, bl_claude_notice_response),
	EVENT("ConfigChange", CONFIG_CHANGE, REFUSE, block_response),
	EVENT("CwdChanged", CWD_CHANGE, 0, bl_claude_notice_response),
	EVENT("DirectoryAdded", WORKSPACE_OPEN, 0, bl_claude_notice_response),
	EVENT("FileChanged", FILE_CHANGE, 0, bl_claude_notice_response),
	EVENT("WorktreeCreate", WORKTREE_CREATE, REFUSE, worktree_response),
	EVENT("WorktreeRemove", WORKTREE_REMOVE, REFUSE, worktree_response),
	EVENT("TaskCreated", TASK_CREATED, REFUSE, block_response),
	EVENT("TaskCompleted", TASK_COMPLETED, BL_CAN_HALT,
	      bl_claude_halt_response),
	EVENT("TeammateIdle", TASK_IDLE, BL_CAN_HALT, bl_claude_halt_response),
	EVENT("PreModelSwitch", MODEL_SWITCH, REFUSE, block_response),
	EVENT("PostModelSwitch", MODEL_SWITCHED, CONTEXTS,
	      bl_claude_context_response),
	EVENT("Elicitation", ELICITATION, REFUSE | BL_CAN_ASK,
	      elicitation_response),
	EVENT("ElicitationResult", ELICITATION_RESULT, REFUSE,
	      elicited_response),
};

static const char *const unattended[] = { "bypassPermissions", "dontAsk",
					  NULL };

/* ---- the agent ----------------------------------------------------------- */

static const struct bl_payload_rows payload_rows = {
	.dialect = "claude-hooks",
	.marks = {
		{ MARK_INHERITED,
		  { "CLAUDE_CODE_SESSION_ID" },
		  "environment: CLAUDE_CODE_SESSION_ID" },
		{ MARK_INHERITED, { "CLAUDECODE" }, "environment: CLAUDECODE" },
		{ MARK_LIKENESS,
		  { "hook_event_name", "session_id", "transcript_path" },
		  "payload: Claude Code's fields" },
	},
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path", "notebook_path" },
	.folder_field = "",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".claude",
	.global_folder = ".claude",
	.files = { { ".claude/settings.json", ".claude/settings.json",
		     "etc/claude-code/managed-settings.d/belay.json" } },
	.settings = {
		[BL_SCOPE_PROJECT] = { ".claude/settings.local.json" },
		[BL_SCOPE_MANAGED] = { "etc/claude-code/"
				       "managed-settings.json" },
	},
	.json = BL_JSON_STRICT,
	.off_key = "disableAllHooks",
	.off_value = true,
	.managed_only_key = "allowManagedHooksOnly",
	.timeout = 20,
	.program = "claude",
	.fails_closed_key = "onFailure",
	.fails_closed_word = "block",
	.project = "\"$CLAUDE_PROJECT_DIR\"/",
	.variable = "CLAUDE_PROJECT_DIR",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PreSkillShellCommand",
		  .fails_closed = true,
		  .since = "2.1.122" },
		{ "PostToolUse", "*" },
		{ "PostToolUseFailure", "*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary =
		"{\"session_id\":\"canary\",\"transcript_path\":\"\","
		"\"hook_event_name\":\"PreToolUse\",\"tool_name\":"
		"\"Bash\",\"tool_input\":{\"command\":"
		"@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_claude = {
	.name = "claude",
	.title = "Claude Code",
	.measured = "2.1.332",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = REFUSE | BL_CAN_HALT,
		     .response = &bl_claude_unknown_response },
	.unattended_modes = unattended,
	.payload = &payload_rows,
	.registration = &registration,
};

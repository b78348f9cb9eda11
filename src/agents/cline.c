/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cline: rows only (docs/contracts/agents.md "Cline").  Its hooks are programs
 * named after events.  Nothing but "cancel" refuses, whatever the exit status,
 * and it ends the run; of the rest belay says only what was seen to count.
 * The command-line program (SDK) takes a changed input; the editor's extension
 * does not, and its payloads have no `tool_call`.
 */
#include "agents/rows.h"

#define OF_SDK "tool_call"

static const struct response_part cancel[] = {
	FLAG(TOP, "cancel", TRUE),
	PART(TOP, "errorMessage", EVERYTHING),
};
/* For the model's next request. */
static const struct response_part context[] = {
	PART(TOP, "contextModification", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "contextModification", TOLD),
};
static const struct response_part modify[] = {
	PART(TOP, "contextModification", TOLD),
	{ "overrideInput", NULL, OF_SDK, PLACE_TOP, SAY_FULL_INPUT },
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(cancel), .effect = BL_VERB_HALT },
		[CASE_ASK] = { FORM(cancel), .effect = BL_VERB_HALT,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

/* The call is over: the model is told, and the run goes on. */
static const struct bl_response_shape tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape unknown_response = {
	"unknown",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(cancel), .effect = BL_VERB_HALT },
		[CASE_ASK] = { FORM(cancel), .effect = BL_VERB_HALT,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

#define TOOL  (BL_CAN_REFUSE | BL_CAN_HALT | BL_CAN_REWRITE | BL_CAN_CONTEXT)
#define AFTER (BL_CAN_FEEDBACK | BL_CAN_CONTEXT)

/* `hookName` is the file's name in the extension, a name of its own in the SDK. */
static const struct bl_hook_event events[] = {
	EVENT("tool_call", TOOL_BEFORE, TOOL, tool_response),
	EVENT("PreToolUse", TOOL_BEFORE, TOOL, tool_response),
	EVENT("tool_result", TOOL_AFTER, AFTER, tool_after_response),
	EVENT("PostToolUse", TOOL_AFTER, AFTER, tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, 0, bl_claude_notice_response),
	EVENT("prompt_submit", PROMPT, 0, bl_claude_notice_response),
	EVENT("TaskStart", SESSION_START, 0, bl_claude_notice_response),
	EVENT("TaskResume", SESSION_START, 0, bl_claude_notice_response),
	EVENT("agent_start", SESSION_START, 0, bl_claude_notice_response),
	EVENT("agent_resume", SESSION_START, 0, bl_claude_notice_response),
	EVENT("TaskComplete", SESSION_END, 0, bl_claude_notice_response),
	EVENT("TaskCancel", SESSION_END, 0, bl_claude_notice_response),
	EVENT("TaskError", SESSION_END, 0, bl_claude_notice_response),
	EVENT("SessionShutdown", SESSION_END, 0, bl_claude_notice_response),
	EVENT("agent_end", SESSION_END, 0, bl_claude_notice_response),
	EVENT("agent_abort", SESSION_END, 0, bl_claude_notice_response),
	EVENT("agent_error", SESSION_END, 0, bl_claude_notice_response),
	EVENT("session_shutdown", SESSION_END, 0, bl_claude_notice_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "cline-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hookName", "taskId" },
		     "payload: hookName and taskId" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hookName", "hook_event_name" },
		[PAYLOAD_SESSION] = { "taskId" },
		[PAYLOAD_ROOTS] = { "workspaceRoots" },
		[PAYLOAD_VERSION] = { "clineVersion" },
		/* agent_id is there for every agent, also for the first */
		[PAYLOAD_AGENT_ID] = { "parent_agent_id" },
		[PAYLOAD_TOOL_NAME] = { "tool_call.name", "tool_result.name",
					"preToolUse.toolName",
					"postToolUse.toolName" },
		[PAYLOAD_TOOL_INPUT] = { "tool_call.input", "tool_result.input",
					 "preToolUse.parameters",
					 "postToolUse.parameters" },
		[PAYLOAD_CALL_ID] = { "tool_call.id", "tool_result.id" },
		[PAYLOAD_OUTPUT] = { "tool_result.output",
				     "postToolUse.result" },
		[PAYLOAD_ERROR] = { "tool_result.error" },
		[PAYLOAD_PROMPT] = { "userPromptSubmit.prompt" },
		[PAYLOAD_SERVER] = { "tool_call.input.server_name",
				     "preToolUse.parameters.server_name" },
		[PAYLOAD_SERVER_TOOL] = { "tool_call.input.tool_name",
					  "preToolUse.parameters.tool_name" },
	},
	.path_fields = { "path", "file_path" },
	.folder_field = "",
	.mcp_between = "__",
	.emergency = "{\"cancel\":true,\"errorMessage\":",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_SCRIPTS,
	.folder = ".clinerules",
	.global_folder = ".cline",
	.files = { { ".clinerules/hooks", ".cline/hooks" } },
	/* the script's own folder is two below the project */
	.project = "\"$(dirname \"$0\")/../..\"/",
	.program = "cline",
	.entries = {
		{ "PreToolUse", .fails_closed = true },
		{ "PostToolUse" },
	},
	.script_text =
		"answer=$(@command) && [ -n \"$answer\" ] && "
		"printf '%s\\n' \"$answer\" && exit 0\n"
		"# Cline goes on after any exit status: only these words stop "
		"it.\n"
		"printf '%s\\n' '{\"cancel\":true,\"errorMessage\":"
		"\"belay gave no answer, so this is refused\"}'\n",
	.canary = "{\"taskId\":\"canary\",\"hookName\":\"tool_call\","
		  "\"workspaceRoots\":[@cwd],\"tool_call\":{\"id\":\"canary\","
		  "\"name\":\"run_commands\",\"input\":{\"commands\":"
		  "[@command]}}}",
};

const struct bl_agent bl_agent_cline = {
	.name = "cline",
	.title = "Cline",
	.measured = "3.0.65",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities =
			     BL_CAN_REFUSE | BL_CAN_HALT | BL_CAN_CONTEXT,
		     .response = &unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

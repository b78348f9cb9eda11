/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kimi Code: rows only (docs/contracts/agents.md "Kimi Code"; by its documents,
 * not run).  Exit status 2 refuses; at 0 the model reads whatever is printed, so
 * belay prints nothing but context.  Hooks are tables of the user's config.toml,
 * never of a project.
 */
#include "agents/rows.h"

#define TOLD_ONLY bl_exit_2_text_response

static const struct response_part context[] = {
	PART(TOP, "text", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "text", TOLD),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context), .is_text = true },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { .effect = DENIES,
			       .is_silent = true,
			       .exits_2 = true,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context), .is_text = true },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(told), .is_text = true,
			       .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told), .is_text = true,
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

#define SILENT bl_exit_2_silent_response

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      tool_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_CONTEXT, TOLD_ONLY),
	EVENT("PostToolUseFailure", TOOL_FAILED, BL_CAN_CONTEXT, TOLD_ONLY),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT, TOLD_ONLY),
	EVENT("SessionEnd", SESSION_END, 0, SILENT),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_exit_2_stop_response),
	EVENT("StopFailure", STOP_FAILED, 0, SILENT),
	EVENT("SubagentStart", SUBAGENT_START, 0, SILENT),
	EVENT("SubagentStop", SUBAGENT_STOP, 0, SILENT),
	EVENT("PreCompact", COMPACT, 0, SILENT),
	EVENT("PostCompact", COMPACTED, 0, SILENT),
	EVENT("Notification", NOTIFICATION, 0, SILENT),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "kimi-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hook_event_name", "tool_call_id" },
		     "payload: tool_call_id" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "path", "file_path" },
};

static const char block[] = "[[hooks]]\n"
			    "event = \"PreToolUse\"\n"
			    "command = @closing\n"
			    "timeout = 20\n"
			    "\n"
			    "[[hooks]]\n"
			    "event = \"PostToolUse\"\n"
			    "command = @command\n"
			    "timeout = 20\n"
			    "\n"
			    "[[hooks]]\n"
			    "event = \"UserPromptSubmit\"\n"
			    "command = @command\n"
			    "timeout = 20\n"
			    "\n"
			    "[[hooks]]\n"
			    "event = \"Stop\"\n"
			    "command = @command\n"
			    "timeout = 20\n";

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_BLOCK,
	.folder = ".kimi-code",
	.global_folder = ".kimi-code",
	.files = { { NULL, ".kimi-code/config.toml" } },
	.closes_by_status = true,
	.program = "kimi",
	.plugin = block,
	.excludes = "hooks",
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"PreToolUse\",\"tool_name\":\"Shell\",\"tool_call_id\":"
		  "\"canary\",\"tool_input\":{\"command\":@command},"
		  "\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_kimi = {
	.name = "kimi",
	.title = "Kimi Code",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IBM's Bob: rows only (docs/contracts/agents.md "Bob"; by its documents, not
 * run).  Exit status 2 refuses a tool and a prompt; at a start and a prompt
 * whatever is printed is context.  Payloads have names of their own.
 */
#include "agents/rows.h"

static const struct response_part context[] = {
	PART(TOP, "text", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "text", TOLD),
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

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, 0, bl_exit_2_silent_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_exit_2_text_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_exit_2_silent_response),
	EVENT("Stop", STOP, 0, bl_exit_2_silent_response),
	EVENT("SubagentStop", SUBAGENT_STOP, 0, bl_exit_2_silent_response),
	EVENT("PreCompact", COMPACT, 0, bl_exit_2_silent_response),
	EVENT("Notification", NOTIFICATION, 0, bl_exit_2_silent_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "bob-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "event", "tool", "input" },
		     "payload: event, tool and input" } },
	.fields = {
		[PAYLOAD_EVENT] = { "event", "hook_event_name" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool", "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "input", "tool_input" },
		[PAYLOAD_OUTPUT] = { "output" },
		[PAYLOAD_PROMPT] = { "prompt" },
	},
	.path_fields = { "path", "file_path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".bob",
	.global_folder = ".bob",
	.files = { { ".bob/settings.json", ".bob/settings/settings.json" } },
	.consent = BL_CONSENT_UNSEEN,
	.timeout = 20,
	.closes_by_status = true,
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.afterwards = "Bob reads the hooks of a project only when its folder is "
		      "trusted",
	.entries = {
		{ "PreToolUse", ".*", .fails_closed = true },
		{ "PostToolUse", ".*" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
	},
	.canary = "{\"event\":\"PreToolUse\",\"session_id\":\"canary\","
		  "\"tool\":\"execute_command\",\"input\":{\"command\":"
		  "@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_bob = {
	.name = "bob",
	.title = "IBM Bob",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devin's command-line program: rows only (docs/contracts/agents.md "Devin"; by
 * its documents, not run).  "decision": "block" stands at the top, beside exit
 * status 2.  Payloads name no folder: belay runs in it.  "approve" is never
 * said.  A change of the input is merged into the call by the documents; that
 * was not seen, so it refuses.
 */
#include "agents/rows.h"

static const struct response_part block[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", EVERYTHING),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(block), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(block), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE, tool_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE, tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_claude_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_claude_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("PostCompaction", COMPACTED, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "devin-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "DEVIN_PROJECT_DIR" },
		     "environment: DEVIN_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".devin",
	.global_folder = ".config/devin",
	.files = { { ".devin/hooks.v1.json", ".config/devin/config.json",
		     .is_top_level = true } },
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$DEVIN_PROJECT_DIR\"/",
	.variable = "DEVIN_PROJECT_DIR",
	.program = "devin",
	.afterwards = "Devin also runs the hooks of .claude/settings.json, "
		      "unless read_config_from.claude is off",
	.entries = {
		{ "PreToolUse", .fails_closed = true },
		{ "PermissionRequest", .fails_closed = true },
		{ "PostToolUse" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
	},
	.canary = CLAUDE_CANARY("exec"),
};

const struct bl_agent bl_agent_devin = {
	.name = "devin",
	.title = "Devin",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

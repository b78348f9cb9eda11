/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GitHub's Copilot CLI: rows only (docs/contracts/agents.md "Copilot CLI").
 * The spelling of an event in its file chooses the form: belay registers in
 * capitals, which brings Claude Code's payloads, tool names and responses.
 */
#include "agents/rows.h"

/* The output of a hook about a prompt is thrown away. */
static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_ASK | BL_CAN_REWRITE | BL_CAN_CONTEXT,
	      bl_claude_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_claude_tool_after_response),
	EVENT("PostToolUseFailure", TOOL_FAILED,
	      BL_CAN_FEEDBACK | BL_CAN_CONTEXT, bl_claude_context_response),
	EVENT("UserPromptSubmit", PROMPT, 0, bl_claude_notice_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "copilot-hooks",
	.marks = {
		{ MARK_ENVIRONMENT,
		  { "COPILOT_PROJECT_DIR" },
		  "environment: COPILOT_PROJECT_DIR" },
		{ MARK_ENVIRONMENT,
		  { "COPILOT_CLI" },
		  "environment: COPILOT_CLI" },
	},
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_FLAT,
	.folder = ".github/hooks",
	.global_folder = ".copilot",
	.files = { { ".github/hooks/belay.json",
		     ".copilot/hooks/belay.json",
		     "etc/github-copilot/policy.d/belay.json" } },
	.settings = {
		[BL_SCOPE_PROJECT] = { ".github/copilot/settings.json",
				       ".github/copilot/settings.local.json" },
		[BL_SCOPE_USER] = { ".copilot/settings.json" },
	},
	.json = BL_JSON_STRICT,
	.off_key = "disableAllHooks",
	.off_value = true,
	.consent = BL_CONSENT_FOLDER,
	.has_version = true,
	.has_type = true,
	.timeout = 20,
	.timeout_key = "timeoutSec",
	.command_key = "bash",
	.project = "\"$COPILOT_PROJECT_DIR\"/",
	.variable = "COPILOT_PROJECT_DIR",
	.afterwards = "Copilot runs hooks of a project only in a folder that "
		      "is trusted (--trust-folder)",
	.entries = {
		{ "PreToolUse" },
		{ "PostToolUse" },
		{ "PostToolUseFailure" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{"
		  "\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_copilot = {
	.name = "copilot",
	.title = "Copilot CLI",
	.measured = "1.0.102",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE | BL_CAN_HALT,
		     .response = &bl_claude_unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

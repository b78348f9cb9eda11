/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent mode of Visual Studio Code: rows only (docs/contracts/agents.md "VS
 * Code"; by its documents, not run).  Claude Code's form, with the block at the
 * end of a turn nested.  Matchers are ignored: every tool comes.
 */
#include "agents/rows.h"

static const struct response_part go_on[] = {
	CONSTANT(SPECIFIC, "decision", "block"),
	PART(SPECIFIC, "hookEventName", EVENT),
	PART(SPECIFIC, "reason", BOTH_REASONS),
};

static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(go_on), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_ASK,
	      bl_exit_2_asking_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_exit_2_tool_after_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_exit_2_prompt_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
	EVENT("SubagentStart", SUBAGENT_START, BL_CAN_CONTEXT,
	      bl_claude_context_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "vscode-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hookEventName", "sessionId", "timestamp" },
		     "payload: hookEventName, sessionId and timestamp" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hookEventName", "hook_event_name" },
	},
	.path_fields = { "filePath", "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_FLAT,
	/* its folders are there without agents, too: only when named */
	.files = { { ".github/hooks/belay-vscode.json",
		     ".copilot/hooks/belay-vscode.json" } },
	.has_type = true,
	.timeout = 20,
	.closes_by_status = true,
	.project = "",
	.afterwards = "VS Code also runs the hooks of Copilot CLI and of Claude "
		      "Code: with those in place this one is asked besides",
	.entries = {
		{ "PreToolUse", .fails_closed = true },
		{ "PostToolUse" },
		{ "UserPromptSubmit" },
		{ "SessionStart" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = "{\"sessionId\":\"canary\",\"timestamp\":\"canary\","
		  "\"hookEventName\":\"PreToolUse\",\"tool_name\":"
		  "\"run_in_terminal\",\"tool_input\":{\"command\":@command},"
		  "\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_vscode = {
	.name = "vscode",
	.title = "VS Code",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grok's command-line program: rows only (docs/contracts/agents.md "Grok"; by
 * its documents, not run).  A flat decision beside exit status 2; payloads in
 * camel case.  It waits five seconds for a hook unless told otherwise, and runs
 * the hooks of Claude Code and Cursor besides.
 */
#include "agents/rows.h"

static const struct response_part deny[] = {
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", EVERYTHING),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE, tool_response),
	EVENT("PostToolUse", TOOL_AFTER, 0, bl_claude_notice_response),
	EVENT("PostToolUseFailure", TOOL_FAILED, 0, bl_claude_notice_response),
	EVENT("PermissionDenied", PERMISSION_DENIED, 0,
	      bl_claude_notice_response),
	EVENT("UserPromptSubmit", PROMPT, 0, bl_claude_notice_response),
	EVENT("SessionStart", SESSION_START, 0, bl_claude_notice_response),
	EVENT("SessionEnd", SESSION_END, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_claude_stop_response),
	EVENT("StopFailure", STOP_FAILED, 0, bl_claude_notice_response),
	EVENT("SubagentStart", SUBAGENT_START, 0, bl_claude_notice_response),
	EVENT("SubagentStop", SUBAGENT_STOP, BL_CAN_CONTINUE,
	      bl_claude_stop_response),
	EVENT("PreCompact", COMPACT, 0, bl_claude_notice_response),
	EVENT("PostCompact", COMPACTED, 0, bl_claude_notice_response),
	EVENT("Notification", NOTIFICATION, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "grok-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hookEventName", "workspaceRoot" },
		     "payload: hookEventName and workspaceRoot" },
		   { MARK_ENVIRONMENT,
		     { "GROK_SESSION_ID" },
		     "environment: GROK_SESSION_ID" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hookEventName", "hook_event_name" },
		[PAYLOAD_SESSION] = { "sessionId", "session_id" },
		[PAYLOAD_CWD] = { "cwd", "workspaceRoot" },
		[PAYLOAD_TOOL_NAME] = { "toolName", "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "toolInput", "tool_input" },
		[PAYLOAD_OUTPUT] = { "toolResult" },
		[PAYLOAD_ERROR] = { "error" },
		[PAYLOAD_PROMPT] = { "prompt" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".grok",
	.global_folder = ".grok",
	.files = { { ".grok/hooks/belay.json", ".grok/hooks/belay.json" } },
	.consent = BL_CONSENT_UNSEEN,
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$GROK_WORKSPACE_ROOT\"/",
	.variable = "GROK_WORKSPACE_ROOT",
	.program = "grok",
	.afterwards = "Grok runs the hooks of a project only when they are "
		      "trusted: /hooks-trust, or --trust",
	.entries = {
		{ "PreToolUse", .fails_closed = true },
		{ "PostToolUse" },
		{ "PostToolUseFailure" },
		{ "UserPromptSubmit" },
		{ "Stop" },
		{ "SubagentStop" },
	},
	.canary = "{\"hookEventName\":\"PreToolUse\",\"sessionId\":\"canary\","
		  "\"cwd\":@cwd,\"workspaceRoot\":@cwd,\"toolName\":"
		  "\"run_terminal_command\",\"toolInput\":{\"command\":"
		  "@command}}",
};

const struct bl_agent bl_agent_grok = {
	.name = "grok",
	.title = "Grok",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

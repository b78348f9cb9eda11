/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windsurf's Cascade: rows only (docs/contracts/agents.md "Windsurf"; by its
 * documents, not run).  It reads no answer: exit status 2 at an event whose name
 * begins with pre_ refuses, and standard error goes to the model.  Which tool it
 * is about is in the event's name.
 */
#include "agents/rows.h"

#define SILENT bl_exit_2_silent_response

/* A prompt is refused; the model cannot be told anything else. */
static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { .is_silent = true,
			       .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("pre_user_prompt", PROMPT, BL_CAN_REFUSE, prompt_response),
	EVENT_OF("pre_read_code", TOOL_BEFORE, FILE_READ, BL_CAN_REFUSE,
		 bl_exit_2_tool_response),
	EVENT_OF("post_read_code", TOOL_AFTER, FILE_READ, 0, SILENT),
	EVENT_OF("pre_write_code", TOOL_BEFORE, FILE_EDIT, BL_CAN_REFUSE,
		 bl_exit_2_tool_response),
	EVENT_OF("post_write_code", TOOL_AFTER, FILE_EDIT, 0, SILENT),
	EVENT_OF("pre_run_command", TOOL_BEFORE, SHELL, BL_CAN_REFUSE,
		 bl_exit_2_tool_response),
	EVENT_OF("post_run_command", TOOL_AFTER, SHELL, 0, SILENT),
	EVENT_OF("pre_mcp_tool_use", TOOL_BEFORE, MCP, BL_CAN_REFUSE,
		 bl_exit_2_tool_response),
	EVENT_OF("post_mcp_tool_use", TOOL_AFTER, MCP, 0, SILENT),
	EVENT("post_cascade_response", MESSAGE, 0, SILENT),
	EVENT("post_cascade_response_with_transcript", MESSAGE, 0, SILENT),
	EVENT("post_setup_worktree", WORKTREE_CREATE, 0, SILENT),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "windsurf-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "agent_action_name" },
		     "payload: agent_action_name" } },
	.fields = {
		[PAYLOAD_EVENT] = { "agent_action_name", "hook_event_name" },
		[PAYLOAD_SESSION] = { "trajectory_id" },
		[PAYLOAD_TURN] = { "execution_id" },
		[PAYLOAD_CWD] = { "tool_info.cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool_info.mcp_tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_info.mcp_tool_arguments",
					 "tool_info" },
		[PAYLOAD_OUTPUT] = { "tool_info.mcp_result" },
		[PAYLOAD_PROMPT] = { "tool_info.user_prompt" },
		[PAYLOAD_MESSAGE] = { "tool_info.response" },
		[PAYLOAD_SERVER] = { "tool_info.mcp_server_name" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_FLAT,
	.folder = ".windsurf",
	.global_folder = ".codeium/windsurf",
	.files = { { ".windsurf/hooks.json", ".codeium/windsurf/hooks.json",
		     "etc/windsurf/hooks.json" } },
	.closes_by_status = true,
	/* no variable names the project; hooks run in it */
	.project = "",
	.program = "windsurf",
	.entries = {
		{ "pre_run_command", .fails_closed = true },
		{ "pre_write_code", .fails_closed = true },
		{ "pre_read_code", .fails_closed = true },
		{ "pre_mcp_tool_use", .fails_closed = true },
		{ "pre_user_prompt" },
		{ "post_run_command" },
		{ "post_write_code" },
		{ "post_mcp_tool_use" },
	},
	.canary = "{\"agent_action_name\":\"pre_run_command\","
		  "\"trajectory_id\":\"canary\",\"tool_info\":{"
		  "\"command_line\":@command,\"cwd\":@cwd}}",
};

const struct bl_agent bl_agent_windsurf = {
	.name = "windsurf",
	.title = "Windsurf",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

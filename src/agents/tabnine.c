/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tabnine's agent: rows only (docs/contracts/agents.md "Tabnine"; by its
 * documents, not run).  It comes from Gemini CLI, and speaks as that does.
 */
#include "agents/rows.h"

static const struct bl_hook_event events[] = {
	EVENT("BeforeTool", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("AfterTool", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_gemini_tool_after_response),
	EVENT("AfterAgent", STOP, BL_CAN_CONTINUE, bl_gemini_stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "tabnine-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "TABNINE_PROJECT_DIR" },
		     "environment: TABNINE_PROJECT_DIR" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SERVER] = { "mcp_context.server_name" },
	},
	.path_fields = { "file_path", "path", "dir_path" },
	.folder_field = "dir_path",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".tabnine",
	.global_folder = ".tabnine",
	.files = { { ".tabnine/agent/settings.json",
		     ".tabnine/agent/settings.json" } },
	.timeout = 20000, /* milliseconds */
	.closes_by_status = true,
	/* no variable is known to name the project */
	.project =
		"\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.entries = {
		{ "BeforeTool", ".*", .fails_closed = true },
		{ "AfterTool", ".*" },
		{ "AfterAgent" },
	},
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"BeforeTool\",\"tool_name\":\"run_shell_command\","
		  "\"tool_input\":{\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_tabnine = {
	.name = "tabnine",
	.title = "Tabnine",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

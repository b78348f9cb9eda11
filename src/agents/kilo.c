/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo Code's command-line program: rows only (docs/contracts/agents.md "Kilo";
 * by its documents, not run).  It comes from OpenCode and takes its plugins, so
 * belay's is the same.
 */
#include "agents/rows.h"

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_REWRITE | BL_CAN_CONTEXT,
	      bl_plugin_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_plugin_result_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_plugin_prompt_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_plugin_other_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "kilo-plugin",
	.marks = { { MARK_INHERITED, { "KILO" }, "environment: KILO" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_AGENT_TYPE] = { "agent" },
		[PAYLOAD_TOOL_NAME] = { "tool", "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "args", "tool_input" },
		[PAYLOAD_CALL_ID] = { "call_id" },
		[PAYLOAD_OUTPUT] = { "result" },
		[PAYLOAD_PROMPT] = { "prompt" },
		[PAYLOAD_LOOPS] = { "loop_count" },
	},
	.path_fields = { "filePath", "file_path", "path" },
	.folder_field = "workdir",
	.mcp_between = "_",
	.emergency = "{\"decision\":\"block\",\"reason\":",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_PLUGIN,
	.folder = ".kilo",
	.global_folder = ".config/kilo",
	.files = { { ".kilo/plugin/belay.js",
		     ".config/kilo/plugin/belay.js" } },
	.project = "",
	.program = "kilo",
	.plugin = bl_opencode_plugin,
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"PreToolUse\",\"tool\":\"bash\",\"args\":{"
		  "\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_kilo = {
	.name = "kilo",
	.title = "Kilo Code",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &bl_plugin_other_response },
	.renames_tools = true,
	.payload = &payload_rows,
	.registration = &registration,
};

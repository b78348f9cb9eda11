/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Docker's agent (cagent): rows only (docs/contracts/agents.md "docker-agent";
 * by its documents, not run).  Hooks are in the file of each agent, which has no
 * fixed place: the lines go in by hand.
 */
#include "agents/rows.h"

static const struct bl_hook_event events[] = {
	EVENT("pre_tool_use", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("post_tool_use", TOOL_AFTER, 0, bl_exit_2_silent_response),
	EVENT("session_start", SESSION_START, 0, bl_exit_2_silent_response),
	EVENT("session_end", SESSION_END, 0, bl_exit_2_silent_response),
	EVENT("on_user_input", NOTIFICATION, 0, bl_exit_2_silent_response),
	EVENT("stop", STOP, 0, bl_exit_2_silent_response),
	EVENT("notification", NOTIFICATION, 0, bl_exit_2_silent_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "docker-agent-hooks",
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "path", "file_path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_NONE,
	.afterwards = "put into agents.NAME of your agent's file: hooks: "
		      "{pre_tool_use: [{matcher: \"*\", hooks: [{type: "
		      "command, command: \"belay eval --harness dockeragent "
		      "--policy-dir .belay || exit 2\"}]}]}",
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"pre_tool_use\",\"tool_name\":\"shell\",\"tool_input\":{"
		  "\"cmd\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_dockeragent = {
	.name = "dockeragent",
	.title = "docker-agent",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

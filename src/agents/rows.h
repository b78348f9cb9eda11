/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/rows.h: how an agent's file writes its rows; for those files only.
 */
#ifndef BELAY_AGENTS_ROWS_H
#define BELAY_AGENTS_ROWS_H

#include "agents/private.h"

#define PART(place, key, source)                                               \
	{                                                                      \
		key, NULL, NULL, PLACE_##place, SAY_##source                   \
	}
#define FLAG(place, key, source) PART(place, key, source)
#define CONSTANT(place, key, text)                                             \
	{                                                                      \
		key, text, NULL, PLACE_##place, SAY_TEXT                       \
	}

#define FORM(list) .parts = list, .count = BL_COUNT(list)

#define ALLOWS   BL_VERB_ALLOW
#define MODIFIES BL_VERB_MODIFY
#define ASKS     BL_VERB_ASK
#define DENIES   BL_VERB_DENY

#define DEGRADES(name) (1U << BL_DEGRADED_##name)

/* A row of struct bl_hook_event where belay is the hook. */
#define EVENT(event_name, event_kind, can, shape)                              \
	{                                                                      \
		.name = event_name, .kind = BL_EVENT_##event_kind,             \
		.capabilities = can, .response = &shape,                       \
	}

/* The fields of Claude's payloads, and of those that follow them. */
#define CLAUDE_FIELDS                                                          \
	[PAYLOAD_SESSION] = { "session_id", "sessionId" },                     \
	[PAYLOAD_TURN] = { "prompt_id", "turn_id" },                           \
	[PAYLOAD_TRANSCRIPT] = { "transcript_path", "transcriptPath" },        \
	[PAYLOAD_CWD] = { "cwd", "working_dir" },                              \
	[PAYLOAD_MODE] = { "permission_mode", "permissionMode" },              \
	[PAYLOAD_AGENT_ID] = { "agent_id" },                                   \
	[PAYLOAD_AGENT_TYPE] = { "agent_type" },                               \
	[PAYLOAD_TOOL_NAME] = { "tool_name" },                                 \
	[PAYLOAD_TOOL_INPUT] = { "tool_input" },                               \
	[PAYLOAD_CALL_ID] = { "tool_use_id", "tool_call_id" },                 \
	[PAYLOAD_OUTPUT] = { "tool_response", "tool_result", "tool_output" },  \
	[PAYLOAD_ERROR] = { "error" }, [PAYLOAD_PROMPT] = { "prompt" },        \
	[PAYLOAD_MESSAGE] = { "last_assistant_message", "message",             \
			      "assistant_response" },                          \
	[PAYLOAD_STOP_ACTIVE] = { "stop_hook_active" }

/* An event that is about one kind of tool, whatever the payload says. */
#define EVENT_OF(event_name, event_kind, tool_kind, can, shape)                \
	{                                                                      \
		.name = event_name, .kind = BL_EVENT_##event_kind,             \
		.tool = BL_TOOL_##tool_kind, .capabilities = can,              \
		.response = &shape,                                            \
	}

/* An event that is not known, refused by exit status 2. */
#define UNKNOWN_EXITS_2                                                        \
	.unknown = {                                                           \
		.name = "",                                                    \
		.kind = BL_EVENT_UNKNOWN,                                      \
		.capabilities = BL_CAN_REFUSE,                                 \
		.response = &bl_exit_2_tool_response,                          \
	}

/* The canary of agents with Claude Code's fields. */
#define CLAUDE_CANARY(tool)                                                    \
	"{\"session_id\":\"canary\",\"hook_event_name\":\"PreToolUse\","       \
	"\"tool_name\":\"" tool "\",\"tool_input\":{\"command\":@command},"    \
	"\"cwd\":@cwd}"

#endif

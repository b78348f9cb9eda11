/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/guest_rows.h: how the rows of a guest are written, for the agents'
 * files only.
 */
#ifndef BELAY_AGENTS_GUEST_ROWS_H
#define BELAY_AGENTS_GUEST_ROWS_H

#include "agents/guest_internal.h"

#define PART(place, key, source)                                               \
	{                                                                      \
		key, NULL, NULL, GUEST_##place, GUEST_##source                 \
	}
#define FLAG(place, key, source) PART(place, key, source)
#define CONSTANT(place, key, text)                                             \
	{                                                                      \
		key, text, NULL, GUEST_##place, GUEST_TEXT                     \
	}

#define FORM(list) .parts = list, .count = BL_COUNT(list)

#define ALLOWS   BL_RULING_ALLOW
#define MODIFIES BL_RULING_MODIFY
#define ASKS     BL_RULING_ASK
#define DENIES   BL_RULING_DENY

#define LOSES(name) (1U << BL_GUEST_LOSS_##name)

/* The fields of Claude's payloads, and of those that follow them. */
#define CLAUDE_FIELDS                                                          \
	[GUEST_FIELD_SESSION] = { "session_id", "sessionId" },                 \
	[GUEST_FIELD_TURN] = { "prompt_id" },                                  \
	[GUEST_FIELD_TRANSCRIPT] = { "transcript_path", "transcriptPath" },    \
	[GUEST_FIELD_CWD] = { "cwd" },                                         \
	[GUEST_FIELD_MODE] = { "permission_mode", "permissionMode" },          \
	[GUEST_FIELD_AGENT_ID] = { "agent_id" },                               \
	[GUEST_FIELD_AGENT_TYPE] = { "agent_type" },                           \
	[GUEST_FIELD_TOOL_NAME] = { "tool_name" },                             \
	[GUEST_FIELD_TOOL_INPUT] = { "tool_input" },                           \
	[GUEST_FIELD_CALL_ID] = { "tool_use_id" },                             \
	[GUEST_FIELD_OUTPUT] = { "tool_response" },                            \
	[GUEST_FIELD_ERROR] = { "error" },                                     \
	[GUEST_FIELD_PROMPT] = { "prompt" },                                   \
	[GUEST_FIELD_MESSAGE] = { "last_assistant_message", "message" },       \
	[GUEST_FIELD_STOP_ACTIVE] = { "stop_hook_active" }

#endif

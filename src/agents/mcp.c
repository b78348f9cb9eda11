/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any client of an MCP server, through `belay mcp-proxy`: rows only.  Payloads
 * and responses are belay's own, made and read by src/mcp: Claude Code's fields,
 * and what is to be done in one plain object.
 *
 *	{"reason":TEXT}                  the call, or its result, is refused
 *	{"arguments":OBJECT}             the call has these arguments instead
 *	{"context":[TEXT,...]}           the answer has these texts behind it
 *	{"question":TEXT,"reason":TEXT}  a person at the client decides; anything
 *	                                 but a yes is a refusal for that reason
 *
 * The last is only for a payload whose permission_mode is "attended": the proxy
 * says so where it was told to ask, and the client shows questions.
 *
 * There is no registration: a person puts the proxy in front of the server's
 * command (docs/guide/mcp.md).
 */
#include "agents/rows.h"

static const struct response_part context[] = {
	PART(TOP, "context", CONTEXT_LIST),
};
static const struct response_part refuse[] = {
	PART(TOP, "context", CONTEXT_LIST),
	PART(TOP, "reason", AGENT_REASON),
};
static const struct response_part ask[] = {
	PART(TOP, "context", CONTEXT_LIST),
	PART(TOP, "reason", ASK_FIRST),
};
static const struct response_part question[] = {
	PART(TOP, "arguments", FULL_INPUT),
	PART(TOP, "context", CONTEXT_LIST),
	PART(TOP, "question", REASON),
	PART(TOP, "reason", AGENT_REASON),
};
static const struct response_form attended_ask = { FORM(question),
						   .effect = ASKS };
static const struct response_part modify[] = {
	PART(TOP, "arguments", FULL_INPUT),
	PART(TOP, "context", TOLD_LIST),
};

static const struct bl_response_shape call_response = {
	"MCP call",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .attended = &attended_ask },
		[CASE_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

/* The client gets the reason in place of the result. */
static const struct bl_response_shape result_response = {
	"MCP result",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

#define RESULT (BL_CAN_REFUSE | BL_CAN_FEEDBACK | BL_CAN_CONTEXT)

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_REWRITE | BL_CAN_CONTEXT, call_response),
	EVENT("PostToolUse", TOOL_AFTER, RESULT, result_response),
	EVENT("PostToolUseFailure", TOOL_FAILED, RESULT, result_response),
};

static const char *const attended[] = { "attended", NULL };

static const struct bl_payload_rows payload_rows = {
	.dialect = "belay-mcp",
	.marks = {
		{ MARK_PAYLOAD,
		  { "mcp_server", "mcp_client" },
		  "payload: mcp_server and mcp_client" },
	},
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name" },
		[PAYLOAD_SERVER] = { "mcp_server" },
		[PAYLOAD_VERSION] = { "mcp_client.version" },
	},
	.path_fields = { "file_path", "path" },
};

const struct bl_agent bl_agent_mcp = {
	.name = "mcp",
	.title = "MCP clients",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &result_response },
	.attended_modes = attended,
	.payload = &payload_rows,
};

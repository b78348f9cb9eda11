/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crush: rows only (docs/contracts/agents.md "Crush"; by its source, not run).  A
 * flat form of its own, read at exit status 0; status 2 refuses, 49 ends the
 * turn.  "allow" would skip its own question, and is not said.  A changed input
 * is laid over the call's.
 */
#include "agents/rows.h"

static const struct response_part context[] = {
	PART(TOP, "context", CONTEXT),
};
static const struct response_part deny[] = {
	PART(TOP, "context", NOTE),
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", REASON),
};
static const struct response_part ask[] = {
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", EVERYTHING),
};
static const struct response_part modify[] = {
	PART(TOP, "context", TOLD),
	PART(TOP, "updated_input", PATCH),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_REWRITE | BL_CAN_CONTEXT, tool_response),
	EVENT("PreCompact", COMPACT, 0, bl_exit_2_silent_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "crush-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "CRUSH_SESSION_ID" },
		     "environment: CRUSH_SESSION_ID" } },
	.fields = {
		[PAYLOAD_EVENT] = { "event", "hook_event_name" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_input" },
	},
	.path_fields = { "file_path", "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_FLAT,
	.folder = ".crush",
	.global_folder = ".config/crush",
	.files = { { ".crush.json", .is_optional = true },
		   { "crush.json", ".config/crush/crush.json" } },
	.timeout = 20,
	.closes_by_status = true,
	.project = "\"$CRUSH_PROJECT_DIR\"/",
	.variable = "CRUSH_PROJECT_DIR",
	.program = "crush",
	.entries = { { "PreToolUse", .fails_closed = true } },
	.canary = "{\"event\":\"PreToolUse\",\"session_id\":\"canary\","
		  "\"cwd\":@cwd,\"tool_name\":\"bash\",\"tool_input\":{"
		  "\"command\":@command}}",
};

const struct bl_agent bl_agent_crush = {
	.name = "crush",
	.title = "Crush",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

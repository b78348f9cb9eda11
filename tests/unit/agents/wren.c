/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wren, an agent that is only here: all that belay would need to know of it, in
 * one file as src/agents has them.  Its hooks are commands in .wren/hooks.json,
 * a list for each event.  A payload is
 *
 *	{"event":"tool","wren":1,"dir":"/w","tool":"bash","arguments":{...}}
 *	{"event":"done","wren":1,"dir":"/w"}
 *
 * A hook answers nothing ({}), or {"verdict":"stop","why":TEXT}, at the event
 * "tool" also {"arguments":OBJECT}, all arguments anew.  It cannot ask anybody.
 */
#include "agents/rows.h"

static const struct response_part stop[] = {
	CONSTANT(TOP, "verdict", "stop"),
	PART(TOP, "why", BOTH_REASONS),
};
static const struct response_part change[] = {
	PART(TOP, "arguments", FULL_INPUT),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(stop), .effect = DENIES },
		[CASE_ASK] = { FORM(stop), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(change), .effect = MODIFIES },
	},
};

static const struct bl_response_shape done_response = {
	"done",
	{
		[CASE_REFUSE] = { FORM(stop), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("tool", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_REWRITE,
	      tool_response),
	EVENT("done", STOP, BL_CAN_CONTINUE, done_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "wren",
	.marks = { { MARK_PAYLOAD, { "wren" }, "payload: wren" } },
	.fields = {
		[PAYLOAD_EVENT] = { "event" },
		[PAYLOAD_CWD] = { "dir" },
		[PAYLOAD_TOOL_NAME] = { "tool" },
		[PAYLOAD_TOOL_INPUT] = { "arguments" },
	},
	.path_fields = { "path" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_FLAT,
	.folder = ".wren",
	.global_folder = ".wren",
	.files = { { ".wren/hooks.json", ".wren/hooks.json" } },
	.project = "",
	.entries = { { "tool" }, { "done" } },
	.canary = "{\"event\":\"tool\",\"wren\":1,\"tool\":\"bash\","
		  "\"arguments\":"
		  "{\"command\":@command},\"dir\":@cwd}",
};

extern const struct bl_agent bl_agent_wren;
const struct bl_agent bl_agent_wren = {
	.name = "wren",
	.title = "Wren",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &tool_response },
	.payload = &payload_rows,
	.registration = &registration,
};

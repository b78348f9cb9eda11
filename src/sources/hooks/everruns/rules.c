/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events and the profiles, as tables: what a matcher may be on, what can be
 * blocked, and the limits of Everruns.
 */
#include "sources/hooks/everruns/private.h"

static const struct {
	const char *name;
	bool is_tool; /* a matcher is allowed */
	bool can_block;
} events[BL_EVERRUNS_EVENT_COUNT] = {
	[BL_EVERRUNS_SESSION_START] = { "session_start", false, false },
	[BL_EVERRUNS_USER_PROMPT_SUBMIT] = { "user_prompt_submit", false,
					     true },
	[BL_EVERRUNS_PRE_TOOL_USE] = { "pre_tool_use", true, true },
	[BL_EVERRUNS_POST_TOOL_USE] = { "post_tool_use", true, false },
	[BL_EVERRUNS_TURN_END] = { "turn_end", false, false },
	[BL_EVERRUNS_SESSION_END] = { "session_end", false, false },
};

const char *bl_everruns_event_name(enum bl_everruns_event event)
{
	return events[event].name;
}

bool bl_everruns_event_parse(struct bl_str text,
			     enum bl_everruns_event *out_event)
{
	for (size_t i = 0; i < BL_COUNT(events); i++) {
		if (bl_str_is(text, events[i].name)) {
			*out_event = (enum bl_everruns_event)i;
			return true;
		}
	}
	return false;
}

bool bl_everruns_event_is_tool(enum bl_everruns_event event)
{
	return events[event].is_tool;
}

bool bl_everruns_event_can_block(enum bl_everruns_event event)
{
	return events[event].can_block;
}

const struct bl_everruns_rules bl_everruns_rows[BL_EVERRUNS_ROWS] = {
	{
		.name = "everruns",
		.summary = "Everruns user hooks, fail closed",
		.confines = true,
	},
	{
		.name = "everruns-original",
		.summary = "Everruns user hooks, exactly as Everruns has them",
		.gates_fail_open = true,
		.drops_broken = true,
		.regex_without_path = true,
		.silent_paths = true,
		.drops_user_message = true,
		.drops_origin = true,
		.ids_drift = true,
		.no_webhooks = true,
	},
};

const struct bl_everruns_rules *bl_everruns_rules_at(size_t i)
{
	return i < BL_EVERRUNS_ROWS ? &bl_everruns_rows[i] : NULL;
}

const struct bl_everruns_rules *bl_everruns_rules_find(struct bl_str name)
{
	for (size_t i = 0; i < BL_EVERRUNS_ROWS; i++) {
		if (bl_str_is(name, bl_everruns_rows[i].name))
			return &bl_everruns_rows[i];
	}
	return NULL;
}

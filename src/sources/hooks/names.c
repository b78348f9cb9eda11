/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the words for sources, file states and match results. */
#include "sources/hooks/hooks.h"

static const struct {
	const char *name;
	bool is_managed;
} sources[BL_SOURCE_COUNT] = {
	[BL_SOURCE_ENTERPRISE] = { "enterprise", true },
	[BL_SOURCE_TEAM] = { "team", true },
	[BL_SOURCE_PROJECT] = { "project", false },
	[BL_SOURCE_USER] = { "user", false },
	[BL_SOURCE_PLUGIN] = { "plugin", false },
};

static const char *const file_states[BL_HOOK_FILE_STATE_COUNT] = {
	[BL_HOOK_FILE_MISSING] = "missing",
	[BL_HOOK_FILE_LOADED] = "loaded",
	[BL_HOOK_FILE_BROKEN] = "broken",
	[BL_HOOK_FILE_UNSAFE] = "unsafe",
	[BL_HOOK_FILE_UNTRUSTED] = "untrusted",
	[BL_HOOK_FILE_CHANGED] = "changed",
	[BL_HOOK_FILE_GATED] = "gated",
};

static const struct {
	const char *name;
	const char *text;
} matches[BL_MATCH_COUNT] = {
	[BL_MATCH_RUNS] = { "runs", "it runs" },
	[BL_MATCH_RUNS_LIMIT] = { "runs_limit",
				  "it runs, because its matcher reached a "
				  "limit before it was clear" },
	[BL_MATCH_OTHER_EVENT] = { "other_step", "it is for another event" },
	[BL_MATCH_NO_MATCH] = { "no_match",
				"its matcher does not match the subject" },
	[BL_MATCH_LOOP_LIMIT] = { "loop_limit",
				  "loop_count has reached its limit" },
	[BL_MATCH_PROMPT] = { "prompt", "prompt hooks are not run" },
	[BL_MATCH_UNTRUSTED] = { "untrusted", "its workspace is not trusted" },
	[BL_MATCH_CHANGED] = { "changed",
			       "its workspace changed since it was trusted" },
	[BL_MATCH_NEEDS_TOOLS] = { "needs_tools",
				   "it can only be run by belay-tools" },
};

const char *bl_source_name(enum bl_source source)
{
	return source < BL_SOURCE_COUNT ? sources[source].name : "";
}

bool bl_source_is_managed(enum bl_source source)
{
	return source < BL_SOURCE_COUNT && sources[source].is_managed;
}

const char *bl_file_state_name(enum bl_file_state state)
{
	return state < BL_HOOK_FILE_STATE_COUNT ? file_states[state] : "";
}

const char *bl_match_name(enum bl_match match)
{
	return match < BL_MATCH_COUNT ? matches[match].name : "";
}

const char *bl_match_text(enum bl_match match)
{
	return match < BL_MATCH_COUNT ? matches[match].text : "";
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c: does a hook run for this payload? Pure, so that `belay hooks explain`
 * asks as dispatch does and starts nothing.
 */
#include "sources/hooks/private.h"

static bool loop_limit_reached(const struct bl_profile *profile,
			       const struct bl_hook *hook,
			       struct bl_value payload)
{
	struct bl_value count = bl_object_find(payload, BL_STR("loop_count"));
	uint32_t limit = profile->loop_limit_is_global
				 ? profile->default_loop_limit
				 : hook->loop_limit;

	if (!hook->hook_event->has_loop_limit ||
	    !bl_value_is(count, BL_KIND_NUMBER))
		return false;
	if (!profile->loop_limit_is_global && !hook->has_loop_limit)
		return false;
	return bl_number_to_double(count) >= limit;
}

/*
 * The matcher alone.  Whatever keeps it from being clear lets the hook run: a
 * guard that is not asked guards nothing.
 */
static enum bl_match search(const struct bl_hook *hook, struct bl_str subject,
			    struct bl_arena *arena)
{
	bool found = true;
	enum bl_status status = BL_OK;

	if (!subject.ptr)
		return BL_MATCH_RUNS;
	if (hook->regex)
		status = bl_regex_search(hook->regex, arena, subject, 0, NULL,
					 0, &found);
	else if (hook->backtrack)
		status = bl_backtrack_search(hook->backtrack, subject, &found,
					     NULL);
	if (status != BL_OK)
		return BL_MATCH_RUNS_LIMIT;
	return found ? BL_MATCH_RUNS : BL_MATCH_NO_MATCH;
}

static enum bl_match match_subject(const struct bl_hook *hook,
				   const struct bl_hook_event *hook_event,
				   struct bl_value payload,
				   struct bl_arena *arena)
{
	if (hook->matcher.len == 0 || hook_event->subject == BL_SUBJECT_NONE)
		return BL_MATCH_RUNS;
	if (hook->needs_tools)
		return BL_MATCH_NEEDS_TOOLS;
	return search(hook, bl_hook_event_subject(hook_event, payload, arena),
		      arena);
}

/*
 * A file that waits for trust.  Nothing in a changed file is believed, so its
 * matcher is not either; that of an untrusted one is asked only where that is
 * cheap, since a stranger wrote it.
 */
static enum bl_match match_waiting(const struct bl_hook *hook,
				   const struct bl_hook_event *hook_event,
				   struct bl_value payload,
				   struct bl_arena *arena)
{
	if (hook->file->state == BL_HOOK_FILE_CHANGED)
		return BL_MATCH_CHANGED;
	if (hook->regex && match_subject(hook, hook_event, payload, arena) ==
				   BL_MATCH_NO_MATCH)
		return BL_MATCH_NO_MATCH;
	return BL_MATCH_UNTRUSTED;
}

enum bl_match bl_hook_match(const struct bl_hook_set *set,
			    const struct bl_hook *hook,
			    const struct bl_hook_event *hook_event,
			    struct bl_value payload, struct bl_arena *arena)
{
	enum bl_match match;

	if (hook->hook_event != hook_event)
		return BL_MATCH_OTHER_EVENT;
	if (hook->file->state != BL_HOOK_FILE_LOADED)
		return match_waiting(hook, hook_event, payload, arena);
	if (loop_limit_reached(set->profile, hook, payload))
		return BL_MATCH_LOOP_LIMIT;
	match = match_subject(hook, hook_event, payload, arena);
	if (hook->type == BL_HOOK_WEBHOOK && !bl_http_is_linked() &&
	    (match == BL_MATCH_RUNS || match == BL_MATCH_RUNS_LIMIT))
		return BL_MATCH_NEEDS_TOOLS;
	if (hook->type == BL_HOOK_PROMPT &&
	    (match == BL_MATCH_RUNS || match == BL_MATCH_RUNS_LIMIT))
		return BL_MATCH_PROMPT;
	return match;
}

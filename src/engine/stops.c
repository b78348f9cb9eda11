/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent that a policy never lets stop would work for ever: not every agent
 * counts for itself (Factory Droid made 233 requests to its model in 100 s).
 * The journal knows how often a stop was refused, so no other state is needed;
 * without a journal only the agent's own count ends it.  And who has ended the
 * work is not made to go on.
 */
#include "engine/private.h"

enum { MAX_REFUSALS = 8, MAX_ENTRIES = 64 };

static struct bl_str text_of(struct bl_value entry, const char *key)
{
	return bl_value_text(bl_object_find(entry, bl_str(key)));
}

static bool is_stop(const struct bl_event *event)
{
	enum bl_event_kind kind = event->reply->request.kind;

	return event->reply->request.event &&
	       (kind == BL_EVENT_STOP || kind == BL_EVENT_SUBAGENT_STOP);
}

/* How often this session's stop was refused, with nothing done in between. */
static size_t count_refusals(const struct bl_event *event)
{
	const struct bl_agent_request *request = &event->reply->request;
	struct bl_value *entries;
	size_t refusals = 0;
	size_t count;

	if (!event->engine->journal.dir.len || !request->session_id.len ||
	    bl_journal_read_last(event->engine->journal.dir, MAX_ENTRIES,
				 event->arena, &entries, &count, NULL,
				 NULL) != BL_OK)
		return 0;
	while (count-- > 0) {
		struct bl_value entry = entries[count];

		if (!bl_str_equal(text_of(entry, "conversation"),
				  request->session_id))
			continue;
		if (!bl_str_equal(text_of(entry, "step"),
				  request->event_name) ||
		    !bl_str_is(text_of(entry, "enforced"), "deny"))
			break;
		refusals++;
	}
	return refusals;
}

/* What the agent itself says of its stop (input.belay.stop). */
static struct bl_value said(const struct bl_event *event, const char *field)
{
	struct bl_value stop =
		bl_object_find(event->reply->request.canonical, BL_STR("stop"));

	return bl_object_find(stop, bl_str(field));
}

/* As the agent counts, where it does. */
static bool has_looped(const struct bl_event *event)
{
	int64_t count = 0;

	return bl_number_to_integer(said(event, "loop_count"), &count) &&
	       count >= MAX_REFUSALS;
}

void bl_event_end_loop(struct bl_event *event)
{
	struct bl_decision *decision = &event->reply->decision;

	if (decision->verdict != BL_VERDICT_DENY || !is_stop(event))
		return;
	if (bl_str_is(bl_value_text(said(event, "status")), "aborted")) {
		bl_event_notice(event,
				"the user has ended it: %.*s is let pass "
				"(%.*s)",
				BL_STR_ARG(event->reply->request.event_name),
				BL_STR_ARG(decision->user_message));
		*decision = (struct bl_decision){
			.verdict = BL_VERDICT_NONE,
		};
		return;
	}
	if (!has_looped(event) && count_refusals(event) < MAX_REFUSALS)
		return;
	bl_event_notice(event,
			"%.*s was refused %d times in a row with nothing done "
			"in between: it is let pass (%.*s)",
			BL_STR_ARG(event->reply->request.event_name),
			(int)MAX_REFUSALS, BL_STR_ARG(decision->user_message));
	*decision = (struct bl_decision){ .verdict = BL_VERDICT_NONE };
}

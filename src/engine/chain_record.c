/* SPDX-License-Identifier: Apache-2.0 */
/* The executions of a chain of Everruns, as entries of the journal. */
#include "engine/private.h"

static const enum bl_event_kind kinds[BL_EVERRUNS_EVENT_COUNT] = {
	[BL_EVERRUNS_SESSION_START] = BL_EVENT_SESSION_START,
	[BL_EVERRUNS_USER_PROMPT_SUBMIT] = BL_EVENT_PROMPT,
	[BL_EVERRUNS_PRE_TOOL_USE] = BL_EVENT_TOOL_BEFORE,
	[BL_EVERRUNS_POST_TOOL_USE] = BL_EVENT_TOOL_AFTER,
	[BL_EVERRUNS_TURN_END] = BL_EVENT_STOP,
	[BL_EVERRUNS_SESSION_END] = BL_EVENT_SESSION_END,
};

static const enum bl_outcome_kind ends[] = {
	[BL_CHILD_SIGNALLED] = BL_OUTCOME_SIGNAL,
	[BL_CHILD_TIMED_OUT] = BL_OUTCOME_TIMEOUT,
	[BL_CHILD_TOO_MUCH] = BL_OUTCOME_TOO_MUCH_OUTPUT,
	[BL_CHILD_CANNOT_START] = BL_OUTCOME_CANNOT_START,
	[BL_CHILD_UNREADABLE] = BL_OUTCOME_UNREADABLE,
};

static enum bl_outcome_kind
outcome_of(const struct bl_everruns_execution *execution)
{
	const struct bl_everruns_run *run = &execution->run;
	struct bl_str output = bl_str_trim(run->child.output);

	if (run->child.end == BL_CHILD_STOPPED)
		return run->child.code == BL_STOP_DEADLINE
			       ? BL_OUTCOME_DEADLINE
			       : BL_OUTCOME_CANCELLED;
	if (!run->ran)
		return BL_OUTCOME_CANNOT_START;
	if (run->child.end != BL_CHILD_EXITED)
		return ends[run->child.end];
	if (run->outcome.kind == BL_EVERRUNS_FAILED)
		return output.len && output.ptr[0] == '{' ? BL_OUTCOME_INVALID
							  : BL_OUTCOME_NOT_JSON;
	if (output.len)
		return BL_OUTCOME_ANSWERED;
	return run->child.code ? BL_OUTCOME_EXIT_CODE : BL_OUTCOME_NO_OUTPUT;
}

/* The kind of the action, as the journal names kinds. */
static struct bl_value action_of(const struct bl_everruns_event_facts *facts,
				 struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("conversation_id"),
			      bl_value_string(facts->session_id));
	bl_object_builder_add(&object, BL_STR("generation_id"), facts->turn_id);
	bl_object_builder_add(&object, BL_STR("tool_name"),
			      bl_object_find(facts->data, BL_STR("tool_name")));
	bl_object_builder_add(
		&object, BL_STR("tool_input"),
		bl_everruns_redact(
			bl_object_find(facts->data, BL_STR("arguments")),
			arena));
	return bl_object_builder_end(&object);
}

static void fill(const struct bl_everruns_chain *reply,
		 const struct bl_everruns_execution *execution,
		 struct bl_arena *arena, struct bl_journal_entry *entry)
{
	const struct bl_everruns_hook *hook = execution->hook;
	const struct bl_everruns_run *run = &execution->run;
	const struct bl_child_result *child = &run->child;
	bool ended = execution->effect == BL_EVERRUNS_ENDED;

	entry->time_ms =
		run->started_wall_ms ? run->started_wall_ms : bl_os_wall_ms();
	entry->event_name = bl_everruns_event_name(reply->facts.event);
	entry->command = hook->command;
	entry->source =
		hook->capability.len ? hook->capability : BL_STR("user");
	entry->file = hook->file;
	entry->conversation = reply->facts.session_id;
	entry->generation = bl_value_text(reply->facts.turn_id);
	entry->has_outcome = true;
	entry->outcome = outcome_of(execution);
	entry->reason = run->outcome.reason;
	if (run->outcome.kind == BL_EVERRUNS_MUTATED)
		entry->response = bl_everruns_redact(run->outcome.patch, arena);
	entry->asked = ended ? BL_VERDICT_DENY : BL_VERDICT_NONE;
	entry->enforced = reply->is_blocked ? BL_VERDICT_DENY : BL_VERDICT_NONE;
	if (!run->ran)
		return;
	entry->duration_ms = (double)child->elapsed_ns / 1e6;
	entry->has_exit_code = child->end == BL_CHILD_EXITED;
	entry->exit_code = child->code;
	entry->signal = child->end == BL_CHILD_SIGNALLED ? child->code : 0;
	entry->errors = child->errors;
}

enum bl_event_kind bl_event_chain_kind(const struct bl_event *event)
{
	return kinds[event->chain->facts.event];
}

enum bl_status bl_event_chain_entries(struct bl_event *event,
				      struct bl_journal_entry *entries,
				      struct bl_error *err)
{
	const struct bl_everruns_chain *reply = event->chain;
	size_t count = reply->execution_count;
	char(*ids)[BL_JOURNAL_ID_BYTES] =
		bl_arena_zalloc(event->arena, count, BL_JOURNAL_ID_BYTES);
	struct bl_value action = action_of(&reply->facts, event->arena);

	if (!ids || !bl_value_is_defined(action))
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < count; i++) {
		enum bl_status status = bl_journal_new_id(ids[i], err);

		if (status != BL_OK)
			return status;
		entries[i].id = ids[i];
		entries[i].payload = action;
		entries[i].payload_text = event->first_text;
		fill(reply, &reply->executions[i], event->arena, &entries[i]);
		entries[i].profile = event->profile->name;
	}
	return BL_OK;
}

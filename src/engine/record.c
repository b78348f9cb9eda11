/* SPDX-License-Identifier: Apache-2.0 */
/* The executions of an event as entries of the journal. */
#include "engine/private.h"

enum bl_verdict bl_execution_verdict(const struct bl_hook_event *step,
				     const struct bl_reply_execution *execution)
{
	const struct bl_outcome *outcome = &execution->outcome;

	if (execution->effect == BL_EFFECT_DENY)
		return BL_VERDICT_DENY;
	if (execution->effect == BL_EFFECT_ASK)
		return BL_VERDICT_ASK;
	if (outcome->kind != BL_OUTCOME_ANSWERED)
		return BL_VERDICT_NONE;
	if (step->class == BL_CLASS_PROMPT)
		return outcome->answer.stops ? BL_VERDICT_DENY
					     : BL_VERDICT_NONE;
	return outcome->answer.permission;
}

static struct bl_str payload_text(const struct bl_event *event,
				  const char *field)
{
	return bl_value_text(bl_object_find(event->payload, bl_str(field)));
}

static void fill_entry(const struct bl_event *event,
		       const struct bl_reply_execution *execution,
		       struct bl_journal_entry *entry)
{
	const struct bl_child_result *child = &execution->child;
	const struct bl_hook *hook = execution->hook;

	*entry = (struct bl_journal_entry){
		.id = execution->id,
		.time_ms = execution->ran ? execution->started_wall_ms
					  : bl_os_wall_ms(),
		.step = event->step->name,
		.profile = event->profile->name,
		.command = hook->command,
		.source = bl_str(bl_source_name(hook->file->source)),
		.file = hook->file->path,
		.conversation = payload_text(event, "conversation_id"),
		.generation = payload_text(event, "generation_id"),
		.payload = event->payload,
		.payload_text = event->payload_text,
		.response = execution->response,
		.has_outcome = true,
		.outcome = execution->outcome.kind,
		.reason = execution->outcome.reason,
		.asked = bl_execution_verdict(event->step, execution),
		.enforced = event->reply->enforcement.verdict,
	};
	if (!execution->ran)
		return;
	entry->duration_ms = (double)child->elapsed_ns / 1e6;
	entry->has_exit_code = child->end == BL_CHILD_EXITED;
	entry->exit_code = child->code;
	entry->signal = child->end == BL_CHILD_SIGNALLED ? child->code : 0;
	entry->errors = child->errors;
	entry->sandbox = execution->layers;
}

static enum bl_status record(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	struct bl_journal_entry *entries = bl_arena_new_array(
		event->arena, struct bl_journal_entry, reply->execution_count);
	size_t count = 0;

	if (!entries)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < reply->execution_count; i++) {
		struct bl_reply_execution *execution = &reply->executions[i];
		enum bl_status status;

		/* Nothing was executed, and nothing was held back. */
		if (execution->outcome.kind == BL_OUTCOME_SKIPPED)
			continue;
		status = bl_journal_new_id(execution->id, err);
		if (status != BL_OK)
			return status;
		fill_entry(event, execution, &entries[count++]);
	}
	return bl_journal_append(&event->engine->journal, event->step->kind,
				 entries, count, err);
}

void bl_event_record(struct bl_event *event)
{
	struct bl_reply *reply = event->reply;
	struct bl_error err = { 0 };

	if (event->engine->no_journal)
		return;
	if (record(event, &err) == BL_OK) {
		reply->recorded = true;
		return;
	}
	for (size_t i = 0; i < reply->execution_count; i++)
		reply->executions[i].id[0] = '\0';
	bl_event_notice(event, "not recorded: %s", err.message);
}

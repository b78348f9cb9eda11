/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event in the journal: a line for each hook that was run or held back,
 * and one for what the policies decided, in one write and of one action.
 */
#include "engine/private.h"

enum bl_verdict
bl_engine_execution_verdict(const struct bl_hook_event *hook_event,
			    const struct bl_reply_execution *execution)
{
	const struct bl_outcome *outcome = &execution->outcome;

	if (execution->effect == BL_EFFECT_DENY)
		return BL_VERDICT_DENY;
	if (execution->effect == BL_EFFECT_ASK)
		return BL_VERDICT_ASK;
	if (outcome->kind != BL_OUTCOME_ANSWERED)
		return BL_VERDICT_NONE;
	if (hook_event->class == BL_CLASS_PROMPT)
		return outcome->answer.stops ? BL_VERDICT_DENY
					     : BL_VERDICT_NONE;
	return outcome->answer.permission;
}

static struct bl_str payload_text(const struct bl_event *event,
				  const char *field)
{
	return bl_value_text(
		bl_object_find(event->first_payload, bl_str(field)));
}

/* The result of the whole event. */
static enum bl_verdict enforced(const struct bl_event *event)
{
	const struct bl_reply *reply = event->reply;

	return event->engine->form == BL_FORM_SERVICE
		       ? reply->enforcement.verdict
		       : bl_verb_verdict(reply->response.effect);
}

/* ---- hooks ---------------------------------------------------------------- */

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
		.event_name = event->hook_event->name,
		.profile = event->profile->name,
		.command = hook->command,
		.source = bl_str(bl_source_name(hook->file->source)),
		.file = hook->file->path,
		.conversation = payload_text(event, "conversation_id"),
		.generation = payload_text(event, "generation_id"),
		.payload = event->first_payload,
		.payload_text = event->first_text,
		.response = execution->response,
		.has_outcome = true,
		.outcome = execution->outcome.kind,
		.reason = execution->outcome.reason,
		.asked = bl_engine_execution_verdict(event->hook_event,
						     execution),
		.enforced = enforced(event),
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

/* ---- policies ------------------------------------------------------------- */

/* Were policies to decide, whether they could or not? */
static bool has_policy_entry(const struct bl_event *event)
{
	return event->reply->policies || event->reply->failure.len;
}

/* The allowance by which it passed, or the code that is offered. */
static struct bl_value allowance_value(const struct bl_event *event)
{
	const struct bl_reply *reply = event->reply;
	struct bl_allowance allowance = reply->report.allowance;

	if (allowance.granted_ms)
		return bl_allowance_value(&allowance, "used", event->arena);
	if (!reply->code[0] || enforced(event) != BL_VERDICT_DENY)
		return bl_value_undefined();
	allowance.code = bl_str(reply->code);
	return bl_allowance_value(&allowance, "offered", event->arena);
}

/* The rules that held and decided nothing, for people; empty: none. */
static struct bl_str spared_words(const struct bl_event *event)
{
	static const char *const words[] = {
		[BL_SPARED_MONITORED] = "monitored, would have been",
		[BL_SPARED_ALLOWED] = "allowed by a person, else",
		[BL_SPARED_EXCEPTED] = "excepted by a rulebook, else",
	};
	const struct bl_policy_report *report = &event->reply->report;
	struct bl_str text = BL_STR("");

	for (size_t i = 0; i < report->spared_count; i++) {
		const struct bl_policy_finding *one = &report->spared[i];

		text = bl_arena_printf(
			event->arena, "%.*s%s%.*s %s %s", BL_STR_ARG(text),
			text.len ? "; " : "", BL_STR_ARG(one->rule_id),
			words[one->spared],
			one->verb == BL_VERB_ASK ? "asked about" : "refused");
	}
	return text;
}

static void fill_report(const struct bl_event *event,
			struct bl_journal_entry *entry)
{
	const struct bl_policy_report *report = &event->reply->report;
	const struct bl_decision *decision = &report->decision;
	bool full = event->engine->journal.full_payload;
	enum bl_verb verb = bl_decision_verb(decision);

	entry->decision = bl_verb_name(verb);
	entry->reason = decision->user_message.len ? decision->user_message
						   : spared_words(event);
	entry->asked = bl_verb_verdict(verb);
	entry->enforced = enforced(event);
	entry->allowance = allowance_value(event);
	entry->response = full ? bl_policy_report_value(report, event->arena)
			       : bl_policy_report_brief(report, event->arena);
}

/*
 * The agent's event with what its policies decided.  The report is there in
 * full when the payload is; else with the rules that fired, without their
 * reasons, input and signals.
 */
static void fill_policy_entry(struct bl_event *event,
			      struct bl_journal_entry *entry)
{
	struct bl_reply *reply = event->reply;
	const struct bl_agent_request *request = &reply->request;
	int64_t elapsed_ns = bl_os_monotonic_ns() - event->started_ns;

	*entry = (struct bl_journal_entry){
		.id = reply->policy_id,
		.time_ms = event->wall_ms,
		.event_name = "unknown",
		.profile = event->engine->agent.agent->name,
		.decision = bl_verb_name(bl_decision_verb(&reply->decision)),
		.source = BL_STR("policies"),
		.conversation = request->session_id,
		.payload_text = event->first_text,
		.reason = reply->failure,
		.file = event->places->load.places[BL_POLICY_PROJECT].path,
		.duration_ms = (double)elapsed_ns / 1e6,
		.asked = reply->decision.verdict,
		.enforced = reply->decision.verdict,
	};
	if (request->event) {
		entry->event_name =
			bl_arena_copy_str(event->arena, request->event_name)
				.ptr;
		entry->payload = event->first_payload;
		entry->generation = payload_text(event, "generation_id");
	}
	if (!reply->failure.len)
		fill_report(event, entry);
	if (!entry->reason.len && request->event && !request->is_known)
		entry->reason = BL_STR("an event that belay does not know");
}

/* ---- all of it -------------------------------------------------------------- */

static enum bl_status fill_entries(struct bl_event *event,
				   struct bl_journal_entry *entries,
				   size_t *out_count, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	enum bl_status status = BL_OK;
	size_t count = 0;

	/* Hooks are for events of hook files: another executes nothing. */
	for (size_t i = 0; event->hook_event && i < reply->execution_count;
	     i++) {
		struct bl_reply_execution *execution = &reply->executions[i];

		/* Nothing was executed, and nothing was held back. */
		if (execution->outcome.kind == BL_OUTCOME_SKIPPED)
			continue;
		status = bl_journal_new_id(execution->id, err);
		if (status != BL_OK)
			return status;
		fill_entry(event, execution, &entries[count++]);
	}
	if (has_policy_entry(event)) {
		status = bl_journal_new_id(reply->policy_id, err);
		if (status != BL_OK)
			return status;
		fill_policy_entry(event, &entries[count++]);
	}
	*out_count = count;
	return bl_arena_status(event->arena) == BL_OK
		       ? BL_OK
		       : bl_arena_fail(event->arena, err);
}

static enum bl_status record_chain(struct bl_event *event, struct bl_error *err)
{
	size_t count = event->chain->execution_count;
	struct bl_journal_entry *entries = bl_arena_new_array(
		event->arena, struct bl_journal_entry, count);
	enum bl_status status;

	if (!entries)
		return bl_arena_fail(event->arena, err);
	status = bl_event_chain_entries(event, entries, err);
	if (status != BL_OK)
		return status;
	return bl_journal_append(&event->engine->journal,
				 bl_event_chain_kind(event), entries, count,
				 err);
}

static enum bl_status record(struct bl_event *event, struct bl_error *err)
{
	const struct bl_reply *reply = event->reply;
	struct bl_journal_entry *entries =
		bl_arena_new_array(event->arena, struct bl_journal_entry,
				   reply->execution_count + 1);
	enum bl_event_kind kind = BL_EVENT_UNKNOWN;
	enum bl_status status;
	size_t count;

	if (!entries)
		return bl_arena_fail(event->arena, err);
	if (event->chain)
		return record_chain(event, err);
	if (event->hook_event)
		kind = event->hook_event->kind;
	else if (reply->request.event)
		kind = reply->request.kind;
	status = fill_entries(event, entries, &count, err);
	if (status != BL_OK)
		return status;
	return bl_journal_append(&event->engine->journal, kind, entries, count,
				 err);
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
	reply->policy_id[0] = '\0';
	bl_event_notice(event, "not recorded: %s", err.message);
}

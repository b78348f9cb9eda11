/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/eval_record.h"

#include "os/os.h"

const char *cli_eval_decision(const struct bl_eval *eval)
{
	/* An event that is none is refused. */
	if (!eval->request.event || eval->complaint.len)
		return bl_ruling_verb_name(BL_RULING_DENY);
	return bl_ruling_verb_name(eval->ruling.verb);
}

/* ---- the entry -------------------------------------------------------------- */

static const enum bl_verdict verdicts[BL_RULING_COUNT] = {
	[BL_RULING_ALLOW] = BL_VERDICT_ALLOW,
	[BL_RULING_MODIFY] = BL_VERDICT_ALLOW,
	[BL_RULING_ASK] = BL_VERDICT_ASK,
	[BL_RULING_BLOCK] = BL_VERDICT_DENY,
	[BL_RULING_DENY] = BL_VERDICT_DENY,
	[BL_RULING_HALT] = BL_VERDICT_DENY,
};

/* What is there of an event whose policies have spoken. */
static void add_report(const struct bl_eval *eval, bool full,
		       struct bl_arena *arena, struct bl_journal_entry *entry)
{
	const struct bl_policy_report *report = &eval->report;

	entry->decision = cli_eval_decision(eval);
	entry->reason = report->decision.user_message;
	entry->asked = verdicts[eval->ruling.verb];
	entry->enforced = verdicts[eval->answer.effect];
	entry->response = full ? bl_policy_report_value(report, arena)
			       : bl_policy_report_brief(report, arena);
}

enum bl_status cli_record_eval(const struct cli_eval_record *record,
			       const struct bl_journal_options *journal,
			       struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_eval *eval = record->eval;
	const struct bl_agent_request *request = &eval->request;
	int64_t elapsed_ns = bl_os_monotonic_ns() - record->started_ns;
	char id[BL_JOURNAL_ID_BYTES];
	struct bl_journal_entry entry = {
		.id = id,
		.time_ms = record->time_ms,
		.step = "unknown",
		.profile = record->agent->name,
		.decision = bl_ruling_verb_name(BL_RULING_DENY),
		.source = BL_STR("policies"),
		.conversation = request->session_id,
		.payload = request->payload,
		.payload_text = record->payload_text,
		.reason = record->failure,
		.file = eval->load.project_dir,
		.duration_ms = (double)elapsed_ns / 1e6,
		.asked = BL_VERDICT_DENY,
		.enforced = BL_VERDICT_DENY,
	};
	enum bl_status status = bl_journal_new_id(id, err);

	if (status)
		return status;
	if (request->event) {
		entry.step = bl_arena_copy_str(arena, request->event_name).ptr;
		entry.generation = bl_value_text(bl_object_find(
			request->payload, BL_STR("generation_id")));
	} else {
		entry.payload = bl_value_undefined();
	}
	if (!record->failure.len)
		add_report(eval, journal->full_payload, arena, &entry);
	if (bl_arena_status(arena))
		return bl_arena_fail(arena, err);
	return bl_journal_append(
		journal, request->event ? request->kind : BL_EVENT_UNKNOWN,
		&entry, 1, err);
}

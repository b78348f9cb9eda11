/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From findings and troubles to outcomes, and to what the policies decide: the
 * rules for combining are decision's, what a finding says is policy's.
 */
#include "sources/policies/private.h"

/* A trouble that refuses or asks is a finding of belay's own. */
static enum bl_status add_troubles(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;

	for (size_t i = 0; i < report->trouble_count; i++) {
		const struct bl_policy_trouble *trouble = &report->troubles[i];

		if (trouble->verdict == BL_VERDICT_NONE)
			continue;
		report->findings = bl_arena_room(
			run->arena, report->findings, report->finding_count,
			&run->finding_cap, sizeof(*report->findings));
		if (!report->findings)
			return bl_arena_fail(run->arena, run->err);
		report->findings[report->finding_count++] =
			(struct bl_policy_finding){
				.verb = trouble->verdict == BL_VERDICT_ASK
						? BL_VERB_ASK
						: BL_VERB_DENY,
				.policy = trouble->policy,
				.reason = trouble->text,
				.rule_id = bl_arena_printf(
					run->arena, "belay/%s",
					bl_policy_failure_name(
						trouble->failure)),
				.severity = BL_STR("HIGH"),
			};
	}
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

/* Its own reason and the safe alternative; ptr NULL: neither, or memory. */
static struct bl_str agent_message(struct bl_arena *arena,
				   const struct bl_policy_finding *finding)
{
	struct bl_str own = finding->agent;

	if (!finding->safe_alternative.ptr)
		return own;
	if (!own.ptr)
		own = finding->reason;
	return bl_arena_printf(arena, "%.*s Instead: %.*s", BL_STR_ARG(own),
			       BL_STR_ARG(finding->safe_alternative));
}

/* Of a policy's rule or a pack's; else belay itself could not decide. */
static bool is_of_rule(const struct bl_policy_finding *finding)
{
	return finding->document || bl_value_is_defined(finding->raw);
}

static struct bl_outcome outcome_of(struct bl_arena *arena,
				    const struct bl_policy_finding *finding)
{
	struct bl_outcome outcome = {
		.source = is_of_rule(finding) ? BL_FROM_POLICY
					      : BL_FROM_FAILURE,
		.kind = BL_OUTCOME_ANSWERED,
		.id = finding->rule_id,
		.severity = finding->severity,
		.priority = finding->priority,
		.answer = {
			.permission = bl_verb_verdict(finding->verb),
			.attributes = bl_verb_attributes(finding->verb),
		},
	};
	struct bl_answer *answer = &outcome.answer;

	if (finding->verb == BL_VERB_ADD_CONTEXT) {
		answer->additional_context = finding->reason;
		return outcome;
	}
	answer->user_message =
		finding->user.ptr ? finding->user : finding->reason;
	answer->agent_message = agent_message(arena, finding);
	if (finding->verb == BL_VERB_MODIFY)
		answer->updated_input = finding->updated_input;
	return outcome;
}

/* Its verb is what was decided, or it is context. */
static void note_counted(struct bl_policy_report *report)
{
	enum bl_verb verb = bl_decision_verb(&report->decision);

	for (size_t i = 0; i < report->finding_count; i++) {
		struct bl_policy_finding *finding = &report->findings[i];

		finding->counted = finding->verb == verb ||
				   finding->verb == BL_VERB_ADD_CONTEXT;
	}
}

enum bl_status policy_synthesise(struct policy_run *run)
{
	struct bl_policy_report *report = run->report;
	struct bl_outcome *outcomes;
	enum bl_status status = add_troubles(run);

	if (status)
		return status;
	outcomes = bl_arena_new_array(run->arena, struct bl_outcome,
				      report->finding_count);
	if (!outcomes && report->finding_count)
		return bl_arena_fail(run->arena, run->err);
	for (size_t i = 0; i < report->finding_count; i++)
		outcomes[i] = outcome_of(run->arena, &report->findings[i]);
	if (bl_arena_status(run->arena))
		return bl_arena_fail(run->arena, run->err);
	status = bl_decision_combine(&bl_combine_policies, run->event->class,
				     true, outcomes, report->finding_count,
				     run->arena, &report->decision, run->err);
	if (!status)
		note_counted(report);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of policies, and the verdicts that they lead to. */
#include "sources/policies/private.h"

/*
 * The row of on_error that is meant most narrowly: the agent's name of the
 * event, its neutral name, "*".  A rulebook cannot loosen what one before it says
 * about a failure of its own: each directory has its rows.
 */
static bool on_error_verdict(const struct bl_rulebook *book,
			     const struct bl_policy_event *event,
			     enum bl_verdict *out_verdict)
{
	const struct bl_str names[] = { event->name, event->canonical,
					BL_STR("*") };

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		for (size_t j = 0; j < book->on_error_count; j++) {
			if (!bl_str_equal(book->on_error[j].event, names[i]))
				continue;
			*out_verdict = book->on_error[j].verdict;
			return true;
		}
	}
	return false;
}

bool bl_policy_passes_unmodified(const struct bl_policy_set *set, bool usual)
{
	enum bl_verdict strictest = BL_VERDICT_NONE;

	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (set->dirs[i].rulebook.on_unmodifiable > strictest)
			strictest = set->dirs[i].rulebook.on_unmodifiable;
	return strictest == BL_VERDICT_NONE ? usual
					    : strictest == BL_VERDICT_ALLOW;
}

/*
 * The directory whose rulebook says what a failure comes to: its own.  A
 * project without a directory has no rulebook, so that the nearest one before it
 * says whether such a project is one without rules or one where all is refused.
 */
static const struct bl_policy_dir *deciding_dir(const struct policy_run *run)
{
	const struct bl_policy_dir *dir = run->dir;

	while (!dir->path.len && dir > run->set->dirs)
		dir--;
	return dir;
}

enum bl_status policy_trouble(struct policy_run *run,
			      enum bl_policy_failure failure,
			      const struct bl_policy *policy,
			      struct bl_str text)
{
	struct bl_policy_report *report = run->report;
	enum bl_verdict usual =
		bl_policy_failure_verdict(failure, run->event->class);
	enum bl_verdict verdict = usual;

	report->troubles = bl_arena_room(
		run->arena, report->troubles, report->trouble_count,
		&run->trouble_cap, sizeof(*report->troubles));
	if (!report->troubles || !text.ptr)
		return bl_arena_fail(run->arena, run->err);
	/*
	 * A failure that is only reported anyway stays so.  A builtin that failed may be
	 * what a policy reckons with, or what keeps a refusal from being made:
	 * the rulebook has the say.
	 */
	if (failure == BL_FAILURE_BUILTIN ||
	    bl_policy_failure_verdict(failure, BL_CLASS_PERMISSION) !=
		    BL_VERDICT_NONE)
		on_error_verdict(&deciding_dir(run)->rulebook, run->event,
				 &verdict);
	if (verdict == BL_VERDICT_ALLOW)
		verdict = BL_VERDICT_NONE;
	report->troubles[report->trouble_count++] =
		(struct bl_policy_trouble){ failure, policy, text, verdict };
	return BL_OK;
}

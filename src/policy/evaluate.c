/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluating the documents of routed policies, each by itself in an arena that
 * is emptied afterwards: a policy that fails, loops or eats memory takes nothing
 * with it.
 */
#include "policy/private.h"

static bool is_over(void *context)
{
	const struct policy_run *run = context;

	return run->deadline_ns && bl_os_monotonic_ns() >= run->deadline_ns;
}

static bool read_zone(void *context, struct bl_arena *arena, struct bl_str name,
		      struct bl_str *out_tzif)
{
	const struct bl_policy_options *options =
		((const struct policy_run *)context)->options;

	return options->read_zone &&
	       options->read_zone(options->context, arena, name, out_tzif);
}

static bool fill_random(void *context, void *out, size_t len)
{
	const struct bl_policy_options *options =
		((const struct policy_run *)context)->options;

	return options->fill_random &&
	       options->fill_random(options->context, out, len);
}

static enum bl_status note_fault(struct policy_run *run,
				 const struct bl_policy *policy,
				 const struct bl_rego_result *result)
{
	enum bl_policy_failure failure = BL_FAILURE_ENGINE;

	/* OPA's word for an evaluation that was ended. */
	if (!strcmp(result->fault_code, "eval_cancel_error"))
		failure = is_over(run) ? BL_FAILURE_DEADLINE : BL_FAILURE_LIMIT;
	else if (!strcmp(result->fault_code, "eval_internal_error"))
		failure = BL_FAILURE_LIMIT;
	return policy_trouble(run, failure, policy,
			      bl_arena_printf(run->arena, "policy %.*s: %.*s",
					      BL_STR_ARG(policy->package),
					      BL_STR_ARG(result->fault)));
}

static enum bl_status
evaluate_document(struct policy_run *run, const struct bl_policy *policy,
		  const struct bl_policy_document *document,
		  const struct bl_rego_options *options,
		  struct bl_arena *scratch)
{
	struct bl_error problem = { 0 };
	struct bl_rego_result result;
	struct bl_value value;
	enum bl_status status =
		bl_rego_document(run->dir->rego, document->document, options,
				 scratch, &result, &problem);

	if (status)
		return policy_trouble(
			run, BL_FAILURE_LIMIT, policy,
			bl_arena_printf(run->arena, "policy %.*s: %s",
					BL_STR_ARG(policy->package),
					problem.message));
	if (result.fault_code)
		return note_fault(run, policy, &result);
	value = bl_value_copy(run->arena, result.document);
	if (!bl_value_is_defined(value) && bl_value_is_defined(result.document))
		return bl_arena_fail(run->arena, run->err);
	return policy_read_findings(run, policy, document, value);
}

/* Has an earlier file of the package been routed?  Then it has been asked. */
static bool is_asked(const struct policy_run *run, size_t first, size_t index)
{
	const struct bl_policy_routed *routes = run->report->routes;

	for (size_t i = first; i < index; i++)
		if (bl_route_runs(routes[i].route) &&
		    bl_str_equal(routes[i].policy->package,
				 routes[index].policy->package))
			return true;
	return false;
}

static enum bl_status evaluate_policy(struct policy_run *run,
				      const struct bl_policy *policy,
				      const struct bl_rego_options *options,
				      struct bl_arena *scratch)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < policy->document_count; i++) {
		status = evaluate_document(run, policy, &policy->documents[i],
					   options, scratch);
		bl_arena_reset(scratch);
	}
	return status;
}

enum bl_status policy_evaluate(struct policy_run *run, size_t first,
			       struct bl_value input)
{
	const struct bl_rego_options options = {
		.input = input,
		.max_steps = run->options->max_steps,
		.now_ns = run->options->now_ns,
		.context = run,
		.read_zone = read_zone,
		.fill_random = fill_random,
		.is_over = is_over,
	};
	struct bl_arena scratch;
	enum bl_status status = BL_OK;

	bl_arena_init(&scratch, NULL, 0,
		      run->options->max_bytes ? run->options->max_bytes
					      : BL_POLICY_MAX_BYTES);
	for (size_t i = first; !status && i < run->report->route_count; i++) {
		const struct bl_policy_routed *routed = &run->report->routes[i];

		if (bl_route_runs(routed->route) && !is_asked(run, first, i))
			status = evaluate_policy(run, routed->policy, &options,
						 &scratch);
	}
	bl_arena_clear(&scratch);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluating the documents of routed policies, each by itself in an arena that
 * is emptied afterwards: a policy that fails, loops or eats memory takes nothing
 * with it.
 */
#include "sources/policies/private.h"

enum { SCRATCH_BYTES = 12 * 1024 };

static bool is_over(void *context)
{
	const struct policy_run *run = context;

	return bl_stop_ask(run->options->stop) ||
	       (run->deadline_ns && bl_os_monotonic_ns() >= run->deadline_ns);
}

/* ---- builtins that fail ---------------------------------------------------- */

/* A document that is being evaluated. */
struct watch {
	struct policy_run *run;
	const struct bl_policy *policy;
	struct bl_buf text; /* of the failure at hand */
	enum bl_status status;
};

static bool is_reported(const struct policy_run *run, struct bl_str text)
{
	const struct bl_policy_report *report = run->report;

	for (size_t i = 0; i < report->trouble_count; i++)
		if (report->troubles[i].failure == BL_FAILURE_BUILTIN &&
		    bl_str_equal(report->troubles[i].text, text))
			return true;
	return false;
}

/*
 * input.belay has null for what an event is not about (its prompt, a command):
 * a builtin that is given it is as undefined as it would be of a field that is
 * not there, and that is not a failure.  The words are OPA's.
 */
static bool is_of_nothing(struct bl_str text)
{
	return bl_str_find(text, BL_STR(": operand "), 0) != SIZE_MAX &&
	       bl_str_has_suffix(text, BL_STR(" but got null"));
}

/*
 * Whatever calls a builtin that fails is undefined, and so may be the refusal
 * that it was to make: it is said, each place once.
 */
static void notice(void *context, const struct bl_rego_event *event)
{
	struct watch *watch = context;
	struct policy_run *run = watch->run;
	struct bl_str text;

	if (event->kind != BL_REGO_ERROR || watch->status ||
	    is_of_nothing(event->text) ||
	    run->builtin_count > POLICY_MAX_BUILTIN_TROUBLES)
		return;
	bl_buf_reset(&watch->text);
	bl_buf_printf(&watch->text, "%.*s:%u: %.*s", BL_STR_ARG(event->file),
		      event->line, BL_STR_ARG(event->text));
	text = bl_buf_str(&watch->text);
	if (bl_buf_status(&watch->text) || is_reported(run, text))
		return;
	if (++run->builtin_count > POLICY_MAX_BUILTIN_TROUBLES)
		text = BL_STR("more builtins failed");
	watch->status = policy_trouble(run, BL_FAILURE_BUILTIN, watch->policy,
				       bl_arena_copy_str(run->arena, text));
}

/* ---- documents --------------------------------------------------------------- */

/* The cause that ended an evaluation: its caller, the clock, or a limit of its own. */
static enum bl_policy_failure failure_of_end(struct policy_run *run)
{
	if (bl_stop_ask(run->options->stop) == BL_STOP_CANCELLED)
		return BL_FAILURE_CANCELLED;
	return is_over(run) ? BL_FAILURE_DEADLINE : BL_FAILURE_LIMIT;
}

enum bl_status policy_note_fault(struct policy_run *run,
				 const struct bl_policy *policy,
				 const struct bl_rego_result *result)
{
	struct bl_str name = policy ? policy->package : BL_STR("belay.packs");
	enum bl_policy_failure failure = BL_FAILURE_ENGINE;

	/* OPA's word for an evaluation that was ended. */
	if (!strcmp(result->fault_code, "eval_cancel_error"))
		failure = failure_of_end(run);
	else if (!strcmp(result->fault_code, "eval_internal_error"))
		failure = BL_FAILURE_LIMIT;
	return policy_trouble(run, failure, policy,
			      bl_arena_printf(run->arena, "policy %.*s: %.*s",
					      BL_STR_ARG(name),
					      BL_STR_ARG(result->fault)));
}

/* The results of the evaluation, as findings with their reasons. */
static enum bl_status read_result(struct policy_run *run,
				  const struct bl_policy *policy,
				  const struct bl_policy_document *document,
				  const struct bl_rego_options *options,
				  const struct bl_rego_result *result)
{
	size_t first = run->report->finding_count;
	struct bl_value value;
	enum bl_status status;

	if (result->fault_code)
		return policy_note_fault(run, policy, result);
	value = bl_value_copy(run->arena, result->document);
	if (!bl_value_is_defined(value) &&
	    bl_value_is_defined(result->document))
		return bl_arena_fail(run->arena, run->err);
	status = policy_read_findings(run, policy, document, value);
	if (!status && run->dir->observed)
		status = run->dir->observed->explain(run, document, options,
						     first);
	return status;
}

static enum bl_status
evaluate_document(struct policy_run *run, const struct bl_policy *policy,
		  const struct bl_policy_document *document,
		  const struct bl_rego_options *options,
		  struct bl_arena *scratch)
{
	struct watch watch = { .run = run, .policy = policy };
	const struct bl_rego_observer observer = { &watch, notice };
	struct bl_rego_options watched = *options;
	struct bl_error problem = { 0 };
	struct bl_rego_result result;
	enum bl_status status;

	watched.observer = &observer;
	bl_buf_init(&watch.text, 0);
	status = bl_rego_document(run->dir->rego, document->document, &watched,
				  scratch, &result, &problem);
	bl_buf_clear(&watch.text);
	if (watch.status)
		return watch.status;
	if (status)
		return policy_trouble(
			run, BL_FAILURE_LIMIT, policy,
			bl_arena_printf(run->arena, "policy %.*s: %s",
					BL_STR_ARG(policy->package),
					problem.message));
	return read_result(run, policy, document, options, &result);
}

/*
 * The documents that have been asked.  All files of a package share theirs, so
 * the first one stands for the package.
 */
struct asked {
	uint8_t *bits;
};

static uint32_t first_document(const struct bl_policy *policy)
{
	return policy->document_count ? policy->documents[0].document : 0;
}

static enum bl_status begin_asked(struct policy_run *run, size_t first,
				  struct asked *asked)
{
	uint32_t most = 0;

	for (size_t i = first; i < run->report->route_count; i++) {
		uint32_t own = first_document(run->report->routes[i].policy);

		most = own > most ? own : most;
	}
	asked->bits = bl_arena_new_array(run->arena, uint8_t, most / 8 + 1);
	return asked->bits ? BL_OK : bl_arena_fail(run->arena, run->err);
}

/* Is this the first time that the package is asked? */
static bool ask(struct asked *asked, const struct bl_policy *policy)
{
	uint32_t own = first_document(policy);
	uint8_t bit = (uint8_t)(1u << own % 8);
	bool is_first = policy->document_count && !(asked->bits[own / 8] & bit);

	asked->bits[own / 8] |= bit;
	return is_first;
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

struct bl_rego_options policy_rego_options(struct policy_run *run,
					   struct bl_value input)
{
	return (struct bl_rego_options){
		.input = input,
		.max_steps = run->options->max_steps,
		.host = run->options->host,
		.is_over = is_over,
		.is_over_context = run,
	};
}

enum bl_status policy_evaluate(struct policy_run *run, size_t first,
			       struct bl_value input)
{
	const struct bl_rego_options options = policy_rego_options(run, input);
	/* Enough for most documents, on pages that are in use anyway. */
	_Alignas(max_align_t) char room[SCRATCH_BYTES];
	struct bl_arena scratch;
	struct asked asked;
	enum bl_status status = begin_asked(run, first, &asked);

	bl_arena_init(&scratch, room, sizeof(room),
		      run->options->max_bytes ? run->options->max_bytes
					      : BL_POLICY_MAX_BYTES);
	for (size_t i = first; !status && i < run->report->route_count; i++) {
		const struct bl_policy_routed *routed = &run->report->routes[i];

		if (bl_route_runs(routed->route) && ask(&asked, routed->policy))
			status = evaluate_policy(run, routed->policy, &options,
						 &scratch);
	}
	bl_arena_clear(&scratch);
	return status;
}

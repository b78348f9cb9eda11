/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains a decision.  The explanation comes from evaluating once more, observed: the
 * decision itself stays that of the evaluation that everybody else gets.
 */
#include "sources/policies/private.h"

/* Observing needs memory for everything that was on the way. */
enum { MEMORY_FACTOR = 4 };

static struct bl_value problem_value(struct bl_arena *arena,
				     struct bl_str problem)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	bl_object_builder_add(
		&out, BL_STR("problem"),
		bl_value_string(bl_arena_copy_str(arena, problem)));
	return bl_object_builder_end(&out);
}

/* The document again; what it was told is in explainer. */
static struct bl_value observe(struct policy_run *run, struct bl_str path,
			       const struct bl_rego_options *options,
			       struct bl_rego_explainer *explainer,
			       struct bl_arena *scratch)
{
	const struct bl_rego_observer observer = { explainer,
						   bl_rego_explainer_notice };
	struct bl_rego_options observed = *options;
	struct bl_error err = { 0 };
	struct bl_rego_result result;

	observed.observer = &observer;
	if (bl_rego_document(run->dir->observed->rego,
			     bl_rego_find(run->dir->observed->rego, path),
			     &observed, scratch, &result, &err))
		return problem_value(run->arena, bl_str(err.message));
	if (result.fault_code)
		return problem_value(run->arena, result.fault);
	return bl_value_undefined();
}

static struct bl_value explain_one(struct policy_run *run, struct bl_str path,
				   struct bl_value element,
				   const struct bl_rego_explainer *explainer)
{
	const struct bl_rego_explain_options asked = { .path = path,
						       .element = element };
	struct bl_error err = { 0 };
	struct bl_value why;

	if (bl_rego_explain(explainer, &asked, run->arena, &why, &err))
		return problem_value(run->arena, bl_str(err.message));
	return why;
}

static void explain_all(struct policy_run *run,
			const struct bl_policy_document *document,
			const struct bl_rego_options *options, size_t first,
			struct bl_arena *scratch)
{
	struct bl_policy_report *report = run->report;
	struct bl_str path = bl_arena_printf(scratch, "data.%.*s",
					     BL_STR_ARG(document->path));
	struct bl_rego_explainer *explainer = NULL;
	struct bl_error err = { 0 };
	struct bl_value problem;

	if (!path.ptr || bl_rego_explainer_new(scratch, &explainer, &err))
		problem = problem_value(run->arena, BL_STR("out of memory"));
	else
		problem = observe(run, document->path, options, explainer,
				  scratch);
	for (size_t i = first; i < report->finding_count; i++)
		report->findings[i].why =
			bl_value_is_defined(problem)
				? problem
				: explain_one(run, path,
					      report->findings[i].raw,
					      explainer);
}

enum bl_status policy_explain(struct policy_run *run,
			      const struct bl_policy_document *document,
			      const struct bl_rego_options *options,
			      size_t first)
{
	size_t bytes = run->options->max_bytes ? run->options->max_bytes
					       : BL_POLICY_MAX_BYTES;
	struct bl_arena scratch;

	if (first == run->report->finding_count)
		return BL_OK;
	bl_arena_init(&scratch, NULL, 0,
		      bytes > SIZE_MAX / MEMORY_FACTOR ? SIZE_MAX
						       : bytes * MEMORY_FACTOR);
	explain_all(run, document, options, first, &scratch);
	bl_arena_clear(&scratch);
	return bl_arena_status(run->arena) ? bl_arena_fail(run->arena, run->err)
					   : BL_OK;
}

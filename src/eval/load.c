/* SPDX-License-Identifier: Apache-2.0 */
/* With the compiler: not in the static program. */
#include "eval/eval.h"

enum bl_status bl_eval_compile(struct bl_arena *arena, struct bl_diags *diags,
			       struct bl_eval *eval, struct bl_error *err)
{
	return bl_policy_load(&eval->load, arena, diags, &eval->set, err);
}

enum bl_status bl_eval_load(const struct bl_eval_options *options,
			    struct bl_arena *arena, struct bl_diags *diags,
			    struct bl_eval *out_eval, struct bl_error *err)
{
	enum bl_status status = bl_eval_begin(options, arena, out_eval, err);

	return status ? status : bl_eval_compile(arena, diags, out_eval, err);
}

enum bl_status bl_eval_event(const struct bl_eval_options *options,
			     struct bl_str payload, struct bl_arena *arena,
			     struct bl_eval *eval, struct bl_error *err)
{
	enum bl_status status =
		bl_eval_read(options, payload, arena, eval, err);

	return status ? status : bl_eval_decide(options, arena, eval, err);
}

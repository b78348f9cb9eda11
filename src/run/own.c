/* SPDX-License-Identifier: Apache-2.0 */
/* The executor "own": commands are handed to a function of the embedder. */
#include "run/own.h"

#include "base/limits.h"
#include "run/private.h"

static enum bl_status plan(const struct bl_execution_context *context,
			   struct bl_execution *execution,
			   struct bl_arena *arena, struct bl_own_call *out_call,
			   struct bl_error *err)
{
	const struct bl_hook *hook = execution->hook;
	struct bl_limits limits = bl_limits_default();

	*out_call = (struct bl_own_call){
		.event = context->hook_event->name,
		.command = hook->command,
		.definition = bl_hook_to_value(hook, arena),
		.payload = context->payload,
		.dir = hook->file->dir,
		.timeout_ms = hook->timeout_ms,
		.max_output_bytes = context->max_output_bytes
					    ? context->max_output_bytes
					    : limits.hook_output_bytes,
		.max_error_bytes = context->max_error_bytes
					   ? context->max_error_bytes
					   : limits.hook_error_bytes,
		.stop = context->stop,
	};
	return bl_value_is_defined(out_call->definition)
		       ? BL_OK
		       : bl_arena_fail(arena, err);
}

static enum bl_status classify(const struct bl_execution_context *context,
			       struct bl_execution *execution,
			       struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_child_result *child = &execution->child;
	struct bl_str why;

	if (child->end != BL_CHILD_CANNOT_START)
		return bl_executor_classify(context, execution, arena, err);
	why = bl_executor_clean(arena, child->errors);
	if (!why.ptr)
		return bl_arena_fail(arena, err);
	return bl_executor_cannot(context, execution, why, arena, err);
}

const struct bl_executor bl_executor_own = {
	.name = "own",
	.plan_call = plan,
	.classify = classify,
};

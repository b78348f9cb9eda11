/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source "hooks": the hooks that match are run, and what they answered is
 * combined by the profile's rules.
 */
#include "engine/private.h"

/* The entry for a broken file has its outcome already. */
static bool is_to_run(const struct bl_reply_execution *execution)
{
	return bl_engine_match_runs(execution->match) &&
	       execution->outcome.kind == BL_OUTCOME_SKIPPED;
}

/* Runs those executions that are to be run. */
static enum bl_status run_hooks(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	const struct bl_hook_options *options = &event->places->hooks;
	struct bl_execution_context context = {
		.profile = event->profile,
		.hook_event = event->hook_event,
		.payload = event->payload_text,
		.payload_value = event->payload,
		.workspaces = options->workspaces,
		.workspace_count = options->workspace_count,
		.max_output_bytes = event->engine->limits.hook_output_bytes,
		.max_error_bytes = event->engine->limits.hook_error_bytes,
		.http = event->engine->http,
		.stop = event->stop,
		.own = event->engine->own.run ? &event->engine->own : NULL,
	};
	struct bl_execution *runs = bl_arena_new_array(
		event->arena, struct bl_execution, reply->execution_count);
	size_t count = 0;
	enum bl_status status;

	if (!runs)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < reply->execution_count; i++) {
		if (is_to_run(&reply->executions[i]))
			runs[count++].hook = reply->executions[i].hook;
	}
	if (count == 0)
		return BL_OK;
	status = bl_executor_run(&context, runs, count, event->arena, err);
	if (status != BL_OK)
		return status;
	count = 0;
	for (size_t i = 0; i < reply->execution_count; i++) {
		struct bl_reply_execution *execution = &reply->executions[i];
		const struct bl_execution *done = &runs[count];

		if (!is_to_run(execution))
			continue;
		count++;
		execution->outcome = done->outcome;
		execution->response = done->response;
		execution->ran = done->ran;
		execution->started_wall_ms = done->started_wall_ms;
		execution->child = done->child;
		execution->layers = done->layers;
		execution->missing_layers = done->missing_layers;
	}
	return BL_OK;
}

/* The effect of each outcome is kept with its execution. */
static enum bl_status combine(struct bl_event *event,
			      struct bl_decision *out_decision,
			      struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	struct bl_outcome *outcomes = bl_arena_new_array(
		event->arena, struct bl_outcome, reply->execution_count);
	enum bl_status status;

	if (!outcomes)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < reply->execution_count; i++)
		outcomes[i] = reply->executions[i].outcome;
	status = bl_decision_combine(
		&event->profile->combine, event->hook_event->class,
		event->hook_event->can_ask, outcomes, reply->execution_count,
		event->arena, out_decision, err);
	if (status != BL_OK)
		return status;
	for (size_t i = 0; i < reply->execution_count; i++)
		reply->executions[i].effect =
			(enum bl_effect)out_decision->effects[i];
	return BL_OK;
}

enum bl_status bl_event_ask_hooks(struct bl_event *event, bool *out_asked,
				  struct bl_decision *out_decision,
				  struct bl_error *err)
{
	enum bl_status status = BL_OK;

	if (event->chain) {
		*out_asked = true;
		return bl_event_ask_chain(event, out_decision, err);
	}
	*out_asked = event->hook_event != NULL;
	if (!*out_asked)
		return BL_OK;
	status = bl_event_select(event, err);
	if (status == BL_OK)
		status = run_hooks(event, err);
	return status == BL_OK ? combine(event, out_decision, err) : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One event, start to finish. */
#include "engine/private.h"

/* A value could not be made; never OK. */
static enum bl_status fail_making(const struct bl_event *event,
				  struct bl_error *err)
{
	if (bl_arena_status(event->arena) == BL_OK)
		return bl_fail_memory(err);
	return bl_arena_fail(event->arena, err);
}

/* What stands for a broken file has its outcome already. */
static bool is_to_run(const struct bl_reply_execution *execution)
{
	return bl_match_runs(execution->match) &&
	       execution->outcome.kind == BL_OUTCOME_SKIPPED;
}

/* Runs those executions that are to be run. */
static enum bl_status run(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	const struct bl_hook_options *options = &event->engine->hooks;
	struct bl_execution_context context = {
		.profile = event->profile,
		.step = event->step,
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

static enum bl_status fold(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	struct bl_outcome *outcomes = bl_arena_new_array(
		event->arena, struct bl_outcome, reply->execution_count);
	enum bl_status status;

	if (!outcomes)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < reply->execution_count; i++)
		outcomes[i] = reply->executions[i].outcome;
	status = bl_decision_combine(&event->profile->combine,
				     event->step->class, event->step->can_ask,
				     outcomes, reply->execution_count,
				     event->arena, &reply->decision, err);
	if (status != BL_OK)
		return status;
	for (size_t i = 0; i < reply->execution_count; i++)
		reply->executions[i].effect =
			(enum bl_effect)reply->decision.effects[i];
	return BL_OK;
}

static enum bl_status decide(struct bl_event *event, struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	enum bl_status status = bl_event_select(event, err);

	if (status == BL_OK)
		status = run(event, err);
	if (status == BL_OK)
		status = fold(event, err);
	if (status == BL_OK)
		status = bl_hook_event_enforce(event->step, &reply->decision,
					       event->payload, event->arena,
					       &reply->enforcement, err);
	if (status != BL_OK)
		return status;
	reply->answer = bl_hook_output_encode(event->step, &reply->decision,
					      event->arena);
	if (!bl_value_is_defined(reply->answer))
		return fail_making(event, err);
	return BL_OK;
}

/* Notices last, for what goes wrong with the journal is one. */
static enum bl_status finish(struct bl_event *event, struct bl_error *err)
{
	bl_event_notice_files(event);
	bl_event_notice_executions(event);
	bl_event_record(event);
	event->reply->notices = bl_array_builder_end(&event->notices);
	if (!bl_value_is_defined(event->reply->notices))
		return fail_making(event, err);
	return BL_OK;
}

/* What dispatch and explain begin and end with. */
typedef enum bl_status work_fn(struct bl_event *event, struct bl_error *err);

static enum bl_status with_event(struct bl_engine *engine,
				 const struct bl_request *request,
				 work_fn *work, struct bl_arena *arena,
				 struct bl_reply *out_reply,
				 struct bl_error *err)
{
	struct bl_reply reply = { .snapshot = bl_engine_snapshot(engine) };
	const struct bl_hook_set *set = bl_snapshot_set(reply.snapshot);
	struct bl_event event = {
		.engine = engine,
		.set = set,
		.profile = set->profile,
		.arena = arena,
		.stop = request->stop,
		.reply = &reply,
	};
	enum bl_status status = bl_event_begin(&event, request, err);

	reply.profile = event.profile;
	reply.step = event.step;
	if (status == BL_OK)
		status = work(&event, err);
	bl_event_clear(&event);
	if (status == BL_OK)
		*out_reply = reply;
	else
		bl_snapshot_unref(reply.snapshot);
	return status;
}

static enum bl_status dispatch(struct bl_event *event, struct bl_error *err)
{
	enum bl_status status = decide(event, err);

	return status == BL_OK ? finish(event, err) : status;
}

enum bl_status bl_engine_dispatch(struct bl_engine *engine,
				  const struct bl_request *request,
				  struct bl_arena *arena,
				  struct bl_reply *out_reply,
				  struct bl_error *err)
{
	return with_event(engine, request, dispatch, arena, out_reply, err);
}

static enum bl_status explain(struct bl_event *event, struct bl_error *err)
{
	const struct bl_hook_set *set = event->set;
	struct bl_reply *reply = event->reply;

	reply->executions = bl_arena_new_array(
		event->arena, struct bl_reply_execution, set->hook_count);
	if (!reply->executions)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < set->hook_count; i++) {
		struct bl_reply_execution *execution = &reply->executions[i];

		execution->hook = &set->hooks[i];
		execution->match =
			bl_hook_match(set, execution->hook, event->step,
				      event->payload, event->arena);
		/* Not ANSWERED, which is what zero would say. */
		execution->outcome.kind = BL_OUTCOME_SKIPPED;
	}
	reply->execution_count = set->hook_count;
	bl_event_notice_files(event);
	reply->notices = bl_array_builder_end(&event->notices);
	if (!bl_value_is_defined(reply->notices))
		return fail_making(event, err);
	return BL_OK;
}

enum bl_status bl_engine_explain(struct bl_engine *engine,
				 const struct bl_request *request,
				 struct bl_arena *arena,
				 struct bl_reply *out_reply,
				 struct bl_error *err)
{
	return with_event(engine, request, explain, arena, out_reply, err);
}

void bl_reply_clear(struct bl_reply *reply)
{
	bl_snapshot_unref(reply->snapshot);
	*reply = (struct bl_reply){ .profile = NULL };
}

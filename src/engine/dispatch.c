/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of one event: request.c reads it, sources.c asks hooks and policies
 * and combines what they decided, response.c says it to the agent, record.c
 * writes it down.  Nothing here knows an agent, a hook or a policy.
 */
#include "engine/private.h"

/* A value could not be made; never OK. */
static enum bl_status fail_making(const struct bl_event *event,
				  struct bl_error *err)
{
	if (bl_arena_status(event->arena) == BL_OK)
		return bl_fail_memory(err);
	return bl_arena_fail(event->arena, err);
}

/* Notices last, for what goes wrong with the journal is one. */
static enum bl_status finish(struct bl_event *event, struct bl_error *err)
{
	struct bl_error why;

	if (event->set)
		bl_event_notice_files(event);
	if (event->hook_event)
		bl_event_notice_executions(event);
	bl_event_notice_policies(event);
	bl_event_record(event);
	bl_event_beat(event);
	if (bl_event_telemetry(event, &why) != BL_OK)
		bl_event_notice(event, "no telemetry: %s", why.message);
	event->reply->notices = bl_array_builder_end(&event->notices);
	if (!bl_value_is_defined(event->reply->notices))
		return fail_making(event, err);
	return BL_OK;
}

static enum bl_status decide(struct bl_event *event,
			     const struct bl_request *request,
			     struct bl_error *err)
{
	enum bl_status status = BL_OK;

	status = bl_event_begin(event, request, err);
	if (request->failure) {
		if (err)
			*err = *request->failure;
		return request->failure->status;
	}
	if (status == BL_OK)
		status = bl_event_decide(event, request, err);
	if (status == BL_OK && event->engine->form == BL_FORM_HOOK)
		bl_event_end_loop(event);
	if (status == BL_OK)
		status = bl_event_respond(event, err);
	return status;
}

/*
 * The agent whose hook belay is gets an answer whatever happened, unless
 * another program can give a better one.
 */
static enum bl_status dispatch(struct bl_event *event,
			       const struct bl_request *request,
			       struct bl_error *err)
{
	struct bl_error why = { 0 };
	enum bl_status status = decide(event, request, &why);
	bool hands_over = status == BL_UNSUPPORTED && !request->failure;

	if (status != BL_OK && event->engine->form == BL_FORM_HOOK &&
	    !hands_over) {
		bl_event_refuse(event, &why);
		status = BL_OK;
	}
	if (status != BL_OK) {
		if (err)
			*err = why;
		return status;
	}
	status = finish(event, err);
	/* Without notices it is still an answer. */
	return event->engine->form == BL_FORM_HOOK ? BL_OK : status;
}

/* The parts that dispatch and explain share. */
typedef enum bl_status work_fn(struct bl_event *event,
			       const struct bl_request *request,
			       struct bl_error *err);

static enum bl_status with_event(struct bl_engine *engine,
				 const struct bl_request *request,
				 work_fn *work, struct bl_arena *arena,
				 struct bl_reply *out_reply,
				 struct bl_error *err)
{
	struct bl_reply reply = { .snapshot = bl_engine_snapshot(engine) };
	struct bl_event event = {
		.engine = engine,
		.set = reply.snapshot ? bl_snapshot_set(reply.snapshot) : NULL,
		.places = reply.snapshot ? &reply.snapshot->places
					 : &engine->places,
		.profile = engine->places.hooks.profile,
		.snapshot = reply.snapshot,
		.arena = arena,
		.stop = request->stop,
		.reply = &reply,
		.detected_by = request->detected_by,
		.first_text = request->payload,
		.wall_ms = bl_os_wall_ms(),
		.started_ns = bl_os_monotonic_ns(),
	};
	enum bl_status status;

	bl_buf_init(&reply.text, 0);
	bl_buf_init(&event.serialised, 0);
	bl_buf_init(&event.rewritten, 0);
	bl_array_builder_init(&event.notices, arena);
	status = work(&event, request, err);
	reply.profile = event.profile;
	reply.hook_event = event.hook_event;
	bl_event_clear(&event);
	if (status == BL_OK)
		*out_reply = reply;
	else
		bl_reply_clear(&reply);
	return status;
}

enum bl_status bl_engine_dispatch(struct bl_engine *engine,
				  const struct bl_request *request,
				  struct bl_arena *arena,
				  struct bl_reply *out_reply,
				  struct bl_error *err)
{
	return with_event(engine, request, dispatch, arena, out_reply, err);
}

static enum bl_status explain(struct bl_event *event,
			      const struct bl_request *request,
			      struct bl_error *err)
{
	const struct bl_hook_set *set = event->set;
	struct bl_reply *reply = event->reply;
	enum bl_status status;

	if (event->profile->everruns)
		return bl_fail(err, BL_UNSUPPORTED,
			       "profile %s has no explanation",
			       event->profile->name);
	status = bl_event_begin(event, request, err);
	if (status != BL_OK)
		return status;
	reply->executions = bl_arena_new_array(
		event->arena, struct bl_reply_execution, set->hook_count);
	if (!reply->executions)
		return bl_arena_fail(event->arena, err);
	for (size_t i = 0; i < set->hook_count; i++) {
		struct bl_reply_execution *execution = &reply->executions[i];

		execution->hook = &set->hooks[i];
		execution->match =
			bl_hook_match(set, execution->hook, event->hook_event,
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
	if (reply->opened_policies && reply->policies)
		bl_policy_close(reply->policies);
	bl_buf_clear(&reply->text);
	*reply = (struct bl_reply){ .profile = NULL };
}

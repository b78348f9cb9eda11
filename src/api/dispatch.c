/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and replies.  A reply holds every text that an accessor returns, made
 * while failing is possible, so that accessors cannot fail.
 */
#include <stdlib.h>

#include "api/private.h"
#include "json/json.h"

_Static_assert(BELAY_NONE == BL_VERDICT_NONE &&
		       BELAY_ALLOW == BL_VERDICT_ALLOW &&
		       BELAY_ASK == BL_VERDICT_ASK &&
		       BELAY_DENY == BL_VERDICT_DENY,
	       "verdicts");

struct belay_reply {
	struct bl_arena arena;
	struct bl_reply reply;
	struct bl_str json;
	struct bl_str answer;
	struct bl_str user;
	struct bl_str model;
	struct bl_str followup;
	struct bl_str error;
	struct bl_str exit_errors;
	const char **notices;
	size_t notice_count;
};

/* ---- texts -------------------------------------------------------------- */

static enum bl_status fill_notices(belay_reply *reply, struct bl_error *err)
{
	struct bl_value notices = reply->reply.notices;
	size_t count = bl_value_count(notices);

	reply->notices = bl_arena_new_array(&reply->arena, const char *, count);
	if (!reply->notices)
		return bl_arena_fail(&reply->arena, err);
	for (size_t i = 0; i < count; i++) {
		reply->notices[i] =
			bl_arena_copy_str(
				&reply->arena,
				bl_value_text(bl_value_item(notices, i)))
				.ptr;
		if (!reply->notices[i])
			return bl_arena_fail(&reply->arena, err);
	}
	reply->notice_count = count;
	return BL_OK;
}

/* The output of an agent's hook, in the terms of a reply. */
static struct bl_enforcement enforcement_of(const struct bl_reply *reply)
{
	const struct bl_decision *decision = &reply->decision;

	return (struct bl_enforcement){
		.verdict = decision->verdict,
		.user_text = reply->failure.len ? reply->failure
						: decision->user_message,
		.model_text = decision->agent_message,
	};
}

/* Everything that the functions below return, made while failing is possible.
 */
static enum bl_status fill_texts(belay_reply *reply, bool is_hook,
				 struct bl_error *err)
{
	const struct bl_response *response = &reply->reply.response;
	struct bl_enforcement *what = &reply->reply.enforcement;
	struct bl_arena *arena = &reply->arena;

	reply->json =
		bl_api_json(arena, bl_reply_to_value(&reply->reply, arena));
	if (is_hook)
		*what = enforcement_of(&reply->reply);
	reply->answer = is_hook ? bl_arena_copy_str(
					  arena, bl_str_trim(response->output))
				: bl_api_json(arena, reply->reply.answer);
	reply->exit_errors = bl_arena_copy_str(arena, response->errors);
	reply->user = bl_arena_copy_str(arena, what->user_text);
	reply->model = bl_arena_copy_str(arena, what->model_text);
	reply->error = bl_arena_copy_str(arena, what->error_text);
	if (what->followup.ptr)
		reply->followup = bl_arena_copy_str(arena, what->followup);
	if (!reply->json.ptr || !reply->answer.ptr || !reply->user.ptr ||
	    !reply->model.ptr || !reply->error.ptr || !reply->exit_errors.ptr ||
	    (what->followup.ptr && !reply->followup.ptr))
		return bl_fail_memory(err);
	return fill_notices(reply, err);
}

/* ---- dispatching -------------------------------------------------------- */

enum bl_status bl_api_read_event(const belay_dispatch_options *options,
				 struct bl_request *out_request,
				 struct bl_stop *out_stop, struct bl_error *err)
{
	if (!BL_API_HAS(options, cancel))
		return bl_fail(err, BL_USAGE,
			       "struct_size of the options is not set");
	*out_stop = (struct bl_stop){ NULL, 0 };
	if (options->timeout_ms)
		out_stop->deadline_ns = bl_os_monotonic_ns() +
					options->timeout_ms * INT64_C(1000000);
	if (options->cancel)
		out_stop->flag = &options->cancel->flag;
	out_request->event_name = bl_str(options->event);
	out_request->stop = out_stop;
	return BL_OK;
}

enum bl_status bl_api_dispatch(belay_engine *engine,
			       const struct bl_request *request,
			       belay_reply **out_reply, struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_request own = *request;
	belay_reply *reply = calloc(1, sizeof(*reply));
	enum bl_status status = BL_OK;

	if (!reply)
		return bl_fail_memory(err);
	bl_arena_init(&reply->arena, NULL, 0, limits.event_arena_bytes);
	/* values borrow from the payload, which is the caller's */
	own.payload = bl_arena_copy_str(&reply->arena, request->payload);
	if (!own.payload.ptr)
		status = bl_arena_fail(&reply->arena, err);
	if (!status)
		status = bl_engine_dispatch(engine->engine, &own, &reply->arena,
					    &reply->reply, err);
	if (!status)
		status = fill_texts(reply, engine->is_hook, err);
	if (status) {
		belay_reply_free(reply);
		return status;
	}
	*out_reply = reply;
	return BL_OK;
}

belay_status belay_engine_dispatch_with(belay_engine *engine,
					const belay_dispatch_options *options,
					const char *payload,
					size_t payload_size,
					belay_reply **out_reply,
					belay_error *error)
{
	static const belay_dispatch_options none = BELAY_DISPATCH_OPTIONS_INIT;
	struct bl_request request = { .payload = { payload, payload_size } };
	struct bl_stop stop;
	struct bl_error err;

	if (!engine || !payload || !out_reply)
		return bl_api_fail_null(error, "engine, payload or out_reply");
	if (bl_api_read_event(options ? options : &none, &request, &stop,
			      &err) ||
	    bl_api_dispatch(engine, &request, out_reply, &err))
		return bl_api_fail(&err, error);
	return BELAY_OK;
}

belay_status belay_engine_dispatch(belay_engine *engine, const char *event,
				   const char *payload, size_t payload_size,
				   belay_reply **out_reply, belay_error *error)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;

	options.event = event;
	return belay_engine_dispatch_with(engine, &options, payload,
					  payload_size, out_reply, error);
}

/* ---- cancelling ----------------------------------------------------------- */

belay_status belay_cancel_new(belay_cancel **out_cancel, belay_error *error)
{
	struct bl_error err;
	belay_cancel *cancel;

	if (!out_cancel)
		return bl_api_fail_null(error, "out_cancel");
	cancel = calloc(1, sizeof(*cancel));
	if (!cancel)
		bl_fail_memory(&err);
	if (!cancel || bl_flag_init(&cancel->flag, &err)) {
		free(cancel);
		return bl_api_fail(&err, error);
	}
	*out_cancel = cancel;
	return BELAY_OK;
}

void belay_cancel_set(belay_cancel *cancel)
{
	if (cancel)
		bl_flag_raise(&cancel->flag);
}

void belay_cancel_free(belay_cancel *cancel)
{
	if (!cancel)
		return;
	bl_flag_clear(&cancel->flag);
	free(cancel);
}

/* ---- replies -------------------------------------------------------------- */

void belay_reply_free(belay_reply *reply)
{
	if (!reply)
		return;
	if (reply->reply.snapshot)
		bl_reply_clear(&reply->reply);
	bl_arena_clear(&reply->arena);
	free(reply);
}

belay_verdict belay_reply_verdict(const belay_reply *reply)
{
	return reply ? (belay_verdict)reply->reply.enforcement.verdict
		     : BELAY_DENY;
}

const char *belay_reply_json(const belay_reply *reply)
{
	return reply ? reply->json.ptr : NULL;
}

const char *belay_reply_answer_json(const belay_reply *reply)
{
	return reply ? reply->answer.ptr : NULL;
}

const char *belay_reply_user_text(const belay_reply *reply)
{
	return reply ? reply->user.ptr : NULL;
}

const char *belay_reply_model_text(const belay_reply *reply)
{
	return reply ? reply->model.ptr : NULL;
}

const char *belay_reply_followup(const belay_reply *reply)
{
	return reply ? reply->followup.ptr : NULL;
}

int32_t belay_reply_recorded(const belay_reply *reply)
{
	return reply && reply->reply.recorded;
}

const char *belay_reply_code(const belay_reply *reply)
{
	return reply ? reply->reply.enforcement.code : NULL;
}

const char *belay_reply_error_text(const belay_reply *reply)
{
	return reply ? reply->error.ptr : NULL;
}

size_t belay_reply_notice_count(const belay_reply *reply)
{
	return reply ? reply->notice_count : 0;
}

const char *belay_reply_notice(const belay_reply *reply, size_t i)
{
	return reply && i < reply->notice_count ? reply->notices[i] : NULL;
}

int32_t belay_reply_exit_code(const belay_reply *reply)
{
	return reply ? reply->reply.response.exit_code
		     : bl_verdict_exit_code(BL_VERDICT_DENY);
}

const char *belay_reply_exit_errors(const belay_reply *reply)
{
	return reply ? reply->exit_errors.ptr : NULL;
}

/* ---- explaining ----------------------------------------------------------- */

belay_status belay_reply_explanation(const belay_reply *reply,
				     belay_text **out_text, belay_error *error)
{
	struct bl_arena arena;
	belay_status status;

	if (!reply || !out_text)
		return bl_api_fail_null(error, "reply or out_text");
	bl_arena_init(&arena, NULL, 0, bl_limits_default().event_arena_bytes);
	status = bl_api_text(bl_reply_explanation(&reply->reply, &arena),
			     out_text, error);
	bl_arena_clear(&arena);
	return status;
}

belay_status belay_engine_explain_json(belay_engine *engine, const char *event,
				       const char *payload, size_t payload_size,
				       belay_text **out_text,
				       belay_error *error)
{
	struct bl_request request = { .event_name = bl_str(event),
				      .payload = { payload, payload_size } };
	struct bl_reply reply;
	struct bl_arena arena;
	struct bl_error err;
	belay_status status;

	if (!engine || !payload || !out_text)
		return bl_api_fail_null(error, "engine, payload or out_text");
	if (engine->is_hook) {
		bl_fail(&err, BL_USAGE, "hooks are explained without an agent");
		return bl_api_fail(&err, error);
	}
	bl_arena_init(&arena, NULL, 0, bl_limits_default().event_arena_bytes);
	if (bl_engine_explain(engine->engine, &request, &arena, &reply, &err)) {
		status = bl_api_fail(&err, error);
	} else {
		status = bl_api_text(bl_reply_matches(&reply, &arena), out_text,
				     error);
		bl_reply_clear(&reply);
	}
	bl_arena_clear(&arena);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.c: events, decided while the program waits or on a thread of Node's
 * pool.  A dispatch keeps its engine: it is freed when the last one has ended.
 */
#include "native.h"

#include <belay.h>
#include <stdlib.h>

struct dispatch {
	napi_deferred deferred;
	napi_async_work work;
	napi_ref keeps[2]; /* the engine and the cancellation */
	struct handle *engine;
	belay_engine *object;
	char *event;
	char *payload;
	size_t payload_size;
	bool is_explained;
	belay_dispatch_options options;
	belay_status status;
	belay_error error;
	belay_reply *reply;
	belay_text *explanation;
};

static void decide(struct dispatch *dispatch)
{
	dispatch->status = belay_engine_dispatch_with(
		dispatch->object, &dispatch->options, dispatch->payload,
		dispatch->payload_size, &dispatch->reply, &dispatch->error);
	if (dispatch->status || !dispatch->is_explained)
		return;
	dispatch->status = belay_reply_explanation(
		dispatch->reply, &dispatch->explanation, &dispatch->error);
}

static void free_dispatch(struct dispatch *dispatch)
{
	belay_text_free(dispatch->explanation);
	belay_reply_free(dispatch->reply);
	free(dispatch->event);
	free(dispatch->payload);
	free(dispatch);
}

static napi_value notices(napi_env env, const belay_reply *reply)
{
	napi_value list = NULL;
	size_t count = belay_reply_notice_count(reply);

	napi_create_array(env, &list);
	for (size_t i = 0; i < count; i++)
		napi_set_element(env, list, (uint32_t)i,
				 text_value(env, belay_reply_notice(reply, i)));
	return list;
}

static const struct {
	const char *name;
	const char *(*get)(const belay_reply *reply);
} texts[] = {
	{ "userText", belay_reply_user_text },
	{ "modelText", belay_reply_model_text },
	{ "errorText", belay_reply_error_text },
	{ "followup", belay_reply_followup },
	{ "code", belay_reply_code },
	{ "exitErrors", belay_reply_exit_errors },
	{ "resultJson", belay_reply_json },
	{ "answerJson", belay_reply_answer_json },
};

static napi_value reply_value(napi_env env, const struct dispatch *dispatch)
{
	const belay_reply *reply = dispatch->reply;
	napi_value object = NULL;

	napi_create_object(env, &object);
	set(env, object, "verdict",
	    number_value(env, belay_reply_verdict(reply)));
	for (size_t i = 0; i < COUNT(texts); i++)
		set(env, object, texts[i].name,
		    text_value(env, texts[i].get(reply)));
	set(env, object, "exitCode",
	    number_value(env, belay_reply_exit_code(reply)));
	set(env, object, "isRecorded",
	    bool_value(env, belay_reply_recorded(reply)));
	set(env, object, "notices", notices(env, reply));
	set(env, object, "explanationJson",
	    text_value(env, belay_text_data(dispatch->explanation)));
	return object;
}

/* From (engine, event, payload, timeoutMs, isExplained, cancel). */
static struct dispatch *begin(struct call *call)
{
	struct handle *engine = call_handle(call, 0, KIND_ENGINE);
	struct dispatch *dispatch =
		engine ? calloc(1, sizeof(*dispatch)) : NULL;

	if (!dispatch)
		return NULL;
	dispatch->engine = engine;
	dispatch->object = engine->object;
	if (!call_text_or_null(call, 1, &dispatch->event, NULL)) {
		free_dispatch(dispatch);
		return NULL;
	}
	dispatch->payload = call_text(call, 2, &dispatch->payload_size);
	dispatch->is_explained = call_number(call, 4) != 0;
	dispatch->options = (belay_dispatch_options)BELAY_DISPATCH_OPTIONS_INIT;
	dispatch->options.event = dispatch->event;
	dispatch->options.timeout_ms = call_number(call, 3);
	dispatch->error = (belay_error)BELAY_ERROR_INIT;
	return dispatch;
}

static napi_value dispatch_sync(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	struct dispatch *dispatch = begin(&call);
	napi_value value;

	if (!dispatch)
		return NULL;
	decide(dispatch);
	value = dispatch->status ? throw_error(env, dispatch->status,
					       dispatch->error.message, NULL)
				 : reply_value(env, dispatch);
	free_dispatch(dispatch);
	return value;
}

static void execute(napi_env env, void *data)
{
	(void)env;
	decide(data);
}

static void complete(napi_env env, napi_status ended, void *data)
{
	struct dispatch *dispatch = data;

	(void)ended;
	if (dispatch->status)
		napi_reject_deferred(env, dispatch->deferred,
				     error_value(env, dispatch->status,
						 dispatch->error.message,
						 NULL));
	else
		napi_resolve_deferred(env, dispatch->deferred,
				      reply_value(env, dispatch));
	napi_delete_async_work(env, dispatch->work);
	belay_reply_free(dispatch->reply);
	dispatch->reply = NULL; /* before its engine */
	dispatch->engine->users--;
	handle_settle(dispatch->engine);
	for (size_t i = 0; i < COUNT(dispatch->keeps); i++)
		if (dispatch->keeps[i])
			napi_delete_reference(env, dispatch->keeps[i]);
	free_dispatch(dispatch);
}

static napi_value dispatch_async(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	struct dispatch *dispatch = begin(&call);
	napi_value promise = NULL;
	napi_valuetype type = napi_undefined;

	if (!dispatch)
		return NULL;
	napi_typeof(env, call.values[5], &type);
	if (type == napi_external) {
		dispatch->options.cancel = call_object(&call, 5, KIND_CANCEL);
		napi_create_reference(env, call.values[5], 1,
				      &dispatch->keeps[1]);
	}
	napi_create_reference(env, call.values[0], 1, &dispatch->keeps[0]);
	dispatch->engine->users++;
	napi_create_promise(env, &dispatch->deferred, &promise);
	napi_create_async_work(env, NULL, text_value(env, "belay"), execute,
			       complete, dispatch, &dispatch->work);
	napi_queue_async_work(env, dispatch->work);
	return promise;
}

static napi_value cancel_new(napi_env env, napi_callback_info info)
{
	belay_error error = BELAY_ERROR_INIT;
	belay_cancel *cancel = NULL;
	belay_status status = belay_cancel_new(&cancel, &error);

	(void)info;
	return status ? throw_error(env, status, error.message, NULL)
		      : handle_new(env, KIND_CANCEL, cancel);
}

static napi_value cancel_set(napi_env env, napi_callback_info info)
{
	struct call call = call_begin(env, info);
	belay_cancel *cancel = call_object(&call, 0, KIND_CANCEL);

	if (cancel)
		belay_cancel_set(cancel);
	return NULL;
}

void add_dispatch_functions(napi_env env, napi_value exports)
{
	static const struct entry entries[] = {
		{ "dispatch", dispatch_async },
		{ "dispatchSync", dispatch_sync },
		{ "cancelNew", cancel_new },
		{ "cancelSet", cancel_set },
	};

	add_functions(env, exports, entries, COUNT(entries));
}

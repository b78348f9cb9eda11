/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches that nobody waits for: each has a thread of its own, and a
 * descriptor that is readable when it is done.  There is no queue: an event
 * that waited for a thread would wait past its deadline, so more operations
 * than an engine may have are refused at once.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "api/private.h"

struct belay_operation {
	belay_engine *engine;
	struct bl_arena arena; /* of the request's texts */
	struct bl_request request;
	struct bl_stop stop;
	struct bl_flag cancel;
	struct bl_flag done;
	pthread_t thread;
	bool is_joined;

	/* Set by the thread; read when it has been joined. */
	enum bl_status status;
	struct bl_error err;
	belay_reply *reply; /* until it is collected */
};

static void *decide(void *context)
{
	belay_operation *operation = context;

	operation->status =
		bl_api_dispatch(operation->engine, &operation->request,
				&operation->reply, &operation->err);
	bl_flag_raise(&operation->done);
	return NULL;
}

/* ---- starting ----------------------------------------------------------- */

static enum bl_status keep_request(belay_operation *operation,
				   struct bl_error *err)
{
	struct bl_request *request = &operation->request;

	request->event_name =
		bl_arena_copy_str(&operation->arena, request->event_name);
	request->payload =
		bl_arena_copy_str(&operation->arena, request->payload);
	request->stop = &operation->stop;
	operation->stop.flag = &operation->cancel;
	return request->event_name.ptr && request->payload.ptr
		       ? BL_OK
		       : bl_arena_fail(&operation->arena, err);
}

/* Signals are the program's: none is taken by a thread that it did not make. */
static enum bl_status start_thread(belay_operation *operation,
				   struct bl_error *err)
{
	sigset_t all, before;
	int why;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	why = pthread_create(&operation->thread, NULL, decide, operation);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return why ? bl_fail_errno(err, why, "cannot start a thread") : BL_OK;
}

/* Takes one of the places that the engine has. */
static enum bl_status take_place(belay_engine *engine, struct bl_error *err)
{
	size_t before = atomic_fetch_add(&engine->operation_count, 1);

	if (before < BELAY_MAX_OPERATIONS)
		return BL_OK;
	atomic_fetch_sub(&engine->operation_count, 1);
	return bl_fail(err, BL_LIMIT, "more than %d operations at once",
		       BELAY_MAX_OPERATIONS);
}

static void destroy(belay_operation *operation)
{
	belay_reply_free(operation->reply);
	bl_flag_clear(&operation->cancel);
	bl_flag_clear(&operation->done);
	bl_arena_clear(&operation->arena);
	atomic_fetch_sub(&operation->engine->operation_count, 1);
	free(operation);
}

static enum bl_status start(belay_engine *engine,
			    const belay_dispatch_options *options,
			    struct bl_str payload,
			    belay_operation **out_operation,
			    struct bl_error *err)
{
	belay_operation *operation;
	enum bl_status status = take_place(engine, err);

	if (status)
		return status;
	operation = calloc(1, sizeof(*operation));
	if (!operation) {
		atomic_fetch_sub(&engine->operation_count, 1);
		return bl_fail_memory(err);
	}
	operation->engine = engine;
	operation->request.payload = payload;
	operation->cancel.fd = operation->done.fd = -1;
	bl_arena_init(&operation->arena, NULL, 0, 0);
	status = bl_api_read_event(options, &operation->request,
				   &operation->stop, err);
	if (!status && options->cancel)
		status = bl_fail(err, BL_USAGE,
				 "an operation is cancelled by "
				 "belay_operation_cancel");
	if (!status)
		status = keep_request(operation, err);
	if (!status)
		status = bl_flag_init(&operation->cancel, err);
	if (!status)
		status = bl_flag_init(&operation->done, err);
	if (!status)
		status = start_thread(operation, err);
	if (status)
		destroy(operation);
	else
		*out_operation = operation;
	return status;
}

belay_status belay_dispatch_start(belay_engine *engine,
				  const belay_dispatch_options *options,
				  const char *payload, size_t payload_size,
				  belay_operation **out_operation,
				  belay_error *error)
{
	static const belay_dispatch_options none = BELAY_DISPATCH_OPTIONS_INIT;
	struct bl_str text = { payload, payload_size };
	struct bl_error err;

	if (!engine || !payload || !out_operation)
		return bl_api_fail_null(error,
					"engine, payload or out_operation");
	if (start(engine, options ? options : &none, text, out_operation, &err))
		return bl_api_fail(&err, error);
	return BELAY_OK;
}

/* ---- waiting -------------------------------------------------------------- */

static void join(belay_operation *operation)
{
	if (!operation->is_joined)
		pthread_join(operation->thread, NULL);
	operation->is_joined = true;
}

int belay_operation_fd(const belay_operation *operation)
{
	return operation ? operation->done.fd : -1;
}

int32_t belay_operation_is_done(const belay_operation *operation)
{
	return operation && bl_flag_is_raised(&operation->done);
}

void belay_operation_cancel(belay_operation *operation)
{
	if (operation)
		bl_flag_raise(&operation->cancel);
}

belay_status belay_operation_collect(belay_operation *operation,
				     belay_reply **out_reply,
				     belay_error *error)
{
	struct bl_error err;

	if (!operation || !out_reply)
		return bl_api_fail_null(error, "operation or out_reply");
	join(operation);
	if (operation->status)
		return bl_api_fail(&operation->err, error);
	if (!operation->reply) {
		bl_fail(&err, BL_USAGE, "the reply has been collected");
		return bl_api_fail(&err, error);
	}
	*out_reply = operation->reply;
	operation->reply = NULL;
	return BELAY_OK;
}

void belay_operation_free(belay_operation *operation)
{
	if (!operation)
		return;
	bl_flag_raise(&operation->cancel);
	join(operation);
	destroy(operation);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The executor "webhook": the payload is posted (docs/formats/webhook.md). */
#include "base/limits.h"
#include "run/private.h"

/* ---- the request -------------------------------------------------------- */

/* The longest that one may take, where the profile knows no deadline. */
static uint32_t time_of(const struct bl_hook *hook)
{
	struct bl_limits limits = bl_limits_default();

	return hook->timeout_ms ? hook->timeout_ms
				: (uint32_t)limits.hook_timeout_ms;
}

static enum bl_status plan(const struct bl_execution_context *context,
			   struct bl_execution *execution,
			   struct bl_arena *arena,
			   struct bl_http_request *out_request,
			   bool *out_can_start, struct bl_error *err)
{
	const struct bl_webhook *webhook = execution->hook->webhook;
	struct bl_limits limits = bl_limits_default();
	struct bl_error why = { 0 };
	enum bl_status status;

	*out_can_start = false;
	if (webhook->refused.len > 0)
		return bl_executor_cannot(context, execution, webhook->refused,
					  arena, err);
	if (!context->http)
		return bl_executor_cannot(
			context, execution,
			BL_STR("this program sends no requests"), arena, err);
	status = bl_webhook_request(webhook, context->hook_event->name,
				    context->payload, arena, out_request, &why);
	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (status != BL_OK)
		return bl_executor_cannot(context, execution,
					  bl_str(why.message), arena, err);
	out_request->timeout_ms = time_of(execution->hook);
	out_request->stop = context->stop;
	out_request->max_answer_bytes = limits.webhook_answer_bytes;
	if (context->max_output_bytes &&
	    context->max_output_bytes < out_request->max_answer_bytes)
		out_request->max_answer_bytes = context->max_output_bytes;
	*out_can_start = true;
	return BL_OK;
}

/* ---- the answer --------------------------------------------------------- */

static const struct {
	enum bl_outcome_kind kind;
	bool ran;
} ends[] = {
	[BL_HTTP_ANSWERED] = { BL_OUTCOME_HTTP_STATUS, true },
	[BL_HTTP_TIMED_OUT] = { BL_OUTCOME_TIMEOUT, true },
	[BL_HTTP_TOO_MUCH] = { BL_OUTCOME_TOO_MUCH_OUTPUT, true },
	[BL_HTTP_NOT_ALLOWED] = { BL_OUTCOME_CANNOT_START, false },
	[BL_HTTP_NOT_CONNECTED] = { BL_OUTCOME_NO_CONNECTION, true },
	[BL_HTTP_BROKEN] = { BL_OUTCOME_NO_CONNECTION, true },
	[BL_HTTP_NO_CLIENT] = { BL_OUTCOME_CANNOT_START, false },
	[BL_HTTP_STOPPED] = { BL_OUTCOME_CANCELLED, true },
};

/* A body that is not output is kept as what a command says on its errors. */
static enum bl_status keep_errors(const struct bl_execution_context *context,
				  struct bl_execution *execution,
				  struct bl_arena *arena, struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	size_t most = context->max_error_bytes ? context->max_error_bytes
					       : limits.hook_error_bytes;

	execution->child.errors_cut = execution->http.body.len > most;
	execution->child.errors = bl_executor_clean(
		arena, bl_str_slice(execution->http.body, 0, most));
	return execution->child.errors.ptr ? BL_OK : bl_arena_fail(arena, err);
}

static enum bl_status classify(const struct bl_execution_context *context,
			       struct bl_execution *execution,
			       struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_http_result *http = &execution->http;
	enum bl_status status;

	execution->ran = ends[http->end].ran;
	/* Outcomes without an exit code; an answer of 2xx is like exit 0. */
	execution->child = (struct bl_child_result){
		.end = BL_CHILD_CANNOT_START,
		.elapsed_ns = http->elapsed_ns,
	};
	if (http->end == BL_HTTP_STOPPED) {
		execution->child.end = BL_CHILD_STOPPED;
		execution->child.code = http->status;
		return bl_executor_classify(context, execution, arena, err);
	}
	if (bl_webhook_is_output(http)) {
		execution->child.end = BL_CHILD_EXITED;
		execution->child.output = http->body;
		return bl_executor_classify(context, execution, arena, err);
	}
	status = keep_errors(context, execution, arena, err);
	if (status != BL_OK)
		return status;
	execution->outcome.kind = ends[http->end].kind;
	execution->outcome.reason = bl_executor_clean(
		arena, bl_webhook_say_end(&execution->request, http,
					  execution->child.errors, arena));
	if (!execution->outcome.reason.ptr)
		return bl_arena_fail(arena, err);
	return bl_executor_word(context, execution, arena, err);
}

const struct bl_executor bl_executor_webhook = {
	.name = "webhook",
	.plan_request = plan,
	.classify = classify,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The executor "webhook": the payload is posted (docs/formats/webhook.md). */
#include <stdio.h>

#include "base/limits.h"
#include "executor/private.h"
#include "executor/secret.h"

enum { ID_BYTES = 16, HEADERS = 7, MAX_OUTPUT_STATUS = 299 };

/* ---- the request -------------------------------------------------------- */

/* Delivery ids are for the receiver's log, and to tell one from another. */
static enum bl_status make_id(char out[2 * ID_BYTES + 1], struct bl_error *err)
{
	uint8_t bytes[ID_BYTES];
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);

	if (status == BL_OK)
		bl_hex_encode(bytes, sizeof(bytes), out);
	return status;
}

static enum bl_status make_headers(const struct bl_execution_context *context,
				   const struct bl_hook *hook,
				   struct bl_arena *arena,
				   const char *const **out_headers,
				   struct bl_error *err)
{
	const char **headers = bl_arena_new_array(arena, const char *, HEADERS);
	char id[2 * ID_BYTES + 1];
	char timestamp[32];
	char signature[BL_SHA256_HEX_BYTES];
	enum bl_status status = make_id(id, err);

	if (!headers)
		return bl_arena_fail(arena, err);
	snprintf(timestamp, sizeof(timestamp), "%lld",
		 (long long)(bl_os_wall_ms() / 1000));
	if (status == BL_OK)
		status = bl_webhook_sign(hook->webhook, bl_str(timestamp),
					 context->payload, signature, err);
	if (status != BL_OK)
		return status;
	headers[0] = "Content-Type: application/json";
	headers[1] = "User-Agent: belay/" BELAY_VERSION;
	headers[2] =
		bl_arena_printf(arena, "X-Belay-Event: %s", context->step->name)
			.ptr;
	headers[3] = bl_arena_printf(arena, "X-Belay-Delivery: %s", id).ptr;
	headers[4] =
		bl_arena_printf(arena, "X-Belay-Timestamp: %s", timestamp).ptr;
	headers[5] =
		bl_arena_printf(arena, "X-Belay-Signature: v1=%s", signature)
			.ptr;
	headers[6] = NULL;
	for (size_t i = 0; i + 1 < HEADERS; i++) {
		if (!headers[i])
			return bl_arena_fail(arena, err);
	}
	*out_headers = headers;
	return BL_OK;
}

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
	struct bl_http_request request = {
		.url = &webhook->url,
		.body = context->payload,
		.timeout_ms = time_of(execution->hook),
		.max_answer_bytes = limits.webhook_answer_bytes,
		.allowed = webhook->allowed,
		.most = webhook->most,
	};
	struct bl_error why = { 0 };
	struct bl_str ca_file;
	enum bl_status status;

	*out_can_start = false;
	if (webhook->refused.len > 0)
		return bl_executor_cannot(context, execution, webhook->refused,
					  arena, err);
	if (!context->http)
		return bl_executor_cannot(
			context, execution,
			BL_STR("this program sends no requests"), arena, err);
	status = make_headers(context, execution->hook, arena, &request.headers,
			      &why);
	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (status != BL_OK)
		return bl_executor_cannot(context, execution,
					  bl_str(why.message), arena, err);
	if (context->max_output_bytes &&
	    context->max_output_bytes < request.max_answer_bytes)
		request.max_answer_bytes = context->max_output_bytes;
	ca_file = bl_arena_copy_str(arena, webhook->ca_file);
	if (!ca_file.ptr)
		return bl_arena_fail(arena, err);
	request.ca_file = ca_file.len > 0 ? ca_file.ptr : NULL;
	*out_request = request;
	*out_can_start = true;
	return BL_OK;
}

/* ---- the answer --------------------------------------------------------- */

static struct bl_str say_timeout(struct bl_arena *arena,
				 const struct bl_execution *execution)
{
	return bl_arena_printf(arena,
			       "execution failed: the hook timed out after %u "
			       "ms",
			       (unsigned)time_of(execution->hook));
}

static struct bl_str say_too_much(struct bl_arena *arena,
				  const struct bl_execution *execution)
{
	struct bl_limits limits = bl_limits_default();

	(void)execution;
	return bl_arena_printf(arena,
			       "answered too much and was cut off (after %llu "
			       "bytes)",
			       (unsigned long long)limits.webhook_answer_bytes);
}

static struct bl_str say_not_allowed(struct bl_arena *arena,
				     const struct bl_execution *execution)
{
	return bl_arena_printf(arena, "was not sent: %s",
			       execution->http.error);
}

static struct bl_str say_not_connected(struct bl_arena *arena,
				       const struct bl_execution *execution)
{
	const struct bl_http_result *http = &execution->http;

	return bl_arena_printf(arena,
			       "was not sent: no connection after %u attempt%s "
			       "(%s)",
			       (unsigned)http->attempts,
			       http->attempts == 1 ? "" : "s", http->error);
}

static struct bl_str say_broken(struct bl_arena *arena,
				const struct bl_execution *execution)
{
	return bl_arena_printf(arena,
			       "was sent, but the connection broke before the "
			       "answer was there (%s)",
			       execution->http.error);
}

/* Redirects are named, since people wonder why they are not followed. */
static struct bl_str say_status(struct bl_arena *arena,
				const struct bl_execution *execution)
{
	int status = execution->http.status;
	struct bl_str body = bl_str_trim(execution->child.errors);
	bool redirects = status >= 300 && status < 400;

	return bl_arena_printf(
		arena, "answered with HTTP status %d%s%s%.*s", status,
		redirects ? ", a redirect, which is not followed" : "",
		body.len > 0 ? ": " : "", BL_STR_ARG(body));
}

static const struct {
	enum bl_outcome_kind kind;
	bool ran;
	struct bl_str (*say)(struct bl_arena *arena,
			     const struct bl_execution *execution);
} ends[] = {
	[BL_HTTP_ANSWERED] = { BL_OUTCOME_HTTP_STATUS, true, say_status },
	[BL_HTTP_TIMED_OUT] = { BL_OUTCOME_TIMEOUT, true, say_timeout },
	[BL_HTTP_TOO_MUCH] = { BL_OUTCOME_TOO_MUCH_OUTPUT, true, say_too_much },
	[BL_HTTP_NOT_ALLOWED] = { BL_OUTCOME_CANNOT_START, false,
				  say_not_allowed },
	[BL_HTTP_NOT_CONNECTED] = { BL_OUTCOME_NO_CONNECTION, true,
				    say_not_connected },
	[BL_HTTP_BROKEN] = { BL_OUTCOME_NO_CONNECTION, true, say_broken },
	[BL_HTTP_NO_CLIENT] = { BL_OUTCOME_CANNOT_START, false,
				say_not_allowed },
};

/* A body that is no output is kept as what a command says on its errors. */
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

static bool is_output(const struct bl_http_result *http)
{
	return http->end == BL_HTTP_ANSWERED && http->status >= 200 &&
	       http->status <= MAX_OUTPUT_STATUS;
}

static enum bl_status classify(const struct bl_execution_context *context,
			       struct bl_execution *execution,
			       struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_http_result *http = &execution->http;
	enum bl_status status;

	execution->ran = ends[http->end].ran;
	/* What has no exit code; an answer of 2xx is like exit 0. */
	execution->child = (struct bl_child_result){
		.end = BL_CHILD_CANNOT_START,
		.elapsed_ns = http->elapsed_ns,
	};
	if (is_output(http)) {
		execution->child.end = BL_CHILD_EXITED;
		execution->child.output = http->body;
		return bl_executor_classify(context, execution, arena, err);
	}
	status = keep_errors(context, execution, arena, err);
	if (status != BL_OK)
		return status;
	execution->outcome.kind = ends[http->end].kind;
	execution->outcome.reason =
		bl_executor_clean(arena, ends[http->end].say(arena, execution));
	if (!execution->outcome.reason.ptr)
		return bl_arena_fail(arena, err);
	return bl_executor_word(context, execution, arena, err);
}

const struct bl_executor bl_executor_webhook = {
	.name = "webhook",
	.plan_request = plan,
	.classify = classify,
};

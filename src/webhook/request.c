/* SPDX-License-Identifier: Apache-2.0 */
/* request.c: what is sent, and how its end is put into words. */
#include <stdio.h>

#include "base/hex.h"
#include "crypto/crypto.h"
#include "os/os.h"
#include "webhook/webhook.h"

enum { ID_BYTES = 16, HEADERS = 7 };

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

static enum bl_status make_headers(const struct bl_webhook *webhook,
				   const char *event, struct bl_str body,
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
		status = bl_webhook_sign(webhook, bl_str(timestamp), body,
					 signature, err);
	if (status != BL_OK)
		return status;
	headers[0] = "Content-Type: application/json";
	headers[1] = "User-Agent: belay/" BELAY_VERSION;
	headers[2] = bl_arena_printf(arena, "X-Belay-Event: %s", event).ptr;
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

enum bl_status bl_webhook_request(const struct bl_webhook *webhook,
				  const char *event, struct bl_str body,
				  struct bl_arena *arena,
				  struct bl_http_request *out_request,
				  struct bl_error *err)
{
	const char *const *headers = NULL;
	struct bl_str ca_file = bl_arena_copy_str(arena, webhook->ca_file);
	enum bl_status status =
		make_headers(webhook, event, body, arena, &headers, err);

	if (status != BL_OK)
		return status;
	if (!ca_file.ptr)
		return bl_arena_fail(arena, err);
	*out_request = (struct bl_http_request){
		.url = &webhook->url,
		.headers = headers,
		.body = body,
		.ca_file = ca_file.len > 0 ? ca_file.ptr : NULL,
		.allowed = webhook->allowed,
		.most = webhook->most,
	};
	return BL_OK;
}

/* ---- words -------------------------------------------------------------- */

/* The text of the request. */
struct end {
	const struct bl_http_request *request;
	const struct bl_http_result *result;
	struct bl_str body;
};

/* Redirects are named, since people wonder why they are not followed. */
static struct bl_str say_status(struct bl_arena *arena, const struct end *end)
{
	int status = end->result->status;
	struct bl_str body = bl_str_trim(end->body);
	bool redirects = status >= 300 && status < 400;

	return bl_arena_printf(
		arena, "answered with HTTP status %d%s%s%.*s", status,
		redirects ? ", a redirect, which is not followed" : "",
		body.len > 0 ? ": " : "", BL_STR_ARG(body));
}

static struct bl_str say_timeout(struct bl_arena *arena, const struct end *end)
{
	return bl_arena_printf(arena, "timed out after %u ms",
			       (unsigned)end->request->timeout_ms);
}

static struct bl_str say_too_much(struct bl_arena *arena, const struct end *end)
{
	return bl_arena_printf(arena,
			       "answered too much and was cut off (after %zu "
			       "bytes)",
			       end->request->max_answer_bytes);
}

static struct bl_str say_not_sent(struct bl_arena *arena, const struct end *end)
{
	return bl_arena_printf(arena, "was not sent: %s", end->result->error);
}

static struct bl_str say_not_connected(struct bl_arena *arena,
				       const struct end *end)
{
	const struct bl_http_result *result = end->result;

	return bl_arena_printf(arena,
			       "was not sent: no connection after %u attempt%s "
			       "(%s)",
			       (unsigned)result->attempts,
			       result->attempts == 1 ? "" : "s", result->error);
}

static struct bl_str say_broken(struct bl_arena *arena, const struct end *end)
{
	return bl_arena_printf(arena,
			       "was sent, but the connection broke before the "
			       "answer was there (%s)",
			       end->result->error);
}

static struct bl_str say_stopped(struct bl_arena *arena, const struct end *end)
{
	return bl_arena_printf(arena, "was given up: the %s",
			       end->result->status == BL_STOP_CANCELLED
				       ? "action was cancelled"
				       : "time for the decision was up");
}

typedef struct bl_str say(struct bl_arena *arena, const struct end *end);

static say *const sayings[] = {
	[BL_HTTP_ANSWERED] = say_status,
	[BL_HTTP_TIMED_OUT] = say_timeout,
	[BL_HTTP_TOO_MUCH] = say_too_much,
	[BL_HTTP_NOT_ALLOWED] = say_not_sent,
	[BL_HTTP_NOT_CONNECTED] = say_not_connected,
	[BL_HTTP_BROKEN] = say_broken,
	[BL_HTTP_NO_CLIENT] = say_not_sent,
	[BL_HTTP_STOPPED] = say_stopped,
};

struct bl_str bl_webhook_say_end(const struct bl_http_request *request,
				 const struct bl_http_result *result,
				 struct bl_str body, struct bl_arena *arena)
{
	struct end end = { request, result, body };

	return sayings[result->end](arena, &end);
}

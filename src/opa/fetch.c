/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.c: requests to the services of a configuration, and the answers about a
 * bundle that is a file.  oci.c has those of a registry.
 */
#include "opa/private.h"

enum {
	TIMEOUT_MS = 30 * 1000,
	SECOND_MS = 1000,
	MAX_PEM_BYTES = 1024 * 1024,
	MAX_CALL_HEADERS = BL_OPA_MAX_HEADERS + OPA_CREDENTIAL_HEADERS + 4,
	HTTP_OK = 200,
	HTTP_NOT_MODIFIED = 304,
	HTTP_UNAUTHORIZED = 401,
	HTTP_FORBIDDEN = 403,
	MAX_RETRY_AFTER_S = 24 * 3600,
};

#define LONG_POLL_TYPE "application/vnd.openpolicyagent.bundles"

static void copy_list(const char **to, size_t *count, const char *const *from)
{
	for (; from && *from && *count < MAX_CALL_HEADERS; from++)
		to[(*count)++] = *from;
}

static enum bl_status read_pem(struct bl_str path, struct bl_arena *arena,
			       struct bl_str *out, struct bl_error *err)
{
	return path.len ? bl_os_read_file(path, 0, MAX_PEM_BYTES, arena, out,
					  NULL, err)
			: BL_OK;
}

/* Whom to believe, and who we are. */
static enum bl_status read_certificates(const struct opa_request *request,
					struct bl_arena *arena,
					struct bl_http_call *call,
					struct bl_error *err)
{
	const struct bl_opa_service *service = request->service;
	enum bl_status status =
		read_pem(service->ca_file, arena, &call->ca, err);

	if (!status && !request->url.len)
		status = read_pem(service->cert_file, arena, &call->client_cert,
				  err);
	if (!status && !request->url.len)
		status = read_pem(service->key_file, arena, &call->client_key,
				  err);
	return status;
}

enum bl_status opa_call(const struct bl_opa_client *client,
			const struct opa_request *request,
			struct bl_arena *arena, struct bl_http_reply *out,
			struct bl_error *err)
{
	const struct bl_opa_service *service = request->service;
	const char *headers[MAX_CALL_HEADERS + 1] = {
		"User-Agent: belay/" BELAY_VERSION
	};
	size_t count = 1;
	struct bl_str url =
		request->url.len
			? request->url
			: bl_arena_printf(arena, "%.*s/%.*s",
					  BL_STR_ARG(service->url),
					  BL_STR_ARG(request->resource));
	struct bl_http_call call = {
		.method = request->method,
		.url = url.ptr,
		.headers = headers,
		.body = request->body,
		.timeout_ms = request->timeout_ms,
		.max_answer_bytes = request->max_bytes,
		.system_certs = service->system_certs,
		.is_over = client->is_over,
		.context = client->of,
	};
	struct opa_asker asker;
	enum bl_status status = url.ptr ? BL_OK : bl_arena_fail(arena, err);

	if (!request->url.len)
		copy_list(headers, &count, service->headers);
	asker = (struct opa_asker){ client,  request, url, arena,
				    headers, &count,  err };
	if (!status)
		status = opa_add_credentials(&asker);
	copy_list(headers, &count, request->headers);
	if (!status)
		status = read_certificates(request, arena, &call, err);
	if (!status)
		status = bl_http_exchange(client->http, &call, arena, out, err);
	if (!status && out->status == HTTP_UNAUTHORIZED && !request->url.len)
		opa_forget_token(service);
	return status;
}

/* ---- the bundle ----------------------------------------------------------------- */

static enum bl_status make_headers(struct opa_sync *sync, const char **headers)
{
	int64_t wait =
		sync->client->is_following ? sync->config->long_poll_s : 0;
	struct bl_str line =
		wait ? bl_arena_printf(sync->arena,
				       "Prefer: modes=snapshot;wait=%lld",
				       (long long)wait)
		     : BL_STR("Prefer: modes=snapshot");

	headers[0] = line.ptr;
	if (line.ptr && sync->state->etag.len) {
		line = bl_arena_printf(sync->arena, "If-None-Match: %.*s",
				       BL_STR_ARG(sync->state->etag));
		headers[1] = line.ptr;
	}
	return line.ptr ? BL_OK : bl_arena_fail(sync->arena, sync->err);
}

static int64_t seconds_of(struct bl_str text)
{
	int64_t seconds = 0;

	for (size_t i = 0; i < text.len && seconds < MAX_RETRY_AFTER_S; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return 0;
		seconds = seconds * 10 + (text.ptr[i] - '0');
	}
	return seconds < MAX_RETRY_AFTER_S ? seconds : MAX_RETRY_AFTER_S;
}

static enum bl_status judge_end(struct opa_sync *sync,
				const struct bl_http_reply *reply)
{
	if (reply->end == BL_HTTP_TOO_MUCH)
		return opa_refuse(sync, BL_TEAM_REFUSED_CONTENT,
				  "the bundle has more than %d bytes",
				  (int)BL_OPA_MAX_BUNDLE_BYTES);
	if (reply->end == BL_HTTP_BROKEN)
		return opa_refuse(sync, BL_TEAM_INCOMPLETE,
				  "the answer was cut short: %s", reply->error);
	return opa_refuse(sync, BL_TEAM_UNREACHABLE, "%.*s: %s",
			  BL_STR_ARG(sync->state->url), reply->error);
}

enum bl_status opa_judge_failure(struct opa_sync *sync,
				 const struct bl_http_reply *reply)
{
	if (reply->end != BL_HTTP_ANSWERED)
		return judge_end(sync, reply);
	sync->retry_after_s =
		seconds_of(bl_team_header(reply->head, "retry-after"));
	if (reply->status == HTTP_UNAUTHORIZED ||
	    reply->status == HTTP_FORBIDDEN)
		return opa_refuse(sync, BL_TEAM_TOKEN_REVOKED,
				  "%.*s answers with status %d: see "
				  "credentials of the service %.*s",
				  BL_STR_ARG(sync->state->url), reply->status,
				  BL_STR_ARG(sync->config->service->name));
	return opa_refuse(sync, BL_TEAM_UNREACHABLE,
			  "%.*s answers with status %d",
			  BL_STR_ARG(sync->state->url), reply->status);
}

static enum bl_status judge(struct opa_sync *sync,
			    const struct bl_http_reply *reply)
{
	struct bl_str type;

	if (reply->end != BL_HTTP_ANSWERED)
		return judge_end(sync, reply);
	type = bl_team_header(reply->head, "content-type");
	sync->state->is_long_poll =
		bl_str_has_prefix(type, BL_STR(LONG_POLL_TYPE));
	if (reply->status == HTTP_NOT_MODIFIED && sync->state->etag.len) {
		sync->is_unmodified = true;
		return BL_OK;
	}
	if (reply->status != HTTP_OK)
		return opa_judge_failure(sync, reply);
	sync->archive = reply->body;
	sync->etag = bl_arena_copy_str(sync->arena,
				       bl_team_header(reply->head, "etag"));
	return sync->etag.ptr || !sync->etag.len
		       ? BL_OK
		       : bl_arena_fail(sync->arena, sync->err);
}

static enum bl_status fetch_over_http(struct opa_sync *sync)
{
	const char *headers[3] = { NULL };
	struct opa_request request = {
		.service = sync->config->service,
		.resource = sync->config->resource,
		.method = "GET",
		.headers = headers,
		.max_bytes = BL_OPA_MAX_BUNDLE_BYTES,
		.timeout_ms = TIMEOUT_MS,
	};
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status = make_headers(sync, headers);

	if (sync->client->is_following)
		request.timeout_ms +=
			(uint32_t)sync->config->long_poll_s * SECOND_MS;
	if (!status)
		status = opa_call(sync->client, &request, sync->arena, &reply,
				  sync->err);
	return status ? status : judge(sync, &reply);
}

enum bl_status opa_fetch(struct opa_sync *sync)
{
	sync->result = BL_TEAM_UNREACHABLE;
	return sync->config->service->is_oci ? opa_oci_fetch(sync)
					     : fetch_over_http(sync);
}

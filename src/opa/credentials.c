/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials.c: the headers that show a service who asks: a token, one that an
 * authorization server gives for a client's name and secret (RFC 6749, 4.4), or a
 * signature that an object store reads.  No secret is in an error's text.
 */
#include "opa/private.h"

#include "base/base64.h"

#include <time.h>

enum {
	TOKEN_TIMEOUT_MS = 30 * 1000,
	MAX_ANSWER_BYTES = 256 * 1024,
	LEAST_LIFE_S = 10, /* of a token that is still shown */
	USUAL_LIFE_S = 60, /* when the server does not say */
	HTTP_OK = 200,
};

static enum bl_status add(struct opa_asker *to, struct bl_str line)
{
	if (!line.ptr)
		return bl_arena_fail(to->arena, to->err);
	to->headers[(*to->count)++] = line.ptr;
	return BL_OK;
}

static struct bl_str base64_of(struct bl_str text, struct bl_arena *arena)
{
	struct bl_buf out;
	struct bl_str copy = { NULL, 0 };

	bl_buf_init(&out, 0);
	bl_base64_put(&out, text, 0);
	if (!bl_buf_status(&out))
		copy = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return copy;
}

struct bl_str opa_basic_header(struct bl_str text, struct bl_arena *arena)
{
	struct bl_str encoded = base64_of(text, arena);

	return encoded.ptr ? bl_arena_printf(arena, "Authorization: Basic %.*s",
					     BL_STR_ARG(encoded))
			   : encoded;
}

/* ---- bearer --------------------------------------------------------------------- */

static enum bl_status read_token(const struct bl_opa_service *service,
				 struct bl_arena *arena, struct bl_str *out,
				 struct bl_error *err)
{
	enum bl_status status;

	*out = service->token;
	if (!service->token_path.len)
		return BL_OK;
	status = bl_os_read_file(service->token_path, 0, BL_OPA_MAX_TOKEN_BYTES,
				 arena, out, NULL, err);
	if (status)
		return status;
	*out = bl_str_trim(*out);
	/* A registry gets it in base64. */
	if (!service->is_oci && !opa_is_one_word(*out))
		return bl_fail(err, BL_INVALID,
			       "%.*s is not a token in one word",
			       BL_STR_ARG(service->token_path));
	return BL_OK;
}

static enum bl_status add_bearer(struct opa_asker *to)
{
	const struct bl_opa_service *service = to->request->service;
	struct bl_str token;
	enum bl_status status = read_token(service, to->arena, &token, to->err);

	if (status || !token.len)
		return status;
	/* OPA encodes what it shows a registry, whatever the scheme. */
	if (service->is_oci)
		token = base64_of(token, to->arena);
	if (!token.ptr)
		return bl_arena_fail(to->arena, to->err);
	return add(to, bl_arena_printf(to->arena, "Authorization: %.*s %.*s",
				       BL_STR_ARG(service->scheme),
				       BL_STR_ARG(token)));
}

/* ---- oauth2 --------------------------------------------------------------------- */

static struct bl_str form_of(const struct bl_opa_service *service,
			     struct bl_arena *arena)
{
	struct bl_str form = { NULL, 0 };
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_puts(&out, "grant_type=client_credentials");
	if (service->scopes.len) {
		bl_buf_puts(&out, "&scope=");
		bl_http_put_escaped(&out, service->scopes);
	}
	if (!bl_buf_status(&out))
		form = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return form;
}

static enum bl_status take_token(struct opa_asker *to,
				 const struct bl_http_reply *reply)
{
	const struct bl_opa_service *service = to->request->service;
	struct bl_opa_token *cached = service->cached;
	struct bl_value answer = bl_value_undefined();
	int64_t life = USUAL_LIFE_S;
	struct bl_str token;

	if (reply->end != BL_HTTP_ANSWERED)
		return bl_fail(to->err, BL_SYSTEM, "%.*s: %s",
			       BL_STR_ARG(service->token_url), reply->error);
	if (reply->status != HTTP_OK)
		return bl_fail(to->err, BL_DENIED,
			       "%.*s answers with status %d: see "
			       "credentials.oauth2 of the service %.*s",
			       BL_STR_ARG(service->token_url), reply->status,
			       BL_STR_ARG(service->name));
	(void)bl_json_read(to->arena, reply->body, NULL, &answer, NULL, NULL,
			   to->err);
	token = bl_value_text(bl_object_find(answer, BL_STR("access_token")));
	if (!token.len || token.len > BL_OPA_MAX_TOKEN_BYTES ||
	    !opa_is_one_word(token))
		return bl_fail(to->err, BL_INVALID,
			       "%.*s: the answer holds no access_token",
			       BL_STR_ARG(service->token_url));
	(void)bl_number_is_plain(bl_object_find(answer, BL_STR("expires_in")),
				 &life);
	memcpy(cached->text, token.ptr, token.len);
	cached->text[token.len] = '\0';
	cached->until = bl_os_wall_ms() / 1000 + life;
	return BL_OK;
}

static enum bl_status ask_for_token(struct opa_asker *to)
{
	const struct bl_opa_service *service = to->request->service;
	struct bl_str both = bl_arena_printf(
		to->arena, "%.*s:%.*s", BL_STR_ARG(service->client_id),
		BL_STR_ARG(service->client_secret));
	struct bl_str basic =
		both.ptr ? opa_basic_header(both, to->arena) : both;
	const char *const headers[] = {
		"Content-Type: application/x-www-form-urlencoded",
		"Accept: application/json", NULL
	};
	struct opa_request request = {
		.service = service,
		.url = service->token_url,
		.authorization = basic.ptr,
		.method = "POST",
		.body = form_of(service, to->arena),
		.headers = headers,
		.max_bytes = MAX_ANSWER_BYTES,
		.timeout_ms = TOKEN_TIMEOUT_MS,
	};
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status;

	if (!basic.ptr || !request.body.ptr)
		return bl_arena_fail(to->arena, to->err);
	status = opa_call(to->client, &request, to->arena, &reply, to->err);
	return status ? status : take_token(to, &reply);
}

static enum bl_status add_oauth2(struct opa_asker *to)
{
	const struct bl_opa_token *cached = to->request->service->cached;
	enum bl_status status = BL_OK;

	if (cached->until < bl_os_wall_ms() / 1000 + LEAST_LIFE_S)
		status = ask_for_token(to);
	return status ? status
		      : add(to, bl_arena_printf(to->arena,
						"Authorization: Bearer %s",
						cached->text));
}

void opa_forget_token(const struct bl_opa_service *service)
{
	if (service->cached)
		service->cached->until = 0;
}

/* ---- s3_signing ------------------------------------------------------------------- */

static bool date_now(char out[sizeof("20130524T000000Z")])
{
	time_t seconds = (time_t)(bl_os_wall_ms() / 1000);
	struct tm tm;

	return gmtime_r(&seconds, &tm) &&
	       strftime(out, sizeof("20130524T000000Z"), "%Y%m%dT%H%M%SZ", &tm);
}

/* HOST and PATH of http[s]://HOST[:PORT]/PATH */
static void split_url(struct bl_str url, struct bl_sigv4 *out,
		      struct bl_str *host)
{
	size_t scheme = bl_str_find(url, BL_STR("://"), 0);
	size_t slash;

	url = bl_str_slice(url, scheme == SIZE_MAX ? 0 : scheme + 3, SIZE_MAX);
	slash = bl_str_find(url, BL_STR("/"), 0);
	*host = bl_str_slice(url, 0, slash);
	out->path = slash == SIZE_MAX ? BL_STR("/")
				      : bl_str_slice(url, slash, SIZE_MAX);
}

static enum bl_status read_environment(struct opa_asker *to,
				       struct bl_sigv4 *out,
				       struct bl_str *session)
{
	*session = bl_os_getenv("AWS_SESSION_TOKEN");
	out->key = bl_os_getenv("AWS_ACCESS_KEY_ID");
	out->secret = bl_os_getenv("AWS_SECRET_ACCESS_KEY");
	out->region = bl_os_getenv("AWS_REGION");
	return out->key.len && out->secret.len && out->region.len
		       ? BL_OK
		       : bl_fail(to->err, BL_CONFIG,
				 "the service %.*s has s3_signing: set "
				 "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
				 "AWS_REGION in the environment",
				 BL_STR_ARG(to->request->service->name));
}

static enum bl_status add_authorization(struct opa_asker *to,
					const struct bl_sigv4 *what)
{
	enum bl_status status;
	struct bl_str line;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_puts(&out, "Authorization: ");
	if (bl_sigv4_put(&out, what)) {
		line = bl_arena_copy_str(to->arena, bl_buf_str(&out));
		status = add(to, line);
	} else {
		status = bl_fail_memory(to->err);
	}
	bl_buf_clear(&out);
	return status;
}

static enum bl_status add_signature(struct opa_asker *to)
{
	enum { HOST, CONTENT, DATE, SESSION, HEADERS };
	char date[sizeof("20130524T000000Z")] = "";
	char hash[BL_SHA256_HEX_BYTES];
	struct bl_sigv4_header headers[HEADERS] = {
		[HOST] = { BL_STR("host"), { NULL, 0 } },
		[CONTENT] = { BL_STR("x-amz-content-sha256"), { NULL, 0 } },
		[DATE] = { BL_STR("x-amz-date"), { NULL, 0 } },
		[SESSION] = { BL_STR("x-amz-security-token"), { NULL, 0 } },
	};
	struct bl_sigv4 what = {
		.method = bl_str(to->request->method),
		.headers = headers,
		.service = to->request->service->aws_service,
	};
	enum bl_status status =
		read_environment(to, &what, &headers[SESSION].value);

	if (status)
		return status;
	if (!date_now(date))
		return bl_fail(to->err, BL_SYSTEM, "the clock has no date");
	bl_sha256_hex(to->request->body, hash);
	split_url(to->url, &what, &headers[HOST].value);
	what.content_hash = headers[CONTENT].value = bl_str(hash);
	what.date = headers[DATE].value = bl_str(date);
	what.header_count = headers[SESSION].value.len ? HEADERS : SESSION;
	status = add_authorization(to, &what);
	for (size_t i = CONTENT; !status && i < what.header_count; i++)
		status = add(to, bl_arena_printf(to->arena, "%.*s: %.*s",
						 BL_STR_ARG(headers[i].name),
						 BL_STR_ARG(headers[i].value)));
	return status;
}

/* ---- all kinds -------------------------------------------------------------------- */

static enum bl_status add_nothing(struct opa_asker *to)
{
	(void)to;
	return BL_OK;
}

static enum bl_status (*const kinds[])(struct opa_asker *to) = {
	[BL_OPA_ANONYMOUS] = add_nothing,
	[BL_OPA_BEARER] = add_bearer,
	[BL_OPA_OAUTH2] = add_oauth2,
	[BL_OPA_S3_SIGNING] = add_signature,
};

enum bl_status opa_add_credentials(struct opa_asker *to)
{
	const struct opa_request *request = to->request;

	if (request->authorization) {
		to->headers[(*to->count)++] = request->authorization;
		return BL_OK;
	}
	return request->url.len && !request->is_shown
		       ? BL_OK
		       : kinds[request->service->credentials](to);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c: one request to the team's server, and the states that come of its answers.
 * The token is in a header of the request and nowhere else.
 */
#include "team/client/private.h"

#include "base/ascii.h"
#include "base/calendar.h"

enum {
	TIMEOUT_MS = 30 * 1000,
	MAX_CA_BYTES = 1024 * 1024,
	MAX_RETRY_AFTER_S = 24 * 3600,
};

enum bl_status bl_team_check_server(struct bl_str server,
				    struct bl_arena *arena,
				    struct bl_str *out_server,
				    struct bl_error *err)
{
	struct bl_http_url url;
	struct bl_str base = server;
	enum bl_status status;

	while (base.len && base.ptr[base.len - 1] == '/')
		base.len--;
	base = bl_arena_copy_str(arena, base);
	if (!base.ptr)
		return bl_arena_fail(arena, err);
	status = bl_http_url_parse(base, arena, &url, err);
	if (!status && memchr(base.ptr, '?', base.len))
		status = bl_fail(err, BL_INVALID,
				 "the server's address has a query");
	if (!status)
		*out_server = base;
	return status;
}

enum bl_status team_session_begin(struct team_session *session)
{
	struct bl_str file = session->account->ca_file;

	session->ca = (struct bl_str){ NULL, 0 };
	if (!file.len)
		return BL_OK;
	return bl_os_read_file(file, 0, MAX_CA_BYTES, session->arena,
			       &session->ca, NULL, session->err);
}

/* ---- headers -------------------------------------------------------------------- */

static bool begins_with(struct bl_str line, const char *name)
{
	size_t len = strlen(name);

	if (line.len <= len || line.ptr[len] != ':')
		return false;
	for (size_t i = 0; i < len; i++)
		if (bl_ascii_lower(line.ptr[i]) != name[i])
			return false;
	return true;
}

struct bl_str bl_team_header(struct bl_str head, const char *name)
{
	size_t at = 0;

	while (at < head.len) {
		size_t end = bl_str_find(head, BL_STR("\n"), at);
		struct bl_str line = bl_str_slice(head, at, end);

		if (begins_with(line, name))
			return bl_str_trim(
				bl_str_slice(line, strlen(name) + 1, SIZE_MAX));
		if (end == SIZE_MAX)
			break;
		at = end + 1;
	}
	return (struct bl_str){ NULL, 0 };
}

static bool number_at(struct bl_str text, size_t at, size_t digits,
		      int64_t *out)
{
	int64_t number = 0;

	for (size_t i = at; i < at + digits; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		number = number * 10 + (text.ptr[i] - '0');
	}
	*out = number;
	return true;
}

int64_t team_http_time(struct bl_str text)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	enum { LENGTH = 29, MONTH_LETTERS = 3 };
	int64_t day, year, hour, minute, second;

	if (text.len != LENGTH || !bl_str_has_suffix(text, BL_STR(" GMT")) ||
	    !number_at(text, 5, 2, &day) || !number_at(text, 12, 4, &year) ||
	    !number_at(text, 17, 2, &hour) ||
	    !number_at(text, 20, 2, &minute) ||
	    !number_at(text, 23, 2, &second) || year < 1970)
		return 0;
	for (int month = 1; month <= 12; month++)
		if (!memcmp(months + (size_t)(month - 1) * MONTH_LETTERS,
			    text.ptr + 8, MONTH_LETTERS))
			return bl_days_from_civil(year, month, day) * 86400 +
			       hour * 3600 + minute * 60 + second;
	return 0;
}

/* ---- calls ---------------------------------------------------------------------- */

enum { MAX_HEADERS = 6 };

static bool add_header(struct bl_arena *arena, const char **headers,
		       const char *name, struct bl_str value)
{
	size_t at = 0;

	while (headers[at])
		at++;
	headers[at] =
		bl_arena_printf(arena, "%s: %.*s", name, BL_STR_ARG(value)).ptr;
	return headers[at] != NULL;
}

static bool make_headers(struct team_session *session,
			 const struct team_request *request,
			 const char **headers)
{
	struct bl_arena *arena = session->arena;
	struct bl_str bearer = { NULL, 0 };
	bool ok = add_header(arena, headers, "User-Agent",
			     BL_STR("belay/" BELAY_VERSION));

	if (session->token.len) {
		bearer = bl_arena_printf(arena, "Bearer %.*s",
					 BL_STR_ARG(session->token));
		ok = ok && bearer.ptr &&
		     add_header(arena, headers, "Authorization", bearer);
	}
	if (request->etag.len)
		ok = ok &&
		     add_header(arena, headers, "If-None-Match", request->etag);
	if (request->type)
		ok = ok && add_header(arena, headers, "Content-Type",
				      bl_str(request->type));
	if (request->encoding)
		ok = ok && add_header(arena, headers, "Content-Encoding",
				      bl_str(request->encoding));
	return ok;
}

/* A body's message, as Connect's errors have it; empty: another body. */
static struct bl_str message_of(struct team_session *session,
				struct bl_str body)
{
	struct bl_json_options options = { .max_depth = 16 };
	struct bl_value value;

	if (bl_json_read(session->arena, body, &options, &value, NULL, NULL,
			 NULL))
		return (struct bl_str){ NULL, 0 };
	return bl_value_text(bl_object_find(value, BL_STR("message")));
}

static enum bl_status fail(struct team_session *session,
			   enum bl_team_state state, const char *what,
			   struct bl_str detail)
{
	session->state = state;
	return bl_fail(session->err, BL_SYSTEM, "%.*s: %s%s%.*s",
		       BL_STR_ARG(session->account->server), what,
		       detail.len ? ": " : "", BL_STR_ARG(detail));
}

static void note_times(struct team_session *session, struct bl_str head)
{
	struct bl_str retry = bl_team_header(head, "retry-after");
	struct bl_value number;
	int64_t seconds;

	session->server_time = team_http_time(bl_team_header(head, "date"));
	if (retry.len && !bl_number_from_text(retry, &number) &&
	    bl_number_is_plain(number, &seconds) && seconds > 0)
		session->retry_after_s = seconds < MAX_RETRY_AFTER_S
						 ? seconds
						 : MAX_RETRY_AFTER_S;
}

static enum bl_status judge(struct team_session *session,
			    const struct bl_http_reply *reply)
{
	struct bl_str message;

	if (reply->end == BL_HTTP_TOO_MUCH)
		return fail(session, BL_TEAM_INCOMPLETE,
			    "the answer is longer than it may be",
			    (struct bl_str){ NULL, 0 });
	if (reply->end == BL_HTTP_BROKEN)
		return fail(session, BL_TEAM_INCOMPLETE,
			    "the answer was cut short", bl_str(reply->error));
	if (reply->end != BL_HTTP_ANSWERED)
		return fail(session,
			    reply->is_too_early ? BL_TEAM_CLOCK_WRONG
						: BL_TEAM_UNREACHABLE,
			    "it could not be reached", bl_str(reply->error));
	note_times(session, reply->head);
	message = message_of(session, reply->body);
	if (reply->status == 401)
		return fail(session,
			    bl_str_is(message, "expired")
				    ? BL_TEAM_TOKEN_EXPIRED
				    : BL_TEAM_TOKEN_REVOKED,
			    "the token was refused", message);
	if (reply->status == 429 || reply->status >= 500)
		return fail(session, BL_TEAM_UNREACHABLE,
			    reply->status == 429 ? "it asks to wait"
						 : "it has trouble of its own",
			    message);
	return BL_OK;
}

enum bl_status team_call(struct team_session *session,
			 const struct team_request *request,
			 struct bl_http_reply *out)
{
	const char *headers[MAX_HEADERS + 1] = { NULL };
	struct bl_str url =
		bl_arena_printf(session->arena, "%.*s%.*s",
				BL_STR_ARG(session->account->server),
				BL_STR_ARG(request->path));
	struct bl_http_call call = {
		.method = request->method,
		.url = url.ptr,
		.headers = headers,
		.body = request->body,
		.timeout_ms = TIMEOUT_MS,
		.max_answer_bytes = request->max_bytes,
		.ca = session->ca,
	};
	enum bl_status status;

	session->state = BL_TEAM_UNREACHABLE;
	if (!url.ptr || !make_headers(session, request, headers))
		return bl_arena_fail(session->arena, session->err);
	status = bl_http_exchange(session->client->http, &call, session->arena,
				  out, session->err);
	return status ? status : judge(session, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c: the secrets of one run, and the checks that every request passes.
 * Apart from routes.c because each line of it is a defence: against other
 * users and programs of this machine (the secrets), pages of other sites (the
 * origin), and names of other sites that lead to this address (the host).
 */
#include "base/hex.h"
#include "ui/app.h"

#include <stdio.h>

static enum bl_status make_secret(char out[UI_SECRET_BYTES],
				  struct bl_error *err)
{
	uint8_t bytes[(UI_SECRET_BYTES - 1) / 2];
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);

	if (!status)
		bl_hex_encode(bytes, sizeof(bytes), out);
	explicit_bzero(bytes, sizeof(bytes));
	return status;
}

enum bl_status session_init(struct session *session, struct bl_error *err)
{
	enum bl_status status = make_secret(session->token, err);

	atomic_init(&session->is_begun, false);
	if (!status)
		status = make_secret(session->cookie, err);
	if (!status)
		status = make_secret(session->key, err);
	return status;
}

void session_set_address(struct session *session, const char *address)
{
	const char *port = strrchr(address, ':');

	snprintf(session->cookie_name, sizeof(session->cookie_name),
		 "belay-ui-%s", port ? port + 1 : "");
	snprintf(session->origin, sizeof(session->origin), "http://%s",
		 address);
}

/* By digests, so that the time tells nothing about the secret. */
static bool is_secret(struct bl_str given, const char *secret)
{
	char of_given[BL_SHA256_HEX_BYTES];
	char of_secret[BL_SHA256_HEX_BYTES];

	bl_sha256_hex(given, of_given);
	bl_sha256_hex(bl_str(secret), of_secret);
	return !memcmp(of_given, of_secret, sizeof(of_given));
}

bool session_is_host(const struct session *session,
		     const struct bl_server_request *request)
{
	return session->origin[0] &&
	       bl_str_is(bl_server_header(request, "Host"),
			 session->origin + strlen("http://"));
}

bool session_is_origin(const struct session *session,
		       const struct bl_server_request *request, bool is_change)
{
	struct bl_str site = bl_server_header(request, "Sec-Fetch-Site");
	struct bl_str origin = bl_server_header(request, "Origin");

	if (site.ptr && !bl_str_is(site, "same-origin"))
		return false;
	return origin.ptr ? bl_str_is(origin, session->origin) : !is_change;
}

bool session_is_ours(const struct session *session,
		     const struct bl_server_request *request)
{
	struct bl_str cookie = bl_server_cookie(request, session->cookie_name);
	struct bl_str key = bl_server_header(request, "X-Belay-Key");
	bool has_cookie = is_secret(cookie, session->cookie);
	bool has_key = is_secret(key, session->key);

	return atomic_load(&session->is_begun) && has_cookie && has_key;
}

/* POST /api/session: the link's token, once, for the two halves of a session. */
enum bl_status route_begin(struct call *call)
{
	struct session *session = &call->app->session;
	struct bl_str cookie;

	if (!is_secret(call_text(call, "token"), session->token))
		return bl_fail(&call->err, BL_DENIED,
			       "this link is not, or no longer, good: run "
			       "'belay ui' again");
	if (atomic_exchange(&session->is_begun, true)) {
		/* Somebody else has it, and nobody knows who came first. */
		atomic_store(&call->app->is_stolen, true);
		bl_server_stop(call->app->server);
		return bl_fail(&call->err, BL_DENIED,
			       "this link was used already, so belay ui has "
			       "ended: run it again");
	}
	cookie = bl_arena_printf(call->arena,
				 "%s=%s; Path=/api; HttpOnly; SameSite=Strict",
				 session->cookie_name, session->cookie);
	if (!cookie.ptr)
		return bl_fail_memory(&call->err);
	bl_server_reply_header(call->reply, "Set-Cookie", cookie.ptr);
	atomic_store(&call->app->last_ns, bl_os_monotonic_ns());
	bl_buf_printf(&call->out, "{\"key\":\"%s\"}\n", session->key);
	return call_send_json(call);
}

/* DELETE /api/session: the person is done, and so is the program. */
enum bl_status route_end(struct call *call)
{
	bl_server_stop(call->app->server);
	bl_buf_puts(&call->out, "{}\n");
	return call_send_json(call);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c: a person enrols the machine at hand without typing a secret (RFC
 * 8628): the machine shows eight letters, the person confirms them on the pages,
 * the machine polls until then.
 */
#include "server/app.h"

#include "server/enrol.h"

enum {
	CODE_LETTERS = 8,
	EXPIRES_SECONDS = 600,
	INTERVAL_SECONDS = 5,
};

/* No vowels, so no words; none that looks like another. */
static const char letters[] = "BCDFGHJKLMNPQRSTVWXZ";

static enum bl_status make_user_code(char out[CODE_LETTERS + 1],
				     struct bl_error *err)
{
	size_t len = 0;

	while (len < CODE_LETTERS) {
		uint8_t byte;
		enum bl_status status = bl_os_random(&byte, 1, err);

		if (status)
			return status;
		/* 240 is a multiple of 20: each letter is as likely. */
		if (byte < 240)
			out[len++] = letters[byte % 20];
	}
	out[len] = '\0';
	return BL_OK;
}

/* Upper case, without what people put between; then its hash. */
static void hash_user_code(struct bl_str typed, char out[BL_SHA256_HEX_BYTES])
{
	char plain[CODE_LETTERS + 1] = { 0 };
	size_t len = 0;

	for (size_t i = 0; i < typed.len && len < CODE_LETTERS; i++) {
		char c = typed.ptr[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (c >= 'A' && c <= 'Z')
			plain[len++] = c;
	}
	bl_sha256_hex((struct bl_str){ plain, len }, out);
}

static struct bl_str public_url(struct call *call)
{
	struct bl_str url = call->app->options.public_url;

	return url.len ? url
		       : bl_arena_printf(call->arena, "http%s://%s",
					 call->app->is_secure ? "s" : "",
					 bl_server_address(call->app->server));
}

/* POST /v1/device, a form */
enum bl_status route_device(struct call *call)
{
	struct bl_str form = call->request->body;
	struct bl_str host = enrol_clean_name(
		call->arena, bl_server_field(call->request, form, "host"));
	struct bl_str user = enrol_clean_name(
		call->arena, bl_server_field(call->request, form, "user"));
	char code[APP_TOKEN_BYTES];
	char hash[BL_SHA256_HEX_BYTES];
	char user_code[CODE_LETTERS + 1];
	char user_hash[BL_SHA256_HEX_BYTES];
	char ip[BL_IP_TEXT_BYTES];
	struct bl_str url = public_url(call);
	enum bl_status status = token_make('d', code, hash, &call->err);

	if (!status)
		status = make_user_code(user_code, &call->err);
	if (status)
		return status;
	hash_user_code(bl_str(user_code), user_hash);
	bl_ip_print(&call->request->peer, ip);
	status = call_run(
		call,
		BL_DB_QUERY(
			"INSERT INTO device (hash, user_hash, name, place, "
			"created, expires, wait_ms, state) VALUES ($1, $2, $3, "
			"$4, $5, $6, $7, 'pending')",
			bl_db_text(bl_str(hash)), bl_db_text(bl_str(user_hash)),
			bl_db_text(host),
			bl_db_text(bl_arena_printf(call->arena, "%.*s from %s",
						   BL_STR_ARG(user), ip)),
			bl_db_integer(call->now_ms),
			bl_db_integer(call->now_ms +
				      (int64_t)EXPIRES_SECONDS * SECOND_MS),
			bl_db_integer((int64_t)INTERVAL_SECONDS * SECOND_MS)),
		NULL);
	if (status)
		return status;
	bl_buf_printf(&call->out,
		      "{\"device_code\":\"%s\",\"user_code\":\"%.4s-%s\","
		      "\"verification_uri\":\"%.*s/device\","
		      "\"verification_uri_complete\":\"%.*s/device#%.4s-%s\","
		      "\"expires_in\":%d,\"interval\":%d}\n",
		      code, user_code, user_code + 4, BL_STR_ARG(url),
		      BL_STR_ARG(url), user_code, user_code + 4,
		      EXPIRES_SECONDS, INTERVAL_SECONDS);
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return call_send_json(call);
}

/* {"error": WORD} with 400, which is not a failure of the transaction. */
static enum bl_status put_oauth_error(struct call *call, const char *word)
{
	call->reply->status = 400;
	bl_buf_printf(&call->out, "{\"error\":\"%s\"}\n", word);
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return call_send_json(call);
}

/* Not yet: notes the poll, and slows down one that comes too often. */
static enum bl_status put_pending(struct call *call, const char *hash,
				  const struct bl_rows *rows)
{
	int64_t polled = bl_rows_integer(rows, 0, 4);
	int64_t wait_ms = bl_rows_integer(rows, 0, 5);
	/* A second early is the network's doing. */
	bool is_early = polled && call->now_ms - polled < wait_ms - SECOND_MS;
	enum bl_status status;

	if (is_early)
		wait_ms += (int64_t)INTERVAL_SECONDS * SECOND_MS;
	status = call_run(call,
			  BL_DB_QUERY("UPDATE device SET polled = $1, wait_ms "
				      "= $2 WHERE hash = $3",
				      bl_db_integer(call->now_ms),
				      bl_db_integer(wait_ms),
				      bl_db_text(bl_str(hash))),
			  NULL);
	return status ? status
		      : put_oauth_error(call,
					is_early ? "slow_down"
						 : "authorization_pending");
}

/* Confirmed: the code is spent, the machine enrolled. */
static enum bl_status take_code(struct call *call, const char *hash,
				const struct bl_rows *rows)
{
	struct enrol_wish wish = { .name = bl_rows_text(rows, 0, 0),
				   .labels = BL_STR("[]"),
				   .by = bl_rows_text(rows, 0, 3),
				   .token_name = "access_token" };
	uint64_t spent = 0;
	enum bl_status status =
		call_run(call,
			 BL_DB_QUERY("DELETE FROM device WHERE hash = $1",
				     bl_db_text(bl_str(hash))),
			 &spent);

	if (status)
		return status;
	/* Another request was faster. */
	return spent ? enrol_machine(call, &wish)
		     : put_oauth_error(call, "invalid_grant");
}

/* POST /v1/token, a form */
enum bl_status route_device_token(struct call *call)
{
	struct bl_str form = call->request->body;
	struct bl_str grant =
		bl_server_field(call->request, form, "grant_type");
	char hash[BL_SHA256_HEX_BYTES];
	struct bl_rows rows;
	struct bl_str state;
	enum bl_status status;

	if (!bl_str_is(grant, "urn:ietf:params:oauth:grant-type:device_code"))
		return put_oauth_error(call, grant.len
						     ? "unsupported_grant_type"
						     : "invalid_request");
	if (!token_is_whole(bl_server_field(call->request, form, "device_code"),
			    hash))
		return put_oauth_error(call, "invalid_grant");
	status = call_ask(call,
			  BL_DB_QUERY("SELECT name, state, expires, person, "
				      "polled, wait_ms FROM device WHERE hash "
				      "= $1",
				      bl_db_text(bl_str(hash))),
			  &rows);
	if (status)
		return status;
	if (!rows.count)
		return put_oauth_error(call, "invalid_grant");
	if (call->now_ms >= bl_rows_integer(&rows, 0, 2))
		return put_oauth_error(call, "expired_token");
	state = bl_rows_text(&rows, 0, 1);
	if (bl_str_is(state, "denied"))
		return put_oauth_error(call, "access_denied");
	return bl_str_is(state, "granted") ? take_code(call, hash, &rows)
					   : put_pending(call, hash, &rows);
}

/* POST /api/device {"user_code"}: who asks, before it is confirmed. */
enum bl_status route_device_look(struct call *call)
{
	char hash[BL_SHA256_HEX_BYTES];
	struct bl_rows rows;
	enum bl_status status;

	hash_user_code(call_text(call, "user_code"), hash);
	status = call_ask(call,
			  BL_DB_QUERY("SELECT name, place, created, state FROM "
				      "device WHERE user_hash = $1 AND expires "
				      "> $2",
				      bl_db_text(bl_str(hash)),
				      bl_db_integer(call->now_ms)),
			  &rows);
	if (!status && !rows.count)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "no machine shows this code");
	if (status)
		return status;
	app_put_row(&call->out, &rows, 0, "name,place,created#,state");
	return call_send_json(call);
}

/* POST /api/device/answer {"user_code", "answer": "grant" or "deny"} */
enum bl_status route_device_answer(struct call *call)
{
	struct bl_str answer = call_text(call, "answer");
	bool grants = bl_str_is(answer, "grant");
	char hash[BL_SHA256_HEX_BYTES];
	uint64_t changed = 0;
	enum bl_status status;

	if (!grants && !bl_str_is(answer, "deny"))
		return bl_fail(&call->err, BL_INVALID,
			       "answer is not one of grant, deny");
	hash_user_code(call_text(call, "user_code"), hash);
	status = call_run(
		call,
		BL_DB_QUERY("UPDATE device SET state = $1, person = $2 WHERE "
			    "user_hash = $3 AND state = 'pending' AND expires "
			    "> $4",
			    bl_db_text(grants ? BL_STR("granted")
					      : BL_STR("denied")),
			    bl_db_text(call->who->name),
			    bl_db_text(bl_str(hash)),
			    bl_db_integer(call->now_ms)),
		&changed);
	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "no machine shows this code");
	if (!status)
		status =
			audit_add(call, grants ? "device.grant" : "device.deny",
				  BL_STR(""), BL_STR(""));
	return status ? status : call_send_member(call, "answer", answer);
}

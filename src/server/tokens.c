/* SPDX-License-Identifier: Apache-2.0 */
/* tokens.c: who may come in: tokens of people and machines, and sessions. */
#include "server/session.h"

#include <stdio.h>

enum { MAX_NAME = 128, MAX_DAYS = 3650, SESSION_HOURS = 24, MAX_USES = 100000 };

/* GET /api/tokens: without sessions, which come and go. */
enum bl_status route_tokens(struct call *call)
{
	return call_list(
		call, "tokens",
		BL_DB_PLAIN("SELECT id, kind, name, role, machine, labels, "
			    "uses_left, created, created_by, expires, "
			    "last_used, revoked FROM token WHERE kind <> 's' "
			    "ORDER BY created DESC LIMIT 1000"),
		"id,kind,name,role,machine,labels!,uses_left#,created#,"
		"created_by,expires#,last_used#,revoked#");
}

/* A name comes into logs and other people's pages. */
static bool is_name(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return false;
	return text.len && text.len <= MAX_NAME;
}

static enum bl_status fill_row(struct call *call, struct token_row *row)
{
	struct bl_str kind = call_text(call, "kind");
	bool is_enrolment = bl_str_is(kind, "enrolment");
	int64_t days = call_integer(call, "days", is_enrolment ? 1 : 90);

	*row = (struct token_row){
		.kind = is_enrolment ? 'e' : 'p',
		.name = call_text(call, "name"),
		.role = is_enrolment ? ROLE_MACHINE
				     : app_role_find(call_text(call, "role")),
		.uses = is_enrolment ? call_integer(call, "uses", 1) : 0,
		.created_by = call->who->name,
	};
	if (!is_enrolment && !bl_str_is(kind, "person"))
		return bl_fail(&call->err, BL_INVALID,
			       "kind is not one of person, enrolment");
	if (!is_name(row->name))
		return bl_fail(&call->err, BL_INVALID,
			       "a token has a name of 1 to %d bytes, without "
			       "line ends and the like",
			       MAX_NAME);
	if (!is_enrolment && !(row->role & ROLE_PEOPLE))
		return bl_fail(&call->err, BL_INVALID,
			       "role is not one of admin, editor, auditor");
	if (days < 1 || days > MAX_DAYS || row->uses < 0 ||
	    row->uses > MAX_USES || (is_enrolment && !row->uses))
		return bl_fail(&call->err, BL_INVALID,
			       "days is 1 to %d, uses 1 to %d", MAX_DAYS,
			       MAX_USES);
	row->expires = call->now_ms + days * DAY_MS;
	return app_check_labels(call->arena,
				bl_object_find(call->body, BL_STR("labels")),
				&row->labels, &call->err);
}

/* The root's digest behind an enrolment token: the first use is not blind. */
static enum bl_status put_root(struct call *call, char digest[66])
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_PLAIN("SELECT document FROM root WHERE version = 1"),
		&rows);

	digest[0] = '#';
	if (!status)
		bl_sha256_hex(bl_rows_text(&rows, 0, 0), digest + 1);
	return status;
}

/* POST /api/tokens {"kind", "name", "role", "days", "uses", "labels"} */
enum bl_status route_token_add(struct call *call)
{
	char token[APP_TOKEN_BYTES];
	char digest[1 + BL_SHA256_HEX_BYTES] = "";
	char id[APP_ID_BYTES];
	struct token_row row;
	enum bl_status status = fill_row(call, &row);

	if (!status)
		status = token_insert(call->db, &row, token, id, &call->err);
	if (!status)
		status = audit_add(call, "token.add", bl_str(id), BL_STR(""));
	if (!status && row.kind == 'e')
		status = put_root(call, digest);
	if (status)
		return status;
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	bl_buf_printf(&call->out, "{\"id\":\"%s\",\"token\":\"%s%s\"}\n", id,
		      token, digest);
	return call_send_json(call);
}

/* DELETE /api/tokens/ID */
enum bl_status route_token_revoke(struct call *call)
{
	struct bl_str id = call->request->parts[0];
	uint64_t changed = 0;
	enum bl_status status = call_run(
		call,
		BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE id = $2 AND "
			    "revoked IS NULL",
			    bl_db_integer(call->now_ms), bl_db_text(id)),
		&changed);

	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such token");
	/* And the sessions that were begun with it. */
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE kind "
				    "= 's' AND created_by = $2",
				    bl_db_integer(call->now_ms),
				    bl_db_text(id)),
			NULL);
	if (!status)
		status = epoch_raise(call->db, &call->err);
	if (!status)
		status = audit_add(call, "token.revoke", id, BL_STR(""));
	return status ? status : call_send_member(call, "revoked", id);
}

/* ---- sessions ------------------------------------------------------------- */

static enum bl_status set_cookie(struct call *call, const char *value,
				 int max_age)
{
	struct bl_str cookie = bl_arena_printf(
		call->arena,
		"%s=%s; Path=/; HttpOnly; SameSite=Strict%s; "
		"Max-Age=%d",
		app_cookie_name(call->app), value,
		call->app->is_secure ? "; Secure" : "", max_age);

	if (!cookie.ptr)
		return bl_fail_memory(&call->err);
	bl_server_reply_header(call->reply, "Set-Cookie", cookie.ptr);
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return BL_OK;
}

enum bl_status session_begin(struct call *call, struct bl_db *db,
			     const struct session_wish *wish)
{
	int64_t until = call->now_ms + (int64_t)SESSION_HOURS * HOUR_MS;
	struct token_row row = {
		.kind = 's',
		.name = wish->name,
		.role = wish->role,
		.created_by = wish->by,
		.expires = wish->until && wish->until < until ? wish->until
							      : until,
	};
	char token[APP_TOKEN_BYTES];
	char id[APP_ID_BYTES];
	enum bl_status status = token_insert(db, &row, token, id, &call->err);

	if (!status)
		status = audit_add_by(db, wish->name, "session.begin",
				      bl_str(id), BL_STR(""), &call->err);
	return status ? status
		      : set_cookie(call, token,
				   (int)((row.expires - call->now_ms) /
					 SECOND_MS));
}

/*
 * POST /api/session {"token"}: a person's token becomes a session, whose id is
 * new each time.
 */
enum bl_status route_session_begin(struct call *call)
{
	char hash[BL_SHA256_HEX_BYTES];
	struct session_wish wish;
	struct bl_rows rows;
	enum bl_status status;

	if (!token_is_whole(bl_str_trim(call_text(call, "token")), hash))
		return call_refuse(call, 401,
				   "this is not a token of a person");
	/*
	 * A change, not a look: who revokes the token waits for this session,
	 * and ends it too.
	 */
	status = call_ask(
		call,
		BL_DB_QUERY("UPDATE token SET last_used = $2 WHERE hash = $1 "
			    "AND kind = 'p' AND revoked IS NULL AND (expires "
			    "IS NULL OR expires > $2) RETURNING name, role, "
			    "id, expires",
			    bl_db_text(bl_str(hash)),
			    bl_db_integer(call->now_ms)),
		&rows);
	if (status)
		return status;
	if (!rows.count)
		return call_refuse(call, 401,
				   "the token is unknown, revoked or "
				   "expired");
	wish = (struct session_wish){
		.name = bl_rows_text(&rows, 0, 0),
		.role = app_role_find(bl_rows_text(&rows, 0, 1)),
		.by = bl_rows_text(&rows, 0, 2),
		.until = bl_rows_integer(&rows, 0, 3),
	};
	status = session_begin(call, call->db, &wish);
	return status ? status : call_send_member(call, "name", wish.name);
}

/* DELETE /api/session */
enum bl_status route_session_end(struct call *call)
{
	enum bl_status status = call_run(
		call,
		BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE id = $2 AND "
			    "kind = 's'",
			    bl_db_integer(call->now_ms),
			    bl_db_text(call->who->id)),
		NULL);

	if (!status)
		status = epoch_raise(call->db, &call->err);
	if (!status)
		status = set_cookie(call, "", 0);
	return status ? status
		      : call_send_member(call, "name", call->who->name);
}

/* GET /api/me */
enum bl_status route_me(struct call *call)
{
	bl_buf_printf(&call->out, "{\"role\":\"%s\",\"name\":",
		      app_role_name(call->who->role));
	bl_json_write_string(&call->out, call->who->name);
	bl_buf_printf(&call->out,
		      ",\"team_id\":\"%.*s\",\"version\":\"%s\","
		      "\"signs_sets\":%s}\n",
		      BL_STR_ARG(call->app->team_id), BELAY_VERSION,
		      call->app->has_set_key ? "true" : "false");
	return call_send_json(call);
}

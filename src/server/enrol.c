/* SPDX-License-Identifier: Apache-2.0 */
/* enrol.c: a machine comes to the team by a token that is used up. */
#include "server/app.h"

#include "server/enrol.h"

enum { MAX_NAME_BYTES = 128, LOCK_TOKEN = 7265 };

/* A name for people, without anything that would be an order to a terminal. */
struct bl_str enrol_clean_name(struct bl_arena *arena, struct bl_str name)
{
	struct bl_str kept;
	char *text;

	name = bl_str_slice(name, 0, MAX_NAME_BYTES);
	kept = bl_arena_copy_str(arena, name);
	if (!kept.ptr || !kept.len)
		return BL_STR("unnamed");
	text = (char *)(uintptr_t)kept.ptr;
	for (size_t i = 0; i < kept.len; i++)
		if ((unsigned char)text[i] < ' ' ||
		    (unsigned char)text[i] > '~')
			text[i] = '?';
	return kept;
}

static struct bl_str root_digest(struct call *call, enum bl_status *status)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_rows rows;

	*status = call_ask(
		call,
		BL_DB_PLAIN("SELECT document FROM root WHERE version = 1"),
		&rows);
	if (*status)
		return BL_STR("");
	bl_sha256_hex(bl_rows_text(&rows, 0, 0), digest);
	return bl_arena_copy_str(call->arena, bl_str(digest));
}

/* The reply of both ways to enrol; token_name is the member with the token. */
static enum bl_status put_reply(struct call *call, const char *token_name,
				const char *token, const char *machine,
				struct bl_str labels)
{
	enum bl_status status;
	struct bl_str digest = root_digest(call, &status);

	if (status)
		return status;
	bl_buf_printf(&call->out,
		      "{\"%s\":\"%s\",\"token_type\":\"Bearer\","
		      "\"machine_id\":\"%s\",\"team_id\":\"%.*s\","
		      "\"root_sha256\":\"%.*s\",\"labels\":%.*s}\n",
		      token_name, token, machine,
		      BL_STR_ARG(call->app->team_id), BL_STR_ARG(digest),
		      BL_STR_ARG(labels));
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return call_send_json(call);
}

/* When a token of a machine that is made now is over; 0: never. */
static int64_t expiry(const struct call *call)
{
	int64_t days = call->app->options.machine_token_days;

	return days ? call->now_ms + days * DAY_MS : 0;
}

enum bl_status enrol_machine(struct call *call, const struct enrol_wish *wish)
{
	struct token_row row = { .kind = 'm',
				 .name = wish->name,
				 .role = ROLE_MACHINE,
				 .labels = wish->labels,
				 .expires = expiry(call),
				 .created_by = wish->by };
	char machine[APP_ID_BYTES];
	char token[APP_TOKEN_BYTES];
	char id[APP_ID_BYTES];
	enum bl_status status = app_new_id(machine, &call->err);

	row.machine = bl_str(machine);
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("INSERT INTO machine (id, name, system, "
				    "labels, enrolled, client, state, "
				    "state_text) VALUES ($1, $2, '', $3, $4, "
				    "'', 'enrolled', '')",
				    bl_db_text(bl_str(machine)),
				    bl_db_text(wish->name),
				    bl_db_text(wish->labels),
				    bl_db_integer(call->now_ms)),
			NULL);
	if (!status)
		status = token_insert(call->db, &row, token, id, &call->err);
	if (!status)
		status = audit_add_by(call->db, wish->by, "machine.enrol",
				      bl_str(machine), BL_STR(""), &call->err);
	return status ? status
		      : put_reply(call, wish->token_name, token, machine,
				  wish->labels);
}

/* GET /v1/machine: what the team says of the machine that asks. */
enum bl_status route_machine(struct call *call)
{
	bl_buf_puts(&call->out, "{\"machine_id\":");
	bl_json_write_string(&call->out, call->who->machine);
	bl_buf_puts(&call->out, ",\"labels\":");
	bl_buf_put_str(&call->out, call->who->labels);
	bl_buf_puts(&call->out, "}\n");
	return call_send_json(call);
}

/*
 * POST /v1/machine/token: another token for the machine that asks.  Its present one
 * is revoked when the new one is first used (callers.c), so that an answer that
 * gets lost locks nobody out.
 */
enum bl_status route_machine_token(struct call *call)
{
	struct token_row row = { .kind = 'm',
				 .name = call->who->name,
				 .role = ROLE_MACHINE,
				 .machine = call->who->machine,
				 .labels = call->who->labels,
				 .expires = expiry(call),
				 .created_by = BL_STR("the machine"),
				 .replaces = call->who->id };
	char token[APP_TOKEN_BYTES];
	char id[APP_ID_BYTES];
	/* Those of answers that got lost. */
	enum bl_status status = call_run(
		call,
		BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE replaces = $2 "
			    "AND machine = $3 AND revoked IS NULL",
			    bl_db_integer(call->now_ms),
			    bl_db_text(call->who->id),
			    bl_db_text(call->who->machine)),
		NULL);

	if (!status)
		status = token_insert(call->db, &row, token, id, &call->err);
	if (!status)
		status = audit_add(call, "machine.token", call->who->machine,
				   BL_STR(""));
	if (status)
		return status;
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return call_send_member(call, "machine_token", bl_str(token));
}

/* Why a token of an enrolment is not good. */
static enum bl_status refuse(struct call *call, const struct bl_rows *rows)
{
	int64_t expires = bl_rows_integer(rows, 0, 2);

	if (!rows->count)
		return call_refuse(call, 401, "unknown");
	if (bl_rows_text(rows, 0, 3).ptr)
		return call_refuse(call, 401, "revoked");
	if (expires && call->now_ms >= expires)
		return call_refuse(call, 401, "expired");
	return call_refuse(call, 409, "the enrolment token was used already");
}

/* POST /v1/enrol {"token", "host", "user"} */
enum bl_status route_enrol(struct call *call)
{
	char hash[BL_SHA256_HEX_BYTES];
	struct enrol_wish wish = { .token_name = "machine_token" };
	struct bl_str given = call_text(call, "token");
	struct bl_rows rows;
	uint64_t used = 0;
	enum bl_status status;

	/* With the root's digest behind it, for those who want to be sure. */
	given = bl_str_slice(given, 0, bl_str_find(given, BL_STR("#"), 0));
	if (!token_is_whole(given, hash))
		return call_refuse(call, 401, "unknown");
	status = bl_db_lock(call->db, LOCK_TOKEN, &call->err);
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("UPDATE token SET uses_left = uses_left - "
				    "1, last_used = $1 WHERE hash = $2 AND "
				    "kind = 'e' AND uses_left > 0 AND revoked "
				    "IS NULL AND (expires IS NULL OR expires > "
				    "$1)",
				    bl_db_integer(call->now_ms),
				    bl_db_text(bl_str(hash))),
			&used);
	if (!status)
		status = call_ask(
			call,
			BL_DB_QUERY("SELECT name, labels, expires, revoked "
				    "FROM token WHERE hash = $1 AND kind = 'e'",
				    bl_db_text(bl_str(hash))),
			&rows);
	if (status)
		return status;
	if (!used)
		return refuse(call, &rows);
	wish.name = enrol_clean_name(call->arena, call_text(call, "host"));
	wish.labels = bl_rows_text(&rows, 0, 1);
	wish.by = bl_rows_text(&rows, 0, 0);
	return enrol_machine(call, &wish);
}

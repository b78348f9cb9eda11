/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upload.c: the journal, sent to the team's server.  The journal itself is the
 * queue: upload.json remembers the id of the last line that was acknowledged and
 * its number.  After a lost answer the same lines go out under the same numbers,
 * and the server drops what it has.
 */
#include "journal/journal.h"
#include "team/client/private.h"

enum {
	MAX_CURSOR_BYTES = 4096,
	MAX_LINES = 5000, /* looked at in one run */
	BATCH_LINES = 500,
	BATCH_BYTES = 1024 * 1024,
	MAX_ANSWER_BYTES = 64 * 1024,
	PACKED_FROM = 1024, /* bytes; a shorter body gains nothing */
	HTTP_OK = 200,
	HTTP_UNSUPPORTED_TYPE = 415,
};

#define CURSOR_FILE "upload.json"

struct cursor {
	struct bl_str last_id; /* of the last acknowledged line; or empty */
	int64_t seq;           /* its number */
};

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

/* NOT_FOUND: nothing was sent yet. */
static enum bl_status read_cursor(const struct bl_team_place *place,
				  struct bl_arena *arena, struct cursor *out,
				  struct bl_error *err)
{
	struct bl_value value;
	struct bl_str text;
	enum bl_status status = team_read_own(
		place, CURSOR_FILE, MAX_CURSOR_BYTES, arena, &text, err);

	*out = (struct cursor){ .seq = 0 };
	if (!status)
		status = bl_json_read(arena, text, NULL, &value, NULL, NULL,
				      err);
	if (status)
		return status;
	out->last_id = text_of(value, "last_id");
	if (!bl_number_is_plain(bl_object_find(value, BL_STR("seq")),
				&out->seq))
		return bl_fail(err, BL_INVALID, CURSOR_FILE ": no seq");
	return BL_OK;
}

static enum bl_status write_cursor(const struct bl_team_place *place,
				   const struct cursor *cursor,
				   struct bl_arena *arena, struct bl_error *err)
{
	struct bl_object_builder object;
	struct bl_buf text;
	enum bl_status status;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("last_id"),
			      bl_value_string(cursor->last_id));
	bl_object_builder_add(&object, BL_STR("seq"),
			      bl_value_integer(cursor->seq));
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_object_builder_end(&object), BL_JSON_COMPACT);
	status = bl_buf_status(&text)
			 ? bl_fail_memory(err)
			 : team_write_own(place, CURSOR_FILE, bl_buf_str(&text),
					  TEAM_FILE_MODE, err);
	bl_buf_clear(&text);
	return status;
}

/* Without what may hold secrets of the event: its payload, standard error. */
struct bl_value bl_team_redact(struct bl_value record, struct bl_arena *arena)
{
	static const char *const hidden[] = { "value", "stderr" };
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < bl_value_count(record); i++) {
		struct bl_str name = bl_value_text(bl_object_key(record, i));
		struct bl_value member = bl_object_value(record, i);
		bool is_hidden = false;

		for (size_t j = 0; j < BL_COUNT(hidden); j++)
			is_hidden = is_hidden || bl_str_is(name, hidden[j]);
		if (bl_str_is(name, "payload") &&
		    bl_value_is(member, BL_KIND_OBJECT))
			member = bl_team_redact(member, arena);
		if (!is_hidden)
			bl_object_builder_add(&object, name, member);
	}
	return bl_object_builder_end(&object);
}

static void put_line(struct bl_buf *out, int64_t seq, struct bl_str at,
		     const char *what, struct bl_value value)
{
	bl_buf_printf(out, "{\"seq\":%lld,\"at\":", (long long)seq);
	bl_json_write_string(out, at);
	bl_buf_printf(out, ",\"%s\":", what);
	bl_json_write(out, value, BL_JSON_COMPACT);
	bl_buf_puts(out, "}\n");
}

/* Batches of an upload, one after the other. */
struct upload {
	struct team_session *session;
	struct cursor cursor;
	struct bl_value *entries;
	size_t count;
	size_t next;
	bool is_first; /* there was no cursor yet */
};

/*
 * Where the lines begin that were not acknowledged.  Those from before this
 * machine joined the team are not the team's.
 */
static size_t first_new(const struct upload *upload)
{
	if (upload->is_first)
		return upload->count;
	for (size_t i = upload->count; i-- > 0;)
		if (bl_str_equal(text_of(upload->entries[i], "id"),
				 upload->cursor.last_id))
			return i + 1;
	return 0;
}

/* Packed where that is worth it, unless the server does not take it so. */
static enum bl_status post(struct team_session *session, struct bl_str body)
{
	struct team_request request = {
		.method = "POST",
		.path = BL_STR("/v1/records"),
		.type = "application/x-ndjson",
		.body = body,
		.max_bytes = MAX_ANSWER_BYTES,
	};
	struct bl_http_reply reply = { .status = HTTP_UNSUPPORTED_TYPE };
	bl_team_pack_fn *pack = session->client->pack;
	struct bl_buf packed;
	enum bl_status status = BL_OK;

	bl_buf_init(&packed, 0);
	if (pack && body.len >= PACKED_FROM && !pack(body, &packed, NULL)) {
		request.encoding = "gzip";
		request.body = bl_buf_str(&packed);
		status = team_call(session, &request, &reply);
	}
	bl_buf_clear(&packed);
	if (!status && reply.status == HTTP_UNSUPPORTED_TYPE) {
		request.encoding = NULL;
		request.body = body;
		status = team_call(session, &request, &reply);
	}
	if (!status && reply.status != HTTP_OK)
		status = bl_fail(session->err, BL_DENIED,
				 "the server did not take the records (status "
				 "%d)",
				 reply.status);
	return status;
}

static enum bl_status send_batch(struct upload *upload)
{
	struct team_session *session = upload->session;
	struct cursor cursor = upload->cursor;
	struct bl_buf body;
	size_t lines = 0;
	enum bl_status status;

	bl_buf_init(&body, 0);
	for (; upload->next < upload->count && lines < BATCH_LINES &&
	       body.len < BATCH_BYTES;
	     lines++, upload->next++) {
		struct bl_value entry = upload->entries[upload->next];

		cursor.last_id = text_of(entry, "id");
		put_line(&body, ++cursor.seq, text_of(entry, "time"), "record",
			 bl_team_redact(entry, session->arena));
	}
	status = bl_buf_status(&body) ? bl_fail_memory(session->err)
				      : post(session, bl_buf_str(&body));
	bl_buf_clear(&body);
	if (status)
		return status;
	upload->cursor = cursor;
	return write_cursor(&session->client->place, &cursor, session->arena,
			    session->err);
}

/* One line that says how this machine is. */
static enum bl_status send_heartbeat(struct upload *upload)
{
	struct team_session *session = upload->session;
	const struct bl_team_place *place = &session->client->place;
	char at[BL_OS_TIME_TEXT_BYTES];
	struct bl_object_builder object;
	struct team_state state;
	struct bl_buf body;
	enum bl_status status =
		team_state_read(place, session->arena, &state, session->err);

	if (status)
		return status;
	bl_os_format_time(bl_os_wall_ms(), at);
	bl_object_builder_init(&object, session->arena);
	bl_object_builder_add(
		&object, BL_STR("state"),
		bl_value_string(bl_str(bl_team_state_name(state.state))));
	bl_object_builder_add(&object, BL_STR("set_version"),
			      bl_value_integer(state.version));
	bl_object_builder_add(&object, BL_STR("belay"),
			      bl_value_string(BL_STR(BELAY_VERSION)));
	bl_object_builder_add(&object, BL_STR("system"),
			      bl_value_string(bl_str(bl_team_system_name())));
	bl_buf_init(&body, 0);
	put_line(&body, ++upload->cursor.seq, bl_str(at), "status",
		 bl_object_builder_end(&object));
	status = bl_buf_status(&body) ? bl_fail_memory(session->err)
				      : post(session, bl_buf_str(&body));
	bl_buf_clear(&body);
	return status ? status
		      : write_cursor(place, &upload->cursor, session->arena,
				     session->err);
}

static enum bl_status send_all(struct upload *upload, struct bl_str journal_dir,
			       size_t *out_sent)
{
	struct team_session *session = upload->session;
	enum bl_status status = bl_journal_read_last(
		journal_dir, MAX_LINES, session->arena, &upload->entries,
		&upload->count, NULL, session->err);

	if (status)
		return status;
	upload->next = first_new(upload);
	if (upload->is_first && upload->count)
		upload->cursor.last_id =
			text_of(upload->entries[upload->count - 1], "id");
	while (!status && upload->next < upload->count) {
		size_t before = upload->next;

		status = send_batch(upload);
		if (!status)
			*out_sent += upload->next - before;
	}
	return status ? status : send_heartbeat(upload);
}

enum bl_status bl_team_upload(const struct bl_team_client *client,
			      struct bl_str journal_dir, struct bl_arena *arena,
			      size_t *out_sent, struct bl_error *err)
{
	enum { LOCK_MS = 2000 };
	struct bl_team_account account;
	struct team_session session = { .client = client,
					.account = &account,
					.arena = arena,
					.err = err };
	struct upload upload = { .session = &session };
	struct bl_str path = team_path(&client->place, "upload.lock", arena);
	int lock = -1;
	enum bl_status status =
		path.ptr ? bl_team_read_account(&client->place, arena, &account,
						err)
			 : bl_arena_fail(arena, err);

	*out_sent = 0;
	if (!status)
		status = team_token_read(&client->place, &account, arena,
					 &session.token, err);
	if (!status)
		status = team_session_begin(&session);
	if (!status)
		status = bl_os_open_locked(path, TEAM_FILE_MODE, LOCK_MS, &lock,
					   err);
	if (!status)
		status =
			read_cursor(&client->place, arena, &upload.cursor, err);
	upload.is_first = status == BL_NOT_FOUND;
	if (!status || upload.is_first)
		status = send_all(&upload, journal_dir, out_sent);
	bl_os_close(lock);
	return status;
}

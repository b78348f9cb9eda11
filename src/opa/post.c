/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c: what goes back to OPA's control plane: the status, and the decision log.
 * The journal is the queue: log.json remembers the last record that was
 * acknowledged, and a record's id is its decision_id, so that receivers drop what
 * comes twice.  Payloads and standard error stay here, as they do in a team.
 *
 * A receiver that refuses a batch for what is in it gets smaller ones, down to the
 * record that it does not take.  That one is tried in MAX_REFUSALS syncs, and then
 * left out, so that it does not keep back what comes after it.
 */
#include "journal/journal.h"
#include "opa/private.h"

enum {
	TIMEOUT_MS = 30 * 1000,
	MAX_LINES = 5000, /* looked at in one run */
	BATCH_LINES = 500,
	BATCH_BYTES = 256 * 1024, /* before gzip */
	SHRINK = 8,               /* how much smaller the next batch is */
	MAX_REFUSALS = 5,         /* of one record */
	MAX_ANSWER_BYTES = 64 * 1024,
	MAX_CURSOR_BYTES = 4096,
	LOCK_MS = 2000,
	HTTP_OK = 200,
	HTTP_REDIRECT = 300,
	HTTP_BAD_REQUEST = 400,
	HTTP_TOO_LARGE = 413,
	HTTP_UNPROCESSABLE = 422,
};

#define CURSOR_FILE "log.json"
#define NEVER       "0001-01-01T00:00:00Z"

/* One run against the services. */
struct poster {
	const struct bl_opa_client *client;
	const struct bl_opa_config *config;
	const struct bl_opa_state *state;
	struct bl_arena *arena;
	struct bl_value labels;
	/* Of the cursor: */
	struct bl_str last_id;
	int64_t refused; /* syncs in which the record after it was refused */
	bool is_first;   /* there was no cursor yet */
	struct bl_error *err;
};

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

static void add_text(struct bl_object_builder *object, const char *name,
		     struct bl_str text)
{
	bl_object_builder_add(object, bl_str(name), bl_value_string(text));
}

/* The configuration's, with ours in the place of those that OPA reserves. */
static struct bl_value make_labels(const struct poster *poster)
{
	struct bl_value labels = poster->config->labels;
	struct bl_object_builder object;

	bl_object_builder_init(&object, poster->arena);
	for (size_t i = 0; i < bl_value_count(labels); i++) {
		struct bl_str name = bl_value_text(bl_object_key(labels, i));

		if (!bl_str_is(name, "id") && !bl_str_is(name, "version"))
			bl_object_builder_add(&object, name,
					      bl_object_value(labels, i));
	}
	add_text(&object, "id", poster->state->id);
	add_text(&object, "version", BL_STR("belay/" BELAY_VERSION));
	return bl_object_builder_end(&object);
}

/* An object with one member. */
static struct bl_value wrap(struct bl_arena *arena, struct bl_str name,
			    struct bl_value value)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, name, value);
	return bl_object_builder_end(&object);
}

/* Would the same bytes be refused again? */
static bool is_refusal(int32_t status)
{
	return status == HTTP_BAD_REQUEST || status == HTTP_TOO_LARGE ||
	       status == HTTP_UNPROCESSABLE;
}

/* INVALID: the receiver does not take what is in the body. */
static enum bl_status post(const struct poster *poster,
			   const struct bl_opa_target *to,
			   const char *const *headers, struct bl_str body)
{
	struct opa_request request = {
		.service = to->service,
		.resource = to->resource,
		.method = "POST",
		.body = body,
		.headers = headers,
		.max_bytes = MAX_ANSWER_BYTES,
		.timeout_ms = TIMEOUT_MS,
	};
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status = opa_call(poster->client, &request,
					 poster->arena, &reply, poster->err);

	if (status)
		return status;
	if (reply.end != BL_HTTP_ANSWERED)
		return bl_fail(poster->err, BL_SYSTEM, "%.*s/%.*s: %s",
			       BL_STR_ARG(to->service->url),
			       BL_STR_ARG(to->resource), reply.error);
	return reply.status >= HTTP_OK && reply.status < HTTP_REDIRECT
		       ? BL_OK
		       : bl_fail(poster->err,
				 is_refusal(reply.status) ? BL_INVALID
							  : BL_DENIED,
				 "%.*s/%.*s answers with status %d",
				 BL_STR_ARG(to->service->url),
				 BL_STR_ARG(to->resource), reply.status);
}

/* ---- status ------------------------------------------------------------------------ */

static void add_time(const struct poster *poster,
		     struct bl_object_builder *object, const char *name,
		     int64_t time)
{
	char text[BL_OS_TIME_TEXT_BYTES] = NEVER;

	if (time)
		bl_os_format_time(time * 1000, text);
	bl_object_builder_add(object, bl_str(name),
			      bl_value_printf(poster->arena, "%s", text));
}

static struct bl_value bundle_status(const struct poster *poster)
{
	const struct bl_opa_state *state = poster->state;
	struct bl_object_builder object;

	bl_object_builder_init(&object, poster->arena);
	add_text(&object, "name", state->name);
	add_text(&object, "active_revision", state->revision);
	add_text(&object, "type", BL_STR("snapshot"));
	add_time(poster, &object, "last_request", state->tried);
	add_time(poster, &object, "last_successful_request", state->checked);
	add_time(poster, &object, "last_successful_download",
		 state->downloaded);
	add_time(poster, &object, "last_successful_activation",
		 state->activated);
	if (state->detail.len) {
		add_text(&object, "code", BL_STR("bundle_error"));
		add_text(&object, "message", state->detail);
	}
	return bl_object_builder_end(&object);
}

static enum bl_status post_status(const struct poster *poster)
{
	static const char *const headers[] = { "Content-Type: application/json",
					       NULL };
	struct bl_object_builder object;
	struct bl_buf body;
	enum bl_status status;

	bl_object_builder_init(&object, poster->arena);
	bl_object_builder_add(&object, BL_STR("labels"), poster->labels);
	bl_object_builder_add(&object, BL_STR("bundles"),
			      wrap(poster->arena, poster->state->name,
				   bundle_status(poster)));
	bl_buf_init(&body, 0);
	bl_json_write(&body, bl_object_builder_end(&object), BL_JSON_COMPACT);
	status = bl_buf_status(&body) ? bl_fail_memory(poster->err)
				      : post(poster, &poster->config->status,
					     headers, bl_buf_str(&body));
	bl_buf_clear(&body);
	return status;
}

/* ---- the decision log --------------------------------------------------------------- */

static enum bl_status read_cursor(struct poster *poster)
{
	struct bl_str path =
		opa_path(&poster->client->place, CURSOR_FILE, poster->arena);
	struct bl_value value;
	struct bl_str text = { NULL, 0 };
	enum bl_status status =
		path.ptr ? bl_team_read_guarded(path, MAX_CURSOR_BYTES,
						poster->arena, &text,
						poster->err)
			 : bl_arena_fail(poster->arena, poster->err);

	poster->is_first = status == BL_NOT_FOUND;
	if (status)
		return poster->is_first ? BL_OK : status;
	status = bl_json_read(poster->arena, text, NULL, &value, NULL, NULL,
			      poster->err);
	if (status)
		return status;
	poster->last_id = text_of(value, "last_id");
	/* Missing: none. */
	(void)bl_number_is_plain(bl_object_find(value, BL_STR("refused")),
				 &poster->refused);
	return BL_OK;
}

static enum bl_status write_cursor(const struct poster *poster)
{
	struct bl_object_builder object;
	struct bl_buf text;
	enum bl_status status;

	bl_object_builder_init(&object, poster->arena);
	add_text(&object, "last_id", poster->last_id);
	bl_object_builder_add(&object, BL_STR("refused"),
			      bl_value_integer(poster->refused));
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_object_builder_end(&object), BL_JSON_COMPACT);
	status = bl_buf_status(&text)
			 ? bl_fail_memory(poster->err)
			 : opa_write_own(&poster->client->place, CURSOR_FILE,
					 bl_buf_str(&text), poster->err);
	bl_buf_clear(&text);
	return status;
}

/* Up to this record the decision log needs nothing more. */
static enum bl_status move_on(struct poster *poster, struct bl_value entry)
{
	poster->last_id = text_of(entry, "id");
	poster->refused = 0;
	return write_cursor(poster);
}

/* Members of a record that say what was asked; the others say what came of it. */
static bool is_input(struct bl_str name)
{
	static const char *const inputs[] = {
		"action", "step",    "kind",         "profile",    "payload",
		"source", "command", "conversation", "generation", "about",
	};

	for (size_t i = 0; i < BL_COUNT(inputs); i++)
		if (bl_str_is(name, inputs[i]))
			return true;
	return false;
}

static struct bl_value part_of(const struct poster *poster,
			       struct bl_value record, bool of_input)
{
	static const char *const elsewhere[] = { "v", "id", "time", "chain" };
	struct bl_object_builder object;

	bl_object_builder_init(&object, poster->arena);
	for (size_t i = 0; i < bl_value_count(record); i++) {
		struct bl_str name = bl_value_text(bl_object_key(record, i));
		bool is_left_out = is_input(name) != of_input;

		for (size_t j = 0; j < BL_COUNT(elsewhere); j++)
			is_left_out =
				is_left_out || bl_str_is(name, elsewhere[j]);
		if (!is_left_out)
			bl_object_builder_add(&object, name,
					      bl_object_value(record, i));
	}
	return bl_object_builder_end(&object);
}

static struct bl_value decision_of(const struct poster *poster,
				   struct bl_value record)
{
	const struct bl_opa_state *state = poster->state;
	struct bl_value shown = bl_team_redact(record, poster->arena);
	struct bl_object_builder object;

	bl_object_builder_init(&object, poster->arena);
	bl_object_builder_add(&object, BL_STR("labels"), poster->labels);
	add_text(&object, "decision_id", text_of(record, "id"));
	bl_object_builder_add(&object, BL_STR("bundles"),
			      wrap(poster->arena, state->name,
				   wrap(poster->arena, BL_STR("revision"),
					bl_value_string(state->revision))));
	add_text(&object, "path", BL_STR("belay/decision"));
	bl_object_builder_add(&object, BL_STR("input"),
			      part_of(poster, shown, true));
	bl_object_builder_add(&object, BL_STR("result"),
			      part_of(poster, shown, false));
	add_text(&object, "timestamp", text_of(record, "time"));
	return bl_object_builder_end(&object);
}

static enum bl_status post_packed(const struct poster *poster,
				  struct bl_buf *plain)
{
	static const char *const headers[] = { "Content-Type: application/json",
					       "Content-Encoding: gzip", NULL };
	struct bl_buf packed;
	enum bl_status status;

	bl_buf_init(&packed, 0);
	status = bl_buf_status(plain) ? bl_fail_memory(poster->err)
				      : bl_bundle_gzip(bl_buf_str(plain),
						       &packed, poster->err);
	if (!status)
		status = post(poster, &poster->config->log, headers,
			      bl_buf_str(&packed));
	bl_buf_clear(&packed);
	return status;
}

/* Posts up to *lines entries that fit into one request; *lines: how many. */
static enum bl_status post_batch(struct poster *poster,
				 const struct bl_value *entries, size_t *lines)
{
	struct bl_buf plain;
	size_t most = *lines;
	size_t count = 0;
	enum bl_status status;

	bl_buf_init(&plain, 0);
	bl_buf_put_char(&plain, '[');
	for (; count < most && plain.len < BATCH_BYTES; count++) {
		bl_buf_puts(&plain, count ? "," : "");
		bl_json_write(&plain, decision_of(poster, entries[count]),
			      BL_JSON_COMPACT);
	}
	bl_buf_put_char(&plain, ']');
	status = post_packed(poster, &plain);
	bl_buf_clear(&plain);
	*lines = count;
	return status ? status : move_on(poster, entries[count - 1]);
}

/* A record that was refused by itself: later once more, or never again. */
static enum bl_status note_refused(struct poster *poster, struct bl_value entry)
{
	struct bl_str why =
		bl_arena_copy_str(poster->arena, bl_str(poster->err->message));
	struct bl_str id = text_of(entry, "id");
	enum bl_status status;

	poster->refused++;
	if (!why.ptr)
		return bl_arena_fail(poster->arena, poster->err);
	if (poster->refused < MAX_REFUSALS) {
		status = write_cursor(poster);
		return status ? status
			      : bl_fail(poster->err, BL_INVALID,
					"%.*s to the record %.*s",
					BL_STR_ARG(why), BL_STR_ARG(id));
	}
	status = move_on(poster, entry);
	return status ? status
		      : bl_fail(poster->err, BL_LIMIT,
				"the record %.*s was refused %d times: %.*s",
				BL_STR_ARG(id), (int)MAX_REFUSALS,
				BL_STR_ARG(why));
}

static enum bl_status post_entries(struct poster *poster,
				   const struct bl_value *entries, size_t count)
{
	size_t most = BATCH_LINES;
	size_t next = 0;
	enum bl_status status = BL_OK;

	while (!status && next < count) {
		size_t lines = most < count - next ? most : count - next;

		status = post_batch(poster, entries + next, &lines);
		if (status == BL_INVALID && lines > 1) {
			most = lines / SHRINK ? lines / SHRINK : 1;
			status = BL_OK;
		} else if (status == BL_INVALID) {
			status = note_refused(poster, entries[next]);
		} else {
			most = BATCH_LINES;
			next += lines;
		}
	}
	return status;
}

/*
 * Records of before the first sync are not the control plane's.  *out_is_gap: the
 * last one that it has is older than all of these.
 */
static size_t first_new(const struct poster *poster,
			const struct bl_value *entries, size_t count,
			bool *out_is_gap)
{
	*out_is_gap = false;
	for (size_t i = count; i-- > 0;)
		if (bl_str_equal(text_of(entries[i], "id"), poster->last_id))
			return i + 1;
	*out_is_gap = count == MAX_LINES;
	return 0;
}

static enum bl_status post_records(struct poster *poster)
{
	struct bl_value *entries;
	size_t count;
	size_t next;
	bool is_gap;
	enum bl_status status = bl_journal_read_last(
		poster->client->journal_dir, MAX_LINES, poster->arena, &entries,
		&count, NULL, poster->err);

	if (status)
		return status;
	if (poster->is_first) {
		if (count)
			poster->last_id = text_of(entries[count - 1], "id");
		return write_cursor(poster);
	}
	next = first_new(poster, entries, count, &is_gap);
	status = post_entries(poster, entries + next, count - next);
	if (!status && is_gap)
		status = bl_fail(poster->err, BL_LIMIT,
				 "more than %d records came since the last "
				 "sync, and the older ones are left out",
				 (int)MAX_LINES);
	return status;
}

static enum bl_status post_log(struct poster *poster)
{
	struct bl_str path =
		opa_path(&poster->client->place, "log.lock", poster->arena);
	int lock = -1;
	enum bl_status status =
		path.ptr ? bl_os_open_locked(path, OPA_FILE_MODE, LOCK_MS,
					     &lock, poster->err)
			 : bl_arena_fail(poster->arena, poster->err);

	if (!status)
		status = read_cursor(poster);
	if (!status)
		status = post_records(poster);
	bl_os_close(lock);
	return status;
}

enum bl_status opa_post(const struct bl_opa_client *client,
			const struct bl_opa_config *config,
			const struct bl_opa_state *state,
			struct bl_arena *arena, struct bl_error *err)
{
	struct poster poster = { .client = client,
				 .config = config,
				 .state = state,
				 .arena = arena,
				 .last_id = BL_STR(""),
				 .err = err };
	struct bl_error other = { 0 };
	enum bl_status status = BL_OK;

	poster.labels = make_labels(&poster);
	if (config->status.service)
		status = post_status(&poster);
	/* One of them failing does not keep the other back. */
	if (status)
		poster.err = &other;
	if (config->log.service) {
		enum bl_status logged = post_log(&poster);

		/* Records that are left out matter more than a status that waits. */
		if (status && logged == BL_LIMIT)
			*err = other;
		if (!status || logged == BL_LIMIT)
			status = logged;
	}
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c: what goes back to OPA's control plane: the status, and the decision log.
 * The journal is the queue: log.json remembers the last record that was
 * acknowledged, and a record's id is its decision_id, so that receivers drop what
 * comes twice.  Payloads and standard error stay here, as they do in a team.
 */
#include "journal/journal.h"
#include "opa/private.h"

enum {
	TIMEOUT_MS = 30 * 1000,
	MAX_LINES = 5000, /* looked at in one run */
	BATCH_LINES = 500,
	BATCH_BYTES = 256 * 1024, /* before gzip */
	MAX_ANSWER_BYTES = 64 * 1024,
	MAX_CURSOR_BYTES = 4096,
	LOCK_MS = 2000,
	HTTP_OK = 200,
	HTTP_REDIRECT = 300,
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
	struct bl_str last_id;
	bool is_first; /* there was no cursor yet */
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
		       : bl_fail(poster->err, BL_DENIED,
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
	if (!status)
		poster->last_id = text_of(value, "last_id");
	return status;
}

static enum bl_status write_cursor(const struct poster *poster)
{
	struct bl_buf text;
	enum bl_status status;

	bl_buf_init(&text, 0);
	bl_json_write(&text,
		      wrap(poster->arena, BL_STR("last_id"),
			   bl_value_string(poster->last_id)),
		      BL_JSON_COMPACT);
	status = bl_buf_status(&text)
			 ? bl_fail_memory(poster->err)
			 : opa_write_own(&poster->client->place, CURSOR_FILE,
					 bl_buf_str(&text), poster->err);
	bl_buf_clear(&text);
	return status;
}

/* Of a record what was asked; the rest is what came of it. */
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

/* Posts the records from *next on that fit into one request. */
static enum bl_status post_batch(struct poster *poster,
				 const struct bl_value *entries, size_t count,
				 size_t *next)
{
	struct bl_str last = poster->last_id;
	struct bl_buf plain;
	size_t lines = 0;
	enum bl_status status;

	bl_buf_init(&plain, 0);
	bl_buf_put_char(&plain, '[');
	for (; *next < count && lines < BATCH_LINES && plain.len < BATCH_BYTES;
	     lines++, ++*next) {
		bl_buf_puts(&plain, lines ? "," : "");
		bl_json_write(&plain, decision_of(poster, entries[*next]),
			      BL_JSON_COMPACT);
		last = text_of(entries[*next], "id");
	}
	bl_buf_put_char(&plain, ']');
	status = post_packed(poster, &plain);
	bl_buf_clear(&plain);
	if (status)
		return status;
	poster->last_id = last;
	return write_cursor(poster);
}

/* Records of before the first sync are not the control plane's. */
static size_t first_new(const struct poster *poster,
			const struct bl_value *entries, size_t count)
{
	for (size_t i = count; i-- > 0;)
		if (bl_str_equal(text_of(entries[i], "id"), poster->last_id))
			return i + 1;
	return 0;
}

static enum bl_status post_records(struct poster *poster)
{
	struct bl_value *entries;
	size_t count;
	size_t next;
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
	next = first_new(poster, entries, count);
	while (!status && next < count)
		status = post_batch(poster, entries, count, &next);
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
	if (status) {
		/* One of them failing does not keep the other back. */
		poster.err = &other;
	}
	if (config->log.service) {
		enum bl_status logged = post_log(&poster);

		status = status ? status : logged;
	}
	return status;
}

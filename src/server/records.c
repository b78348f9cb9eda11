/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.c: what machines send of their journals (docs/formats/team.md
 * "Records").  A batch is one transaction, so that an answer of 200 means that all
 * of it is on the disk; a batch that comes again changes nothing.
 */
#include "server/app.h"

#include <stdlib.h>
#include <time.h>

enum {
	MAX_LINES = 10000,      /* of one upload */
	MAX_BODY_BYTES = 65536, /* of one record that is kept */
	ROWS = 100,             /* of one statement */
	COLUMNS = 17,
	MAX_TEXT = 1024,
};

#define MAX_DURATION_US 1e15

struct batch {
	struct bl_db_value values[ROWS * COLUMNS];
	size_t rows;
	uint64_t accepted;
	uint64_t duplicates;
	uint64_t late; /* older than what is kept */
	struct bl_str machine;
	int64_t set_version; /* 0: not known */
	int64_t oldest_ms;
	char id[APP_ID_BYTES]; /* of the rows, for collectors; or "" */
};

/* ---- one record ----------------------------------------------------------- */

/* "2026-11-28T02:42:41.123Z" in milliseconds; false for anything else. */
static bool parse_time(struct bl_str text, int64_t *out_ms)
{
	struct tm tm = { 0 };
	const char *rest;
	char *end = NULL;
	long millis = 0;

	if (text.len < 20 || text.len > 40 || text.ptr[text.len - 1] != 'Z')
		return false;
	rest = strptime(text.ptr, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!rest)
		return false;
	if (*rest == '.')
		millis = strtol(rest + 1, &end, 10);
	for (ptrdiff_t digits = end ? end - rest - 1 : 3; digits > 3; digits--)
		millis /= 10;
	if (end ? *end != 'Z' || end - rest < 4 : *rest != 'Z')
		return false;
	*out_ms = (int64_t)timegm(&tm) * SECOND_MS + millis;
	return true;
}

static struct bl_str text_of(struct call *call, struct bl_value record,
			     const char *name)
{
	return app_clean_text(
		call->arena,
		bl_value_text(bl_object_find(record, bl_str(name))), MAX_TEXT);
}

/* The verdict of a line: that of policies, else the one that was enforced. */
static struct bl_str verdict_of(struct call *call, struct bl_value record)
{
	static const struct {
		const char *decision;
		const char *verdict;
	} rows[] = {
		{ "block", "deny" },
		{ "halt", "deny" },
		{ "modify", "allow" },
	};
	struct bl_str decision = text_of(call, record, "decision");

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (bl_str_is(decision, rows[i].decision))
			return bl_str(rows[i].verdict);
	if (decision.len)
		return decision;
	decision = text_of(call, record, "enforced");
	return decision.len ? decision : BL_STR("none");
}

/* The first rule that spoke. */
static struct bl_str rule_of(struct call *call, struct bl_value response)
{
	static const char *const lists[] = { "findings", "monitored" };

	for (size_t i = 0; i < BL_COUNT(lists); i++) {
		struct bl_value list =
			bl_object_find(response, bl_str(lists[i]));
		struct bl_str rule =
			text_of(call, bl_value_item(list, 0), "rule_id");

		if (rule.len)
			return rule;
	}
	return BL_STR("");
}

static bool has_failed(struct bl_str outcome)
{
	return outcome.len && !bl_str_is(outcome, "answered") &&
	       !bl_str_is(outcome, "no_output");
}

/* In microseconds; 0 when it is not a time that an action can take. */
static int64_t duration_of(struct bl_value record)
{
	double us = 1000 * bl_number_to_double(bl_object_find(
				   record, BL_STR("duration_ms")));

	return us > 0 && us < MAX_DURATION_US ? (int64_t)us : 0;
}

static enum bl_status add_row(struct call *call, struct batch *batch,
			      int64_t seq, int64_t at, struct bl_value record)
{
	struct bl_db_value *to = batch->values + batch->rows * COLUMNS;
	struct bl_value response = bl_object_find(record, BL_STR("response"));
	struct bl_value monitored =
		bl_object_find(response, BL_STR("monitored"));
	struct bl_str body = app_json(call->arena, record);
	struct bl_str outcome = text_of(call, record, "outcome");
	size_t i = 0;

	if (!body.ptr)
		return bl_fail_memory(&call->err);
	if (!batch->rows && exports_wanted(call->app)) {
		enum bl_status status = app_new_id(batch->id, &call->err);

		if (status)
			return status;
	}
	if (body.len > MAX_BODY_BYTES)
		body = BL_STR("{\"cut\":[\"all\"]}");
	to[i++] = bl_db_text(batch->machine);
	to[i++] = bl_db_integer(seq);
	to[i++] = bl_db_integer(at);
	to[i++] = bl_db_text(text_of(call, record, "id"));
	to[i++] = bl_db_text(text_of(call, record, "profile"));
	to[i++] = bl_db_text(text_of(call, record, "step"));
	to[i++] = bl_db_text(verdict_of(call, record));
	to[i++] = bl_db_text(outcome);
	to[i++] = bl_db_text(text_of(call, record, "source"));
	to[i++] = bl_db_text(rule_of(call, response));
	to[i++] = bl_db_text(text_of(call, record, "about"));
	to[i++] = bl_db_integer(bl_value_count(monitored) > 0);
	to[i++] = bl_db_integer(has_failed(outcome));
	to[i++] = bl_db_integer(duration_of(record));
	to[i++] = batch->set_version ? bl_db_integer(batch->set_version)
				     : bl_db_null();
	to[i++] = bl_db_text(body);
	to[i++] = batch->id[0] ? bl_db_text(bl_str(batch->id)) : bl_db_null();
	batch->rows++;
	return BL_OK;
}

/* ---- the batch ------------------------------------------------------------ */

static enum bl_status flush(struct call *call, struct batch *batch)
{
	uint64_t inserted = 0;
	struct bl_buf sql;
	enum bl_status status;

	if (!batch->rows)
		return BL_OK;
	bl_buf_init(&sql, 0);
	bl_buf_puts(&sql, "INSERT INTO execution VALUES ");
	for (size_t row = 0; row < batch->rows; row++) {
		bl_buf_puts(&sql, row ? ", (" : "(");
		for (size_t i = 0; i < COLUMNS; i++)
			bl_buf_printf(&sql, "%s$%zu", i ? ", " : "",
				      row * COLUMNS + i + 1);
		bl_buf_puts(&sql, ")");
	}
	bl_buf_puts(&sql, " ON CONFLICT DO NOTHING");
	status = bl_buf_status(&sql) ? bl_fail_memory(&call->err)
				     : call_run(call,
						&(struct bl_db_query){
							sql.ptr, batch->values,
							batch->rows * COLUMNS },
						&inserted);
	bl_buf_clear(&sql);
	batch->accepted += inserted;
	batch->duplicates += batch->rows - inserted;
	batch->rows = 0;
	if (!status && inserted && exports_wanted(call->app))
		status =
			exports_put(call, bl_arena_copy_str(call->arena,
							    bl_str(batch->id)));
	return status;
}

/* The heartbeat of a machine: its own words for its state. */
static enum bl_status take_status(struct call *call, struct batch *batch,
				  struct bl_value status_value)
{
	int64_t version = 0;

	bl_number_to_integer(
		bl_object_find(status_value, BL_STR("set_version")), &version);
	batch->set_version = version;
	return call_run(
		call,
		BL_DB_QUERY("UPDATE machine SET last_seen = $1, client = $2, "
			    "system = $3, state = $4, state_text = $5, "
			    "set_version = $6 WHERE id = $7",
			    bl_db_integer(call->now_ms),
			    bl_db_text(text_of(call, status_value, "belay")),
			    bl_db_text(text_of(call, status_value, "system")),
			    bl_db_text(text_of(call, status_value, "state")),
			    bl_db_text(text_of(call, status_value, "text")),
			    bl_db_integer(version), bl_db_text(batch->machine)),
		NULL);
}

static enum bl_status take_line(struct call *call, struct batch *batch,
				struct bl_str line, size_t number)
{
	struct bl_value value;
	struct bl_value record;
	struct bl_value status_value;
	int64_t seq;
	int64_t at;
	enum bl_status status = bl_json_read(call->arena, line, NULL, &value,
					     NULL, NULL, &call->err);

	if (status) {
		bl_error_context(&call->err, "line %zu", number);
		return status;
	}
	if (!bl_number_to_integer(bl_object_find(value, BL_STR("seq")), &seq) ||
	    !parse_time(bl_value_text(bl_object_find(value, BL_STR("at"))),
			&at))
		return bl_fail(&call->err, BL_INVALID,
			       "line %zu: seq or at is missing or wrong",
			       number);
	record = bl_object_find(value, BL_STR("record"));
	status_value = bl_object_find(value, BL_STR("status"));
	if (bl_value_is(status_value, BL_KIND_OBJECT))
		return take_status(call, batch, status_value);
	if (!bl_value_is(record, BL_KIND_OBJECT))
		return bl_fail(&call->err, BL_INVALID,
			       "line %zu: neither record nor status", number);
	if (at < batch->oldest_ms) {
		batch->late++;
		return BL_OK;
	}
	status = add_row(call, batch, seq, at, record);
	if (!status && batch->rows == ROWS)
		status = flush(call, batch);
	return status;
}

static enum bl_status take_lines(struct call *call, struct batch *batch)
{
	struct bl_str body = call->request->body;
	enum bl_status status = BL_OK;
	size_t number = 0;
	size_t at = 0;

	while (!status && at < body.len) {
		size_t end = bl_str_find(body, BL_STR("\n"), at);
		struct bl_str line = bl_str_trim(bl_str_slice(body, at, end));

		at = end == SIZE_MAX ? body.len : end + 1;
		if (!line.len)
			continue;
		if (++number > MAX_LINES)
			return bl_fail(&call->err, BL_INVALID,
				       "more than %d lines", MAX_LINES);
		status = take_line(call, batch, line, number);
	}
	return status ? status : flush(call, batch);
}

/* POST /v1/records */
enum bl_status route_records(struct call *call)
{
	struct batch *batch = bl_arena_new(call->arena, struct batch);
	struct bl_rows rows;
	enum bl_status status;

	if (!batch)
		return bl_fail_memory(&call->err);
	batch->machine = call->who->machine;
	batch->oldest_ms =
		call->now_ms - call->app->options.retention_days * DAY_MS;
	status = call_ask(
		call,
		BL_DB_QUERY("SELECT set_version FROM machine WHERE id = $1",
			    bl_db_text(batch->machine)),
		&rows);
	batch->set_version = bl_rows_integer(&rows, 0, 0);
	if (!status)
		status = take_lines(call, batch);
	if (status)
		return status;
	atomic_fetch_add(&call->app->uploads, 1);
	atomic_fetch_add(&call->app->uploaded_records, batch->accepted);
	bl_buf_printf(&call->out,
		      "{\"accepted\":%llu,\"duplicates\":%llu,\"late\":%llu}\n",
		      (unsigned long long)batch->accepted,
		      (unsigned long long)batch->duplicates,
		      (unsigned long long)batch->late);
	return call_send_json(call);
}

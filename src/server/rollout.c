/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rollout.c: which machines take which signed set: all, a share, those with a
 * label; back to the one before; and the automatic halt.
 */
#include "server/app.h"

#include <stdlib.h>

enum {
	LEAST_RECORDS = 20, /* before a roll-out is judged */
	FACTOR = 3,         /* so many times the refusals of the others */
	LEAST_EXCESS = 10,  /* and so many of a hundred more */
	HTTP_FORBIDDEN = 403,
};

static enum bl_status put_row(struct call *call, int64_t place, int64_t version,
			      int64_t share, struct bl_str label)
{
	return call_run(
		call,
		BL_DB_QUERY("INSERT INTO rollout VALUES ($1, $2, $3, $4, $5, "
			    "'active')",
			    bl_db_integer(place), bl_db_integer(version),
			    bl_db_integer(share),
			    bl_db_text(label.ptr ? label : BL_STR("")),
			    bl_db_integer(call->now_ms)),
		NULL);
}

/* The rows as they shall be: the new set's, then the one that all had. */
static enum bl_status put_rows(struct call *call, int64_t version,
			       int64_t percent, struct bl_str label)
{
	struct bl_rows rows;
	int64_t before;
	enum bl_status status = call_ask(
		call,
		BL_DB_PLAIN("SELECT version FROM rollout WHERE state = 'active'"
			    " ORDER BY place DESC LIMIT 1"),
		&rows);

	if (status)
		return status;
	before = bl_rows_integer(&rows, 0, 0);
	if ((percent < 100 || label.len) && (!before || before == version))
		return bl_fail(&call->err, BL_INVALID,
			       "a part of the machines needs another set for "
			       "the others: roll one out to all first");
	status = call_run(call, BL_DB_PLAIN("DELETE FROM rollout"), NULL);
	if (status)
		return status;
	if (percent == 100 && !label.len)
		return put_row(call, 0, version, BL_TEAM_SHARES, BL_STR(""));
	status = put_row(call, 0, version, percent * BL_TEAM_SHARES / 100,
			 label);
	return status ? status
		      : put_row(call, 1, before, BL_TEAM_SHARES, BL_STR(""));
}

/* The audit entry, the statement, and the reply. */
static enum bl_status finish(struct call *call, const char *action,
			     int64_t version, struct bl_str detail)
{
	struct bl_str target =
		bl_arena_printf(call->arena, "%lld", (long long)version);
	enum bl_status status = audit_add(call, action, target, detail);

	if (!status)
		status = publish_fresh(call->app, call->db, true, &call->err);
	if (status)
		return status;
	bl_buf_printf(&call->out, "{\"version\":%lld}\n", (long long)version);
	return call_send_json(call);
}

/* ---- four eyes ------------------------------------------------------------- */

/* Was it rolled out before?  Then somebody has looked at it. */
static enum bl_status find_earlier(struct call *call, int64_t version,
				   bool *out)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_QUERY("SELECT 1 FROM audit WHERE action = 'rollout.set' "
			    "AND target = CAST($1 AS TEXT) LIMIT 1",
			    bl_db_integer(version)),
		&rows);

	*out = !status && rows.count;
	return status;
}

/*
 * The caller's token, or the one that the session began with, was made by maker.  A
 * session names that token where a token names its maker.
 */
static enum bl_status find_relation(struct call *call, struct bl_str maker,
				    bool *out)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_QUERY("SELECT 1 FROM token t LEFT JOIN token f ON f.id = "
			    "t.created_by WHERE t.id = $1 AND (t.created_by = "
			    "$2 OR f.created_by = $2)",
			    bl_db_text(call->who->id), bl_db_text(maker)),
		&rows);

	*out = !status && rows.count;
	return status;
}

static enum bl_status check_second_person(struct call *call, int64_t version,
					  struct bl_str maker)
{
	bool is_known = !call->app->options.four_eyes;
	bool is_same = bl_str_equal(maker, call->who->name);
	enum bl_status status =
		is_known ? BL_OK : find_earlier(call, version, &is_known);

	if (!status && !is_known && !is_same)
		status = find_relation(call, maker, &is_same);
	if (status || is_known || !is_same)
		return status;
	return call_refuse(call, HTTP_FORBIDDEN,
			   "four eyes: who made this set does not roll it "
			   "out; another administrator does, with a token "
			   "that is not of their making");
}

/* POST /api/rollout {"version", "percent", "label"} */
enum bl_status route_rollout_set(struct call *call)
{
	int64_t version = call_integer(call, "version", 0);
	int64_t percent = call_integer(call, "percent", 100);
	struct bl_str label = call_text(call, "label");
	struct bl_rows rows;
	struct bl_str detail;
	enum bl_status status;

	if (percent < 0 || percent > 100)
		return bl_fail(&call->err, BL_INVALID, "percent is 0 to 100");
	if (label.len && !bl_team_id_is_good(label))
		return bl_fail(&call->err, BL_INVALID,
			       "a label has 1 to %d of [A-Za-z0-9._-]",
			       (int)BL_TEAM_ID_BYTES);
	status = call_ask(call,
			  BL_DB_QUERY("SELECT signed, created_by FROM "
				      "signed_set WHERE version = $1",
				      bl_db_integer(version)),
			  &rows);
	if (!status && !rows.count)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such set");
	if (!status && !bl_rows_text(&rows, 0, 0).ptr)
		status = bl_fail(&call->err, BL_INVALID,
				 "the set is not signed yet");
	if (!status)
		status = check_second_person(call, version,
					     bl_rows_text(&rows, 0, 1));
	if (!status)
		status = put_rows(call, version, percent, label);
	if (status)
		return status;
	detail = bl_arena_printf(call->arena, "{\"percent\":%lld}",
				 (long long)percent);
	return finish(call, "rollout.set", version, detail);
}

/* GET /api/rollout */
enum bl_status route_rollout(struct call *call)
{
	return call_list(
		call, "rollout",
		BL_DB_PLAIN("SELECT place, version, share, label, "
			    "since, state FROM rollout ORDER BY place"),
		"place#,version#,share#,label,since#,state");
}

/* ---- the halt ------------------------------------------------------------- */

struct rates {
	int64_t new_count;
	int64_t new_bad;
	int64_t old_count;
	int64_t old_bad;
};

/* Refusals and failures since the roll-out began: with the set, and without. */
static enum bl_status count_rates(struct bl_db *db, struct bl_arena *arena,
				  int64_t version, int64_t since,
				  struct rates *out, struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT CASE WHEN set_version = $1 THEN 1 ELSE 0 "
			    "END, COUNT(*), SUM(CASE WHEN verdict = 'deny' OR "
			    "failed <> 0 THEN 1 ELSE 0 END) FROM execution "
			    "WHERE at >= $2 GROUP BY 1",
			    bl_db_integer(version), bl_db_integer(since)),
		arena, &rows, err);

	*out = (struct rates){ 0 };
	for (size_t i = 0; !status && i < rows.count; i++) {
		bool is_new = bl_rows_integer(&rows, i, 0) != 0;

		*(is_new ? &out->new_count : &out->old_count) =
			bl_rows_integer(&rows, i, 1);
		*(is_new ? &out->new_bad : &out->old_bad) =
			bl_rows_integer(&rows, i, 2);
	}
	return status;
}

static bool is_worse(const struct rates *rates)
{
	int64_t old_percent =
		rates->old_count ? rates->old_bad * 100 / rates->old_count : 0;
	int64_t new_percent;

	if (rates->new_count < LEAST_RECORDS)
		return false;
	new_percent = rates->new_bad * 100 / rates->new_count;
	return new_percent > FACTOR * old_percent &&
	       new_percent > old_percent + LEAST_EXCESS;
}

static enum bl_status halt(struct app *app, struct bl_db *db,
			   struct bl_arena *arena, int64_t version,
			   const struct rates *rates, struct bl_error *err)
{
	struct bl_str detail = bl_arena_printf(
		arena,
		"{\"bad\":%lld,\"of\":%lld,\"others_bad\":%lld,"
		"\"others_of\":%lld}",
		(long long)rates->new_bad, (long long)rates->new_count,
		(long long)rates->old_bad, (long long)rates->old_count);
	enum bl_status status = bl_db_run(
		db,
		BL_DB_QUERY("UPDATE rollout SET state = 'halted' WHERE version "
			    "= $1",
			    bl_db_integer(version)),
		NULL, err);

	if (!status)
		status = audit_add_by(
			db, BL_STR("belay-server"), "rollout.halt",
			bl_arena_printf(arena, "%lld", (long long)version),
			detail, err);
	if (!status)
		status = publish_fresh(app, db, true, err);
	if (!status)
		app_log(LOG_WARNING, "roll-out of set %lld halted: %.*s",
			(long long)version, BL_STR_ARG(detail));
	return status;
}

static enum bl_status watch(struct app *app, struct bl_db *db,
			    struct bl_arena *arena, struct bl_error *err)
{
	struct rates rates;
	struct bl_rows rows;
	int64_t version;
	/* Only while others have another set: else there is nothing to compare. */
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_PLAIN("SELECT version, since FROM rollout WHERE place = "
			    "0 AND state = 'active' AND EXISTS (SELECT 1 FROM "
			    "rollout WHERE place = 1)"),
		arena, &rows, err);

	if (status || !rows.count)
		return status;
	version = bl_rows_integer(&rows, 0, 0);
	status = count_rates(db, arena, version, bl_rows_integer(&rows, 0, 1),
			     &rates, err);
	if (status || !is_worse(&rates))
		return status;
	return halt(app, db, arena, version, &rates, err);
}

enum bl_status rollout_watch(struct app *app, struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_db *db;
	enum bl_status status = bl_db_begin(app->store, BL_DB_WRITE, &db, err);

	if (status)
		return status;
	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_db_end(db, watch(app, db, &arena, err), err);
	bl_arena_clear(&arena);
	return status;
}

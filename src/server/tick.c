/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tick.c: what is done by the clock.  Each piece stands alone: one that fails is
 * logged and tried again at its next time.
 */
#include "server/routes.h"

enum {
	SEEN_MS = 5 * SECOND_MS,
	HALT_MS = 5 * SECOND_MS,
	FRESH_MS = MINUTE_MS,
};

static enum bl_status renew_fresh(struct app *app, struct bl_error *err)
{
	struct bl_db *db;
	enum bl_status status = bl_db_begin(app->store, BL_DB_WRITE, &db, err);

	return status ? status
		      : bl_db_end(db, publish_fresh(app, db, false, err), err);
}

static enum bl_status drop_old(struct app *app, struct bl_error *err)
{
	int64_t now = bl_os_wall_ms();
	int64_t kept_ms = app->options.retention_days * DAY_MS;
	struct bl_store_upkeep upkeep;
	struct bl_db *db;
	enum bl_status status =
		bl_store_maintain(app->store, now - kept_ms, &upkeep, err);

	/* At the next tick, not in an hour. */
	if (!status && !upkeep.is_done)
		app->upkeep_ms = 0;
	if (!status)
		status = bl_db_begin(app->store, BL_DB_WRITE, &db, err);
	if (status)
		return status;
	status = bl_db_run(db,
			   BL_DB_QUERY("DELETE FROM device WHERE expires < $1",
				       bl_db_integer(now - HOUR_MS)),
			   NULL, err);
	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY("DELETE FROM token WHERE kind = 's' AND "
				    "expires < $1",
				    bl_db_integer(now)),
			NULL, err);
	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY("DELETE FROM login WHERE created < $1",
				    bl_db_integer(now - HOUR_MS)),
			NULL, err);
	/* Their records are gone, or nobody is to have them any more. */
	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY("DELETE FROM export WHERE queued < $1",
				    bl_db_integer(now - kept_ms)),
			NULL, err);
	return bl_db_end(db, status, err);
}

static enum bl_status note_sessions(struct app *app, struct bl_error *err)
{
	return callers_write(app, MINUTE_MS, err);
}

static enum bl_status revoke_replaced(struct app *app, struct bl_error *err)
{
	return callers_have_replaced(app->callers)
		       ? callers_write(app, MINUTE_MS, err)
		       : BL_OK;
}

static enum bl_status look(struct app *app, struct bl_error *err)
{
	return app_catch_up(app, false, err);
}

void app_tick(struct app *app)
{
	const struct {
		int64_t *last;
		int64_t every_ms;
		enum bl_status (*run)(struct app *app, struct bl_error *err);
		const char *what;
	} rows[] = {
		{ &app->fresh_ms, FRESH_MS, renew_fresh, "freshness" },
		{ &app->seen_ms, SEEN_MS, seen_write, "heartbeats" },
		{ &app->sessions_ms, MINUTE_MS, note_sessions, "sessions" },
		{ &app->replaced_ms, SECOND_MS / 2, revoke_replaced,
		  "replaced tokens" },
		{ &app->halt_ms, HALT_MS, rollout_watch, "roll-outs" },
		{ &app->upkeep_ms, HOUR_MS, drop_old, "upkeep" },
		/* last: sees what the others have changed */
		{ &app->look_ms, SECOND_MS / 2, look, "reading changes" },
	};
	int64_t now = bl_os_monotonic_ns() / 1000000;

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_error err;

		if (*rows[i].last && now - *rows[i].last < rows[i].every_ms)
			continue;
		*rows[i].last = now;
		if (rows[i].run(app, &err))
			app_log(LOG_FAILURE, "%s: %s", rows[i].what,
				err.message);
	}
}

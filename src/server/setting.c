/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting.c: single values, and the epoch: a number that rises with every change
 * that other servers of the database have in memory.
 */
#include "server/app.h"

enum bl_status setting_get(struct bl_db *db, const char *name,
			   struct bl_arena *arena, struct bl_str *out_value,
			   struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT value FROM setting WHERE name = $1",
			    bl_db_text(bl_str(name))),
		arena, &rows, err);

	if (!status)
		*out_value = bl_rows_text(&rows, 0, 0);
	return status;
}

enum bl_status setting_set(struct bl_db *db, const char *name,
			   struct bl_str value, struct bl_error *err)
{
	return bl_db_run(
		db,
		BL_DB_QUERY("INSERT INTO setting VALUES ($1, $2) ON CONFLICT "
			    "(name) DO UPDATE SET value = excluded.value",
			    bl_db_text(bl_str(name)), bl_db_text(value)),
		NULL, err);
}

enum bl_status epoch_raise(struct bl_db *db, struct bl_error *err)
{
	return bl_db_run(
		db,
		BL_DB_PLAIN("INSERT INTO setting VALUES ('epoch', '1') ON "
			    "CONFLICT (name) DO UPDATE SET value = "
			    "CAST(CAST(setting.value AS INTEGER) + 1 AS TEXT)"),
		NULL, err);
}

static enum bl_status catch_up(struct app *app, bool forced,
			       struct bl_error *err)
{
	struct bl_rows rows;
	struct bl_arena arena;
	struct bl_db *db;
	int64_t epoch = 0;
	enum bl_status status = bl_db_begin(app->store, BL_DB_READ, &db, err);

	if (status)
		return status;
	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_db_ask(
		db,
		BL_DB_PLAIN("SELECT value FROM setting WHERE name = 'epoch'"),
		&arena, &rows, err);
	if (!status) {
		epoch = bl_rows_integer(&rows, 0, 0);
		forced |= epoch != atomic_load(&app->epoch);
	}
	if (!status && forced) {
		callers_forget(app->callers);
		status = snapshot_load(app, db, err);
	}
	status = bl_db_end(db, status, err);
	if (!status)
		atomic_store(&app->epoch, epoch);
	bl_arena_clear(&arena);
	return status;
}

enum bl_status app_catch_up(struct app *app, bool forced, struct bl_error *err)
{
	enum bl_status status;

	/* Else one that has read an older state could put it in last. */
	pthread_mutex_lock(&app->catching_up);
	status = catch_up(app, forced, err);
	pthread_mutex_unlock(&app->catching_up);
	return status;
}

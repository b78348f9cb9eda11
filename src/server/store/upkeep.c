/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upkeep.c: what a database needs beside questions: days to come and days gone,
 * a copy of it, a move to another one.
 */
#include "server/store/private.h"

#include <stdlib.h>
#include <time.h>

#include "os/os.h"

enum {
	LOCK_UPKEEP = 7261,
	DAY_MS = 86400000,
	DAYS_AHEAD = 7,
	SLICE_ROWS = 5000,
	COPY_ROWS = 500,
	MAX_COLUMNS = 24,
	ARENA_BYTES = 512 << 20,
};

/* ---- days ----------------------------------------------------------------- */

/* "execution_20261129" of the day that begins at day_ms. */
static void print_partition(int64_t day_ms, char out[32])
{
	time_t seconds = (time_t)(day_ms / 1000);
	struct tm day;

	gmtime_r(&seconds, &day);
	strftime(out, 32, "execution_%Y%m%d", &day);
}

/* One partition for each day from yesterday on, where it is missing. */
static enum bl_status make_days(struct bl_db *db, struct bl_error *err)
{
	int64_t today = bl_os_wall_ms() / DAY_MS * DAY_MS;
	enum bl_status status = BL_OK;

	for (int i = -1; !status && i <= DAYS_AHEAD; i++) {
		int64_t from = today + (int64_t)i * DAY_MS;
		char name[32];
		char sql[256];

		print_partition(from, name);
		snprintf(sql, sizeof(sql),
			 "CREATE TABLE IF NOT EXISTS %s PARTITION OF execution "
			 "FOR VALUES FROM (%lld) TO (%lld)",
			 name, (long long)from, (long long)(from + DAY_MS));
		status = bl_db_run(db, BL_DB_PLAIN(sql), NULL, err);
	}
	return status;
}

static enum bl_status drop_days(struct bl_db *db, int64_t before_ms,
				uint64_t *dropped, struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_rows rows;
	enum bl_status status;
	char last[32];

	/* Names sort by day; the day of before_ms itself stays. */
	print_partition(before_ms, last);
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES);
	status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT c.relname FROM pg_inherits i JOIN pg_class "
			    "c ON c.oid = i.inhrelid WHERE i.inhparent = "
			    "'execution'::regclass AND c.relname LIKE "
			    "'execution_2%' AND c.relname < $1",
			    bl_db_text(bl_str(last))),
		&arena, &rows, err);
	for (size_t i = 0; !status && i < rows.count; i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "DROP TABLE %.60s",
			 bl_rows_text(&rows, i, 0).ptr);
		status = bl_db_run(db, BL_DB_PLAIN(sql), NULL, err);
		*dropped += !status;
	}
	bl_arena_clear(&arena);
	return status;
}

/* Old rows, a slice at a time, so that nobody waits long for the writer. */
static enum bl_status drop_rows(struct bl_db *db, int64_t before_ms,
				uint64_t *dropped, struct bl_error *err)
{
	uint64_t changes = 0;
	enum bl_status status = bl_db_run(
		db,
		BL_DB_QUERY("DELETE FROM execution WHERE (machine, seq, at) IN "
			    "(SELECT machine, seq, at FROM execution WHERE "
			    "at < $1 LIMIT $2)",
			    bl_db_integer(before_ms),
			    bl_db_integer(SLICE_ROWS)),
		&changes, err);

	*dropped += changes;
	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY("DELETE FROM decision WHERE at < $1",
				    bl_db_integer(before_ms)),
			NULL, err);
	return status;
}

enum bl_status bl_store_maintain(struct bl_store *store, int64_t before_ms,
				 uint64_t *out_dropped, struct bl_error *err)
{
	uint64_t dropped = 0;
	struct bl_db *db;
	enum bl_status status = bl_db_begin(store, BL_DB_WRITE, &db, err);

	if (status)
		return status;
	status = bl_db_lock(db, LOCK_UPKEEP, err);
	if (!status && bl_store_is_postgresql(store)) {
		status = make_days(db, err);
		if (!status)
			status = drop_days(db, before_ms, &dropped, err);
	}
	if (!status)
		status = drop_rows(db, before_ms, &dropped, err);
	status = bl_db_end(db, status, err);
	if (!status)
		*out_dropped = dropped;
	return status;
}

/* ---- copies --------------------------------------------------------------- */

enum bl_status bl_store_backup(struct bl_store *store, struct bl_str path,
			       struct bl_error *err)
{
	struct bl_db *db;
	enum bl_status status;

	if (bl_store_is_postgresql(store))
		return bl_fail(err, BL_UNSUPPORTED,
			       "PostgreSQL is backed up by pg_dump");
	status = bl_db_begin(store, BL_DB_READ, &db, err);
	if (status)
		return status;
	return bl_db_end(db, store_sqlite_backup(db->connection, path, err),
			 err);
}

/* Inserts the rows of one slice into the same table of another store. */
static enum bl_status put_rows(struct bl_db *to, const char *table,
			       const struct bl_rows *rows, struct bl_error *err)
{
	bool has_bytes = !strcmp(table, "object");
	enum bl_status status = BL_OK;
	struct bl_buf sql;

	if (rows->columns > MAX_COLUMNS)
		return bl_fail(err, BL_LIMIT, "%s has too many columns", table);
	bl_buf_init(&sql, 0);
	bl_buf_printf(&sql, "INSERT INTO %s VALUES (", table);
	for (size_t i = 0; i < rows->columns; i++)
		bl_buf_printf(&sql, "%s$%zu", i ? ", " : "", i + 1);
	bl_buf_puts(&sql, ")");
	if (bl_buf_status(&sql))
		status = bl_fail_memory(err);
	for (size_t row = 0; !status && row < rows->count; row++) {
		struct bl_db_value values[MAX_COLUMNS];

		for (size_t i = 0; i < rows->columns; i++) {
			values[i] = bl_db_text(bl_rows_text(rows, row, i));
			if (has_bytes && i == 1)
				values[i].type = BL_DB_BYTES;
		}
		status = bl_db_run(
			to,
			&(struct bl_db_query){ sql.ptr, values, rows->columns },
			NULL, err);
	}
	bl_buf_clear(&sql);
	return status;
}

static enum bl_status copy_table(struct bl_db *from, struct bl_db *to,
				 const char *table, uint64_t *copied,
				 struct bl_error *err)
{
	enum bl_status status = BL_OK;
	struct bl_arena arena;
	struct bl_rows rows = { .count = COPY_ROWS };
	int64_t offset = 0;
	char sql[128];

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES);
	snprintf(sql, sizeof(sql),
		 "SELECT * FROM %s ORDER BY 1%s LIMIT $1 OFFSET $2", table,
		 strcmp(table, "execution") ? "" : ", 2, 3");
	while (!status && rows.count == COPY_ROWS) {
		bl_arena_reset(&arena);
		status = bl_db_ask(from,
				   BL_DB_QUERY(sql, bl_db_integer(COPY_ROWS),
					       bl_db_integer(offset)),
				   &arena, &rows, err);
		if (!status)
			status = put_rows(to, table, &rows, err);
		offset += (int64_t)rows.count;
		*copied += rows.count;
	}
	bl_arena_clear(&arena);
	return status;
}

/* Both sides see one state: one transaction each. */
enum bl_status bl_store_copy(struct bl_store *from, struct bl_store *to,
			     uint64_t *out_rows, struct bl_error *err)
{
	struct bl_db *source;
	struct bl_db *target;
	struct bl_error ignored;
	uint64_t copied = 0;
	enum bl_status status = bl_db_begin(from, BL_DB_READ, &source, err);

	if (status)
		return status;
	status = bl_db_begin(to, BL_DB_WRITE, &target, err);
	if (status) {
		bl_db_end(source, BL_SYSTEM, &ignored);
		return status;
	}
	if (bl_store_is_postgresql(to))
		status = make_days(target, err);
	for (size_t i = 0; !status && i < store_table_count; i++)
		status = copy_table(source, target, store_tables[i], &copied,
				    err);
	if (status == BL_EXISTS)
		bl_error_context(err, "the database to copy to is not empty");
	status = bl_db_end(target, status, err);
	bl_db_end(source, BL_SYSTEM, &ignored);
	if (!status)
		*out_rows = copied;
	return status;
}

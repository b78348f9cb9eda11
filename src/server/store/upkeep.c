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
	DROP_MS = 5000, /* for dropping rows, at a time */
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

static enum bl_status find_day(struct bl_db *db, const char *name,
			       bool *out_found, struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_rows rows;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES);
	status = bl_db_ask(db,
			   BL_DB_QUERY("SELECT 1 WHERE to_regclass($1) IS NOT "
				       "NULL",
				       bl_db_text(bl_str(name))),
			   &arena, &rows, err);
	*out_found = !status && rows.count;
	bl_arena_clear(&arena);
	return status;
}

/* A statement whose names and bounds cannot be parameters. */
static enum bl_status BL_PRINTF(3, 4)
	run_text(struct bl_db *db, struct bl_error *err, const char *text, ...)
{
	char sql[256];
	va_list args;

	va_start(args, text);
	vsnprintf(sql, sizeof(sql), text, args);
	va_end(args);
	return bl_db_run(db, BL_DB_PLAIN(sql), NULL, err);
}

/*
 * A day's partition.  Records of that day may be in the partition for the rest,
 * from machines whose clocks are ahead: they move, since PostgreSQL would refuse
 * the new partition because of them.
 */
static enum bl_status make_day(struct bl_db *db, int64_t from, const char *name,
			       struct bl_error *err)
{
	long long begin = (long long)from;
	long long end = (long long)from + DAY_MS;
	/* Nobody puts more of them there meanwhile. */
	enum bl_status status = run_text(
		db, err, "LOCK TABLE execution_rest IN ACCESS EXCLUSIVE MODE");

	if (!status)
		status = run_text(db, err,
				  "CREATE TABLE %s (LIKE execution INCLUDING "
				  "ALL)",
				  name);
	if (!status)
		status = run_text(db, err,
				  "INSERT INTO %s SELECT * FROM execution_rest "
				  "WHERE at >= %lld AND at < %lld",
				  name, begin, end);
	if (!status)
		status = run_text(db, err,
				  "DELETE FROM execution_rest WHERE at >= %lld "
				  "AND at < %lld",
				  begin, end);
	return status ? status
		      : run_text(db, err,
				 "ALTER TABLE execution ATTACH PARTITION %s "
				 "FOR VALUES FROM (%lld) TO (%lld)",
				 name, begin, end);
}

/* One partition for each day from yesterday on, where it is missing. */
static enum bl_status make_days(struct bl_db *db, struct bl_error *err)
{
	int64_t today = bl_os_wall_ms() / DAY_MS * DAY_MS;
	enum bl_status status = BL_OK;

	for (int i = -1; !status && i <= DAYS_AHEAD; i++) {
		int64_t from = today + (int64_t)i * DAY_MS;
		bool is_there = false;
		char name[32];

		print_partition(from, name);
		status = find_day(db, name, &is_there, err);
		if (!status && !is_there)
			status = make_day(db, from, name, err);
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
		status = run_text(db, err, "DROP TABLE %.60s",
				  bl_rows_text(&rows, i, 0).ptr);
		*dropped += !status;
	}
	bl_arena_clear(&arena);
	return status;
}

/* ---- rows ----------------------------------------------------------------- */

static const char *const slices[] = {
	"DELETE FROM execution WHERE (machine, seq, at) IN (SELECT machine, "
	"seq, at FROM execution WHERE at < $1 LIMIT $2)",
	"DELETE FROM decision WHERE id IN (SELECT id FROM decision WHERE at < "
	"$1 LIMIT $2)",
};

/* A slice of old rows in a transaction of its own: others write in between. */
static enum bl_status drop_slice(struct bl_store *store, const char *sql,
				 int64_t before_ms, uint64_t *out_rows,
				 struct bl_error *err)
{
	struct bl_db *db;
	enum bl_status status = bl_db_begin(store, BL_DB_WRITE, &db, err);

	if (status)
		return status;
	return bl_db_end(db,
			 bl_db_run(db,
				   BL_DB_QUERY(sql, bl_db_integer(before_ms),
					       bl_db_integer(SLICE_ROWS)),
				   out_rows, err),
			 err);
}

/* Slice after slice for a while; *out_is_done false: there are more. */
static enum bl_status drop_rows(struct bl_store *store, int64_t before_ms,
				uint64_t *dropped, bool *out_is_done,
				struct bl_error *err)
{
	int64_t until_ns = bl_os_monotonic_ns() + (int64_t)DROP_MS * 1000000;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < BL_COUNT(slices); i++) {
		uint64_t rows = SLICE_ROWS;

		while (!status && rows == SLICE_ROWS &&
		       bl_os_monotonic_ns() < until_ns) {
			status = drop_slice(store, slices[i], before_ms, &rows,
					    err);
			*dropped += status ? 0 : rows;
		}
		*out_is_done &= rows < SLICE_ROWS;
	}
	return status;
}

static enum bl_status keep_days(struct bl_store *store, int64_t before_ms,
				uint64_t *dropped, struct bl_error *err)
{
	struct bl_db *db;
	enum bl_status status = bl_db_begin(store, BL_DB_WRITE, &db, err);

	if (status)
		return status;
	status = bl_db_lock(db, LOCK_UPKEEP, err);
	if (!status)
		status = make_days(db, err);
	if (!status)
		status = drop_days(db, before_ms, dropped, err);
	return bl_db_end(db, status, err);
}

enum bl_status bl_store_maintain(struct bl_store *store, int64_t before_ms,
				 struct bl_store_upkeep *out,
				 struct bl_error *err)
{
	enum bl_status status = BL_OK;

	*out = (struct bl_store_upkeep){ .is_done = true };
	if (bl_store_is_postgresql(store))
		status = keep_days(store, before_ms, &out->dropped, err);
	return status ? status
		      : drop_rows(store, before_ms, &out->dropped,
				  &out->is_done, err);
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
		 !strcmp(table, "execution") ? ", 2, 3"
		 : !strcmp(table, "export")  ? ", 2"
					     : "");
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
	if (status)
		bl_error_context(err, "table %s", table);
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

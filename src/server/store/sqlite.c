/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c: the store in one file, by SQLite. */
#include "server/store/private.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "os/os.h"

enum {
	APPLICATION_ID = 0x626c7331, /* "bls1" */
	BUSY_MS = 5000,
	MAX_SQL_BYTES = 256 * 1024,
	FILE_MODE = 0600,
};

static const char settings[] =
	"PRAGMA journal_mode=WAL;"
	"PRAGMA synchronous=FULL;" /* what was acknowledged is kept */
	"PRAGMA foreign_keys=ON;"
	"PRAGMA trusted_schema=OFF;"
	"PRAGMA cell_size_check=ON;"
	"PRAGMA mmap_size=0;"
	"PRAGMA wal_autocheckpoint=1000;"
	"PRAGMA journal_size_limit=67108864;"
	"PRAGMA temp_store=MEMORY;";

static enum bl_status status_of(int code)
{
	static const struct {
		int code;
		enum bl_status status;
	} rows[] = {
		{ SQLITE_CONSTRAINT, BL_EXISTS }, { SQLITE_FULL, BL_LIMIT },
		{ SQLITE_BUSY, BL_TIMEOUT },      { SQLITE_LOCKED, BL_TIMEOUT },
		{ SQLITE_NOMEM, BL_NO_MEMORY },   { SQLITE_ERROR, BL_INVALID },
		{ SQLITE_TOOBIG, BL_LIMIT },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if ((code & 0xff) == rows[i].code)
			return rows[i].status;
	return BL_SYSTEM;
}

static enum bl_status fail(sqlite3 *handle, int code, struct bl_error *err)
{
	return bl_fail(err, status_of(code), "database: %s",
		       handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code));
}

static enum bl_status script(void *connection, const char *sql,
			     struct bl_error *err)
{
	int code = sqlite3_exec(connection, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? BL_OK : fail(connection, code, err);
}

static void disconnect(void *connection)
{
	sqlite3_close_v2(connection);
}

/* The file is nobody else's, from its first byte on. */
static enum bl_status make_file(struct bl_str where, struct bl_error *err)
{
	struct bl_error ignored;
	enum bl_status status =
		bl_os_create_file(where, BL_STR(""), FILE_MODE, &ignored);

	if (!status || status == BL_EXISTS)
		return BL_OK;
	return bl_fail(err, status, "cannot make the database: %s",
		       ignored.message);
}

static enum bl_status connect(struct bl_str where, enum bl_db_mode mode,
			      void **out, struct bl_error *err)
{
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE;
	char *path = strndup(where.ptr, where.len);
	enum bl_status status;
	sqlite3 *handle = NULL;
	int code;

	if (!path)
		return bl_fail_memory(err);
	status = mode == BL_DB_WRITE ? make_file(where, err) : BL_OK;
	if (status) {
		free(path);
		return status;
	}
	code = sqlite3_open_v2(path, &handle, flags, NULL);
	free(path);
	if (code != SQLITE_OK) {
		status = fail(handle, code, err);
		sqlite3_close_v2(handle);
		return status;
	}
	sqlite3_busy_timeout(handle, BUSY_MS);
	sqlite3_extended_result_codes(handle, 1);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
	sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES);
	sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
	status = script(handle, settings, err);
	if (!status && mode == BL_DB_READ)
		status = script(handle, "PRAGMA query_only=ON", err);
	if (status) {
		sqlite3_close_v2(handle);
		return status;
	}
	*out = handle;
	return BL_OK;
}

static enum bl_status version(void *connection, int64_t *out,
			      struct bl_error *err)
{
	sqlite3_stmt *statement;
	int code = sqlite3_prepare_v2(connection, "PRAGMA user_version", -1,
				      &statement, NULL);

	if (code != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW) {
		sqlite3_finalize(statement);
		return fail(connection, code, err);
	}
	*out = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return BL_OK;
}

static enum bl_status set_version(void *connection, int64_t number,
				  struct bl_error *err)
{
	struct bl_buf sql;
	enum bl_status status;

	bl_buf_init(&sql, 0);
	bl_buf_printf(&sql,
		      "PRAGMA application_id=%d; PRAGMA user_version=%lld",
		      APPLICATION_ID, (long long)number);
	status = script(connection, sql.ptr, err);
	bl_buf_clear(&sql);
	return status;
}

/* ---- statements ----------------------------------------------------------- */

/*
 * $1 as ?1: SQLite finds names by going through all of them, numbers at once.
 * A statement of 1,600 values takes a tenth of the time.
 */
static char *with_numbers(const char *sql)
{
	char *copy = strdup(sql);

	for (char *at = copy; at && (at = strchr(at, '$')); at++)
		if (at[1] >= '0' && at[1] <= '9')
			*at = '?';
	return copy;
}

static int bind(sqlite3_stmt *statement, const struct bl_db_query *query)
{
	size_t wanted = (size_t)sqlite3_bind_parameter_count(statement);
	int code = SQLITE_OK;

	for (size_t i = 0; i < query->count && i < wanted && code == SQLITE_OK;
	     i++) {
		const struct bl_db_value *value = &query->values[i];
		const char *ptr = value->text.ptr ? value->text.ptr : "";
		int at = (int)i + 1;

		switch (value->type) {
		case BL_DB_NULL:
			code = sqlite3_bind_null(statement, at);
			break;
		case BL_DB_INTEGER:
			code = sqlite3_bind_int64(statement, at,
						  value->integer);
			break;
		case BL_DB_TEXT:
			code = sqlite3_bind_text64(statement, at, ptr,
						   value->text.len, NULL,
						   SQLITE_UTF8);
			break;
		case BL_DB_BYTES:
			code = sqlite3_bind_blob64(statement, at, ptr,
						   value->text.len, NULL);
			break;
		}
	}
	return code;
}

/* Copies the row; false when memory is out. */
static bool take_row(sqlite3_stmt *statement, struct bl_arena *arena,
		     struct bl_rows *rows, size_t *cap)
{
	struct bl_str *cells;

	rows->columns = (size_t)sqlite3_column_count(statement);
	if (!rows->columns)
		return true;
	cells = bl_arena_room(arena, rows->cells, rows->count, cap,
			      sizeof(*cells) * rows->columns);
	if (!cells)
		return false;
	rows->cells = cells;
	cells += rows->count * rows->columns;
	for (size_t i = 0; i < rows->columns; i++) {
		int column = (int)i;
		const void *bytes;

		cells[i] = (struct bl_str){ NULL, 0 };
		if (sqlite3_column_type(statement, column) == SQLITE_NULL)
			continue;
		bytes = sqlite3_column_type(statement, column) == SQLITE_BLOB
				? sqlite3_column_blob(statement, column)
				: sqlite3_column_text(statement, column);
		cells[i].ptr = bytes ? bytes : "";
		cells[i].len = (size_t)sqlite3_column_bytes(statement, column);
		cells[i] = bl_arena_copy_str(arena, cells[i]);
		if (!cells[i].ptr)
			return false;
	}
	rows->count++;
	return true;
}

static enum bl_status run(struct bl_db *db, sqlite3_stmt *statement,
			  struct bl_rows *rows, struct bl_error *err)
{
	size_t cap = 0;
	int code;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW)
		if (rows && !take_row(statement, db->arena, rows, &cap))
			return bl_arena_fail(db->arena, err);
	return code == SQLITE_DONE ? BL_OK : fail(db->connection, code, err);
}

static enum bl_status query(struct bl_db *db, const struct bl_db_query *ask,
			    struct bl_rows *rows, uint64_t *changes,
			    struct bl_error *err)
{
	sqlite3_stmt *statement = NULL;
	char *sql = with_numbers(ask->sql);
	enum bl_status status;
	int code;

	if (!sql)
		return bl_fail_memory(err);
	code = sqlite3_prepare_v2(db->connection, sql, -1, &statement, NULL);
	free(sql);
	if (code == SQLITE_OK)
		code = bind(statement, ask);
	if (code != SQLITE_OK) {
		status = fail(db->connection, code, err);
		sqlite3_finalize(statement);
		return status;
	}
	status = run(db, statement, rows, err);
	sqlite3_finalize(statement);
	*changes = (uint64_t)sqlite3_changes64(db->connection);
	return status;
}

static const char *const words[][2] = {
	{ "@integer", "INTEGER" }, { "@bytes", "BLOB" },
	{ "@table", "STRICT" },    { "@daily", "STRICT" },
	{ "@partitions", "" },
};

const struct store_driver store_sqlite = {
	.name = "SQLite",
	.words = words,
	.word_count = BL_COUNT(words),
	.connect = connect,
	.disconnect = disconnect,
	.script = script,
	.query = query,
	.version = version,
	.set_version = set_version,
	.begin = { "BEGIN", "BEGIN IMMEDIATE" },
	.has_one_writer = true,
};

enum bl_status store_sqlite_backup(void *connection, struct bl_str path,
				   struct bl_error *err)
{
	char *to = strndup(path.ptr, path.len);
	sqlite3 *target = NULL;
	sqlite3_backup *backup;
	enum bl_status status;
	int code;

	if (!to)
		return bl_fail_memory(err);
	status = bl_os_create_file(path, BL_STR(""), FILE_MODE, err);
	if (status) {
		free(to);
		return status;
	}
	code = sqlite3_open_v2(to, &target, SQLITE_OPEN_READWRITE, NULL);
	free(to);
	backup = code == SQLITE_OK ? sqlite3_backup_init(target, "main",
							 connection, "main")
				   : NULL;
	if (backup) {
		/* At once: a reader does not hold up the writer. */
		sqlite3_backup_step(backup, -1);
		code = sqlite3_backup_finish(backup);
	}
	status = backup && code == SQLITE_OK
			 ? BL_OK
			 : bl_fail(err, status_of(code), "backup: %s",
				   sqlite3_errmsg(target));
	sqlite3_close_v2(target);
	return status;
}

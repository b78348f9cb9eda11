/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/store/store.h: one database behind one header: SQLite in a file, or
 * PostgreSQL by a connection string.
 *
 * Statements are the same text for both, with parameters $1, $2, ...; what
 * differs between them (types, partitions) is in the migrations alone.  Work
 * is done in a transaction: begin takes a connection from the pool, commit or
 * roll back gives it back.  SQLite has one writer at a time, and as many
 * readers as wanted; a commit that returned OK is on the disk
 * (synchronous=FULL).
 *
 * Failures: EXISTS for a key that is there already, LIMIT when the disk is
 * full, TIMEOUT when a lock was not to be had, SYSTEM when the database is not
 * reachable or broken, INVALID for a statement that it does not take, or for a
 * text that is not UTF-8 without NUL.
 */
#ifndef BELAY_SERVER_STORE_STORE_H
#define BELAY_SERVER_STORE_STORE_H

#include "base/arena.h"
#include "base/error.h"

struct bl_store;
struct bl_db; /* one connection, in one transaction */

/*
 * where is the path of an SQLite file, made when missing, or begins with
 * "postgresql://" or "postgres://".  The tables are brought up to date; a
 * database of a newer belay-server is refused.  max_connections: at most so
 * many transactions at once, others wait.
 */
enum bl_status bl_store_open(struct bl_str where, unsigned max_connections,
			     struct bl_store **out_store, struct bl_error *err);

/* No transaction may be going on.  Returns NULL; NULL is fine. */
struct bl_store *bl_store_close(struct bl_store *store);

bool bl_store_is_postgresql(const struct bl_store *store);

/* ---- transactions --------------------------------------------------------- */

enum bl_db_mode { BL_DB_READ, BL_DB_WRITE };

enum bl_status bl_db_begin(struct bl_store *store, enum bl_db_mode mode,
			   struct bl_db **out_db, struct bl_error *err);

/*
 * Both give the connection back: db is gone afterwards.  end commits when
 * status is OK, else rolls back; it returns status, or why committing failed.
 */
enum bl_status bl_db_end(struct bl_db *db, enum bl_status status,
			 struct bl_error *err);

struct bl_db_value {
	enum { BL_DB_NULL, BL_DB_INTEGER, BL_DB_TEXT, BL_DB_BYTES } type;
	int64_t integer;
	struct bl_str text;
};

static inline struct bl_db_value bl_db_integer(int64_t integer)
{
	return (struct bl_db_value){ BL_DB_INTEGER, integer, { NULL, 0 } };
}

/* ptr NULL gives NULL. */
static inline struct bl_db_value bl_db_text(struct bl_str text)
{
	return (struct bl_db_value){ text.ptr ? BL_DB_TEXT : BL_DB_NULL, 0,
				     text };
}

static inline struct bl_db_value bl_db_bytes(struct bl_str bytes)
{
	return (struct bl_db_value){ BL_DB_BYTES, 0, bytes };
}

static inline struct bl_db_value bl_db_null(void)
{
	return (struct bl_db_value){ BL_DB_NULL, 0, { NULL, 0 } };
}

/* Rows of an answer; their cells are in the arena. */
struct bl_rows {
	size_t count;
	size_t columns;
	struct bl_str *cells; /* ptr NULL: NULL */
};

static inline struct bl_str bl_rows_text(const struct bl_rows *rows, size_t row,
					 size_t column)
{
	if (row >= rows->count || column >= rows->columns)
		return (struct bl_str){ NULL, 0 };
	return rows->cells[row * rows->columns + column];
}

/* 0 for what is not an integer, NULL among it. */
int64_t bl_rows_integer(const struct bl_rows *rows, size_t row, size_t column);

struct bl_db_query {
	const char *sql;
	const struct bl_db_value *values; /* of $1, $2, ... */
	size_t count;
};

/* BL_DB_QUERY("SELECT ... $1", bl_db_integer(1)) */
#define BL_DB_QUERY(text, ...)                                                 \
	(&(struct bl_db_query){                                                \
		text, (const struct bl_db_value[]){ __VA_ARGS__ },             \
		sizeof((const struct bl_db_value[]){ __VA_ARGS__ }) /          \
			sizeof(struct bl_db_value) })
#define BL_DB_PLAIN(text) (&(struct bl_db_query){ text, NULL, 0 })

/* Runs a statement; *out_changes (may be NULL) is the number of rows. */
enum bl_status bl_db_run(struct bl_db *db, const struct bl_db_query *query,
			 uint64_t *out_changes, struct bl_error *err);

enum bl_status bl_db_ask(struct bl_db *db, const struct bl_db_query *query,
			 struct bl_arena *arena, struct bl_rows *out_rows,
			 struct bl_error *err);

/*
 * Until the end of the transaction nobody else passes the same number: for
 * what has to be done one after the other by all servers of a database.
 */
enum bl_status bl_db_lock(struct bl_db *db, int number, struct bl_error *err);

/* ---- upkeep --------------------------------------------------------------- */

struct bl_store_upkeep {
	uint64_t dropped; /* rows and partitions */
	bool is_done;     /* else there are more old rows: call it again soon */
};

/*
 * Makes room for the days to come, and drops records from before before_ms
 * (wall clock): partitions in PostgreSQL, and rows, slice after slice for a few
 * seconds, so that nobody waits long for the writer.
 */
enum bl_status bl_store_maintain(struct bl_store *store, int64_t before_ms,
				 struct bl_store_upkeep *out,
				 struct bl_error *err);

/*
 * Copies a database while it is in use.  backup: SQLite alone, into a new file.
 * copy: every table of one store into another, which has to be empty.
 */
enum bl_status bl_store_backup(struct bl_store *store, struct bl_str path,
			       struct bl_error *err);
enum bl_status bl_store_copy(struct bl_store *from, struct bl_store *to,
			     uint64_t *out_rows, struct bl_error *err);

#endif

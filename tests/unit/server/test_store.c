/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_store [CONNECTION]: src/server/store, every test on a database of its own:
 * SQLite in a new folder, or the PostgreSQL server that CONNECTION leads to
 * (whose database is empty).
 */
#include <stdlib.h>
#include <unistd.h>

#include "os/os.h"
#include "server/store/store.h"
#include "tap.h"

static char folder[] = "/tmp/belay-store-XXXXXX";
static const char *connection; /* NULL: SQLite */
static struct bl_store *store;
static struct bl_arena arena;

static struct bl_str database(const char *name)
{
	return connection ? bl_str(connection)
			  : bl_arena_printf(&arena, "%s/%s", folder, name);
}

static bool begin(enum bl_db_mode mode, struct bl_db **out_db)
{
	struct bl_error err;

	if (!bl_db_begin(store, mode, out_db, &err))
		return true;
	TAP_NOTE("%s", err.message);
	return false;
}

static enum bl_status put(const char *name, const char *value)
{
	struct bl_db *db;
	struct bl_error err;

	if (!begin(BL_DB_WRITE, &db))
		return BL_SYSTEM;
	return bl_db_end(db,
			 bl_db_run(db,
				   BL_DB_QUERY("INSERT INTO setting VALUES "
					       "($1, $2)",
					       bl_db_text(bl_str(name)),
					       bl_db_text(bl_str(value))),
				   NULL, &err),
			 &err);
}

static struct bl_rows ask(const char *sql)
{
	struct bl_rows rows = { 0 };
	struct bl_error err;
	struct bl_db *db;

	if (!begin(BL_DB_READ, &db))
		return rows;
	if (bl_db_end(db, bl_db_ask(db, BL_DB_PLAIN(sql), &arena, &rows, &err),
		      &err))
		TAP_NOTE("%s", err.message);
	return rows;
}

static void rows_come_back(void)
{
	struct bl_rows rows;

	CHECK_STATUS(put("a", "1"), BL_OK);
	CHECK_STATUS(put("quote", "it's \"%\" $1 \xc3\xa9"), BL_OK);
	CHECK_STATUS(put("a", "2"), BL_EXISTS);
	rows = ask("SELECT name, value FROM setting ORDER BY name");
	CHECK_INT(rows.count, 2);
	CHECK_INT(bl_rows_integer(&rows, 0, 1), 1);
	CHECK_STR(bl_rows_text(&rows, 1, 1), "it's \"%\" $1 \xc3\xa9");
	CHECK(!bl_rows_text(&rows, 2, 0).ptr);
	CHECK(!bl_rows_text(&rows, 0, 2).ptr);
}

static void bytes_and_null_come_back(void)
{
	const struct bl_str bytes = { "a\0b\xff", 4 };
	struct bl_rows rows;
	struct bl_error err;
	struct bl_db *db;

	REQUIRE(begin(BL_DB_WRITE, &db));
	CHECK_STATUS(
		bl_db_end(db,
			  bl_db_run(db,
				    BL_DB_QUERY("INSERT INTO object VALUES "
						"('x', $1, $2)",
						bl_db_bytes(bytes),
						bl_db_integer(-5)),
				    NULL, &err),
			  &err),
		BL_OK);
	rows = ask("SELECT content, created, NULL FROM object");
	CHECK(bl_str_equal(bl_rows_text(&rows, 0, 0), bytes));
	CHECK_INT(bl_rows_integer(&rows, 0, 1), -5);
	CHECK(!bl_rows_text(&rows, 0, 2).ptr);
}

static void a_failure_takes_all_back(void)
{
	struct bl_error err;
	struct bl_db *db;
	enum bl_status status;

	REQUIRE(begin(BL_DB_WRITE, &db));
	CHECK_STATUS(bl_db_run(db,
			       BL_DB_PLAIN("INSERT INTO setting VALUES "
					   "('b', '1')"),
			       NULL, &err),
		     BL_OK);
	status = bl_db_run(db, BL_DB_PLAIN("INSERT INTO nothing VALUES (1)"),
			   NULL, &err);
	CHECK_STATUS(status, BL_INVALID);
	CHECK_STATUS(bl_db_end(db, status, &err), BL_INVALID);
	CHECK_INT(ask("SELECT 1 FROM setting WHERE name = 'b'").count, 0);
}

static void readers_do_not_write(void)
{
	struct bl_error err;
	struct bl_db *db;
	enum bl_status status;

	REQUIRE(begin(BL_DB_READ, &db));
	status = bl_db_run(db, BL_DB_PLAIN("DELETE FROM setting"), NULL, &err);
	CHECK(status != BL_OK);
	CHECK(bl_db_end(db, status, &err) != BL_OK);
	CHECK_INT(ask("SELECT 1 FROM setting").count, 2);
}

static void count_up(void *context, uint32_t number)
{
	(void)context;
	(void)number;
	for (int i = 0; i < 25; i++) {
		struct bl_error err;
		struct bl_db *db;
		enum bl_status status =
			bl_db_begin(store, BL_DB_WRITE, &db, &err);

		if (status)
			continue;
		status = bl_db_lock(db, 1, &err);
		if (!status)
			status = bl_db_run(
				db,
				BL_DB_PLAIN("UPDATE setting SET value = CAST("
					    "CAST(value AS INTEGER) + 1 AS "
					    "TEXT) WHERE name = 'a'"),
				NULL, &err);
		bl_db_end(db, status, &err);
	}
}

static void writers_wait_for_each_other(void)
{
	struct bl_rows rows;

	bl_os_parallel(6, count_up, NULL);
	rows = ask("SELECT value FROM setting WHERE name = 'a'");
	CHECK_INT(bl_rows_integer(&rows, 0, 0), 151);
}

/* A record of so many days ago. */
static enum bl_status put_record(int64_t seq, int days_ago)
{
	int64_t at = bl_os_wall_ms() - (int64_t)days_ago * 86400000;
	struct bl_error err;
	struct bl_db *db;

	if (!begin(BL_DB_WRITE, &db))
		return BL_SYSTEM;
	return bl_db_end(
		db,
		bl_db_run(db,
			  BL_DB_QUERY("INSERT INTO execution VALUES ('m', $1, "
				      "$2, '', '', '', '', '', '', '', '', 0, "
				      "0, 0, NULL, '{}', NULL)",
				      bl_db_integer(seq), bl_db_integer(at)),
			  NULL, &err),
		&err);
}

static void old_records_go(void)
{
	int64_t before = bl_os_wall_ms() - 30LL * 86400000;
	struct bl_store_upkeep upkeep;
	struct bl_error err;

	CHECK_STATUS(bl_store_maintain(store, before, &upkeep, &err), BL_OK);
	CHECK_INT(upkeep.dropped, 0);
	CHECK(upkeep.is_done);
	CHECK_STATUS(put_record(1, 0), BL_OK);
	CHECK_STATUS(put_record(2, 3), BL_OK);
	CHECK_STATUS(put_record(3, 40), BL_OK);
	CHECK_STATUS(bl_store_maintain(store, before, &upkeep, &err), BL_OK);
	CHECK_INT(ask("SELECT 1 FROM execution").count, 2);
	CHECK_INT(ask("SELECT 1 FROM execution WHERE seq = 3").count, 0);
}

/* More than one slice of them: all go at once, not 5,000 an hour. */
static void many_old_records_go(void)
{
	int64_t now = bl_os_wall_ms();
	struct bl_store_upkeep upkeep;
	struct bl_rows rows;
	struct bl_error err;
	struct bl_db *db;

	REQUIRE(begin(BL_DB_WRITE, &db));
	CHECK_STATUS(
		bl_db_end(
			db,
			bl_db_run(db,
				  BL_DB_QUERY(
					  "WITH RECURSIVE n(i) AS (SELECT 1 "
					  "UNION ALL SELECT i + 1 FROM n WHERE "
					  "i < 12000) INSERT INTO execution "
					  "SELECT 'old', i, $1, '', '', '', "
					  "'', '', '', '', '', 0, 0, 0, NULL, "
					  "'{}', NULL FROM n",
					  bl_db_integer(now - 60LL * 86400000)),
				  NULL, &err),
			&err),
		BL_OK);
	CHECK_STATUS(
		bl_store_maintain(store, now - 30LL * 86400000, &upkeep, &err),
		BL_OK);
	CHECK_INT(upkeep.dropped, 12000);
	rows = ask("SELECT COUNT(*) FROM execution WHERE machine = 'old'");
	CHECK_INT(bl_rows_integer(&rows, 0, 0), 0);
}

/* A machine's clock is ahead: its record does not stop upkeep on that day. */
static void a_record_from_the_future_stops_nothing(void)
{
	static const char name[] = "SELECT to_regclass('execution_' || "
				   "to_char(now() AT TIME ZONE 'UTC' + "
				   "interval '5 days', 'YYYYMMDD'))";
	struct bl_store_upkeep upkeep;
	struct bl_rows rows;
	struct bl_error err;
	struct bl_db *db;

	if (!connection)
		return;
	/* As if that day's partition had not been made yet. */
	rows = ask(name);
	REQUIRE(begin(BL_DB_WRITE, &db));
	CHECK_STATUS(
		bl_db_end(db,
			  bl_db_run(db,
				    BL_DB_PLAIN(bl_arena_printf(
							&arena, "DROP TABLE %s",
							rows.cells[0].ptr)
							.ptr),
				    NULL, &err),
			  &err),
		BL_OK);
	CHECK_STATUS(put_record(77, -5), BL_OK);
	rows = ask("SELECT 1 FROM execution_rest WHERE seq = 77");
	CHECK_INT(rows.count, 1);
	CHECK_STATUS(bl_store_maintain(store, 0, &upkeep, &err), BL_OK);
	CHECK(ask(name).cells[0].ptr);
	CHECK_INT(ask("SELECT 1 FROM execution_rest WHERE seq = 77").count, 0);
	CHECK_INT(ask("SELECT 1 FROM execution WHERE seq = 77").count, 1);
	REQUIRE(begin(BL_DB_WRITE, &db));
	CHECK_STATUS(bl_db_end(db,
			       bl_db_run(db,
					 BL_DB_PLAIN("DELETE FROM execution "
						     "WHERE seq = 77"),
					 NULL, &err),
			       &err),
		     BL_OK);
}

/* PostgreSQL could not keep these texts, so SQLite does not take them either. */
static void texts_are_texts(void)
{
	static const struct bl_str bad[] = { { "a\0b", 3 }, { "a\xff", 2 } };

	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		struct bl_error err;
		struct bl_db *db;

		REQUIRE(begin(BL_DB_WRITE, &db));
		CHECK_STATUS(
			bl_db_end(db,
				  bl_db_run(db,
					    BL_DB_QUERY("INSERT INTO "
							"setting VALUES "
							"('bad', $1)",
							bl_db_text(bad[i])),
					    NULL, &err),
				  &err),
			BL_INVALID);
	}
	CHECK_INT(ask("SELECT 1 FROM setting WHERE name = 'bad'").count, 0);
}

static void a_backup_is_whole(void)
{
	struct bl_str path = bl_arena_printf(&arena, "%s/copy", folder);
	struct bl_store *copy;
	struct bl_store *kept = store;
	struct bl_error err;

	if (connection) {
		CHECK_STATUS(bl_store_backup(store, path, &err),
			     BL_UNSUPPORTED);
		return;
	}
	CHECK_STATUS(bl_store_backup(store, path, &err), BL_OK);
	CHECK_STATUS(bl_store_backup(store, path, &err), BL_EXISTS);
	REQUIRE(!bl_store_open(path, 2, &copy, &err));
	store = copy;
	CHECK_INT(ask("SELECT 1 FROM setting").count, 2);
	CHECK_STR(ask("PRAGMA integrity_check").cells[0], "ok");
	store = kept;
	bl_store_close(copy);
}

/* From this store into a new one of SQLite. */
static void everything_moves(void)
{
	struct bl_str path = bl_arena_printf(&arena, "%s/moved", folder);
	struct bl_store *moved;
	struct bl_store *kept = store;
	struct bl_error err;
	uint64_t rows = 0;

	REQUIRE(!bl_store_open(path, 2, &moved, &err));
	CHECK_STATUS(bl_store_copy(store, moved, &rows, &err), BL_OK);
	CHECK_INT(rows, 5); /* settings 2, object 1, executions 2 */
	CHECK_STATUS(bl_store_copy(store, moved, &rows, &err), BL_EXISTS);
	store = moved;
	CHECK_INT(ask("SELECT 1 FROM execution WHERE seq = 2").count, 1);
	CHECK_INT(ask("SELECT content FROM object").cells[0].len, 4);
	store = kept;
	bl_store_close(moved);
}

/* As the first release has made it, with records in it. */
static void an_older_database_is_brought_up_to_date(void)
{
	static const char *const back[] = {
		"DROP INDEX execution_batch",
		"ALTER TABLE execution DROP COLUMN batch",
		"DROP TABLE export",
		"DROP TABLE collector",
		"ALTER TABLE token DROP COLUMN replaces",
	};
	size_t records = ask("SELECT 1 FROM execution").count;
	struct bl_store *again;
	struct bl_store *kept = store;
	struct bl_error err;
	struct bl_db *db;
	enum bl_status status = BL_OK;

	REQUIRE(begin(BL_DB_WRITE, &db));
	for (size_t i = 0; !status && i < BL_COUNT(back); i++)
		status = bl_db_run(db, BL_DB_PLAIN(back[i]), NULL, &err);
	if (!status)
		status = bl_db_run(db,
				   BL_DB_PLAIN(connection
						       ? "UPDATE belay_schema "
							 "SET version = 1"
						       : "PRAGMA "
							 "user_version=1"),
				   NULL, &err);
	CHECK_STATUS(bl_db_end(db, status, &err), BL_OK);
	REQUIRE(!bl_store_open(database("team.db"), 2, &again, &err));
	store = again;
	CHECK_INT(ask("SELECT batch FROM execution").count, records);
	CHECK_INT(ask("SELECT 1 FROM export").count, 0);
	store = kept;
	bl_store_close(again);
}

static void a_newer_database_is_refused(void)
{
	struct bl_store *other;
	struct bl_error err;
	struct bl_db *db;

	REQUIRE(begin(BL_DB_WRITE, &db));
	CHECK_STATUS(
		bl_db_end(db,
			  bl_db_run(db,
				    BL_DB_PLAIN(connection
							? "UPDATE belay_schema "
							  "SET version = 999"
							: "PRAGMA "
							  "user_version=999"),
				    NULL, &err),
			  &err),
		BL_OK);
	CHECK_STATUS(bl_store_open(database("team.db"), 2, &other, &err),
		     BL_UNSUPPORTED);
}

int main(int argc, char **argv)
{
	struct bl_error err;

	connection = argc > 1 ? argv[1] : NULL;
	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(folder) ||
	    bl_store_open(database("team.db"), 4, &store, &err)) {
		printf("Bail out! %s\n", err.message);
		return 1;
	}
	RUN(rows_come_back);
	RUN(bytes_and_null_come_back);
	RUN(a_failure_takes_all_back);
	RUN(readers_do_not_write);
	RUN(writers_wait_for_each_other);
	RUN(old_records_go);
	RUN(many_old_records_go);
	RUN(a_record_from_the_future_stops_nothing);
	RUN(texts_are_texts);
	RUN(a_backup_is_whole);
	RUN(everything_moves);
	RUN(an_older_database_is_brought_up_to_date);
	RUN(a_newer_database_is_refused);
	bl_store_close(store);
	bl_arena_clear(&arena);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migrate.c: the tables, as a list of steps that only ever grows.  A database
 * says how many of them it has taken; it is never taken back.
 *
 * Times are milliseconds since 1970.  Words that begin with @ differ between
 * the databases (words of struct store_driver).
 */
#include "server/store/private.h"

static const char *const steps[] = {
	/* 1 */
	"CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
	" @table;"

	/* Callers: people, machines, enrolments, sessions of pages. */
	"CREATE TABLE token (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE,"
	" kind TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,"
	" machine TEXT, labels TEXT NOT NULL, uses_left @integer,"
	" created @integer NOT NULL, created_by TEXT NOT NULL,"
	" expires @integer, last_used @integer, revoked @integer) @table;"
	"CREATE INDEX token_kind ON token (kind, created);"

	/* Sign-in of a device by a person with pages: RFC 8628. */
	"CREATE TABLE device (hash TEXT PRIMARY KEY,"
	" user_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
	" place TEXT NOT NULL, created @integer NOT NULL,"
	" expires @integer NOT NULL, polled @integer, wait_ms @integer NOT "
	"NULL,"
	" state TEXT NOT NULL, person TEXT) @table;"

	"CREATE TABLE person (id TEXT PRIMARY KEY, issuer TEXT NOT NULL,"
	" subject TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,"
	" role TEXT NOT NULL, created @integer NOT NULL,"
	" UNIQUE (issuer, subject)) @table;"

	"CREATE TABLE machine (id TEXT PRIMARY KEY, name TEXT NOT NULL,"
	" system TEXT NOT NULL, labels TEXT NOT NULL,"
	" enrolled @integer NOT NULL, last_seen @integer, client TEXT NOT NULL,"
	" set_version @integer, state TEXT NOT NULL, state_text TEXT NOT NULL)"
	" @table;"
	"CREATE INDEX machine_seen ON machine (last_seen);"

	/* Content of files, by digest. */
	"CREATE TABLE object (sha256 TEXT PRIMARY KEY, content @bytes NOT NULL,"
	" created @integer NOT NULL) @table;"

	/* The draft: the next set, before it is signed. */
	"CREATE TABLE hook (id @integer PRIMARY KEY, step TEXT NOT NULL,"
	" name TEXT NOT NULL UNIQUE, systems TEXT NOT NULL,"
	" active @integer NOT NULL, content TEXT NOT NULL,"
	" changed @integer NOT NULL, changed_by TEXT NOT NULL) @table;"
	"CREATE TABLE policy (path TEXT PRIMARY KEY, content TEXT NOT NULL,"
	" changed @integer NOT NULL, changed_by TEXT NOT NULL) @table;"

	"CREATE TABLE signed_set (version @integer PRIMARY KEY,"
	" document TEXT NOT NULL, sha256 TEXT NOT NULL, files TEXT NOT NULL,"
	" note TEXT NOT NULL, created @integer NOT NULL,"
	" created_by TEXT NOT NULL, signed @integer, expires @integer NOT NULL)"
	" @table;"
	"CREATE TABLE root (version @integer PRIMARY KEY,"
	" document TEXT NOT NULL, created @integer NOT NULL) @table;"

	/* Which release which machines take: the first row that fits. */
	"CREATE TABLE rollout (place @integer PRIMARY KEY,"
	" version @integer NOT NULL, share @integer NOT NULL,"
	" label TEXT NOT NULL, since @integer NOT NULL,"
	" state TEXT NOT NULL) @table;"

	"CREATE TABLE execution (machine TEXT NOT NULL, seq @integer NOT NULL,"
	" at @integer NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL,"
	" step TEXT NOT NULL, verdict TEXT NOT NULL, outcome TEXT NOT NULL,"
	" source TEXT NOT NULL, rule TEXT NOT NULL, about TEXT NOT NULL,"
	" monitored @integer NOT NULL, failed @integer NOT NULL,"
	" duration_us @integer NOT NULL, set_version @integer,"
	" body TEXT NOT NULL, PRIMARY KEY (machine, seq, at)) @daily;"
	"@partitions"
	"CREATE INDEX execution_at ON execution (at);"
	"CREATE INDEX execution_verdict ON execution (verdict, at);"

	"CREATE TABLE exception (id TEXT PRIMARY KEY, machine TEXT NOT NULL,"
	" rule TEXT NOT NULL, about TEXT NOT NULL, reason TEXT NOT NULL,"
	" asked @integer NOT NULL, state TEXT NOT NULL, decided @integer,"
	" decided_by TEXT, until @integer) @table;"

	"CREATE TABLE audit (seq @integer PRIMARY KEY, at @integer NOT NULL,"
	" actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,"
	" detail TEXT NOT NULL, hash TEXT NOT NULL) @table;"

	/* Instances of OPA that report here. */
	"CREATE TABLE opa (id TEXT PRIMARY KEY, at @integer NOT NULL,"
	" status TEXT NOT NULL) @table;"
	"CREATE TABLE decision (id TEXT PRIMARY KEY, at @integer NOT NULL,"
	" path TEXT NOT NULL, body TEXT NOT NULL) @table;"
	"CREATE INDEX decision_at ON decision (at);"

	/* A sign-in by a provider that was begun and not ended. */
	"CREATE TABLE login (state_hash TEXT PRIMARY KEY,"
	" browser_hash TEXT NOT NULL, verifier TEXT NOT NULL,"
	" nonce TEXT NOT NULL, created @integer NOT NULL) @table;",

	/* 2: exports to collectors.  A batch is records of one upload. */
	"ALTER TABLE execution ADD COLUMN batch TEXT;"
	"CREATE INDEX execution_batch ON execution (batch) WHERE batch IS NOT"
	" NULL;"
	"CREATE TABLE export (collector TEXT NOT NULL, batch TEXT NOT NULL,"
	" queued @integer NOT NULL, PRIMARY KEY (collector, batch)) @table;"
	"CREATE INDEX export_queued ON export (collector, queued);"
	/* Which server sends, until when. */
	"CREATE TABLE collector (name TEXT PRIMARY KEY, holder TEXT NOT NULL,"
	" until @integer NOT NULL) @table;",

	/* 3: a machine's token that takes the place of another one. */
	"ALTER TABLE token ADD COLUMN replaces TEXT;",
};

/* In the order in which they can be copied. */
const char *const store_tables[] = {
	"setting", "token",  "device",     "person",    "machine", "object",
	"hook",    "policy", "signed_set", "root",      "rollout", "execution",
	"audit",   "opa",    "decision",   "exception", "export",
};
const size_t store_table_count = BL_COUNT(store_tables);

static void put_step(const struct store_driver *driver, const char *step,
		     struct bl_buf *out)
{
	while (*step) {
		size_t i = 0;

		for (; *step == '@' && i < driver->word_count; i++)
			if (bl_str_has_prefix(bl_str(step),
					      bl_str(driver->words[i][0])))
				break;
		if (*step == '@' && i < driver->word_count) {
			bl_buf_puts(out, driver->words[i][1]);
			step += strlen(driver->words[i][0]);
		} else {
			bl_buf_put_char(out, *step++);
		}
	}
}

static enum bl_status take_step(const struct store_driver *driver,
				void *connection, size_t number,
				struct bl_error *err)
{
	struct bl_buf sql;
	enum bl_status status;

	bl_buf_init(&sql, 0);
	put_step(driver, steps[number], &sql);
	status = bl_buf_status(&sql) ? bl_fail_memory(err)
				     : driver->script(connection, sql.ptr, err);
	bl_buf_clear(&sql);
	if (!status)
		status = driver->set_version(connection, (int64_t)number + 1,
					     err);
	return status;
}

enum bl_status store_migrate(struct bl_store *store, void *connection,
			     struct bl_error *err)
{
	const struct store_driver *driver = store->driver;
	int64_t version = 0;
	/* Several servers may start at once: one of them does it. */
	enum bl_status status = driver->script(
		connection,
		driver->has_one_writer
			? "BEGIN IMMEDIATE"
			: "BEGIN; SELECT pg_advisory_xact_lock(7260)",
		err);

	if (!status)
		status = driver->version(connection, &version, err);
	if (!status && version > (int64_t)BL_COUNT(steps))
		status = bl_fail(err, BL_UNSUPPORTED,
				 "the database is of a newer belay-server "
				 "(step %lld, this one knows %zu)",
				 (long long)version, BL_COUNT(steps));
	for (size_t i = (size_t)version; !status && i < BL_COUNT(steps); i++)
		status = take_step(driver, connection, i, err);
	if (status) {
		driver->script(connection, "ROLLBACK", NULL);
		return status;
	}
	return driver->script(connection, "COMMIT", err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql.c: the store in PostgreSQL, by libpq. */
#include "server/store/private.h"

#include <libpq-fe.h>
#include <stdlib.h>

enum {
	MAX_VALUES = 4096,
	NUMBER_BYTES = 24,
	OID_BYTEA = 17,
};

static const char settings[] = "SET client_min_messages=warning;"
			       "SET statement_timeout='30s';"
			       "SET lock_timeout='5s';"
			       "SET idle_in_transaction_session_timeout='60s';";

/* By SQLSTATE; the first row whose beginning fits. */
static enum bl_status status_of(const char *state)
{
	static const struct {
		const char *begins;
		enum bl_status status;
	} rows[] = {
		{ "23505", BL_EXISTS },  { "53100", BL_LIMIT },
		{ "55P03", BL_TIMEOUT }, { "57014", BL_TIMEOUT },
		{ "40", BL_TIMEOUT },    { "53", BL_SYSTEM },
		{ "57P", BL_SYSTEM },    { "08", BL_SYSTEM },
		{ "", BL_INVALID },
	};

	if (!state)
		return BL_SYSTEM;
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (!strncmp(state, rows[i].begins, strlen(rows[i].begins)))
			return rows[i].status;
	return BL_SYSTEM;
}

/* Only the first line: what follows it may quote a row. */
static enum bl_status fail(PGconn *handle, const PGresult *result,
			   struct bl_error *err)
{
	const char *state =
		result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	const char *text =
		result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
		       : NULL;
	struct bl_str line = bl_str(text ? text : PQerrorMessage(handle));

	line = bl_str_slice(line, 0, bl_str_find(line, BL_STR("\n"), 0));
	return bl_fail(err, status_of(state), "database: %.*s",
		       BL_STR_ARG(line));
}

static bool is_good(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static enum bl_status script(void *connection, const char *sql,
			     struct bl_error *err)
{
	PGresult *result = PQexec(connection, sql);
	enum bl_status status =
		is_good(result) ? BL_OK : fail(connection, result, err);

	PQclear(result);
	return status;
}

static void disconnect(void *connection)
{
	PQfinish(connection);
}

static enum bl_status connect(struct bl_str where, enum bl_db_mode mode,
			      void **out, struct bl_error *err)
{
	char *uri = strndup(where.ptr, where.len);
	const char *const names[] = { "dbname",
				      "connect_timeout",
				      "keepalives_idle",
				      "tcp_user_timeout",
				      "application_name",
				      "client_encoding",
				      NULL };
	const char *const values[] = {
		uri, "5", "30", "10000", "belay-server", "UTF8", NULL
	};
	enum bl_status status = BL_OK;
	PGconn *handle;

	(void)mode;
	if (!uri)
		return bl_fail_memory(err);
	/* "dbname" that looks like a URI is taken as one. */
	handle = PQconnectdbParams(names, values, 1);
	free(uri);
	if (!handle)
		return bl_fail_memory(err);
	if (PQstatus(handle) != CONNECTION_OK)
		status = fail(handle, NULL, err);
	else
		status = script(handle, settings, err);
	if (status) {
		PQfinish(handle);
		return status == BL_INVALID ? BL_SYSTEM : status;
	}
	*out = handle;
	return BL_OK;
}

static enum bl_status version(void *connection, int64_t *out,
			      struct bl_error *err)
{
	PGresult *result;
	enum bl_status status = script(
		connection,
		"CREATE TABLE IF NOT EXISTS belay_schema (version bigint "
		"NOT NULL); INSERT INTO belay_schema SELECT 0 WHERE NOT "
		"EXISTS (SELECT 1 FROM belay_schema)",
		err);

	if (status)
		return status;
	result = PQexec(connection, "SELECT version FROM belay_schema");
	if (is_good(result) && PQntuples(result) == 1)
		*out = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	else
		status = fail(connection, result, err);
	PQclear(result);
	return status;
}

static enum bl_status set_version(void *connection, int64_t number,
				  struct bl_error *err)
{
	struct bl_buf sql;
	enum bl_status status;

	bl_buf_init(&sql, 0);
	bl_buf_printf(&sql, "UPDATE belay_schema SET version = %lld",
		      (long long)number);
	status = script(connection, sql.ptr, err);
	bl_buf_clear(&sql);
	return status;
}

/* ---- statements ----------------------------------------------------------- */

struct call {
	const char **values;
	int *lengths;
	int *formats;
	char (*numbers)[NUMBER_BYTES];
	char **copies; /* texts that do not end with NUL, made to */
};

static void free_call(struct call *call, size_t count)
{
	for (size_t i = 0; call->copies && i < count; i++)
		free(call->copies[i]);
	free(call->copies);
	free(call->numbers);
	free(call->formats);
	free(call->lengths);
	free((void *)call->values);
}

static bool fill_call(struct call *call, const struct bl_db_query *ask)
{
	size_t count = ask->count ? ask->count : 1;

	*call = (struct call){
		.values = calloc(count, sizeof(*call->values)),
		.lengths = calloc(count, sizeof(*call->lengths)),
		.formats = calloc(count, sizeof(*call->formats)),
		.numbers = calloc(count, sizeof(*call->numbers)),
		.copies = calloc(count, sizeof(*call->copies)),
	};
	if (!call->values || !call->lengths || !call->formats ||
	    !call->numbers || !call->copies)
		return false;
	for (size_t i = 0; i < ask->count; i++) {
		const struct bl_db_value *value = &ask->values[i];

		if (value->type == BL_DB_INTEGER) {
			snprintf(call->numbers[i], NUMBER_BYTES, "%lld",
				 (long long)value->integer);
			call->values[i] = call->numbers[i];
		} else if (value->type == BL_DB_BYTES) {
			call->values[i] =
				value->text.ptr ? value->text.ptr : "";
			call->lengths[i] = (int)value->text.len;
			call->formats[i] = 1;
		} else if (value->type == BL_DB_TEXT) {
			call->copies[i] =
				strndup(value->text.ptr, value->text.len);
			call->values[i] = call->copies[i];
			if (!call->copies[i])
				return false;
		}
	}
	return true;
}

static struct bl_str take_cell(const PGresult *result, int row, int column,
			       struct bl_arena *arena)
{
	const char *text = PQgetvalue(result, row, column);
	struct bl_str cell = { text, (size_t)PQgetlength(result, row, column) };
	unsigned char *bytes;

	if (PQftype(result, column) != OID_BYTEA)
		return bl_arena_copy_str(arena, cell);
	bytes = PQunescapeBytea((const unsigned char *)text, &cell.len);
	if (!bytes)
		return (struct bl_str){ NULL, 0 };
	cell.ptr = (const char *)bytes;
	cell = bl_arena_copy_str(arena, cell);
	PQfreemem(bytes);
	return cell;
}

static bool take_rows(const PGresult *result, struct bl_arena *arena,
		      struct bl_rows *rows)
{
	struct bl_str *cells;

	rows->columns = (size_t)PQnfields(result);
	rows->count = (size_t)PQntuples(result);
	if (!rows->count || !rows->columns)
		return true;
	cells = bl_arena_new_array(arena, struct bl_str,
				   rows->count * rows->columns);
	if (!cells)
		return false;
	rows->cells = cells;
	for (size_t row = 0; row < rows->count; row++)
		for (size_t i = 0; i < rows->columns; i++, cells++) {
			if (PQgetisnull(result, (int)row, (int)i))
				continue;
			*cells = take_cell(result, (int)row, (int)i, arena);
			if (!cells->ptr)
				return false;
		}
	return true;
}

static enum bl_status query(struct bl_db *db, const struct bl_db_query *ask,
			    struct bl_rows *rows, uint64_t *changes,
			    struct bl_error *err)
{
	enum bl_status status = BL_OK;
	PGresult *result;
	struct call call;

	if (ask->count > MAX_VALUES)
		return bl_fail(err, BL_LIMIT, "database: too many values");
	if (!fill_call(&call, ask)) {
		free_call(&call, ask->count);
		return bl_fail_memory(err);
	}
	/* Unnamed: named ones do not survive a pooler between. */
	result = PQexecParams(db->connection, ask->sql, (int)ask->count, NULL,
			      call.values, call.lengths, call.formats, 0);
	free_call(&call, ask->count);
	if (!is_good(result))
		status = fail(db->connection, result, err);
	else if (rows && !take_rows(result, db->arena, rows))
		status = bl_arena_fail(db->arena, err);
	if (!status)
		*changes = strtoull(PQcmdTuples(result), NULL, 10);
	PQclear(result);
	db->is_lost |= PQstatus(db->connection) != CONNECTION_OK;
	return status;
}

static const char *const words[][2] = {
	{ "@integer", "bigint" },
	{ "@bytes", "bytea" },
	{ "@table", "" },
	{ "@daily", "PARTITION BY RANGE (at)" },
	{ "@partitions",
	  "CREATE TABLE execution_rest PARTITION OF execution DEFAULT;" },
};

const struct store_driver store_postgresql = {
	.name = "PostgreSQL",
	.words = words,
	.word_count = BL_COUNT(words),
	.connect = connect,
	.disconnect = disconnect,
	.script = script,
	.query = query,
	.version = version,
	.set_version = set_version,
	.begin = { "BEGIN READ ONLY", "BEGIN" },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* executions.c: searching what machines sent, one record in full, exports. */
#include "server/export.h"

#include <stdlib.h>

enum { PAGE_ROWS = 100, EXPORT_ROWS = 5000, MAX_PATTERN = 200 };

/* "%TEXT%" for LIKE, with its own characters escaped; "%" for no text. */
static struct bl_str pattern_of(struct bl_arena *arena, struct bl_str text)
{
	struct bl_buf out;
	struct bl_str kept;

	bl_buf_init(&out, 0);
	bl_buf_put_char(&out, '%');
	text = app_clean_text(arena, text, MAX_PATTERN);
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("%_\\", text.ptr[i]))
			bl_buf_put_char(&out, '\\');
		bl_buf_put_char(&out, text.ptr[i]);
	}
	if (text.len)
		bl_buf_put_char(&out, '%');
	kept = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return kept;
}

static struct bl_str or_empty(struct bl_str text)
{
	return text.ptr ? text : BL_STR("");
}

/* GET /api/executions?q=&verdict=&machine=&rule=&monitored=&from=&before= */
enum bl_status route_executions(struct call *call)
{
	struct bl_str verdict = or_empty(call_query(call, "verdict"));
	struct bl_str machine = or_empty(call_query(call, "machine"));
	struct bl_str rule = or_empty(call_query(call, "rule"));
	struct bl_str pattern =
		pattern_of(call->arena, or_empty(call_query(call, "q")));

	return call_list(
		call, "executions",
		BL_DB_QUERY(
			"SELECT " EXPORT_LIST_COLUMNS " FROM execution e LEFT "
			"JOIN machine m ON m.id = e.machine WHERE e.at < "
			"$1 AND e.at >= $2 AND (CAST($3 AS TEXT) = '' OR "
			"e.verdict = $3) AND (CAST($4 AS TEXT) = '' OR "
			"e.machine = $4) AND (CAST($5 AS TEXT) = '' OR "
			"e.rule = $5) AND (e.about LIKE $6 ESCAPE '\\' OR "
			"e.rule LIKE $6 ESCAPE '\\' OR m.name LIKE $6 "
			"ESCAPE '\\') AND e.monitored >= $7 AND e.failed "
			">= $8 ORDER BY e.at DESC, e.seq DESC LIMIT $9",
			bl_db_integer(
				call_query_integer(call, "before", INT64_MAX)),
			bl_db_integer(call_query_integer(call, "from", 0)),
			bl_db_text(verdict), bl_db_text(machine),
			bl_db_text(rule), bl_db_text(pattern),
			bl_db_integer(call_query_integer(call, "monitored", 0)),
			bl_db_integer(call_query_integer(call, "failed", 0)),
			bl_db_integer(PAGE_ROWS)),
		EXPORT_LIST);
}

/* GET /api/executions/MACHINE/SEQ: in full. */
enum bl_status route_execution(struct call *call)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_QUERY("SELECT " EXPORT_COLUMNS " FROM execution e "
			    "LEFT JOIN machine m ON m.id = e.machine WHERE "
			    "e.machine = $1 AND CAST(e.seq AS TEXT) = $2 "
			    "ORDER BY e.at DESC LIMIT 1",
			    bl_db_text(call->request->parts[0]),
			    bl_db_text(call->request->parts[1])),
		&rows);

	if (!status && !rows.count)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such record");
	if (status)
		return status;
	app_put_row(&call->out, &rows, 0, EXPORT_LIST ",body!");
	return call_send_json(call);
}

/* ---- exports -------------------------------------------------------------- */

/* Sends rows in a form. */
static enum bl_status send_form(struct call *call,
				const struct export_form *form,
				const struct bl_rows *rows)
{
	form->begin(&call->out, call->app);
	for (size_t i = 0; i < rows->count; i++) {
		bl_buf_puts(&call->out, i ? form->between : "");
		form->put(&call->out, rows, i);
	}
	bl_buf_puts(&call->out, form->end);
	return call_send(call, form->type);
}

/*
 * GET /api/export?format=jsonl|opa|otlp|syslog&from=&before=: at most 5,000
 * records, oldest first; the header Belay-Next has the next "from".
 */
enum bl_status route_export(struct call *call)
{
	struct bl_str format = or_empty(call_query(call, "format"));
	const struct export_form *form =
		export_form_find(format.len ? format : BL_STR("jsonl"));
	struct bl_rows rows;
	enum bl_status status;

	if (!form)
		return bl_fail(&call->err, BL_INVALID,
			       "format is not one of jsonl, opa, otlp, syslog");
	status = call_ask(
		call,
		BL_DB_QUERY("SELECT " EXPORT_COLUMNS " FROM execution e LEFT "
			    "JOIN machine m ON m.id = e.machine WHERE e.at >= "
			    "$1 AND e.at < $2 ORDER BY e.at, e.machine, e.seq "
			    "LIMIT $3",
			    bl_db_integer(call_query_integer(call, "from", 0)),
			    bl_db_integer(call_query_integer(call, "before",
							     INT64_MAX)),
			    bl_db_integer(EXPORT_ROWS)),
		&rows);
	if (status)
		return status;
	if (rows.count == EXPORT_ROWS)
		bl_server_reply_header(
			call->reply, "Belay-Next",
			bl_rows_text(&rows, rows.count - 1, EXPORT_AT).ptr);
	return send_form(call, form, &rows);
}

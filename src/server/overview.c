/* SPDX-License-Identifier: Apache-2.0 */
/* overview.c: the numbers of the first page, and the list of machines. */
#include "server/app.h"

enum { DEFAULT_HOURS = 24, BARS = 48, SILENT_MS = 2 * HOUR_MS };

/* Asks, and appends ,"NAME":[rows]. */
static enum bl_status add(struct call *call, const char *name,
			  const struct bl_db_query *query, const char *columns)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(call, query, &rows);

	if (status)
		return status;
	bl_buf_printf(&call->out, ",\"%s\":", name);
	app_put_rows(&call->out, &rows, columns);
	return BL_OK;
}

/* Records by time and verdict. */
static enum bl_status add_bars(struct call *call, int64_t from, int64_t step)
{
	return add(call, "bars",
		   BL_DB_QUERY("SELECT (at - $1) / $2, SUM(CASE WHEN verdict = "
			       "'deny' THEN 1 ELSE 0 END), SUM(CASE WHEN "
			       "verdict = 'ask' THEN 1 ELSE 0 END), "
			       "SUM(monitored), SUM(failed), COUNT(*) FROM "
			       "execution WHERE at >= $1 GROUP BY 1 ORDER BY 1",
			       bl_db_integer(from), bl_db_integer(step)),
		   "bar#,deny#,ask#,monitored#,failed#,all#");
}

static enum bl_status add_lists(struct call *call, int64_t from)
{
	enum bl_status status = add(
		call, "rules",
		BL_DB_QUERY("SELECT rule, COUNT(*), SUM(CASE WHEN verdict = "
			    "'deny' THEN 1 ELSE 0 END), SUM(CASE WHEN verdict "
			    "= 'ask' THEN 1 ELSE 0 END), SUM(monitored) FROM "
			    "execution WHERE at >= $1 AND rule <> '' GROUP BY "
			    "rule ORDER BY 2 DESC LIMIT 10",
			    bl_db_integer(from)),
		"rule,count#,deny#,ask#,monitored#");

	if (!status)
		status = add(call, "versions",
			     BL_DB_PLAIN("SELECT COALESCE(set_version, 0), "
					 "COUNT(*) FROM machine GROUP BY 1 "
					 "ORDER BY 1 DESC LIMIT 10"),
			     "version#,machines#");
	if (!status)
		status = add(call, "states",
			     BL_DB_PLAIN("SELECT state, COUNT(*) FROM machine "
					 "GROUP BY state ORDER BY 2 DESC"),
			     "state,machines#");
	return status;
}

/* GET /api/overview?hours=24 */
enum bl_status route_overview(struct call *call)
{
	int64_t hours = call_query_integer(call, "hours", DEFAULT_HOURS);
	int64_t span;
	int64_t from;
	struct bl_rows rows;
	enum bl_status status;

	if (hours < 1 || hours > 24 * 90)
		return bl_fail(&call->err, BL_INVALID, "hours is 1 to 2160");
	span = hours * HOUR_MS;
	from = call->now_ms - span;
	status = call_ask(
		call,
		BL_DB_QUERY("SELECT COUNT(*), SUM(CASE WHEN last_seen >= $1 "
			    "THEN 0 ELSE 1 END) FROM machine",
			    bl_db_integer(call->now_ms - SILENT_MS)),
		&rows);
	if (status)
		return status;
	bl_buf_printf(&call->out,
		      "{\"team_id\":\"%.*s\",\"now\":%lld,\"from\":%lld,"
		      "\"step\":%lld,\"machines\":%lld,\"silent\":%lld",
		      BL_STR_ARG(call->app->team_id), (long long)call->now_ms,
		      (long long)from, (long long)(span / BARS),
		      (long long)bl_rows_integer(&rows, 0, 0),
		      (long long)bl_rows_integer(&rows, 0, 1));
	status = add_bars(call, from, span / BARS);
	if (!status)
		status = add_lists(call, from);
	if (!status)
		status = add(call, "rollout",
			     BL_DB_PLAIN("SELECT place, version, share, label, "
					 "since, state FROM rollout ORDER BY "
					 "place"),
			     "place#,version#,share#,label,since#,state");
	if (!status)
		status = add(call, "open_exceptions",
			     BL_DB_PLAIN("SELECT COUNT(*) FROM exception WHERE "
					 "state = 'asked'"),
			     "count#");
	if (status)
		return status;
	bl_buf_puts(&call->out, "}\n");
	return call_send_json(call);
}

/* GET /api/machines?silent=1&after=NAME */
enum bl_status route_machines(struct call *call)
{
	struct bl_str after = call_query(call, "after");
	int64_t silent = call_query_integer(call, "silent", 0);

	return call_list(
		call, "machines",
		BL_DB_QUERY("SELECT id, name, system, labels, enrolled, "
			    "last_seen, client, set_version, state, state_text "
			    "FROM machine WHERE name > $1 AND ($2 = 0 OR "
			    "last_seen IS NULL OR last_seen < $3) ORDER BY "
			    "name, id LIMIT 500",
			    bl_db_text(after.ptr ? after : BL_STR("")),
			    bl_db_integer(silent),
			    bl_db_integer(call->now_ms - SILENT_MS)),
		"id,name,system,labels!,enrolled#,last_seen#,client,"
		"set_version#,state,state_text");
}

/* PUT /api/machines/ID {"labels"} */
enum bl_status route_machine_labels(struct call *call)
{
	struct bl_str id = call->request->parts[0];
	struct bl_str labels;
	uint64_t changed = 0;
	enum bl_status status = app_check_labels(
		call->arena, bl_object_find(call->body, BL_STR("labels")),
		&labels, &call->err);

	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("UPDATE machine SET labels = $1 WHERE id = "
				    "$2",
				    bl_db_text(labels), bl_db_text(id)),
			&changed);
	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such machine");
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("UPDATE token SET labels = $1 WHERE "
				    "machine = $2",
				    bl_db_text(labels), bl_db_text(id)),
			NULL);
	if (!status)
		status = epoch_raise(call->db, &call->err);
	if (!status)
		status = audit_add(call, "machine.labels", id, BL_STR(""));
	return status ? status : call_send_member(call, "changed", id);
}

/* DELETE /api/machines/ID: its tokens are revoked, its records stay. */
enum bl_status route_machine_remove(struct call *call)
{
	struct bl_str id = call->request->parts[0];
	uint64_t changed = 0;
	enum bl_status status =
		call_run(call,
			 BL_DB_QUERY("DELETE FROM machine WHERE id = $1",
				     bl_db_text(id)),
			 &changed);

	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such machine");
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE "
				    "machine = $2 AND revoked IS NULL",
				    bl_db_integer(call->now_ms),
				    bl_db_text(id)),
			NULL);
	if (!status)
		status = epoch_raise(call->db, &call->err);
	if (!status)
		status = audit_add(call, "machine.remove", id, BL_STR(""));
	return status ? status : call_send_member(call, "removed", id);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exceptions.c: a person at a machine asks that a rule let something pass; an
 * editor grants or refuses it.  A granted one still has to be written into the
 * draft's rulebook: nothing but a signed set changes what machines do.
 */
#include "server/app.h"

enum { MAX_TEXT = 2000, MAX_DAYS = 365 };

#define COLUMNS                                                                \
	"x.id, x.machine, m.name, x.rule, x.about, x.reason, x.asked, "        \
	"x.state, x.decided, x.decided_by, x.until"

/* GET /api/exceptions */
enum bl_status route_exceptions(struct call *call)
{
	return call_list(call, "exceptions",
			 BL_DB_PLAIN("SELECT " COLUMNS " FROM exception x LEFT "
				     "JOIN machine m ON m.id = x.machine ORDER "
				     "BY x.asked DESC LIMIT 500"),
			 "id,machine,machine_name,rule,about,reason,asked#,"
			 "state,decided#,decided_by,until#");
}

/* POST /v1/exceptions {"rule", "about", "reason"} */
enum bl_status route_exception_ask(struct call *call)
{
	static const char *const names[] = { "rule", "about", "reason" };
	char id[APP_ID_BYTES];
	enum bl_status status = BL_OK;

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		struct bl_str text = call_text(call, names[i]);

		if (!text.len || text.len > MAX_TEXT)
			return bl_fail(&call->err, BL_INVALID,
				       "%s is a text of 1 to %d bytes",
				       names[i], MAX_TEXT);
	}
	status = app_new_id(id, &call->err);
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY("INSERT INTO exception (id, machine, rule, "
				    "about, reason, asked, state) VALUES ($1, "
				    "$2, $3, $4, $5, $6, 'asked')",
				    bl_db_text(bl_str(id)),
				    bl_db_text(call->who->machine),
				    bl_db_text(call_text(call, "rule")),
				    bl_db_text(call_text(call, "about")),
				    bl_db_text(call_text(call, "reason")),
				    bl_db_integer(call->now_ms)),
			NULL);
	return status ? status : call_send_member(call, "id", bl_str(id));
}

/* POST /api/exceptions/ID {"answer": "grant" or "refuse", "days"} */
enum bl_status route_exception_answer(struct call *call)
{
	struct bl_str answer = call_text(call, "answer");
	bool grants = bl_str_is(answer, "grant");
	int64_t days = call_integer(call, "days", 30);
	uint64_t changed = 0;
	enum bl_status status;

	if ((!grants && !bl_str_is(answer, "refuse")) || days < 1 ||
	    days > MAX_DAYS)
		return bl_fail(&call->err, BL_INVALID,
			       "answer is one of grant, refuse; days is 1 to "
			       "%d",
			       MAX_DAYS);
	status = call_run(
		call,
		BL_DB_QUERY("UPDATE exception SET state = $1, decided = $2, "
			    "decided_by = $3, until = $4 WHERE id = $5 AND "
			    "state = 'asked'",
			    bl_db_text(grants ? BL_STR("granted")
					      : BL_STR("refused")),
			    bl_db_integer(call->now_ms),
			    bl_db_text(call->who->name),
			    grants ? bl_db_integer(call->now_ms + days * DAY_MS)
				   : bl_db_null(),
			    bl_db_text(call->request->parts[0])),
		&changed);
	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "nobody waits for an answer to that");
	if (!status)
		status = audit_add(
			call, grants ? "exception.grant" : "exception.refuse",
			call->request->parts[0], BL_STR(""));
	return status ? status : call_send_member(call, "answer", answer);
}

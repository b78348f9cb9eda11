/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opa.c: what OPA's status and decision-log plugins post.  OPA sends a chunk again
 * until it is acknowledged, so decisions are told apart by their decision_id; of a
 * status the metrics, which are nearly all of it, are dropped.
 */
#include "server/app.h"

enum {
	MAX_DECISIONS = 20000,
	MAX_BODY_BYTES = 65536,
	MAX_STATUS_BYTES = 65536,
	MAX_PATH_BYTES = 512,
};

/* The object without one of its members. */
static struct bl_value without(struct bl_arena *arena, struct bl_value object,
			       const char *name)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, arena);
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str key = bl_value_text(bl_object_key(object, i));

		if (!bl_str_is(key, name))
			bl_object_builder_add(&builder, key,
					      bl_object_value(object, i));
	}
	return bl_object_builder_end(&builder);
}

/* POST /status and /status/PARTITION */
enum bl_status route_opa_status(struct call *call)
{
	struct bl_value kept = without(call->arena, call->body, "metrics");
	struct bl_str text = app_json(call->arena, kept);
	struct bl_str id = bl_value_text(bl_object_find(
		bl_object_find(call->body, BL_STR("labels")), BL_STR("id")));
	enum bl_status status;

	if (!id.len || id.len > 128)
		return bl_fail(&call->err, BL_INVALID, "labels.id is missing");
	if (!text.ptr || text.len > MAX_STATUS_BYTES)
		return bl_fail(&call->err, BL_INVALID,
			       "a status has at most %d bytes beside metrics",
			       MAX_STATUS_BYTES);
	status = call_run(
		call,
		BL_DB_QUERY("INSERT INTO opa VALUES ($1, $2, $3) ON CONFLICT "
			    "(id) DO UPDATE SET at = excluded.at, status = "
			    "excluded.status",
			    bl_db_text(id), bl_db_integer(call->now_ms),
			    bl_db_text(text)),
		NULL);
	return status ? status : call_send_member(call, "id", id);
}

static enum bl_status take_decision(struct call *call, struct bl_value event,
				    uint64_t *accepted)
{
	struct bl_str id =
		bl_value_text(bl_object_find(event, BL_STR("decision_id")));
	struct bl_str path =
		bl_value_text(bl_object_find(event, BL_STR("path")));
	struct bl_str text = app_json(call->arena, event);
	uint64_t inserted = 0;
	enum bl_status status;

	if (!id.len || id.len > 128 || !text.ptr)
		return bl_fail(&call->err, BL_INVALID,
			       "decision_id is missing");
	if (text.len > MAX_BODY_BYTES)
		text = app_json(call->arena,
				without(call->arena, event, "input"));
	if (text.len > MAX_BODY_BYTES)
		text = BL_STR("{\"cut\":[\"all\"]}");
	status = call_run(
		call,
		BL_DB_QUERY("INSERT INTO decision VALUES ($1, $2, $3, $4) ON "
			    "CONFLICT DO NOTHING",
			    bl_db_text(id), bl_db_integer(call->now_ms),
			    bl_db_text(app_clean_text(call->arena, path,
						      MAX_PATH_BYTES)),
			    bl_db_text(text)),
		&inserted);
	*accepted += inserted;
	return status;
}

/* POST /logs and /logs/PARTITION */
enum bl_status route_opa_logs(struct call *call)
{
	struct bl_value events;
	uint64_t accepted = 0;
	enum bl_status status =
		bl_json_read(call->arena, call->request->body, NULL, &events,
			     NULL, NULL, &call->err);

	if (!status && (!bl_value_is(events, BL_KIND_ARRAY) ||
			bl_value_count(events) > MAX_DECISIONS))
		status = bl_fail(&call->err, BL_INVALID,
				 "the body is not an array of at most %d "
				 "decisions",
				 MAX_DECISIONS);
	for (size_t i = 0; !status && i < bl_value_count(events); i++)
		status = take_decision(call, bl_value_item(events, i),
				       &accepted);
	if (status)
		return status;
	bl_buf_printf(&call->out, "{\"accepted\":%llu}\n",
		      (unsigned long long)accepted);
	return call_send_json(call);
}

/* GET /api/opa */
enum bl_status route_opa(struct call *call)
{
	return call_list(call, "instances",
			 BL_DB_PLAIN("SELECT id, at, status FROM opa ORDER BY "
				     "at DESC LIMIT 200"),
			 "id,at#,status!");
}

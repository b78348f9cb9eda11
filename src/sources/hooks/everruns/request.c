/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the bytes of a request to the facts of an event
 * (docs/contracts/everruns.md "Payload", "Events").
 */
#include "base/limits.h"
#include "sources/hooks/everruns/private.h"

struct bl_value bl_everruns_with(struct bl_arena *arena, struct bl_value object,
				 const char *key, struct bl_value value)
{
	struct bl_object_builder builder;

	if (!bl_value_is_defined(object) || !bl_value_is_defined(value))
		return bl_value_undefined();
	bl_object_builder_init(&builder, arena);
	for (size_t i = 0; i < bl_value_count(object); i++)
		bl_object_builder_add(&builder,
				      bl_value_text(bl_object_key(object, i)),
				      bl_object_value(object, i));
	/* Of a repeated key the last value counts, at the first's place. */
	bl_object_builder_add(&builder, bl_str(key), value);
	return bl_object_builder_end(&builder);
}

static enum bl_status read_payload(struct bl_str text, struct bl_arena *arena,
				   struct bl_value *out_payload,
				   struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_json_options options = {
		.max_depth = (uint32_t)limits.json_depth,
	};
	struct bl_place place = { 0 };
	enum bl_status status;

	if (text.len > limits.payload_bytes)
		return bl_fail(err, BL_LIMIT,
			       "the payload of %zu bytes is longer than %llu",
			       text.len,
			       (unsigned long long)limits.payload_bytes);
	status = bl_json_read(arena, text, &options, out_payload, NULL, &place,
			      err);
	if (status != BL_OK && place.line > 0)
		bl_error_context(err, "payload, line %u, column %u",
				 (unsigned)place.line, (unsigned)place.column);
	if (status == BL_OK && !bl_value_is(*out_payload, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID, "the payload is not an object");
	return status;
}

static enum bl_status find_event(struct bl_str name, struct bl_value payload,
				 enum bl_everruns_event *out_event,
				 struct bl_error *err)
{
	struct bl_value held = bl_object_find(payload, BL_STR("event"));
	struct bl_str own = bl_value_text(held);

	if (name.len == 0)
		name = own;
	if (name.len == 0)
		return bl_fail(err, BL_INVALID,
			       "neither the request nor the payload (event) "
			       "names an event");
	if (!bl_everruns_event_parse(name, out_event))
		return bl_fail(err, BL_NOT_FOUND, "Everruns has no event %.*s",
			       BL_STR_ARG(name));
	if (bl_value_is_defined(held) && !bl_str_equal(own, name))
		return bl_fail(err, BL_INVALID,
			       "the payload is of %.*s, not of %.*s",
			       BL_STR_ARG(own), BL_STR_ARG(name));
	return BL_OK;
}

/* A string or null; null when it is missing. */
static enum bl_status read_id(struct bl_value payload, const char *key,
			      struct bl_value *out, struct bl_error *err)
{
	struct bl_value value = bl_object_find(payload, bl_str(key));

	if (!bl_value_is_defined(value))
		value = bl_value_null();
	if (!bl_value_is(value, BL_KIND_NULL) &&
	    !bl_value_is(value, BL_KIND_STRING))
		return bl_fail(err, BL_INVALID,
			       "field %s is neither a string nor null", key);
	*out = value;
	return BL_OK;
}

static enum bl_status read_ids(struct bl_value payload,
			       struct bl_everruns_event_facts *facts,
			       struct bl_error *err)
{
	struct bl_value session = bl_value_null();
	enum bl_status status = read_id(payload, "session_id", &session, err);

	if (status == BL_OK && !bl_value_is(session, BL_KIND_STRING))
		return bl_fail(err, BL_INVALID,
			       "field session_id is not a string");
	facts->session_id = bl_value_text(session);
	if (!facts->session_id.len)
		facts->session_id = BL_STR("");
	if (status == BL_OK)
		status = read_id(payload, "turn_id", &facts->turn_id, err);
	if (status == BL_OK)
		status = read_id(payload, "org_id", &facts->org_id, err);
	if (status == BL_OK)
		status = read_id(payload, "agent_id", &facts->agent_id, err);
	return status;
}

/* The members that the data of an event must have, as strings. */
static const char *const required[BL_EVERRUNS_EVENT_COUNT] = {
	[BL_EVERRUNS_USER_PROMPT_SUBMIT] = "message",
	[BL_EVERRUNS_PRE_TOOL_USE] = "tool_name",
	[BL_EVERRUNS_POST_TOOL_USE] = "tool_name",
};

static enum bl_status read_data(struct bl_value payload, struct bl_arena *arena,
				struct bl_everruns_event_facts *facts,
				struct bl_error *err)
{
	struct bl_value data = bl_object_find(payload, BL_STR("data"));
	const char *field = required[facts->event];
	struct bl_value error;

	if (!bl_value_is(data, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID, "field data is not an object");
	if (field &&
	    !bl_value_is(bl_object_find(data, bl_str(field)), BL_KIND_STRING))
		return bl_fail(err, BL_INVALID, "field data.%s is not a string",
			       field);
	facts->data = data;
	if (facts->event != BL_EVERRUNS_POST_TOOL_USE)
		return BL_OK;
	error = bl_object_find(data, BL_STR("error"));
	if (!bl_value_is_defined(error))
		error = bl_value_null();
	if (!bl_value_is(error, BL_KIND_NULL) &&
	    !bl_value_is(error, BL_KIND_STRING))
		return bl_fail(err, BL_INVALID,
			       "field data.error is neither a string nor null");
	data = bl_everruns_with(arena, data, "error", error);
	facts->data = bl_everruns_with(
		arena, data, "success",
		bl_value_boolean(bl_value_is(error, BL_KIND_NULL)));
	return bl_value_is_defined(facts->data) ? BL_OK
						: bl_arena_fail(arena, err);
}

static enum bl_status read_time(struct bl_value payload, struct bl_arena *arena,
				struct bl_everruns_event_facts *facts,
				struct bl_error *err)
{
	char now[BL_OS_TIME_TEXT_BYTES];

	facts->ts = bl_value_text(bl_object_find(payload, BL_STR("ts")));
	if (facts->ts.len > 0)
		return BL_OK;
	bl_os_format_time(bl_os_wall_ms(), now);
	facts->ts = bl_arena_copy_str(arena, bl_str(now));
	return facts->ts.ptr ? BL_OK : bl_arena_fail(arena, err);
}

enum bl_status bl_everruns_read_request(
	const struct bl_everruns_rules *rules, struct bl_str name,
	struct bl_str text, struct bl_arena *arena,
	struct bl_everruns_event_facts *out_facts, struct bl_error *err)
{
	struct bl_everruns_event_facts facts = { .ts = BL_STR("") };
	struct bl_value payload = bl_value_undefined();
	enum bl_status status = read_payload(text, arena, &payload, err);

	if (status == BL_OK)
		status = find_event(name, payload, &facts.event, err);
	if (status == BL_OK)
		status = read_ids(payload, &facts, err);
	if (status == BL_OK)
		status = read_data(payload, arena, &facts, err);
	if (status == BL_OK)
		status = read_time(payload, arena, &facts, err);
	if (status != BL_OK)
		return status;
	if (rules->drops_origin && bl_everruns_event_is_tool(facts.event)) {
		facts.turn_id = bl_value_null();
		facts.agent_id = bl_value_null();
	}
	*out_facts = facts;
	return BL_OK;
}

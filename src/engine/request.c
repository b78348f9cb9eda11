/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a request to a step and its completed payload. */
#include "engine/private.h"
#include "json/json.h"

/* What of the text hooks could read in another way than we do. */
static bool is_ambiguous(const struct bl_json_report *report)
{
	return report->repeated_key_count > 0 || report->had_lone_surrogate;
}

static enum bl_status read_payload(struct bl_event *event, struct bl_str text,
				   struct bl_value *out_payload,
				   struct bl_json_report *report,
				   struct bl_error *err)
{
	const struct bl_limits *limits = &event->engine->limits;
	struct bl_json_options options = {
		.max_depth = (uint32_t)limits->json_depth,
	};
	struct bl_place place = { 0 };
	enum bl_status status;

	if (text.len > limits->payload_bytes)
		return bl_fail(err, BL_LIMIT,
			       "the payload of %zu bytes is longer than %llu",
			       text.len,
			       (unsigned long long)limits->payload_bytes);
	status = bl_json_read(event->arena, text, &options, out_payload, report,
			      &place, err);
	if (status != BL_OK && place.line > 0)
		bl_error_context(err, "payload, line %u, column %u",
				 (unsigned)place.line, (unsigned)place.column);
	return status;
}

static enum bl_status find_step(struct bl_event *event, struct bl_str asked,
				struct bl_value payload, struct bl_error *err)
{
	struct bl_str name = asked;

	if (name.len == 0)
		name = bl_value_text(
			bl_object_find(payload, BL_STR("hook_event_name")));
	if (name.len == 0)
		return bl_fail(err, BL_INVALID,
			       "neither the request nor the payload "
			       "(hook_event_name) names an event");
	event->step = bl_contract_find(event->set->harness, name);
	if (!event->step)
		return bl_fail(err, BL_NOT_FOUND,
			       "profile %s has no event %.*s",
			       event->profile->name, BL_STR_ARG(name));
	return BL_OK;
}

/* The caller's own bytes when nothing had to be added to them. */
static enum bl_status serialise(struct bl_event *event, struct bl_str text,
				bool unchanged, struct bl_error *err)
{
	event->payload_text = text;
	if (unchanged)
		return BL_OK;
	bl_buf_reserve(&event->serialised, text.len + 1024);
	bl_json_write(&event->serialised, event->payload, BL_JSON_COMPACT);
	event->payload_text = bl_buf_str(&event->serialised);
	if (bl_buf_status(&event->serialised) != BL_OK)
		return bl_fail(err, bl_buf_status(&event->serialised),
			       "the completed payload");
	return BL_OK;
}

enum bl_status bl_event_begin(struct bl_event *event,
			      const struct bl_request *request,
			      struct bl_error *err)
{
	const struct bl_hook_options *options = &event->engine->hooks;
	struct bl_payload_facts facts = {
		.version = event->engine->agent_version,
		.workspaces = options->workspaces,
		.workspace_count = options->workspace_count,
	};
	struct bl_json_report report = { 0 };
	struct bl_value payload;
	enum bl_status status;

	bl_buf_init(&event->serialised, 0);
	bl_array_builder_init(&event->notices, event->arena);
	status = read_payload(event, request->payload, &payload, &report, err);
	if (status == BL_OK)
		status = find_step(event, request->step, payload, err);
	if (status == BL_OK)
		status = bl_hook_event_complete(event->step, payload, &facts,
						event->arena, &event->payload,
						err);
	if (status != BL_OK)
		return status;
	return serialise(event, request->payload,
			 bl_value_count(payload) ==
					 bl_value_count(event->payload) &&
				 !is_ambiguous(&report),
			 err);
}

void bl_event_clear(struct bl_event *event)
{
	bl_buf_clear(&event->serialised);
}

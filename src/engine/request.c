/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the bytes of a request to an event: JSON, then what hooks get (an event
 * and its completed payload) and what policies see (the agent's event).
 */
#include "engine/private.h"
#include "json/json.h"

/* ---- JSON --------------------------------------------------------------- */

/* The reader that the two formats share, with its error places. */
static const struct {
	bool allow_bom;
	const char *what;
} readings[] = {
	[BL_FORM_SERVICE] = { false, "payload," },
	[BL_FORM_HOOK] = { true, "the event is not JSON:" },
};

/* Parts of the text that hooks could read in another way than we do. */
static bool is_ambiguous(const struct bl_json_report *report)
{
	return report->repeated_key_count > 0 || report->had_lone_surrogate;
}

static enum bl_status read_payload(struct bl_event *event, struct bl_str text,
				   struct bl_json_report *report,
				   struct bl_error *err)
{
	const struct bl_limits *limits = &event->engine->limits;
	enum bl_response_form form = event->engine->form;
	struct bl_json_options options = {
		.max_depth = (uint32_t)limits->json_depth,
		.allow_bom = readings[form].allow_bom,
	};
	struct bl_place place = { 0 };
	enum bl_status status;

	if (text.len > limits->payload_bytes)
		return bl_fail(err, BL_LIMIT,
			       "the payload of %zu bytes is longer than %llu",
			       text.len,
			       (unsigned long long)limits->payload_bytes);
	status = bl_json_read(event->arena, text, &options, &event->payload,
			      report, &place, err);
	if (status != BL_OK && place.line > 0)
		bl_error_context(err, "%s line %u, column %u",
				 readings[form].what, (unsigned)place.line,
				 (unsigned)place.column);
	return status;
}

/* ---- for hooks ------------------------------------------------------------ */

/*
 * The event that the request or the payload names.  An agent whose hook belay
 * is may announce events that its hook files do not know: no hook event then.
 */
static enum bl_status find_hook_event(struct bl_event *event,
				      struct bl_str asked, struct bl_error *err)
{
	const struct bl_contract *contract =
		bl_contract_get(event->profile->dialect);
	bool is_optional = event->engine->form == BL_FORM_HOOK;
	struct bl_str name = asked;

	if (name.len == 0)
		name = bl_value_text(bl_object_find(event->payload,
						    BL_STR("hook_event_name")));
	if (name.len == 0 && !is_optional)
		return bl_fail(err, BL_INVALID,
			       "neither the request nor the payload "
			       "(hook_event_name) names an event");
	event->hook_event = bl_contract_find(contract, name);
	if (!event->hook_event && !is_optional)
		return bl_fail(err, BL_NOT_FOUND,
			       "profile %s has no event %.*s",
			       event->profile->name, BL_STR_ARG(name));
	return BL_OK;
}

static enum bl_status serialise(struct bl_event *event, struct bl_buf *buf,
				struct bl_error *err)
{
	bl_buf_reset(buf);
	bl_buf_reserve(buf, event->payload_text.len + 1024);
	bl_json_write(buf, event->payload, BL_JSON_COMPACT);
	event->payload_text = bl_buf_str(buf);
	if (bl_buf_status(buf) != BL_OK)
		return bl_fail(err, bl_buf_status(buf),
			       "the completed payload");
	return BL_OK;
}

/*
 * Are the workspaces others than those that the payload names?  A program takes
 * them from the payload where nobody gave it any; then they are the same.
 */
static bool has_other_roots(const struct bl_event *event,
			    const struct bl_hook_options *options)
{
	struct bl_value roots =
		bl_object_find(event->payload, BL_STR("workspace_roots"));
	size_t count = bl_value_count(roots);

	if (!options->workspace_count || !bl_value_is(roots, BL_KIND_ARRAY))
		return options->workspace_count > 0;
	if (count != options->workspace_count)
		return true;
	for (size_t i = 0; i < count; i++) {
		struct bl_str text = bl_value_text(bl_value_item(roots, i));
		struct bl_str real;

		if (bl_str_equal(text, options->workspaces[i]))
			continue;
		if (!text.len ||
		    bl_path_resolve(event->arena, text, &real, NULL) != BL_OK ||
		    !bl_str_equal(real, options->workspaces[i]))
			return true;
	}
	return false;
}

static void notice_odd_field(struct bl_event *event)
{
	const struct bl_field *odd =
		bl_hook_event_odd_field(event->hook_event, event->payload);

	if (odd)
		bl_event_notice(event,
				"the payload's field %s is not of type %s; "
				"hooks get it as it is",
				odd->name, bl_field_type_name(odd->type));
}

/* Hooks get the caller's own bytes when nothing had to be added to them. */
static enum bl_status complete(struct bl_event *event, bool must_serialise,
			       struct bl_error *err)
{
	const struct bl_hook_options *options = &event->places->hooks;
	struct bl_payload_facts facts = {
		.version = event->engine->agent_version,
		.workspaces = options->workspaces,
		.workspace_count = options->workspace_count,
		.has_roots = has_other_roots(event, options),
	};
	struct bl_value before = event->payload;
	enum bl_status status = bl_hook_event_complete(
		event->hook_event, event->payload, &facts, event->arena,
		&event->payload, err);

	if (status != BL_OK)
		return status;
	notice_odd_field(event);
	if (bl_value_equal(before, event->payload) && !must_serialise)
		return BL_OK;
	return serialise(event, &event->serialised, err);
}

/* ---- for policies ----------------------------------------------------------- */

static bool resolve(void *context, struct bl_str path, struct bl_arena *arena,
		    struct bl_agent_path *out_path)
{
	(void)context;
	return !bl_path_follow(arena, path, &out_path->real, &out_path->is_link,
			       NULL);
}

static enum bl_status decode(struct bl_event *event, struct bl_error *err)
{
	const struct bl_engine *engine = event->engine;
	const struct bl_hook_options *options = &event->places->hooks;
	struct bl_agent_facts facts = {
		.detected_by = event->detected_by ? event->detected_by
						  : engine->agent.detected_by,
		.resolve = resolve,
	};
	struct bl_str dir = event->places->load.places[BL_POLICY_PROJECT].path;
	enum bl_status status = BL_OK;

	if (engine->form == BL_FORM_SERVICE && options->workspace_count)
		facts.cwd = options->workspaces[0];
	else
		status = bl_path_current(event->arena, &facts.cwd, err);
	if (status != BL_OK)
		return status;
	facts.project_root = dir.len ? bl_path_dir(dir) : facts.cwd;
	return bl_agent_decode(engine->agent.agent, event->payload, &facts,
			       event->arena, &event->reply->request, err);
}

static bool is_decoded(const struct bl_event *event)
{
	return event->engine->form == BL_FORM_HOOK ||
	       bl_engine_has_policies(&event->places->load);
}

/* ---- the whole -------------------------------------------------------------- */

enum bl_status bl_event_begin(struct bl_event *event,
			      const struct bl_request *request,
			      struct bl_error *err)
{
	const struct bl_engine *engine = event->engine;
	struct bl_json_report report = { 0 };
	struct bl_value as_sent;
	enum bl_status status;

	if (event->profile->everruns)
		return bl_event_begin_chain(event, request, err);
	event->payload_text = request->payload;
	status = read_payload(event, request->payload, &report, err);
	as_sent = event->payload;
	if (status == BL_OK && (engine->form == BL_FORM_SERVICE ||
				bl_engine_asks(engine, BL_ASK_HOOKS)))
		status = find_hook_event(event, request->event_name, err);
	if (status == BL_OK && event->hook_event)
		status = complete(event, is_ambiguous(&report), err);
	event->first_payload = event->payload;
	event->first_text = event->payload_text;
	if (status != BL_OK || !is_decoded(event))
		return status;
	/* A hook's response is to what the agent said, and to no more. */
	if (engine->form == BL_FORM_HOOK)
		event->payload = as_sent;
	status = decode(event, err);
	event->payload = event->first_payload;
	return status;
}

void bl_event_clear(struct bl_event *event)
{
	bl_buf_clear(&event->serialised);
	bl_buf_clear(&event->rewritten);
}

/* ---- rewritten inputs --------------------------------------------------------- */

#define INPUT_FIELD BL_STR("tool_input")

struct bl_value bl_event_input(const struct bl_event *event)
{
	return bl_object_find(event->payload, INPUT_FIELD);
}

enum bl_status bl_event_rewrite(struct bl_event *event, struct bl_value input,
				struct bl_error *err)
{
	struct bl_object_builder made;
	enum bl_status status = BL_OK;

	if (!bl_value_is(bl_event_input(event), BL_KIND_OBJECT) ||
	    !bl_value_is(input, BL_KIND_OBJECT))
		return BL_OK;
	bl_object_builder_init(&made, event->arena);
	for (size_t i = 0; i < bl_value_count(event->payload); i++)
		bl_object_builder_add(
			&made, bl_value_text(bl_object_key(event->payload, i)),
			bl_object_value(event->payload, i));
	/* Of a repeated key the last value counts, at the first's place. */
	bl_object_builder_add(&made, INPUT_FIELD, input);
	event->payload = bl_object_builder_end(&made);
	if (!bl_value_is_defined(event->payload))
		return bl_arena_fail(event->arena, err);
	event->is_rewritten = true;
	if (event->hook_event)
		status = serialise(event, &event->rewritten, err);
	if (status == BL_OK && event->reply->request.event)
		status = decode(event, err);
	return status;
}

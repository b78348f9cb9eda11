/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads where belay runs the agent's hooks: checking what the caller sent,
 * adding what is missing, and the text that matchers are searched in.  The meaning
 * of a payload for policies is in decode.c.
 */
#include "agents/private.h"

/* ---- filling ------------------------------------------------------------ */

typedef struct bl_value fill_fn(const struct bl_hook_event *event,
				const struct bl_payload_facts *facts,
				struct bl_arena *arena);

static struct bl_value fill_event_name(const struct bl_hook_event *event,
				       const struct bl_payload_facts *facts,
				       struct bl_arena *arena)
{
	(void)facts;
	(void)arena;
	return bl_value_string(bl_str(event->name));
}

static struct bl_value fill_version(const struct bl_hook_event *event,
				    const struct bl_payload_facts *facts,
				    struct bl_arena *arena)
{
	(void)event;
	(void)arena;
	return bl_value_string(bl_str(facts->version ? facts->version : ""));
}

static struct bl_value fill_roots(const struct bl_hook_event *event,
				  const struct bl_payload_facts *facts,
				  struct bl_arena *arena)
{
	struct bl_array_builder builder;

	(void)event;
	bl_array_builder_init(&builder, arena);
	for (size_t i = 0; i < facts->workspace_count; i++)
		bl_array_builder_add(&builder,
				     bl_value_string(facts->workspaces[i]));
	return bl_array_builder_end(&builder);
}

static struct bl_value fill_command(const struct bl_hook_event *event,
				    const struct bl_payload_facts *facts,
				    struct bl_arena *arena)
{
	(void)event;
	(void)facts;
	(void)arena;
	return bl_value_string(BL_STR("UNKNOWN"));
}

/* The fields whose filling is not simply the empty value of their type. */
static const struct {
	const char *name;
	fill_fn *fill;
} fillers[] = {
	{ "hook_event_name", fill_event_name },
	{ "cursor_version", fill_version },
	{ "workspace_roots", fill_roots },
	{ "command", fill_command },
};

static struct bl_value fill_field(const struct bl_hook_event *event,
				  const struct bl_field *field,
				  const struct bl_payload_facts *facts,
				  struct bl_arena *arena)
{
	for (size_t i = 0; i < BL_COUNT(fillers); i++)
		if (!strcmp(field->name, fillers[i].name))
			return fillers[i].fill(event, facts, arena);
	if (field->type == BL_FIELD_BOOLEAN)
		return bl_value_boolean(false);
	return bl_value_string(BL_STR(""));
}

/* ---- completing --------------------------------------------------------- */

/* A value could not be made: memory is out, or it would be too large. */
static enum bl_status fail_making(const struct bl_arena *arena,
				  struct bl_error *err)
{
	if (bl_arena_status(arena) == BL_OK)
		return bl_fail(err, BL_LIMIT, "the payload is too large");
	return bl_arena_fail(arena, err);
}

/* Does the service know this itself? */
static bool is_own(const struct bl_field *field,
		   const struct bl_payload_facts *facts)
{
	if (!strcmp(field->name, "cursor_version"))
		return facts->version && facts->version[0];
	return !strcmp(field->name, "workspace_roots") && facts->has_roots;
}

static const struct bl_field *find_odd(const struct bl_field *fields,
				       size_t count, struct bl_value payload)
{
	for (size_t i = 0; i < count; i++) {
		struct bl_value held =
			bl_object_find(payload, bl_str(fields[i].name));

		if (bl_value_is_defined(held) &&
		    !bl_field_type_accepts(fields[i].type, held))
			return &fields[i];
	}
	return NULL;
}

const struct bl_field *
bl_hook_event_odd_field(const struct bl_hook_event *event,
			struct bl_value payload)
{
	const struct bl_field *odd =
		find_odd(event->fields, event->field_count, payload);

	return odd ? odd
		   : find_odd(event->common_fields, event->common_field_count,
			      payload);
}

struct completion {
	const struct bl_hook_event *event;
	struct bl_value payload;
	const struct bl_payload_facts *facts;
	struct bl_arena *arena;
	struct bl_object_builder builder;
};

static enum bl_status complete_field(struct completion *completion,
				     const struct bl_field *field,
				     struct bl_error *err)
{
	struct bl_str name = bl_str(field->name);
	struct bl_value held = bl_object_find(completion->payload, name);
	struct bl_value value;

	if (bl_value_is_defined(held) && !is_own(field, completion->facts))
		return BL_OK;
	if (field->presence != BL_FIELD_FILLED)
		return BL_OK;
	value = fill_field(completion->event, field, completion->facts,
			   completion->arena);
	if (!bl_value_is_defined(value))
		return fail_making(completion->arena, err);
	bl_object_builder_add(&completion->builder, name, value);
	return BL_OK;
}

static enum bl_status complete_fields(struct completion *completion,
				      const struct bl_field *fields,
				      size_t count, struct bl_error *err)
{
	for (size_t i = 0; i < count; i++) {
		enum bl_status status =
			complete_field(completion, &fields[i], err);

		if (status != BL_OK)
			return status;
	}
	return BL_OK;
}

static enum bl_status check_event_name(const struct bl_hook_event *event,
				       struct bl_value payload,
				       struct bl_error *err)
{
	struct bl_value name =
		bl_object_find(payload, BL_STR("hook_event_name"));
	struct bl_str text = bl_value_text(name);

	if (bl_value_is_defined(name) && !bl_value_is(name, BL_KIND_STRING))
		return bl_fail(
			err, BL_INVALID,
			"%s: field hook_event_name is not of type string",
			event->name);
	if (!bl_value_is_defined(name) || bl_str_is(text, event->name))
		return BL_OK;
	return bl_fail(err, BL_INVALID, "the payload is of %.*s, not of %s",
		       BL_STR_ARG(text), event->name);
}

enum bl_status bl_hook_event_complete(const struct bl_hook_event *event,
				      struct bl_value payload,
				      const struct bl_payload_facts *facts,
				      struct bl_arena *arena,
				      struct bl_value *out_payload,
				      struct bl_error *err)
{
	struct completion completion = { event, payload, facts, arena, { 0 } };
	enum bl_status status;
	struct bl_value whole;

	if (!bl_value_is(payload, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID, "the payload is not an object");
	status = check_event_name(event, payload, err);
	if (status != BL_OK)
		return status;

	bl_object_builder_init(&completion.builder, arena);
	for (size_t i = 0; i < bl_value_count(payload); i++)
		bl_object_builder_add(&completion.builder,
				      bl_value_text(bl_object_key(payload, i)),
				      bl_object_value(payload, i));
	status = complete_fields(&completion, event->fields, event->field_count,
				 err);
	if (status == BL_OK)
		status = complete_fields(&completion, event->common_fields,
					 event->common_field_count, err);
	if (status != BL_OK)
		return status;

	whole = bl_object_builder_end(&completion.builder);
	if (!bl_value_is_defined(whole))
		return fail_making(arena, err);
	*out_payload = whole;
	return BL_OK;
}

/* ---- the matcher subject ------------------------------------------------ */

struct bl_str bl_hook_event_subject(const struct bl_hook_event *event,
				    struct bl_value payload,
				    struct bl_arena *arena)
{
	struct bl_value field;
	struct bl_str text;

	if (event->subject == BL_SUBJECT_NONE)
		return (struct bl_str){ NULL, 0 };
	if (event->subject == BL_SUBJECT_CONSTANT)
		return bl_str(event->subject_text);
	field = bl_object_find(payload, bl_str(event->subject_text));
	if (!bl_value_is(field, BL_KIND_STRING))
		return (struct bl_str){ NULL, 0 };
	text = bl_value_text(field);
	if (event->subject == BL_SUBJECT_PREFIXED) {
		const struct bl_str parts[] = { BL_STR("MCP:"), text };

		return bl_agent_concat(arena, parts, BL_COUNT(parts));
	}
	return text.ptr ? text : BL_STR("");
}

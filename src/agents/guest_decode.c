/* SPDX-License-Identifier: Apache-2.0 */
/* guest_decode.c: payloads to requests. */
#include "agents/guest_internal.h"

struct bl_value bl_guest_get(const struct guest_decoder *decoder,
			     enum guest_field field)
{
	return bl_guest_field(decoder->agent, decoder->request->payload, field);
}

struct bl_value bl_guest_path_field(const struct guest_decoder *decoder,
				    struct bl_value object)
{
	struct bl_value path = bl_value_undefined();

	for (size_t i = 0; i < GUEST_MAX_NAMES; i++) {
		const char *name = decoder->agent->path_fields[i];

		if (!name || bl_value_is_defined(path))
			break;
		path = bl_object_find(object, bl_str(name));
	}
	return path;
}

static bool find_event(struct guest_decoder *decoder)
{
	struct bl_guest_request *request = decoder->request;

	request->event = &decoder->agent->unknown;
	/* a name of the wrong type does not hide the other spelling */
	for (size_t i = 0; i < 2 && !request->event_name.len; i++)
		request->event_name = bl_value_text(bl_object_find(
			request->payload,
			bl_str(decoder->agent->fields[GUEST_FIELD_EVENT][i])));
	for (size_t i = 0; i < decoder->agent->event_count; i++) {
		const struct bl_guest_event *event = &decoder->agent->events[i];

		if (!bl_str_is(request->event_name, event->name))
			continue;
		request->event = event;
		request->is_known = true;
		break;
	}
	request->kind = request->event->kind;
	return request->event_name.len > 0;
}

static void find_place(struct guest_decoder *decoder)
{
	struct bl_guest_request *request = decoder->request;
	struct bl_value roots = bl_guest_get(decoder, GUEST_FIELD_ROOTS);

	request->session_id =
		bl_value_text(bl_guest_get(decoder, GUEST_FIELD_SESSION));
	request->cwd = bl_value_text(bl_guest_get(decoder, GUEST_FIELD_CWD));
	if (!request->cwd.len)
		request->cwd = bl_value_text(bl_value_item(roots, 0));
	if (!request->cwd.len)
		request->cwd = decoder->facts->project_root;
	if (!request->cwd.len)
		request->cwd = decoder->facts->cwd;
}

/* Names under which tools take a command line. */
static const char *const command_fields[] = { "command", "cmd", "command_line",
					      "CommandLine" };

static bool find_command(struct guest_decoder *decoder)
{
	struct bl_guest_request *request = decoder->request;
	struct bl_value object = request->tool_input;
	struct bl_value command = bl_value_undefined();

	if (request->tool_kind != BL_TOOL_SHELL)
		return true;
	if (!bl_value_is(object, BL_KIND_OBJECT))
		object = request->payload;
	for (size_t i = 0;
	     i < BL_COUNT(command_fields) && !bl_value_is_defined(command); i++)
		command = bl_object_find(object, bl_str(command_fields[i]));
	if (!bl_value_is(command, BL_KIND_STRING))
		return true;
	request->command =
		bl_guest_squeeze(decoder->arena, bl_value_text(command));
	return request->command.ptr != NULL;
}

/* False: memory. */
static bool find_tool(struct guest_decoder *decoder)
{
	struct bl_guest_request *request = decoder->request;
	struct bl_str native =
		bl_value_text(bl_guest_get(decoder, GUEST_FIELD_TOOL_NAME));

	bl_guest_tool(decoder->agent, native, &decoder->tool);
	request->tool_kind = decoder->tool.kind;
	request->tool_name = native;
	request->tool_input = bl_guest_get(decoder, GUEST_FIELD_TOOL_INPUT);
	if (request->event->tool_kind != BL_TOOL_NONE)
		request->tool_kind = request->event->tool_kind;
	if (decoder->agent->renames_tools)
		request->tool_name =
			native.len ? decoder->tool.name : BL_STR("unknown");
	return find_command(decoder);
}

enum bl_status bl_guest_decode(enum bl_agent agent, struct bl_value payload,
			       const struct bl_guest_facts *facts,
			       struct bl_arena *arena,
			       struct bl_guest_request *out_request,
			       struct bl_error *err)
{
	struct bl_guest_request request = {
		.agent = agent,
		.payload = payload,
	};
	struct guest_decoder decoder = {
		.agent = bl_guest_agent(agent),
		.request = &request,
		.facts = facts,
		.arena = arena,
	};
	size_t file_count = 0;

	if (!bl_value_is(payload, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID,
			       "the event is no JSON object but %s",
			       bl_kind_name(bl_value_kind(payload)));
	if (!find_event(&decoder))
		return bl_fail(err, BL_INVALID,
			       "the event has no hook_event_name");
	find_place(&decoder);
	if (!find_tool(&decoder))
		return bl_arena_fail(arena, err);
	request.canonical = bl_guest_canonical(&decoder, &file_count);
	if (bl_value_is_defined(request.canonical))
		request.input = bl_guest_input(&decoder);
	if (!bl_value_is_defined(request.input) || bl_arena_status(arena))
		return bl_arena_fail(arena, err);
	if (file_count > GUEST_MAX_PATHS ||
	    bl_value_count(bl_object_find(
		    request.input, BL_STR("affected_parent_directories"))) >
		    GUEST_MAX_PATHS)
		return bl_fail(err, BL_LIMIT,
			       "the event names more than %d paths",
			       GUEST_MAX_PATHS);
	*out_request = request;
	return BL_OK;
}

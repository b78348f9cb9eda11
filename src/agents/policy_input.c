/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `input` as policies see it: the payload, and what Cupcake adds to it.  The additions
 * of belay (input.belay) are in canonical.c.
 */
#include "agents/private.h"

static void add(struct bl_object_builder *builder, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(builder, bl_str(key), value);
}

/* Adds value under key where object has nothing of that name. */
static void add_missing(struct bl_object_builder *builder,
			struct bl_value object, const char *key,
			struct bl_value value)
{
	if (!bl_value_is_defined(bl_object_find(object, bl_str(key))))
		add(builder, key, value);
}

/* The three keys about path: what it is, without links. */
static void add_path(const struct decoder *decoder,
		     struct bl_object_builder *builder, struct bl_value path)
{
	struct bl_agent_path resolved;

	if (!bl_value_text(path).len)
		return;
	resolved = bl_agent_resolve(decoder->facts, decoder->request->cwd,
				    bl_value_text(path), decoder->arena);
	add(builder, "is_symlink", bl_value_boolean(resolved.is_link));
	add(builder, "original_file_path", path);
	add(builder, "resolved_file_path", bl_value_string(resolved.real));
}

/* edits[], each with the keys of its own path; undefined: none has one. */
static struct bl_value edits(const struct decoder *decoder)
{
	struct bl_value list =
		bl_object_find(decoder->request->tool_input, BL_STR("edits"));
	struct bl_array_builder builder;
	bool has_path = false;

	bl_array_builder_init(&builder, decoder->arena);
	for (size_t i = 0;
	     i < bl_value_count(list) && builder.count <= MAX_PATHS; i++) {
		struct bl_object_builder keys;
		struct bl_value edit = bl_value_item(list, i);
		struct bl_value path =
			bl_object_find(edit, BL_STR("file_path"));

		bl_object_builder_init(&keys, decoder->arena);
		add_path(decoder, &keys, path);
		has_path = has_path || keys.count;
		if (keys.count)
			edit = bl_agent_override(decoder->arena, edit,
						 bl_object_builder_end(&keys));
		bl_array_builder_add(&builder, edit);
	}
	return has_path ? bl_array_builder_end(&builder) : bl_value_undefined();
}

/* tool_input with what changes in it. */
static struct bl_value tool_input(const struct decoder *decoder)
{
	const struct bl_agent_request *request = decoder->request;
	struct bl_value content =
		bl_object_find(request->tool_input, BL_STR("content"));
	struct bl_object_builder keys;

	bl_object_builder_init(&keys, decoder->arena);
	if (request->command.ptr)
		add(&keys, "command", bl_value_string(request->command));
	if (request->tool_kind == BL_TOOL_FILE_WRITE)
		add_missing(&keys, request->tool_input, "new_string", content);
	add(&keys, "edits", edits(decoder));
	if (!keys.count)
		return request->tool_input;
	return bl_agent_override(decoder->arena, request->tool_input,
				 bl_object_builder_end(&keys));
}

static void add_tool(const struct decoder *decoder,
		     struct bl_object_builder *keys)
{
	const struct bl_agent_request *request = decoder->request;

	if (request->tool_name.len)
		add(keys, "tool_name", bl_value_string(request->tool_name));
	if (bl_value_is(request->tool_input, BL_KIND_OBJECT))
		add(keys, "tool_input", tool_input(decoder));
	add_missing(keys, request->payload, "tool_response",
		    bl_object_find(request->payload, BL_STR("result")));
}

struct bl_value bl_agent_policy_input(const struct decoder *decoder)
{
	const struct bl_agent_request *request = decoder->request;
	struct bl_value name = bl_value_string(request->event_name);
	bool has_input = bl_value_is(request->tool_input, BL_KIND_OBJECT);
	struct bl_object_builder keys;

	bl_object_builder_init(&keys, decoder->arena);
	add(&keys, "hook_event_name", name);
	add(&keys, "hookEventName", name);
	add_tool(decoder, &keys);
	if (request->command.ptr && !has_input)
		add(&keys, "command", bl_value_string(request->command));
	if (request->command.ptr)
		add(&keys, "affected_parent_directories",
		    bl_agent_directories(decoder->facts, request->cwd,
					 request->command, decoder->arena));
	add_path(decoder, &keys,
		 bl_agent_path_field(decoder, has_input ? request->tool_input
							: request->payload));
	add(&keys, "belay", request->canonical);
	return bl_agent_override(decoder->arena, request->payload,
				 bl_object_builder_end(&keys));
}

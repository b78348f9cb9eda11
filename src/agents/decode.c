/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads of agents whose hook belay is, as requests: which event, where, with
 * what tool.  canonical.c and policy_input.c make of them what policies see.
 */
#include "agents/private.h"

struct bl_value bl_agent_get(const struct decoder *decoder,
			     enum payload_field field)
{
	return bl_agent_field(decoder->agent, decoder->request->payload, field);
}

struct bl_value bl_agent_path_field(const struct decoder *decoder,
				    struct bl_value object)
{
	struct bl_value path = bl_value_undefined();

	for (size_t i = 0; i < MAX_NAMES; i++) {
		const char *name = decoder->agent->payload->path_fields[i];

		if (!name || bl_value_is_defined(path))
			break;
		path = bl_object_find(object, bl_str(name));
	}
	return path;
}

/* The name of the event that the payload's fields tell; empty: none. */
static struct bl_str marked_event(const struct decoder *decoder)
{
	const struct event_mark *marks = decoder->agent->payload->event_marks;

	for (size_t i = 0; i < MAX_EVENT_MARKS && marks[i].event; i++) {
		bool is_there = true;

		for (size_t j = 0; j < 2 && marks[i].fields[j]; j++)
			is_there = is_there &&
				   bl_value_is_defined(bl_object_find(
					   decoder->request->payload,
					   bl_str(marks[i].fields[j])));
		if (is_there)
			return bl_str(marks[i].event);
	}
	return BL_STR("");
}

static bool find_event(struct decoder *decoder)
{
	struct bl_agent_request *request = decoder->request;

	/* a name of the wrong type does not hide the other spelling */
	for (size_t i = 0; i < 2 && !request->event_name.len; i++)
		request->event_name = bl_value_text(bl_object_find(
			request->payload,
			bl_str(decoder->agent->payload
				       ->fields[PAYLOAD_EVENT][i])));
	if (!request->event_name.len)
		request->event_name = marked_event(decoder);
	request->event =
		bl_agent_find_event(decoder->agent, request->event_name);
	request->is_known = request->event != NULL;
	if (!request->event)
		request->event = &decoder->agent->unknown;
	request->kind =
		bl_hook_event_policy_kind(request->event, &request->tool_kind);
	return request->event_name.len > 0;
}

static void find_place(struct decoder *decoder)
{
	struct bl_agent_request *request = decoder->request;
	struct bl_value roots = bl_agent_get(decoder, PAYLOAD_ROOTS);

	request->session_id =
		bl_value_text(bl_agent_get(decoder, PAYLOAD_SESSION));
	request->cwd = bl_value_text(bl_agent_get(decoder, PAYLOAD_CWD));
	if (!request->cwd.len)
		request->cwd = bl_value_text(bl_value_item(roots, 0));
	if (!request->cwd.len)
		request->cwd = decoder->facts->project_root;
	if (!request->cwd.len)
		request->cwd = decoder->facts->cwd;
}

/*
 * Payloads that are calls of tools, in the words of all agents.  The result
 * of a call is in one of the last fields: such a call is already over.
 */
static const char *const call_fields[][2] = {
	{ "tool_name", "tool_input" }, { "toolName", "toolArgs" },
	{ "toolName", "toolInput" },   { "tool", "args" },
	{ "tool", "arguments" },       { "toolCall", "toolCall" },
	{ "tool", "input" },           { "preToolUse", "preToolUse" },
	{ "tool_call", "tool_call" },  { "tool_info", "tool_info" },
	{ "command", "command" },
};
static const char *const result_fields[] = {
	"tool_response", "tool_result", "toolResult", "tool_output",
	"result",        "output",      "error",
};

static bool has_field(struct bl_value payload, const char *name)
{
	return bl_value_is_defined(bl_object_find(payload, bl_str(name)));
}

static bool is_tool_call(struct bl_value payload)
{
	bool is_call = false;

	for (size_t i = 0; i < BL_COUNT(call_fields) && !is_call; i++)
		is_call = has_field(payload, call_fields[i][0]) &&
			  has_field(payload, call_fields[i][1]);
	for (size_t i = 0; i < BL_COUNT(result_fields) && is_call; i++)
		is_call = !has_field(payload, result_fields[i]);
	return is_call;
}

/* Names under which tools take a command line, or a list of them. */
static const char *const command_fields[] = { "command", "cmd", "command_line",
					      "CommandLine", "commands" };

/* sh -c '...': the line as a shell of its own runs it. */
static void put_shell(struct bl_buf *out, struct bl_str line)
{
	bl_buf_puts(out, out->len ? "; sh -c '" : "sh -c '");
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\'')
			bl_buf_puts(out, "'\\''");
		else
			bl_buf_put_char(out, line.ptr[i]);
	}
	bl_buf_put_char(out, '\'');
}

/*
 * The lines of a list as one text.  Each runs in a shell of its own: no quote,
 * folder or variable of one reaches the next.  False, which is refused as no text:
 * one of them is not a text, or may be the start of a here-document (Cline puts
 * those together).
 */
static struct bl_value join_lines(const struct decoder *decoder,
				  struct bl_value list)
{
	size_t count = bl_value_count(list);
	struct bl_value value = bl_value_undefined();
	struct bl_buf text;

	for (size_t i = 0; i < count; i++) {
		struct bl_value item = bl_value_item(list, i);

		if (!bl_value_is(item, BL_KIND_STRING) ||
		    (count > 1 && bl_str_find(bl_value_text(item), BL_STR("<<"),
					      0) != SIZE_MAX))
			return bl_value_boolean(false);
	}
	if (count == 1)
		return bl_value_item(list, 0);
	bl_buf_init(&text, 0);
	for (size_t i = 0; i < count; i++)
		put_shell(&text, bl_value_text(bl_value_item(list, i)));
	if (!bl_buf_status(&text))
		value = bl_value_string(
			bl_arena_copy_str(decoder->arena, bl_buf_str(&text)));
	bl_buf_clear(&text);
	return value;
}

/*
 * A second field that says another command than the one that is judged: the tool
 * may take either.  NULL: no field does.
 */
static const char *other_command(struct bl_value object, const char *key)
{
	struct bl_value judged = bl_object_find(object, bl_str(key));

	/* words behind the command, which is a program then */
	if (bl_value_is(judged, BL_KIND_STRING) &&
	    bl_value_count(bl_object_find(object, BL_STR("args"))))
		return "args";
	for (size_t i = 0; i < BL_COUNT(command_fields); i++) {
		struct bl_value other =
			bl_object_find(object, bl_str(command_fields[i]));

		if (bl_value_is_defined(other) &&
		    !bl_value_is(other, BL_KIND_NULL) &&
		    !bl_value_equal(other, judged))
			return command_fields[i];
	}
	return NULL;
}

/* False: memory. */
static bool find_command(struct decoder *decoder)
{
	struct bl_agent_request *request = decoder->request;
	struct bl_value object = request->tool_input;
	struct bl_value command = bl_value_undefined();
	const char *key = NULL;

	if (request->tool_kind != BL_TOOL_SHELL)
		return true;
	if (!bl_value_is(object, BL_KIND_OBJECT))
		object = request->payload;
	for (size_t i = 0;
	     i < BL_COUNT(command_fields) && !bl_value_is_defined(command);
	     i++) {
		key = command_fields[i];
		command = bl_object_find(object, bl_str(key));
	}
	if (bl_value_is_defined(command))
		decoder->other_command = other_command(object, key);
	/* a list under another name is of words, and facts read it */
	request->has_command_list =
		bl_value_is(command, BL_KIND_ARRAY) && !strcmp(key, "commands");
	if (request->has_command_list)
		command = join_lines(decoder, command);
	decoder->command = command;
	if (bl_value_is_defined(command) && strcmp(key, "command") != 0)
		request->command_key = key;
	if (!bl_value_is(command, BL_KIND_STRING))
		return true;
	request->command =
		bl_agent_squeeze(decoder->arena, bl_value_text(command));
	return request->command.ptr != NULL;
}

/* False: memory. */
static bool find_tool(struct decoder *decoder)
{
	struct bl_agent_request *request = decoder->request;
	struct bl_str native =
		bl_value_text(bl_agent_get(decoder, PAYLOAD_TOOL_NAME));

	bl_agent_tool(decoder->agent, native, &decoder->tool);
	request->tool_name = native;
	request->tool_input = bl_agent_get(decoder, PAYLOAD_TOOL_INPUT);
	if (request->tool_kind == BL_TOOL_NONE)
		request->tool_kind = decoder->tool.kind;
	if (decoder->agent->renames_tools)
		request->tool_name =
			native.len ? decoder->tool.name : BL_STR("unknown");
	return find_command(decoder);
}

enum bl_status
bl_agent_decode(const struct bl_agent *agent, struct bl_value payload,
		const struct bl_agent_facts *facts, struct bl_arena *arena,
		struct bl_agent_request *out_request, struct bl_error *err)
{
	struct bl_agent_request request = {
		.agent = agent,
		.payload = payload,
	};
	struct decoder decoder = {
		.agent = agent,
		.request = &request,
		.facts = facts,
		.arena = arena,
	};
	size_t file_count = 0;

	if (!bl_value_is(payload, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID,
			       "the event is not a JSON object but %s",
			       bl_kind_name(bl_value_kind(payload)));
	if (!find_event(&decoder))
		return bl_fail(err, BL_INVALID,
			       "the event has no hook_event_name");
	if (!request.is_known && is_tool_call(payload))
		return bl_fail(
			err, BL_INVALID,
			"%s has no event '%.*s', and it calls a tool: is "
			"it another agent's?",
			agent->title, BL_STR_ARG(request.event_name));
	find_place(&decoder);
	if (!find_tool(&decoder))
		return bl_arena_fail(arena, err);
	if (request.kind == BL_EVENT_TOOL_BEFORE &&
	    request.tool_kind == BL_TOOL_NONE && is_tool_call(payload))
		return bl_fail(err, BL_INVALID,
			       "'%.*s' calls a tool in other words than %s's: "
			       "is it another agent's?",
			       BL_STR_ARG(request.event_name), agent->title);
	if (decoder.other_command && request.event &&
	    (request.event->capabilities & BL_CAN_REFUSE))
		return bl_fail(err, BL_INVALID,
			       "the call of '%.*s' has another command in its "
			       "field '%s': only one can be judged",
			       BL_STR_ARG(request.tool_name),
			       decoder.other_command);
	request.canonical = bl_agent_canonical(&decoder, &file_count);
	if (bl_value_is_defined(request.canonical))
		request.input = bl_agent_policy_input(&decoder);
	if (!bl_value_is_defined(request.input) || bl_arena_status(arena))
		return bl_arena_fail(arena, err);
	if (file_count > MAX_PATHS ||
	    bl_value_count(bl_object_find(
		    request.input, BL_STR("affected_parent_directories"))) >
		    MAX_PATHS)
		return bl_fail(err, BL_LIMIT,
			       "the event names more than %d paths", MAX_PATHS);
	*out_request = request;
	return BL_OK;
}

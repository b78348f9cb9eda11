/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c: the lines of the server: answers to calls are decided as results,
 * all else passes.
 */
#include "json/json.h"
#include "mcp/private.h"

enum { NOTE_BYTES = 200 };

/* The event that an answer to a call is, as JSON. */
static void put_answer_payload(struct bl_mcp *mcp,
			       const struct bl_mcp_call *call,
			       struct bl_value message, struct bl_buf *out)
{
	struct bl_value result = bl_object_find(message, BL_STR("result"));
	struct bl_value error = bl_object_find(message, BL_STR("error"));
	bool is_result = bl_value_is_defined(result);
	struct bl_value payload;

	if (bl_json_read(&mcp->arena, bl_buf_str(&call->payload), NULL,
			 &payload, NULL, NULL, NULL))
		payload = bl_value_undefined();
	payload = bl_mcp_with(
		&mcp->arena, payload, "hook_event_name",
		bl_value_string(is_result ? BL_STR("PostToolUse")
					  : BL_STR("PostToolUseFailure")));
	payload = bl_mcp_with(
		&mcp->arena, payload, is_result ? "tool_response" : "error",
		is_result ? result : bl_object_find(error, BL_STR("message")));
	bl_json_write(out, payload, BL_JSON_COMPACT);
}

/* The answer to a call as the client gets it. */
static struct bl_value screen(struct bl_mcp *mcp, struct bl_value message,
			      bool *out_changed)
{
	struct bl_value id = bl_object_find(message, BL_STR("id"));
	struct bl_mcp_call *call = NULL;
	struct bl_value before;
	struct bl_mcp_decided decided;
	struct bl_value answer;
	struct bl_buf payload;

	if (bl_mcp_is_answer(message))
		call = bl_mcp_calls_find(&mcp->calls, id);
	if (!call)
		return message;
	bl_buf_init(&payload, 0);
	put_answer_payload(mcp, call, message, &payload);
	bl_mcp_decide(mcp, &payload, &decided);
	bl_buf_clear(&payload);
	before = bl_mcp_call_context(mcp, call);
	bl_mcp_call_clear(call);
	if (decided.reason.ptr) {
		*out_changed = true;
		return bl_mcp_refuse(mcp, id, &decided);
	}
	answer = bl_mcp_with_context(&mcp->arena, message, before,
				     decided.context);
	*out_changed |= !bl_value_equal(answer, message);
	return answer;
}

/* Servers must not print other things; those that do have their users. */
static void note_text(struct bl_mcp *mcp, struct bl_str text)
{
	struct bl_str start = bl_str_slice(text, 0, NOTE_BYTES);

	if (mcp->has_noted_text)
		return;
	mcp->has_noted_text = true;
	bl_mcp_note(mcp,
		    "the server printed what is not a message, and it was not "
		    "passed on: %.*s",
		    BL_STR_ARG(start));
}

/*
 * Is it an answer that the server cannot owe?  Its id is that of a call which still
 * waits for a person, or a text where the client has used only numbers: a client
 * that reads "1" as 1 would take that for the answer to call 1.
 */
static bool is_stray(const struct bl_mcp *mcp, struct bl_value message)
{
	struct bl_value id = bl_object_find(message, BL_STR("id"));
	const struct bl_mcp_call *call;

	if (!bl_mcp_is_answer(message))
		return false;
	call = bl_mcp_calls_find(&mcp->calls, id);
	return (call && call->question.len) ||
	       (!mcp->has_text_ids && bl_value_is(id, BL_KIND_STRING));
}

enum bl_status bl_mcp_from_server(struct bl_mcp *mcp, struct bl_str text,
				  struct bl_buf *to_client,
				  struct bl_error *err)
{
	struct bl_array_builder messages;
	struct bl_mcp_line line;
	size_t count;

	if (!bl_str_trim(text).len)
		return BL_OK;
	if (bl_mcp_read_line(mcp, text, &line, NULL)) {
		note_text(mcp, text);
		return bl_mcp_finish(mcp, err);
	}
	count = bl_mcp_message_count(line.value);
	for (size_t i = 0; i < count; i++) {
		if (!bl_mcp_is_doubtful(bl_mcp_message_at(line.value, i)) &&
		    !is_stray(mcp, bl_mcp_message_at(line.value, i)))
			continue;
		note_text(mcp, text);
		return bl_mcp_finish(mcp, err);
	}
	bl_array_builder_init(&messages, &mcp->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(
			&messages, screen(mcp, bl_mcp_message_at(line.value, i),
					  &line.is_changed));
	line.value = bl_mcp_like(line.value, &messages);
	if (!bl_arena_status(&mcp->arena))
		bl_mcp_put_read(to_client, &line);
	return bl_mcp_finish(mcp, err);
}

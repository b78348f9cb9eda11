/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c: the lines of the client: a call is decided before the server gets it,
 * the answer to a question of belay's is belay's, all else passes.
 */
#include "json/json.h"
#include "mcp/private.h"

/* ---- the event that a call is ------------------------------------------- */

static void add_common(struct bl_mcp *mcp, struct bl_object_builder *made,
		       const char *event)
{
	struct bl_value client;

	if (bl_json_read(&mcp->arena, bl_buf_str(&mcp->client), NULL, &client,
			 NULL, NULL, NULL))
		client = bl_object_make(&mcp->arena, NULL, 0, NULL);
	bl_object_builder_add(made, BL_STR("hook_event_name"),
			      bl_value_string(bl_str(event)));
	bl_object_builder_add(made, BL_STR("session_id"),
			      bl_value_string(mcp->options.session));
	bl_object_builder_add(made, BL_STR("cwd"),
			      bl_value_string(mcp->options.cwd));
	bl_object_builder_add(made, BL_STR("mcp_server"),
			      bl_value_string(mcp->options.server));
	bl_object_builder_add(made, BL_STR("mcp_client"), client);
}

/* may_ask: a person can be asked about the call. */
static struct bl_value call_payload(struct bl_mcp *mcp, struct bl_value message,
				    bool may_ask)
{
	struct bl_value params = bl_object_find(message, BL_STR("params"));
	struct bl_str name =
		bl_value_text(bl_object_find(params, BL_STR("name")));
	struct bl_value input = bl_object_find(params, BL_STR("arguments"));
	struct bl_str tool = bl_arena_printf(&mcp->arena, "mcp__%.*s__%.*s",
					     BL_STR_ARG(mcp->options.server),
					     BL_STR_ARG(name));
	struct bl_object_builder made;
	struct bl_buf id;

	if (!bl_value_is_defined(input))
		input = bl_object_make(&mcp->arena, NULL, 0, NULL);
	bl_buf_init(&id, 0);
	bl_json_write(&id, bl_object_find(message, BL_STR("id")),
		      BL_JSON_COMPACT);
	bl_object_builder_init(&made, &mcp->arena);
	add_common(mcp, &made, "PreToolUse");
	bl_object_builder_add(&made, BL_STR("tool_name"),
			      bl_value_string(tool));
	bl_object_builder_add(&made, BL_STR("tool_input"), input);
	bl_object_builder_add(&made, BL_STR("tool_use_id"),
			      bl_value_string(bl_arena_copy_str(
				      &mcp->arena, bl_buf_str(&id))));
	bl_buf_clear(&id);
	if (may_ask)
		bl_object_builder_add(&made, BL_STR("permission_mode"),
				      bl_value_string(BL_STR("attended")));
	return bl_object_builder_end(&made);
}

/* ---- messages ----------------------------------------------------------- */

/* A message of the client: passed on as value, or answered, or belay's. */
struct passage {
	struct bl_value value;
	struct bl_value answer; /* undefined: it passes */
	struct bl_value aside;  /* what the client gets besides; undefined */
	struct bl_str release;  /* a call that waited, for the server; empty */
	struct bl_mcp_call *call;
	bool is_alone; /* not one of a batch */
	bool is_changed;
	bool is_taken; /* it waits for a person, or it was for belay */
};

static struct bl_mcp_call *keep_call(struct bl_mcp *mcp, struct bl_value id,
				     struct bl_str payload,
				     struct bl_value context)
{
	struct bl_mcp_call *call = bl_mcp_calls_add(&mcp->calls, id);

	if (!call)
		return NULL;
	bl_buf_put_str(&call->payload, payload);
	if (bl_value_count(context))
		bl_json_write(&call->context, context, BL_JSON_COMPACT);
	if (bl_buf_status(&call->id) || bl_buf_status(&call->payload) ||
	    bl_buf_status(&call->context)) {
		bl_mcp_call_clear(call);
		return NULL;
	}
	return call;
}

/* Nobody is asked about a part of a batch: the rest would have to wait. */
static bool may_ask(const struct bl_mcp *mcp, const struct passage *passage)
{
	return mcp->can_ask && passage->is_alone &&
	       bl_mcp_calls_count_asked(&mcp->calls) <
		       mcp->options.most_questions;
}

static struct bl_value with_arguments(struct bl_mcp *mcp,
				      struct bl_value message,
				      struct bl_value arguments)
{
	struct bl_value params = bl_object_find(message, BL_STR("params"));

	return bl_mcp_with(
		&mcp->arena, message, "params",
		bl_mcp_with(&mcp->arena, params, "arguments", arguments));
}

/* Passes the call on, lets it wait for a person, or says why it does neither. */
static void follow(struct bl_mcp *mcp, struct passage *passage,
		   const struct bl_buf *payload, struct bl_mcp_decided *decided)
{
	struct bl_value id = bl_object_find(passage->value, BL_STR("id"));
	bool is_asked = decided->question.len && may_ask(mcp, passage);

	if (decided->reason.ptr && !is_asked)
		return;
	if (bl_value_is(decided->arguments, BL_KIND_OBJECT)) {
		passage->is_changed = true;
		passage->value =
			with_arguments(mcp, passage->value, decided->arguments);
	}
	passage->call =
		keep_call(mcp, id, bl_buf_str(payload), decided->context);
	if (!passage->call) {
		decided->reason =
			BL_STR("belay: too many calls have no answer yet");
		return;
	}
	if (!is_asked)
		return;
	passage->is_taken = bl_mcp_ask(mcp, passage->call, passage->value,
				       decided, &passage->aside);
	if (passage->is_taken)
		decided->reason = (struct bl_str){ NULL, 0 };
	else
		bl_mcp_call_clear(passage->call);
}

static void judge_call(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_value message = passage->value;
	struct bl_value id = bl_object_find(message, BL_STR("id"));
	struct bl_arena *arena = &mcp->arena;
	struct bl_mcp_decided decided;
	struct bl_buf payload;

	if (bl_mcp_calls_find(&mcp->calls, id)) {
		passage->answer = bl_mcp_error(
			arena, id, BL_RPC_INVALID_REQUEST,
			BL_STR("belay: a call with this id has no answer yet"));
		return;
	}
	bl_buf_init(&payload, 0);
	bl_json_write(&payload,
		      call_payload(mcp, message, may_ask(mcp, passage)),
		      BL_JSON_COMPACT);
	bl_mcp_decide(mcp, &payload, &decided);
	follow(mcp, passage, &payload, &decided);
	bl_buf_clear(&payload);
	if (decided.reason.ptr)
		passage->answer = bl_mcp_refuse(mcp, id, &decided);
}

static void note_client(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_value params =
		bl_object_find(passage->value, BL_STR("params"));
	struct bl_value info = bl_object_find(params, BL_STR("clientInfo"));

	bl_buf_reset(&mcp->client);
	if (bl_value_is(info, BL_KIND_OBJECT))
		bl_json_write(&mcp->client, info, BL_JSON_COMPACT);
	mcp->can_ask = mcp->options.question_prefix.len &&
		       bl_mcp_shows_questions(params);
}

/* The server never got a call that waits for a person: belay ends that itself. */
static void note_cancelled(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_value params =
		bl_object_find(passage->value, BL_STR("params"));
	struct bl_mcp_call *call = bl_mcp_calls_find(
		&mcp->calls, bl_object_find(params, BL_STR("requestId")));

	if (!call)
		return;
	call->is_cancelled = true;
	if (!call->question.len)
		return;
	passage->is_taken = true;
	passage->aside = bl_mcp_take_back(mcp, call);
	bl_mcp_call_clear(call);
}

static const struct {
	const char *method;
	void (*note)(struct bl_mcp *mcp, struct passage *passage);
} noted[] = {
	{ "initialize", note_client },
	{ "notifications/cancelled", note_cancelled },
};

/* An id that an answer can have; undefined: none. */
static struct bl_value id_of(struct bl_value message)
{
	struct bl_value id = bl_object_find(message, BL_STR("id"));

	return bl_value_is(id, BL_KIND_STRING) ||
			       bl_value_is(id, BL_KIND_NUMBER)
		       ? id
		       : bl_value_undefined();
}

/* The answer to a question of belay's; the server has asked no such thing. */
static bool take_answer(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_str id =
		bl_value_text(bl_object_find(passage->value, BL_STR("id")));
	struct bl_mcp_call *call;

	if (!mcp->can_ask || !bl_mcp_is_answer(passage->value) ||
	    !bl_str_has_prefix(id, mcp->options.question_prefix))
		return false;
	passage->is_taken = true;
	call = bl_mcp_calls_find_question(&mcp->calls, id);
	if (!call)
		return true; /* it came too late */
	if (bl_mcp_says_yes(passage->value))
		passage->release = bl_mcp_release(mcp, call);
	else
		passage->aside = bl_mcp_end_question(
			mcp, call, bl_mcp_why_not(passage->value));
	return true;
}

static void judge_message(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_str method =
		bl_value_text(bl_object_find(passage->value, BL_STR("method")));
	enum bl_rpc_error code;
	const char *fault;

	if (take_answer(mcp, passage))
		return;
	fault = bl_mcp_fault(passage->value, &code);
	/* Its answers have the ids of the server: those do not count. */
	mcp->has_text_ids |=
		method.len &&
		bl_value_is(bl_object_find(passage->value, BL_STR("id")),
			    BL_KIND_STRING);
	if (fault) {
		passage->answer = bl_mcp_error(
			&mcp->arena, id_of(passage->value), code,
			bl_arena_printf(&mcp->arena, "belay: %s", fault));
		return;
	}
	for (size_t i = 0; i < BL_COUNT(noted); i++)
		if (bl_str_is(method, noted[i].method))
			noted[i].note(mcp, passage);
	if (bl_mcp_is_call(passage->value))
		judge_call(mcp, passage);
}

/* The answer to a message of a refused batch; undefined: none. */
static struct bl_value answer_along(struct bl_mcp *mcp,
				    const struct passage *passage)
{
	struct bl_value id = id_of(passage->value);
	struct bl_str text = BL_STR("belay: not passed on, since another "
				    "message of its batch was refused");

	if (bl_value_is_defined(passage->answer) || passage->is_taken)
		return passage->answer;
	if (passage->call)
		bl_mcp_call_clear(passage->call);
	if (!bl_value_is_defined(id))
		return id;
	if (passage->call)
		return bl_mcp_refusal(&mcp->arena, id, text);
	return bl_mcp_error(&mcp->arena, id, BL_RPC_INVALID_REQUEST, text);
}

/* There is no message that could be answered. */
static void put_fault(struct bl_mcp *mcp, struct bl_buf *to_client,
		      enum bl_rpc_error code, const char *why)
{
	bl_mcp_put_line(
		to_client,
		bl_mcp_error(&mcp->arena, bl_value_undefined(), code,
			     bl_arena_printf(&mcp->arena, "belay: %s", why)));
}

/* All that comes of a line. */
struct harvest {
	struct passage *passages;
	size_t count;
	size_t refused;
};

static bool judge_line(struct bl_mcp *mcp, struct bl_mcp_line *line,
		       struct harvest *out)
{
	out->count = bl_mcp_message_count(line->value);
	out->passages =
		bl_arena_new_array(&mcp->arena, struct passage, out->count);
	if (!out->passages)
		return false;
	for (size_t i = 0; i < out->count; i++) {
		struct passage *passage = &out->passages[i];

		passage->value = bl_mcp_message_at(line->value, i);
		passage->is_alone = !bl_value_is(line->value, BL_KIND_ARRAY);
		judge_message(mcp, passage);
		out->refused += bl_value_is_defined(passage->answer);
		line->is_changed |= passage->is_changed || passage->is_taken;
	}
	return true;
}

static void put_harvest(struct bl_mcp *mcp, const struct harvest *harvest,
			struct bl_mcp_line *line, struct bl_buf *to_server,
			struct bl_buf *to_client)
{
	struct bl_array_builder messages;

	bl_array_builder_init(&messages, &mcp->arena);
	for (size_t i = 0; i < harvest->count; i++) {
		struct passage *passage = &harvest->passages[i];
		struct bl_value one = harvest->refused
					      ? answer_along(mcp, passage)
					      : passage->value;

		if (bl_value_is_defined(passage->aside))
			bl_mcp_put_line(to_client, passage->aside);
		if (passage->release.len) {
			bl_buf_put_str(to_server, passage->release);
			bl_buf_put_char(to_server, '\n');
		}
		if (bl_value_is_defined(one) && !passage->is_taken)
			bl_array_builder_add(&messages, one);
	}
	if (!messages.count)
		return;
	line->value = bl_mcp_like(line->value, &messages);
	line->is_changed |= harvest->refused > 0;
	if (!bl_arena_status(&mcp->arena))
		bl_mcp_put_read(harvest->refused ? to_client : to_server, line);
}

enum bl_status bl_mcp_from_client(struct bl_mcp *mcp, struct bl_str text,
				  struct bl_buf *to_server,
				  struct bl_buf *to_client,
				  struct bl_error *err)
{
	struct harvest harvest = { .count = 0 };
	struct bl_error why;
	struct bl_mcp_line line;

	if (!bl_str_trim(text).len)
		return BL_OK;
	if (bl_mcp_read_line(mcp, text, &line, &why)) {
		put_fault(mcp, to_client, BL_RPC_PARSE, why.message);
		return bl_mcp_finish(mcp, err);
	}
	if (!bl_mcp_message_count(line.value)) {
		put_fault(mcp, to_client, BL_RPC_INVALID_REQUEST,
			  "there is nothing in the batch");
		return bl_mcp_finish(mcp, err);
	}
	if (judge_line(mcp, &line, &harvest))
		put_harvest(mcp, &harvest, &line, to_server, to_client);
	return bl_mcp_finish(mcp, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c: one session: reads the lines of both sides, has calls and results
 * decided, and says what each side gets.
 */
#include <stdlib.h>

#include "json/json.h"
#include "mcp/private.h"

enum { NOTE_BYTES = 200 };

struct bl_mcp {
	struct bl_mcp_options options;
	struct bl_arena kept;  /* the options' texts */
	struct bl_arena arena; /* of one line */
	struct bl_mcp_calls calls;
	struct bl_buf client; /* JSON of clientInfo; empty: not known yet */
	bool has_noted_text;  /* that the server prints other things */
	bool has_text_ids;    /* among those of the client's requests */
};

enum bl_status bl_mcp_new(const struct bl_mcp_options *options,
			  struct bl_mcp **out_mcp, struct bl_error *err)
{
	struct bl_mcp *mcp = calloc(1, sizeof(*mcp));
	uint32_t most = options->most_calls;

	if (!mcp)
		return bl_fail_memory(err);
	mcp->options = *options;
	bl_arena_init(&mcp->kept, NULL, 0, 0);
	bl_arena_init(&mcp->arena, NULL, 0, options->max_arena_bytes);
	bl_buf_init(&mcp->client, 0);
	mcp->calls.list =
		bl_arena_new_array(&mcp->kept, struct bl_mcp_call, most);
	for (uint32_t i = 0; mcp->calls.list && i < most; i++)
		bl_mcp_call_clear(&mcp->calls.list[mcp->calls.most++]);
	mcp->options.server = bl_arena_copy_str(&mcp->kept, options->server);
	mcp->options.session = bl_arena_copy_str(&mcp->kept, options->session);
	mcp->options.cwd = bl_arena_copy_str(&mcp->kept, options->cwd);
	if (bl_arena_status(&mcp->kept)) {
		bl_mcp_free(mcp);
		return bl_fail_memory(err);
	}
	*out_mcp = mcp;
	return BL_OK;
}

struct bl_mcp *bl_mcp_free(struct bl_mcp *mcp)
{
	if (!mcp)
		return NULL;
	for (uint32_t i = 0; i < mcp->calls.most; i++)
		bl_mcp_call_clear(&mcp->calls.list[i]);
	bl_buf_clear(&mcp->client);
	bl_arena_clear(&mcp->arena);
	bl_arena_clear(&mcp->kept);
	free(mcp);
	return NULL;
}

void bl_mcp_put_name(struct bl_buf *out, struct bl_str name)
{
	bool is_parted = false;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') ||
				(c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') || c == '-';

		/* Two _ part the server from the tool: one here, and inside. */
		if (is_plain && is_parted && out->len)
			bl_buf_put_char(out, '_');
		is_parted = !is_plain;
		if (is_plain)
			bl_buf_put_char(out, c);
	}
}

/* ---- lines -------------------------------------------------------------- */

static void note(struct bl_mcp *mcp, const char *fmt, ...) BL_PRINTF(2, 3);

static void note(struct bl_mcp *mcp, const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(&mcp->arena, fmt, args);
	va_end(args);
	if (text.ptr)
		mcp->options.note(mcp->options.context, text.ptr);
}

static void put_line(struct bl_buf *out, struct bl_value message)
{
	bl_json_write(out, message, BL_JSON_COMPACT);
	bl_buf_put_char(out, '\n');
}

/* A line as it was read: as it came where there is one way to read it. */
struct line {
	struct bl_str text;
	struct bl_value value;
	bool is_changed;
};

static void put_read(struct bl_buf *out, const struct line *line)
{
	if (line->is_changed) {
		put_line(out, line->value);
		return;
	}
	bl_buf_put_str(out, line->text);
	bl_buf_put_char(out, '\n');
}

/*
 * Readers that end lines at a carriage return, too, would find other messages
 * in the line than we do; at the end of a line it is white space.
 */
static bool has_return(struct bl_str text)
{
	size_t at = bl_str_find(text, BL_STR("\r"), 0);

	return at != SIZE_MAX && at + 1 < text.len;
}

static enum bl_status read_line(struct bl_mcp *mcp, struct bl_str text,
				struct line *out_line, struct bl_error *err)
{
	struct bl_json_options json = { .max_depth = mcp->options.max_depth };
	struct bl_json_report report = { 0 };
	enum bl_status status;

	*out_line = (struct line){ .text = text };
	if (has_return(text))
		return bl_fail(err, BL_SYNTAX,
			       "there is a carriage return in the line");
	status = bl_json_read(&mcp->arena, text, &json, &out_line->value,
			      &report, NULL, err);
	out_line->is_changed =
		report.repeated_key_count || report.had_lone_surrogate;
	return status;
}

/* The messages of a line: those of a batch, or the one. */
static size_t message_count(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_ARRAY) ? bl_value_count(value) : 1;
}

static struct bl_value message_at(struct bl_value value, size_t i)
{
	return bl_value_is(value, BL_KIND_ARRAY) ? bl_value_item(value, i)
						 : value;
}

/* The new messages of a line: an array where the line was one. */
static struct bl_value like(struct bl_value value,
			    struct bl_array_builder *messages)
{
	struct bl_value list = bl_array_builder_end(messages);

	return bl_value_is(value, BL_KIND_ARRAY) ? list
						 : bl_value_item(list, 0);
}

static enum bl_status finish(struct bl_mcp *mcp, struct bl_error *err)
{
	enum bl_status status = bl_arena_status(&mcp->arena)
					? bl_arena_fail(&mcp->arena, err)
					: BL_OK;

	bl_arena_reset(&mcp->arena);
	return status;
}

/* ---- decisions ---------------------------------------------------------- */

/* The decision about an event, read. */
struct decided {
	struct bl_str reason; /* ptr NULL: it may pass */
	struct bl_value arguments;
	struct bl_value context;
};

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

static struct bl_value call_payload(struct bl_mcp *mcp, struct bl_value message)
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
	return bl_object_builder_end(&made);
}

static struct bl_str refusal_of(const struct bl_response *response,
				struct bl_value said)
{
	struct bl_str reason =
		bl_value_text(bl_object_find(said, BL_STR("reason")));

	if (!reason.len)
		reason = bl_str_trim(response->errors);
	return reason.len ? reason : BL_STR("refused");
}

static struct decided undecided(void)
{
	return (struct decided){ .reason = BL_STR("out of memory") };
}

static void decide(struct bl_mcp *mcp, struct bl_str payload,
		   struct decided *out_decided)
{
	struct bl_arena *arena = &mcp->arena;
	struct bl_response response = { .exit_code = 0 };
	struct bl_value said = bl_value_undefined();
	struct bl_error err;

	*out_decided = (struct decided){ .reason = { NULL, 0 } };
	if (mcp->options.decide(mcp->options.context, payload, arena, &response,
				&err)) {
		out_decided->reason =
			bl_arena_copy_str(arena, bl_str(err.message));
		if (!out_decided->reason.len)
			out_decided->reason = BL_STR("out of memory");
		return;
	}
	if (bl_str_trim(response.output).len &&
	    bl_json_read(arena, response.output, NULL, &said, NULL, NULL, NULL))
		response.effect = BL_VERB_DENY;
	if (bl_verb_refuses(response.effect))
		out_decided->reason = refusal_of(&response, said);
	out_decided->arguments = bl_object_find(said, BL_STR("arguments"));
	out_decided->context = bl_object_find(said, BL_STR("context"));
}

static struct bl_value refusal(struct bl_mcp *mcp, struct bl_value id,
			       const struct decided *decided)
{
	return bl_mcp_with_context(
		&mcp->arena, bl_mcp_refusal(&mcp->arena, id, decided->reason),
		decided->context, bl_value_undefined());
}

/* ---- the client's messages ---------------------------------------------- */

/* A message of the client: passed on as value, or answered. */
struct passage {
	struct bl_value value;
	struct bl_value answer; /* undefined: it passes */
	struct bl_mcp_call *call;
	bool is_changed;
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

static void judge_call(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_value message = passage->value;
	struct bl_value id = bl_object_find(message, BL_STR("id"));
	struct bl_value params = bl_object_find(message, BL_STR("params"));
	struct bl_arena *arena = &mcp->arena;
	struct decided decided;
	struct bl_buf payload;

	if (bl_mcp_calls_find(&mcp->calls, id)) {
		passage->answer = bl_mcp_error(
			arena, id, BL_RPC_INVALID_REQUEST,
			BL_STR("belay: a call with this id has no answer yet"));
		return;
	}
	bl_buf_init(&payload, 0);
	bl_json_write(&payload, call_payload(mcp, message), BL_JSON_COMPACT);
	if (bl_buf_status(&payload))
		decided = undecided();
	else
		decide(mcp, bl_buf_str(&payload), &decided);
	if (!decided.reason.ptr) {
		passage->call = keep_call(mcp, id, bl_buf_str(&payload),
					  decided.context);
		if (!passage->call)
			decided.reason = BL_STR(
				"belay: too many calls have no answer yet");
	}
	bl_buf_clear(&payload);
	if (decided.reason.ptr) {
		passage->answer = refusal(mcp, id, &decided);
	} else if (bl_value_is(decided.arguments, BL_KIND_OBJECT)) {
		passage->is_changed = true;
		passage->value =
			bl_mcp_with(arena, message, "params",
				    bl_mcp_with(arena, params, "arguments",
						decided.arguments));
	}
}

static void note_client(struct bl_mcp *mcp, struct bl_value message)
{
	struct bl_value params = bl_object_find(message, BL_STR("params"));
	struct bl_value info = bl_object_find(params, BL_STR("clientInfo"));

	bl_buf_reset(&mcp->client);
	if (bl_value_is(info, BL_KIND_OBJECT))
		bl_json_write(&mcp->client, info, BL_JSON_COMPACT);
}

static void note_cancelled(struct bl_mcp *mcp, struct bl_value message)
{
	struct bl_value params = bl_object_find(message, BL_STR("params"));
	struct bl_mcp_call *call = bl_mcp_calls_find(
		&mcp->calls, bl_object_find(params, BL_STR("requestId")));

	if (call)
		call->is_cancelled = true;
}

static const struct {
	const char *method;
	void (*note)(struct bl_mcp *mcp, struct bl_value message);
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

static void judge_message(struct bl_mcp *mcp, struct passage *passage)
{
	struct bl_str method =
		bl_value_text(bl_object_find(passage->value, BL_STR("method")));
	enum bl_rpc_error code;
	const char *fault = bl_mcp_fault(passage->value, &code);

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
			noted[i].note(mcp, passage->value);
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

	if (bl_value_is_defined(passage->answer))
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
	put_line(to_client,
		 bl_mcp_error(&mcp->arena, bl_value_undefined(), code,
			      bl_arena_printf(&mcp->arena, "belay: %s", why)));
}

enum bl_status bl_mcp_from_client(struct bl_mcp *mcp, struct bl_str text,
				  struct bl_buf *to_server,
				  struct bl_buf *to_client,
				  struct bl_error *err)
{
	struct bl_arena *arena = &mcp->arena;
	struct bl_array_builder messages;
	struct passage *passages;
	struct bl_error why;
	struct line line;
	size_t refused = 0;
	size_t count;

	if (!bl_str_trim(text).len)
		return BL_OK;
	if (read_line(mcp, text, &line, &why)) {
		put_fault(mcp, to_client, BL_RPC_PARSE, why.message);
		return finish(mcp, err);
	}
	count = message_count(line.value);
	if (!count) {
		put_fault(mcp, to_client, BL_RPC_INVALID_REQUEST,
			  "there is nothing in the batch");
		return finish(mcp, err);
	}
	passages = bl_arena_new_array(arena, struct passage, count);
	if (!passages)
		return finish(mcp, err);
	for (size_t i = 0; i < count; i++) {
		passages[i].value = message_at(line.value, i);
		judge_message(mcp, &passages[i]);
		refused += bl_value_is_defined(passages[i].answer);
		line.is_changed |= passages[i].is_changed;
	}
	bl_array_builder_init(&messages, arena);
	for (size_t i = 0; i < count; i++) {
		struct bl_value one = refused ? answer_along(mcp, &passages[i])
					      : passages[i].value;

		if (bl_value_is_defined(one))
			bl_array_builder_add(&messages, one);
	}
	line.value = like(line.value, &messages);
	if (bl_arena_status(arena))
		return finish(mcp, err);
	line.is_changed |= refused > 0;
	put_read(refused ? to_client : to_server, &line);
	return finish(mcp, err);
}

/* ---- the server's messages ---------------------------------------------- */

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
	struct bl_value before = bl_value_undefined();
	struct decided decided;
	struct bl_value answer;
	struct bl_buf payload;

	if (bl_mcp_is_answer(message))
		call = bl_mcp_calls_find(&mcp->calls, id);
	if (!call)
		return message;
	bl_buf_init(&payload, 0);
	put_answer_payload(mcp, call, message, &payload);
	if (bl_buf_status(&payload))
		decided = undecided();
	else
		decide(mcp, bl_buf_str(&payload), &decided);
	bl_buf_clear(&payload);
	if (call->context.len &&
	    bl_json_read(
		    &mcp->arena,
		    bl_arena_copy_str(&mcp->arena, bl_buf_str(&call->context)),
		    NULL, &before, NULL, NULL, NULL))
		before = bl_value_undefined();
	bl_mcp_call_clear(call);
	if (decided.reason.ptr) {
		*out_changed = true;
		return refusal(mcp, id, &decided);
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
	note(mcp,
	     "the server printed what is not a message, and it was not passed "
	     "on: %.*s",
	     BL_STR_ARG(start));
}

/*
 * An answer to nothing that was asked, which clients that read "1" as 1 take for
 * the answer to a call.
 */
static bool is_stray(const struct bl_mcp *mcp, struct bl_value message)
{
	return bl_mcp_is_answer(message) && !mcp->has_text_ids &&
	       bl_value_is(bl_object_find(message, BL_STR("id")),
			   BL_KIND_STRING);
}

enum bl_status bl_mcp_from_server(struct bl_mcp *mcp, struct bl_str text,
				  struct bl_buf *to_client,
				  struct bl_error *err)
{
	struct bl_array_builder messages;
	struct line line;
	size_t count;

	if (!bl_str_trim(text).len)
		return BL_OK;
	if (read_line(mcp, text, &line, NULL)) {
		note_text(mcp, text);
		return finish(mcp, err);
	}
	count = message_count(line.value);
	for (size_t i = 0; i < count; i++) {
		if (!bl_mcp_is_doubtful(message_at(line.value, i)) &&
		    !is_stray(mcp, message_at(line.value, i)))
			continue;
		note_text(mcp, text);
		return finish(mcp, err);
	}
	bl_array_builder_init(&messages, &mcp->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&messages,
				     screen(mcp, message_at(line.value, i),
					    &line.is_changed));
	line.value = like(line.value, &messages);
	if (!bl_arena_status(&mcp->arena))
		put_read(to_client, &line);
	return finish(mcp, err);
}

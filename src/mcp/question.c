/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c: questions to the person at the client, by the specification's
 * elicitation (2025-06-18): belay is the server that asks, and the real one hears
 * nothing of it.
 *
 *	{"jsonrpc":"2.0","id":"belay-...-1","method":"elicitation/create",
 *	 "params":{"message":TEXT,"requestedSchema":{... "allow": a boolean ...}}}
 *
 * To accept is not enough, since clients accept empty forms by themselves: the
 * answer has to have "allow": true.
 */
#include <limits.h>

#include "base/text_safe.h"
#include "json/json.h"
#include "mcp/private.h"

enum { SHOWN_BYTES = 2000 }; /* of arguments */

static struct bl_value text_value(const char *text)
{
	return bl_value_string(bl_str(text));
}

/* ---- what the client can do --------------------------------------------- */

/*
 * Forms are meant by an empty object; since 2025-11-25 it says which kinds it
 * has, and a kind "url" alone shows no forms.
 */
bool bl_mcp_shows_questions(struct bl_value params)
{
	struct bl_value capability =
		bl_object_find(bl_object_find(params, BL_STR("capabilities")),
			       BL_STR("elicitation"));

	if (!bl_value_is(capability, BL_KIND_OBJECT))
		return false;
	return bl_value_is_defined(
		       bl_object_find(capability, BL_STR("form"))) ||
	       !bl_value_is_defined(bl_object_find(capability, BL_STR("url")));
}

/* ---- the question ------------------------------------------------------- */

/* The person has to see what is asked, whatever the agent writes into it. */
static void put_arguments(struct bl_buf *out, struct bl_value arguments)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_json_write(&text, arguments, BL_JSON_COMPACT);
	bl_text_put_safe(out, bl_str_slice(bl_buf_str(&text), 0, SHOWN_BYTES));
	if (text.len > SHOWN_BYTES)
		bl_buf_printf(out, "\n(%zu more bytes are not shown)",
			      text.len - SHOWN_BYTES);
	bl_buf_clear(&text);
}

static struct bl_value question_text(struct bl_mcp *mcp,
				     struct bl_value message,
				     struct bl_str question)
{
	struct bl_value params = bl_object_find(message, BL_STR("params"));
	struct bl_value arguments = bl_object_find(params, BL_STR("arguments"));
	struct bl_str text;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_puts(&out, "belay asks: ");
	bl_text_put_safe(&out, question);
	bl_buf_puts(&out, "\n\nTool: ");
	bl_text_put_safe(&out,
			 bl_value_text(bl_object_find(params, BL_STR("name"))));
	bl_buf_printf(&out, ", of the server %.*s\nArguments: ",
		      BL_STR_ARG(mcp->options.server));
	put_arguments(&out,
		      bl_value_is_defined(arguments)
			      ? arguments
			      : bl_object_make(&mcp->arena, NULL, 0, NULL));
	text = bl_buf_status(&out)
		       ? (struct bl_str){ NULL, 0 }
		       : bl_arena_copy_str(&mcp->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text.ptr ? bl_value_string(text) : bl_value_undefined();
}

/* An object of pairs of key and value, NULL-ended. */
struct member {
	const char *key;
	struct bl_value value;
};

static struct bl_value object(struct bl_arena *arena,
			      const struct member *members)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	for (; members->key; members++)
		bl_object_builder_add(&made, bl_str(members->key),
				      members->value);
	return bl_object_builder_end(&made);
}

static struct bl_value schema(struct bl_arena *arena)
{
	const struct member allow[] = {
		{ "type", text_value("boolean") },
		{ "title", text_value("Let this call pass") },
		{ "default", bl_value_boolean(false) },
		{ NULL, bl_value_undefined() },
	};
	const struct member properties[] = {
		{ "allow", object(arena, allow) },
		{ NULL, bl_value_undefined() },
	};
	struct bl_value required = text_value("allow");
	const struct member whole[] = {
		{ "type", text_value("object") },
		{ "properties", object(arena, properties) },
		{ "required", bl_array_make(arena, &required, 1) },
		{ NULL, bl_value_undefined() },
	};

	return object(arena, whole);
}

static struct bl_value question_of(struct bl_mcp *mcp,
				   const struct bl_mcp_call *call,
				   struct bl_value text)
{
	struct bl_arena *arena = &mcp->arena;
	const struct member params[] = {
		{ "message", text },
		{ "requestedSchema", schema(arena) },
		{ NULL, bl_value_undefined() },
	};
	const struct member whole[] = {
		{ "jsonrpc", text_value("2.0") },
		{ "id", bl_value_string(bl_arena_copy_str(
				arena, bl_buf_str(&call->question))) },
		{ "method", text_value("elicitation/create") },
		{ "params", object(arena, params) },
		{ NULL, bl_value_undefined() },
	};

	return object(arena, whole);
}

static bool is_kept(const struct bl_mcp_call *call)
{
	return !bl_buf_status(&call->question) && !bl_buf_status(&call->held) &&
	       !bl_buf_status(&call->reason);
}

bool bl_mcp_ask(struct bl_mcp *mcp, struct bl_mcp_call *call,
		struct bl_value message, const struct bl_mcp_decided *decided,
		struct bl_value *out_question)
{
	const struct bl_mcp_options *options = &mcp->options;
	struct bl_value text = question_text(mcp, message, decided->question);

	bl_buf_put_str(&call->question, options->question_prefix);
	bl_buf_printf(&call->question, "%llu",
		      (unsigned long long)++mcp->asked);
	bl_json_write(&call->held, message, BL_JSON_COMPACT);
	bl_buf_put_str(&call->reason, decided->reason);
	call->deadline_ms =
		options->now_ms(options->context) + options->question_ms;
	if (!is_kept(call) || !bl_value_is_defined(text))
		return false;
	*out_question = question_of(mcp, call, text);
	return true;
}

/* ---- its end ------------------------------------------------------------ */

bool bl_mcp_says_yes(struct bl_value answer)
{
	struct bl_value result = bl_object_find(answer, BL_STR("result"));
	struct bl_value allow = bl_object_find(
		bl_object_find(result, BL_STR("content")), BL_STR("allow"));

	return bl_str_is(
		       bl_value_text(bl_object_find(result, BL_STR("action"))),
		       "accept") &&
	       bl_value_equal(allow, bl_value_boolean(true));
}

const char *bl_mcp_why_not(struct bl_value answer)
{
	static const struct {
		const char *action;
		const char *why;
	} rows[] = {
		{ "accept", "The person who was asked did not let it pass." },
		{ "decline", "The person who was asked refused it." },
		{ "cancel", "The person who was asked did not decide." },
	};
	struct bl_value result = bl_object_find(answer, BL_STR("result"));
	struct bl_str action =
		bl_value_text(bl_object_find(result, BL_STR("action")));

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (bl_str_is(action, rows[i].action))
			return rows[i].why;
	return "The client could not ask a person.";
}

static void forget_question(struct bl_mcp_call *call)
{
	bl_buf_reset(&call->question);
	bl_buf_reset(&call->held);
	bl_buf_reset(&call->reason);
}

struct bl_str bl_mcp_release(struct bl_mcp *mcp, struct bl_mcp_call *call)
{
	struct bl_str line =
		bl_arena_copy_str(&mcp->arena, bl_buf_str(&call->held));

	forget_question(call);
	return line;
}

struct bl_value bl_mcp_end_question(struct bl_mcp *mcp,
				    struct bl_mcp_call *call, const char *why)
{
	struct bl_arena *arena = &mcp->arena;
	struct bl_str reason = bl_buf_str(&call->reason);
	struct bl_mcp_decided decided = {
		.reason = bl_arena_printf(arena, "%.*s %s", BL_STR_ARG(reason),
					  why),
		.context = bl_mcp_call_context(mcp, call),
	};
	struct bl_value held;

	/* The id as the client writes it. */
	if (bl_json_read(arena,
			 bl_arena_copy_str(arena, bl_buf_str(&call->held)),
			 NULL, &held, NULL, NULL, NULL))
		held = bl_value_undefined();
	bl_mcp_call_clear(call);
	return bl_mcp_refuse(mcp, bl_object_find(held, BL_STR("id")), &decided);
}

struct bl_value bl_mcp_take_back(struct bl_mcp *mcp,
				 const struct bl_mcp_call *call)
{
	struct bl_arena *arena = &mcp->arena;
	const struct member params[] = {
		{ "requestId", bl_value_string(bl_arena_copy_str(
				       arena, bl_buf_str(&call->question))) },
		{ NULL, bl_value_undefined() },
	};
	const struct member whole[] = {
		{ "jsonrpc", text_value("2.0") },
		{ "method", text_value("notifications/cancelled") },
		{ "params", object(arena, params) },
		{ NULL, bl_value_undefined() },
	};

	return object(arena, whole);
}

enum bl_status bl_mcp_end_late_questions(struct bl_mcp *mcp,
					 struct bl_buf *to_client,
					 int *out_wait_ms, struct bl_error *err)
{
	int64_t next_ms = INT_MAX;
	int64_t now_ms;

	*out_wait_ms = -1;
	if (!bl_mcp_calls_count_asked(&mcp->calls))
		return BL_OK;
	now_ms = mcp->options.now_ms(mcp->options.context);
	for (uint32_t i = 0; i < mcp->calls.most; i++) {
		struct bl_mcp_call *call = &mcp->calls.list[i];

		if (!call->question.len)
			continue;
		if (call->deadline_ms > now_ms) {
			if (call->deadline_ms - now_ms < next_ms)
				next_ms = call->deadline_ms - now_ms;
			*out_wait_ms = (int)next_ms;
			continue;
		}
		bl_mcp_put_line(to_client, bl_mcp_take_back(mcp, call));
		bl_mcp_put_line(
			to_client,
			bl_mcp_end_question(mcp, call,
					    "Nobody answered the question in "
					    "time."));
	}
	return bl_mcp_finish(mcp, err);
}

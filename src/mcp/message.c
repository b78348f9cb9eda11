/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c: messages of JSON-RPC as values: those that belay sends itself, and
 * what a message of a client must be to be passed on.
 *
 * The last is strict, since readers differ.  Go's reader of JSON takes "Method"
 * for "method", and the last of both counts:
 *
 *	{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call",...}
 *
 * is a ping here and would be a call there.  So a message has the members of
 * JSON-RPC and no others, and a call no parameter that is almost one of its own.
 */
#include "mcp/private.h"

/* ---- making ------------------------------------------------------------- */

static struct bl_value answer(struct bl_arena *arena, struct bl_value id,
			      const char *key, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("jsonrpc"),
			      bl_value_string(BL_STR("2.0")));
	bl_object_builder_add(&made, BL_STR("id"),
			      bl_value_is_defined(id) ? id : bl_value_null());
	bl_object_builder_add(&made, bl_str(key), value);
	return bl_object_builder_end(&made);
}

struct bl_value bl_mcp_error(struct bl_arena *arena, struct bl_value id,
			     enum bl_rpc_error code, struct bl_str text)
{
	struct bl_object_builder error;

	bl_object_builder_init(&error, arena);
	bl_object_builder_add(&error, BL_STR("code"), bl_value_integer(code));
	bl_object_builder_add(&error, BL_STR("message"), bl_value_string(text));
	return answer(arena, id, "error", bl_object_builder_end(&error));
}

static struct bl_value text_item(struct bl_arena *arena, struct bl_value text)
{
	struct bl_object_builder item;

	bl_object_builder_init(&item, arena);
	bl_object_builder_add(&item, BL_STR("type"),
			      bl_value_string(BL_STR("text")));
	bl_object_builder_add(&item, BL_STR("text"), text);
	return bl_object_builder_end(&item);
}

struct bl_value bl_mcp_refusal(struct bl_arena *arena, struct bl_value id,
			       struct bl_str text)
{
	struct bl_value item = text_item(arena, bl_value_string(text));
	struct bl_object_builder result;

	bl_object_builder_init(&result, arena);
	bl_object_builder_add(&result, BL_STR("content"),
			      bl_array_make(arena, &item, 1));
	bl_object_builder_add(&result, BL_STR("isError"),
			      bl_value_boolean(true));
	return answer(arena, id, "result", bl_object_builder_end(&result));
}

struct bl_value bl_mcp_with(struct bl_arena *arena, struct bl_value object,
			    const char *key, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	for (size_t i = 0; i < bl_value_count(object); i++)
		bl_object_builder_add(&made,
				      bl_value_text(bl_object_key(object, i)),
				      bl_object_value(object, i));
	/* Of a repeated key the last value counts, at the first's place. */
	bl_object_builder_add(&made, bl_str(key), value);
	return bl_object_builder_end(&made);
}

static void add_texts(struct bl_array_builder *content, struct bl_value texts)
{
	for (size_t i = 0; i < bl_value_count(texts); i++)
		bl_array_builder_add(
			content,
			text_item(content->arena, bl_value_item(texts, i)));
}

struct bl_value bl_mcp_with_context(struct bl_arena *arena,
				    struct bl_value message,
				    struct bl_value first,
				    struct bl_value second)
{
	struct bl_value result = bl_object_find(message, BL_STR("result"));
	struct bl_value old = bl_object_find(result, BL_STR("content"));
	struct bl_array_builder content;

	if (!bl_value_is(old, BL_KIND_ARRAY) ||
	    !(bl_value_count(first) + bl_value_count(second)))
		return message;
	bl_array_builder_init(&content, arena);
	for (size_t i = 0; i < bl_value_count(old); i++)
		bl_array_builder_add(&content, bl_value_item(old, i));
	add_texts(&content, first);
	add_texts(&content, second);
	return bl_mcp_with(arena, message, "result",
			   bl_mcp_with(arena, result, "content",
				       bl_array_builder_end(&content)));
}

/* ---- asking ------------------------------------------------------------- */

static const char *const members[] = { "jsonrpc", "id",     "method",
				       "params",  "result", "error" };
static const char *const call_members[] = { "name", "arguments", "_meta",
					    "task" };

static bool is_one_of(struct bl_str key, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_is(key, names[i]))
			return true;
	return false;
}

/* Equal but for the case of letters, as far as they are ASCII. */
static bool is_like(struct bl_str key, struct bl_str name)
{
	if (key.len != name.len)
		return false;
	for (size_t i = 0; i < key.len; i++)
		if ((key.ptr[i] | 0x20) != (name.ptr[i] | 0x20))
			return false;
	return true;
}

/* Could a reader that ignores case take the key for one of the names? */
static bool is_almost(struct bl_str key, const char *const *names, size_t count)
{
	if (is_one_of(key, names, count))
		return false;
	for (size_t i = 0; i < key.len; i++)
		if ((unsigned char)key.ptr[i] > 0x7f)
			return true;
	for (size_t i = 0; i < count; i++)
		if (is_like(key, bl_str(names[i])))
			return true;
	return false;
}

static bool holds(struct bl_value message, const char *key)
{
	struct bl_value value = bl_object_find(message, bl_str(key));

	return bl_value_is_defined(value) && !bl_value_is(value, BL_KIND_NULL);
}

bool bl_mcp_is_answer(struct bl_value message)
{
	return holds(message, "result") || holds(message, "error") ||
	       !bl_value_text(bl_object_find(message, BL_STR("method"))).len;
}

bool bl_mcp_is_doubtful(struct bl_value message)
{
	if (!bl_value_is(message, BL_KIND_OBJECT))
		return true;
	for (size_t i = 0; i < bl_value_count(message); i++)
		if (is_almost(bl_value_text(bl_object_key(message, i)), members,
			      BL_COUNT(members)))
			return true;
	return holds(message, "result") && holds(message, "error");
}

bool bl_mcp_is_call(struct bl_value message)
{
	return bl_str_is(
		bl_value_text(bl_object_find(message, BL_STR("method"))),
		"tools/call");
}

static const char *fault_of_call(struct bl_value message)
{
	struct bl_value params = bl_object_find(message, BL_STR("params"));
	struct bl_value arguments = bl_object_find(params, BL_STR("arguments"));
	struct bl_str name =
		bl_value_text(bl_object_find(params, BL_STR("name")));

	if (!bl_value_is(params, BL_KIND_OBJECT))
		return "params of tools/call must be an object";
	if (!name.len)
		return "tools/call must name a tool";
	if (memchr(name.ptr, '\0', name.len))
		return "the name of a tool must not have a NUL";
	if (bl_value_is_defined(arguments) &&
	    !bl_value_is(arguments, BL_KIND_OBJECT))
		return "arguments of tools/call must be an object";
	for (size_t i = 0; i < bl_value_count(params); i++)
		if (is_almost(bl_value_text(bl_object_key(params, i)),
			      call_members, BL_COUNT(call_members)))
			return "a parameter of tools/call is almost one that "
			       "it has: servers could read it so";
	return NULL;
}

const char *bl_mcp_fault(struct bl_value message, enum bl_rpc_error *out_code)
{
	struct bl_value id = bl_object_find(message, BL_STR("id"));
	struct bl_value method = bl_object_find(message, BL_STR("method"));

	*out_code = BL_RPC_INVALID_REQUEST;
	if (!bl_value_is(message, BL_KIND_OBJECT))
		return "a message must be an object";
	for (size_t i = 0; i < bl_value_count(message); i++)
		if (!is_one_of(bl_value_text(bl_object_key(message, i)),
			       members, BL_COUNT(members)))
			return "a message has members that JSON-RPC does not "
			       "have: servers could read them in another way";
	if (bl_value_is_defined(method) && !bl_value_text(method).len)
		return "method must be a text";
	if (!bl_mcp_is_call(message))
		return NULL;
	if (!bl_value_is(id, BL_KIND_STRING) &&
	    !bl_value_is(id, BL_KIND_NUMBER))
		return "tools/call needs an id, which is a text or a number";
	*out_code = BL_RPC_INVALID_PARAMS;
	return fault_of_call(message);
}

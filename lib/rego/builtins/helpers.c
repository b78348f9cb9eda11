/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers that several families of builtins share: results, faults of operands, one
 * value a query (rand.intn, uuid.rfc4122).
 */
#include "rego/builtins/functions.h"

#include "json/json.h"

bool(bl_builtin_memory_fault)(struct bl_builtin_call *call)
{
	enum bl_status status = bl_arena_status(call->arena);

	return bl_builtin_fault(call, BL_FAULT_INTERNAL, "%s",
				bl_status_text(status ? status : BL_LIMIT));
}

struct bl_value bl_builtin_string(struct bl_builtin_call *call,
				  struct bl_str str)
{
	if (str.len > UINT32_MAX)
		return bl_value_undefined();
	str = bl_arena_copy_str(call->arena, str);
	return str.ptr ? bl_value_string(str) : bl_value_undefined();
}

bool bl_builtin_return_buf(struct bl_builtin_call *call, struct bl_buf *out)
{
	struct bl_value result = bl_value_undefined();

	if (!bl_buf_status(out))
		result = bl_builtin_string(call, bl_buf_str(out));
	bl_buf_clear(out);
	return bl_builtin_return(call, result);
}

bool bl_builtin_return_boolean(struct bl_builtin_call *call, bool boolean)
{
	call->result = bl_value_boolean(boolean);
	return true;
}

bool bl_builtin_return_integer(struct bl_builtin_call *call, int64_t integer)
{
	call->result = bl_value_integer(integer);
	return true;
}

bool bl_builtin_plain_integer(struct bl_builtin_call *call, size_t n,
			      int64_t *out_integer)
{
	if (bl_number_is_plain(call->args[n - 1], out_integer))
		return true;
	return bl_builtin_operand_fault(call, n, "integer number",
					"floating-point number");
}

bool bl_builtin_element_fault(struct bl_builtin_call *call, size_t n,
			      const char *wanted, struct bl_value element)
{
	const char *kind = bl_kind_name(bl_value_kind(call->args[n - 1]));

	return bl_builtin_fault(
		call, BL_FAULT_TYPE,
		"operand %zu must be %s of %ss but got %s containing %s", n,
		kind, wanted, kind, bl_kind_name(bl_value_kind(element)));
}

bool bl_builtin_wants_items(struct bl_builtin_call *call, size_t n,
			    enum bl_kind kind)
{
	struct bl_value items = call->args[n - 1];

	for (size_t i = 0; i < bl_value_count(items); i++) {
		struct bl_value item = bl_value_item(items, i);

		if (!bl_value_is(item, kind))
			return bl_builtin_element_fault(
				call, n, bl_kind_name(kind), item);
	}
	return true;
}

struct bl_value bl_builtin_child(struct bl_value collection,
				 struct bl_value key)
{
	int64_t i;

	if (bl_value_is(collection, BL_KIND_OBJECT))
		return bl_object_find_value(collection, key);
	if (bl_value_is(collection, BL_KIND_SET))
		return bl_set_has(collection, key) ? key : bl_value_undefined();
	if (!bl_number_to_integer(key, &i) || i < 0)
		return bl_value_undefined();
	return bl_value_item(collection, (size_t)i);
}

struct bl_value bl_builtin_memo_find(const struct bl_builtin_call *call,
				     struct bl_value key)
{
	const struct bl_builtin_state *state = call->state;

	for (size_t i = 0; i < state->memo_count; i++) {
		if (bl_value_equal(state->memo[i].key, key))
			return state->memo[i].value;
	}
	return bl_value_undefined();
}

bool bl_builtin_memo_add(struct bl_builtin_call *call, struct bl_value key,
			 struct bl_value value)
{
	struct bl_builtin_state *state = call->state;
	void *room = bl_arena_room(call->arena, state->memo, state->memo_count,
				   &state->memo_cap, sizeof(*state->memo));

	if (!room)
		return bl_builtin_memory_fault(call);
	state->memo = room;
	state->memo[state->memo_count++] = (struct bl_member){ key, value };
	return true;
}

bool bl_builtin_read_json(struct bl_builtin_call *call, struct bl_str text,
			  struct bl_value *out_value)
{
	static const struct bl_json_options options = {
		.max_depth = BL_JSON_MAX_DEPTH
	};
	struct bl_error err;

	if (!bl_json_read(call->arena, text, &options, out_value, NULL, NULL,
			  &err))
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s", err.message);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and sets: concatenation, slices, union, intersection. */
#include "rego/builtins/functions.h"

static void add_all(struct bl_array_builder *out, struct bl_value items)
{
	for (size_t i = 0; i < bl_value_count(items); i++)
		bl_array_builder_add(out, bl_value_item(items, i));
}

bool bl_fn_array_concat(struct bl_builtin_call *call)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, call->arena);
	add_all(&out, call->args[0]);
	add_all(&out, call->args[1]);
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

bool bl_fn_array_reverse(struct bl_builtin_call *call)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, call->arena);
	for (size_t i = bl_value_count(call->args[0]); i-- > 0;)
		bl_array_builder_add(&out, bl_value_item(call->args[0], i));
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

static int64_t clamp(int64_t value, int64_t most)
{
	if (value < 0)
		return 0;
	return value < most ? value : most;
}

bool bl_fn_array_slice(struct bl_builtin_call *call)
{
	int64_t count = (int64_t)bl_value_count(call->args[0]);
	struct bl_array_builder out;
	int64_t from, to;

	if (!bl_builtin_plain_integer(call, 2, &from) ||
	    !bl_builtin_plain_integer(call, 3, &to))
		return false;
	bl_array_builder_init(&out, call->arena);
	for (int64_t i = clamp(from, count); i < clamp(to, count); i++)
		bl_array_builder_add(&out,
				     bl_value_item(call->args[0], (size_t)i));
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

bool bl_fn_array_flatten(struct bl_builtin_call *call)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, call->arena);
	for (size_t i = 0; i < bl_value_count(call->args[0]); i++) {
		struct bl_value item = bl_value_item(call->args[0], i);

		if (bl_value_is(item, BL_KIND_ARRAY))
			add_all(&out, item);
		else
			bl_array_builder_add(&out, item);
	}
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

/* ---- sets --------------------------------------------------------------- */

/* The set of what was collected. */
static struct bl_value set_of(struct bl_array_builder *items)
{
	if (items->failed)
		return bl_value_undefined();
	return bl_set_make(items->arena, items->items, items->count);
}

/* Members of a that are (or are not) in b. */
static struct bl_value select(struct bl_arena *arena, struct bl_value a,
			      struct bl_value b, bool wanted)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, arena);
	for (size_t i = 0; i < bl_value_count(a); i++) {
		if (bl_set_has(b, bl_value_item(a, i)) == wanted)
			bl_array_builder_add(&out, bl_value_item(a, i));
	}
	return set_of(&out);
}

bool bl_fn_and(struct bl_builtin_call *call)
{
	return bl_builtin_return(
		call, select(call->arena, call->args[0], call->args[1], true));
}

bool bl_fn_set_diff(struct bl_builtin_call *call)
{
	return bl_builtin_return(
		call, select(call->arena, call->args[0], call->args[1], false));
}

bool bl_fn_or(struct bl_builtin_call *call)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, call->arena);
	add_all(&out, call->args[0]);
	add_all(&out, call->args[1]);
	return bl_builtin_return(call, set_of(&out));
}

bool bl_fn_intersection(struct bl_builtin_call *call)
{
	struct bl_value common = bl_value_item(call->args[0], 0);

	if (!bl_builtin_wants_items(call, 1, BL_KIND_SET))
		return false;
	if (!bl_value_is_defined(common))
		return bl_builtin_return(call,
					 bl_set_make(call->arena, NULL, 0));
	for (size_t i = 1; i < bl_value_count(call->args[0]); i++)
		common = select(call->arena, common,
				bl_value_item(call->args[0], i), true);
	return bl_builtin_return(call, common);
}

bool bl_fn_union(struct bl_builtin_call *call)
{
	struct bl_array_builder out;

	if (!bl_builtin_wants_items(call, 1, BL_KIND_SET))
		return false;
	bl_array_builder_init(&out, call->arena);
	for (size_t i = 0; i < bl_value_count(call->args[0]); i++)
		add_all(&out, bl_value_item(call->args[0], i));
	return bl_builtin_return(call, set_of(&out));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builtins object.*: get, union, filter, remove, subset.  Paths within objects
 * are json_paths.c.
 */
#include "rego/builtins/functions.h"

struct members {
	struct bl_arena *arena;
	struct bl_member *list;
	size_t count;
};

/* Room for most members; false when memory is out. */
static bool start(struct members *members, struct bl_arena *arena, size_t most)
{
	members->arena = arena;
	members->count = 0;
	members->list = bl_arena_new_array(arena, struct bl_member, most + 1);
	return members->list != NULL;
}

static void add(struct members *members, struct bl_value key,
		struct bl_value value)
{
	members->list[members->count++] = (struct bl_member){ key, value };
}

static struct bl_value finish(struct members *members)
{
	return bl_object_make(members->arena, members->list, members->count,
			      NULL);
}

/* ---- keys --------------------------------------------------------------- */

bool bl_fn_object_get(struct bl_builtin_call *call)
{
	struct bl_value found = call->args[0];
	struct bl_value path = call->args[1];

	if (!bl_value_is(path, BL_KIND_ARRAY)) {
		found = bl_object_find_value(found, path);
	} else {
		for (size_t i = 0; i < bl_value_count(path); i++)
			found = bl_builtin_child(found, bl_value_item(path, i));
	}
	call->result = bl_value_is_defined(found) ? found : call->args[2];
	return true;
}

bool bl_fn_object_keys(struct bl_builtin_call *call)
{
	struct bl_array_builder keys;

	bl_array_builder_init(&keys, call->arena);
	for (size_t i = 0; i < bl_value_count(call->args[0]); i++)
		bl_array_builder_add(&keys, bl_object_key(call->args[0], i));
	if (keys.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(
		call, bl_set_make(call->arena, keys.items, keys.count));
}

static bool names_key(struct bl_value keys, struct bl_value key)
{
	if (bl_value_is(keys, BL_KIND_OBJECT))
		return bl_object_find_index(keys, key) != SIZE_MAX;
	return bl_set_has(keys, key);
}

/* The members whose keys args[1] names (wanted) or does not name. */
static bool select(struct bl_builtin_call *call, bool wanted)
{
	struct bl_value object = call->args[0], keys = call->args[1];
	struct members out;

	if (bl_value_is(keys, BL_KIND_ARRAY))
		keys = bl_set_of(call->arena, keys);
	if (!bl_value_is_defined(keys) ||
	    !start(&out, call->arena, bl_value_count(object)))
		return bl_builtin_memory_fault(call);
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_value key = bl_object_key(object, i);

		if (names_key(keys, key) == wanted)
			add(&out, key, bl_object_value(object, i));
	}
	return bl_builtin_return(call, finish(&out));
}

bool bl_fn_object_remove(struct bl_builtin_call *call)
{
	return select(call, false);
}

bool bl_fn_object_filter(struct bl_builtin_call *call)
{
	return select(call, true);
}

/* ---- union -------------------------------------------------------------- */

static struct bl_value merge(struct bl_arena *arena, struct bl_value a,
			     struct bl_value b)
{
	static const struct bl_merge way = { BL_MERGE_SECOND, UINT32_MAX };
	struct bl_value made = bl_value_undefined();

	(void)bl_value_merge(arena, a, b, way, &made);
	return made;
}

bool bl_fn_object_union(struct bl_builtin_call *call)
{
	return bl_builtin_return(
		call, merge(call->arena, call->args[0], call->args[1]));
}

bool bl_fn_object_union_n(struct bl_builtin_call *call)
{
	struct bl_value result = bl_object_make(call->arena, NULL, 0, NULL);

	if (!bl_builtin_wants_items(call, 1, BL_KIND_OBJECT))
		return false;
	for (size_t i = 0; i < bl_value_count(call->args[0]); i++)
		result = merge(call->arena, result,
			       bl_value_item(call->args[0], i));
	return bl_builtin_return(call, result);
}

/* ---- subset ------------------------------------------------------------- */

static bool set_has_all(struct bl_value super, struct bl_value sub)
{
	for (size_t i = 0; i < bl_value_count(sub); i++) {
		if (!bl_set_has(super, bl_value_item(sub, i)))
			return false;
	}
	return true;
}

/* Is sub a run of neighbours in super? */
static bool array_has_run(struct bl_value super, struct bl_value sub)
{
	size_t length = bl_value_count(sub);

	for (size_t at = 0; at + length <= bl_value_count(super); at++) {
		size_t same = 0;

		while (same < length &&
		       bl_value_equal(bl_value_item(super, at + same),
				      bl_value_item(sub, same)))
			same++;
		if (same == length)
			return true;
	}
	return false;
}

static bool array_has_members(struct bl_builtin_call *call,
			      struct bl_value super, struct bl_value sub)
{
	struct bl_value members = bl_set_of(call->arena, super);

	/* OPA looks for the members of sub behind each item of super. */
	if (!bl_value_count(super))
		return false;
	return set_has_all(members, sub);
}

static bool has_subset(struct bl_value super, struct bl_value sub);

static bool object_has_all(struct bl_value super, struct bl_value sub)
{
	for (size_t i = 0; i < bl_value_count(sub); i++) {
		struct bl_value there =
			bl_object_find_value(super, bl_object_key(sub, i));

		if (!bl_value_is_defined(there) ||
		    !has_subset(there, bl_object_value(sub, i)))
			return false;
	}
	return true;
}

static bool has_subset(struct bl_value super, struct bl_value sub)
{
	if (super.kind != sub.kind)
		return false;
	if (bl_value_is(sub, BL_KIND_OBJECT))
		return object_has_all(super, sub);
	if (bl_value_is(sub, BL_KIND_SET))
		return set_has_all(super, sub);
	if (bl_value_is(sub, BL_KIND_ARRAY))
		return array_has_run(super, sub);
	return bl_value_equal(super, sub);
}

bool bl_fn_object_subset(struct bl_builtin_call *call)
{
	struct bl_value super = call->args[0], sub = call->args[1];

	if (bl_value_is(super, BL_KIND_ARRAY) && bl_value_is(sub, BL_KIND_SET))
		return bl_builtin_return_boolean(
			call, array_has_members(call, super, sub));
	if (super.kind != sub.kind || super.kind < BL_KIND_ARRAY)
		return bl_builtin_fault(
			call, BL_FAULT_TYPE,
			"both arguments object.subset must be of the same "
			"type or array and set");
	return bl_builtin_return_boolean(call, has_subset(super, sub));
}

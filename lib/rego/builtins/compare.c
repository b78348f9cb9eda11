/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison and membership as functions. The machine has instructions for most
 * of them; these run where they are called by name or from a plan.
 */
#include "rego/builtins/functions.h"

bool bl_fn_equal(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_value_equal(call->args[0], call->args[1]));
}

bool bl_fn_neq(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, !bl_value_equal(call->args[0], call->args[1]));
}

bool bl_fn_lt(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_value_compare(call->args[0], call->args[1]) < 0);
}

bool bl_fn_lte(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_value_compare(call->args[0], call->args[1]) <= 0);
}

bool bl_fn_gt(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_value_compare(call->args[0], call->args[1]) > 0);
}

bool bl_fn_gte(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_value_compare(call->args[0], call->args[1]) >= 0);
}

static bool is_member(struct bl_value collection, struct bl_value value)
{
	bool is_object = bl_value_is(collection, BL_KIND_OBJECT);

	if (bl_value_is(collection, BL_KIND_SET))
		return bl_set_has(collection, value);
	for (size_t i = 0; i < bl_value_count(collection); i++) {
		if (bl_value_equal(is_object ? bl_object_value(collection, i)
					     : bl_value_item(collection, i),
				   value))
			return true;
	}
	return false;
}

bool bl_fn_internal_member_2(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, is_member(call->args[1], call->args[0]));
}

bool bl_fn_internal_member_3(struct bl_builtin_call *call)
{
	struct bl_value found = bl_builtin_child(call->args[2], call->args[0]);

	return bl_builtin_return_boolean(
		call, bl_value_is_defined(found) &&
			      bl_value_equal(found, call->args[1]));
}

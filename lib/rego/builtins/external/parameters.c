/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that stand for a request: which of their keys have to be there. */
#include <stdio.h>

#include "rego/builtins/external/parameters.h"

bool bl_parameters_none(struct bl_builtin_call *call, size_t n,
			const char *text, struct bl_array_builder *list)
{
	struct bl_value set =
		bl_set_make(call->arena, list->items, list->count);
	struct bl_buf out;

	if (!list->count && !list->failed)
		return true;
	bl_buf_init(&out, 0);
	bl_builtin_form_put(&out, set);
	bl_builtin_fault(call, BL_FAULT_TYPE, "operand %zu %s: %s", n, text,
			 out.ptr);
	bl_buf_clear(&out);
	return false;
}

bool bl_parameters_required(struct bl_builtin_call *call, size_t n,
			    const char *what, const char *const *keys,
			    size_t count)
{
	struct bl_array_builder missing;
	struct bl_array_builder invalid;
	char text[128];

	bl_array_builder_init(&missing, call->arena);
	bl_array_builder_init(&invalid, call->arena);
	for (size_t i = 0; i < count; i++) {
		struct bl_value key = bl_value_string(bl_str(keys[i]));
		struct bl_value value =
			bl_object_find_value(call->args[n - 1], key);

		if (!bl_value_is_defined(value))
			bl_array_builder_add(&missing, key);
		else if (!bl_value_is(value, BL_KIND_STRING))
			bl_array_builder_add(&invalid, key);
	}
	snprintf(text, sizeof(text), "missing required %s", what);
	if (!bl_parameters_none(call, n, text, &missing))
		return false;
	snprintf(text, sizeof(text), "invalid values for required %s", what);
	return bl_parameters_none(call, n, text, &invalid);
}

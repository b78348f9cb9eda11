/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builtins about the evaluation itself: opa.runtime, trace, template
 * strings.
 */
#include "rego/builtins/functions.h"

bool bl_fn_opa_runtime(struct bl_builtin_call *call)
{
	struct bl_value runtime = call->state->runtime;

	if (!bl_value_is_defined(runtime))
		runtime = bl_object_make(call->arena, NULL, 0, NULL);
	return bl_builtin_return(call, runtime);
}

bool bl_fn_trace(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(call, true);
}

/* Parts that are not constants come in sets of at most one value. */
bool bl_fn_internal_template_string(struct bl_builtin_call *call)
{
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	for (size_t i = 0; i < bl_value_count(call->args[0]); i++) {
		struct bl_value part = bl_value_item(call->args[0], i);

		if (bl_value_is(part, BL_KIND_SET)) {
			if (bl_value_count(part) > 1) {
				bl_buf_clear(&out);
				return bl_builtin_fault(
					call, BL_FAULT_CONFLICT,
					"template-strings must not produce "
					"multiple outputs");
			}
			part = bl_value_item(part, 0);
		}
		bl_builtin_form_put(&out, part);
	}
	return bl_builtin_return_buf(call, &out);
}

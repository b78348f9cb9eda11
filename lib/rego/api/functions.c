/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of an embedder's functions: operands and result cross as JSON. */
#include "rego/api/private.h"

struct rego_call {
	struct bl_rego_call *call;
	const char *message; /* in the arena of the call */
};

size_t rego_call_count(const rego_call *call)
{
	return call ? call->call->arg_count : 0;
}

const char *rego_call_operand(rego_call *call, size_t index)
{
	return call && index < call->call->arg_count
		       ? api_json(call->call->arena, call->call->args[index])
		       : NULL;
}

rego_status rego_call_return(rego_call *call, const char *json, size_t size)
{
	struct bl_error err = { 0 };

	if (!call || !json)
		return REGO_USAGE;
	api_read_json(call->call->arena, (struct bl_str){ json, size },
		      &call->call->result, &err);
	return bl_status_exit_code(err.status);
}

void rego_call_fail(rego_call *call, const char *message)
{
	if (call && message)
		call->message =
			bl_arena_copy_str(call->call->arena, bl_str(message))
				.ptr;
}

bool api_call_function(struct bl_rego_call *asked)
{
	const struct api_function *function = asked->own;
	rego_call call = { .call = asked };

	if (function->call(function->context, &call) == REGO_OK)
		return true;
	asked->fault = call.message ? bl_str(call.message)
				    : BL_STR("the function failed");
	return false;
}

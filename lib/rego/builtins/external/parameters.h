/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/parameters.h: objects that stand for a request. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_PARAMETERS_H
#define BELAY_REGO_BUILTINS_EXTERNAL_PARAMETERS_H

#include "rego/builtins/external/functions.h"

/*
 * Are all keys (in order) in the object that is operand n, with strings?
 * Else a fault: "operand N missing required WHAT: {...}" or "operand N invalid
 * values for required WHAT: {...}".
 */
bool bl_parameters_required(struct bl_builtin_call *call, size_t n,
			    const char *what, const char *const *keys,
			    size_t count);

/* A fault "operand N TEXT: {...}" when list has an item. */
bool bl_parameters_none(struct bl_builtin_call *call, size_t n,
			const char *text, struct bl_array_builder *list);

#endif

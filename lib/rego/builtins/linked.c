/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/builtins/functions.h"

const struct bl_builtin bl_builtin_linked[] = {
#define BUILTIN(n, fn, a, f, o, r, d)                                          \
	{ .name = n,                                                           \
	  .arity = a,                                                          \
	  .flags = f,                                                          \
	  .function = fn,                                                      \
	  .operands = o,                                                       \
	  .result = r,                                                         \
	  .doc = d },
#include "rego/builtins/builtins_linked.def"
#undef BUILTIN
};
const size_t bl_builtin_linked_count = BL_COUNT(bl_builtin_linked);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of the static program, in place of linked.c: none of the builtins that need a
 * library or the compiler.  Images that call one are left to belay-tools.
 */
#include "rego/builtins/functions.h"

const struct bl_builtin bl_builtin_linked[1] = { { .name = "" } };
const size_t bl_builtin_linked_count = 0;

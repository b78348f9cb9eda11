/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/builtins/functions.h"

/* The static program has no row; C wants an array to have one. */
const struct bl_builtin bl_builtin_linked[] = { { .name = "" } };
const size_t bl_builtin_linked_count = 0;

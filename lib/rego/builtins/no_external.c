/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of the static program, in the place of external/external.c: no builtins that
 * need a library or the compiler.  Images that call one are left to belay-tools.
 */
#include "rego/builtins/functions.h"

const struct bl_builtin_family bl_builtin_external[] = { { NULL, 0 } };

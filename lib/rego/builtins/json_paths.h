/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/json_paths.h: paths into documents. */
#ifndef BELAY_REGO_BUILTINS_JSON_PATHS_H
#define BELAY_REGO_BUILTINS_JSON_PATHS_H

#include "rego/builtins/builtins.h"

/*
 * A path as an array of its parts: an array is one already, a string is split
 * at "/" ("~1" and "~0" decoded).  Undefined for other kinds, or when memory
 * is out.
 */
struct bl_value bl_builtin_path_parts(struct bl_arena *arena,
				      struct bl_value path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/yaml.h: what reading and writing YAML share. */
#ifndef BELAY_REGO_BUILTINS_YAML_H
#define BELAY_REGO_BUILTINS_YAML_H

#include "rego/builtins/functions.h"

/*
 * What a plain (not quoted) scalar stands for: null, boolean, number, or a
 * string that borrows text.  Undefined: .inf or .nan, which JSON has not.
 */
struct bl_value bl_yaml_resolve(struct bl_arena *arena, struct bl_str text);

/* Appends value in block style, keys sorted. */
void bl_yaml_put(struct bl_arena *arena, struct bl_buf *out,
		 struct bl_value value);

#endif

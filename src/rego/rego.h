/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/rego.h: the policy language.
 *
 * Stages, one directory each: syntax (text to tree and back).  Pure: no I/O.
 */
#ifndef BELAY_REGO_REGO_H
#define BELAY_REGO_REGO_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

struct bl_rego_module;

/*
 * Parses one module.  v0 reads it by the rules before Rego v1 (spec/rego.md
 * 1.26).  The tree is in arena and borrows text.  SYNTAX (rego_parse_error)
 * with the byte offset of the failure; LIMIT for nesting or size; NO_MEMORY.
 */
enum bl_status bl_rego_parse(struct bl_arena *arena, struct bl_str file,
			     struct bl_str text, bool v0,
			     const struct bl_rego_module **out_module,
			     size_t *out_offset, struct bl_error *err);

/* Parses a query (statements) by the rules of v1. */
struct bl_rego_body;
enum bl_status bl_rego_parse_query(struct bl_arena *arena, struct bl_str text,
				   struct bl_rego_body **out_body,
				   size_t *out_offset, struct bl_error *err);

/* Appends the module as canonical text; parsing that gives the same tree. */
void bl_rego_print(struct bl_buf *out, const struct bl_rego_module *module);

#endif

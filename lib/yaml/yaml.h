/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml/yaml.h: YAML text to values, through libyaml's events.
 *
 * The mix of YAML 1.1 and 1.2 that go-yaml reads, as OPA and Kubernetes have
 * it: anchors, aliases and "<<" merges; of a repeated key the last one counts;
 * keys become text, numbers that are not whole the
 * shortest form of their double.  Of several documents the
 * first one counts, and all must be right.  No tags beyond "this is
 * a string": nothing in a text can make anything but JSON's types.
 *
 * Limits: 500 levels, 10000 anchors, a million nodes with those of aliases.
 *
 * This module links libyaml, so it is a library of its own, which the static
 * program does not have.
 */
#ifndef BELAY_YAML_YAML_H
#define BELAY_YAML_YAML_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"
#include "value/value.h"

struct bl_yaml_places; /* where the texts of one document stood */

/*
 * Reads text.  An empty one is null.  SYNTAX with go-yaml's message ("yaml:
 * line 3: ..."), LIMIT, NO_MEMORY.  *out_line (may be NULL) is the line of the
 * failure, 0 when absent.  out_places may be NULL; else *out_places is
 * for bl_yaml_place and lives in arena.
 */
enum bl_status bl_yaml_read(struct bl_arena *arena, struct bl_str text,
			    struct bl_value *out_value, uint32_t *out_line,
			    const struct bl_yaml_places **out_places,
			    struct bl_error *err);

/*
 * Where a text of that document stood: a key, or a value that is a string.
 * Line 0 for others.
 */
struct bl_place bl_yaml_place(const struct bl_yaml_places *places,
			      struct bl_value text);

/*
 * The value of a plain (not quoted) scalar: null, boolean, number, or a
 * string that borrows text.  Undefined: .inf or .nan, which JSON does not have.
 */
struct bl_value bl_yaml_resolve(struct bl_arena *arena, struct bl_str text);

/*
 * Is a plain scalar a date or a time, to readers that know them?  *out_text is
 * then that time by RFC 3339, in arena; ptr NULL: memory.
 */
bool bl_yaml_timestamp(struct bl_arena *arena, struct bl_str text,
		       struct bl_str *out_text);

/* As bl_yaml_read, with dates and times by RFC 3339, as go-yaml's JSON has them. */
enum bl_status bl_yaml_read_with_times(struct bl_arena *arena,
				       struct bl_str text,
				       struct bl_value *out_value,
				       struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* json/private.h: what json's own files share. */
#ifndef BELAY_JSON_PRIVATE_H
#define BELAY_JSON_PRIVATE_H

#include "json/json.h"

/* Bytes of the escape whose backslash is at at; 0 when it is not one. */
size_t bl_json_escape_length(const char *at, const char *end);

/*
 * Decodes raw, whose escapes were all checked, to to, which has room for
 * raw.len bytes.  Returns the length.  *out_lone_surrogate becomes true when
 * half of a surrogate pair was written as U+FFFD, and is left alone otherwise.
 */
size_t bl_json_unescape(struct bl_str raw, char *to, bool *out_lone_surrogate);

/* An empty table for text; NULL when memory is out. */
struct bl_json_places *bl_json_places_new(struct bl_arena *arena,
					  struct bl_str text);

/*
 * Notes where the parts of container were: of an object two offsets a member
 * (key, value), of an array one an item.  slots are the values as they stood
 * in the text, repeated keys and all.  False when memory is out.
 */
bool bl_json_places_add(struct bl_json_places *places,
			struct bl_value container, const struct bl_value *slots,
			const uint32_t *offsets, size_t slot_count);

/* Makes the table ready for questions. */
bool bl_json_places_end(struct bl_json_places *places, size_t root_offset);

#endif

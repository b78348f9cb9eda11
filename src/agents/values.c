/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects laid over objects, and texts one after the other: what decoding and
 * encoding both need of values.
 */
#include "agents/private.h"

enum { MERGE_DEPTH = 64 };

static struct bl_value merge(struct bl_arena *arena, struct bl_value object,
			     struct bl_value other, unsigned depth)
{
	struct bl_merge way = { BL_MERGE_SECOND | BL_MERGE_WHOLE, depth };
	struct bl_value made = bl_value_undefined();

	if (bl_value_is_defined(other))
		(void)bl_value_merge(arena, object, other, way, &made);
	return made;
}

struct bl_value bl_agent_merge(struct bl_arena *arena, struct bl_value object,
			       struct bl_value other)
{
	return merge(arena, object, other, MERGE_DEPTH);
}

struct bl_value bl_agent_override(struct bl_arena *arena,
				  struct bl_value object, struct bl_value other)
{
	return merge(arena, object, other, 1);
}

struct bl_str bl_agent_concat(struct bl_arena *arena,
			      const struct bl_str *parts, size_t count)
{
	size_t len = 0;
	char *start;
	char *at;

	for (size_t i = 0; i < count; i++)
		if (!bl_add_size(len, parts[i].len, &len)) {
			len = SIZE_MAX; /* the arena refuses, and notes it */
			break;
		}
	start = at = bl_arena_alloc_aligned(arena, len, 1);
	if (!start)
		return (struct bl_str){ NULL, 0 };
	for (size_t i = 0; i < count; i++) {
		if (parts[i].len == 0)
			continue;
		memcpy(at, parts[i].ptr, parts[i].len);
		at += parts[i].len;
	}
	return (struct bl_str){ start, len };
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects laid over objects, and texts one after the other: what decoding and
 * encoding both need of values.
 */
#include "agents/private.h"

enum { MERGE_DEPTH = 64 };

/* depth 0: other as a whole. */
static struct bl_value merge(struct bl_arena *arena, struct bl_value object,
			     struct bl_value other, unsigned depth)
{
	struct bl_object_builder builder;

	if (!bl_value_is(object, BL_KIND_OBJECT) ||
	    !bl_value_is(other, BL_KIND_OBJECT) || depth == 0)
		return other;
	bl_object_builder_init(&builder, arena);
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str key = bl_value_text(bl_object_key(object, i));
		struct bl_value mine = bl_object_value(object, i);
		struct bl_value theirs = bl_object_find(other, key);

		if (bl_value_is_defined(theirs))
			mine = merge(arena, mine, theirs, depth - 1);
		bl_object_builder_add(&builder, key, mine);
	}
	for (size_t i = 0; i < bl_value_count(other); i++) {
		struct bl_str key = bl_value_text(bl_object_key(other, i));

		if (!bl_value_is_defined(bl_object_find(object, key)))
			bl_object_builder_add(&builder, key,
					      bl_object_value(other, i));
	}
	return bl_object_builder_end(&builder);
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

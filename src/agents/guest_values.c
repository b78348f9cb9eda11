/* SPDX-License-Identifier: Apache-2.0 */
/* guest_values.c: objects laid over objects. */
#include "agents/guest_internal.h"

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

struct bl_value bl_guest_merge(struct bl_arena *arena, struct bl_value object,
			       struct bl_value other)
{
	return merge(arena, object, other, MERGE_DEPTH);
}

struct bl_value bl_guest_override(struct bl_arena *arena,
				  struct bl_value object, struct bl_value other)
{
	return merge(arena, object, other, 1);
}

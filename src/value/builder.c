/* SPDX-License-Identifier: Apache-2.0 */
#include "value/internal.h"

enum { FIRST_CAP = 8 };

/*
 * Room for one more of count items of size bytes; the outgrown list stays in
 * the arena.  NULL when memory is out.
 */
static void *grow(struct bl_arena *arena, const void *items, size_t count,
		  size_t *cap, size_t size)
{
	size_t wanted = *cap ? *cap * 2 : FIRST_CAP;
	size_t bytes;
	void *grown = NULL;

	if (wanted > *cap && bl_mul_size(wanted, size, &bytes))
		grown = bl_arena_alloc(arena, bytes);
	if (!grown)
		return NULL;
	if (count)
		memcpy(grown, items, count * size);
	*cap = wanted;
	return grown;
}

void bl_object_builder_init(struct bl_object_builder *builder,
			    struct bl_arena *arena)
{
	*builder = (struct bl_object_builder){ .arena = arena };
}

void bl_object_builder_add(struct bl_object_builder *builder, struct bl_str key,
			   struct bl_value value)
{
	if (builder->failed || !bl_value_is_defined(value))
		return;
	if (builder->count == builder->cap) {
		struct bl_member *grown =
			grow(builder->arena, builder->members, builder->count,
			     &builder->cap, sizeof(*grown));

		if (!grown) {
			builder->failed = true;
			return;
		}
		builder->members = grown;
	}
	builder->members[builder->count++] =
		(struct bl_member){ bl_value_string(key), value };
}

struct bl_value bl_object_builder_end(struct bl_object_builder *builder)
{
	if (builder->failed)
		return bl_value_undefined();
	return bl_object_make(builder->arena, builder->members, builder->count,
			      NULL);
}

void bl_array_builder_init(struct bl_array_builder *builder,
			   struct bl_arena *arena)
{
	*builder = (struct bl_array_builder){ .arena = arena };
}

void bl_array_builder_add(struct bl_array_builder *builder,
			  struct bl_value value)
{
	if (builder->failed)
		return;
	if (builder->count == builder->cap) {
		struct bl_value *grown =
			grow(builder->arena, builder->items, builder->count,
			     &builder->cap, sizeof(*grown));

		if (!grown) {
			builder->failed = true;
			return;
		}
		builder->items = grown;
	}
	builder->items[builder->count++] = value;
}

/* The list itself becomes the array: nobody else has it. */
struct bl_value bl_array_builder_end(struct bl_array_builder *builder)
{
	if (builder->failed || builder->count > UINT32_MAX)
		return bl_value_undefined();
	return (struct bl_value){ .kind = BL_KIND_ARRAY,
				  .len = (uint32_t)builder->count,
				  .as.items = builder->items };
}

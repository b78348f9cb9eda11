/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, sets and objects while they grow. Values never change; what is not
 * finished yet is of another type, so that nobody can share it.
 */
#include "value/private.h"

enum { FIRST_CAP = 8 };

/* Room for count items of size bytes, behind head bytes; NULL: no memory. */
static void *room(struct bl_arena *arena, size_t count, size_t size,
		  size_t head)
{
	size_t bytes;
	char *made;

	if (!bl_mul_size(count, size, &bytes) ||
	    !bl_add_size(bytes, head, &bytes))
		return NULL;
	made = bl_arena_alloc(arena, bytes);
	return made ? made + head : NULL;
}

/*
 * Room for one more of count items of size bytes, behind head bytes: in place
 * where the list is the arena's newest piece, else the outgrown one stays in
 * the arena.  NULL when memory is out.
 */
static void *grow(struct bl_arena *arena, void *items, size_t *cap, size_t size,
		  size_t head)
{
	size_t wanted = *cap ? *cap * 2 : FIRST_CAP;
	size_t more = (wanted - *cap) * size;
	char *end = items ? (char *)items + *cap * size : NULL;
	char *grown = NULL;

	if (wanted < *cap)
		return NULL;
	if (end && end == arena->next && more <= (size_t)(arena->end - end)) {
		arena->next = end + more;
		*cap = wanted;
		return items;
	}
	grown = room(arena, wanted, size, head);
	if (!grown)
		return NULL;
	if (items)
		memcpy(grown, items, *cap * size);
	*cap = wanted;
	return grown;
}

void bl_object_builder_init(struct bl_object_builder *builder,
			    struct bl_arena *arena)
{
	*builder = (struct bl_object_builder){ .arena = arena };
}

void bl_object_builder_reserve(struct bl_object_builder *builder, size_t count)
{
	builder->members = room(builder->arena, count, sizeof(struct bl_member),
				sizeof(struct bl_object));
	builder->cap = count;
	builder->failed = !builder->members;
}

void bl_object_builder_add(struct bl_object_builder *builder, struct bl_str key,
			   struct bl_value value)
{
	if (builder->failed || !bl_value_is_defined(value))
		return;
	if (builder->count == builder->cap) {
		struct bl_member *grown =
			grow(builder->arena, builder->members, &builder->cap,
			     sizeof(*grown), sizeof(struct bl_object));

		if (!grown) {
			builder->failed = true;
			return;
		}
		builder->members = grown;
	}
	builder->members[builder->count++] =
		(struct bl_member){ bl_value_string(key), value };
}

/* Unused memory of the list is given back: it is often the newest piece. */
struct bl_value bl_object_builder_end(struct bl_object_builder *builder)
{
	struct bl_member *members = builder->members;

	if (builder->failed || builder->count > UINT32_MAX)
		return bl_value_undefined();
	if (!builder->count)
		return (struct bl_value){ .kind = BL_KIND_OBJECT };
	give_back(builder->arena, members + builder->count,
		  members + builder->cap);
	builder->cap = builder->count;
	return bl_object_settle(
		builder->arena,
		(void *)((char *)members - offsetof(struct bl_object, members)),
		builder->count, NULL);
}

void bl_array_builder_init(struct bl_array_builder *builder,
			   struct bl_arena *arena)
{
	*builder = (struct bl_array_builder){ .arena = arena };
}

void bl_array_builder_reserve(struct bl_array_builder *builder, size_t count)
{
	builder->items =
		room(builder->arena, count, sizeof(struct bl_value), 0);
	builder->cap = count;
	builder->failed = !builder->items;
}

void bl_array_builder_add(struct bl_array_builder *builder,
			  struct bl_value value)
{
	if (builder->failed)
		return;
	if (builder->count == builder->cap) {
		struct bl_value *grown = grow(builder->arena, builder->items,
					      &builder->cap, sizeof(*grown), 0);

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
	if (builder->cap)
		give_back(builder->arena, builder->items + builder->count,
			  builder->items + builder->cap);
	builder->cap = builder->count;
	return (struct bl_value){ .kind = BL_KIND_ARRAY,
				  .reserved = bl_weight_code(builder->items,
							     builder->count),
				  .len = (uint32_t)builder->count,
				  .as.items = builder->items };
}

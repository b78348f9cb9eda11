/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each member and item stood in the text, in a side table: values
 * themselves have no room for it, and only configurations are asked.
 */
#include "json/private.h"

#include <stdlib.h>

/* The places of one container that is not empty. */
struct entry {
	const void *container; /* as.items or as.object, one of a kind */
	const uint32_t *offsets;
	struct entry *older;
};

struct bl_json_places {
	struct bl_arena *arena;
	struct entry *newest;  /* while reading */
	struct entry *entries; /* afterwards, by container */
	size_t count;
	uint32_t *line_starts;
	size_t line_count;
	size_t root_offset;
};

/* Offsets where lines start, so that a place costs a binary search. */
static bool find_lines(struct bl_json_places *places, struct bl_str text)
{
	const char *end = text.ptr + text.len;
	size_t count = 1;

	for (const char *p = text.ptr; p < end; p++)
		count += *p == '\n';
	places->line_starts =
		bl_arena_new_array(places->arena, uint32_t, count);
	if (!places->line_starts)
		return false;
	places->line_count = 1;
	for (const char *p = text.ptr; p < end; p++) {
		if (*p == '\n')
			places->line_starts[places->line_count++] =
				(uint32_t)(p + 1 - text.ptr);
	}
	return true;
}

struct bl_json_places *bl_json_places_new(struct bl_arena *arena,
					  struct bl_str text)
{
	struct bl_json_places *places =
		bl_arena_new(arena, struct bl_json_places);

	if (!places)
		return NULL;
	places->arena = arena;
	return find_lines(places, text) ? places : NULL;
}

/* Containers are told apart by where their members are. */
static const void *identity(struct bl_value container)
{
	if (!bl_value_count(container))
		return NULL;
	return bl_value_is(container, BL_KIND_OBJECT)
		       ? (const void *)container.as.object
		       : (const void *)container.as.items;
}

/*
 * Where an object lost members to repeated keys: the place of the first key,
 * and of the last value, which counted.
 */
static void collect_repeats(struct bl_value object,
			    const struct bl_value *slots,
			    const uint32_t *offsets, size_t slot_count,
			    uint32_t *to)
{
	for (size_t slot = slot_count; slot > 0; slot -= 2) {
		size_t i = bl_object_find_index(object, slots[slot - 2]);

		to[2 * i] = offsets[slot - 2];
	}
	for (size_t slot = 0; slot < slot_count; slot += 2) {
		size_t i = bl_object_find_index(object, slots[slot]);

		to[2 * i + 1] = offsets[slot + 1];
	}
}

bool bl_json_places_add(struct bl_json_places *places,
			struct bl_value container, const struct bl_value *slots,
			const uint32_t *offsets, size_t slot_count)
{
	struct entry *entry;
	uint32_t *copy;

	if (!slot_count)
		return true;
	entry = bl_arena_new(places->arena, struct entry);
	copy = bl_arena_new_array(places->arena, uint32_t, slot_count);
	if (!entry || !copy)
		return false;
	if (bl_value_is(container, BL_KIND_OBJECT) &&
	    2 * bl_value_count(container) < slot_count)
		collect_repeats(container, slots, offsets, slot_count, copy);
	else
		memcpy(copy, offsets, slot_count * sizeof(*copy));
	*entry = (struct entry){ identity(container), copy, places->newest };
	places->newest = entry;
	places->count++;
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct entry *)a)->container;
	uintptr_t y = (uintptr_t)((const struct entry *)b)->container;

	return (x > y) - (x < y);
}

bool bl_json_places_end(struct bl_json_places *places, size_t root_offset)
{
	size_t i = 0;

	places->root_offset = root_offset;
	if (!places->count)
		return true;
	places->entries =
		bl_arena_new_array(places->arena, struct entry, places->count);
	if (!places->entries)
		return false;
	for (struct entry *e = places->newest; e; e = e->older)
		places->entries[i++] = *e;
	qsort(places->entries, places->count, sizeof(*places->entries),
	      compare_entries);
	return true;
}

static struct bl_place place_of(const struct bl_json_places *places,
				size_t offset)
{
	size_t from = 0, to = places->line_count;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (places->line_starts[middle] <= offset)
			from = middle;
		else
			to = middle;
	}
	return (struct bl_place){
		.line = (uint32_t)from + 1,
		.column = (uint32_t)(offset - places->line_starts[from] + 1),
		.offset = offset,
	};
}

/* The place of slot number slot of a container. */
static struct bl_place slot_place(const struct bl_json_places *places,
				  struct bl_value container, size_t slot)
{
	struct entry key = { .container = identity(container) };
	const struct entry *entry = NULL;

	if (key.container && places->count)
		entry = bsearch(&key, places->entries, places->count,
				sizeof(key), compare_entries);
	if (!entry)
		return (struct bl_place){ 0 };
	return place_of(places, entry->offsets[slot]);
}

struct bl_place bl_json_key_place(const struct bl_json_places *places,
				  struct bl_value container, size_t i)
{
	if (!bl_value_is(container, BL_KIND_OBJECT) ||
	    i >= bl_value_count(container))
		return (struct bl_place){ 0 };
	return slot_place(places, container, 2 * i);
}

struct bl_place bl_json_value_place(const struct bl_json_places *places,
				    struct bl_value container, size_t i)
{
	bool is_object = bl_value_is(container, BL_KIND_OBJECT);

	if (i >= bl_value_count(container))
		return (struct bl_place){ 0 };
	return slot_place(places, container, is_object ? 2 * i + 1 : i);
}

struct bl_place bl_json_root_place(const struct bl_json_places *places)
{
	return place_of(places, places->root_offset);
}

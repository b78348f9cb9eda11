/* SPDX-License-Identifier: Apache-2.0 */
#include "value/internal.h"

/*
 * A key being sorted: the first bytes of a string, most significant first,
 * decide most comparisons without looking at the key itself.
 */
struct entry {
	uint64_t prefix;
	uint32_t index;
};

static uint64_t prefix_of(struct bl_value key)
{
	const char *text = key.as.text;
	uint64_t word = 0;

	if (key.len >= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		return __builtin_bswap64(word);
#else
		return word;
#endif
	}
	for (size_t i = 0; i < key.len; i++)
		word |= (uint64_t)(unsigned char)text[i] << (56 - 8 * i);
	return word;
}

static int compare_entries(const struct bl_member *members,
			   const struct entry *a, const struct entry *b)
{
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	return bl_value_compare(members[a->index].key, members[b->index].key);
}

/*
 * Sorts a few members by insertion.  False as soon as two keys are equal.
 * Where there is a key that is no string, prefixes do not count.
 */
static bool sort_small(const struct bl_member *members, size_t count,
		       uint8_t *order)
{
	struct entry entries[SMALL_OBJECT_MAX];
	bool strings = true;

	for (size_t i = 0; i < count; i++)
		strings &= members[i].key.kind == BL_KIND_STRING;
	for (size_t i = 0; i < count; i++) {
		struct entry entry = {
			.prefix = strings ? prefix_of(members[i].key) : 0,
			.index = (uint32_t)i,
		};
		size_t at = i;

		while (at) {
			int c = compare_entries(members, &entries[at - 1],
						&entry);

			if (!c)
				return false;
			if (c < 0)
				break;
			entries[at] = entries[at - 1];
			at--;
		}
		entries[at] = entry;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint8_t)entries[i].index;
	return true;
}

/* Sorts many members.  False when two keys are equal. */
static bool sort_large(const struct bl_member *members, size_t count,
		       uint32_t *order)
{
	bl_order_sort(order, count, &members->key, 2);
	for (size_t i = 1; i < count; i++) {
		if (bl_value_equal(members[order[i - 1]].key,
				   members[order[i]].key))
			return false;
	}
	return true;
}

static struct bl_object *object_alloc(struct bl_arena *arena, size_t count)
{
	struct bl_object *object;
	size_t bytes;

	if (count > UINT32_MAX ||
	    !bl_mul_size(count, sizeof(struct bl_member), &bytes) ||
	    !bl_add_size(bytes, sizeof(*object), &bytes))
		bytes = SIZE_MAX;
	object = bl_arena_alloc_aligned(arena, bytes,
					_Alignof(struct bl_object));
	if (object)
		object->order = NULL;
	return object;
}

/*
 * Takes repeated keys out: the last value, at the place of the first.  Members
 * with equal keys are neighbours in order, the earliest first.  Returns the
 * new count; *out_repeat is the first index that repeated one before it.
 */
static size_t drop_repeats(struct bl_member *members, size_t count,
			   const uint32_t *order, size_t *out_repeat)
{
	size_t first = 0, kept = 0, earliest = SIZE_MAX;

	for (size_t i = 1; i < count; i++) {
		struct bl_member *member = &members[order[i]];

		if (!bl_value_equal(members[order[first]].key, member->key)) {
			first = i;
			continue;
		}
		members[order[first]].value = member->value;
		member->key = bl_value_undefined();
		if (order[i] < earliest)
			earliest = order[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (members[i].key.kind != BL_KIND_UNDEFINED)
			members[kept++] = members[i];
	}
	*out_repeat = earliest;
	return kept;
}

/* The order of a made object with its repeats gone; false: no memory. */
static bool settle(struct bl_arena *arena, struct bl_object *object,
		   size_t *count, size_t *out_repeat)
{
	uint32_t *order;

	if (*count <= SMALL_OBJECT_MAX &&
	    sort_small(object->members, *count, object->small_order))
		return true;
	order = bl_arena_new_array(arena, uint32_t, 2 * *count);
	if (!order)
		return false;
	if (!sort_large(object->members, *count, order)) {
		*count = drop_repeats(object->members, *count, order,
				      out_repeat);
		bl_order_sort(order, *count, &object->members->key, 2);
	}
	object->order = order;
	return true;
}

struct bl_value bl_object_make(struct bl_arena *arena,
			       const struct bl_member *members, size_t count,
			       size_t *out_repeat)
{
	struct bl_object *object = NULL;
	size_t repeat = SIZE_MAX;

	if (count) {
		object = object_alloc(arena, count);
		if (!object)
			return bl_value_undefined();
		memcpy(object->members, members, count * sizeof(*members));
		if (!settle(arena, object, &count, &repeat))
			return bl_value_undefined();
	}
	if (out_repeat)
		*out_repeat = repeat;
	return (struct bl_value){ .kind = BL_KIND_OBJECT,
				  .len = (uint32_t)count,
				  .as.object = object };
}

struct bl_object *bl_object_new_like(struct bl_arena *arena,
				     struct bl_value like)
{
	struct bl_object *object = object_alloc(arena, like.len);
	const struct bl_object *model = like.as.object;

	if (!object)
		return NULL;
	memcpy(object->small_order, model->small_order,
	       sizeof(object->small_order));
	if (model->order) {
		uint32_t *order = bl_arena_new_array(arena, uint32_t, like.len);

		if (!order)
			return NULL;
		memcpy(order, model->order, like.len * sizeof(*order));
		object->order = order;
	}
	return object;
}

struct bl_value bl_object_key(struct bl_value object, size_t i)
{
	if (object.kind != BL_KIND_OBJECT || i >= object.len)
		return bl_value_undefined();
	return object_members(object)[i].key;
}

struct bl_value bl_object_value(struct bl_value object, size_t i)
{
	if (object.kind != BL_KIND_OBJECT || i >= object.len)
		return bl_value_undefined();
	return object_members(object)[i].value;
}

size_t bl_object_sorted_index(struct bl_value object, size_t rank)
{
	if (object.kind != BL_KIND_OBJECT || rank >= object.len)
		return SIZE_MAX;
	return (size_t)(object_ranked(object, rank) - object_members(object));
}

static size_t find_small(struct bl_value object, struct bl_value key)
{
	const struct bl_member *members = object_members(object);

	for (size_t i = 0; i < object.len; i++) {
		if (same_value(members[i].key, key))
			return i;
	}
	return SIZE_MAX;
}

size_t bl_object_find_index(struct bl_value object, struct bl_value key)
{
	size_t from = 0, to;

	if (object.kind != BL_KIND_OBJECT || !object.len)
		return SIZE_MAX;
	if (!object.as.object->order)
		return find_small(object, key);
	to = object.len;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int c = bl_value_compare(object_ranked(object, middle)->key,
					 key);

		if (!c)
			return bl_object_sorted_index(object, middle);
		if (c < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return SIZE_MAX;
}

struct bl_value bl_object_find_value(struct bl_value object,
				     struct bl_value key)
{
	return bl_object_value(object, bl_object_find_index(object, key));
}

struct bl_value bl_object_find(struct bl_value object, struct bl_str key)
{
	if (key.len > UINT32_MAX)
		return bl_value_undefined();
	return bl_object_find_value(object, bl_value_string(key));
}

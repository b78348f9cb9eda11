/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and sets: sorted by key, found by search or by a table of hashes. */
#include "value/private.h"

/*
 * The first bytes of a string, most significant first: they decide most
 * comparisons without looking at the string.
 */
static uint64_t prefix_of(struct bl_value key)
{
	uint64_t word;

	if (key.len < sizeof(word))
		return __builtin_bswap64(short_bytes(bl_value_text(key)));
	memcpy(&word, key.as.text, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap64(word);
#else
	return word;
#endif
}

/*
 * The prefixes of keys; nothing where there is a key that is not a string, as
 * prefixes do not count then.
 */
static void find_prefixes(const struct keys *keys, size_t count,
			  uint64_t *prefixes)
{
	for (size_t i = 0; i < count; i++) {
		struct bl_value key = key_at(keys, i);

		if (BL_UNLIKELY(key.kind != BL_KIND_STRING)) {
			memset(prefixes, 0, count * sizeof(*prefixes));
			return;
		}
		prefixes[i] = prefix_of(key);
	}
}

/* Sorts a few members by insertion.  False as soon as two keys are equal. */
static bool sort_small(const struct keys *keys, size_t count, uint8_t *order)
{
	uint64_t prefixes[SMALL_OBJECT_MAX];

	find_prefixes(keys, count, prefixes);
	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		for (; at; at--) {
			size_t before = order[at - 1];
			int c;

			if (prefixes[before] < prefixes[i])
				break;
			if (prefixes[before] == prefixes[i]) {
				c = bl_value_compare(key_at(keys, before),
						     key_at(keys, i));
				if (!c)
					return false;
				if (c < 0)
					break;
			}
			order[at] = order[at - 1];
		}
		order[at] = (uint8_t)i;
	}
	return true;
}

/*
 * Where keys repeat, sources as of bl_value_order_keys, and true.  Equal keys are
 * neighbours in order, the earliest first.
 */
static bool find_repeats(const struct keys *keys, size_t count,
			 const uint32_t *order, uint32_t *sources,
			 size_t *out_repeat)
{
	size_t first = 0, earliest = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		if (!i || !bl_value_equal(key_at(keys, order[first]),
					  key_at(keys, order[i]))) {
			first = i;
			sources[order[i]] = order[i];
			continue;
		}
		sources[order[first]] = order[i];
		sources[order[i]] = UINT32_MAX;
		if (order[i] < earliest)
			earliest = order[i];
	}
	if (earliest == SIZE_MAX)
		return false;
	*out_repeat = earliest;
	return true;
}

uint32_t *bl_value_order_room(struct bl_arena *arena, size_t count)
{
	size_t bytes;

	if (count > UINT32_MAX ||
	    !bl_mul_size(count, 2 * sizeof(uint32_t), &bytes))
		bytes = SIZE_MAX;
	return bl_arena_alloc_aligned(arena, bytes, _Alignof(uint32_t));
}

enum ordering bl_value_order_keys(struct bl_arena *arena,
				  const struct keys *keys,
				  struct key_order *out_order,
				  const uint32_t **out_sources,
				  size_t *out_repeat)
{
	size_t count = keys->count;
	uint32_t *order;

	out_order->order = NULL;
	if (count <= SMALL_OBJECT_MAX
		    ? sort_small(keys, count, out_order->small_order)
		    : bl_value_order_rises(keys, count))
		return ORDER_MADE;
	order = bl_value_order_room(arena, count);
	if (!order)
		return ORDER_NO_MEMORY;
	bl_value_order_sort(order, count, keys);
	if (find_repeats(keys, count, order, order + count, out_repeat)) {
		*out_sources = order + count;
		return ORDER_REPEATS;
	}
	give_back(arena, order + count, order + 2 * count);
	out_order->order = order;
	return ORDER_MADE;
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
		object->by_key.order = NULL;
	return object;
}

/* Takes repeated keys out and returns the new count. */
static size_t drop_repeats(struct bl_member *members, size_t count,
			   const uint32_t *sources)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (sources[i] == UINT32_MAX)
			continue;
		members[kept].key = members[i].key;
		members[kept++].value = members[sources[i]].value;
	}
	return kept;
}

struct bl_value bl_object_settle(struct bl_arena *arena,
				 struct bl_object *object, size_t count,
				 size_t *out_repeat)
{
	struct keys keys = { .values = &object->members->key, .stride = 2 };
	const uint32_t *sources;
	enum ordering ordering = ORDER_REPEATS;
	size_t repeat = SIZE_MAX;

	while (ordering == ORDER_REPEATS) {
		keys.count = count;
		ordering = bl_value_order_keys(arena, &keys, &object->by_key,
					       &sources, &repeat);
		if (ordering == ORDER_REPEATS)
			count = drop_repeats(object->members, count, sources);
	}
	if (out_repeat)
		*out_repeat = repeat;
	if (ordering != ORDER_MADE)
		return bl_value_undefined();
	return (struct bl_value){ .kind = BL_KIND_OBJECT,
				  .reserved = bl_weight_code(
					  &object->members->key, 2 * count),
				  .len = (uint32_t)count,
				  .as.object = object };
}

struct bl_value bl_object_make(struct bl_arena *arena,
			       const struct bl_member *members, size_t count,
			       size_t *out_repeat)
{
	struct bl_object *object;

	if (out_repeat)
		*out_repeat = SIZE_MAX;
	if (!count)
		return (struct bl_value){ .kind = BL_KIND_OBJECT };
	object = object_alloc(arena, count);
	if (!object)
		return bl_value_undefined();
	memcpy(object->members, members, count * sizeof(*members));
	return bl_object_settle(arena, object, count, out_repeat);
}

struct bl_object *bl_object_new_like(struct bl_arena *arena,
				     struct bl_value like)
{
	struct bl_object *object = object_alloc(arena, like.len);
	const struct key_order *model = object_order(like);

	if (!object)
		return NULL;
	memcpy(object->by_key.small_order, model->small_order,
	       sizeof(model->small_order));
	if (model->order) {
		uint32_t *order = bl_arena_new_array(arena, uint32_t, like.len);

		if (!order)
			return NULL;
		memcpy(order, model->order, like.len * sizeof(*order));
		object->by_key.order = order;
	}
	return object;
}

struct bl_value bl_object_key(struct bl_value object, size_t i)
{
	if (object.kind != BL_KIND_OBJECT || i >= object.len)
		return bl_value_undefined();
	return object_key(object, i);
}

struct bl_value bl_object_value(struct bl_value object, size_t i)
{
	if (object.kind != BL_KIND_OBJECT || i >= object.len)
		return bl_value_undefined();
	return object_value(object, i);
}

size_t bl_object_sorted_index(struct bl_value object, size_t rank)
{
	if (object.kind != BL_KIND_OBJECT || rank >= object.len)
		return SIZE_MAX;
	return object_ranked(object, rank);
}

static size_t find_small(struct bl_value object, struct bl_value key)
{
	const struct bl_member *members = object_members(object);

	if (BL_UNLIKELY(key.kind != BL_KIND_STRING)) {
		for (size_t i = 0; i < object.len; i++) {
			if (bl_value_equal(members[i].key, key))
				return i;
		}
		return SIZE_MAX;
	}
	for (size_t i = 0; i < object.len; i++) {
		const struct bl_value *own = &members[i].key;

		if (own->len == key.len && own->kind == BL_KIND_STRING &&
		    same_bytes(own->as.text, key.as.text, key.len))
			return i;
	}
	return SIZE_MAX;
}

/* Of a short text the whole key is one word. */
static size_t find_packed(struct bl_value object, struct bl_value key)
{
	const struct bl_packed *keys = packed_object(object)->shape->keys;
	struct bl_packed word;

	if (key.kind == BL_KIND_STRING && key.len <= SHORT_TEXT_MAX) {
		word = pack_short(TAG_SHORT_TEXT, bl_value_text(key));
		for (size_t i = 0; i < object.len; i++) {
			if (keys[i].word == word.word)
				return i;
		}
		return SIZE_MAX;
	}
	for (size_t i = 0; i < object.len; i++) {
		if (same_value(unpack(&keys[i]), key))
			return i;
	}
	return SIZE_MAX;
}

size_t bl_object_find_index(struct bl_value object, struct bl_value key)
{
	size_t from = 0, to = object.len;

	if (object.kind != BL_KIND_OBJECT || !object.len)
		return SIZE_MAX;
	if (!object_order(object)->order && to <= SMALL_OBJECT_MAX)
		return object.form ? find_packed(object, key)
				   : find_small(object, key);
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		size_t i = object_ranked(object, middle);
		int c = bl_value_compare(object_key(object, i), key);

		if (!c)
			return i;
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
	size_t i = bl_object_find_index(object, key);

	return i == SIZE_MAX ? bl_value_undefined() : object_value(object, i);
}

struct bl_value bl_object_find(struct bl_value object, struct bl_str key)
{
	if (key.len > UINT32_MAX)
		return bl_value_undefined();
	return bl_object_find_value(object, bl_value_string(key));
}

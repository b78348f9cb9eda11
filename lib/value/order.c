/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c: the total order of values, equality and hashes, which have to agree
 * with each other (docs/contracts/rego.md "Values").
 */
#include "value/private.h"

/*
 * Recursion goes as deep as the values are nested, which the readers bound
 * (BL_JSON_MAX_DEPTH); the frames are kept small for that reason.
 */
static int compare_items(struct bl_value a, struct bl_value b)
{
	size_t common = a.len < b.len ? a.len : b.len;

	if (a.as.items == b.as.items)
		common = 0;
	for (size_t i = 0; i < common; i++) {
		int order = bl_value_compare(item_at(a, i), item_at(b, i));

		if (order)
			return order;
	}
	return (a.len > b.len) - (a.len < b.len);
}

static int compare_objects(struct bl_value a, struct bl_value b)
{
	size_t common = a.len < b.len ? a.len : b.len;

	if (a.as.object == b.as.object)
		common = 0;
	for (size_t rank = 0; rank < common; rank++) {
		size_t x = object_ranked(a, rank);
		size_t y = object_ranked(b, rank);
		int order =
			bl_value_compare(object_key(a, x), object_key(b, y));

		if (!order)
			order = bl_value_compare(object_value(a, x),
						 object_value(b, y));
		if (order)
			return order;
	}
	return (a.len > b.len) - (a.len < b.len);
}

int bl_value_compare(struct bl_value a, struct bl_value b)
{
	if (a.kind != b.kind)
		return a.kind < b.kind ? -1 : 1;
	switch (bl_value_kind(a)) {
	case BL_KIND_BOOLEAN:
		return a.as.boolean - b.as.boolean;
	case BL_KIND_NUMBER:
		if (a.form == FORM_INTEGER && b.form == FORM_INTEGER)
			return (a.as.integer > b.as.integer) -
			       (a.as.integer < b.as.integer);
		return bl_number_compare(a, b);
	case BL_KIND_STRING:
		return bl_str_compare(bl_value_text(a), bl_value_text(b));
	case BL_KIND_ARRAY:
	case BL_KIND_SET:
		return compare_items(a, b);
	case BL_KIND_OBJECT:
		return compare_objects(a, b);
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_COUNT:
		break;
	}
	return 0;
}

bool bl_value_equal(struct bl_value a, struct bl_value b)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind == BL_KIND_STRING)
		return a.len == b.len &&
		       same_bytes(a.as.text, b.as.text, a.len);
	if (a.kind > BL_KIND_STRING && a.len != b.len)
		return false;
	return bl_value_compare(a, b) == 0;
}

/* 8 at a time. */
static uint64_t hash_bytes(uint64_t seed, const char *bytes, size_t len)
{
	uint64_t h = hash_mix(seed, len);
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		h = hash_mix(h, word);
		bytes += sizeof(word);
	}
	word = 0;
	if (len)
		memcpy(&word, bytes, len);
	return hash_mix(h, word);
}

static uint64_t hash_items(struct bl_value value)
{
	uint64_t h = hash_mix(hash_start(bl_value_kind(value)), value.len);

	for (size_t i = 0; i < value.len; i++)
		h = hash_mix(h, bl_value_hash(item_at(value, i)));
	return h;
}

/* A sum, so that the order of the members does not matter. */
static uint64_t hash_object(struct bl_value value)
{
	uint64_t sum = hash_mix(hash_start(bl_value_kind(value)), value.len);

	for (size_t i = 0; i < value.len; i++)
		sum += hash_mix(bl_value_hash(object_key(value, i)),
				bl_value_hash(object_value(value, i)));
	return sum;
}

uint64_t bl_value_hash(struct bl_value value)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_NUMBER:
		return bl_number_hash(value);
	case BL_KIND_STRING:
		return hash_bytes(hash_start(BL_KIND_STRING), value.as.text,
				  value.len);
	case BL_KIND_ARRAY:
	case BL_KIND_SET:
		return hash_items(value);
	case BL_KIND_OBJECT:
		return hash_object(value);
	case BL_KIND_BOOLEAN:
		return hash_mix(hash_start(bl_value_kind(value)),
				value.as.boolean);
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_COUNT:
		break;
	}
	return hash_mix(hash_start(bl_value_kind(value)), 0);
}

bool bl_value_order_rises(const struct keys *keys, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (bl_value_compare(key_at(keys, i - 1), key_at(keys, i)) >= 0)
			return false;
	}
	return true;
}

/* Merges two sorted neighbours of from into to. */
static void merge(const uint32_t *from, size_t middle, size_t end, uint32_t *to,
		  const struct keys *keys)
{
	size_t left = 0, right = middle;

	for (size_t i = 0; i < end; i++) {
		bool take_left = left < middle;

		if (take_left && right < end)
			take_left = bl_value_compare(
					    key_at(keys, from[left]),
					    key_at(keys, from[right])) <= 0;
		to[i] = take_left ? from[left++] : from[right++];
	}
}

/* A merge sort: n log n whatever the input. */
void bl_value_order_sort(uint32_t *order, size_t count, const struct keys *keys)
{
	uint32_t *from = order;
	uint32_t *to = order + count;

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (size_t width = 1; width < count; width *= 2) {
		uint32_t *swap = from;

		for (size_t at = 0; at < count; at += 2 * width) {
			size_t rest = count - at;

			merge(from + at, width < rest ? width : rest,
			      2 * width < rest ? 2 * width : rest, to + at,
			      keys);
		}
		from = to;
		to = swap;
	}
	if (from != order)
		memcpy(order, from, count * sizeof(*order));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* value/private.h: representations that only value's own files see. */
#ifndef BELAY_VALUE_PRIVATE_H
#define BELAY_VALUE_PRIVATE_H

#include "value/value.h"

/* struct bl_value.form of a number, and of an array or object. */
enum {
	FORM_INTEGER, /* as.integer, spelled as printf does */
	FORM_TEXT,    /* as.text, len bytes, checked against the grammar */
	FORM_PACKED,  /* of what bl_pack_array and bl_pack_object made */
};

/* Up to so many members are searched one by one, and sorted in place. */
enum { SMALL_OBJECT_MAX = 16, SMALL_SET_MAX = 8 };

/*
 * struct bl_packed: a tag in the lowest byte, and for all but short texts the
 * length in the next (texts, numbers, arrays) and an address in the other six.
 * Integers have the seven bytes above the tag.  A short text or spelling lies
 * in the seven bytes themselves, its length in the tag.
 */
enum {
	TAG_UNDEFINED,
	TAG_NULL,
	TAG_FALSE,
	TAG_TRUE,
	TAG_INTEGER,
	TAG_TEXT,
	TAG_NUMBER, /* spelled */
	TAG_ARRAY,
	TAG_OBJECT,
	TAG_BOX, /* the address of a struct bl_value */
	TAG_SHORT_TEXT = 0x10,
	TAG_SHORT_NUMBER = 0x20,

	SHORT_TEXT_MAX = 7,
	PACKED_LENGTH_MAX = 255,
	ADDRESS_BITS = 48,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	SHORT_TEXT_AT = 1,
#else
	SHORT_TEXT_AT = 0,
#endif
};

/* Up to seven bytes, the first in the lowest. */
static inline uint64_t short_bytes(struct bl_str text)
{
	uint64_t bytes = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t first, last;

	if (text.len >= sizeof(first)) {
		memcpy(&first, text.ptr, sizeof(first));
		memcpy(&last, text.ptr + text.len - sizeof(last), sizeof(last));
		return first | (uint64_t)last << (8 * (text.len - 4));
	}
#endif
	for (size_t i = 0; i < text.len; i++)
		bytes |= (uint64_t)(unsigned char)text.ptr[i] << (8 * i);
	return bytes;
}

static inline struct bl_packed pack_short(unsigned int tag, struct bl_str text)
{
	uint64_t bytes = short_bytes(text);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	bytes <<= 8 * SHORT_TEXT_AT;
#else
	bytes = __builtin_bswap64(bytes);
#endif
	return (struct bl_packed){ bytes | tag | text.len };
}

static inline const void *packed_address(uint64_t word)
{
	return (const void *)(uintptr_t)(word >> (64 - ADDRESS_BITS));
}

/* Values that are not text, or lie elsewhere. */
struct bl_value bl_unpack_word(uint64_t word);

/* bl_unpack, with texts in place. */
static inline struct bl_value unpack(const struct bl_packed *packed)
{
	uint64_t word = packed->word;

	if (word & TAG_SHORT_TEXT)
		return (struct bl_value){
			.kind = BL_KIND_STRING,
			.len = word & SHORT_TEXT_MAX,
			.as.text = (const char *)packed + SHORT_TEXT_AT,
		};
	if (word & TAG_SHORT_NUMBER)
		return (struct bl_value){
			.kind = BL_KIND_NUMBER,
			.form = FORM_TEXT,
			.len = word & SHORT_TEXT_MAX,
			.as.text = (const char *)packed + SHORT_TEXT_AT,
		};
	if ((word & 0xFF) == TAG_TEXT)
		return (struct bl_value){
			.kind = BL_KIND_STRING,
			.len = word >> 8 & PACKED_LENGTH_MAX,
			.as.text = packed_address(word),
		};
	return bl_unpack_word(word);
}

/* The numbers of an object's members by key. */
struct key_order {
	const uint32_t *order; /* NULL: small_order counts, or as they came */
	uint8_t small_order[SMALL_OBJECT_MAX];
};

struct bl_object {
	struct key_order by_key;
	struct bl_member members[];
};

/* The keys that packed objects share. */
struct bl_shape {
	struct key_order by_key;
	uint32_t count;
	struct bl_packed keys[];
};

struct packed_object {
	const struct bl_shape *shape;
	struct bl_packed values[];
};

/* Keys, or other values to be sorted: of either kind, stride apart. */
struct keys {
	const struct bl_value *values; /* NULL: packed */
	const struct bl_packed *packed;
	size_t stride;
	size_t count; /* for bl_value_order_keys */
};

static inline struct bl_value key_at(const struct keys *keys, size_t i)
{
	return keys->values ? keys->values[i * keys->stride]
			    : unpack(&keys->packed[i * keys->stride]);
}

/* The members of a non-empty object that is not packed, as they came. */
static inline const struct bl_member *object_members(struct bl_value object)
{
	return object.as.object->members;
}

static inline const struct packed_object *packed_object(struct bl_value object)
{
	return (const void *)object.as.packed;
}

/* Of objects and arrays that are not empty; i must be in range. */
static inline struct bl_value item_at(struct bl_value list, size_t i)
{
	return list.form ? unpack(&list.as.packed[i]) : list.as.items[i];
}

static inline struct bl_value object_key(struct bl_value object, size_t i)
{
	return object.form ? unpack(&packed_object(object)->shape->keys[i])
			   : object_members(object)[i].key;
}

static inline struct bl_value object_value(struct bl_value object, size_t i)
{
	return object.form ? unpack(&packed_object(object)->values[i])
			   : object_members(object)[i].value;
}

static inline const struct key_order *object_order(struct bl_value object)
{
	return object.form ? &packed_object(object)->shape->by_key
			   : &object.as.object->by_key;
}

/* The number of the member at rank in the order of keys. */
static inline size_t object_ranked(struct bl_value object, size_t rank)
{
	const struct key_order *by_key = object_order(object);

	if (by_key->order)
		return by_key->order[rank];
	return object.len <= SMALL_OBJECT_MAX ? by_key->small_order[rank]
					      : rank;
}

/*
 * Room for an object of count members whose order is that of like (members
 * are left for the caller to fill); NULL when memory is out.
 */
struct bl_object *bl_object_new_like(struct bl_arena *arena,
				     struct bl_value like);

/*
 * The object whose count members (not 0) are all there, when it is sorted and
 * its repeats are out.  Undefined when memory is out.
 */
struct bl_value bl_object_settle(struct bl_arena *arena,
				 struct bl_object *object, size_t count,
				 size_t *out_repeat);

enum ordering { ORDER_MADE, ORDER_REPEATS, ORDER_NO_MEMORY };

/*
 * The order of keys, in arena.  ORDER_REPEATS: some are equal; then
 * (*out_sources)[i] is the number of the last member with the key of member i
 * when that is the first with it, else UINT32_MAX, and *out_repeat as of
 * bl_object_make.
 */
enum ordering bl_value_order_keys(struct bl_arena *arena,
				  const struct keys *keys,
				  struct key_order *out_order,
				  const uint32_t **out_sources,
				  size_t *out_repeat);

/*
 * The weight of a container of count values (of an object: keys and values) as
 * bl_value_weight reads it from value.reserved.
 */
uint16_t bl_weight_code(const struct bl_value *items, size_t count);

/* Gives the end of the newest piece of arena back, from from on. */
static inline void give_back(struct bl_arena *arena, void *from, void *end)
{
	if (arena->next == end)
		arena->next = from;
}

/* Two texts of len bytes: names are short, so without a call. */
static inline bool same_bytes(const char *a, const char *b, size_t len)
{
	uint64_t x, y;
	uint32_t v, w;

	if (len > 16)
		return !memcmp(a, b, len);
	if (len >= 8) {
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		if (x != y)
			return false;
		memcpy(&x, a + len - 8, 8);
		memcpy(&y, b + len - 8, 8);
		return x == y;
	}
	if (len >= 4) {
		memcpy(&v, a, 4);
		memcpy(&w, b, 4);
		if (v != w)
			return false;
		memcpy(&v, a + len - 4, 4);
		memcpy(&w, b + len - 4, 4);
		return v == w;
	}
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* bl_value_equal, with strings compared in place. */
static inline bool same_value(struct bl_value a, struct bl_value b)
{
	if (a.kind != BL_KIND_STRING || b.kind != BL_KIND_STRING)
		return bl_value_equal(a, b);
	return a.len == b.len && same_bytes(a.as.text, b.as.text, a.len);
}

/* Order and hash of two numbers. */
int bl_number_compare(struct bl_value a, struct bl_value b);
uint64_t bl_number_hash(struct bl_value number);

/*
 * Sorts count indices by the order of keys, stably; order has room for twice
 * as many (the second half is scratch).
 */
void bl_value_order_sort(uint32_t *order, size_t count,
			 const struct keys *keys);

/* Room for bl_value_order_sort; NULL when memory is out. */
uint32_t *bl_value_order_room(struct bl_arena *arena, size_t count);

/* Is every key less than the one behind it? */
bool bl_value_order_rises(const struct keys *keys, size_t count);

static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 32;
}

/* Where the hash of a value of this kind starts. */
static inline uint64_t hash_start(enum bl_kind kind)
{
	return ((uint64_t)kind + 1) * 0xC2B2AE3D27D4EB4Fu;
}

#endif

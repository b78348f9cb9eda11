/* SPDX-License-Identifier: Apache-2.0 */
/* value/internal.h: representations that only value's own files see. */
#ifndef BELAY_VALUE_INTERNAL_H
#define BELAY_VALUE_INTERNAL_H

#include "value/value.h"

/* struct bl_value.form of a number. */
enum {
	FORM_INTEGER, /* as.integer, spelled as printf does */
	FORM_TEXT,    /* as.text, len bytes, checked against the grammar */
};

/* Up to so many members are searched one by one, and sorted in place. */
enum { SMALL_OBJECT_MAX = 16, SMALL_SET_MAX = 8 };

struct bl_object {
	const uint32_t *order; /* by key; NULL: small_order counts */
	uint8_t small_order[SMALL_OBJECT_MAX];
	struct bl_member members[];
};

/* The members of a non-empty object, in the order in which they came. */
static inline const struct bl_member *object_members(struct bl_value object)
{
	return object.as.object->members;
}

/* The member at rank in the order of keys; rank must be in range. */
static inline const struct bl_member *object_ranked(struct bl_value object,
						    size_t rank)
{
	const struct bl_object *body = object.as.object;

	return &body->members[body->order ? body->order[rank]
					  : body->small_order[rank]];
}

/*
 * Room for an object of count members whose order is that of like (members
 * are left for the caller to fill); NULL when memory is out.
 */
struct bl_object *bl_object_new_like(struct bl_arena *arena,
				     struct bl_value like);

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
 * Sorts count indices by the order of items[stride * index], stably; order
 * has room for twice as many (the second half is scratch).
 */
void bl_order_sort(uint32_t *order, size_t count, const struct bl_value *items,
		   size_t stride);

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

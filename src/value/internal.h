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
enum { SMALL_OBJECT_MAX = 16 };

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

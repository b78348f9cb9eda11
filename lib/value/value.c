/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays and sets that are made at once, the names of kinds, and copying a
 * value to another arena.  Containers that grow are in builder.c.
 */
#include "value/private.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const kind_names[BL_KIND_COUNT] = {
	[BL_KIND_UNDEFINED] = "undefined", [BL_KIND_NULL] = "null",
	[BL_KIND_BOOLEAN] = "boolean",     [BL_KIND_NUMBER] = "number",
	[BL_KIND_STRING] = "string",       [BL_KIND_ARRAY] = "array",
	[BL_KIND_OBJECT] = "object",       [BL_KIND_SET] = "set",
};

const char *bl_kind_name(enum bl_kind kind)
{
	return (size_t)kind < BL_KIND_COUNT ? kind_names[kind] : "unknown";
}

/* Room for count values; NULL when memory is out.  count is not 0. */
static struct bl_value *items_alloc(struct bl_arena *arena, size_t count)
{
	size_t bytes;

	if (count > UINT32_MAX ||
	    !bl_mul_size(count, sizeof(struct bl_value), &bytes))
		bytes = SIZE_MAX;
	return bl_arena_alloc_aligned(arena, bytes, _Alignof(struct bl_value));
}

uint16_t bl_weight_code(const struct bl_value *items, size_t count)
{
	enum { MANTISSA_BITS = 9, MOST = 31 };
	uint64_t weight = 1 + (uint64_t)count;
	unsigned int shift = 0;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (items[i].kind >= BL_KIND_ARRAY)
			weight += bl_value_weight(items[i]) - 1;
	while (weight >> MANTISSA_BITS && shift < MOST) {
		weight >>= 1;
		shift++;
	}
	if (weight >> MANTISSA_BITS)
		weight = (1u << MANTISSA_BITS) - 1;
	return (uint16_t)((shift << MANTISSA_BITS | (unsigned int)weight) << 2);
}

static struct bl_value list_value(enum bl_kind kind,
				  const struct bl_value *items, size_t count)
{
	return (struct bl_value){ .kind = (uint8_t)kind,
				  .reserved = bl_weight_code(items, count),
				  .len = (uint32_t)count,
				  .as.items = items };
}

struct bl_value bl_array_make(struct bl_arena *arena,
			      const struct bl_value *items, size_t count)
{
	struct bl_value *copy = NULL;

	if (count) {
		copy = items_alloc(arena, count);
		if (!copy)
			return bl_value_undefined();
		memcpy(copy, items, count * sizeof(*copy));
	}
	return list_value(BL_KIND_ARRAY, copy, count);
}

struct bl_value bl_set_make(struct bl_arena *arena,
			    const struct bl_value *items, size_t count)
{
	struct keys keys = { .values = items, .stride = 1 };
	struct bl_value *sorted;
	uint32_t *order;
	size_t kept = 0;

	if (!count)
		return list_value(BL_KIND_SET, NULL, 0);
	sorted = items_alloc(arena, count);
	if (!sorted)
		return bl_value_undefined();
	if (bl_value_order_rises(&keys, count)) {
		memcpy(sorted, items, count * sizeof(*sorted));
		return list_value(BL_KIND_SET, sorted, count);
	}
	order = bl_value_order_room(arena, count);
	if (!order)
		return bl_value_undefined();
	bl_value_order_sort(order, count, &keys);
	for (size_t i = 0; i < count; i++) {
		struct bl_value item = items[order[i]];

		if (!kept || !bl_value_equal(sorted[kept - 1], item))
			sorted[kept++] = item;
	}
	give_back(arena, order, order + 2 * count);
	/* Only when order stood right behind: it may be in another block. */
	give_back(arena, sorted + kept, sorted + count);
	return list_value(BL_KIND_SET, sorted, kept);
}

struct bl_value bl_set_of(struct bl_arena *arena, struct bl_value list)
{
	struct bl_value *items;

	if (list.form != FORM_PACKED)
		return list.kind == BL_KIND_SET
			       ? list
			       : bl_set_make(arena, list.as.items, list.len);
	items = items_alloc(arena, list.len);
	if (!items)
		return bl_value_undefined();
	for (size_t i = 0; i < list.len; i++)
		items[i] = item_at(list, i);
	return bl_set_make(arena, items, list.len);
}

bool bl_set_has(struct bl_value set, struct bl_value item)
{
	size_t from = 0, to = set.kind == BL_KIND_SET ? set.len : 0;

	for (; to <= SMALL_SET_MAX && from < to; from++) {
		if (same_value(set.as.items[from], item))
			return true;
	}
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int c = bl_value_compare(set.as.items[middle], item);

		if (!c)
			return true;
		if (c < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

static struct bl_value copy_text(struct bl_arena *arena, struct bl_value value)
{
	char *text = bl_arena_alloc_aligned(arena, value.len, 1);

	if (!text)
		return bl_value_undefined();
	if (value.len)
		memcpy(text, value.as.text, value.len);
	value.as.text = text;
	return value;
}

/* A member that is undefined may stay so: it is not a failure. */
static bool copy_member(struct bl_arena *arena, struct bl_value from,
			struct bl_value *to)
{
	*to = bl_value_copy(arena, from);
	return to->kind == from.kind;
}

static struct bl_value copy_items(struct bl_arena *arena, struct bl_value value)
{
	struct bl_value *items = items_alloc(arena, value.len);

	if (!items)
		return bl_value_undefined();
	for (size_t i = 0; i < value.len; i++) {
		if (!copy_member(arena, item_at(value, i), &items[i]))
			return bl_value_undefined();
	}
	return list_value(bl_value_kind(value), items, value.len);
}

static struct bl_value copy_object(struct bl_arena *arena,
				   struct bl_value value)
{
	struct bl_object *object = bl_object_new_like(arena, value);

	if (!object)
		return bl_value_undefined();
	for (size_t i = 0; i < value.len; i++) {
		struct bl_member *to = &object->members[i];

		if (!copy_member(arena, object_key(value, i), &to->key) ||
		    !copy_member(arena, object_value(value, i), &to->value))
			return bl_value_undefined();
	}
	value.as.object = object;
	value.form = 0;
	return value;
}

struct bl_value bl_value_copy(struct bl_arena *arena, struct bl_value value)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_NUMBER:
		return value.form == FORM_TEXT ? copy_text(arena, value)
					       : value;
	case BL_KIND_STRING:
		return copy_text(arena, value);
	case BL_KIND_ARRAY:
	case BL_KIND_SET:
		return value.len ? copy_items(arena, value) : value;
	case BL_KIND_OBJECT:
		return value.len ? copy_object(arena, value) : value;
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_BOOLEAN:
	case BL_KIND_COUNT:
		break;
	}
	return value;
}

struct bl_value bl_value_printf(struct bl_arena *arena, const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(arena, fmt, args);
	va_end(args);
	return text.ptr ? bl_value_string(text) : bl_value_undefined();
}

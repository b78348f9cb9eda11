/* SPDX-License-Identifier: Apache-2.0 */
/* Types of values: making, joining, comparing and printing them. */
#include "rego/compiler/types/types.h"

const struct bl_type bl_type_any = { .kind = BL_TYPE_ANY, .size = 1 };
const struct bl_type bl_type_boolean = { .kind = BL_TYPE_BOOLEAN, .size = 1 };
const struct bl_type bl_type_string = { .kind = BL_TYPE_STRING, .size = 1 };
static const struct bl_type null_type = { .kind = BL_TYPE_NULL, .size = 1 };
static const struct bl_type number_type = { .kind = BL_TYPE_NUMBER, .size = 1 };

const struct bl_type *bl_type_of_scalar(struct bl_value value)
{
	static const struct bl_type *const types[BL_KIND_COUNT] = {
		[BL_KIND_NULL] = &null_type,
		[BL_KIND_BOOLEAN] = &bl_type_boolean,
		[BL_KIND_NUMBER] = &number_type,
		[BL_KIND_STRING] = &bl_type_string,
	};
	const struct bl_type *type = types[bl_value_kind(value)];

	return type ? type : &bl_type_any;
}

static uint32_t size_of(const struct bl_type *type)
{
	return type ? type->size : 1;
}

/* By key; few, and nearly always in order. */
static void sort_items(const struct bl_type *type)
{
	for (size_t i = 1; i < type->count; i++) {
		const struct bl_type *item = type->items[i];
		struct bl_value key = type->keys[i];
		size_t at = i;

		for (; at && bl_value_compare(type->keys[at - 1], key) > 0;
		     at--) {
			type->keys[at] = type->keys[at - 1];
			type->items[at] = type->items[at - 1];
		}
		type->keys[at] = key;
		type->items[at] = item;
	}
}

const struct bl_type *bl_type_make(struct bl_arena *arena,
				   const struct bl_type *like)
{
	struct bl_type *type;
	uint32_t size = 1 + size_of(like->key) + size_of(like->rest);

	for (size_t i = 0; i < like->count && size <= BL_TYPE_MAX_SIZE; i++)
		size += size_of(like->items[i]);
	type = size > BL_TYPE_MAX_SIZE ? NULL
				       : bl_arena_new(arena, struct bl_type);
	if (!type)
		return &bl_type_any;
	*type = *like;
	type->size = size;
	if (type->kind == BL_TYPE_OBJECT)
		sort_items(type);
	return type;
}

/* An empty one of that kind with room for count items; false: no memory. */
static bool begin_type(struct bl_arena *arena, enum bl_type_kind kind,
		       size_t count, struct bl_type *out)
{
	*out = (struct bl_type){ .kind = kind };
	out->items =
		bl_arena_new_array(arena, const struct bl_type *, count + 1);
	if (kind == BL_TYPE_OBJECT)
		out->keys =
			bl_arena_new_array(arena, struct bl_value, count + 1);
	return out->items && (kind != BL_TYPE_OBJECT || out->keys);
}

bool bl_type_is_any(const struct bl_type *type)
{
	type = bl_type_open(type);
	return type && type->kind == BL_TYPE_ANY && !type->count;
}

bool bl_type_is_empty(const struct bl_type *type)
{
	type = bl_type_open(type);
	return type && type->kind >= BL_TYPE_ARRAY &&
	       type->kind <= BL_TYPE_SET && !type->count && !type->rest &&
	       !type->key;
}

bool bl_type_has_empty(const struct bl_type *type)
{
	/* Schemas know of nothing that is empty. */
	if (!type || type->kind == BL_TYPE_FUNCTION ||
	    type->kind == BL_TYPE_BOX)
		return false;
	for (size_t i = 0; i < type->count; i++)
		if (bl_type_has_empty(type->items[i]))
			return true;
	return bl_type_is_empty(type) || bl_type_has_empty(type->rest);
}

const struct bl_type *bl_type_without_empty(struct bl_arena *arena,
					    const struct bl_type *type)
{
	const struct bl_type *joined = NULL;
	struct bl_type made;

	if (bl_type_is_empty(type) || !bl_type_has_empty(type))
		return bl_type_is_empty(type) ? &bl_type_any : type;
	if (!begin_type(arena, type->kind, type->count, &made))
		return &bl_type_any;
	for (size_t i = 0; i < type->count; i++) {
		made.items[i] = bl_type_without_empty(arena, type->items[i]);
		joined = bl_type_or(arena, joined, made.items[i]);
		if (type->kind == BL_TYPE_OBJECT)
			made.keys[i] = type->keys[i];
	}
	if (type->kind == BL_TYPE_ANY)
		return joined;
	made.count = type->count;
	made.key = type->key;
	made.rest = bl_type_without_empty(arena, type->rest);
	return bl_type_make(arena, &made);
}

bool bl_type_is_unknown(const struct bl_type *type)
{
	if (!type)
		return true;
	if (type->kind == BL_TYPE_ANY || type->kind == BL_TYPE_BOX)
		return false;
	for (size_t i = 0; i < type->count; i++)
		if (bl_type_is_unknown(type->items[i]))
			return true;
	if (type->kind == BL_TYPE_SET || type->kind == BL_TYPE_FUNCTION)
		return bl_type_is_unknown(type->rest);
	if (type->kind == BL_TYPE_ARRAY)
		return type->rest && bl_type_is_unknown(type->rest);
	return (type->key || type->rest) && (bl_type_is_unknown(type->key) ||
					     bl_type_is_unknown(type->rest));
}

/* ---- order, as unions are printed --------------------------------------- */

static bool is_named(const struct bl_type *type)
{
	return type && type->kind == BL_TYPE_BOX && type->keys;
}

int bl_type_compare(const struct bl_type *a, const struct bl_type *b)
{
	int order;

	/* A type that contains itself is printed by its name. */
	if (a && b && a != b && a->kind == BL_TYPE_BOX &&
	    b->kind == BL_TYPE_BOX && a->keys && b->keys)
		return bl_value_compare(a->keys[0], b->keys[0]);
	a = bl_type_open(a);
	b = bl_type_open(b);
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == BL_TYPE_FUNCTION && a->count != b->count)
		return a->count < b->count ? -1 : 1;
	order = bl_type_compare(a->key, b->key);
	if (!order && a->kind != BL_TYPE_FUNCTION)
		order = bl_type_compare(a->rest, b->rest);
	for (size_t i = 0; !order && i < a->count && i < b->count; i++) {
		if (a->kind == BL_TYPE_OBJECT)
			order = bl_value_compare(a->keys[i], b->keys[i]);
		if (!order)
			order = bl_type_compare(a->items[i], b->items[i]);
	}
	if (!order && a->count != b->count)
		order = a->count < b->count ? -1 : 1;
	if (!order && a->kind == BL_TYPE_FUNCTION)
		order = bl_type_compare(a->rest, b->rest);
	return order;
}

/* Where type is, or belongs, among those of any. */
static bool find_in_any(const struct bl_type *any, const struct bl_type *type,
			size_t *out_at)
{
	size_t low = 0;
	size_t high = any->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = bl_type_compare(any->items[middle], type);

		if (!order)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*out_at = low;
	return false;
}

static const struct bl_type *add_one(struct bl_arena *arena,
				     const struct bl_type *any,
				     const struct bl_type *type)
{
	struct bl_type made;
	size_t at;

	if (find_in_any(any, type, &at))
		return any;
	if (!begin_type(arena, BL_TYPE_ANY, any->count + 1, &made))
		return &bl_type_any;
	for (size_t i = 0; i < any->count; i++)
		made.items[i + (i >= at)] = any->items[i];
	made.items[at] = type;
	made.count = any->count + 1;
	return bl_type_make(arena, &made);
}

static const struct bl_type *either_function(struct bl_arena *arena,
					     const struct bl_type *a,
					     const struct bl_type *b)
{
	struct bl_type made;

	if (a->kind != b->kind || a->count != b->count)
		return NULL;
	if (!begin_type(arena, BL_TYPE_FUNCTION, a->count, &made))
		return &bl_type_any;
	for (size_t i = 0; i < a->count; i++)
		made.items[i] = bl_type_or(arena, a->items[i], b->items[i]);
	made.count = a->count;
	made.rest = bl_type_or(arena, a->rest, b->rest);
	return bl_type_make(arena, &made);
}

/* Of "one of" in a box, that. */
static const struct bl_type *open_any(const struct bl_type *type)
{
	const struct bl_type *inside = bl_type_open(type);

	return inside && inside->kind == BL_TYPE_ANY ? inside : type;
}

const struct bl_type *bl_type_or(struct bl_arena *arena,
				 const struct bl_type *a,
				 const struct bl_type *b)
{
	const struct bl_type *result;

	if (!a || !b)
		return a ? a : b;
	if (a->kind == BL_TYPE_FUNCTION || b->kind == BL_TYPE_FUNCTION)
		return either_function(arena, a, b);
	a = open_any(a);
	b = open_any(b);
	if (bl_type_is_any(a) || bl_type_is_any(b))
		return &bl_type_any;
	if (bl_type_compare(a, b) == 0)
		return a;
	result = a->kind == BL_TYPE_ANY
			 ? a
			 : add_one(arena,
				   &(struct bl_type){ .kind = BL_TYPE_ANY }, a);
	if (b->kind != BL_TYPE_ANY)
		return bl_type_is_any(result) ? result
					      : add_one(arena, result, b);
	for (size_t i = 0; i < b->count && !bl_type_is_any(result); i++)
		result = add_one(arena, result, b->items[i]);
	return result;
}

/* Has it members, and keys that are not known only? */
static bool is_dynamic(const struct bl_type *type)
{
	return type->kind == BL_TYPE_OBJECT && !type->count && type->rest;
}

/* Joins an object with the first of an "one of" that is like it. */
static const struct bl_type *merge_into_any(struct bl_arena *arena,
					    const struct bl_type *object,
					    const struct bl_type *any)
{
	const struct bl_type *result = NULL;
	bool done = false;

	for (size_t i = 0; i < any->count; i++) {
		const struct bl_type *item = any->items[i];

		if (!done && is_dynamic(item)) {
			struct bl_type made = *item;

			made.key = bl_type_or(arena, item->key, object->key);
			made.rest = bl_type_or(arena, item->rest, object->rest);
			item = bl_type_make(arena, &made);
			done = true;
		}
		result = bl_type_or(arena, result, item);
	}
	return done ? result : bl_type_or(arena, any, object);
}

const struct bl_type *bl_type_merge(struct bl_arena *arena,
				    const struct bl_type *a,
				    const struct bl_type *b)
{
	struct bl_type made;

	if (!a || !b)
		return a ? a : b;
	if (a->kind == BL_TYPE_ANY && b->kind != BL_TYPE_ANY)
		return bl_type_merge(arena, b, a);
	if (b->kind == BL_TYPE_ANY && is_dynamic(a))
		return merge_into_any(arena, a, b);
	if (a->kind != b->kind || a->count || b->count ||
	    (a->kind != BL_TYPE_OBJECT && a->kind != BL_TYPE_SET))
		return bl_type_or(arena, a, b);
	if (!a->rest || !b->rest)
		return a->rest ? a : b;
	made = *a;
	made.key = bl_type_or(arena, a->key, b->key);
	made.rest = a->kind == BL_TYPE_SET
			    ? bl_type_or(arena, a->rest, b->rest)
			    : bl_type_merge(arena, a->rest, b->rest);
	return bl_type_make(arena, &made);
}

/* ---- what is inside ----------------------------------------------------- */

/* Item i of "one of"; what has itself inside is anything. */
static const struct bl_type *choice(const struct bl_type *any, size_t i)
{
	const struct bl_type *item = bl_type_open(any->items[i]);

	return item && item->kind == BL_TYPE_ANY ? &bl_type_any : any->items[i];
}

const struct bl_type *bl_type_keys(struct bl_arena *arena,
				   const struct bl_type *type)
{
	const struct bl_type *keys = NULL;

	type = bl_type_open(type);
	if (!type || bl_type_is_any(type))
		return type;
	if (type->kind == BL_TYPE_ARRAY)
		return &number_type;
	if (type->kind == BL_TYPE_SET)
		return type->rest;
	if (type->kind == BL_TYPE_FUNCTION)
		return NULL;
	for (size_t i = 0; i < type->count; i++)
		keys = bl_type_or(
			arena, keys,
			type->kind == BL_TYPE_OBJECT
				? bl_type_of_scalar(type->keys[i])
				: bl_type_keys(arena, choice(type, i)));
	return type->kind == BL_TYPE_OBJECT ? bl_type_or(arena, keys, type->key)
					    : keys;
}

const struct bl_type *bl_type_values(struct bl_arena *arena,
				     const struct bl_type *type)
{
	const struct bl_type *values = NULL;

	type = bl_type_open(type);
	if (!type || bl_type_is_any(type))
		return type;
	if (type->kind == BL_TYPE_FUNCTION)
		return NULL;
	for (size_t i = 0; i < type->count; i++)
		values = bl_type_or(
			arena, values,
			type->kind == BL_TYPE_ANY
				? bl_type_values(arena, choice(type, i))
				: type->items[i]);
	return bl_type_or(arena, values, type->rest);
}

/* Is every value of the second type one of the first? */
static bool contains(const struct bl_type *type, const struct bl_type *other)
{
	size_t at;

	type = bl_type_open(type);
	if (!type || type->kind != BL_TYPE_ANY)
		return bl_type_compare(type, other) == 0;
	return !type->count || find_in_any(type, other, &at);
}

/* The item of an object that has that key. */
static const struct bl_type *find_item(const struct bl_type *type,
				       struct bl_value key)
{
	size_t low = 0;
	size_t high = type->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = bl_value_compare(type->keys[middle], key);

		if (!order)
			return type->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The member of an object that has that key. */
static const struct bl_type *find_member(const struct bl_type *type,
					 struct bl_value key)
{
	const struct bl_type *found = find_item(type, key);

	return found || !type->key ||
			       !contains(type->key, bl_type_of_scalar(key))
		       ? found
		       : type->rest;
}

static const struct bl_type *select_any(struct bl_arena *arena,
					const struct bl_type *type,
					struct bl_value key)
{
	const struct bl_type *found = NULL;

	if (!type->count)
		return type;
	for (size_t i = 0; i < type->count; i++)
		found = bl_type_or(arena,
				   bl_type_select(arena, choice(type, i), key),
				   found);
	return found;
}

const struct bl_type *bl_type_select(struct bl_arena *arena,
				     const struct bl_type *type,
				     struct bl_value key)
{
	const struct bl_type *found;
	int64_t index;

	type = bl_type_open(type);
	if (!type)
		return NULL;
	switch (type->kind) {
	case BL_TYPE_ARRAY:
		/* 1.0 is not an index. */
		if (!bl_value_is(key, BL_KIND_NUMBER) ||
		    !bl_number_is_plain(key, &index) || index < 0)
			return NULL;
		return (uint64_t)index < type->count ? type->items[index]
						     : type->rest;
	case BL_TYPE_OBJECT:
		return find_member(type, key);
	case BL_TYPE_SET:
		found = bl_type_of_scalar(key);
		return type->rest && contains(type->rest, found) ? found : NULL;
	case BL_TYPE_ANY:
		return select_any(arena, type, key);
	case BL_TYPE_NULL:
	case BL_TYPE_BOOLEAN:
	case BL_TYPE_NUMBER:
	case BL_TYPE_STRING:
	case BL_TYPE_FUNCTION:
	case BL_TYPE_BOX:
		break;
	}
	return NULL;
}

/* ---- can both be? ------------------------------------------------------- */

/* Item i of an array, or member of an object; NULL when absent. */
static const struct bl_type *counterpart(const struct bl_type *type,
					 const struct bl_type *other, size_t i)
{
	if (type->kind == BL_TYPE_OBJECT)
		return find_member(other, type->keys[i]);
	return i < other->count ? other->items[i] : other->rest;
}

static bool unifies_items(const struct bl_type *a, const struct bl_type *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct bl_type *other = counterpart(a, b, i);

		if (!other && a->kind == BL_TYPE_OBJECT && (a->rest || b->rest))
			continue;
		if (!bl_type_unifies(a->items[i], other))
			return false;
	}
	return true;
}

static bool unifies_any(const struct bl_type *any, const struct bl_type *other)
{
	if (any->kind != BL_TYPE_ANY || other->kind == BL_TYPE_FUNCTION)
		return false;
	for (size_t i = 0; i < any->count; i++)
		if (bl_type_unifies(choice(any, i), other))
			return true;
	return !any->count;
}

bool bl_type_unifies(const struct bl_type *a, const struct bl_type *b)
{
	/* Two that have themselves inside would never end. */
	if (is_named(a) && is_named(b))
		return true;
	a = bl_type_open(a);
	b = bl_type_open(b);
	if (!a || !b)
		return false;
	if (a->kind == BL_TYPE_ANY || b->kind == BL_TYPE_ANY)
		return unifies_any(a, b) || unifies_any(b, a);
	if (a->kind != b->kind)
		return false;
	if (a->kind == BL_TYPE_FUNCTION)
		return a->count == b->count && unifies_items(a, b);
	return unifies_items(a, b) && unifies_items(b, a) &&
	       (!a->rest || !b->rest || bl_type_unifies(a->rest, b->rest));
}

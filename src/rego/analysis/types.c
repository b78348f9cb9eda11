/* SPDX-License-Identifier: Apache-2.0 */
/* Types of values: making, joining, comparing and printing them. */
#include "rego/analysis/types.h"

#include "json/json.h"

const struct bl_type bl_type_any = { .kind = BL_TYPE_ANY, .size = 1 };

static const struct bl_type scalars[] = {
	[BL_TYPE_NULL] = { .kind = BL_TYPE_NULL, .size = 1 },
	[BL_TYPE_BOOLEAN] = { .kind = BL_TYPE_BOOLEAN, .size = 1 },
	[BL_TYPE_NUMBER] = { .kind = BL_TYPE_NUMBER, .size = 1 },
	[BL_TYPE_STRING] = { .kind = BL_TYPE_STRING, .size = 1 },
};

const struct bl_type *bl_type_of_scalar(struct bl_value value)
{
	if (bl_value_is(value, BL_KIND_NULL))
		return &scalars[BL_TYPE_NULL];
	if (bl_value_is(value, BL_KIND_BOOLEAN))
		return &scalars[BL_TYPE_BOOLEAN];
	if (bl_value_is(value, BL_KIND_NUMBER))
		return &scalars[BL_TYPE_NUMBER];
	if (bl_value_is(value, BL_KIND_STRING))
		return &scalars[BL_TYPE_STRING];
	return &bl_type_any;
}

static uint32_t size_of(const struct bl_type *type)
{
	return type ? type->size : 1;
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
	return type;
}

bool bl_type_is_any(const struct bl_type *type)
{
	return type && type->kind == BL_TYPE_ANY && !type->count;
}

bool bl_type_is_empty(const struct bl_type *type)
{
	return type && type->kind >= BL_TYPE_ARRAY &&
	       type->kind <= BL_TYPE_SET && !type->count && !type->rest;
}

bool bl_type_is_unknown(const struct bl_type *type)
{
	if (!type)
		return true;
	for (size_t i = 0; i < type->count; i++)
		if (bl_type_is_unknown(type->items[i]))
			return true;
	return (type->rest && bl_type_is_unknown(type->rest)) ||
	       (type->key && bl_type_is_unknown(type->key));
}

/* ---- order, as unions are printed --------------------------------------- */

static int compare(const struct bl_type *a, const struct bl_type *b)
{
	int order = 0;

	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (size_t i = 0; !order && i < a->count && i < b->count; i++) {
		if (a->kind == BL_TYPE_OBJECT)
			order = bl_value_compare(a->keys[i], b->keys[i]);
		if (!order)
			order = compare(a->items[i], b->items[i]);
	}
	if (!order && a->count != b->count)
		order = a->count < b->count ? -1 : 1;
	if (!order)
		order = compare(a->key, b->key);
	return order ? order : compare(a->rest, b->rest);
}

static const struct bl_type *add_one(struct bl_arena *arena,
				     const struct bl_type *any,
				     const struct bl_type *type)
{
	const struct bl_type **items;
	size_t at = 0;

	while (at < any->count && compare(any->items[at], type) < 0)
		at++;
	if (at < any->count && compare(any->items[at], type) == 0)
		return any;
	items = bl_arena_new_array(arena, const struct bl_type *,
				   any->count + 1);
	if (!items)
		return &bl_type_any;
	for (size_t i = 0; i < any->count; i++)
		items[i + (i >= at)] = any->items[i];
	items[at] = type;
	return bl_type_make(arena, &(struct bl_type){ .kind = BL_TYPE_ANY,
						      .count = any->count + 1,
						      .items = items });
}

const struct bl_type *bl_type_or(struct bl_arena *arena,
				 const struct bl_type *a,
				 const struct bl_type *b)
{
	const struct bl_type *result;

	if (!a || !b)
		return a ? a : b;
	if (bl_type_is_any(a) || bl_type_is_any(b))
		return &bl_type_any;
	if (compare(a, b) == 0)
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

/* ---- what is inside ----------------------------------------------------- */

const struct bl_type *bl_type_keys(struct bl_arena *arena,
				   const struct bl_type *type)
{
	const struct bl_type *keys = NULL;

	if (!type || bl_type_is_any(type))
		return type;
	if (type->kind == BL_TYPE_ARRAY)
		return &scalars[BL_TYPE_NUMBER];
	if (type->kind == BL_TYPE_SET)
		return type->rest;
	for (size_t i = 0; i < type->count; i++)
		keys = bl_type_or(
			arena, keys,
			type->kind == BL_TYPE_OBJECT
				? bl_type_of_scalar(type->keys[i])
				: bl_type_keys(arena, type->items[i]));
	return type->kind == BL_TYPE_OBJECT ? bl_type_or(arena, keys, type->key)
					    : keys;
}

const struct bl_type *bl_type_values(struct bl_arena *arena,
				     const struct bl_type *type)
{
	const struct bl_type *values = NULL;

	if (!type || bl_type_is_any(type))
		return type;
	for (size_t i = 0; i < type->count; i++)
		values = bl_type_or(
			arena, values,
			type->kind == BL_TYPE_ANY
				? bl_type_values(arena, type->items[i])
				: type->items[i]);
	return bl_type_or(arena, values, type->rest);
}

const struct bl_type *bl_type_select(struct bl_arena *arena,
				     const struct bl_type *type,
				     struct bl_value key)
{
	const struct bl_type *wanted = bl_type_of_scalar(key);
	const struct bl_type *found = NULL;
	int64_t index;

	switch (type->kind) {
	case BL_TYPE_ARRAY:
		if (!bl_value_is(key, BL_KIND_NUMBER) ||
		    !bl_number_to_integer(key, &index) || index < 0)
			return NULL;
		return (size_t)index < type->count ? type->items[index]
						   : type->rest;
	case BL_TYPE_OBJECT:
		for (size_t i = 0; i < type->count; i++)
			if (bl_value_equal(type->keys[i], key))
				return type->items[i];
		return type->key && bl_type_unifies(type->key, wanted)
			       ? type->rest
			       : NULL;
	case BL_TYPE_SET:
		return type->rest && bl_type_unifies(type->rest, wanted)
			       ? wanted
			       : NULL;
	case BL_TYPE_ANY:
		if (!type->count)
			return type;
		for (size_t i = 0; i < type->count; i++)
			if (type->items[i])
				found = bl_type_or(
					arena, found,
					bl_type_select(arena, type->items[i],
						       key));
		return found;
	case BL_TYPE_NULL:
	case BL_TYPE_BOOLEAN:
	case BL_TYPE_NUMBER:
	case BL_TYPE_STRING:
		break;
	}
	return NULL;
}

/* ---- can both be? ------------------------------------------------------- */

/* Item i of an array, or member of an object; NULL when it has none. */
static const struct bl_type *counterpart(const struct bl_type *type,
					 const struct bl_type *other, size_t i)
{
	if (type->kind == BL_TYPE_ARRAY)
		return i < other->count ? other->items[i] : other->rest;
	for (size_t j = 0; j < other->count; j++)
		if (bl_value_equal(type->keys[i], other->keys[j]))
			return other->items[j];
	return other->rest;
}

static bool unifies_items(const struct bl_type *a, const struct bl_type *b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct bl_type *other = counterpart(a, b, i);

		if (!other && a->kind == BL_TYPE_OBJECT && a->rest)
			continue;
		if (!other || !bl_type_unifies(a->items[i], other))
			return false;
	}
	return true;
}

bool bl_type_unifies(const struct bl_type *a, const struct bl_type *b)
{
	const struct bl_type *any = a && a->kind == BL_TYPE_ANY ? a : b;
	const struct bl_type *other = any == a ? b : a;

	/* What is not known may be anything. */
	if (!a || !b || bl_type_is_any(a) || bl_type_is_any(b))
		return true;
	if (any->kind == BL_TYPE_ANY) {
		for (size_t i = 0; i < any->count; i++)
			if (bl_type_unifies(any->items[i], other))
				return true;
		return false;
	}
	if (a->kind != b->kind)
		return false;
	if (a->kind == BL_TYPE_ARRAY || a->kind == BL_TYPE_OBJECT)
		if (!unifies_items(a, b) || !unifies_items(b, a))
			return false;
	return !a->rest || !b->rest || bl_type_unifies(a->rest, b->rest);
}

/* ---- text --------------------------------------------------------------- */

static void put_key(struct bl_buf *out, struct bl_value key)
{
	struct bl_str text = bl_value_text(key);

	if (text.ptr)
		bl_buf_put_str(out, text);
	else
		bl_json_write(out, key, BL_JSON_COMPACT);
}

void bl_type_put(struct bl_buf *out, const struct bl_type *type)
{
	static const char *const names[] = {
		[BL_TYPE_NULL] = "null",     [BL_TYPE_BOOLEAN] = "boolean",
		[BL_TYPE_NUMBER] = "number", [BL_TYPE_STRING] = "string",
		[BL_TYPE_ARRAY] = "array",   [BL_TYPE_OBJECT] = "object",
		[BL_TYPE_SET] = "set",       [BL_TYPE_ANY] = "any",
	};

	if (!type) {
		bl_buf_puts(out, "???");
		return;
	}
	bl_buf_puts(out, names[type->kind]);
	for (size_t i = 0; i < type->count; i++) {
		bl_buf_puts(out, i ? ", " : "<");
		if (type->kind == BL_TYPE_OBJECT) {
			put_key(out, type->keys[i]);
			bl_buf_puts(out, ": ");
		}
		bl_type_put(out, type->items[i]);
	}
	if (type->count)
		bl_buf_put_char(out, '>');
	if (!type->rest)
		return;
	bl_buf_put_char(out, '[');
	if (type->kind == BL_TYPE_OBJECT) {
		bl_type_put(out, type->key);
		bl_buf_puts(out, ": ");
	}
	bl_type_put(out, type->rest);
	bl_buf_put_char(out, ']');
}

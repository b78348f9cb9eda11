/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values out of rows of items, and rows of values.  A host's word is not taken for
 * it: an item that would read beyond the row, or text that is not UTF-8, is an error.
 */
#include "base/utf8.h"
#include "json/json.h"
#include "rego/api/private.h"

/* The rest of the row, and where its values go. */
struct row {
	const rego_item *next;
	size_t count;
	struct bl_arena *arena;
	bool are_texts_copied;
	struct bl_error *err;
};

static struct bl_value read_item(struct row *row, unsigned int depth);

static struct bl_value refuse(struct row *row, enum bl_status status,
			      const char *what)
{
	if (!row->err->status)
		bl_fail(row->err, status, "%s", what);
	return bl_value_undefined();
}

/* The text of an item; ptr is NULL: err says why. */
static struct bl_str text_of(struct row *row, const rego_item *item)
{
	struct bl_str text = { item->size ? item->as.text : "", item->size };

	if (!text.ptr || !bl_utf8_is_valid(text)) {
		refuse(row, BL_SYNTAX, "a text is not UTF-8");
		return (struct bl_str){ NULL, 0 };
	}
	return row->are_texts_copied ? bl_arena_copy_str(row->arena, text)
				     : text;
}

static struct bl_value read_number(struct row *row, const rego_item *item)
{
	struct bl_value number;
	struct bl_str spelling = text_of(row, item);
	enum bl_status status;

	if (!spelling.ptr)
		return bl_value_undefined();
	status = bl_number_from_text(spelling, &number);
	return status ? refuse(row, status,
			       status == BL_LIMIT
				       ? "a number is too large"
				       : "a number is not as JSON spells it")
		      : number;
}

static struct bl_value read_array(struct row *row, size_t count,
				  unsigned int depth)
{
	struct bl_array_builder array;
	struct bl_value item;

	bl_array_builder_init(&array, row->arena);
	bl_array_builder_reserve(&array, count);
	for (size_t i = 0; i < count; i++) {
		item = read_item(row, depth);
		if (!bl_value_is_defined(item))
			return item;
		bl_array_builder_add(&array, item);
	}
	return bl_array_builder_end(&array);
}

static struct bl_str read_key(struct row *row)
{
	if (!row->count || row->next->kind != REGO_TEXT) {
		refuse(row, BL_SYNTAX, "a key is not a text");
		return (struct bl_str){ NULL, 0 };
	}
	row->count--;
	return text_of(row, row->next++);
}

static struct bl_value read_object(struct row *row, size_t count,
				   unsigned int depth)
{
	struct bl_object_builder object;
	struct bl_value value;

	bl_object_builder_init(&object, row->arena);
	bl_object_builder_reserve(&object, count);
	for (size_t i = 0; i < count; i++) {
		struct bl_str key = read_key(row);

		if (!key.ptr)
			return bl_value_undefined();
		value = read_item(row, depth);
		if (!bl_value_is_defined(value))
			return value;
		bl_object_builder_add(&object, key, value);
	}
	return bl_object_builder_end(&object);
}

/* A container, whose members are at least so many items more. */
static struct bl_value read_members(struct row *row, const rego_item *item,
				    unsigned int depth)
{
	size_t least = item->kind == REGO_OBJECT ? 2 : 1;

	if (item->size > row->count / least)
		return refuse(row, BL_SYNTAX, "the items end within a value");
	if (depth == BL_JSON_DEFAULT_DEPTH)
		return refuse(row, BL_LIMIT, "it is too deep");
	return item->kind == REGO_OBJECT
		       ? read_object(row, item->size, depth + 1)
		       : read_array(row, item->size, depth + 1);
}

static struct bl_value read_item(struct row *row, unsigned int depth)
{
	const rego_item *item = row->next;
	struct bl_str text;

	if (!row->count)
		return refuse(row, BL_SYNTAX, "the items end within a value");
	row->next++;
	row->count--;
	switch (item->kind) {
	case REGO_NULL:
		return bl_value_null();
	case REGO_BOOLEAN:
		return bl_value_boolean(item->as.integer != 0);
	case REGO_INTEGER:
		return bl_value_integer(item->as.integer);
	case REGO_NUMBER:
		return read_number(row, item);
	case REGO_TEXT:
		text = text_of(row, item);
		return text.ptr ? bl_value_string(text) : bl_value_undefined();
	case REGO_ARRAY:
	case REGO_OBJECT:
		return read_members(row, item, depth);
	default:
		return refuse(row, BL_SYNTAX, "an item has no kind");
	}
}

enum bl_status api_read_items(struct bl_arena *arena, const rego_item *items,
			      size_t count, bool are_texts_copied,
			      struct bl_value *out_value, struct bl_error *err)
{
	struct row row = { items, count, arena, are_texts_copied, err };
	struct bl_value value = read_item(&row, 0);

	if (err->status)
		return err->status;
	if (!bl_value_is_defined(value))
		return bl_arena_fail(arena, err);
	if (row.count)
		return bl_fail(err, BL_SYNTAX,
			       "there are items behind the value");
	*out_value = value;
	return BL_OK;
}

/* ---- rows of values ------------------------------------------------------- */

struct maker {
	struct bl_arena *arena;
	rego_item *items;
	size_t count;
	size_t cap;
	bool is_too_deep;
};

static bool make(struct maker *maker, struct bl_value value,
		 unsigned int depth);

/* A new item at the end; NULL: no memory. */
static rego_item *add(struct maker *maker, int32_t kind, size_t size)
{
	rego_item *items =
		bl_arena_room(maker->arena, maker->items, maker->count,
			      &maker->cap, sizeof(*items));

	if (!items)
		return NULL;
	maker->items = items;
	items += maker->count++;
	items->kind = kind;
	items->size = (uint32_t)size;
	return items;
}

static bool add_integer(struct maker *maker, int32_t kind, int64_t integer)
{
	rego_item *item = add(maker, kind, 0);

	if (item)
		item->as.integer = integer;
	return item;
}

static bool add_text(struct maker *maker, int32_t kind, struct bl_str text)
{
	rego_item *item = text.ptr ? add(maker, kind, text.len) : NULL;

	if (item)
		item->as.text = text.ptr;
	return item;
}

static bool make_number(struct maker *maker, struct bl_value number)
{
	struct bl_buf buf;
	struct bl_str spelling = { 0 };
	int64_t integer;

	if (bl_number_is_plain(number, &integer))
		return add_integer(maker, REGO_INTEGER, integer);
	bl_buf_init(&buf, 0);
	bl_number_put(&buf, number);
	if (!bl_buf_status(&buf))
		spelling = bl_arena_copy_str(maker->arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return add_text(maker, REGO_NUMBER, spelling);
}

static bool make_key(struct maker *maker, struct bl_value key)
{
	const char *json;

	if (bl_value_is(key, BL_KIND_STRING))
		return add_text(maker, REGO_TEXT, bl_value_text(key));
	json = api_json(maker->arena, key);
	return json && add_text(maker, REGO_TEXT, bl_str(json));
}

static bool make_members(struct maker *maker, struct bl_value value,
			 unsigned int depth)
{
	size_t count = bl_value_count(value);

	if (depth == BL_JSON_DEFAULT_DEPTH) {
		maker->is_too_deep = true;
		return false;
	}
	if (!bl_value_is(value, BL_KIND_OBJECT)) {
		if (!add(maker, REGO_ARRAY, count))
			return false;
		for (size_t i = 0; i < count; i++)
			if (!make(maker, bl_value_item(value, i), depth + 1))
				return false;
		return true;
	}
	if (!add(maker, REGO_OBJECT, count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!make_key(maker, bl_object_key(value, i)) ||
		    !make(maker, bl_object_value(value, i), depth + 1))
			return false;
	return true;
}

static bool make(struct maker *maker, struct bl_value value, unsigned int depth)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_BOOLEAN:
		return add_integer(maker, REGO_BOOLEAN,
				   bl_value_is_true(value));
	case BL_KIND_NUMBER:
		return make_number(maker, value);
	case BL_KIND_STRING:
		return make_key(maker, value);
	case BL_KIND_ARRAY:
	case BL_KIND_SET:
	case BL_KIND_OBJECT:
		return make_members(maker, value, depth);
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_COUNT:
		break;
	}
	return add(maker, REGO_NULL, 0);
}

enum bl_status api_make_items(struct bl_arena *arena, struct bl_value value,
			      const rego_item **out_items, size_t *out_count,
			      struct bl_error *err)
{
	struct maker maker = { .arena = arena };

	if (!make(&maker, value, 0))
		return maker.is_too_deep
			       ? bl_fail(err, BL_LIMIT, "the value is too deep")
			       : bl_arena_fail(arena, err);
	*out_items = maker.items;
	*out_count = maker.count;
	return BL_OK;
}

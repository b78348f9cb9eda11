/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text: %v's form, and JSON as Go writes it. */
#include <stdlib.h>

#include "base/utf8.h"
#include "rego/builtins/functions.h"

/* ---- Go's quotes -------------------------------------------------------- */

/* Characters above ASCII that are spaces, controls, private or no ones. */
static const struct {
	uint32_t from;
	uint32_t to;
} unprintable[] = {
	{ 0x7F, 0xA0 },     { 0xAD, 0xAD },       { 0x600, 0x605 },
	{ 0x61C, 0x61C },   { 0x6DD, 0x6DD },     { 0x70F, 0x70F },
	{ 0x1680, 0x1680 }, { 0x180E, 0x180E },   { 0x2000, 0x200F },
	{ 0x2028, 0x202F }, { 0x205F, 0x206F },   { 0x3000, 0x3000 },
	{ 0xD800, 0xF8FF }, { 0xFEFF, 0xFEFF },   { 0xFFF0, 0xFFFB },
	{ 0xFFFE, 0xFFFF }, { 0xE0000, 0xE00FF }, { 0xE01F0, 0x10FFFF },
};

static bool is_printable(uint32_t rune)
{
	if (rune < 0x7F)
		return rune >= ' ';
	for (size_t i = 0; i < BL_COUNT(unprintable); i++) {
		if (rune <= unprintable[i].to)
			return rune < unprintable[i].from;
	}
	return true;
}

static void put_rune_escape(struct bl_buf *out, uint32_t rune)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"";
	static const char to[] = "abfnrtv\\\"";
	const char *named =
		rune && rune < 0x80 ? strchr(from, (int)rune) : NULL;

	if (named)
		bl_buf_printf(out, "\\%c", to[named - from]);
	else if (rune < 0x80)
		bl_buf_printf(out, "\\x%02x", rune);
	else if (rune < 0x10000)
		bl_buf_printf(out, "\\u%04x", rune);
	else
		bl_buf_printf(out, "\\U%08x", rune);
}

void bl_builtin_form_quote(struct bl_buf *out, struct bl_str str)
{
	bl_buf_put_char(out, '"');
	for (size_t i = 0; i < str.len;) {
		uint32_t rune;
		size_t len = bl_utf8_decode(str, i, &rune);

		if (!len)
			bl_buf_printf(out, "\\x%02x", (uint8_t)str.ptr[i++]);
		else if (is_printable(rune) && rune != '"' && rune != '\\')
			bl_buf_put(out, str.ptr + i, len);
		else
			put_rune_escape(out, rune);
		i += len;
	}
	bl_buf_put_char(out, '"');
}

/* ---- %v ----------------------------------------------------------------- */

static void put_inner(struct bl_buf *out, struct bl_value value);

static void put_items(struct bl_buf *out, struct bl_value value, char open,
		      char close)
{
	bl_buf_put_char(out, open);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		if (i)
			bl_buf_puts(out, ", ");
		put_inner(out, bl_value_item(value, i));
	}
	bl_buf_put_char(out, close);
}

static void put_members(struct bl_buf *out, struct bl_value object)
{
	bl_buf_put_char(out, '{');
	for (size_t rank = 0; rank < bl_value_count(object); rank++) {
		size_t i = bl_object_sorted_index(object, rank);

		if (rank)
			bl_buf_puts(out, ", ");
		put_inner(out, bl_object_key(object, i));
		bl_buf_puts(out, ": ");
		put_inner(out, bl_object_value(object, i));
	}
	bl_buf_put_char(out, '}');
}

static void put_inner(struct bl_buf *out, struct bl_value value)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_NULL:
		bl_buf_puts(out, "null");
		break;
	case BL_KIND_BOOLEAN:
		bl_buf_puts(out, bl_value_is_true(value) ? "true" : "false");
		break;
	case BL_KIND_NUMBER:
		bl_number_put(out, value);
		break;
	case BL_KIND_STRING:
		bl_builtin_form_quote(out, bl_value_text(value));
		break;
	case BL_KIND_ARRAY:
		put_items(out, value, '[', ']');
		break;
	case BL_KIND_OBJECT:
		put_members(out, value);
		break;
	case BL_KIND_SET:
		if (bl_value_count(value))
			put_items(out, value, '{', '}');
		else
			bl_buf_puts(out, "set()");
		break;
	case BL_KIND_UNDEFINED:
	case BL_KIND_COUNT:
		bl_buf_puts(out, "<undefined>");
		break;
	}
}

void bl_builtin_form_put(struct bl_buf *out, struct bl_value value)
{
	if (bl_value_is(value, BL_KIND_STRING))
		bl_buf_put_str(out, bl_value_text(value));
	else
		put_inner(out, value);
}

/* ---- JSON --------------------------------------------------------------- */

static void put_json_string(struct bl_buf *out, struct bl_str str)
{
	static const char from[] = "\b\f\n\r\t\\\"";
	static const char to[] = "bfnrt\\\"";

	bl_buf_put_char(out, '"');
	for (size_t i = 0; i < str.len;) {
		uint32_t rune = BL_REPLACEMENT_CHAR;
		size_t len = bl_utf8_decode(str, i, &rune);
		const char *named =
			rune && rune < 0x80 ? strchr(from, (int)rune) : NULL;

		if (named)
			bl_buf_printf(out, "\\%c", to[named - from]);
		else if (!len || rune < ' ' || rune == '<' || rune == '>' ||
			 rune == '&' || rune == 0x2028 || rune == 0x2029)
			bl_buf_printf(out, "\\u%04x", rune);
		else
			bl_buf_put(out, str.ptr + i, len);
		i += len ? len : 1;
	}
	bl_buf_put_char(out, '"');
}

/* A key that is not a string is written as the text of its JSON. */
static void put_json_key(struct bl_buf *out, struct bl_value key)
{
	struct bl_buf text;

	if (bl_value_is(key, BL_KIND_STRING)) {
		put_json_string(out, bl_value_text(key));
		return;
	}
	bl_buf_init(&text, out->max);
	bl_go_json_put(&text, key);
	if (bl_buf_status(&text))
		out->status = bl_buf_status(&text);
	put_json_string(out, bl_buf_str(&text));
	bl_buf_clear(&text);
}

/* A member whose key is written as text: where it is in a buffer of all. */
struct json_member {
	const struct bl_buf *keys;
	size_t from;
	size_t to;
	size_t index;
};

static int compare_members(const void *a, const void *b)
{
	const struct json_member *x = a;
	const struct json_member *y = b;
	/* Without the quotes at their ends. */
	int order = bl_str_compare(
		bl_str_slice(bl_buf_str(x->keys), x->from, x->to - 1),
		bl_str_slice(bl_buf_str(y->keys), y->from, y->to - 1));

	/* Of equal texts the last key counts: it comes first. */
	return order ? order : (x->index < y->index) - (x->index > y->index);
}

static void put_json_members(struct bl_buf *out, struct bl_value object,
			     const struct json_member *members)
{
	struct bl_str before = { NULL, 0 };

	bl_buf_put_char(out, '{');
	for (size_t i = 0; i < bl_value_count(object); i++) {
		const struct json_member *m = &members[i];
		struct bl_str key =
			bl_str_slice(bl_buf_str(m->keys), m->from, m->to);
		size_t at = bl_object_sorted_index(object, m->index);

		if (before.ptr && bl_str_equal(before, key))
			continue;
		if (before.ptr)
			bl_buf_put_char(out, ',');
		before = key;
		bl_buf_put_str(out, key);
		bl_buf_put_char(out, ':');
		bl_go_json_put(out, bl_object_value(object, at));
	}
	bl_buf_put_char(out, '}');
}

/* With keys that are not strings: in the order of what is written for them. */
static void put_mixed_object(struct bl_buf *out, struct bl_value object)
{
	size_t count = bl_value_count(object);
	struct json_member *members = calloc(count, sizeof(*members));
	struct bl_buf keys;

	bl_buf_init(&keys, out->max);
	for (size_t i = 0; members && i < count; i++) {
		size_t at = bl_object_sorted_index(object, i);

		members[i] = (struct json_member){ &keys, keys.len, 0, i };
		put_json_key(&keys, bl_object_key(object, at));
		members[i].to = keys.len;
	}
	if (!members || bl_buf_status(&keys)) {
		out->status = members ? bl_buf_status(&keys) : BL_NO_MEMORY;
	} else {
		qsort(members, count, sizeof(*members), compare_members);
		put_json_members(out, object, members);
	}
	free(members);
	bl_buf_clear(&keys);
}

static void put_json_object(struct bl_buf *out, struct bl_value object)
{
	for (size_t i = 0; i < bl_value_count(object); i++)
		if (!bl_value_is(bl_object_key(object, i), BL_KIND_STRING)) {
			put_mixed_object(out, object);
			return;
		}
	bl_buf_put_char(out, '{');
	for (size_t rank = 0; rank < bl_value_count(object); rank++) {
		size_t i = bl_object_sorted_index(object, rank);

		if (rank)
			bl_buf_put_char(out, ',');
		put_json_key(out, bl_object_key(object, i));
		bl_buf_put_char(out, ':');
		bl_go_json_put(out, bl_object_value(object, i));
	}
	bl_buf_put_char(out, '}');
}

void bl_go_json_put(struct bl_buf *out, struct bl_value value)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_STRING:
		put_json_string(out, bl_value_text(value));
		break;
	case BL_KIND_ARRAY:
	case BL_KIND_SET:
		bl_buf_put_char(out, '[');
		for (size_t i = 0; i < bl_value_count(value); i++) {
			if (i)
				bl_buf_put_char(out, ',');
			bl_go_json_put(out, bl_value_item(value, i));
		}
		bl_buf_put_char(out, ']');
		break;
	case BL_KIND_OBJECT:
		put_json_object(out, value);
		break;
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_BOOLEAN:
	case BL_KIND_NUMBER:
	case BL_KIND_COUNT:
		put_inner(out, value);
		break;
	}
}

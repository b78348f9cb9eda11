/* SPDX-License-Identifier: Apache-2.0 */
/* Values to text, with keys in their order and numbers as they were read. */
#include "json/json.h"

#include "base/utf8.h"
#include "json/scan.h"

/* The escape of a byte that cannot stand for itself. */
static void put_escape(struct bl_buf *out, unsigned char byte)
{
	static const char names[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *at = byte ? strchr(names, byte) : NULL;

	if (at) {
		char pair[2] = { '\\', letters[at - names] };

		bl_buf_put(out, pair, sizeof(pair));
	} else {
		bl_buf_printf(out, "\\u%04x", byte);
	}
}

void bl_json_write_string(struct bl_buf *out, struct bl_str text)
{
	const char *from = text.ptr ? text.ptr : ""; /* not yet written */
	const char *end = from + text.len;
	const char *p = from;

	bl_buf_put_char(out, '"');
	while (p < end) {
		uint32_t rune;
		size_t len;

		p = scan_plain(p, end);
		len = bl_utf8_decode(text, (size_t)(p - text.ptr), &rune);
		if (len > 1) {
			p += len;
			continue;
		}
		bl_buf_put(out, from, (size_t)(p - from));
		if (len == 1)
			put_escape(out, (unsigned char)*p);
		else if (p < end) /* cannot be, yet never written as it is */
			bl_buf_puts(out, "\xEF\xBF\xBD");
		from = p < end ? ++p : end;
	}
	bl_buf_put(out, from, (size_t)(end - from));
	bl_buf_put_char(out, '"');
}

static void put_value(struct bl_buf *out, struct bl_value value,
		      enum bl_json_style style, size_t depth);

/* The white space before a member, or before the closing bracket. */
static void put_line(struct bl_buf *out, enum bl_json_style style, size_t depth)
{
	if (style != BL_JSON_PRETTY)
		return;
	bl_buf_put_char(out, '\n');
	while (depth--)
		bl_buf_put(out, "  ", 2);
}

/*
 * The text of a key that is not a string, as a string.  Such a text is one that
 * may stand in a web page, as Go writes it: no <, > and &, and none of the line
 * ends that JavaScript has beside JSON's.
 */
static void put_key_text(struct bl_buf *out, struct bl_str text)
{
	struct bl_buf safe;

	bl_buf_init(&safe, out->max);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		struct bl_str rest = bl_str_slice(text, i, text.len);

		if (c == '<' || c == '>' || c == '&') {
			bl_buf_printf(&safe, "\\u%04x", c);
		} else if (bl_str_has_prefix(rest, BL_STR("\xE2\x80\xA8")) ||
			   bl_str_has_prefix(rest, BL_STR("\xE2\x80\xA9"))) {
			bl_buf_printf(&safe, "\\u202%x",
				      (unsigned char)rest.ptr[2] & 0xF);
			i += 2;
		} else {
			bl_buf_put_char(&safe, text.ptr[i]);
		}
	}
	if (bl_buf_status(&safe))
		out->status = bl_buf_status(&safe);
	else
		bl_json_write_string(out, bl_buf_str(&safe));
	bl_buf_clear(&safe);
}

static void put_key(struct bl_buf *out, struct bl_value key,
		    enum bl_json_style style)
{
	if (bl_value_is(key, BL_KIND_STRING)) {
		bl_json_write_string(out, bl_value_text(key));
	} else {
		struct bl_buf text;

		bl_buf_init(&text, out->max);
		put_value(&text, key,
			  style == BL_JSON_PRETTY ? BL_JSON_COMPACT : style, 0);
		if (bl_buf_status(&text))
			out->status = bl_buf_status(&text);
		else
			put_key_text(out, bl_buf_str(&text));
		bl_buf_clear(&text);
	}
	bl_buf_puts(out, style == BL_JSON_PRETTY ? ": " : ":");
}

static void put_items(struct bl_buf *out, struct bl_value value,
		      enum bl_json_style style, size_t depth)
{
	bl_buf_put_char(out, '[');
	for (size_t i = 0; i < bl_value_count(value); i++) {
		if (i)
			bl_buf_put_char(out, ',');
		put_line(out, style, depth + 1);
		put_value(out, bl_value_item(value, i), style, depth + 1);
	}
	if (bl_value_count(value))
		put_line(out, style, depth);
	bl_buf_put_char(out, ']');
}

static void put_object(struct bl_buf *out, struct bl_value value,
		       enum bl_json_style style, size_t depth)
{
	bl_buf_put_char(out, '{');
	for (size_t rank = 0; rank < bl_value_count(value); rank++) {
		size_t i = style == BL_JSON_CANONICAL
				   ? bl_object_sorted_index(value, rank)
				   : rank;

		if (rank)
			bl_buf_put_char(out, ',');
		put_line(out, style, depth + 1);
		put_key(out, bl_object_key(value, i), style);
		put_value(out, bl_object_value(value, i), style, depth + 1);
	}
	if (bl_value_count(value))
		put_line(out, style, depth);
	bl_buf_put_char(out, '}');
}

static void put_value(struct bl_buf *out, struct bl_value value,
		      enum bl_json_style style, size_t depth)
{
	if (bl_buf_status(out))
		return;
	switch (bl_value_kind(value)) {
	case BL_KIND_BOOLEAN:
		bl_buf_puts(out, bl_value_is_true(value) ? "true" : "false");
		break;
	case BL_KIND_NUMBER:
		if (style == BL_JSON_CANONICAL)
			bl_number_put_canonical(out, value);
		else
			bl_number_put(out, value);
		break;
	case BL_KIND_STRING:
		bl_json_write_string(out, bl_value_text(value));
		break;
	case BL_KIND_ARRAY:
	case BL_KIND_SET:
		put_items(out, value, style, depth);
		break;
	case BL_KIND_OBJECT:
		put_object(out, value, style, depth);
		break;
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_COUNT:
		bl_buf_puts(out, "null");
		break;
	}
}

void bl_json_write(struct bl_buf *out, struct bl_value value,
		   enum bl_json_style style)
{
	put_value(out, value, style, 0);
}

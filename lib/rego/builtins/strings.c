/* SPDX-License-Identifier: Apache-2.0 */
/* Searching and cutting strings; positions are in code points. */
#include "rego/builtins/functions.h"
#include "rego/builtins/letter_case.h"
#include "rego/builtins/runes.h"

/* Returns a part of an operand's text, which needs no copy. */
static bool return_part(struct bl_builtin_call *call, struct bl_str part)
{
	call->result = bl_value_string(part);
	return true;
}

static bool is_inside(struct bl_str s, struct bl_str part)
{
	return !part.len || (s.len && memmem(s.ptr, s.len, part.ptr, part.len));
}

bool bl_fn_contains(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call,
		is_inside(bl_builtin_text(call, 0), bl_builtin_text(call, 1)));
}

bool bl_fn_startswith(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_str_has_prefix(bl_builtin_text(call, 0),
					bl_builtin_text(call, 1)));
}

bool bl_fn_endswith(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_str_has_suffix(bl_builtin_text(call, 0),
					bl_builtin_text(call, 1)));
}

/* ---- positions ---------------------------------------------------------- */

bool bl_fn_indexof(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_str part = bl_builtin_text(call, 1);
	size_t at;

	if (!part.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"empty search character");
	at = bl_str_find(s, part, 0);
	if (at == SIZE_MAX)
		return bl_builtin_return_integer(call, -1);
	return bl_builtin_return_integer(
		call, (int64_t)bl_rune_count(bl_str_slice(s, 0, at)));
}

bool bl_fn_indexof_n(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_str part = bl_builtin_text(call, 1);
	struct bl_array_builder out;
	int64_t index = 0;

	if (!part.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"empty search character");
	bl_array_builder_init(&out, call->arena);
	for (size_t i = 0; i < s.len; i += bl_rune_length(s, i), index++) {
		if (bl_str_has_prefix(bl_str_slice(s, i, s.len), part))
			bl_array_builder_add(&out, bl_value_integer(index));
	}
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

/* The byte at which code point number index begins; s.len past the end. */
static size_t byte_of(struct bl_str s, size_t from, int64_t index)
{
	while (index-- > 0 && from < s.len)
		from += bl_rune_length(s, from);
	return from;
}

bool bl_fn_substring(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	int64_t offset, length;
	size_t from, to = s.len;

	if (!bl_builtin_plain_integer(call, 2, &offset) ||
	    !bl_builtin_plain_integer(call, 3, &length))
		return false;
	if (offset < 0)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"negative offset");
	from = byte_of(s, 0, offset);
	if (length >= 0)
		to = byte_of(s, from, length);
	return return_part(call, bl_str_slice(s, from, to));
}

bool bl_fn_strings_count(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_str part = bl_builtin_text(call, 1);
	int64_t count = 0;

	if (!part.len)
		return bl_builtin_return_integer(call,
						 (int64_t)bl_rune_count(s) + 1);
	for (size_t at = bl_str_find(s, part, 0); at != SIZE_MAX;
	     at = bl_str_find(s, part, at + part.len))
		count++;
	return bl_builtin_return_integer(call, count);
}

/* ---- case and order ----------------------------------------------------- */

static bool map_runes(struct bl_builtin_call *call, uint32_t (*map)(uint32_t))
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	bl_buf_reserve(&out, s.len);
	for (size_t i = 0; i < s.len; i += bl_rune_length(s, i)) {
		uint32_t rune = (uint8_t)s.ptr[i];
		char bytes[BL_UTF8_MAX_BYTES];

		if (rune < 0x80) {
			bl_buf_put_char(&out, (char)map(rune));
			continue;
		}
		rune = BL_REPLACEMENT_CHAR;
		bl_utf8_decode(s, i, &rune);
		bl_buf_put(&out, bytes, bl_utf8_encode(map(rune), bytes));
	}
	return bl_builtin_return_buf(call, &out);
}

bool bl_fn_lower(struct bl_builtin_call *call)
{
	return map_runes(call, bl_rune_lower);
}

bool bl_fn_upper(struct bl_builtin_call *call)
{
	return map_runes(call, bl_rune_upper);
}

bool bl_fn_strings_reverse(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	char *text = bl_arena_alloc_aligned(call->arena, s.len + 1, 1);
	size_t to = s.len;

	if (!text)
		return bl_builtin_memory_fault(call);
	for (size_t i = 0; i < s.len;) {
		size_t len = bl_rune_length(s, i);

		to -= len;
		memcpy(text + to, s.ptr + i, len);
		i += len;
	}
	return return_part(call, (struct bl_str){ text, s.len });
}

/* ---- trimming ----------------------------------------------------------- */

/* The length of the character that ends at s.ptr[end]. */
static size_t length_before(struct bl_str s, size_t end)
{
	size_t len = 1;

	while (len < end && len < BL_UTF8_MAX_BYTES &&
	       ((uint8_t)s.ptr[end - len] & 0xC0) == 0x80)
		len++;
	return bl_rune_length(s, end - len) == len ? len : 1;
}

static bool is_white_space(struct bl_str character)
{
	uint32_t rune;

	if (!bl_utf8_decode(character, 0, &rune))
		return false;
	return rune == ' ' || (rune >= '\t' && rune <= '\r') || rune == 0x85 ||
	       rune == 0xA0 || rune == 0x1680 ||
	       (rune >= 0x2000 && rune <= 0x200A) || rune == 0x2028 ||
	       rune == 0x2029 || rune == 0x202F || rune == 0x205F ||
	       rune == 0x3000;
}

enum trim_sides { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

/* The characters to trim: those of cutset, or white space when it is NULL. */
static bool is_trimmed(const struct bl_str *cutset, struct bl_str character)
{
	return cutset ? is_inside(*cutset, character)
		      : is_white_space(character);
}

static bool trim(struct bl_builtin_call *call, const struct bl_str *cutset,
		 unsigned sides)
{
	struct bl_str s = bl_builtin_text(call, 0);
	size_t from = 0, to = s.len;

	while ((sides & TRIM_LEFT) && from < to) {
		size_t len = bl_rune_length(s, from);

		if (!is_trimmed(cutset, bl_str_slice(s, from, from + len)))
			break;
		from += len;
	}
	while ((sides & TRIM_RIGHT) && from < to) {
		size_t len = length_before(s, to);

		if (!is_trimmed(cutset, bl_str_slice(s, to - len, to)))
			break;
		to -= len;
	}
	return return_part(call, bl_str_slice(s, from, to));
}

bool bl_fn_trim(struct bl_builtin_call *call)
{
	struct bl_str cutset = bl_builtin_text(call, 1);

	return trim(call, &cutset, TRIM_LEFT | TRIM_RIGHT);
}

bool bl_fn_trim_left(struct bl_builtin_call *call)
{
	struct bl_str cutset = bl_builtin_text(call, 1);

	return trim(call, &cutset, TRIM_LEFT);
}

bool bl_fn_trim_right(struct bl_builtin_call *call)
{
	struct bl_str cutset = bl_builtin_text(call, 1);

	return trim(call, &cutset, TRIM_RIGHT);
}

bool bl_fn_trim_space(struct bl_builtin_call *call)
{
	return trim(call, NULL, TRIM_LEFT | TRIM_RIGHT);
}

bool bl_fn_trim_prefix(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_str prefix = bl_builtin_text(call, 1);

	if (bl_str_has_prefix(s, prefix))
		s = bl_str_slice(s, prefix.len, s.len);
	return return_part(call, s);
}

bool bl_fn_trim_suffix(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_str suffix = bl_builtin_text(call, 1);

	if (bl_str_has_suffix(s, suffix))
		s = bl_str_slice(s, 0, s.len - suffix.len);
	return return_part(call, s);
}

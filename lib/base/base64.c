/* SPDX-License-Identifier: Apache-2.0 */
/* base/base64.c: base64 text, both alphabets, as strict as RFC 4648 has it. */
#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789";

/* The character of a value below 64. */
static char digit_of(unsigned value, unsigned flags)
{
	if (value < 62)
		return alphabet[value];
	if (flags & BL_BASE64_URL)
		return value == 62 ? '-' : '_';
	return value == 62 ? '+' : '/';
}

/* The value of a character; negative when it is not one. */
static int value_of(char c, unsigned flags)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == digit_of(62, flags))
		return 62;
	return c == digit_of(63, flags) ? 63 : -1;
}

void bl_base64_put(struct bl_buf *out, struct bl_str bytes, unsigned flags)
{
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
		uint32_t group = 0;

		for (size_t j = 0; j < 3; j++)
			group = group << 8 |
				(j < have ? (uint8_t)bytes.ptr[i + j] : 0);
		for (size_t j = 0; j < 4; j++) {
			if (j <= have)
				bl_buf_put_char(
					out,
					digit_of(group >> (18 - 6 * j) & 0x3F,
						 flags));
			else if (!(flags & BL_BASE64_NO_PAD))
				bl_buf_put_char(out, '=');
		}
	}
}

static size_t skip_line_ends(struct bl_str text, size_t at)
{
	while (at < text.len && (text.ptr[at] == '\n' || text.ptr[at] == '\r'))
		at++;
	return at;
}

/*
 * Checks the end of a group of have values, where padding begins at at.  False
 * with the place of the error.
 */
static bool check_padding(struct bl_str text, size_t at, size_t have,
			  size_t *out_offset)
{
	*out_offset = at;
	if (have < 2)
		return false;
	at = skip_line_ends(text, at + 1);
	if (have == 2) {
		*out_offset = at < text.len ? at - 1 : text.len;
		if (at == text.len || text.ptr[at] != '=')
			return false;
		at = skip_line_ends(text, at + 1);
	}
	*out_offset = at;
	return at == text.len;
}

/* The bytes of a group of have values. */
static void put_group(struct bl_buf *out, uint32_t group, size_t have)
{
	group <<= 6 * (4 - have);
	for (size_t i = 0; i + 1 < have; i++)
		bl_buf_put_char(out, (char)(group >> (16 - 8 * i) & 0xFF));
}

bool bl_base64_decode(struct bl_buf *out, struct bl_str text, unsigned flags,
		      size_t *out_offset)
{
	size_t at = 0, have = 0;
	uint32_t group = 0;

	while ((at = skip_line_ends(text, at)) < text.len) {
		int value = value_of(text.ptr[at], flags);
		bool pads = text.ptr[at] == '=' && !(flags & BL_BASE64_NO_PAD);

		*out_offset = at;
		if (value < 0 && !pads)
			return false;
		if (pads) {
			if (!check_padding(text, at, have, out_offset))
				return false;
			put_group(out, group, have);
			return true;
		}
		group = group << 6 | (uint32_t)value;
		at++;
		if (++have == 4) {
			put_group(out, group, have);
			group = 0;
			have = 0;
		}
	}
	*out_offset = text.len - have;
	if (have == 1 || (have && !(flags & BL_BASE64_NO_PAD)))
		return false;
	put_group(out, group, have);
	return true;
}

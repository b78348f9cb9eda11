/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hex.c: hexadecimal digits.  JSON's \u, percent escapes, digests and UUIDs read
 * them here, so that each takes as many digits as it says and no sign or space.
 */
#include "base/hex.h"

static const char hex_digits[16] = "0123456789abcdef";

int32_t bl_hex_read(struct bl_str text, size_t at, size_t count)
{
	int32_t value = 0;

	if (at > text.len || count > text.len - at)
		return -1;
	for (size_t i = at; i < at + count; i++) {
		int digit = bl_hex_value(text.ptr[i]);

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

bool bl_hex_is(struct bl_str digits, size_t len)
{
	if (digits.len != 2 * len)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		char c = digits.ptr[i];

		if ((c >= 'A' && c <= 'F') || bl_hex_value(c) < 0)
			return false;
	}
	return true;
}

bool bl_hex_decode(struct bl_str digits, uint8_t *out, size_t len)
{
	if (!bl_hex_is(digits, len))
		return false;
	for (size_t i = 0; i < len; i++)
		out[i] = (uint8_t)bl_hex_read(digits, 2 * i, 2);
	return true;
}

void bl_hex_encode(const uint8_t *data, size_t len, char *out)
{
	for (size_t i = 0; i < len; i++) {
		*out++ = hex_digits[data[i] >> 4];
		*out++ = hex_digits[data[i] & 15];
	}
	*out = '\0';
}

void bl_hex_put(struct bl_buf *out, struct bl_str bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned byte = (uint8_t)bytes.ptr[i];

		bl_buf_put_char(out, hex_digits[byte >> 4]);
		bl_buf_put_char(out, hex_digits[byte & 15]);
	}
}

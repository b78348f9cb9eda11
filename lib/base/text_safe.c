/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of other people for a terminal: control characters are shown, not sent.
 */
#include "base/text_safe.h"

#include "base/utf8.h"

/* Ranges of characters that are written as \u{N}, in order. */
static const struct {
	uint32_t first, last;
} unsafe_ranges[] = {
	{ 0x0000, 0x0008 }, { 0x000A, 0x001F },   { 0x007F, 0x009F },
	{ 0x00AD, 0x00AD }, { 0x034F, 0x034F },   { 0x061C, 0x061C },
	{ 0x115F, 0x1160 }, { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },
	{ 0x200B, 0x200F }, { 0x2028, 0x202E },   { 0x2060, 0x206F },
	{ 0x3164, 0x3164 }, { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 },
	{ 0xFFF9, 0xFFFB }, { 0xE0000, 0xE0FFF },
};

static bool is_unsafe(uint32_t rune)
{
	for (size_t i = 0; i < BL_COUNT(unsafe_ranges); i++) {
		if (rune < unsafe_ranges[i].first)
			return false;
		if (rune <= unsafe_ranges[i].last)
			return true;
	}
	return false;
}

void bl_text_put_safe(struct bl_buf *out, struct bl_str text)
{
	size_t at = 0;

	while (at < text.len) {
		uint32_t rune;
		size_t len = bl_utf8_decode(text, at, &rune);

		if (!len)
			bl_buf_printf(out, "\\x%02X",
				      (unsigned char)text.ptr[at]);
		else if (is_unsafe(rune))
			bl_buf_printf(out, "\\u{%X}", rune);
		else
			bl_buf_put(out, text.ptr + at, len);
		at += len ? len : 1;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8: checking, decoding, encoding. All text passes here once, at the edge;
 * what is behind it need not look again.
 */
#include "base/utf8.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

/* Length and smallest value of the sequence that a lead byte starts. */
static size_t sequence_of(unsigned char lead, uint32_t *out_least)
{
	if (lead >= 0xC2 && lead <= 0xDF) {
		*out_least = 0x80;
		return 2;
	}
	if ((lead & 0xF0) == 0xE0) {
		*out_least = 0x800;
		return 3;
	}
	if (lead >= 0xF0 && lead <= 0xF4) {
		*out_least = 0x10000;
		return 4;
	}
	return 0;
}

size_t bl_utf8_decode(struct bl_str s, size_t at, uint32_t *out_rune)
{
	const unsigned char *p = (const unsigned char *)s.ptr + at;
	uint32_t rune, least = 0;
	size_t len;

	if (at >= s.len)
		return 0;
	if (p[0] < 0x80) {
		*out_rune = p[0];
		return 1;
	}
	len = sequence_of(p[0], &least);
	if (!len || len > s.len - at)
		return 0;
	rune = p[0] & (0x7Fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (!is_continuation(p[i]))
			return 0;
		rune = rune << 6 | (p[i] & 0x3Fu);
	}
	if (rune < least || rune > 0x10FFFF ||
	    (rune >= 0xD800 && rune <= 0xDFFF))
		return 0;
	*out_rune = rune;
	return len;
}

size_t bl_utf8_encode(uint32_t rune, char *out)
{
	if (rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF))
		rune = BL_REPLACEMENT_CHAR;
	if (rune < 0x80) {
		out[0] = (char)rune;
		return 1;
	}
	if (rune < 0x800) {
		out[0] = (char)(0xC0 | rune >> 6);
		out[1] = (char)(0x80 | (rune & 0x3F));
		return 2;
	}
	if (rune < 0x10000) {
		out[0] = (char)(0xE0 | rune >> 12);
		out[1] = (char)(0x80 | (rune >> 6 & 0x3F));
		out[2] = (char)(0x80 | (rune & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | rune >> 18);
	out[1] = (char)(0x80 | (rune >> 12 & 0x3F));
	out[2] = (char)(0x80 | (rune >> 6 & 0x3F));
	out[3] = (char)(0x80 | (rune & 0x3F));
	return 4;
}

/* Is a text of fewer than eight bytes ASCII?  Most names are. */
static inline bool is_short_ascii(struct bl_str s)
{
	uint32_t first, last;

	if (s.len >= sizeof(first)) {
		memcpy(&first, s.ptr, sizeof(first));
		memcpy(&last, s.ptr + s.len - sizeof(last), sizeof(last));
		return !((first | last) & 0x80808080u);
	}
	return !s.len ||
	       !((s.ptr[0] | s.ptr[s.len / 2] | s.ptr[s.len - 1]) & 0x80);
}

size_t bl_utf8_valid_prefix(struct bl_str s)
{
	size_t at = 0;

	if (s.len < sizeof(uint64_t) && is_short_ascii(s))
		return s.len;
	while (at < s.len) {
		uint64_t word;
		uint32_t rune;
		size_t len;

		if (s.len >= sizeof(word)) {
			/* at the end, together with some of before */
			size_t from = s.len - at >= sizeof(word)
					      ? at
					      : s.len - sizeof(word);

			memcpy(&word, s.ptr + from, sizeof(word));
			if (!(word & 0x8080808080808080u)) {
				at = from + sizeof(word);
				continue;
			}
		}
		if (!((unsigned char)s.ptr[at] & 0x80)) {
			at++;
			continue;
		}
		len = bl_utf8_decode(s, at, &rune);
		if (!len)
			break;
		at += len;
	}
	return at;
}

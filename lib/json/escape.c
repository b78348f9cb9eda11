/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The escapes of a string: what is between the quotes becomes UTF-8.  Apart
 * from the reader, which is on the hot path only for strings without any.
 */
#include "json/private.h"

#include "base/hex.h"
#include "base/utf8.h"

/* The number of four hexadecimal digits; -1 when they are not there. */
static int32_t hex4(const char *p, const char *end)
{
	return bl_hex_read((struct bl_str){ p, (size_t)(end - p) }, 0, 4);
}

/* The character that a simple escape stands for; 0 when absent. */
static char simple_escape(char c)
{
	static const char names[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *at = c ? strchr(names, c) : NULL;

	return at ? meanings[at - names] : '\0';
}

size_t bl_json_escape_length(const char *at, const char *end)
{
	if (end - at < 2)
		return 0;
	if (at[1] == 'u')
		return hex4(at + 2, end) < 0 ? 0 : 6;
	return simple_escape(at[1]) ? 2 : 0;
}

/*
 * Decodes the \u escape at *from, or the pair of them, to *to (both step on).
 * False when it is half of a pair.
 */
static bool decode_unicode(const char **from, const char *end, char **to)
{
	uint32_t rune = (uint32_t)hex4(*from + 2, end);

	*from += 6;
	if (rune >= 0xD800 && rune < 0xDC00 && end - *from >= 6 &&
	    (*from)[0] == '\\' && (*from)[1] == 'u') {
		uint32_t low = (uint32_t)hex4(*from + 2, end);

		if (low >= 0xDC00 && low < 0xE000) {
			*from += 6;
			rune = 0x10000 + ((rune - 0xD800) << 10) +
			       (low - 0xDC00);
		}
	}
	*to += bl_utf8_encode(rune, *to);
	return rune < 0xD800 || rune >= 0xE000;
}

size_t bl_json_unescape(struct bl_str raw, char *to, bool *out_lone_surrogate)
{
	const char *from = raw.ptr;
	const char *end = raw.ptr + raw.len;
	char *start = to;

	while (from < end) {
		const char *escape = memchr(from, '\\', (size_t)(end - from));
		size_t plain = (size_t)((escape ? escape : end) - from);

		memcpy(to, from, plain);
		to += plain;
		from += plain;
		if (!escape)
			break;
		if (from[1] != 'u') {
			*to++ = simple_escape(from[1]);
			from += 2;
		} else if (!decode_unicode(&from, end, &to)) {
			*out_lone_surrogate = true;
		}
	}
	return (size_t)(to - start);
}

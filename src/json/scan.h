/* SPDX-License-Identifier: Apache-2.0 */
/* json/scan.h: finding the next byte of a string that needs a look. */
#ifndef BELAY_JSON_SCAN_H
#define BELAY_JSON_SCAN_H

#include "base/base.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A quote, a backslash, a control character, or not ASCII. */
static inline bool is_special(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x80;
}

#ifdef __SSE2__

/* The first special byte at or after p, or end. */
static inline const char *scan_plain(const char *p, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(' ');

	while (end - p >= 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)p);
		/* Signed: what is not ASCII is less than a space, too. */
		__m128i hits = _mm_or_si128(
			_mm_cmplt_epi8(bytes, space),
			_mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
				     _mm_cmpeq_epi8(bytes, backslash)));
		int mask = _mm_movemask_epi8(hits);

		if (mask)
			return p + __builtin_ctz((unsigned int)mask);
		p += 16;
	}
	while (p < end && !is_special(*p))
		p++;
	return p;
}

#else

/* Non-zero when a byte of word is special; the top bit of each tells. */
static inline uint64_t special_bytes(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t tops = 0x8080808080808080u;
	uint64_t quotes = word ^ ones * '"';
	uint64_t backslashes = word ^ ones * '\\';

	return ((word - ones * ' ') | (quotes - ones) | (backslashes - ones) |
		word) &
	       tops;
}

static inline const char *scan_plain(const char *p, const char *end)
{
	while (end - p >= (ptrdiff_t)sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		if (special_bytes(word))
			break;
		p += sizeof(word);
	}
	while (p < end && !is_special(*p))
		p++;
	return p;
}

#endif
#endif

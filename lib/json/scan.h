/* SPDX-License-Identifier: Apache-2.0 */
/* json/scan.h: finding the next byte of a string that needs a look. */
#ifndef BELAY_JSON_SCAN_H
#define BELAY_JSON_SCAN_H

#include "base/base.h"

#ifdef __SSE2__
#	include <emmintrin.h>
#endif

/* A quote, a backslash, a control character, or not ASCII. */
static inline bool is_special(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x80;
}

/*
 * Non-zero when a byte of word is special.  A subtraction that borrows from
 * the next byte only does so below a byte that is special itself.
 */
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

/* The first special byte at or after p, or end: 8 bytes at a time. */
static inline const char *scan_words(const char *p, const char *end)
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

/* As above, 16 bytes at a time where the processor can. */
static inline const char *scan_plain(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(' ');

	while (end - p >= (ptrdiff_t)sizeof(__m128i)) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)p);
		/* Signed: what is not ASCII is less than a space, too. */
		__m128i hits = _mm_or_si128(
			_mm_cmplt_epi8(bytes, space),
			_mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
				     _mm_cmpeq_epi8(bytes, backslash)));
		int mask = _mm_movemask_epi8(hits);

		if (mask)
			return p + __builtin_ctz((unsigned int)mask);
		p += sizeof(__m128i);
	}
#endif
	return scan_words(p, end);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* base/utf8.h: strict UTF-8 (no overlong forms, surrogates or values above
 * U+10FFFF). */
#ifndef BELAY_BASE_UTF8_H
#define BELAY_BASE_UTF8_H

#include "base/str.h"

enum { BL_UTF8_MAX_BYTES = 4, BL_REPLACEMENT_CHAR = 0xFFFD };

/*
 * Decodes the character at s.ptr[at].  Returns its length in bytes and sets
 * *out_rune; returns 0 (and leaves *out_rune alone) when there is no valid
 * character there or the text is at its end.
 */
size_t bl_utf8_decode(struct bl_str s, size_t at, uint32_t *out_rune);

/*
 * Writes rune to out (at least 4 bytes) and returns its length; surrogates
 * and values above U+10FFFF are written as U+FFFD.
 */
size_t bl_utf8_encode(uint32_t rune, char *out);

/* The position of the first byte that is not valid UTF-8, or s.len. */
size_t bl_utf8_valid_prefix(struct bl_str s);

static inline bool bl_utf8_is_valid(struct bl_str s)
{
	return bl_utf8_valid_prefix(s) == s.len;
}

#endif

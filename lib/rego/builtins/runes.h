/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/runes.h: strings by code points. */
#ifndef BELAY_REGO_BUILTINS_RUNES_H
#define BELAY_REGO_BUILTINS_RUNES_H

#include "base/utf8.h"

/* Bytes of the character at s.ptr[at], which is in range; 1 where invalid. */
static inline size_t bl_rune_length(struct bl_str s, size_t at)
{
	uint32_t rune;
	size_t len;

	if ((uint8_t)s.ptr[at] < 0x80)
		return 1;
	len = bl_utf8_decode(s, at, &rune);
	return len ? len : 1;
}

static inline size_t bl_rune_count(struct bl_str s)
{
	size_t count = 0;

	for (size_t i = 0; i < s.len; i += bl_rune_length(s, i))
		count++;
	return count;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/ascii.h: letters and digits of ASCII, whatever the locale.  Other bytes, those
 * of UTF-8 included, are neither, and stay as they are.
 */
#ifndef BELAY_BASE_ASCII_H
#define BELAY_BASE_ASCII_H

#include "base/str.h"

static inline bool bl_ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool bl_ascii_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool bl_ascii_is_alnum(char c)
{
	return bl_ascii_is_letter(c) || bl_ascii_is_digit(c);
}

static inline char bl_ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Equal but for the case of letters? */
static inline bool bl_ascii_equal(struct bl_str a, struct bl_str b)
{
	for (size_t i = 0; a.len == b.len && i < a.len; i++)
		if (bl_ascii_lower(a.ptr[i]) != bl_ascii_lower(b.ptr[i]))
			return false;
	return a.len == b.len;
}

#endif

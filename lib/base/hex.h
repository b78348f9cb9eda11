/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/hex.h: hexadecimal digits to and from numbers and bytes.  Written in lower
 * case; upper case is read where a format has it.
 */
#ifndef BELAY_BASE_HEX_H
#define BELAY_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* The value of a digit, upper or lower case; -1 when it is not one. */
static inline int bl_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * The number of exactly `count` digits at text.ptr[at], 7 at the most, upper or
 * lower case; -1 when they are not there.
 */
int32_t bl_hex_read(struct bl_str text, size_t at, size_t count);

/* Is it exactly 2 * len digits in lower case? */
bool bl_hex_is(struct bl_str digits, size_t len);

/* Those digits as bytes; false, and out untouched, when digits is not that. */
bool bl_hex_decode(struct bl_str digits, uint8_t *out, size_t len);

/* 2 * len digits and a NUL. */
void bl_hex_encode(const uint8_t *data, size_t len, char *out);

/* As above, appended to a buffer whose status says when memory is out. */
void bl_hex_put(struct bl_buf *out, struct bl_str bytes);

#endif

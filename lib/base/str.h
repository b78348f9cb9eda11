/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/str.h: borrowed text.
 *
 * A struct bl_str is a pointer and a length; it owns nothing and need not be
 * NUL-terminated.  An empty string may have any ptr, NULL included.  Paths
 * are bytes, everything else is UTF-8 that was checked where it came in.
 */
#ifndef BELAY_BASE_STR_H
#define BELAY_BASE_STR_H

#include "base/base.h"

struct bl_str {
	const char *ptr;
	size_t len;
};

/* A constant: BL_STR("text"). */
#define BL_STR(literal) ((struct bl_str){ "" literal, sizeof(literal) - 1 })

/*
 * For printf's "%.*s".  It names s three times: a call would run as often, and
 * a recursive one 3^depth times.  So s must have an address: a variable or a
 * BL_STR(), never the result of a call or a ?:, which does not compile.
 */
#define BL_STR_ARG(s)                                                          \
	(int)((&(s))->len > INT32_MAX ? INT32_MAX : (&(s))->len), (&(s))->ptr

/* Borrows a C string; NULL gives the empty string. */
static inline struct bl_str bl_str(const char *text)
{
	return (struct bl_str){ text, text ? strlen(text) : 0 };
}

static inline bool bl_str_equal(struct bl_str a, struct bl_str b)
{
	return a.len == b.len && (a.len == 0 || !memcmp(a.ptr, b.ptr, a.len));
}

static inline bool bl_str_is(struct bl_str a, const char *text)
{
	return bl_str_equal(a, bl_str(text));
}

static inline bool bl_str_has_prefix(struct bl_str s, struct bl_str prefix)
{
	return s.len >= prefix.len &&
	       (prefix.len == 0 || !memcmp(s.ptr, prefix.ptr, prefix.len));
}

static inline bool bl_str_has_suffix(struct bl_str s, struct bl_str suffix)
{
	return s.len >= suffix.len &&
	       (suffix.len == 0 ||
		!memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len));
}

/* Bytes from..to (to > len means the end); empty when out of range. */
struct bl_str bl_str_slice(struct bl_str s, size_t from, size_t to);

/* Without white space (space, tab, CR, LF, FF, VT) at both ends. */
struct bl_str bl_str_trim(struct bl_str s);

/* The position of the first needle at or after from, or SIZE_MAX. */
size_t bl_str_find(struct bl_str s, struct bl_str needle, size_t from);

/* Order by bytes, which for UTF-8 is the order by code points: <0, 0, >0. */
int bl_str_compare(struct bl_str a, struct bl_str b);

/*
 * The number of single-character edits (insert, delete, replace, swap of
 * neighbours) between two short texts, for "did you mean".  Case counts as
 * half.  SIZE_MAX when one is over 64 bytes.
 */
size_t bl_str_distance(struct bl_str a, struct bl_str b);

#endif

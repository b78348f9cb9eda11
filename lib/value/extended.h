/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value/extended.h: binary floating point with a 64-bit significand, the
 * arithmetic that OPA uses for numbers that are not whole
 * (docs/contracts/rego.md "Numbers").  In software, so that it is the same on
 * every processor.
 */
#ifndef BELAY_VALUE_EXTENDED_H
#define BELAY_VALUE_EXTENDED_H

#include "value/bignum.h"

/* significand * 2^exponent; its top bit is set, or it is 0 (zero). */
struct extended {
	bool negative;
	uint64_t significand;
	int64_t exponent;
};

/* The nearest one, ties to even.  False as bignum's functions. */
bool bl_extended_from_number(struct bl_arena *arena, struct bl_value number,
			     struct extended *out);

struct extended bl_extended_add(struct extended a, struct extended b);
struct extended bl_extended_multiply(struct extended a, struct extended b);

/* b is not zero. */
struct extended bl_extended_divide(struct extended a, struct extended b);

bool bl_extended_is_whole(struct extended x);

/* Toward zero. */
bool bl_extended_truncate(struct bl_arena *arena, struct extended x,
			  struct bignum *out);

/*
 * The shortest decimal text that reads back as x: without exponent when x is
 * whole, else as Go's 'g'.  In target; ptr NULL on failure.
 */
struct bl_str bl_extended_text(struct bl_arena *scratch, struct extended x,
			       struct bl_arena *target);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value/bignum.h: integers of any size, for value's own arithmetic.
 *
 * A bignum's limbs live in the arena it was made in and are not changed
 * afterwards, so results may take the place of operands.  Functions that make
 * one return false when memory is out or the result has more than
 * BIGNUM_MAX_LIMBS limbs (bl_bignum_status tells which).
 */
#ifndef BELAY_VALUE_BIGNUM_H
#define BELAY_VALUE_BIGNUM_H

#include "value/value.h"

enum {
	BIGNUM_LIMB_BITS = 32,
	BIGNUM_MAX_LIMBS = 8192, /* 262144 bits: about 78900 digits */
};

struct bignum {
	bool negative;   /* never with count 0 */
	size_t count;    /* limbs[count - 1] is not 0 */
	uint32_t *limbs; /* least significant first */
};

/* Why a function gave false. */
enum bl_status bl_bignum_status(const struct bl_arena *arena);

bool bl_bignum_from_u64(struct bl_arena *arena, uint64_t number,
			struct bignum *out);

/* number = digits * 10^*out_exponent, whatever its spelling. */
bool bl_bignum_from_number(struct bl_arena *arena, struct bl_value number,
			   struct bignum *out_digits, int64_t *out_exponent);

/* The value of an integral number. */
bool bl_bignum_from_integral(struct bl_arena *arena, struct bl_value number,
			     struct bignum *out);

/* Text in this radix (2 to 16), lower case, in target; ptr NULL on failure. */
struct bl_str bl_bignum_text(struct bl_arena *scratch, const struct bignum *x,
			     uint32_t radix, struct bl_arena *target);

/* Order of |a| and |b|. */
int bl_bignum_compare_magnitudes(const struct bignum *a,
				 const struct bignum *b);

/* Bits of |x|: 0 for 0, 1 for 1, 2 for 2 and 3. */
size_t bl_bignum_bits(const struct bignum *x);

/* Bits from..from+63 of |x|. */
uint64_t bl_bignum_extract(const struct bignum *x, size_t from);

/* Is one of the lowest count bits of |x| set? */
bool bl_bignum_any_below(const struct bignum *x, size_t count);

bool bl_bignum_add(struct bl_arena *arena, const struct bignum *a,
		   const struct bignum *b, struct bignum *out);
bool bl_bignum_subtract(struct bl_arena *arena, const struct bignum *a,
			const struct bignum *b, struct bignum *out);
bool bl_bignum_multiply(struct bl_arena *arena, const struct bignum *a,
			const struct bignum *b, struct bignum *out);

/* Quotient toward zero and remainder with a's sign; b is not 0. */
bool bl_bignum_divide(struct bl_arena *arena, const struct bignum *a,
		      const struct bignum *b, struct bignum *out_quotient,
		      struct bignum *out_remainder);

bool bl_bignum_shift_left(struct bl_arena *arena, const struct bignum *x,
			  uint64_t bits, struct bignum *out);

/* Toward minus infinity, as two's complement shifts. */
bool bl_bignum_shift_right(struct bl_arena *arena, const struct bignum *x,
			   uint64_t bits, struct bignum *out);

/* Two's complement of unlimited width. */
bool bl_bignum_logic(struct bl_arena *arena, enum bl_number_operator op,
		     const struct bignum *a, const struct bignum *b,
		     struct bignum *out);

bool bl_bignum_power_of_10(struct bl_arena *arena, uint64_t exponent,
			   struct bignum *out);

#endif

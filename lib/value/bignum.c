/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers of any size: the four operations and conversion, on limbs in an
 * arena.  number_math.c decides when they are needed.
 */
#include "value/bignum.h"

enum { LIMB_BITS = BIGNUM_LIMB_BITS };

enum bl_status bl_bignum_status(const struct bl_arena *arena)
{
	enum bl_status status = bl_arena_status(arena);

	return status ? status : BL_LIMIT;
}

/* count zeroed limbs; count is at least what the result needs. */
static bool make(struct bl_arena *arena, size_t count, struct bignum *out)
{
	*out = (struct bignum){ .count = count };
	if (count > BIGNUM_MAX_LIMBS)
		return false;
	out->limbs = bl_arena_new_array(arena, uint32_t, count + 1);
	return out->limbs != NULL;
}

/* Drops leading zeros; zero has no sign. */
static bool trim(struct bignum *x)
{
	while (x->count && !x->limbs[x->count - 1])
		x->count--;
	if (!x->count)
		x->negative = false;
	return true;
}

bool bl_bignum_from_u64(struct bl_arena *arena, uint64_t number,
			struct bignum *out)
{
	if (!make(arena, 2, out))
		return false;
	out->limbs[0] = (uint32_t)number;
	out->limbs[1] = (uint32_t)(number >> LIMB_BITS);
	return trim(out);
}

/* x = x * factor + term; x's limbs have room for one more. */
static void multiply_small(struct bignum *x, uint32_t factor, uint32_t term)
{
	uint64_t carry = term;

	for (size_t i = 0; i < x->count; i++) {
		carry += (uint64_t)x->limbs[i] * factor;
		x->limbs[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	if (carry)
		x->limbs[x->count++] = (uint32_t)carry;
}

/* x = x / divisor; gives the remainder. */
static uint32_t divide_small(struct bignum *x, uint32_t divisor)
{
	uint64_t rest = 0;

	for (size_t i = x->count; i-- > 0;) {
		rest = rest << LIMB_BITS | x->limbs[i];
		x->limbs[i] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
	trim(x);
	return (uint32_t)rest;
}

/* ---- text -----------------------------------------------------------------
 */

/* The exponent after "e" of a spelling that was checked before. */
static int64_t read_exponent(const char *p, const char *end)
{
	bool negative = *p == '-';
	int64_t value = 0;

	for (p += *p == '-' || *p == '+'; p < end; p++)
		value = value * 10 + (*p - '0');
	return negative ? -value : value;
}

static bool from_text(struct bl_arena *arena, struct bl_str text,
		      struct bignum *out, int64_t *out_exponent)
{
	enum { DIGITS_A_LIMB = 9, NINE_TENS = 1000000000 };
	const char *end = text.ptr + text.len;
	bool after_point = false;
	int64_t exponent = 0;
	const char *p = text.ptr;
	uint32_t chunk = 0, factor = 1;

	if (!make(arena, text.len / DIGITS_A_LIMB + 1, out))
		return false;
	out->count = 0;
	for (p += *p == '-'; p < end && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.') {
			after_point = true;
			continue;
		}
		exponent -= after_point;
		chunk = chunk * 10 + (uint32_t)(*p - '0');
		factor *= 10;
		if (factor == NINE_TENS) {
			multiply_small(out, factor, chunk);
			chunk = 0;
			factor = 1;
		}
	}
	multiply_small(out, factor, chunk);
	if (p < end)
		exponent += read_exponent(p + 1, end);
	out->negative = text.ptr[0] == '-';
	*out_exponent = exponent;
	return trim(out);
}

bool bl_bignum_from_number(struct bl_arena *arena, struct bl_value number,
			   struct bignum *out_digits, int64_t *out_exponent)
{
	struct bl_buf text;
	bool ok;

	bl_buf_init(&text, 0);
	bl_number_put(&text, number);
	ok = !bl_buf_status(&text) &&
	     from_text(arena, bl_buf_str(&text), out_digits, out_exponent);
	bl_buf_clear(&text);
	return ok;
}

bool bl_bignum_power_of_10(struct bl_arena *arena, uint64_t exponent,
			   struct bignum *out)
{
	enum { TENS_A_LIMB = 9, NINE_TENS = 1000000000 };

	if (exponent > (uint64_t)BIGNUM_MAX_LIMBS * TENS_A_LIMB ||
	    !make(arena, (size_t)exponent / TENS_A_LIMB + 1, out))
		return false;
	out->count = 1;
	out->limbs[0] = 1;
	for (; exponent >= TENS_A_LIMB; exponent -= TENS_A_LIMB)
		multiply_small(out, NINE_TENS, 0);
	for (; exponent; exponent--)
		multiply_small(out, 10, 0);
	return true;
}

bool bl_bignum_from_integral(struct bl_arena *arena, struct bl_value number,
			     struct bignum *out)
{
	struct bignum digits, scale, rest;
	int64_t exponent;

	if (!bl_bignum_from_number(arena, number, &digits, &exponent))
		return false;
	if (!digits.count || !exponent) {
		*out = digits;
		return true;
	}
	if (!bl_bignum_power_of_10(
		    arena, (uint64_t)(exponent < 0 ? -exponent : exponent),
		    &scale))
		return false;
	if (exponent > 0)
		return bl_bignum_multiply(arena, &digits, &scale, out);
	return bl_bignum_divide(arena, &digits, &scale, out, &rest);
}

/* The largest power of radix in a limb, and its exponent. */
static uint32_t chunk_of(uint32_t radix, size_t *out_digits)
{
	uint64_t chunk = radix;

	for (*out_digits = 1; chunk * radix <= UINT32_MAX; ++*out_digits)
		chunk *= radix;
	return (uint32_t)chunk;
}

struct bl_str bl_bignum_text(struct bl_arena *scratch, const struct bignum *x,
			     uint32_t radix, struct bl_arena *target)
{
	struct bl_str none = { NULL, 0 };
	struct bignum rest;
	size_t digits, room;
	uint32_t chunk = chunk_of(radix, &digits);
	char *text, *p;

	if (!make(scratch, x->count, &rest))
		return none;
	if (x->count)
		memcpy(rest.limbs, x->limbs, x->count * sizeof(*x->limbs));
	room = x->count * LIMB_BITS + 2;
	text = bl_arena_alloc_aligned(scratch, room, 1);
	if (!text)
		return none;
	p = text + room;
	do {
		uint32_t part = divide_small(&rest, chunk);

		for (size_t i = 0; i < digits; i++, part /= radix) {
			if (!part && !rest.count && i)
				break;
			*--p = "0123456789abcdef"[part % radix];
		}
	} while (rest.count);
	if (x->negative)
		*--p = '-';
	return bl_arena_copy_str(
		target, (struct bl_str){ p, (size_t)(text + room - p) });
}

/* ---- bits --------------------------------------------------------------- */

size_t bl_bignum_bits(const struct bignum *x)
{
	if (!x->count)
		return 0;
	return x->count * LIMB_BITS -
	       (size_t)__builtin_clz(x->limbs[x->count - 1]);
}

static uint32_t limb_at(const struct bignum *x, size_t i)
{
	return i < x->count ? x->limbs[i] : 0;
}

uint64_t bl_bignum_extract(const struct bignum *x, size_t from)
{
	size_t i = from / LIMB_BITS, shift = from % LIMB_BITS;
	uint64_t low = limb_at(x, i) | (uint64_t)limb_at(x, i + 1) << LIMB_BITS;

	if (!shift)
		return low;
	return low >> shift | (uint64_t)limb_at(x, i + 2) << (64 - shift);
}

bool bl_bignum_any_below(const struct bignum *x, size_t count)
{
	size_t whole = count / LIMB_BITS;

	for (size_t i = 0; i < whole && i < x->count; i++) {
		if (x->limbs[i])
			return true;
	}
	return limb_at(x, whole) & ((1u << count % LIMB_BITS) - 1);
}

bool bl_bignum_shift_left(struct bl_arena *arena, const struct bignum *x,
			  uint64_t bits, struct bignum *out)
{
	size_t whole, shift = bits % LIMB_BITS;
	struct bignum result;

	if (!x->count || !bits) {
		*out = *x;
		return true;
	}
	if (bits > (uint64_t)BIGNUM_MAX_LIMBS * LIMB_BITS)
		return false;
	whole = (size_t)bits / LIMB_BITS;
	if (!make(arena, x->count + whole + 1, &result))
		return false;
	for (size_t i = 0; i < x->count; i++) {
		uint64_t limb = (uint64_t)x->limbs[i] << shift;

		result.limbs[i + whole] |= (uint32_t)limb;
		result.limbs[i + whole + 1] = (uint32_t)(limb >> LIMB_BITS);
	}
	result.negative = x->negative;
	trim(&result);
	*out = result;
	return true;
}

bool bl_bignum_shift_right(struct bl_arena *arena, const struct bignum *x,
			   uint64_t bits, struct bignum *out)
{
	struct bignum cut, one;
	size_t length = bl_bignum_bits(x);
	size_t drop = bits < length ? (size_t)bits : length;
	size_t whole = drop / LIMB_BITS, shift = drop % LIMB_BITS;

	if (!make(arena, x->count - whole, &cut))
		return false;
	for (size_t i = 0; i < cut.count; i++) {
		uint64_t limb = limb_at(x, i + whole) |
				(uint64_t)limb_at(x, i + whole + 1)
					<< LIMB_BITS;

		cut.limbs[i] = (uint32_t)(limb >> shift);
	}
	cut.negative = x->negative;
	trim(&cut);
	if (!x->negative || !bl_bignum_any_below(x, drop)) {
		*out = cut;
		return true;
	}
	return bl_bignum_from_u64(arena, 1, &one) &&
	       bl_bignum_subtract(arena, &cut, &one, out);
}

/*
 * Limb i of x in two's complement, from the least on.  The upper half of
 * *carry is what came over from the limb below, and is x->negative at first.
 */
static uint32_t complement_limb(const struct bignum *x, size_t i,
				uint64_t *carry)
{
	if (!x->negative)
		return limb_at(x, i);
	*carry = (*carry >> LIMB_BITS) + (uint32_t)~limb_at(x, i);
	return (uint32_t)*carry;
}

static uint32_t apply(enum bl_number_operator op, uint32_t a, uint32_t b)
{
	if (op == BL_NUMBER_AND)
		return a & b;
	return op == BL_NUMBER_OR ? a | b : a ^ b;
}

bool bl_bignum_logic(struct bl_arena *arena, enum bl_number_operator op,
		     const struct bignum *a, const struct bignum *b,
		     struct bignum *out)
{
	uint64_t a_carry = (uint64_t)a->negative << LIMB_BITS;
	uint64_t b_carry = (uint64_t)b->negative << LIMB_BITS;
	uint64_t carry = 1;
	size_t count = (a->count > b->count ? a->count : b->count) + 1;
	struct bignum result;

	if (!make(arena, count, &result))
		return false;
	for (size_t i = 0; i < count; i++)
		result.limbs[i] = apply(op, complement_limb(a, i, &a_carry),
					complement_limb(b, i, &b_carry));
	result.negative = result.limbs[count - 1] >> (LIMB_BITS - 1);
	for (size_t i = 0; result.negative && i < count; i++) {
		carry += (uint32_t)~result.limbs[i];
		result.limbs[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	trim(&result);
	*out = result;
	return true;
}

/* ---- addition ----------------------------------------------------------- */

int bl_bignum_compare_magnitudes(const struct bignum *a, const struct bignum *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (size_t i = a->count; i-- > 0;) {
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
	}
	return 0;
}

static bool add_magnitudes(struct bl_arena *arena, const struct bignum *a,
			   const struct bignum *b, struct bignum *out)
{
	size_t count = (a->count > b->count ? a->count : b->count) + 1;
	uint64_t carry = 0;

	if (!make(arena, count, out))
		return false;
	for (size_t i = 0; i < count; i++) {
		carry += (uint64_t)limb_at(a, i) + limb_at(b, i);
		out->limbs[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	return true;
}

/* |a| - |b|, which is not negative. */
static bool subtract_magnitudes(struct bl_arena *arena, const struct bignum *a,
				const struct bignum *b, struct bignum *out)
{
	uint64_t borrow = 0;

	if (!make(arena, a->count, out))
		return false;
	for (size_t i = 0; i < a->count; i++) {
		uint64_t limb = (uint64_t)a->limbs[i] - limb_at(b, i) - borrow;

		out->limbs[i] = (uint32_t)limb;
		borrow = limb >> 63;
	}
	return true;
}

bool bl_bignum_add(struct bl_arena *arena, const struct bignum *a,
		   const struct bignum *b, struct bignum *out)
{
	bool negative = a->negative;
	struct bignum result;
	bool ok;

	if (a->negative == b->negative) {
		ok = add_magnitudes(arena, a, b, &result);
	} else if (bl_bignum_compare_magnitudes(a, b) >= 0) {
		ok = subtract_magnitudes(arena, a, b, &result);
	} else {
		negative = b->negative;
		ok = subtract_magnitudes(arena, b, a, &result);
	}
	if (!ok)
		return false;
	result.negative = negative;
	trim(&result);
	*out = result;
	return true;
}

bool bl_bignum_subtract(struct bl_arena *arena, const struct bignum *a,
			const struct bignum *b, struct bignum *out)
{
	struct bignum opposite = *b;

	opposite.negative = b->count && !b->negative;
	return bl_bignum_add(arena, a, &opposite, out);
}

/* ---- multiplication and division ---------------------------------------- */

bool bl_bignum_multiply(struct bl_arena *arena, const struct bignum *a,
			const struct bignum *b, struct bignum *out)
{
	struct bignum result;

	if (!make(arena, a->count + b->count, &result))
		return false;
	for (size_t i = 0; i < a->count; i++) {
		uint64_t carry = 0;

		for (size_t j = 0; j < b->count; j++) {
			carry += (uint64_t)a->limbs[i] * b->limbs[j] +
				 result.limbs[i + j];
			result.limbs[i + j] = (uint32_t)carry;
			carry >>= LIMB_BITS;
		}
		result.limbs[i + b->count] = (uint32_t)carry;
	}
	result.negative = a->negative != b->negative;
	trim(&result);
	*out = result;
	return true;
}

/*
 * One digit of long division (Knuth's algorithm D): the limbs of rest at and
 * above at, divided by divisor, whose top bit is set; takes the product off.
 */
static uint32_t divide_step(uint32_t *rest, const struct bignum *divisor)
{
	size_t n = divisor->count;
	uint64_t top = (uint64_t)rest[n] << LIMB_BITS | rest[n - 1];
	uint64_t guess = top / divisor->limbs[n - 1];
	uint64_t left = top % divisor->limbs[n - 1];
	uint64_t carry = 0, borrow = 0;

	while (guess > UINT32_MAX ||
	       guess * divisor->limbs[n - 2] >
		       (left << LIMB_BITS | rest[n - 2])) {
		guess--;
		left += divisor->limbs[n - 1];
		if (left > UINT32_MAX)
			break;
	}
	for (size_t i = 0; i <= n; i++) {
		uint64_t limb;

		carry += guess * limb_at(divisor, i);
		limb = (uint64_t)rest[i] - (uint32_t)carry - borrow;
		rest[i] = (uint32_t)limb;
		borrow = limb >> 63;
		carry >>= LIMB_BITS;
	}
	if (!borrow)
		return (uint32_t)guess;
	for (size_t i = 0; i <= n; i++) {
		carry += (uint64_t)rest[i] + limb_at(divisor, i);
		rest[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	return (uint32_t)(guess - 1);
}

static bool divide_by_limb(struct bl_arena *arena, const struct bignum *a,
			   uint32_t divisor, struct bignum *quotient,
			   struct bignum *remainder)
{
	if (!make(arena, a->count, quotient))
		return false;
	if (a->count)
		memcpy(quotient->limbs, a->limbs, a->count * sizeof(*a->limbs));
	return bl_bignum_from_u64(arena, divide_small(quotient, divisor),
				  remainder);
}

/* |a| / |b| where b has at least two limbs and is not longer than a. */
static bool divide_long(struct bl_arena *arena, const struct bignum *a,
			const struct bignum *b, struct bignum *quotient,
			struct bignum *remainder)
{
	unsigned shift = (unsigned)__builtin_clz(b->limbs[b->count - 1]);
	struct bignum divisor, shifted, rest;

	if (!bl_bignum_shift_left(arena, b, shift, &divisor) ||
	    !bl_bignum_shift_left(arena, a, shift, &shifted) ||
	    !make(arena, a->count + 1, &rest) ||
	    !make(arena, a->count - b->count + 1, quotient))
		return false;
	memcpy(rest.limbs, shifted.limbs, shifted.count * sizeof(*rest.limbs));
	for (size_t i = quotient->count; i-- > 0;)
		quotient->limbs[i] = divide_step(rest.limbs + i, &divisor);
	rest.negative = false;
	trim(&rest);
	return bl_bignum_shift_right(arena, &rest, shift, remainder);
}

bool bl_bignum_divide(struct bl_arena *arena, const struct bignum *a,
		      const struct bignum *b, struct bignum *out_quotient,
		      struct bignum *out_remainder)
{
	struct bignum quotient = { 0 }, remainder = *a;
	bool ok = true;

	if (bl_bignum_compare_magnitudes(a, b) >= 0) {
		if (b->count == 1)
			ok = divide_by_limb(arena, a, b->limbs[0], &quotient,
					    &remainder);
		else
			ok = divide_long(arena, a, b, &quotient, &remainder);
	}
	if (!ok)
		return false;
	quotient.negative = a->negative != b->negative;
	remainder.negative = a->negative;
	trim(&quotient);
	trim(&remainder);
	*out_quotient = quotient;
	*out_remainder = remainder;
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary floating point with a 64-bit significand, in software: the arithmetic of OPA
 * for numbers that are not whole, the same on every processor.
 *
 * 0.1 + 0.2: the nearest significand of 0.1 is 0xCCCCCCCCCCCCCCCD with exponent -67,
 * of 0.2 the same with -66.  To add, the smaller one is shifted right by one,
 * 0x6666666666666666 and a half; the sum 0x13333333333333333 and a half has 65 bits and is
 * shifted, too: 0x9999999999999999 and three quarters.  It is rounded to the nearest, ties
 * to even: 0x999999999999999A, exponent -65.  That is the nearest significand of 0.3, so
 * the shortest decimal that is read as the same is "0.3", where a double, with 53 bits,
 * has 0.30000000000000004.
 */
#include "value/extended.h"

#include <inttypes.h>

__extension__ typedef unsigned __int128 wide;

enum {
	SIGNIFICAND_BITS = 64,
	SPARE_BITS = 2, /* for rounding, beyond the significand */
	MOST_DIGITS = 24,
};

/* Rounds to nearest even; half: the first bit cut off, rest: any after it. */
static struct extended rounded(struct extended x, bool half, bool rest)
{
	if (half && (rest || (x.significand & 1))) {
		if (!++x.significand) {
			x.significand = UINT64_C(1) << 63;
			x.exponent++;
		}
	}
	return x;
}

/* A 128-bit significand, with sticky for bits that were lost below. */
static struct extended from_wide(bool negative, wide significand,
				 int64_t exponent, bool sticky)
{
	struct extended x = { .negative = negative };
	uint64_t high, low;
	unsigned shift;

	if (!significand)
		return x;
	high = (uint64_t)(significand >> 64);
	shift = high ? (unsigned)__builtin_clzll(high)
		     : 64 + (unsigned)__builtin_clzll((uint64_t)significand);
	significand <<= shift;
	low = (uint64_t)significand;
	x.significand = (uint64_t)(significand >> 64);
	x.exponent = exponent - shift + 64;
	return rounded(x, low >> 63, low << 1 || sticky);
}

/* |n| * 2^exponent, with sticky. */
static struct extended from_bignum(const struct bignum *n, int64_t exponent,
				   bool sticky)
{
	size_t bits = bl_bignum_bits(n);
	struct extended x = { .negative = n->negative };
	size_t cut;

	if (bits <= SIGNIFICAND_BITS)
		return from_wide(n->negative, bl_bignum_extract(n, 0), exponent,
				 sticky);
	cut = bits - SIGNIFICAND_BITS;
	x.significand = bl_bignum_extract(n, cut);
	x.exponent = exponent + (int64_t)cut;
	return rounded(x, bl_bignum_extract(n, cut - 1) & 1,
		       bl_bignum_any_below(n, cut - 1) || sticky);
}

bool bl_extended_from_number(struct bl_arena *arena, struct bl_value number,
			     struct extended *out)
{
	struct bignum digits, scale, whole, rest;
	int64_t exponent;
	size_t have, want;

	*out = (struct extended){ 0 };
	if (!bl_bignum_from_number(arena, number, &digits, &exponent))
		return false;
	if (!digits.count)
		return true;
	if (!bl_bignum_power_of_10(
		    arena, (uint64_t)(exponent < 0 ? -exponent : exponent),
		    &scale))
		return false;
	if (exponent >= 0) {
		if (!bl_bignum_multiply(arena, &digits, &scale, &whole))
			return false;
		*out = from_bignum(&whole, 0, false);
		return true;
	}
	/* Enough bits that the quotient has all of the significand's. */
	have = bl_bignum_bits(&digits);
	want = bl_bignum_bits(&scale) + SIGNIFICAND_BITS + SPARE_BITS;
	want = want > have ? want - have : 0;
	if (!bl_bignum_shift_left(arena, &digits, want, &digits) ||
	    !bl_bignum_divide(arena, &digits, &scale, &whole, &rest))
		return false;
	*out = from_bignum(&whole, -(int64_t)want, rest.count > 0);
	return true;
}

/* ---- arithmetic --------------------------------------------------------- */

struct extended bl_extended_add(struct extended a, struct extended b)
{
	enum { ROOM = 62 }; /* low bits that hold what b is shifted by */
	wide x, y;
	uint64_t distance;
	bool sticky = false;

	if (!a.significand || (b.significand && b.exponent > a.exponent)) {
		struct extended swap = a;

		a = b;
		b = swap;
	}
	if (!b.significand)
		return a;
	distance = (uint64_t)(a.exponent - b.exponent);
	x = (wide)a.significand << ROOM;
	y = (wide)b.significand << ROOM;
	if (distance >= 126) {
		sticky = true;
		y = 0;
	} else if (distance) {
		sticky = y << (128 - distance) != 0;
		y >>= distance;
	}
	if (a.negative == b.negative)
		return from_wide(a.negative, x + y, a.exponent - ROOM, sticky);
	if (x >= y + sticky)
		return from_wide(a.negative, x - y - sticky, a.exponent - ROOM,
				 sticky);
	return from_wide(b.negative, y - x, a.exponent - ROOM, sticky);
}

struct extended bl_extended_multiply(struct extended a, struct extended b)
{
	return from_wide(a.negative != b.negative,
			 (wide)a.significand * b.significand,
			 a.exponent + b.exponent, false);
}

struct extended bl_extended_divide(struct extended a, struct extended b)
{
	wide dividend = (wide)a.significand << 63;
	wide quotient = dividend / b.significand;
	wide rest = dividend % b.significand;
	wide more = (rest << 63) / b.significand;

	return from_wide(a.negative != b.negative, quotient << 63 | more,
			 a.exponent - b.exponent - 126,
			 (rest << 63) % b.significand != 0);
}

bool bl_extended_is_whole(struct extended x)
{
	return !x.significand || x.exponent >= 0 ||
	       (x.exponent > -SIGNIFICAND_BITS &&
		!(x.significand << (SIGNIFICAND_BITS + x.exponent)));
}

bool bl_extended_truncate(struct bl_arena *arena, struct extended x,
			  struct bignum *out)
{
	uint64_t whole = x.significand;

	if (x.exponent <= -SIGNIFICAND_BITS)
		whole = 0;
	else if (x.exponent < 0)
		whole >>= -x.exponent;
	if (!bl_bignum_from_u64(arena, whole, out))
		return false;
	out->negative = x.negative && whole;
	return x.exponent <= 0 ||
	       bl_bignum_shift_left(arena, out, (uint64_t)x.exponent, out);
}

/* ---- shortest decimal --------------------------------------------------- */

/* value = 0.DIGITS * 10^point */
struct digits {
	char text[MOST_DIGITS];
	size_t count;
	int64_t point;
};

/*
 * rest / scale is the value, in units of the digit wanted next; margin /
 * scale is half the distance to the neighbours.
 */
struct generator {
	struct bl_arena *arena;
	struct bignum rest;
	struct bignum scale;
	struct bignum margin;
	bool inclusive; /* a text at the margin itself reads back as x */
};

static bool times_ten(struct generator *g)
{
	struct bignum ten;

	return bl_bignum_from_u64(g->arena, 10, &ten) &&
	       bl_bignum_multiply(g->arena, &g->rest, &ten, &g->rest) &&
	       bl_bignum_multiply(g->arena, &g->margin, &ten, &g->margin);
}

/* Would rounding up here be near enough? */
static bool reaches_up(struct generator *g, bool *out)
{
	struct bignum sum;
	int order;

	if (!bl_bignum_add(g->arena, &g->rest, &g->margin, &sum))
		return false;
	order = bl_bignum_compare_magnitudes(&sum, &g->scale);
	*out = order > 0 || (order == 0 && g->inclusive);
	return true;
}

/* Rounding to the nearest digit, ties to even. */
static bool rounds_up(struct generator *g, uint64_t digit, bool *out)
{
	struct bignum twice;
	int order;

	if (!bl_bignum_shift_left(g->arena, &g->rest, 1, &twice))
		return false;
	order = bl_bignum_compare_magnitudes(&twice, &g->scale);
	*out = order > 0 || (order == 0 && (digit & 1));
	return true;
}

/* Sets up g and the place of the first digit. */
static bool start(struct generator *g, struct extended x, int64_t *out_point)
{
	/* log10(2) = 0.30103 from above; the estimate is right or one low. */
	int64_t power = (x.exponent + 63) * 30103 / 100000;
	struct bignum scale;
	bool up;

	power -= x.exponent + 63 < 0;
	if (!bl_bignum_from_u64(g->arena, x.significand, &g->rest) ||
	    !bl_bignum_from_u64(g->arena, 1, &g->margin) ||
	    !bl_bignum_from_u64(g->arena, 2, &g->scale) ||
	    !bl_bignum_shift_left(g->arena, &g->rest, 1, &g->rest) ||
	    !bl_bignum_power_of_10(
		    g->arena, (uint64_t)(power < 0 ? -power : power), &scale))
		return false;
	if (x.exponent >= 0 &&
	    (!bl_bignum_shift_left(g->arena, &g->rest, (uint64_t)x.exponent,
				   &g->rest) ||
	     !bl_bignum_shift_left(g->arena, &g->margin, (uint64_t)x.exponent,
				   &g->margin)))
		return false;
	if (x.exponent < 0 &&
	    !bl_bignum_shift_left(g->arena, &g->scale, (uint64_t)-x.exponent,
				  &g->scale))
		return false;
	if (power >= 0 &&
	    !bl_bignum_multiply(g->arena, &g->scale, &scale, &g->scale))
		return false;
	if (power < 0 &&
	    (!bl_bignum_multiply(g->arena, &g->rest, &scale, &g->rest) ||
	     !bl_bignum_multiply(g->arena, &g->margin, &scale, &g->margin)))
		return false;
	*out_point = power;
	while (reaches_up(g, &up) && up) {
		struct bignum ten;

		if (!bl_bignum_from_u64(g->arena, 10, &ten) ||
		    !bl_bignum_multiply(g->arena, &g->scale, &ten, &g->scale))
			return false;
		++*out_point;
	}
	return true;
}

static bool generate(struct generator *g, struct digits *out)
{
	bool down = false, up = false;

	for (out->count = 0; !down && !up && out->count < MOST_DIGITS;) {
		struct bignum quotient;
		uint64_t digit;
		int order;

		if (!times_ten(g) ||
		    !bl_bignum_divide(g->arena, &g->rest, &g->scale, &quotient,
				      &g->rest) ||
		    !reaches_up(g, &up))
			return false;
		digit = bl_bignum_extract(&quotient, 0);
		order = bl_bignum_compare_magnitudes(&g->rest, &g->margin);
		down = order < 0 || (order == 0 && g->inclusive);
		if (up && down && !rounds_up(g, digit, &up))
			return false;
		out->text[out->count++] = (char)('0' + digit + up);
	}
	return true;
}

static void put_zeros(struct bl_buf *out, int64_t count)
{
	while (count-- > 0)
		bl_buf_put_char(out, '0');
}

static void put_plain(struct bl_buf *out, const struct digits *d)
{
	size_t whole = d->point > 0 ? (size_t)d->point : 0;

	if (whole >= d->count) {
		bl_buf_put(out, d->text, d->count);
		put_zeros(out, (int64_t)(whole - d->count));
		return;
	}
	if (whole)
		bl_buf_put(out, d->text, whole);
	else
		bl_buf_put_char(out, '0');
	bl_buf_put_char(out, '.');
	put_zeros(out, -d->point);
	bl_buf_put(out, d->text + whole, d->count - whole);
}

static void put_scientific(struct bl_buf *out, const struct digits *d)
{
	int64_t exponent = d->point - 1;

	bl_buf_put_char(out, d->text[0]);
	if (d->count > 1)
		bl_buf_put_char(out, '.');
	bl_buf_put(out, d->text + 1, d->count - 1);
	bl_buf_printf(out, "e%c%02" PRId64, exponent < 0 ? '-' : '+',
		      exponent < 0 ? -exponent : exponent);
}

struct bl_str bl_extended_text(struct bl_arena *scratch, struct extended x,
			       struct bl_arena *target)
{
	enum { PLAIN_LEAST = -4, PLAIN_MOST = 6 };
	struct generator g = { .arena = scratch,
			       .inclusive = !(x.significand & 1) };
	struct digits digits;
	struct bl_str text;
	struct bl_buf out;

	if (!x.significand)
		return bl_arena_copy_str(target, BL_STR("0"));
	if (!start(&g, x, &digits.point) || !generate(&g, &digits))
		return (struct bl_str){ NULL, 0 };
	bl_buf_init(&out, 0);
	if (x.negative)
		bl_buf_put_char(&out, '-');
	if (bl_extended_is_whole(x) ||
	    (digits.point > PLAIN_LEAST && digits.point <= PLAIN_MOST))
		put_plain(&out, &digits);
	else
		put_scientific(&out, &digits);
	text = bl_arena_copy_str(target, bl_buf_str(&out));
	if (bl_buf_status(&out))
		text.ptr = NULL;
	bl_buf_clear(&out);
	return text;
}

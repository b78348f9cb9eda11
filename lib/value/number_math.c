/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on numbers, exact where both are whole, else by extended.c.  Each
 * operation has scratch memory of its own, so that only the result stays.
 */
#include "value/extended.h"

enum {
	SCRATCH_FIRST_BYTES = 4096,
	SCRATCH_MAX_BYTES = 64 * 1024 * 1024,
};

/* Memory of one operation. */
struct scratch {
	struct bl_arena arena;
	_Alignas(max_align_t) char first[SCRATCH_FIRST_BYTES];
};

static struct bl_arena *scratch_open(struct scratch *scratch)
{
	bl_arena_init(&scratch->arena, scratch->first, sizeof(scratch->first),
		      SCRATCH_MAX_BYTES);
	return &scratch->arena;
}

/* A text of one of our own writers as a number; its ptr may be NULL. */
static enum bl_status number_of(struct bl_str text, struct bl_value *out_value)
{
	return text.ptr ? bl_number_from_text(text, out_value) : BL_LIMIT;
}

/* Why memory was out: the operation's own or the caller's. */
static enum bl_status out_of_memory(const struct bl_arena *scratch,
				    const struct bl_arena *arena)
{
	enum bl_status status = bl_arena_status(arena);

	return status ? status : bl_bignum_status(scratch);
}

static enum bl_status give_bignum(struct bl_arena *scratch,
				  const struct bignum *x,
				  struct bl_arena *arena,
				  struct bl_value *out_value)
{
	struct bl_str text = bl_bignum_text(scratch, x, 10, arena);

	if (!text.ptr)
		return out_of_memory(scratch, arena);
	return number_of(text, out_value);
}

static enum bl_status give_extended(struct bl_arena *scratch, struct extended x,
				    struct bl_arena *arena,
				    struct bl_value *out_value)
{
	struct bl_str text = bl_extended_text(scratch, x, arena);

	if (!text.ptr)
		return out_of_memory(scratch, arena);
	return number_of(text, out_value);
}

/* ---- two operands ------------------------------------------------------- */

static bool combine_extended(enum bl_number_operator op, struct extended a,
			     struct extended b, struct extended *out)
{
	if (op == BL_NUMBER_DIVIDED) {
		if (!b.significand)
			return false;
		*out = bl_extended_divide(a, b);
		return true;
	}
	if (op == BL_NUMBER_TIMES) {
		*out = bl_extended_multiply(a, b);
		return true;
	}
	b.negative = b.negative != (op == BL_NUMBER_MINUS);
	*out = bl_extended_add(a, b);
	return true;
}

static bool shift(struct bl_arena *arena, enum bl_number_operator op,
		  const struct bignum *a, const struct bignum *b,
		  struct bignum *out)
{
	uint64_t bits =
		bl_bignum_bits(b) > 64 ? UINT64_MAX : bl_bignum_extract(b, 0);

	return op == BL_NUMBER_LEFT
		       ? bl_bignum_shift_left(arena, a, bits, out)
		       : bl_bignum_shift_right(arena, a, bits, out);
}

static bool combine_bignums(struct bl_arena *arena, enum bl_number_operator op,
			    const struct bignum *a, const struct bignum *b,
			    struct bignum *out)
{
	struct bignum other;

	switch (op) {
	case BL_NUMBER_PLUS:
		return bl_bignum_add(arena, a, b, out);
	case BL_NUMBER_MINUS:
		return bl_bignum_subtract(arena, a, b, out);
	case BL_NUMBER_TIMES:
		return bl_bignum_multiply(arena, a, b, out);
	case BL_NUMBER_QUOTIENT:
		return bl_bignum_divide(arena, a, b, out, &other);
	case BL_NUMBER_REMAINDER:
	case BL_NUMBER_DIVIDED:
		return bl_bignum_divide(arena, a, b, &other, out);
	case BL_NUMBER_LEFT:
	case BL_NUMBER_RIGHT:
		return shift(arena, op, a, b, out);
	case BL_NUMBER_AND:
	case BL_NUMBER_OR:
	case BL_NUMBER_XOR:
		break;
	}
	return bl_bignum_logic(arena, op, a, b, out);
}

/* The common case: small integers with a small result. */
static bool combine_small(enum bl_number_operator op, int64_t a, int64_t b,
			  int64_t *out)
{
	bool divides = b != 0 && !(a == INT64_MIN && b == -1);

	switch (op) {
	case BL_NUMBER_PLUS:
		return !__builtin_add_overflow(a, b, out);
	case BL_NUMBER_MINUS:
		return !__builtin_sub_overflow(a, b, out);
	case BL_NUMBER_TIMES:
		return !__builtin_mul_overflow(a, b, out);
	case BL_NUMBER_DIVIDED:
		*out = divides ? a / b : 0;
		return divides && a % b == 0;
	case BL_NUMBER_QUOTIENT:
		*out = divides ? a / b : 0;
		return divides;
	case BL_NUMBER_REMAINDER:
		*out = divides ? a % b : 0;
		return divides;
	case BL_NUMBER_AND:
		*out = a & b;
		return true;
	case BL_NUMBER_OR:
		*out = a | b;
		return true;
	case BL_NUMBER_XOR:
		*out = a ^ b;
		return true;
	case BL_NUMBER_LEFT:
	case BL_NUMBER_RIGHT:
		break;
	}
	return false;
}

static bool is_division(enum bl_number_operator op)
{
	return op == BL_NUMBER_DIVIDED || op == BL_NUMBER_QUOTIENT ||
	       op == BL_NUMBER_REMAINDER;
}

static bool is_shift(enum bl_number_operator op)
{
	return op == BL_NUMBER_LEFT || op == BL_NUMBER_RIGHT;
}

/* Can the operands be taken, and is the result exact? */
static enum bl_status check(enum bl_number_operator op, struct bl_value a,
			    struct bl_value b, bool *out_exact)
{
	bool integral = bl_number_is_integral(a) && bl_number_is_integral(b);

	*out_exact = integral && op != BL_NUMBER_DIVIDED;
	if (!integral && op > BL_NUMBER_DIVIDED)
		return BL_INVALID;
	if (is_division(op) && bl_number_sign(b) == 0)
		return BL_INVALID;
	if (is_shift(op) && bl_number_sign(b) < 0)
		return BL_INVALID;
	return BL_OK;
}

enum bl_status bl_number_combine(struct bl_arena *arena,
				 enum bl_number_operator op, struct bl_value a,
				 struct bl_value b, struct bl_value *out_value)
{
	struct scratch scratch;
	struct bl_arena *space;
	enum bl_status status;
	int64_t x, y, small;
	bool exact;

	if (bl_number_is_plain(a, &x) && bl_number_is_plain(b, &y) &&
	    combine_small(op, x, y, &small)) {
		*out_value = bl_value_integer(small);
		return BL_OK;
	}
	status = check(op, a, b, &exact);
	if (status)
		return status;
	space = scratch_open(&scratch);
	if (exact) {
		struct bignum m, n;

		if (bl_bignum_from_integral(space, a, &m) &&
		    bl_bignum_from_integral(space, b, &n) &&
		    combine_bignums(space, op, &m, &n, &m))
			status = give_bignum(space, &m, arena, out_value);
		else
			status = bl_bignum_status(space);
	} else {
		struct extended m, n;

		if (bl_extended_from_number(space, a, &m) &&
		    bl_extended_from_number(space, b, &n) &&
		    combine_extended(op, m, n, &m))
			status = give_extended(space, m, arena, out_value);
		else
			status = bl_bignum_status(space);
	}
	bl_arena_clear(space);
	return status;
}

/* ---- one operand -------------------------------------------------------- */

/* The correction of the truncated number; x is not whole. */
static int correction(enum bl_number_rounding rounding, struct extended x)
{
	int away = x.negative ? -1 : 1;

	if (rounding == BL_NUMBER_DOWN)
		return x.negative ? -1 : 0;
	if (rounding == BL_NUMBER_UP)
		return x.negative ? 0 : 1;
	/* Nearest: the fraction's first bit counts. */
	if (rounding == BL_NUMBER_TRUNCATED || x.exponent < -64)
		return 0;
	return x.significand >> (-x.exponent - 1) & 1 ? away : 0;
}

static bool round_extended(struct bl_arena *arena,
			   enum bl_number_rounding rounding, struct extended x,
			   struct bignum *out)
{
	struct bignum step;
	int add = bl_extended_is_whole(x) ? 0 : correction(rounding, x);

	if (!bl_extended_truncate(arena, x, out))
		return false;
	if (!add)
		return true;
	if (!bl_bignum_from_u64(arena, 1, &step))
		return false;
	step.negative = add < 0;
	return bl_bignum_add(arena, out, &step, out);
}

enum bl_status bl_number_round(struct bl_arena *arena,
			       enum bl_number_rounding rounding,
			       struct bl_value number,
			       struct bl_value *out_value)
{
	bool integral = bl_number_is_integral(number);
	struct scratch scratch;
	struct bl_arena *space = scratch_open(&scratch);
	struct extended x = { 0 };
	struct bignum n;
	enum bl_status status;
	bool ok;

	if (integral)
		ok = bl_bignum_from_integral(space, number, &n);
	else
		ok = bl_extended_from_number(space, number, &x);
	if (ok && integral) {
		n.negative = n.negative && rounding != BL_NUMBER_MAGNITUDE;
		status = give_bignum(space, &n, arena, out_value);
	} else if (ok && rounding == BL_NUMBER_MAGNITUDE) {
		x.negative = false;
		status = give_extended(space, x, arena, out_value);
	} else if (ok && round_extended(space, rounding, x, &n)) {
		status = give_bignum(space, &n, arena, out_value);
	} else {
		status = bl_bignum_status(space);
	}
	bl_arena_clear(space);
	return status;
}

enum bl_status bl_number_radix_text(struct bl_arena *arena,
				    struct bl_value number, uint32_t radix,
				    struct bl_str *out_text)
{
	enum bl_status status = BL_OK;
	struct scratch scratch;
	struct bl_arena *space;
	struct bignum n;

	if (!bl_number_is_integral(number))
		return BL_INVALID;
	space = scratch_open(&scratch);
	out_text->ptr = NULL;
	if (bl_bignum_from_integral(space, number, &n))
		*out_text = bl_bignum_text(space, &n, radix, arena);
	if (!out_text->ptr)
		status = out_of_memory(space, arena);
	bl_arena_clear(space);
	return status;
}

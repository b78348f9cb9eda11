/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and bitwise operators, rounding, ranges. */
#include "rego/builtins/functions.h"

/* A longer range is refused; memory ends most of them before. */
enum { RANGE_MAX = 100 * 1000 * 1000 };

static bool number_fault(struct bl_builtin_call *call, enum bl_status status)
{
	if (status == BL_LIMIT)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"number too big");
	return bl_builtin_memory_fault(call);
}

static bool combine(struct bl_builtin_call *call, enum bl_number_operator op)
{
	enum bl_status status = bl_number_combine(
		call->arena, op, call->args[0], call->args[1], &call->result);

	return status ? number_fault(call, status) : true;
}

bool bl_fn_plus(struct bl_builtin_call *call)
{
	return combine(call, BL_NUMBER_PLUS);
}

bool bl_fn_mul(struct bl_builtin_call *call)
{
	return combine(call, BL_NUMBER_TIMES);
}

bool bl_fn_minus(struct bl_builtin_call *call)
{
	bool first_is_set = bl_value_is(call->args[0], BL_KIND_SET);
	bool second_is_set = bl_value_is(call->args[1], BL_KIND_SET);
	const char *kind = bl_kind_name(bl_value_kind(call->args[1]));

	if (first_is_set && second_is_set)
		return bl_fn_set_diff(call);
	if (first_is_set)
		return bl_builtin_operand_fault(call, 2, "set", kind);
	if (!bl_value_is(call->args[1], BL_KIND_NUMBER))
		return bl_builtin_operand_fault(call, 2, "number", kind);
	return combine(call, BL_NUMBER_MINUS);
}

bool bl_fn_div(struct bl_builtin_call *call)
{
	if (bl_number_sign(call->args[1]) == 0)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"divide by zero");
	return combine(call, BL_NUMBER_DIVIDED);
}

bool bl_fn_rem(struct bl_builtin_call *call)
{
	if (!bl_number_is_integral(call->args[0]) ||
	    !bl_number_is_integral(call->args[1]))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"modulo on floating-point number");
	if (bl_number_sign(call->args[1]) == 0)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"modulo by zero");
	return combine(call, BL_NUMBER_REMAINDER);
}

/* ---- rounding ----------------------------------------------------------- */

static bool round_number(struct bl_builtin_call *call,
			 enum bl_number_rounding rounding)
{
	enum bl_status status = bl_number_round(call->arena, rounding,
						call->args[0], &call->result);

	return status ? number_fault(call, status) : true;
}

bool bl_fn_abs(struct bl_builtin_call *call)
{
	return round_number(call, BL_NUMBER_MAGNITUDE);
}

bool bl_fn_round(struct bl_builtin_call *call)
{
	return round_number(call, BL_NUMBER_NEAREST);
}

bool bl_fn_ceil(struct bl_builtin_call *call)
{
	return round_number(call, BL_NUMBER_UP);
}

bool bl_fn_floor(struct bl_builtin_call *call)
{
	return round_number(call, BL_NUMBER_DOWN);
}

bool bl_fn_format_int(struct bl_builtin_call *call)
{
	static const int64_t bases[] = { 2, 8, 10, 16 };
	struct bl_value whole;
	struct bl_str text;
	enum bl_status status;
	int64_t base = 0;

	for (size_t i = 0; i < BL_COUNT(bases); i++) {
		if (bl_value_equal(call->args[1], bl_value_integer(bases[i])))
			base = bases[i];
	}
	if (!base)
		return bl_builtin_fault(
			call, BL_FAULT_TYPE,
			"operand 2 must be one of {2, 8, 10, 16}");
	status = bl_number_round(call->arena, BL_NUMBER_TRUNCATED,
				 call->args[0], &whole);
	if (!status)
		status = bl_number_radix_text(call->arena, whole,
					      (uint32_t)base, &text);
	if (status)
		return number_fault(call, status);
	/* Only the sign is left of a fraction between -1 and 0. */
	if (!bl_number_sign(whole) && bl_number_sign(call->args[0]) < 0)
		text = BL_STR("-0");
	return bl_builtin_return(call, bl_value_string(text));
}

/* ---- ranges ------------------------------------------------------------- */

static bool wants_integers(struct bl_builtin_call *call, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!bl_number_is_integral(call->args[i]))
			return bl_builtin_operand_fault(
				call, i + 1, "integer number",
				"floating-point number");
	}
	return true;
}

/* How many numbers there are, of which RANGE_MAX are too many: a fault. */
static bool range_length(struct bl_builtin_call *call, struct bl_value step,
			 size_t *out_count)
{
	struct bl_value steps;
	int64_t count;
	enum bl_status status =
		bl_number_combine(call->arena, BL_NUMBER_MINUS, call->args[1],
				  call->args[0], &steps);

	if (!status)
		status = bl_number_combine(call->arena, BL_NUMBER_QUOTIENT,
					   steps, step, &steps);
	if (status)
		return number_fault(call, status);
	if (!bl_number_to_integer(steps, &count) || count >= RANGE_MAX)
		return bl_builtin_fault(call, BL_FAULT_CANCEL,
					"a range of more than %d numbers",
					(int)RANGE_MAX);
	*out_count = (size_t)count + 1;
	return true;
}

/*
 * From args[0], spelled as an integer, to args[1] in steps of step, which has the
 * right sign.
 */
static bool range(struct bl_builtin_call *call, struct bl_value step)
{
	struct bl_array_builder out;
	struct bl_value at;
	size_t count = 0;
	enum bl_status status =
		bl_number_combine(call->arena, BL_NUMBER_PLUS, call->args[0],
				  bl_value_integer(0), &at);

	if (status)
		return number_fault(call, status);
	if (!range_length(call, step, &count))
		return false;
	bl_array_builder_init(&out, call->arena);
	out.items = bl_arena_alloc(call->arena, count * sizeof(*out.items));
	if (!out.items)
		return bl_builtin_memory_fault(call);
	out.cap = count;
	for (size_t i = 0; i < count; i++) {
		bl_array_builder_add(&out, at);
		status = bl_number_combine(call->arena, BL_NUMBER_PLUS, at,
					   step, &at);
		if (status)
			return number_fault(call, status);
	}
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

bool bl_fn_numbers_range(struct bl_builtin_call *call)
{
	bool down;

	if (!wants_integers(call, 2))
		return false;
	down = bl_value_compare(call->args[0], call->args[1]) > 0;
	return range(call, bl_value_integer(down ? -1 : 1));
}

bool bl_fn_numbers_range_step(struct bl_builtin_call *call)
{
	struct bl_value step = call->args[2];

	if (!wants_integers(call, 3))
		return false;
	if (bl_number_sign(step) <= 0)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"step must be a positive integer");
	if (bl_value_compare(call->args[0], call->args[1]) > 0 &&
	    bl_number_combine(call->arena, BL_NUMBER_MINUS, bl_value_integer(0),
			      step, &step))
		return bl_builtin_memory_fault(call);
	return range(call, step);
}

/* ---- random numbers ----------------------------------------------------- */

/* Evenly from 0 to limit - 1: numbers of the last, cut round are thrown away. */
static bool draw(struct bl_builtin_call *call, uint64_t limit, uint64_t *out)
{
	const struct bl_builtin_state *state = call->state;
	uint64_t spare = (UINT64_MAX % limit + 1) % limit;

	if (!state->host.fill_random)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"no random numbers here");
	do {
		if (!state->host.fill_random(state->host.context, out,
					     sizeof(*out)))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"no random numbers");
	} while (*out > UINT64_MAX - spare);
	*out %= limit;
	return true;
}

bool bl_fn_rand_intn(struct bl_builtin_call *call)
{
	struct bl_value key, known;
	uint64_t limit, drawn;
	int64_t n;

	if (!bl_builtin_plain_integer(call, 2, &n))
		return false;
	if (n == 0)
		return bl_builtin_return_integer(call, 0);
	limit = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	key = bl_array_make(
		call->arena,
		(struct bl_value[]){ bl_value_string(BL_STR("rand.intn")),
				     call->args[0], call->args[1] },
		3);
	known = bl_builtin_memo_find(call, key);
	if (bl_value_is_defined(known))
		return bl_builtin_return(call, known);
	if (!draw(call, limit, &drawn))
		return false;
	call->result = bl_value_integer((int64_t)drawn);
	return bl_builtin_memo_add(call, key, call->result);
}

/* ---- bits --------------------------------------------------------------- */

static bool combine_bits(struct bl_builtin_call *call,
			 enum bl_number_operator op)
{
	return wants_integers(call, 2) && combine(call, op);
}

bool bl_fn_bits_and(struct bl_builtin_call *call)
{
	return combine_bits(call, BL_NUMBER_AND);
}

bool bl_fn_bits_or(struct bl_builtin_call *call)
{
	return combine_bits(call, BL_NUMBER_OR);
}

bool bl_fn_bits_xor(struct bl_builtin_call *call)
{
	return combine_bits(call, BL_NUMBER_XOR);
}

bool bl_fn_bits_negate(struct bl_builtin_call *call)
{
	enum bl_status status;

	if (!wants_integers(call, 1))
		return false;
	status = bl_number_combine(call->arena, BL_NUMBER_XOR, call->args[0],
				   bl_value_integer(-1), &call->result);
	return status ? number_fault(call, status) : true;
}

static bool shift(struct bl_builtin_call *call, enum bl_number_operator op)
{
	if (!wants_integers(call, 2))
		return false;
	if (bl_number_sign(call->args[1]) < 0)
		return bl_builtin_operand_fault(call, 2,
						"an unsigned integer number",
						"a negative integer");
	return combine(call, op);
}

bool bl_fn_bits_lsh(struct bl_builtin_call *call)
{
	return shift(call, BL_NUMBER_LEFT);
}

bool bl_fn_bits_rsh(struct bl_builtin_call *call)
{
	return shift(call, BL_NUMBER_RIGHT);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builtins that make one value of a collection: count, sum, max, sort, ...
 * Apart from numbers.c: these look at any kind of item.
 */
#include <math.h>
#include <stdlib.h>

#include "rego/builtins/functions.h"
#include "rego/builtins/runes.h"

bool bl_fn_count(struct bl_builtin_call *call)
{
	struct bl_value value = call->args[0];
	size_t count = bl_value_is(value, BL_KIND_STRING)
			       ? bl_rune_count(bl_value_text(value))
			       : bl_value_count(value);

	return bl_builtin_return_integer(call, (int64_t)count);
}

static bool fold(struct bl_builtin_call *call, enum bl_number_operator op,
		 int64_t start)
{
	struct bl_value numbers = call->args[0];

	if (!bl_builtin_wants_items(call, 1, BL_KIND_NUMBER))
		return false;
	call->result = bl_value_integer(start);
	for (size_t i = 0; i < bl_value_count(numbers); i++) {
		struct bl_value item = bl_value_item(numbers, i);
		enum bl_status status;

		status = bl_number_combine(call->arena, op, call->result, item,
					   &call->result);
		if (status == BL_LIMIT)
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"number too big");
		if (status)
			return bl_builtin_memory_fault(call);
	}
	return true;
}

bool bl_fn_sum(struct bl_builtin_call *call)
{
	return fold(call, BL_NUMBER_PLUS, 0);
}

/*
 * Where not all are integers OPA multiplies with the precision of a double
 * (53 bits), unlike "*".  False: it is not such a product.
 */
static bool double_product(struct bl_value numbers, double *out_product)
{
	long double factor;
	bool integral = true;

	*out_product = 1;
	for (size_t i = 0; i < bl_value_count(numbers); i++) {
		struct bl_value item = bl_value_item(numbers, i);
		struct bl_buf text;

		integral &= bl_number_is_integral(item);
		bl_buf_init(&text, 0);
		bl_number_put(&text, item);
		factor = strtold(text.ptr ? text.ptr : "nan", NULL);
		bl_buf_clear(&text);
		*out_product = (double)(*out_product * factor);
	}
	return !integral && isfinite(*out_product);
}

bool bl_fn_product(struct bl_builtin_call *call)
{
	double product;

	if (!bl_builtin_wants_items(call, 1, BL_KIND_NUMBER))
		return false;
	if (!double_product(call->args[0], &product))
		return fold(call, BL_NUMBER_TIMES, 1);
	return bl_builtin_return(call,
				 bl_number_from_double(call->arena, product));
}

/* The item that compares with every other one as sign says. */
static bool extreme(struct bl_builtin_call *call, int sign)
{
	struct bl_value items = call->args[0];
	struct bl_value best = bl_value_item(items, 0);

	for (size_t i = 1; i < bl_value_count(items); i++) {
		struct bl_value item = bl_value_item(items, i);

		if (bl_value_compare(item, best) * sign > 0)
			best = item;
	}
	call->result = best;
	return true;
}

bool bl_fn_max(struct bl_builtin_call *call)
{
	return extreme(call, 1);
}

bool bl_fn_min(struct bl_builtin_call *call)
{
	return extreme(call, -1);
}

/* How often is each of the members of unique in items?  Those are counted. */
static void put_copies(struct bl_array_builder *out, struct bl_value unique,
		       const uint32_t *counts)
{
	for (size_t i = 0; i < bl_value_count(unique); i++) {
		for (uint32_t n = 0; n < counts[i]; n++)
			bl_array_builder_add(out, bl_value_item(unique, i));
	}
}

static size_t rank_in(struct bl_value set, struct bl_value item)
{
	size_t low = 0, high = bl_value_count(set);

	while (low < high) {
		size_t half = low + (high - low) / 2;

		if (bl_value_compare(bl_value_item(set, half), item) < 0)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

bool bl_fn_sort(struct bl_builtin_call *call)
{
	struct bl_value items = call->args[0];
	size_t count = bl_value_count(items);
	struct bl_array_builder out;
	struct bl_value unique = items;
	uint32_t *counts;

	bl_array_builder_init(&out, call->arena);
	if (!bl_value_is(items, BL_KIND_SET)) {
		unique = bl_set_of(call->arena, items);
		if (!bl_value_is_defined(unique))
			return bl_builtin_memory_fault(call);
	}
	counts = bl_arena_new_array(call->arena, uint32_t,
				    bl_value_count(unique) + 1);
	if (!counts)
		return bl_builtin_memory_fault(call);
	for (size_t i = 0; i < count; i++)
		counts[rank_in(unique, bl_value_item(items, i))]++;
	put_copies(&out, unique, counts);
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

static bool any_is(struct bl_value items, bool wanted_true)
{
	for (size_t i = 0; i < bl_value_count(items); i++) {
		if (bl_value_is_true(bl_value_item(items, i)) == wanted_true)
			return true;
	}
	return false;
}

bool bl_fn_all(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(call, !any_is(call->args[0], false));
}

bool bl_fn_any(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(call, any_is(call->args[0], true));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Large results were computed with Python's integers and fractions. */
#include "builtin_test.h"

static void arithmetic(void)
{
	static const struct builtin_row rows[] = {
		{ "plus", "[1, 2]", "3" },
		{ "plus", "[0.1, 0.2]", "0.3" },
		{ "plus", "[9223372036854775807, 1]", "9223372036854775808" },
		{ "minus", "[-9223372036854775808, 1]",
		  "-9223372036854775809" },
		{ "plus", "[1234567.5, 0]", "1.2345675e+06" },
		{ "plus", "[1e30, 1]", "1000000000000000000000000000001" },
		{ "mul",
		  "[123456789012345678901234567890, "
		  "987654321098765432109876543210]",
		  "1219326311370217952261850327336229233322374638011112635269"
		  "00" },
		{ "mul", "[0.1, 3]", "0.3" },
		{ "div", "[6, 3]", "2" },
		{ "div", "[1, 3]", "0.33333333333333333334" },
		{ "div", "[1, 1000000]", "1e-06" },
		{ "div", "[1e109, 1e100]", "1000000000" },
		{ "div", "[1, 0.0]",
		  "eval_builtin_error: div: divide by zero" },
		{ "rem", "[-7, 3]", "-1" },
		{ "rem", "[10000000000000000000000, 7]", "4" },
		{ "rem", "[1, 18446744073709551616]", "1" },
		{ "rem", "[1.5, 2]",
		  "eval_builtin_error: rem: modulo on floating-point number" },
		{ "rem", "[1, 0]", "eval_builtin_error: rem: modulo by zero" },
		{ "minus", "[{\"$set\": [1, 2]}, {\"$set\": [2]}]", "{1}" },
		{ "minus", "[1, {\"$set\": []}]",
		  "eval_type_error: minus: operand 2 must be number but got "
		  "set" },
		{ "minus", "[{\"$set\": []}, 1]",
		  "eval_type_error: minus: operand 2 must be set but got "
		  "number" },
	};

	CHECK_ROWS(rows);
}

static void rounding(void)
{
	static const struct builtin_row rows[] = {
		{ "abs", "[-1.50]", "1.5" },
		{ "abs", "[-12345678901234567890]", "12345678901234567890" },
		{ "round", "[2.5]", "3" },
		{ "round", "[-2.5]", "-3" },
		{ "round", "[0.49]", "0" },
		{ "ceil", "[1.01]", "2" },
		{ "ceil", "[-1.5]", "-1" },
		{ "floor", "[-1.5]", "-2" },
		{ "floor", "[1e3]", "1000" },
		{ "format_int", "[-255, 16]", "-ff" },
		{ "format_int", "[7.9, 2]", "111" },
		{ "format_int", "[1, 3]",
		  "eval_type_error: format_int: operand 2 must be one of {2, "
		  "8, 10, 16}" },
	};

	CHECK_ROWS(rows);
}

static void ranges(void)
{
	static const struct builtin_row rows[] = {
		{ "numbers.range", "[1, 3]", "[1, 2, 3]" },
		{ "numbers.range", "[1, -1]", "[1, 0, -1]" },
		{ "numbers.range", "[1.5, 2]",
		  "eval_type_error: numbers.range: operand 1 must be integer "
		  "number but got floating-point number" },
		{ "numbers.range",
		  "[18446744073709551616, 18446744073709551617]",
		  "[18446744073709551616, 18446744073709551617]" },
		{ "numbers.range", "[0, 1e400]",
		  "eval_cancel_error: numbers.range: a range of more than "
		  "100000000 numbers" },
		{ "numbers.range_step", "[0, 10, 4]", "[0, 4, 8]" },
		{ "numbers.range_step", "[10, 0, 4]", "[10, 6, 2]" },
		{ "numbers.range_step", "[0, 1, 0]",
		  "eval_builtin_error: numbers.range_step: step must be a "
		  "positive integer" },
	};

	CHECK_ROWS(rows);
}

static void bits(void)
{
	static const struct builtin_row rows[] = {
		{ "bits.and", "[-2, 7]", "6" },
		{ "bits.and", "[18446744073709551615, -4294967296]",
		  "18446744069414584320" },
		{ "bits.or", "[-8, 3]", "-5" },
		{ "bits.xor", "[-1, 18446744073709551615]",
		  "-18446744073709551616" },
		{ "bits.negate", "[0]", "-1" },
		{ "bits.lsh", "[1, 100]", "1267650600228229401496703205376" },
		{ "bits.rsh", "[-5, 1]", "-3" },
		{ "bits.rsh", "[-5, 1000]", "-1" },
		{ "bits.lsh", "[1, -1]",
		  "eval_type_error: bits.lsh: operand 2 must be an unsigned "
		  "integer number but got a negative integer" },
		{ "bits.lsh", "[1, 1000000000000]",
		  "eval_builtin_error: bits.lsh: number too big" },
		{ "bits.or", "[1.5, 1]",
		  "eval_type_error: bits.or: operand 1 must be integer number "
		  "but got floating-point number" },
	};

	CHECK_ROWS(rows);
}

static void aggregates(void)
{
	static const struct builtin_row rows[] = {
		{ "count", "[\"h\\u00e9\\u4e16\"]", "3" },
		{ "count", "[{\"a\": 1}]", "1" },
		{ "sum", "[[]]", "0" },
		{ "sum", "[[9223372036854775807, 1]]", "9223372036854775808" },
		{ "sum", "[[0.5, 0.25]]", "0.75" },
		{ "product", "[[]]", "1" },
		{ "product", "[[2, 3, 4]]", "24" },
		{ "max", "[[1, \"a\", null]]", "a" },
		{ "max", "[[]]", "undefined" },
		{ "min", "[{\"$set\": [3, 2]}]", "2" },
		{ "sort", "[[3, 1, 2, 1]]", "[1, 1, 2, 3]" },
		{ "all", "[[true, 1]]", "false" },
		{ "all", "[[]]", "true" },
		{ "any", "[[false, true]]", "true" },
	};

	CHECK_ROWS(rows);
}

static bool fill_zero(void *context, void *out, size_t len)
{
	++*(int *)context;
	memset(out, 0, len);
	return true;
}

static void random_numbers(void)
{
	static const struct builtin_row refused[] = {
		{ "rand.intn", "[\"a\", 10]",
		  "eval_builtin_error: rand.intn: no random numbers here" },
	};
	static const struct builtin_row rows[] = {
		{ "rand.intn", "[\"a\", 10]", "0" },
		{ "rand.intn", "[\"a\", -10]", "0" },
		{ "rand.intn", "[\"a\", 1.0]",
		  "eval_type_error: rand.intn: operand 2 must be integer "
		  "number but got floating-point number" },
		{ "uuid.rfc4122", "[\"a\"]",
		  "00000000-0000-4000-8000-000000000000" },
	};
	int calls = 0;

	CHECK_ROWS(refused);
	test_state.host.fill_random = fill_zero;
	test_state.host.context = &calls;
	CHECK_ROWS(rows);
	CHECK_INT(calls, 3);
	test_state.host.fill_random = NULL;
}

int main(void)
{
	RUN(arithmetic);
	RUN(rounding);
	RUN(ranges);
	RUN(bits);
	RUN(aggregates);
	RUN(random_numbers);
	return tap_end();
}

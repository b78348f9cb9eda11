/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tap.h"
#include "value/value.h"

static struct bl_value num(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_number_from_text(bl_str(text), &value), BL_OK);
	return value;
}

static void grammar(void)
{
	static const char *const wrong[] = {
		"",      "-",     "+1",    "01",  "-01",      "1.",
		".5",    "1e",    "1e+",   "1e-", "1 ",       " 1",
		"0x1",   "1.2.3", "1e1.5", "NaN", "1,000",    "--1",
		"1e1e1", "-.5",   "00",    "1a",  "Infinity",
	};
	struct bl_value value;

	for (size_t i = 0; i < BL_COUNT(wrong); i++)
		CHECK_STATUS(bl_number_from_text(bl_str(wrong[i]), &value),
			     BL_SYNTAX);
	CHECK_STATUS(bl_number_from_text((struct bl_str){ NULL, 0 }, &value),
		     BL_SYNTAX);
	CHECK_STATUS(bl_number_from_text(BL_STR("1\0"), &value), BL_SYNTAX);
}

static void limits(void)
{
	size_t len = BL_NUMBER_MAX_DIGITS + 1;
	char *digits = malloc(len);
	struct bl_value value;

	REQUIRE(digits);
	memset(digits, '7', len);
	CHECK_STATUS(
		bl_number_from_text((struct bl_str){ digits, len }, &value),
		BL_LIMIT);
	CHECK_STATUS(
		bl_number_from_text((struct bl_str){ digits, len - 1 }, &value),
		BL_OK);
	digits[1] = '.';
	CHECK_STATUS(
		bl_number_from_text((struct bl_str){ digits, len }, &value),
		BL_OK);
	free(digits);
	CHECK_STATUS(bl_number_from_text(BL_STR("1e1000000"), &value), BL_OK);
	CHECK_STATUS(bl_number_from_text(BL_STR("1e-1000000"), &value), BL_OK);
	CHECK_STATUS(bl_number_from_text(BL_STR("1e1000001"), &value),
		     BL_LIMIT);
	CHECK_STATUS(bl_number_from_text(BL_STR("1e-1000001"), &value),
		     BL_LIMIT);
	CHECK_STATUS(bl_number_from_text(BL_STR("1e99999999999999999999999999"),
					 &value),
		     BL_LIMIT);
}

static void check_spelling(struct bl_value number, const char *kept,
			   const char *canonical)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_number_put(&buf, number);
	CHECK_STR(bl_buf_str(&buf), kept);
	bl_buf_reset(&buf);
	bl_number_put_canonical(&buf, number);
	CHECK_STR(bl_buf_str(&buf), canonical);
	bl_buf_clear(&buf);
}

static void spelling(void)
{
	/* Canonical forms as ECMAScript's Number::toString gives them. */
	static const char *const pairs[][2] = {
		{ "0", "0" },
		{ "-0", "0" },
		{ "0.000e9", "0" },
		{ "1", "1" },
		{ "-17", "-17" },
		{ "1.0", "1" },
		{ "1e0", "1" },
		{ "10e-1", "1" },
		{ "0.1e1", "1" },
		{ "1e3", "1000" },
		{ "1.50", "1.5" },
		{ "123.456", "123.456" },
		{ "12345.6e-2", "123.456" },
		{ "1e20", "100000000000000000000" },
		{ "1e21", "1e+21" },
		{ "1.5e21", "1.5e+21" },
		{ "0.000001", "0.000001" },
		{ "0.0000001", "1e-7" },
		{ "-0.00000012", "-1.2e-7" },
		{ "1E400", "1e+400" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "9223372036854775808", "9223372036854775808" },
		/* Not in doubles: written out, so that no digit is lost. */
		{ "123456789012345678901234567890",
		  "123456789012345678901234567890" },
	};

	for (size_t i = 0; i < BL_COUNT(pairs); i++)
		check_spelling(num(pairs[i][0]), pairs[i][0], pairs[i][1]);
	check_spelling(bl_value_integer(INT64_MIN), "-9223372036854775808",
		       "-9223372036854775808");
	check_spelling(bl_value_null(), "", "");
}

static void order(void)
{
	/* Ascending; within a row all are equal. */
	static const char *const rows[][5] = {
		{ "-1e400" },
		{ "-9223372036854775809" },
		{ "-9223372036854775808", "-9223372036854775808.0" },
		{ "-1000", "-1e3", "-1000.00" },
		{ "-10.5", "-105e-1" },
		{ "-10" },
		{ "-1e-400" },
		{ "0", "-0", "0.0", "0e5", "-0.0e-3" },
		{ "1e-999999", "0.1e-999998" },
		{ "0.1", "1e-1", "0.10", "10e-2" },
		{ "0.10000000000000000000000000000000001" },
		{ "1", "1.0", "1e0", "10e-1", "0.01E2" },
		{ "1.5" },
		{ "2", "20e-1" },
		{ "10", "1e1" },
		{ "9007199254740992" },
		{ "9007199254740993", "9007199254740993.0" },
		{ "9223372036854775807", "9223372036854775.807e3" },
		{ "9223372036854775808" },
		{ "123456789012345678901234567890",
		  "12345678901234567890123456789e1" },
		{ "123456789012345678901234567891" },
		{ "1e400", "10e399", "0.1e401" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_value a = num(rows[i][0]);

		for (size_t k = 0; k < 5 && rows[i][k]; k++) {
			struct bl_value b = num(rows[i][k]);

			CHECK_INT(bl_value_compare(a, b), 0);
			CHECK(bl_value_equal(b, a));
			CHECK(bl_value_hash(a) == bl_value_hash(b));
		}
		for (size_t k = i + 1; k < BL_COUNT(rows); k++) {
			CHECK(bl_value_compare(a, num(rows[k][0])) < 0);
			CHECK(bl_value_compare(num(rows[k][0]), a) > 0);
		}
	}
}

static void integers(void)
{
	static const struct {
		const char *text;
		bool integral;
		bool fits;
		int64_t value;
	} cases[] = {
		{ "0", true, true, 0 },
		{ "-0", true, true, 0 },
		{ "-0.0", true, true, 0 },
		{ "2.0", true, true, 2 },
		{ "20e-1", true, true, 2 },
		{ "2.5e1", true, true, 25 },
		{ "-1.5e3", true, true, -1500 },
		{ "2.5", false, false, 0 },
		{ "1e-1", false, false, 0 },
		{ "1e18", true, true, 1000000000000000000 },
		{ "9223372036854775807.0", true, true, INT64_MAX },
		{ "-9223372036854775808.0", true, true, INT64_MIN },
		{ "9223372036854775808", true, false, 0 },
		{ "-9223372036854775809", true, false, 0 },
		{ "9999999999999999999", true, false, 0 },
		{ "1e19", true, false, 0 },
		{ "1e1000000", true, false, 0 },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		int64_t got = 77;
		struct bl_value value = num(cases[i].text);

		CHECK(bl_number_is_integral(value) == cases[i].integral);
		CHECK(bl_number_to_integer(value, &got) == cases[i].fits);
		CHECK_INT(got, cases[i].fits ? cases[i].value : 77);
	}
	CHECK(!bl_number_is_integral(bl_value_null()));
	CHECK(!bl_number_to_integer(bl_value_string(BL_STR("1")), NULL));
}

static void to_double(void)
{
	static const char *const same_as_strtod[] = {
		"0.1",
		"1.5",
		"-2.25e10",
		"1e22",
		"1e23",
		"123456789.123456789",
		"4.9e-324",
		"2.4703282292062327e-324",
		"2.4703282292062329e-324",
		"1.7976931348623157e308",
		"9007199254740993.0",
		"1e-1000",
		"0.500000000000000166533453693773481063544750213623046875",
	};
	char text[1200];

	for (size_t i = 0; i < BL_COUNT(same_as_strtod); i++)
		CHECK(bl_number_to_double(num(same_as_strtod[i])) ==
		      strtod(same_as_strtod[i], NULL));
	CHECK(bl_number_to_double(num("1e400")) == (double)INFINITY);
	CHECK(bl_number_to_double(num("-1e400")) == -(double)INFINITY);
	CHECK(signbit(bl_number_to_double(num("-0"))));
	CHECK(bl_number_to_double(num("12")) == 12.0);
	CHECK(bl_number_to_double(bl_value_null()) == 0);
	/* 1 + 2^-53 exactly, with a digit far behind that breaks the tie. */
	memset(text, '0', sizeof(text));
	memcpy(text, "1.00000000000000011102230246251565404236316680908203125",
	       55);
	text[1100] = '1';
	text[1101] = '\0';
	CHECK(bl_number_to_double(num(text)) == 1.0 + DBL_EPSILON);
}

static void check_double(double number, const char *expected)
{
	struct bl_arena arena;
	struct bl_value value;
	struct bl_buf buf;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&buf, 0);
	value = bl_number_from_double(&arena, number);
	bl_number_put(&buf, value);
	CHECK_STR(bl_buf_str(&buf), expected);
	CHECK(bl_number_to_double(value) == number);
	bl_buf_clear(&buf);
	bl_arena_clear(&arena);
}

static void from_double(void)
{
	struct bl_arena arena;

	check_double(0, "0");
	check_double(-0.0, "-0");
	check_double(1, "1");
	check_double(-2.5, "-2.5");
	check_double(0.1, "0.1");
	check_double(1.0 / 3, "0.3333333333333333");
	check_double(0.1 + 0.2, "0.30000000000000004");
	check_double(1e21, "1e+21");
	check_double(1e-7, "1e-7");
	check_double(5e-324, "5e-324");
	check_double(DBL_MAX, "1.7976931348623157e+308");
	check_double(9007199254740992.0, "9007199254740992");
	bl_arena_init(&arena, NULL, 0, 0);
	CHECK(!bl_value_is_defined(bl_number_from_double(&arena, NAN)));
	CHECK(!bl_value_is_defined(bl_number_from_double(&arena, INFINITY)));
	bl_arena_clear(&arena);
	bl_arena_init(&arena, NULL, 0, 1);
	CHECK(!bl_value_is_defined(bl_number_from_double(&arena, 0.5)));
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(grammar);
	RUN(limits);
	RUN(spelling);
	RUN(order);
	RUN(integers);
	RUN(to_double);
	RUN(from_double);
	return tap_end();
}

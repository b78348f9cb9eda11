/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of Go's documentation of package fmt. */
#include "builtin_test.h"

static void integers(void)
{
	static const struct builtin_row rows[] = {
		{ "sprintf", "[\"%d|%5d|%-5d|%05d|%+d\", [1, 2, 3, 4, 5]]",
		  "1|    2|3    |00004|+5" },
		{ "sprintf",
		  "[\"%x %X %#x %o %O %b\", [255, 255, 255, 8, 8, "
		  "5]]",
		  "ff FF 0xff 10 0o10 101" },
		{ "sprintf", "[\"%d\", [123456789012345678901234567890]]",
		  "123456789012345678901234567890" },
		{ "sprintf", "[\"%c %q %U\", [233, 120, 233]]",
		  "\u00e9 'x' U+00E9" },
		{ "sprintf", "[\"%.3d\", [7]]", "007" },
		{ "sprintf", "[\"%*d\", [4, 7]]", "   7" },
		{ "sprintf", "[\"%s\", [1]]", "%!s(int64=1)" },
	};

	CHECK_ROWS(rows);
}

static void floats(void)
{
	static const struct builtin_row rows[] = {
		{ "sprintf", "[\"%v %v\", [1.50, 1234567.5]]",
		  "1.5 1.2345675e+06" },
		{ "sprintf",
		  "[\"%.2f|%8.3f|%-8.1f|%+.1f\", [2.345, 3.14159, "
		  "2.5, 1.25]]",
		  "2.35|   3.142|2.5     |+1.2" },
		{ "sprintf", "[\"%e %g\", [1234.5, 0.00001234]]",
		  "1.234500e+03 1.234e-05" },
		{ "sprintf", "[\"%08.3f\", [-3.14159]]", "-003.142" },
		{ "sprintf", "[\"%d\", [1.5]]", "%!d(float64=1.5)" },
		{ "sprintf", "[\"%d\", [1e3]]", "%!d(float64=1000)" },
	};

	CHECK_ROWS(rows);
}

static void strings(void)
{
	static const struct builtin_row rows[] = {
		{ "sprintf",
		  "[\"%s|%5s|%-5s|%.2s\", [\"a\", \"b\", \"c\", "
		  "\"\\u00e9\\u00e9\\u00e9\"]]",
		  "a|    b|c    |\u00e9\u00e9" },
		{ "sprintf", "[\"%q %x\", [\"a\\\"b\", \"hi\"]]",
		  "\"a\\\"b\" 6869" },
		{ "sprintf", "[\"%v %s\", [[1, \"a\"], {\"k\": null}]]",
		  "[1, \"a\"] {\"k\": null}" },
		{ "sprintf", "[\"%v\", [{\"$set\": []}]]", "set()" },
		{ "sprintf", "[\"%t\", [true]]", "%!t(string=true)" },
	};

	CHECK_ROWS(rows);
}

static void mistakes(void)
{
	static const struct builtin_row rows[] = {
		{ "sprintf", "[\"%d\", []]", "%!d(MISSING)" },
		{ "sprintf", "[\"a\", [1, \"b\"]]",
		  "a%!(EXTRA int64=1, string=b)" },
		{ "sprintf", "[\"100%\", []]", "100%!(NOVERB)" },
		{ "sprintf", "[\"100%%\", []]", "100%" },
		{ "sprintf", "[\"%!\", [1]]", "%!!(int64=1)" },
		{ "sprintf", "[\"%[2]d %[1]d\", [1, 2]]", "2 1" },
		{ "sprintf", "[\"%[5]d\", [1]]", "%!d(BADINDEX)" },
		{ "sprintf", "[\"%*d\", [\"a\", 1]]", "%!(BADWIDTH)1" },
		{ "sprintf", "[\"%d\", [\"a\"]]", "%!d(string=a)" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(integers);
	RUN(floats);
	RUN(strings);
	RUN(mistakes);
	return tap_end();
}

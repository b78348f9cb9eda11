/* SPDX-License-Identifier: Apache-2.0 */
/* Times were computed with Python's datetime and zoneinfo. */
#include "builtin_test.h"

/*
 * A zone as a TZif file: local mean time (+560 s, "LMT") up to 1000000000,
 * then CET until 1000000100, then the rule for ever.
 */
static const char paris[] =
	/* version 1: one type, nothing else */
	"TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4"
	"\0\0\0\0\0\0UTC\0"
	/* version 2: two changes, two types, eight bytes of names */
	"TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0\10"
	"\0\0\0\0\x3B\x9A\xCA\x00\0\0\0\0\x3B\x9A\xCA\x64"
	"\1\1"
	"\0\0\x02\x30\0\0\0\0\x0E\x10\0\4"
	"LMT\0CET\0"
	"\nCET-1CEST,M3.5.0,M10.5.0/3\n";

static const char new_york_rule[] = "EST5EDT,M3.2.0,M11.1.0";

static bool read_zone(void *context, struct bl_arena *arena, struct bl_str name,
		      struct bl_str *out_tzif)
{
	char text[256];
	size_t head = sizeof(paris) - 1 -
		      strlen("\nCET-1CEST,M3.5.0,"
			     "M10.5.0/3\n");

	(void)context;
	if (bl_str_is(name, "Europe/Paris")) {
		*out_tzif = (struct bl_str){ paris, sizeof(paris) - 1 };
		return true;
	}
	if (bl_str_is(name, "Cut")) {
		*out_tzif = (struct bl_str){ paris, 60 };
		return true;
	}
	if (!bl_str_is(name, "America/New_York"))
		return false;
	for (size_t i = 0; i < head; i++)
		text[i] = paris[i];
	snprintf(text + head, sizeof(text) - head, "\n%s\n", new_york_rule);
	*out_tzif = bl_arena_copy_str(
		arena,
		(struct bl_str){ text, head + strlen(new_york_rule) + 2 });
	return true;
}

static void parts(void)
{
	static const struct builtin_row rows[] = {
		{ "time.now_ns", "[]", "77" },
		{ "time.date", "[1782907200000000000]", "[2026, 7, 1]" },
		{ "time.clock", "[1782907200000000000]", "[12, 0, 0]" },
		{ "time.date", "[-1]", "[1969, 12, 31]" },
		{ "time.clock", "[-1]", "[23, 59, 59]" },
		{ "time.weekday", "[1782907200000000000]", "Wednesday" },
		{ "time.weekday", "[0]", "Thursday" },
		{ "time.date", "[10000000000000000000]",
		  "eval_builtin_error: time.date: timestamp too big" },
		{ "time.date", "[[0, 1]]",
		  "eval_type_error: time.date: operand 1 must be string but "
		  "got number" },
	};

	test_state.host.now_ns = 77;
	CHECK_ROWS(rows);
}

static void zones(void)
{
	static const struct builtin_row rows[] = {
		{ "time.clock", "[[1782907200000000000, \"Europe/Paris\"]]",
		  "[14, 0, 0]" },
		{ "time.clock", "[[1767268800000000000, \"Europe/Paris\"]]",
		  "[13, 0, 0]" },
		{ "time.clock", "[[2855908800000000000, \"Europe/Paris\"]]",
		  "[14, 0, 0]" },
		{ "time.clock", "[[4118126400000000000, \"America/New_York\"]]",
		  "[8, 0, 0]" },
		{ "time.clock", "[[4102488000000000000, \"America/New_York\"]]",
		  "[7, 0, 0]" },
		/* the tables: 560 seconds before the first change */
		{ "time.clock", "[[0, \"Europe/Paris\"]]", "[0, 9, 20]" },
		{ "time.format", "[[1000000000000000000, \"Europe/Paris\"]]",
		  "2001-09-09T02:46:40+01:00" },
		{ "time.format",
		  "[[1782907200000000000, \"Europe/Paris\", \"MST -07\"]]",
		  "CEST +02" },
		{ "time.clock", "[[0, \"UTC\"]]", "[0, 0, 0]" },
		{ "time.clock", "[[0, \"Nowhere\"]]",
		  "eval_builtin_error: time.clock: unknown time zone "
		  "Nowhere" },
		{ "time.clock", "[[0, \"Cut\"]]",
		  "eval_builtin_error: time.clock: unknown time zone Cut" },
		{ "time.clock", "[[0, \"a/../Europe/Paris\"]]",
		  "eval_builtin_error: time.clock: unknown time zone "
		  "a/../Europe/Paris" },
	};

	test_state.host.read_zone = read_zone;
	CHECK_ROWS(rows);
	test_state.host.read_zone = NULL;
}

static void layouts(void)
{
	static const struct builtin_row rows[] = {
		{ "time.format", "[[1782907200000000000, \"UTC\", \"ANSIC\"]]",
		  "Wed Jul  1 12:00:00 2026" },
		{ "time.format", "[[1000001, \"\", \"15:04:05.000 Z07:00\"]]",
		  "00:00:00.001 Z" },
		{ "time.format",
		  "[[1782907200000000000, \"\", "
		  "\"January 2, 06 3PM 002\"]]",
		  "July 1, 26 12PM 182" },
		{ "time.format", "[1000000500]",
		  "1970-01-01T00:00:01."
		  "0000005Z" },
		{ "time.parse_rfc3339_ns", "[\"2017-06-02T19:00:00-00:00\"]",
		  "1496430000000000000" },
		{ "time.parse_rfc3339_ns", "[\"1970-01-01T01:00:00.5+01:00\"]",
		  "500000000" },
		{ "time.parse_ns",
		  "[\"RFC1123Z\", "
		  "\"Fri, 02 Jun 2017 21:00:00 +0200\"]",
		  "1496430000000000000" },
		{ "time.parse_ns",
		  "[\"02 Jan 06 03:04 PM\", "
		  "\"02 Jun 17 07:00 PM\"]",
		  "1496430000000000000" },
		{ "time.parse_ns", "[\"2006-01-02\", \"2026-02-29\"]",
		  "eval_builtin_error: time.parse_ns: parsing time "
		  "\"2026-02-29\": day out of range" },
		{ "time.parse_ns", "[\"2006\", \"abcd\"]",
		  "eval_builtin_error: time.parse_ns: parsing time \"abcd\" "
		  "as \"2006\": cannot parse \"abcd\" as \"2006\"" },
		{ "time.parse_ns", "[\"2006\", \"2026x\"]",
		  "eval_builtin_error: time.parse_ns: parsing time \"2026x\": "
		  "extra text: \"x\"" },
		{ "time.parse_ns", "[\"2006\", \"2300\"]",
		  "eval_builtin_error: time.parse_ns: time outside of valid "
		  "range" },
	};

	CHECK_ROWS(rows);
}

static void durations(void)
{
	static const struct builtin_row rows[] = {
		{ "time.parse_duration_ns", "[\"1h15m30.918273645s\"]",
		  "4530918273645" },
		{ "time.parse_duration_ns", "[\"-1.5h\"]", "-5400000000000" },
		{ "time.parse_duration_ns", "[\"3\\u00b5s\"]", "3000" },
		{ "time.parse_duration_ns", "[\"1w2d\"]", "777600000000000" },
		{ "time.parse_duration_ns", "[\"0\"]", "0" },
		{ "time.parse_duration_ns", "[\"1\"]",
		  "eval_builtin_error: time.parse_duration_ns: time: missing "
		  "unit in duration \"1\"" },
		{ "time.parse_duration_ns", "[\"\"]",
		  "eval_builtin_error: time.parse_duration_ns: time: invalid "
		  "duration \"\"" },
		{ "time.parse_duration_ns", "[\"300y\"]",
		  "eval_builtin_error: time.parse_duration_ns: time: invalid "
		  "duration \"300y\"" },
	};

	CHECK_ROWS(rows);
}

static void calculation(void)
{
	static const struct builtin_row rows[] = {
		/* 31 January + 1 month is 3 March */
		{ "time.add_date", "[1769817600000000000, 0, 1, 0]",
		  "1772496000000000000" },
		{ "time.add_date", "[0, -1, 14, -31]", "2419200000000000" },
		{ "time.add_date", "[0, 300, 0, 0]",
		  "eval_builtin_error: time.add_date: time outside of valid "
		  "range" },
		{ "time.diff", "[1772496000000000000, 1769817600000000000]",
		  "[0, 1, 3, 0, 0, 0]" },
		{ "time.diff", "[0, 951868799000000000]",
		  "[30, 1, 28, 23, 59, 59]" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(parts);
	RUN(zones);
	RUN(layouts);
	RUN(durations);
	RUN(calculation);
	return tap_end();
}

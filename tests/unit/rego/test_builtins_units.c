/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

static void units(void)
{
	static const struct builtin_row rows[] = {
		{ "units.parse", "[\"10Ki\"]", "10240" },
		{ "units.parse", "[\"0.5m\"]", "0.0005000000" },
		{ "units.parse", "[\"1M\"]", "1000000" },
		{ "units.parse", "[\"1mi\"]", "1048576" },
		{ "units.parse", "[\"1MI\"]", "1048576" },
		{ "units.parse", "[\"1e3K\"]", "1000000" },
		{ "units.parse", "[\"1E\"]", "1000000000000000000" },
		{ "units.parse", "[\"-2.5\"]", "-2.5000000000" },
		{ "units.parse", "[\"\\\"100\\\"\"]", "100" },
		{ "units.parse", "[\"\"]",
		  "eval_builtin_error: units.parse: no amount provided" },
		{ "units.parse", "[\"1.2.3\"]",
		  "eval_builtin_error: units.parse: could not parse amount "
		  "to a number" },
		{ "units.parse", "[\"1 K\"]",
		  "eval_builtin_error: units.parse: spaces not allowed in "
		  "resource strings" },
		{ "units.parse", "[\"1x\"]",
		  "eval_builtin_error: units.parse: unit x not recognized" },
		{ "units.parse", "[\"1e9999999\"]",
		  "eval_builtin_error: units.parse: exponent too large" },
		{ "units.parse_bytes", "[\"1.5KiB\"]", "1536" },
		{ "units.parse_bytes", "[\"10kb\"]", "10000" },
		{ "units.parse_bytes", "[\"0.9\"]", "0" },
		{ "units.parse_bytes", "[\"1mi\"]", "1048576" },
		{ "units.parse_bytes", "[\"GB\"]",
		  "eval_builtin_error: units.parse_bytes: no byte amount "
		  "provided" },
	};

	CHECK_ROWS(rows);
}

/* The order of semver.org, section 11. */
static void versions(void)
{
	static const struct builtin_row rows[] = {
		{ "semver.compare", "[\"1.0.0-alpha\", \"1.0.0-alpha.1\"]",
		  "-1" },
		{ "semver.compare",
		  "[\"1.0.0-alpha.1\", "
		  "\"1.0.0-alpha.beta\"]",
		  "-1" },
		{ "semver.compare", "[\"1.0.0-beta.11\", \"1.0.0-beta.2\"]",
		  "1" },
		{ "semver.compare", "[\"1.0.0-rc.1\", \"1.0.0\"]", "-1" },
		{ "semver.compare", "[\"1.0.0+a\", \"v1.0.0+b\"]", "0" },
		{ "semver.compare", "[\"1.10.0\", \"1.9.0\"]", "1" },
		{ "semver.compare", "[\"1\", \"1.0.0\"]",
		  "eval_builtin_error: semver.compare: operand 1: string "
		  "\"1\" is not a valid SemVer" },
		{ "semver.is_valid", "[\"1.0.0-01\"]", "false" },
		{ "semver.is_valid", "[\"1.2.3.4\"]", "false" },
		{ "semver.is_valid", "[null]", "false" },
	};

	CHECK_ROWS(rows);
}

/* 1998-02-04T22:13:53.151182Z, as RFC 4122's errata and C's uuid give it. */
static void uuids(void)
{
	static const struct builtin_row rows[] = {
		{ "uuid.parse", "[\"not one\"]", "undefined" },
		{ "uuid.parse",
		  "[\"urn:uuid:6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"]",
		  "{\"clocksequence\": 180, \"macvariables\": "
		  "\"global:unicast\", \"nodeid\": \"00-c0-4f-d4-30-c8\", "
		  "\"time\": 886630433151182400, \"variant\": \"RFC4122\", "
		  "\"version\": 1}" },
		{ "uuid.parse", "[\"00000000000040008000000000000000\"]",
		  "{\"variant\": \"RFC4122\", \"version\": 4}" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(units);
	RUN(versions);
	RUN(uuids);
	return tap_end();
}

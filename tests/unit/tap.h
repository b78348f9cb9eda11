/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/tap.h: what a unit test needs, printing TAP.
 *
 * One program per source file.  Each test is a function listed in main with
 * RUN(name); inside it CHECK, CHECK_INT, CHECK_STR and CHECK_STATUS note
 * failures and go on, REQUIRE leaves the test.  main ends with
 * `return tap_end();`.
 */
#ifndef BELAY_TESTS_TAP_H
#define BELAY_TESTS_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

static int tap_count;
static int tap_failed_tests;
static int tap_failures; /* of the running test */

#define TAP_NOTE(...)                                                          \
	do {                                                                   \
		printf("# %s:%d: ", __FILE__, __LINE__);                       \
		printf(__VA_ARGS__);                                           \
		printf("\n");                                                  \
	} while (0)

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			tap_failures++;                                        \
			TAP_NOTE("not true: %s", #condition);                  \
		}                                                              \
	} while (0)

#define REQUIRE(condition)                                                     \
	do {                                                                   \
		if (!(condition)) {                                            \
			tap_failures++;                                        \
			TAP_NOTE("not true, giving up: %s", #condition);       \
			return;                                                \
		}                                                              \
	} while (0)

#define CHECK_INT(actual, expected)                                            \
	do {                                                                   \
		intmax_t tap_a = (intmax_t)(actual);                           \
		intmax_t tap_e = (intmax_t)(expected);                         \
		if (tap_a != tap_e) {                                          \
			tap_failures++;                                        \
			TAP_NOTE("%s is %" PRIdMAX ", not %" PRIdMAX, #actual, \
				 tap_a, tap_e);                                \
		}                                                              \
	} while (0)

/* actual is a struct bl_str, expected a C string. */
#define CHECK_STR(actual, expected)                                            \
	do {                                                                   \
		struct bl_str tap_s = (actual);                                \
		const char *tap_x = (expected);                                \
		if (!bl_str_is(tap_s, tap_x)) {                                \
			tap_failures++;                                        \
			TAP_NOTE("%s is \"%.*s\", not \"%s\"", #actual,        \
				 BL_STR_ARG(tap_s), tap_x);                    \
		}                                                              \
	} while (0)

#define CHECK_STATUS(actual, expected)                                         \
	do {                                                                   \
		enum bl_status tap_st = (actual);                              \
		if (tap_st != (expected)) {                                    \
			tap_failures++;                                        \
			TAP_NOTE("%s is %s, not %s", #actual,                  \
				 bl_status_name(tap_st),                       \
				 bl_status_name(expected));                    \
		}                                                              \
	} while (0)

#define RUN(test)                                                              \
	do {                                                                   \
		tap_failures = 0;                                              \
		test();                                                        \
		tap_count++;                                                   \
		tap_failed_tests += tap_failures > 0;                          \
		printf("%s %d - %s\n", tap_failures ? "not ok" : "ok",         \
		       tap_count, #test);                                      \
		fflush(stdout);                                                \
	} while (0)

static inline int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed_tests > 0;
}

#endif

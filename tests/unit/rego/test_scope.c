/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which statement's name a closure means, and object patterns: as OPA 1.22.3
 * answers these rules.
 */
#include "policies.h"

static const struct row {
	const char *rule;
	const char *expected;
} rows[] = {
	/* a later statement of the body of every is seen */
	{ "r := {1 | every v in [1] { w := {1 | u == 1}; u := 1; w == {v} }}",
	  "[1]" },
	{ "r := {1 | every v in [1] { w := {1 | u == 1}; u := 2; w == {v} }}",
	  "[]" },
	/* not when it is the closure's own, or known before */
	{ "r := {1 | every v in [1] {\n"
	  "  w := {1 | u := 5; u == 5}; u := 1; w == {u}; v == 1 }}",
	  "[1]" },
	{ "r := {1 | u := 5; every v in [1] {\n"
	  "  w := {1 | u == 5}; u := 1; w == {u}; v == 1 }}",
	  "[1]" },
	{ "r if { {\"a\": x, \"b\": 1} = {\"b\": y, \"a\": 2}; x + y == 3 }",
	  "true" },
	{ "r if { {\"b\": 2, \"a\": 1} = {\"b\": 1, \"a\": 2} }", "undefined" },
	/* "_" may be left without value beside a closure */
	{ "r if { x := 1; not [1, [1]][_] in [[y | y := x]] }", "true" },
};

static void answers(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_arena arena;

		bl_arena_init(&arena, NULL, 0, 0);
		CHECK_STR(answer_of(&arena, rows[i].rule, "p.r",
				    bl_value_undefined()),
			  rows[i].expected);
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(answers);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of OPA before those that can end the evaluation: it asks its index of rules,
 * and makes calls before it evaluates comprehensions beside them.  The answers
 * are those of OPA 1.22.3.
 */
#include "policies.h"

#define CONFLICT "{\"k\": v | some v in input.xs}"

static const char input[] = "{\"xs\": [1, 2], \"there\": 1, \"no\": false}";

static const struct row {
	const char *rules;
	const char *expected; /* data.p */
} rows[] = {
	/* a part of input is missing behind what conflicts */
	{ "r if { x := " CONFLICT "; input.gone; x }", "{}" },
	/* it is there */
	{ "r if { x := " CONFLICT "; input.there; x }", "eval_conflict_error" },
	/* it is false, which OPA's index does not ask */
	{ "r if { x := " CONFLICT "; input.no; x }", "eval_conflict_error" },
	/* another constant */
	{ "r if { x := " CONFLICT "; input.there == 2; x }", "{}" },
	/* the same constant */
	{ "r if { x := " CONFLICT "; input.there == 1; x }",
	  "eval_conflict_error" },
	/* another constant, the other way round */
	{ "r if { x := " CONFLICT "; 2 = input.there; x }", "{}" },
	/* no array */
	{ "r if { x := " CONFLICT "; [a, b] = input.there; x }", "{}" },
	/* an array of another length */
	{ "r if { x := " CONFLICT "; [a] = input.xs; x }", "{}" },
	/* an array with another constant */
	{ "r if { x := " CONFLICT "; [2, a] = input.xs; x }", "{}" },
	/* an array that fits */
	{ "r if { x := " CONFLICT "; [1, a] = input.xs; x }",
	  "eval_conflict_error" },
	/* the operand of a call */
	{ "r if { x := " CONFLICT "; count(input.gone) > 0; x }", "{}" },
	/* the operand of a negated call */
	{ "r if { x := " CONFLICT "; not count(input.gone) > 0; x }", "{}" },
	/* the operand of a negated equation */
	{ "r if { x := " CONFLICT "; not input.gone == 1; x }",
	  "eval_conflict_error" },
	/* a comparison that fails is not asked */
	{ "r if { x := " CONFLICT "; input.there > 7; x }",
	  "eval_conflict_error" },
	/* not among constants */
	{ "r if { x := " CONFLICT "; input.there in {7, 8}; x }", "{}" },
	/* no such member */
	{ "r if { x := " CONFLICT "; 7 in input.xs; x }", "{}" },
	/* a member */
	{ "r if { x := " CONFLICT "; 2 in input.xs; x }",
	  "eval_conflict_error" },
	/* some such member */
	{ "r if { x := " CONFLICT "; some 7 in input.xs; x }", "{}" },
	/* what is gone through */
	{ "r if { x := " CONFLICT "; every y in input.gone { y }; x }", "{}" },
	/* some of what is missing is not asked */
	{ "r if { x := " CONFLICT "; some y in input.gone; y; x }",
	  "eval_conflict_error" },
	/* under with it is not asked */
	{ "r if { x := " CONFLICT "; input.gone with input.a as 1; x }",
	  "eval_conflict_error" },
	/* the value of with */
	{ "r if { x := " CONFLICT
	  "; input.there with input.a as input.gone; x }",
	  "{}" },
	/* the value of the rule */
	{ "r := input.gone if { x := " CONFLICT "; x }", "{}" },
	/* part of the value of the rule */
	{ "r := [input.gone] if { x := " CONFLICT "; x }", "{}" },
	/* the key of the rule */
	{ "r[input.gone] := 1 if { x := " CONFLICT "; x }", "{\"r\":{}}" },
	/* a function that conflicts */
	{ "f(x) := y if some y in x\nr if { f(input.xs); input.gone }", "{}" },
	/* a part of what a name stands for */
	{ "r := y.b if { x := " CONFLICT "; y = input.there; x }", "{}" },
	/* base documents */
	{ "r if { x := " CONFLICT "; data.t.u; x }", "{}" },
	/* a call without value behind what conflicts */
	{ "r if { " CONFLICT " < f(1) }\nf(x) := 1 if x == 2", "{}" },
	/* a call with a value behind it */
	{ "r if { " CONFLICT " < f(2) }\nf(x) := 1 if x == 2",
	  "eval_conflict_error" },
	/* a call in a negated statement */
	{ "r if { not " CONFLICT " < f(1) }\nf(x) := 1 if x == 2", "{}" },
	/* a call in a composite */
	{ "r if { [" CONFLICT ", f(1)] < [] }\nf(x) := 1 if x == 2", "{}" },
	/* a call in the head */
	{ "r := [" CONFLICT ", f(1)]\nf(x) := 1 if x == 2", "{}" },
	/* a call in the head of a comprehension */
	{ "r := [[" CONFLICT ", f(1)] | true]\nf(x) := 1 if x == 2",
	  "{\"r\":[]}" },
	/* a call within a call */
	{ "r if { g(" CONFLICT ", f(1)) }\nf(x) := 1 if x == 2\ng(x, y) := 1",
	  "{}" },
	/* a key that is not a string */
	{ "r[{\"a\": \"<&>\"}] := 1",
	  "{\"r\":{\"{\\\"a\\\":\\\"\\\\u003c\\\\u0026\\\\u003e\\\"}\":1}}" },
	/* without its import, "not" takes a set, with it a block */
	{ "import future.keywords.and\nr if { not {1 == 2} and true }", "{}" },
	{ "import future.keywords.and\nimport future.keywords.not\n"
	  "r if { not {1 == 2} and true }",
	  "{\"r\":true}" },
	/* below a node with rules for any key, nothing is not an empty document */
	{ "q[x] := 1 if { x := \"a\" }\nq.b.c[y] := 1 if y := input.none",
	  "{\"q\":{\"a\":1}}" },
	{ "q[x] := 1 if { x := \"a\" }\nq.b.c contains 1 if input.none\n"
	  "r := data.p.q.b",
	  "{\"q\":{\"a\":1}}" },
	{ "q.b.c contains 1 if input.none", "{\"q\":{\"b\":{\"c\":[]}}}" },
	{ "q[x].z := 1 if x := \"a\"\nq.b.c contains 1 if input.none\n"
	  "q.b.c contains 2\nr := [k | some k, _ in q]",
	  "{\"q\":{\"a\":{\"z\":1},\"b\":{\"c\":[2]}},\"r\":[\"a\",\"b\"]}" },
	/* names that stand for constants */
	{ "a := 1\nr if { x := \"a\"; data.p[x] }", "{\"a\":1,\"r\":true}" },
};

static void answers(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_arena arena;
		struct bl_value value;

		bl_arena_init(&arena, NULL, 0, 0);
		CHECK_STATUS(bl_json_read(&arena, bl_str(input), NULL, &value,
					  NULL, NULL, NULL),
			     BL_OK);
		CHECK_STR(answer_of(&arena, rows[i].rules, "p", value),
			  rows[i].expected);
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(answers);
	return tap_end();
}

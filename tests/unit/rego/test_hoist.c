/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value that all rounds of a loop share is computed once, and nothing but
 * the time shows it: observed policies, in which nothing is hoisted, answer the
 * same, and errors come when and where they came.
 */
#include "policies.h"

static const char policy[] =
	"package p\n"
	"many contains x if { some x in input.xs; "
	"x in {y | some y in input.xs; y % 2 == 0} }\n"
	"low contains x if { some x in input.names; x != lower(input.a) }\n"
	"nested contains [x, y] if { some x in input.names; some y in "
	"input.names; "
	"concat(\"\", [x, x]) != concat(\"\", [y, input.a]) }\n"
	"all if every x in input.names { count(x) >= count(trim(input.a, "
	"\"-\")) }\n"
	"none if { some x in input.xs; not x in [y | y := input.xs[_]; y < 2] "
	"}\n"
	"f(a) := count(a)\n"
	"fun contains x if { some x in input.xs; x == f(input.names) }\n"
	"under contains x if { some x in input.names; "
	"n := count(input.names) with input.names as [x]; "
	"n < count(input.names) }\n"
	"kept contains x if { some x in input.xs; x > 99990; "
	"to_number(input.a) }\n"
	"fails contains x if { some x in input.xs; x > 1; to_number(input.a) "
	"}\n"
	"gone contains x if { some x in input.xs; input.none[count(input.xs)] "
	"}\n"
	"pairs := [[x, s] | some x in input.names; s := sum([z | some z in "
	"input.xs; z < count(x) + count(input.names)])]\n"
	"again contains y if { some x in input.names; some y in [1, 2]; "
	"y == count(concat(\"\", [x])) }\n";

/* The answers of OPA 1.22.3 with {"xs": [0, 1, 2, 3], "names": ["a", "B", "cc"],
 * "a": "A"}, package and rules as above. */
static const struct {
	const char *rule;
	const char *answer;
} cases[] = {
	{ "p.many", "[0,2]" },
	{ "p.low", "[\"B\",\"cc\"]" },
	{ "p.nested",
	  "[[\"B\",\"B\"],[\"B\",\"a\"],[\"B\",\"cc\"],[\"a\",\"B\"],"
	  "[\"a\",\"a\"],[\"a\",\"cc\"],[\"cc\",\"B\"],[\"cc\",\"a\"],"
	  "[\"cc\",\"cc\"]]" },
	{ "p.all", "true" },
	{ "p.none", "true" },
	{ "p.fun", "[3]" },
	{ "p.under", "[\"B\",\"a\",\"cc\"]" },
	{ "p.kept", "[]" },
	{ "p.fails", "[]" },
	{ "p.gone", "[]" },
	{ "p.pairs", "[[\"a\",6],[\"B\",6],[\"cc\",6]]" },
	{ "p.again", "[1,2]" },
};

/* {"xs": [0, ..., count - 1], "names": [...], "a": "A"} */
static struct bl_value make_input(struct bl_arena *arena, int64_t count)
{
	static const char *const names[] = { "a", "B", "cc" };
	struct bl_object_builder input;
	struct bl_array_builder items;

	bl_object_builder_init(&input, arena);
	bl_array_builder_init(&items, arena);
	for (int64_t i = 0; i < count; i++)
		bl_array_builder_add(&items, bl_value_integer(i));
	bl_object_builder_add(&input, BL_STR("xs"),
			      bl_array_builder_end(&items));
	bl_array_builder_init(&items, arena);
	for (size_t i = 0; i < BL_COUNT(names); i++)
		bl_array_builder_add(&items, bl_value_string(bl_str(names[i])));
	bl_object_builder_add(&input, BL_STR("names"),
			      bl_array_builder_end(&items));
	bl_object_builder_add(&input, BL_STR("a"),
			      bl_value_string(BL_STR("A")));
	return bl_object_builder_end(&input);
}

/* The document as JSON, or its fault. */
static struct bl_str ask(const struct bl_rego_policies *policies,
			 const char *rule, struct bl_rego_options options,
			 struct bl_arena *arena)
{
	uint32_t document = bl_rego_find(policies, bl_str(rule));
	struct bl_rego_result result = { 0 };
	struct bl_error err = { 0 };

	if (document == BL_REGO_NO_DOCUMENT ||
	    bl_rego_document(policies, document, &options, arena, &result,
			     &err))
		return BL_STR("?");
	if (result.fault_code)
		return result.fault;
	return as_json(arena, result.document);
}

static void answers(void)
{
	const struct bl_rego_policies *kinds[2];
	struct bl_rego_options options = { 0 };
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	kinds[0] = compile(&arena, policy, false);
	kinds[1] = compile(&arena, policy, true);
	options.input = make_input(&arena, 4);
	for (size_t i = 0; i < BL_COUNT(cases); i++)
		for (size_t j = 0; j < BL_COUNT(kinds); j++)
			CHECK_STR(ask(kinds[j], cases[i].rule, options, &arena),
				  cases[i].answer);
	bl_arena_clear(&arena);
}

/* An error comes only where a round gets to it. */
static void errors(void)
{
	const struct bl_rego_policies *policies;
	struct bl_rego_options options = { .strict_builtin_errors = true };
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena, policy, false);
	options.input = make_input(&arena, 4);
	CHECK_STR(ask(policies, "p.kept", options, &arena), "[]");
	CHECK_STR(ask(policies, "p.fails", options, &arena),
		  "p.rego:11: eval_builtin_error: to_number: "
		  "strconv.ParseFloat: parsing \"A\": invalid syntax");
	bl_arena_clear(&arena);
}

/* 2,000 rounds of each; 4,000,000 when the set is made in every round. */
static void found_out_once(void)
{
	enum { STEPS = 50000 };
	struct bl_rego_options options = { .max_steps = STEPS };
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	options.input = make_input(&arena, 2000);
	CHECK(bl_str_has_prefix(
		ask(compile(&arena, policy, false), "p.many", options, &arena),
		BL_STR("[0,2,4,")));
	CHECK(bl_str_find(ask(compile(&arena, policy, true), "p.many", options,
			      &arena),
			  BL_STR("eval_cancel_error"), 0) != SIZE_MAX);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(answers);
	RUN(errors);
	RUN(found_out_once);
	return tap_end();
}

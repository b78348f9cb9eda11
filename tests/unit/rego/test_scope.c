/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which statement's name a closure means, and object patterns: as OPA 1.22.3
 * answers these rules.
 */
#include "json/json.h"
#include "rego/rego.h"
#include "tap.h"

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

static struct bl_str answer(struct bl_arena *arena, const char *rule)
{
	struct bl_rego_source source = { .file = BL_STR("t.rego") };
	struct bl_rego_options options = { 0 };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };
	struct bl_buf out;
	struct bl_str text;

	source.text = bl_arena_printf(arena, "package p\n%s\n", rule);
	bl_diags_init(&diags, arena);
	if (bl_rego_compile(arena, &source, 1, NULL, &diags, &policies, &err))
		return BL_STR("does not compile");
	if (bl_rego_document(policies, bl_rego_find(policies, BL_STR("p.r")),
			     &options, arena, &result, &err))
		return BL_STR("does not run");
	if (result.fault_code)
		return bl_str(result.fault_code);
	if (!bl_value_is_defined(result.document))
		return BL_STR("undefined");
	bl_buf_init(&out, 0);
	bl_json_write(&out, result.document, BL_JSON_CANONICAL);
	text = bl_arena_printf(arena, "%.*s", BL_STR_ARG(bl_buf_str(&out)));
	bl_buf_clear(&out);
	return text;
}

static void answers(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_arena arena;

		bl_arena_init(&arena, NULL, 0, 0);
		CHECK_STR(answer(&arena, rows[i].rule), rows[i].expected);
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(answers);
	return tap_end();
}

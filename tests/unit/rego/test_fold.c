/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computing values while compiling must not be seen: functions and documents
 * that "with" replaces, base data where a rule stands, errors.  Each query is
 * run on policies as they are compiled, on their image, and on policies that are
 * observed, in which nothing is folded.
 */
#include <stdlib.h>

#include "policies.h"

static const char policy[] =
	"package p\n"
	"limit := 3\n"
	"default wait := 9\n"
	"names := {\"a\", \"b\"}\n"
	"cfg := {\"deep\": [1, {\"x\": \"y\"}], \"re\": `^a+$`}\n"
	"cond := 1 if input.x\n"
	"n := count([1, 2, 3])\n"
	"up := upper(concat(\"-\", [\"a\", lower(\"B\")]))\n"
	"bad := to_number(\"x\")\n"
	"small if input.v < limit\n"
	"in_names if input.s in names\n"
	"deep := cfg.deep[1].x\n"
	"item := cfg.deep[input.i]\n"
	"each contains x if some x in names\n"
	"re if regex.match(cfg.re, input.s)\n"
	"sum := limit + wait\n"
	"nested := count([limit, wait, count([1])])\n"
	/* enough of them for a filter */
	"d contains 1 if input.s == cfg.deep[1].x\n"
	"d contains 2 if input.s in names\n"
	"d contains 3 if startswith(input.s, lower(\"A\"))\n"
	"d contains 4 if regex.match(cfg.re, input.s)\n"
	"d contains 5 if input.s == \"q\"\n"
	"d contains 6 if { limit < 4; input.s == \"a\" }\n"
	"d contains 7 if { input.s == \"a\"; limit < 4 }\n"
	"f(x) := y if y := x + limit\n";

/* The answers of OPA 1.22.3 with input {"s": "a", "v": 2, "i": 0}. */
static const struct {
	const char *query;
	const char *answer; /* of the first statement; NULL: undefined */
} cases[] = {
	{ "data.p.n", "3" },
	{ "data.p.n with count as 7", "7" },
	{ "data.p.up", "\"A-B\"" },
	{ "data.p.up with lower as \"z\"", "\"A-Z\"" },
	{ "data.p.up with concat as \"z\"", "\"Z\"" },
	{ "data.p.bad", NULL },
	{ "data.p.small", "true" },
	{ "data.p.small with data.p.limit as 1", NULL },
	{ "data.p.small with data.p as {\"limit\": 1}", NULL },
	{ "data.p.sum", "12" },
	{ "data.p.sum with data.p.wait as 1", "4" },
	{ "data.p.in_names with data.p.names as {\"q\"}", NULL },
	{ "data.p.in_names", "true" },
	{ "data.p.deep", "\"y\"" },
	{ "data.p.deep with data.p.cfg as {\"deep\": [0, {\"x\": 5}]}", "5" },
	{ "data.p.item", "1" },
	{ "data.p.item with input.i as 5", NULL },
	{ "data.p.each", "[\"a\",\"b\"]" },
	{ "data.p.re", "true" },
	{ "data.p.re with data.p.cfg as {\"re\": \"b\"}", NULL },
	{ "data.p.nested", "3" },
	{ "data.p.nested with count as 1", "1" },
	{ "data.p.d", "[2,3,4,6,7]" },
	{ "data.p.d with data.p.names as {\"q\"}", "[3,4,6,7]" },
	{ "data.p.d with data.p.limit as 4", "[2,3,4]" },
	{ "data.p.d with lower as \"b\"", "[2,4,6,7]" },
	{ "data.p.d with data.p.cfg as {\"deep\": [0, {\"x\": \"a\"}]}",
	  "[1,2,3,6,7]" },
	{ "data.p.d with input.s as \"y\"", "[1]" },
	{ "data.p.f(2)", "5" },
	{ "data.p.f(2) with data.p.limit as 8", "10" },
	{ "data.p.limit", "3" },
	{ "data.p.limit with data.p.limit as 8", "8" },
};

static struct bl_value read_json(struct bl_arena *arena, const char *text)
{
	struct bl_error err = { 0 };
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(arena, bl_str(text), NULL, &value, NULL, NULL,
				  &err),
		     BL_OK);
	return value;
}

static const struct bl_rego_policies *
through_image(struct bl_arena *arena, const struct bl_rego_policies *policies)
{
	struct bl_error err = { 0 };
	struct bl_value extra;
	struct bl_buf out;
	char *image;

	bl_buf_init(&out, 0);
	CHECK_STATUS(bl_rego_image_write(policies, bl_value_null(), &out, &err),
		     BL_OK);
	image = bl_arena_alloc_aligned(arena, out.len, 16);
	memcpy(image, out.ptr, out.len);
	CHECK_STATUS(bl_rego_image_open((struct bl_str){ image, out.len },
					arena, &policies, &extra, &err),
		     BL_OK);
	bl_buf_clear(&out);
	return policies;
}

/* The value of the query's first statement as JSON; "": undefined. */
static struct bl_str ask(const struct bl_rego_policies *policies,
			 const char *query, const char *data,
			 struct bl_arena *arena)
{
	struct bl_rego_options options = {
		.input = read_json(arena, "{\"s\":\"a\",\"v\":2,\"i\":0}"),
		.data = read_json(arena, data)
	};
	struct bl_rego_result result = { 0 };
	struct bl_error err = { 0 };
	struct bl_diags diags;
	struct bl_str answer = BL_STR("");

	bl_diags_init(&diags, arena);
	if (bl_rego_query(policies, bl_str(query), &options, arena, &diags,
			  &result, &err))
		return bl_arena_copy_str(arena, bl_str(err.message));
	if (result.fault_code)
		return result.fault;
	if (!bl_value_count(result.solutions))
		return answer;
	return as_json(
		arena,
		bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0));
}

static void answers(void)
{
	const struct bl_rego_policies *kinds[3];
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	kinds[0] = compile(&arena, policy, false);
	kinds[1] = through_image(&arena, kinds[0]);
	kinds[2] = compile(&arena, policy, true);
	CHECK(has_code(kinds[0], "LOAD_UNLESS_REPLACED"));
	CHECK(has_code(kinds[1], "LOAD_UNLESS_REPLACED"));
	CHECK(!has_code(kinds[2], "LOAD_UNLESS_REPLACED"));
	for (size_t i = 0; i < BL_COUNT(cases); i++)
		for (size_t j = 0; j < BL_COUNT(kinds); j++)
			CHECK_STR(ask(kinds[j], cases[i].query, "{}", &arena),
				  cases[i].answer ? cases[i].answer : "");
	bl_arena_clear(&arena);
}

/* Base data beside rules changes nothing; where a rule is, it is merged. */
static void base_data(void)
{
	static const char beside[] = "{\"p\":{\"more\":{\"limit\":1}},\"q\":1}";
	static const char inside[] = "{\"p\":{\"cfg\":{\"own\":\"a\"}}}";
	const struct bl_rego_policies *kinds[2];
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	kinds[0] = compile(&arena, policy, false);
	kinds[1] = compile(&arena, policy, true);
	for (size_t j = 0; j < BL_COUNT(kinds); j++) {
		CHECK_STR(ask(kinds[j], "data.p.d", beside, &arena),
			  "[2,3,4,6,7]");
		CHECK_STR(ask(kinds[j], "data.p.small", beside, &arena),
			  "true");
		CHECK_STR(ask(kinds[j], "data.p.deep", inside, &arena),
			  "\"y\"");
	}
	CHECK_STR(ask(kinds[0], "data.p.item", inside, &arena), "1");
	CHECK(bl_str_equal(ask(kinds[0], "data.p.cfg", inside, &arena),
			   ask(kinds[1], "data.p.cfg", inside, &arena)));
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(answers);
	RUN(base_data);
	return tap_end();
}

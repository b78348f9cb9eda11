/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of loops give back what they made: many rounds need little memory, and a
 * result is the same whether it is given back at once, now and then, or never.
 * Values that share parts are not larger than can be gone through.
 */
#include "policies.h"

static const char rules[] =
	"package p\n"
	"xs := numbers.range(1, 60)\n"
	"arrays := count([1 |\n"
	"  some i in xs; some j in xs; [i, j] == [j, i]])\n"
	"texts := {t | some i in xs; some j in xs\n"
	"  t := sprintf(\"%d\", [(i + j) % 10])}\n"
	"table := {k: v | some i in xs; some j in xs\n"
	"  k := sprintf(\"%d\", [i % 7]); v := [i % 7, \"x\"]; j > 0}\n"
	"partial contains t if {\n"
	"  some i in xs; some j in xs; t := {\"k\": [concat(\"-\", [\n"
	"    format_int((i * j) % 5, 10), \"z\"])]} }\n"
	"object[k] := v if {\n"
	"  some i in xs; some j in xs; k := format_int(i % 3, 10)\n"
	"  v := concat(\"\", [k, \"v\"]); j > 0 }\n"
	"f(x) := y if { some i in xs; i == x; y := [concat(\"\", [\n"
	"  \"y\", format_int(i, 10)])] }\n"
	"calls := [y | some i in xs; i % 9 == 0; y := f(i)]\n"
	"kept := [r | some i in xs; i % 20 == 0\n"
	"  some j in xs; j % 30 == 0\n"
	"  r := concat(\",\", [concat(\"+\", [format_int(i, 10), \"a\"]),\n"
	"    concat(\"+\", [format_int(j, 10), \"b\"])])]\n"
	"joined := [[x.id, y.n] | some x in rows; some y in rows\n"
	"  y.id == concat(\"\", [x.id])]\n"
	"rows := [{\"id\": format_int(i % 11, 10), \"n\": [i]} | some i in "
	"xs]\n"
	"under := [r | some i in xs; some j in [1, 2, 3]\n"
	"  r := g with input.k as [i, j] with input.m as \"m\"]\n"
	"g := [k | some k in input.k; concat(\"\", [input.m, \"n\"]) == "
	"\"mn\"]\n"
	"matched := [i | some i in xs\n"
	"  regex.match(sprintf(\"^%d.?$\", [i % 3]), format_int(i, 10))]\n"
	"every_one if {\n"
	"  every i in xs { every j in xs { [i, j][0] == i } } }\n"
	"chosen := \"a\" if { some i in xs; [i, i] == [70, 70] }\n"
	"else := concat(\"\", [\"b\", t]) if {\n"
	"  some i in xs; t := concat(\"\", [\"c\", \"d\"]); [i] == [i] }\n"
	"none := [i | some i in xs; not [i, i] == [i, i]]\n";

static const struct {
	const char *name;
	const char *value;
} answers[] = {
	{ "p.arrays", "60" },
	{ "p.texts", "[\"0\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\","
		     "\"9\"]" },
	{ "p.table",
	  "{\"0\":[0,\"x\"],\"1\":[1,\"x\"],\"2\":[2,\"x\"],\"3\":[3,\"x\"],"
	  "\"4\":[4,\"x\"],\"5\":[5,\"x\"],\"6\":[6,\"x\"]}" },
	{ "p.partial", "[{\"k\":[\"0-z\"]},{\"k\":[\"1-z\"]},{\"k\":[\"2-z\"]},"
		       "{\"k\":[\"3-z\"]},{\"k\":[\"4-z\"]}]" },
	{ "p.object", "{\"0\":\"0v\",\"1\":\"1v\",\"2\":\"2v\"}" },
	{ "p.calls", "[[\"y9\"],[\"y18\"],[\"y27\"],[\"y36\"],[\"y45\"],"
		     "[\"y54\"]]" },
	{ "p.kept", "[\"20+a,30+b\",\"20+a,60+b\",\"40+a,30+b\","
		    "\"40+a,60+b\",\"60+a,30+b\",\"60+a,60+b\"]" },
	{ "p.matched", "[1,2,10,13,16,19,20,23,26,29]" },
	{ "p.every_one", "true" },
	{ "p.chosen", "\"bcd\"" },
	{ "p.none", "[]" },
	{ "p.joined", NULL },
	{ "p.under", NULL },
};

static struct bl_str value_of(struct bl_arena *arena,
			      const struct bl_rego_policies *policies,
			      const char *path, size_t garbage_bytes)
{
	struct bl_rego_options options = { .garbage_bytes = garbage_bytes };
	struct bl_rego_result result;

	if (bl_rego_document(policies, bl_rego_find(policies, bl_str(path)),
			     &options, arena, &result, NULL))
		return BL_STR("does not run");
	return result.fault_code ? result.fault
				 : as_json(arena, result.document);
}

static void results_do_not_depend_on_it(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena, rules, false);
	for (size_t i = 0; policies && i < BL_COUNT(answers); i++) {
		struct bl_str never =
			value_of(&arena, policies, answers[i].name, SIZE_MAX);

		if (answers[i].value)
			CHECK_STR(never, answers[i].value);
		CHECK_STR(value_of(&arena, policies, answers[i].name, 1),
			  never.ptr);
		CHECK_STR(value_of(&arena, policies, answers[i].name, 4096),
			  never.ptr);
	}
	bl_arena_clear(&arena);
}

struct notes {
	struct bl_arena *arena;
	struct bl_str texts[100];
	size_t count;
};

static void keep_note(void *context, const struct bl_rego_event *event)
{
	struct notes *notes = context;

	if (event->kind == BL_REGO_NOTE && notes->count < 100)
		notes->texts[notes->count++] =
			bl_arena_copy_str(notes->arena, event->text);
}

/* An observer may keep what it was told in the arena of the evaluation. */
static void what_observers_keep_stays(void)
{
	struct notes notes = { 0 };
	struct bl_rego_observer observer = { &notes, keep_note };
	struct bl_rego_options options = { .garbage_bytes = 1,
					   .observer = &observer };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	notes.arena = &arena;
	policies = compile(&arena,
			   "package p\n"
			   "r := count([1 | some i in numbers.range(1, 100)\n"
			   "  trace(sprintf(\"note %d\", [i]))\n"
			   "  not sprintf(\"%d is not it\", [i]) == \"\"])\n",
			   false);
	CHECK_STATUS(bl_rego_document(policies,
				      bl_rego_find(policies, BL_STR("p.r")),
				      &options, &arena, &result, NULL),
		     BL_OK);
	CHECK_INT(notes.count, 100);
	for (size_t i = 0; i < notes.count; i++)
		CHECK_STR(notes.texts[i],
			  bl_arena_printf(&arena, "note %zu", i + 1).ptr);
	bl_arena_clear(&arena);
}

/* 1,000,000 rounds each, in 8 MiB; all they make would take some hundred. */
static const char *const large[] = {
	"r := count([1 | some i in numbers.range(1, 1000)\n"
	"  some j in numbers.range(1, 1000); [i, j] == [j, i]])",
	"r := count({x | some i in numbers.range(1, 1000)\n"
	"  some j in numbers.range(1, 1000)\n"
	"  x := sprintf(\"%d\", [(i + j) % 1000])})",
	"r := count(s)\n"
	"s contains x if {\n"
	"  some i in numbers.range(1, 1000); some j in numbers.range(1, 1000)\n"
	"  x := sprintf(\"%d\", [(i + j) % 1000]) }",
	"r := count({k: v | some i in numbers.range(1, 1000)\n"
	"  some j in numbers.range(1, 1000)\n"
	"  k := sprintf(\"%d\", [(i + j) % 1000]); v := [k]})",
	"f(x) := [x, x]\n"
	"r := count([1 | some i in numbers.range(1, 1000)\n"
	"  some j in numbers.range(1, 1000); f(i) == f(j)])",
};

static void many_rounds_need_little_memory(void)
{
	for (size_t i = 0; i < BL_COUNT(large); i++) {
		struct bl_arena arena;
		struct bl_str text;

		bl_arena_init(&arena, NULL, 0, (size_t)8 << 20);
		text = answer_of(&arena, large[i], "p.r", bl_value_undefined());
		CHECK_STR(text, "1000");
		bl_arena_clear(&arena);
	}
}

/* Where memory is out the limit is named. */
static void a_limit_is_told(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, (size_t)1 << 20);
	policies = compile(&arena,
			   "package p\n"
			   "r := [[i, j] | some i in numbers.range(1, 999)\n"
			   "  some j in numbers.range(1, 999)]\n",
			   false);
	if (policies)
		CHECK_STR(value_of(&arena, policies, "p.r", 0),
			  "eval_cancel_error: more than 1048576 bytes of "
			  "memory would be needed");
	bl_arena_clear(&arena);
}

/*
 * A builtin that runs out of memory, wherever that is on its way, is neither
 * undefined nor false.
 */
static void no_builtin_hides_it(void)
{
	static const char *const tests[] = {
		"count(json.unmarshal(text)) == 9999",
		"json.is_valid(text)",
		"count(yaml.unmarshal(text)) == 9999",
		"yaml.is_valid(text)",
		"count(yaml.marshal(xs)) > 9999",
		"json.match_schema({\"a\": xs}, {})[0]",
	};
	enum { LEAST = 256 << 10, MOST = 4 << 20, STEP = 32 << 10 };

	for (size_t i = 0; i < BL_COUNT(tests); i++) {
		struct bl_str answer = BL_STR("");

		for (size_t bytes = LEAST; bytes < MOST; bytes += STEP) {
			struct bl_arena arena;
			struct bl_str text;

			bl_arena_init(&arena, NULL, 0, bytes);
			text = bl_arena_printf(
				&arena,
				"xs := numbers.range(1, 9999 * input)\n"
				"text := json.marshal(xs)\n"
				"default r := false\n"
				"r if %s\n",
				tests[i]);
			answer = answer_of(&arena, text.ptr, "p.r",
					   bl_value_integer(1));
			CHECK(!bl_str_is(answer, "false") &&
			      !bl_str_is(answer, "undefined"));
			if (bl_str_is(answer, "true"))
				answer = BL_STR("true");
			bl_arena_clear(&arena);
		}
		CHECK_STR(answer, "true");
	}
}

/* ---- shared parts ----------------------------------------------------------- */

static const char *const uses[] = {
	"count(json.marshal(a40))",
	"count(sprintf(\"%v\", [a40]))",
	"{a40}",
	"a40 == b40",
	"count([1 | walk(a40, [p, v])])",
	"object.union({\"a\": a40}, {})",
	"a40",
};

/* a40 has 2^41 parts, and 41 that are different. */
static void shared_parts_count_each_time(void)
{
	for (size_t u = 0; u < BL_COUNT(uses); u++) {
		struct bl_arena arena;
		struct bl_buf text;

		bl_arena_init(&arena, NULL, 0, (size_t)64 << 20);
		bl_buf_init(&text, 0);
		bl_buf_puts(&text, "a0 := [input]\nb0 := [input]\n");
		for (int i = 1; i <= 40; i++)
			bl_buf_printf(&text,
				      "a%d := [a%d, a%d]\n"
				      "b%d := {\"x\": b%d, \"y\": b%d}\n",
				      i, i - 1, i - 1, i, i - 1, i - 1);
		bl_buf_printf(&text, "r := %s\n", uses[u]);
		CHECK_STR(
			answer_of(&arena, text.ptr, "p.r", bl_value_integer(1)),
			"eval_cancel_error");
		bl_buf_clear(&text);
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(results_do_not_depend_on_it);
	RUN(what_observers_keep_stays);
	RUN(many_rounds_need_little_memory);
	RUN(a_limit_is_told);
	RUN(no_builtin_hides_it);
	RUN(shared_parts_count_each_time);
	return tap_end();
}

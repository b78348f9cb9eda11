/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A comprehension that is found out for all keys at once gives what going through its
 * body for each key gives, and nothing else of it can be seen: "true == (x.id == key)"
 * does not say what a key is, "x.id == key" does.  Answers beside these pairs are
 * those of OPA 1.22.3.
 */
#include "policies.h"

enum { ROUNDS = 300 };

static const char helpers[] = "by(x) := concat(\"/\", [x.a, x.b])\n"
			      "f(key, x) := {\"k\": key, \"n\": x.n}\n"
			      "few := [x | some x in input.xs; x.n > 2]\n";

/* @: the name of the rules; {{ }}: a statement that says what a key is. */
static const char pairs[] =
	"@ contains [1, key, v] if {\n"
	"  some key in input.keys\n"
	"  v := [x.n | some x in input.xs; {{lower(x.a) == key}}] }\n"
	"@ contains [2, key, v] if {\n"
	"  some key in input.keys; some other in input.keys\n"
	"  v := {x.n: y | some y, x in input.xs; x.a != \"z\"\n"
	"    {{key == by(x)}}; {{x.b == other}}} }\n"
	"@ contains [3, o, v] if {\n"
	"  some o in [{\"id\": k, \"n\": n} | some k in input.keys; some n in "
	"[1, 2]]\n"
	"  v := {x.n | some x in few; id := x.tags[_]; {{id == o.id}}\n"
	"    {{o.n == x.n}}} }\n"
	"@ contains [4, key, v] if {\n"
	"  some key in input.keys; some row in [input.xs, few]\n"
	"  v := [f(key, x) | some x in row; {{x.v == key}}\n"
	"    not x.n == 4; n := count([y | some y in few; y.a == x.a])\n"
	"    n < 9] }\n"
	"@ contains [5, key, v] if {\n"
	"  some key in input.keys; v := @_of(key) }\n"
	"@_of(key) := {t: {x.n | some x in input.xs; t in x.tags} |\n"
	"  some x in input.xs; some t in x.tags; {{upper(x.b) == key}} }\n"
	"@ contains [6, key, n, v] if {\n"
	"  some n in [1, 2, 3]; some key in input.keys\n"
	"  v := limited_@(key) with input.least as n }\n"
	"limited_@(key) := [x.n | some x in input.xs\n"
	"  x.n >= input.least; {{x.tags[_] == key}}]\n"
	"@ contains [8, n, key, v] if {\n"
	"  some n in numbers.range(1, 9)\n"
	"  rows := [concat(x.a, [x.b, \"-\"]) | some x in input.xs; x.n != n]\n"
	"  some key in [\"aa-\", \"ab-\", \"ba-\", \"zz-\", \"za-\"]\n"
	"  v := {r | some r in rows; {{concat(\"\", [r, \"\"]) == key}}} }\n"
	"@ contains [7, key] if {\n"
	"  some key in input.keys\n"
	"  not count([1 | some x in input.xs; {{to_number(x.v) == key}}]) "
	"> 1 }\n";

/* ---- what is found ------------------------------------------------------------- */

static uint64_t seed = 11;

static uint32_t pick(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static const char *any_key(void)
{
	static const char *const keys[] = { "1",     "1.0",   "2",      "\"a\"",
					    "\"b\"", "\"A\"", "\"B\"",  "\"1\"",
					    "null",  "[1]",   "\"a/b\"" };

	return keys[pick(BL_COUNT(keys))];
}

static const char *any_letter(void)
{
	static const char *const letters[] = { "a", "b", "A", "z" };

	return letters[pick(BL_COUNT(letters))];
}

static struct bl_value any_input(struct bl_arena *arena)
{
	struct bl_value input = bl_value_undefined();
	struct bl_place place;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"least\": 0, \"keys\": [");
	for (uint32_t i = 0; i < 8; i++)
		bl_buf_printf(&text, "%s%s", i ? ", " : "", any_key());
	bl_buf_puts(&text, "], \"xs\": [");
	for (uint32_t i = 0, n = pick(30); i < n; i++) {
		bl_buf_printf(&text, "%s{\"a\": \"%s\", \"b\": \"%s\", ",
			      i ? ", " : "", any_letter(), any_letter());
		bl_buf_printf(&text, "\"v\": %s, \"tags\": [%s, \"%s\"], ",
			      any_key(), any_key(), any_letter());
		bl_buf_printf(&text, "\"n\": %u}",
			      (unsigned)(pick(2) ? i : pick(8)));
	}
	bl_buf_puts(&text, "]}");
	CHECK_STATUS(bl_json_read(arena,
				  bl_arena_copy_str(arena, bl_buf_str(&text)),
				  NULL, &input, NULL, &place, NULL),
		     BL_OK);
	bl_buf_clear(&text);
	return input;
}

/* The document, or the fault without its place. */
static struct bl_str ask(struct bl_arena *arena,
			 const struct bl_rego_policies *policies,
			 const char *path,
			 const struct bl_rego_options *options)
{
	struct bl_rego_result result;
	struct bl_error err = { 0 };

	CHECK_STATUS(bl_rego_document(policies,
				      bl_rego_find(policies, bl_str(path)),
				      options, arena, &result, &err),
		     BL_OK);
	if (result.fault_code)
		return bl_str(result.fault_code);
	return bl_value_is_defined(result.document)
		       ? as_json(arena, result.document)
		       : BL_STR("undefined");
}

/* The rules of pairs: with keys, or with what nobody takes for one. */
static void put_rules(struct bl_buf *out, const char *text, const char *name,
		      bool has_keys)
{
	for (; *text; text++) {
		if (*text == '@')
			bl_buf_puts(out, name);
		else if (!strncmp(text, "{{", 2) && text++)
			bl_buf_puts(out, has_keys ? "" : "true == (");
		else if (!strncmp(text, "}}", 2) && text++)
			bl_buf_puts(out, has_keys ? "" : ")");
		else
			bl_buf_put_char(out, *text);
	}
}

static const struct bl_rego_policies *compile_pairs(struct bl_arena *arena)
{
	const struct bl_rego_policies *policies;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "package p\n");
	bl_buf_puts(&text, helpers);
	put_rules(&text, pairs, "group", true);
	put_rules(&text, pairs, "scan", false);
	policies = compile(
		arena, bl_arena_copy_str(arena, bl_buf_str(&text)).ptr, false);
	bl_buf_clear(&text);
	return policies;
}

static void groups_are_what_bodies_find(void)
{
	const struct bl_rego_policies *policies;
	struct bl_arena policies_arena;
	struct bl_arena arena;
	size_t answers = 0;

	bl_arena_init(&policies_arena, NULL, 0, 0);
	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile_pairs(&policies_arena);
	for (int i = 0; i < ROUNDS; i++) {
		struct bl_rego_options options = {
			.input = any_input(&arena),
			.garbage_bytes = pick(2) ? 64 : 0,
			.strict_builtin_errors = pick(4) == 0,
		};
		struct bl_str group =
			ask(&arena, policies, "p.group", &options);

		CHECK_STR(group, ask(&arena, policies, "p.scan", &options).ptr);
		answers += group.len > 100;
		bl_arena_reset(&arena);
	}
	CHECK(answers > ROUNDS / 2);
	bl_arena_clear(&arena);
	bl_arena_clear(&policies_arena);
}

/* ---- where they are used ------------------------------------------------------- */

static const struct {
	const char *rules;
	bool grouped;
} shapes[] = {
	{ "q contains v if { some k in input.ks\n"
	  "  v := [x | some x in input.xs; lower(x.id) == k] }",
	  true },
	{ "q(k) := [x | some x in input.xs; y := lower(x.id); k = y]", true },
	{ "q contains v if { some k in input.ks\n"
	  "  v := [x | some y in input.ys; some x in y.xs; x.id == k.id] }",
	  true },
	{ "q contains v if { some k in input.ks\n"
	  "  v := [p | walk(input.xs, [p, x]); x.id == k] }",
	  true },
	/* found out once */
	{ "q := [x | some x in input.xs; lower(x.id) == k] if k := input.k",
	  false },
	/* looked up in the loop */
	{ "q contains v if { some k in input.ks\n"
	  "  v := [x | some x in input.xs; x.id == k] }",
	  false },
	/* the key is used before the statement that could give it a value */
	{ "q contains v if { some k in input.ks\n"
	  "  v := [x | some x in input.xs; x.n > k; lower(x.id) == k] }",
	  false },
	{ "f(k) := k\nq contains v if { some k in input.ks\n"
	  "  v := [x | f(k) == 1; some x in input.xs; lower(x.id) == k] }",
	  false },
	{ "q contains v if { some k in input.ks\n"
	  "  v := [x | some x in input.xs; not lower(x.id) == k] }",
	  false },
	{ "q contains v if { some k in input.ks\n"
	  "  v := [x | some x in input.xs; lower(x.id) == k with input.m as 1] "
	  "}",
	  false },
	/* a and b come from the key first, and from x where it has no value */
	{ "q contains v if { some k in input.ks; v := [x |\n"
	  "  some x in input.xs; a = x.id; [a, b] = k; b = x.m] }",
	  false },
	/* the rest of k is another one for each key */
	{ "q contains v if { some k in input.ks\n"
	  "  v := [[k.n, x] | some x in input.xs; lower(x.id) == k.id] }",
	  false },
};

static void groups_are_made_where_they_help(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < BL_COUNT(shapes); i++) {
		struct bl_str text = bl_arena_printf(&arena, "package p\n%s\n",
						     shapes[i].rules);

		CHECK(has_code(compile(&arena, text.ptr, false),
			       "FIND_GROUP") == shapes[i].grouped);
		CHECK(!has_code(compile(&arena, text.ptr, true), "FIND_GROUP"));
	}
	bl_arena_clear(&arena);
}

/* ---- what is not seen of them -------------------------------------------------- */

/* Rows 1 to 60; keys are "1" to "9", %s is what follows. */
#define ROWS                                                                   \
	"xs := [{\"id\": i % 10, \"n\": i} | some i in numbers.range(1, "      \
	"60)]\n"                                                               \
	"twice(n) := 1 if n > 0\n"                                             \
	"twice(n) := 2 if n == 30\n"

static const struct {
	const char *rules;
	const char *value;
} answers[] = {
	/* Row 30 is in the group of "0": a conflict that only it comes to. */
	{ ROWS "q := [count(v) | some k in [1, 2, 3, 4, 5]\n"
	       "  v := [twice(x.n) | some x in xs; x.id % 10 == k]]",
	  "[6,6,6,6,6]" },
	{ ROWS "q := [count(v) | some k in [1, 2, 3, 0]\n"
	       "  v := [twice(x.n) | some x in xs; x.id % 10 == k]]",
	  "eval_conflict_error" },
	{ ROWS "q := [count(v) | some k in [1, 2, 3, 4, 5]\n"
	       "  v := {x.id: x.n | some x in xs; x.n != 1 + x.id\n"
	       "    x.n < 11; x.id % 10 == k}]",
	  "[1,1,1,1,1]" },
	{ ROWS "q := [count(v) | some k in [1, 2, 3, 4, 5]\n"
	       "  v := {x.id: x.n | some x in xs; x.n > 50 - (x.id * 10) % 50\n"
	       "    x.id % 10 == k}]",
	  "eval_conflict_error" },
	/* A key is what was asked for, not what is equal to it. */
	{ ROWS "q := [v | some k in [7, 1.0, 2, 1]\n"
	       "  v := [json.marshal(k) | some x in xs; x.n < 11\n"
	       "    x.id % 10 == k]]",
	  "[[\"7\"],[\"1.0\"],[\"2\"],[\"1\"]]" },
	{ ROWS "q := [v | some k in [8, 9, 12]\n"
	       "  v := {x.id: x.n | some x in xs; x.n < 11; x.id % 10 == k}]",
	  "[{\"8\":8},{\"9\":9},{}]" },
};

static void faults_are_those_of_the_key(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < BL_COUNT(answers); i++)
		CHECK_STR(answer_of(&arena, answers[i].rules, "p.q",
				    bl_value_undefined()),
			  answers[i].value);
	bl_arena_clear(&arena);
}

static void count_notices(void *context, const struct bl_rego_event *event)
{
	*(size_t *)context +=
		event->kind == BL_REGO_NOTE || event->kind == BL_REGO_ERROR;
}

static void nobody_hears_of_other_keys(void)
{
	static const char rules[] =
		"package p\n" ROWS
		"notes := [v | some k in [1, 2, 3, 4]; v := [x |\n"
		"  some x in xs; x.id % 10 == k; trace(format_int(x.n, 10))]]\n"
		"errors := [v | some k in [1, 2, 3, 4]; v := [x |\n"
		"  some x in xs; x.id % 10 == k\n"
		"  to_number(concat(\"x\", [\"\", format_int(x.n, 10)]))]]\n";
	size_t notices = 0;
	struct bl_rego_observer observer = { &notices, count_notices };
	struct bl_rego_options options = { .observer = &observer };
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena, rules, false);
	CHECK(has_code(policies, "FIND_GROUP"));
	CHECK(ask(&arena, policies, "p.notes", &options).len > 100);
	CHECK_INT(notices, 24);
	CHECK_STR(ask(&arena, policies, "p.errors", &options), "[[],[],[],[]]");
	CHECK_INT(notices, 48);
	bl_arena_clear(&arena);
}

/* ---- what they cost ------------------------------------------------------------ */

static void groups_save_rounds(void)
{
	static const char rules[] =
		"package p\n"
		"xs := numbers.range(1, 2000)\n"
		"q := count([v | some k in xs\n"
		"  v := [x | some x in xs; format_int(x, 10) == format_int(k, "
		"10)]])\n"
		"r := count([v | some k in xs; t := format_int(k, 10)\n"
		"  v := [x | some x in xs; format_int(x, 10) == t]])\n";
	struct bl_rego_options options = { .max_steps = 40000 };
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, (size_t)4 << 20);
	policies = compile(&arena, rules, false);
	CHECK_STR(ask(&arena, policies, "p.r", &options), "2000");
	/* Both sides are found out inside: there is no key. */
	CHECK_STR(ask(&arena, policies, "p.q", &options), "eval_cancel_error");
	bl_arena_clear(&arena);
}

/*
 * A body that is dear for all keys together, and cheap for the two that are asked
 * for: no limit is hit that it would not hit.
 */
static void groups_hit_no_limit(void)
{
	static const char rules[] =
		"package p\n"
		"xs := numbers.range(1, 300)\n"
		"q := [count(v) | some k in [1, 2, 3, 4, 5]\n"
		"  v := [[x, y, z] | some x in xs; x % 100 == k; some y in xs\n"
		"    some z in [1, 2, 3]]]\n";
	struct bl_rego_options options = { .max_steps = 45000 };
	const struct bl_rego_policies *policies;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, (size_t)5 << 20);
	policies = compile(&arena, rules, false);
	CHECK(has_code(policies, "FIND_GROUP"));
	CHECK_STR(ask(&arena, policies, "p.q", &options),
		  "[2700,2700,2700,2700,2700]");
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(groups_are_what_bodies_find);
	RUN(groups_are_made_where_they_help);
	RUN(faults_are_those_of_the_key);
	RUN(nobody_hears_of_other_keys);
	RUN(groups_save_rounds);
	RUN(groups_hit_no_limit);
	return tap_end();
}

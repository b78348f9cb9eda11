/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of a test.  A rule test_x[case] gives an object of the cases that hold; an
 * observer was told which cases began, so that those that do not hold are
 * known, too.  Heads with several keys (test_x[a][b]) have cases within cases.
 *
 *   begun  ["one"], ["two"]      value  {"one": true}
 *   gives  {"one": {"name": "one"}, "two": {"name": "two", "fail": true}}
 */
#include "cli/rego/cases.h"

#include "cli/rego/tests.h"
#include "json/json.h"

/* A text stands for itself, all else is written as JSON. */
static struct bl_str case_name(struct bl_arena *arena, struct bl_value key)
{
	struct bl_str text;
	struct bl_buf out;

	if (bl_value_is(key, BL_KIND_STRING))
		return bl_value_text(key);
	bl_buf_init(&out, 0);
	bl_json_write(&out, key, BL_JSON_COMPACT);
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

struct bl_value cli_case_path(struct bl_arena *arena,
			      const struct bl_rego_event *event)
{
	struct bl_array_builder path;

	bl_array_builder_init(&path, arena);
	for (uint32_t i = 0; i < event->key_count; i++)
		bl_array_builder_add(&path, event->keys[i]);
	return bl_array_builder_end(&path);
}

/* ---- judging ---------------------------------------------------------------- */

/* Paths, sorted, of which the first depth parts are the same. */
struct paths {
	struct bl_value sorted;
	size_t from;
	size_t to;
	size_t depth;
};

static struct bl_value key_at(const struct paths *paths, size_t i)
{
	return bl_value_item(bl_value_item(paths->sorted, i), paths->depth);
}

static struct bl_value judge_level(struct bl_arena *arena,
				   struct bl_value value, struct paths paths,
				   bool *all);

/* One case: what the rule gave for it, and the paths that lead below it. */
static struct bl_value judge_case(struct bl_arena *arena, struct bl_str name,
				  struct bl_value value, struct paths below,
				  bool *out_passed)
{
	struct bl_object_builder one;
	struct bl_value inner = bl_value_undefined();
	bool passed;

	passed = bl_value_is(value, BL_KIND_BOOLEAN) && bl_value_is_true(value);
	if (bl_value_is(value, BL_KIND_OBJECT)) {
		passed = true;
		inner = judge_level(arena, value, below, &passed);
	} else if (!bl_value_is_defined(value)) {
		inner = judge_level(arena, value, below, &passed);
	}
	bl_object_builder_init(&one, arena);
	bl_object_builder_add(&one, BL_STR("name"), bl_value_string(name));
	if (!passed)
		bl_object_builder_add(&one, BL_STR("fail"),
				      bl_value_boolean(true));
	if (bl_value_count(inner))
		bl_object_builder_add(&one, BL_STR("sub_results"), inner);
	*out_passed = passed;
	return bl_object_builder_end(&one);
}

/* The paths behind paths->from that have the same key there, and go on. */
static struct paths same_key(const struct paths *paths, size_t *out_next)
{
	struct bl_value key = key_at(paths, paths->from);
	struct paths below = *paths;
	size_t i = paths->from;

	while (i < paths->to && bl_value_equal(key_at(paths, i), key))
		i++;
	*out_next = i;
	below.to = i;
	below.depth++;
	while (below.from < below.to &&
	       bl_value_count(bl_value_item(below.sorted, below.from)) <=
		       below.depth)
		below.from++;
	return below;
}

static struct bl_value judge_level(struct bl_arena *arena,
				   struct bl_value value, struct paths paths,
				   bool *all)
{
	struct paths nothing = { .sorted = paths.sorted };
	struct bl_object_builder cases;
	struct bl_value begun;
	bool passed;

	bl_object_builder_init(&cases, arena);
	while (paths.from < paths.to) {
		struct bl_value key = key_at(&paths, paths.from);
		struct bl_str name = case_name(arena, key);
		size_t next;
		struct paths below = same_key(&paths, &next);

		bl_object_builder_add(
			&cases, name,
			judge_case(arena, name,
				   bl_object_find_value(value, key), below,
				   &passed));
		*all &= passed;
		paths.from = next;
	}
	begun = bl_object_builder_end(&cases);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str name = case_name(arena, bl_object_key(value, i));

		if (bl_value_is_defined(bl_object_find(begun, name)))
			continue;
		bl_object_builder_add(&cases, name,
				      judge_case(arena, name,
						 bl_object_value(value, i),
						 nothing, &passed));
		*all &= passed;
	}
	return bl_object_builder_end(&cases);
}

struct bl_value cli_judge_cases(struct bl_arena *arena, struct bl_value value,
				struct bl_value begun, bool *all)
{
	struct paths paths = { .sorted = bl_set_of(arena, begun) };

	if (!bl_value_is_defined(paths.sorted))
		return paths.sorted;
	paths.to = bl_value_count(paths.sorted);
	if (!bl_value_is(value, BL_KIND_OBJECT))
		value = bl_value_undefined();
	return judge_level(arena, value, paths, all);
}

/* ---- reading the results ---------------------------------------------------- */

struct visitor {
	void (*visit)(void *context, const struct cli_case *one);
	void *context;
};

static void visit_cases(const struct visitor *visitor, struct bl_value cases,
			uint32_t depth)
{
	for (size_t i = 0; i < bl_value_count(cases); i++) {
		struct bl_value one = bl_object_value(cases, i);
		struct bl_value below =
			bl_object_find(one, BL_STR("sub_results"));
		struct cli_case shown = {
			.name = bl_value_text(bl_object_key(cases, i)),
			.failed = bl_value_is_defined(
				bl_object_find(one, BL_STR("fail"))),
			.is_leaf = !bl_value_count(below),
			.depth = depth,
		};

		visitor->visit(visitor->context, &shown);
		visit_cases(visitor, below, depth + 1);
	}
}

void cli_each_case(const struct cli_test *test,
		   void (*visit)(void *context, const struct cli_case *one),
		   void *context)
{
	const struct visitor visitor = { visit, context };

	visit_cases(&visitor, test->cases, 0);
}

static void count_case(void *context, const struct cli_case *one)
{
	struct cli_test_counts *counts = context;

	if (one->is_leaf)
		counts->of[one->failed ? CLI_TEST_FAIL : CLI_TEST_PASS]++;
}

struct cli_test_counts cli_count_tests(const struct cli_test_run *run)
{
	struct cli_test_counts counts = { 0 };

	for (size_t i = 0; i < run->test_count; i++) {
		const struct cli_test *test = &run->tests[i];

		if (bl_value_count(test->cases))
			cli_each_case(test, count_case, &counts);
		else
			counts.of[test->outcome]++;
	}
	for (int i = 0; i < CLI_TEST_OUTCOMES; i++)
		counts.all += counts.of[i];
	return counts;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rules named test_... and runs them, several at a time. */
#include "cli/rego/tests.h"

#include <stdatomic.h>

#include "cli/rego/eval_options.h"
#include "json/json.h"
#include "os/os.h"
#include "text/text.h"

/* ---- finding tests ---------------------------------------------------------- */

struct finder {
	struct bl_arena *arena;
	struct cli_test_run *run;
	const struct bl_regex *filter; /* NULL: all */
	enum cli_test_outcome outcome;
	size_t cap;
	bool failed;
};

static void find_test(void *context, struct bl_str path, struct bl_str file,
		      uint32_t line)
{
	struct finder *finder = context;
	struct cli_test_run *run = finder->run;
	bool found = true;
	void *room;

	if (finder->filter && bl_regex_search(finder->filter, finder->arena,
					      path, 0, NULL, 0, &found))
		finder->failed = true;
	if (!found || finder->failed)
		return;
	room = bl_arena_room(finder->arena, run->tests, run->test_count,
			     &finder->cap, sizeof(*run->tests));
	if (!room) {
		finder->failed = true;
		return;
	}
	run->tests = room;
	run->tests[run->test_count++] = (struct cli_test){
		.path = path,
		.file = file,
		.line = line,
		.outcome = finder->outcome,
	};
}

enum bl_status cli_find_tests(struct cli_test_run *run, struct bl_str filter,
			      struct bl_arena *arena, struct bl_error *err)
{
	struct finder finder = { .arena = arena, .run = run };
	enum bl_status status;

	if (filter.ptr) {
		status = bl_regex_compile(arena, filter, BL_REGEX_RE2,
					  &finder.filter, NULL, err);
		if (status) {
			bl_error_context(err, "--run");
			return status;
		}
	}
	bl_rego_each_rule(run->policies, BL_STR("test_"), arena, find_test,
			  &finder);
	finder.outcome = CLI_TEST_SKIPPED;
	bl_rego_each_rule(run->policies, BL_STR("todo_test_"), arena, find_test,
			  &finder);
	return finder.failed ? bl_arena_fail(arena, err) : BL_OK;
}

struct pool {
	struct cli_test_run *run;
	struct cli_coverage *coverage; /* by worker */
	atomic_size_t next;            /* test to be run */
};

/* The record that one worker keeps while a test runs. */
struct notes {
	struct cli_test *test;
	struct cli_coverage *coverage;
	struct bl_buf output;
	struct bl_buf failed; /* the last failure in the test's own rule */
	struct bl_object_builder cases;
	size_t case_count;
	int64_t deadline_ns;
};

static void put_value(struct bl_buf *out, struct bl_value value)
{
	bl_json_write(out, value, BL_JSON_COMPACT);
}

/* "12: x == 3, with 4 and 3, where x = 4" */
static void note_failure(struct bl_buf *out, const struct bl_rego_event *event)
{
	const struct bl_rego_mark *mark = event->mark;

	bl_buf_reset(out);
	bl_buf_printf(out, "%.*s:%u: %.*s", BL_STR_ARG(mark->file), mark->line,
		      BL_STR_ARG(mark->text));
	if (bl_value_is_defined(event->operands[0])) {
		bl_buf_puts(out, ", compared: ");
		put_value(out, event->operands[0]);
		bl_buf_puts(out, " and ");
		put_value(out, event->operands[1]);
	}
	for (uint32_t i = 0; i < event->count; i++) {
		bl_buf_printf(out, "%s%.*s = ", i ? ", " : ", where ",
			      BL_STR_ARG(event->names[i]));
		put_value(out, event->values[i]);
	}
}

static void notice(void *context, const struct bl_rego_event *event)
{
	struct notes *notes = context;

	if (event->mark)
		cli_coverage_notice(notes->coverage, event);
	if (event->kind == BL_REGO_FAIL && event->mark &&
	    event->mark->nesting == 1 &&
	    bl_str_equal(event->mark->path, notes->test->path))
		note_failure(&notes->failed, event);
	if (event->kind == BL_REGO_PRINT) {
		bl_buf_put_str(&notes->output, event->text);
		bl_buf_put_char(&notes->output, '\n');
	}
	if (event->kind == BL_REGO_CASE &&
	    bl_value_is(event->value, BL_KIND_STRING)) {
		bl_object_builder_add(&notes->cases,
				      bl_value_text(event->value),
				      bl_value_boolean(false));
		notes->case_count++;
	}
}

static bool is_over(void *context)
{
	const struct notes *notes = context;

	return bl_os_monotonic_ns() > notes->deadline_ns;
}

static bool is_true(struct bl_value value)
{
	return bl_value_is_defined(value) &&
	       !(bl_value_is(value, BL_KIND_BOOLEAN) &&
		 !bl_value_is_true(value));
}

/* Cases that began, and whether the rule has a true value for each. */
static enum cli_test_outcome
judge_cases(struct notes *notes, struct bl_arena *arena, struct bl_value value)
{
	struct bl_value begun = bl_object_builder_end(&notes->cases);
	struct bl_object_builder cases;
	bool all = true;

	bl_object_builder_init(&cases, arena);
	for (size_t i = 0; i < bl_value_count(begun); i++) {
		struct bl_str name = bl_value_text(bl_object_key(begun, i));
		bool passed = is_true(bl_object_find(value, name));

		all &= passed;
		bl_object_builder_add(&cases, name, bl_value_boolean(passed));
	}
	notes->test->cases = bl_object_builder_end(&cases);
	return all ? CLI_TEST_PASS : CLI_TEST_FAIL;
}

static enum cli_test_outcome judge(struct cli_test_run *run,
				   struct notes *notes, struct bl_arena *arena)
{
	struct bl_rego_observer observer = { notes, notice };
	struct bl_rego_options options = cli_rego_eval_options(run->data);
	struct cli_test *test = notes->test;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;
	struct bl_value value;

	options.is_over = is_over;
	options.is_over_context = notes;
	options.observer = &observer;
	options.host.network = run->network;
	bl_diags_init(&diags, arena);
	if (bl_rego_query(run->policies, test->path, &options, arena, &diags,
			  &result, &err)) {
		test->why = bl_arena_copy_str(arena, bl_str(err.message));
		return CLI_TEST_ERROR;
	}
	if (result.fault_code) {
		test->why = result.fault;
		return CLI_TEST_ERROR;
	}
	value = bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0);
	if (notes->case_count)
		return judge_cases(notes, arena, value);
	return is_true(value) ? CLI_TEST_PASS : CLI_TEST_FAIL;
}

/* Results are copied out of the evaluation's memory, which is used again. */
static void run_test(struct pool *pool, struct cli_test *test, uint32_t worker,
		     struct bl_arena *scratch)
{
	struct bl_arena *arena = &pool->run->arenas[worker];
	struct notes notes = { .test = test,
			       .coverage = &pool->coverage[worker] };
	int64_t begun_ns = bl_os_monotonic_ns();

	notes.deadline_ns = begun_ns + pool->run->timeout_ns;
	bl_buf_init(&notes.output, 0);
	bl_buf_init(&notes.failed, 0);
	bl_object_builder_init(&notes.cases, scratch);
	test->cases = bl_value_undefined();
	test->outcome = judge(pool->run, &notes, scratch);
	test->elapsed_ns = bl_os_monotonic_ns() - begun_ns;
	test->why = bl_arena_copy_str(arena, test->why);
	test->output = bl_arena_copy_str(arena, bl_buf_str(&notes.output));
	if (test->outcome == CLI_TEST_FAIL)
		test->failed =
			bl_arena_copy_str(arena, bl_buf_str(&notes.failed));
	if (bl_value_is_defined(test->cases))
		test->cases = bl_value_copy(arena, test->cases);
	bl_buf_clear(&notes.output);
	bl_buf_clear(&notes.failed);
}

static void work(void *context, uint32_t worker)
{
	struct pool *pool = context;
	struct cli_test_run *run = pool->run;
	struct bl_arena scratch;

	bl_arena_init(&scratch, NULL, 0, 0);
	for (;;) {
		size_t i = atomic_fetch_add(&pool->next, 1);

		if (i >= run->test_count)
			break;
		if (run->tests[i].outcome != CLI_TEST_SKIPPED)
			run_test(pool, &run->tests[i], worker, &scratch);
		bl_arena_reset(&scratch);
	}
	bl_arena_clear(&scratch);
}

enum bl_status cli_run_tests(struct cli_test_run *run, struct bl_arena *arena,
			     struct bl_error *err)
{
	struct pool pool = { .run = run };
	uint32_t count = run->worker_count;
	bool ok = cli_coverage_init(&run->coverage, arena, run->policies);

	run->arenas = bl_arena_new_array(arena, struct bl_arena, count);
	pool.coverage = bl_arena_new_array(arena, struct cli_coverage, count);
	if (!ok || !run->arenas || !pool.coverage)
		return bl_arena_fail(arena, err);
	for (uint32_t i = 0; i < count; i++) {
		bl_arena_init(&run->arenas[i], NULL, 0, 0);
		if (!cli_coverage_init(&pool.coverage[i], arena, run->policies))
			return bl_arena_fail(arena, err);
	}
	bl_os_parallel(count, work, &pool);
	for (uint32_t i = 0; i < count; i++)
		cli_coverage_add(&run->coverage, &pool.coverage[i]);
	return BL_OK;
}

void cli_clear_tests(struct cli_test_run *run)
{
	for (uint32_t i = 0; run->arenas && i < run->worker_count; i++)
		bl_arena_clear(&run->arenas[i]);
}

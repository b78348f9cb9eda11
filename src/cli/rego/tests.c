/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rules named test_... and runs them, several at a time. */
#include "cli/rego/tests.h"

#include <stdatomic.h>

#include "cli/rego/cases.h"
#include "cli/rego/errors.h"
#include "cli/rego/eval_options.h"
#include "cli/rego/trace.h"
#include "json/json.h"
#include "os/os.h"
#include "text/text.h"

enum { MAX_TRACE_BYTES = 16 << 20 }; /* of one test */

/* ---- finding tests ---------------------------------------------------------- */

struct finder {
	struct bl_arena *arena;
	struct cli_test_run *run;
	const struct bl_regex *filter; /* NULL: all */
	size_t cap;
	bool failed;
};

static void find_test(void *context, const struct bl_rego_test *rule)
{
	struct finder *finder = context;
	struct cli_test_run *run = finder->run;
	bool found = true;
	void *room;

	if (finder->filter && bl_regex_search(finder->filter, finder->arena,
					      rule->path, 0, NULL, 0, &found))
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
		.rule = rule,
		.outcome = rule->is_todo ? CLI_TEST_SKIPPED : CLI_TEST_PASS,
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
	bl_rego_each_test(run->policies, find_test, &finder);
	return finder.failed ? bl_arena_fail(arena, err) : BL_OK;
}

/* ---- running them ----------------------------------------------------------- */

struct pool {
	struct cli_test_run *run;
	const struct bl_rego_policies *policies;
	struct cli_coverage *coverage; /* by worker */
	atomic_size_t next;            /* test to be run */
	bool is_again; /* only what failed, for the statement that did */
};

/* The record that one worker keeps while a test runs. */
struct notes {
	struct cli_test *test;
	struct cli_coverage *coverage;
	const char *trace_kinds;
	struct bl_buf output;
	struct bl_buf trace;
	struct bl_buf failed; /* the last failure in the test's own rule */
	struct bl_array_builder cases; /* that began: arrays of their keys */
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

	if (notes->trace_kinds)
		cli_trace_put(&notes->trace, notes->trace_kinds, event);
	if (event->mark)
		cli_coverage_notice(notes->coverage, event);
	if (event->kind == BL_REGO_FAIL && event->mark &&
	    event->mark->nesting == 1 &&
	    bl_str_has_prefix(event->mark->path, notes->test->rule->path))
		note_failure(&notes->failed, event);
	if (event->kind == BL_REGO_PRINT) {
		bl_buf_put_str(&notes->output, event->text);
		bl_buf_put_char(&notes->output, '\n');
	}
	if (event->kind == BL_REGO_CASE)
		bl_array_builder_add(&notes->cases,
				     cli_case_path(notes->cases.arena, event));
}

static bool is_over(void *context)
{
	const struct notes *notes = context;

	return bl_os_monotonic_ns() > notes->deadline_ns;
}

/* The result of a query that was answered, as opa judges it. */
static enum cli_test_outcome
judge_value(struct notes *notes, struct bl_arena *arena, struct bl_value value)
{
	bool all = true;

	if (notes->test->rule->has_cases && bl_value_is_defined(value)) {
		notes->test->cases = cli_judge_cases(
			arena, value, bl_array_builder_end(&notes->cases),
			&all);
		return all ? CLI_TEST_PASS : CLI_TEST_FAIL;
	}
	return bl_value_is(value, BL_KIND_BOOLEAN) && bl_value_is_true(value)
		       ? CLI_TEST_PASS
		       : CLI_TEST_FAIL;
}

static enum cli_test_outcome judge(const struct pool *pool, struct notes *notes,
				   struct bl_arena *arena)
{
	const struct cli_test_run *run = pool->run;
	struct bl_rego_observer observer = { notes, notice,
					     !notes->trace_kinds };
	struct bl_rego_options options = cli_rego_eval_options(run->data);
	struct cli_test *test = notes->test;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;

	options.is_over = is_over;
	options.is_over_context = notes;
	options.observer = &observer;
	options.host.network = run->network;
	bl_diags_init(&diags, arena);
	if (bl_rego_query(pool->policies, test->rule->path, &options, arena,
			  &diags, &result, &err)) {
		test->why = bl_arena_copy_str(
			arena, diags.first ? diags.first->message
					   : bl_str(err.message));
		test->error = cli_rego_errors(arena, &diags, &err);
		return CLI_TEST_ERROR;
	}
	if (result.fault_code) {
		test->why = result.fault;
		test->error = cli_rego_fault(arena, &result);
		return CLI_TEST_ERROR;
	}
	return judge_value(
		notes, arena,
		bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0));
}

static void begin_notes(struct notes *notes, const struct pool *pool,
			struct cli_test *test, uint32_t worker,
			struct bl_arena *scratch)
{
	*notes = (struct notes){
		.test = test,
		.trace_kinds = pool->run->trace_kinds,
		.coverage = &pool->coverage[worker],
		.deadline_ns = bl_os_monotonic_ns() + pool->run->timeout_ns,
	};
	bl_buf_init(&notes->output, 0);
	bl_buf_init(&notes->failed, 0);
	bl_buf_init(&notes->trace, MAX_TRACE_BYTES);
	bl_array_builder_init(&notes->cases, scratch);
}

static void clear_notes(struct notes *notes)
{
	bl_buf_clear(&notes->output);
	bl_buf_clear(&notes->failed);
	bl_buf_clear(&notes->trace);
}

/* Results are copied out of the evaluation's memory, which is used again. */
static void run_test(const struct pool *pool, struct cli_test *test,
		     uint32_t worker, struct bl_arena *scratch)
{
	struct bl_arena *arena = &pool->run->arenas[worker];
	int64_t begun_ns = bl_os_monotonic_ns();
	struct notes notes;

	begin_notes(&notes, pool, test, worker, scratch);
	test->cases = bl_value_undefined();
	test->error = bl_value_undefined();
	test->outcome = judge(pool, &notes, scratch);
	test->elapsed_ns = bl_os_monotonic_ns() - begun_ns;
	test->why = bl_arena_copy_str(arena, test->why);
	test->output = bl_arena_copy_str(arena, bl_buf_str(&notes.output));
	if (test->outcome != CLI_TEST_PASS || pool->run->trace_all)
		test->trace =
			bl_arena_copy_str(arena, bl_buf_str(&notes.trace));
	if (test->outcome == CLI_TEST_FAIL)
		test->failed =
			bl_arena_copy_str(arena, bl_buf_str(&notes.failed));
	if (bl_value_is_defined(test->cases))
		test->cases = bl_value_copy(arena, test->cases);
	if (bl_value_is_defined(test->error))
		test->error = bl_value_copy(arena, test->error);
	clear_notes(&notes);
}

/* A test that failed runs once more, observed: which statement did not hold? */
static void ask_again(const struct pool *pool, struct cli_test *test,
		      uint32_t worker, struct bl_arena *scratch)
{
	struct cli_test again = *test;
	struct notes notes;

	begin_notes(&notes, pool, &again, worker, scratch);
	if (judge(pool, &notes, scratch) == CLI_TEST_FAIL)
		test->failed = bl_arena_copy_str(&pool->run->arenas[worker],
						 bl_buf_str(&notes.failed));
	clear_notes(&notes);
}

static void take_test(struct pool *pool, size_t i, uint32_t worker,
		      struct bl_arena *scratch)
{
	struct cli_test_run *run = pool->run;
	struct cli_test *test = &run->tests[i];

	if (run->cli)
		cli_show_progress(run->cli, i, "tests");
	if (pool->is_again && test->outcome == CLI_TEST_FAIL)
		ask_again(pool, test, worker, scratch);
	else if (!pool->is_again && test->outcome != CLI_TEST_SKIPPED)
		run_test(pool, test, worker, scratch);
}

static void work(void *context, uint32_t worker)
{
	struct pool *pool = context;
	struct bl_arena scratch;

	bl_arena_init(&scratch, NULL, 0, 0);
	for (;;) {
		size_t i = atomic_fetch_add(&pool->next, 1);

		if (i >= pool->run->test_count)
			break;
		take_test(pool, i, worker, &scratch);
		bl_arena_reset(&scratch);
	}
	bl_arena_clear(&scratch);
}

/* Each worker counts what it covers by itself. */
static enum bl_status make_room(struct pool *pool, struct bl_arena *arena,
				struct bl_error *err)
{
	struct cli_test_run *run = pool->run;
	bool ok = cli_coverage_init(&run->coverage, arena, run->policies);

	run->arenas =
		bl_arena_new_array(arena, struct bl_arena, run->worker_count);
	pool->coverage = bl_arena_new_array(arena, struct cli_coverage,
					    run->worker_count);
	if (!ok || !run->arenas || !pool->coverage)
		return bl_arena_fail(arena, err);
	for (uint32_t i = 0; i < run->worker_count; i++) {
		bl_arena_init(&run->arenas[i], NULL, 0, 0);
		if (!cli_coverage_init(&pool->coverage[i], arena,
				       run->policies))
			return bl_arena_fail(arena, err);
	}
	return BL_OK;
}

/* The tests that failed, once more, so that each has its statement. */
static enum bl_status find_failed(struct pool *pool, struct bl_arena *arena,
				  struct bl_error *err)
{
	struct cli_test_run *run = pool->run;
	struct bl_rego_compile_options how = run->how;
	struct bl_diags diags;
	enum bl_status status;

	how.observe = true;
	bl_diags_init(&diags, arena);
	status = bl_rego_compile(arena, run->files->sources,
				 run->files->source_count, &how, &diags,
				 &pool->policies, err);
	pool->is_again = true;
	pool->next = 0;
	if (!status)
		bl_os_parallel(run->worker_count, work, pool);
	return status;
}

enum bl_status cli_run_tests(struct cli_test_run *run, struct bl_arena *arena,
			     struct bl_error *err)
{
	struct pool pool = { .run = run, .policies = run->policies };
	enum bl_status status = make_room(&pool, arena, err);

	if (status)
		return status;
	bl_os_parallel(run->worker_count, work, &pool);
	if (!run->how.observe && cli_count_tests(run).of[CLI_TEST_FAIL])
		status = find_failed(&pool, arena, err);
	if (run->cli)
		cli_show_progress(run->cli, 0, NULL);
	for (uint32_t i = 0; i < run->worker_count; i++)
		cli_coverage_add(&run->coverage, &pool.coverage[i]);
	return status;
}

void cli_clear_tests(struct cli_test_run *run)
{
	for (uint32_t i = 0; run->arenas && i < run->worker_count; i++)
		bl_arena_clear(&run->arenas[i]);
}

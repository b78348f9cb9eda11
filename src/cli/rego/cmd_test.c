/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_test.c: belay rego test, the rules named test_... */
#include <stdlib.h>

#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/bench.h"
#include "cli/rego/compile.h"
#include "cli/rego/errors.h"
#include "cli/rego/eval_options.h"
#include "cli/rego/tests.h"
#include "cli/rego/trace.h"
#include "base/base64.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_BUNDLE,
	OPT_BENCH,
	OPT_COUNT,
	OPT_COVERAGE,
	OPT_SKIPPED,
	OPT_EMPTY,
	OPT_EXPLAIN,
	OPT_FORMAT,
	OPT_MAX_ERRORS,
	OPT_PARALLEL,
	OPT_RUN,
	OPT_SORT,
	OPT_TARGET,
	OPT_THRESHOLD,
	OPT_TIMEOUT,
	OPT_VERBOSE,
	OPT_WATCH,
	OPT_COMPILE, /* CLI_COMPILE_ROWS from here */
	OPT_BUNDLES = OPT_COMPILE +
		      CLI_COMPILE_COUNT, /* CLI_BUNDLE_READ_ROWS from here */
};

enum {
	/* as opa has them */
	EXIT_ERROR = 1,
	EXIT_FAILED = 2,
	MAX_WORKERS = 256,
	SETTLE_MS = 100, /* changes that come together are one */
	FOREVER_MS = 24 * 60 * 60 * 1000,
};

/* Of a test. */
static const int64_t default_timeout_ns = 5000000000;

static const struct cli_option options[] = {
	[OPT_BUNDLE] = CLI_BUNDLE_ROW,
	[OPT_BENCH] = { "bench", 0, CLI_FLAG, NULL,
			"measure how long each test takes" },
	[OPT_COUNT] = { "count", 0, CLI_NUMBER, "N",
			"run, or measure, so many times (default: once)" },
	[OPT_COVERAGE] = { "coverage", 'c', CLI_FLAG, NULL,
			   "print which lines the tests ran, as JSON" },
	[OPT_SKIPPED] = { "exit-zero-on-skipped", 'z', CLI_FLAG, NULL,
			  "skipped tests do not fail the run" },
	[OPT_EMPTY] = { "fail-on-empty", 0, CLI_FLAG, NULL,
			"it is a failure when there are no tests" },
	[OPT_EXPLAIN] = { "explain", 0, CLI_VALUE, "MODE",
			  "of tests that fail (with --verbose of all) show "
			  "what happened: full, fails or notes" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "TEST_FORMAT",
			 "pretty (the default) or json; with --bench also "
			 "gobench" },
	[OPT_MAX_ERRORS] = CLI_MAX_ERRORS_ROW,
	[OPT_PARALLEL] = { "parallel", 'p', CLI_NUMBER, "N",
			   "tests at a time (default: one a CPU)" },
	[OPT_RUN] = { "run", 'r', CLI_VALUE, "REGEX",
		      "only the tests whose path matches" },
	[OPT_SORT] = { "sort", 0, CLI_VALUE, "ORDER",
		       "of the tests that are shown: none (the default; as "
		       "they are found) or duration" },
	[OPT_TARGET] = CLI_TARGET_ROW,
	[OPT_THRESHOLD] = { "threshold", 0, CLI_NUMBER, "PERCENT",
			    "fail when fewer lines are covered" },
	[OPT_TIMEOUT] = { "timeout", 0, CLI_DURATION, "TIME",
			  "of one test: 500ms, 5s, 1m30s (default: 5s)" },
	[OPT_VERBOSE] = { "verbose", 'v', CLI_FLAG, NULL,
			  "name the tests that pass, too" },
	[OPT_WATCH] = { "watch", 'w', CLI_FLAG, NULL,
			"run again whenever a file changes" },
	CLI_COMPILE_ROWS(OPT_COMPILE),
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

static const struct {
	const char *word;
	enum cli_style style;
} outcomes[CLI_TEST_OUTCOMES] = {
	[CLI_TEST_PASS] = { "PASS", CLI_GREEN },
	[CLI_TEST_FAIL] = { "FAIL", CLI_RED },
	[CLI_TEST_ERROR] = { "ERROR", CLI_RED },
	[CLI_TEST_SKIPPED] = { "SKIPPED", CLI_YELLOW },
};

/* ---- what people see -------------------------------------------------------- */

struct shown_cases {
	struct cli *cli;
	bool verbose;
};

static void put_case(void *context, const struct cli_case *one)
{
	const struct shown_cases *shown = context;
	struct bl_buf *out = &shown->cli->out;

	if (!one->failed && !shown->verbose)
		return;
	for (uint32_t i = 0; i <= one->depth; i++)
		bl_buf_puts(out, "  ");
	cli_put_text(out, 2, one->name);
	bl_buf_puts(out, one->failed ? ": FAIL\n" : ": PASS\n");
}

static void put_lines(struct bl_buf *out, const char *before,
		      struct bl_str lines)
{
	if (!lines.len)
		return;
	bl_buf_puts(out, before);
	cli_put_text(out, strlen(before),
		     (struct bl_str){ lines.ptr, lines.len - 1 });
	bl_buf_put_char(out, '\n');
}

static void put_test(struct cli *cli, const struct cli_test *test, bool verbose)
{
	struct shown_cases shown = { cli, verbose };
	struct bl_buf *out = &cli->out;

	if (test->outcome == CLI_TEST_PASS && !verbose)
		return;
	bl_buf_printf(out, "%.*s:%u: %.*s.%.*s: ", BL_STR_ARG(test->rule->file),
		      test->rule->line, BL_STR_ARG(test->rule->package),
		      BL_STR_ARG(test->rule->name));
	cli_put_styled(cli, outcomes[test->outcome].style,
		       outcomes[test->outcome].word);
	if (test->why.len) {
		bl_buf_puts(out, ": ");
		cli_put_text(out, 2, test->why);
	}
	bl_buf_put_char(out, '\n');
	cli_each_case(test, put_case, &shown);
	if (test->failed.len && !bl_value_count(test->cases)) {
		bl_buf_puts(out, "  ");
		cli_put_text(out, 4, test->failed);
		bl_buf_put_char(out, '\n');
	}
	put_lines(out, "  | ", test->output);
	put_lines(out, "  ", test->trace);
}

static void put_pretty(struct cli *cli, const struct cli_test_run *run)
{
	struct cli_test_counts counts = cli_count_tests(run);

	for (size_t i = 0; i < run->test_count; i++)
		put_test(cli, &run->tests[i], cli_has(cli, OPT_VERBOSE));
	for (int i = 0; i < CLI_TEST_OUTCOMES; i++)
		if (counts.of[i])
			bl_buf_printf(&cli->out, "%s: %zu/%zu\n",
				      outcomes[i].word, counts.of[i],
				      counts.all);
	if (!run->test_count)
		bl_buf_puts(&cli->out, "no tests: no rule is named test_...\n");
}

/* ---- what programs see ------------------------------------------------------ */

static struct bl_value make_location(struct bl_arena *arena,
				     const struct bl_rego_test *rule)
{
	struct bl_object_builder place;

	bl_object_builder_init(&place, arena);
	bl_object_builder_add(&place, BL_STR("file"),
			      bl_value_string(rule->file));
	bl_object_builder_add(&place, BL_STR("row"),
			      bl_value_integer(rule->line));
	bl_object_builder_add(&place, BL_STR("col"),
			      bl_value_integer(rule->column));
	return bl_object_builder_end(&place);
}

static void add_text(struct bl_object_builder *object, struct bl_str name,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(object, name, bl_value_string(text));
}

/* The lines of print(): in base64, as opa has them, and as text. */
static void add_output(struct bl_object_builder *object, struct bl_str output)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_base64_put(&text, output, 0);
	add_text(object, BL_STR("output"),
		 bl_arena_copy_str(object->arena, bl_buf_str(&text)));
	add_text(object, BL_STR("printed"), output);
	bl_buf_clear(&text);
}

static void add_case(void *context, const struct cli_case *one)
{
	struct bl_object_builder *cases = context;

	if (!one->depth)
		bl_object_builder_add(cases, one->name,
				      bl_value_boolean(!one->failed));
}

/* Each case as opa has it, and those of the first key with true or false. */
static void add_cases(struct bl_object_builder *object,
		      const struct cli_test *test)
{
	struct bl_object_builder cases;

	if (!bl_value_count(test->cases))
		return;
	bl_object_builder_init(&cases, object->arena);
	cli_each_case(test, add_case, &cases);
	bl_object_builder_add(object, BL_STR("sub_results"), test->cases);
	bl_object_builder_add(object, BL_STR("cases"),
			      bl_object_builder_end(&cases));
}

static struct bl_value make_test(struct bl_arena *arena,
				 const struct cli_test *test)
{
	static const char *const marks[CLI_TEST_OUTCOMES] = {
		[CLI_TEST_FAIL] = "fail",
		[CLI_TEST_ERROR] = "error",
		[CLI_TEST_SKIPPED] = "skip",
	};
	struct bl_object_builder shown;

	bl_object_builder_init(&shown, arena);
	bl_object_builder_add(&shown, BL_STR("location"),
			      make_location(arena, test->rule));
	bl_object_builder_add(&shown, BL_STR("package"),
			      bl_value_string(test->rule->package));
	bl_object_builder_add(&shown, BL_STR("name"),
			      bl_value_string(test->rule->name));
	if (marks[test->outcome])
		bl_object_builder_add(&shown, bl_str(marks[test->outcome]),
				      test->outcome == CLI_TEST_ERROR
					      ? test->error
					      : bl_value_boolean(true));
	add_text(&shown, BL_STR("failed"), test->failed);
	add_output(&shown, test->output);
	add_cases(&shown, test);
	bl_object_builder_add(&shown, BL_STR("duration"),
			      bl_value_integer(test->elapsed_ns));
	return bl_object_builder_end(&shown);
}

static void put_json(struct cli *cli, const struct cli_test_run *run)
{
	struct bl_array_builder all;

	bl_array_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < run->test_count; i++)
		bl_array_builder_add(&all,
				     make_test(&cli->arena, &run->tests[i]));
	bl_json_write(&cli->out, bl_array_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* ---- one run ---------------------------------------------------------------- */

static int compare_durations(const void *a, const void *b)
{
	int64_t x = ((const struct cli_test *)a)->elapsed_ns;
	int64_t y = ((const struct cli_test *)b)->elapsed_ns;

	return (x < y) - (x > y);
}

static bool has_failed(const struct cli *cli, const struct cli_test_run *run)
{
	struct cli_test_counts counts = cli_count_tests(run);

	return counts.of[CLI_TEST_FAIL] || counts.of[CLI_TEST_ERROR] ||
	       (counts.of[CLI_TEST_SKIPPED] && !cli_has(cli, OPT_SKIPPED));
}

static bool counts_lines(const struct cli *cli)
{
	return cli_has(cli, OPT_COVERAGE) || cli_has(cli, OPT_THRESHOLD);
}

/* The exit status that the tests and their coverage deserve. */
static int report(struct cli *cli, const struct cli_test_run *run)
{
	bool failed = has_failed(cli, run);
	bool counts = counts_lines(cli);
	size_t percent = 0;
	struct bl_value covered;

	if (bl_str_is(cli_value(cli, OPT_SORT), "duration"))
		qsort(run->tests, run->test_count, sizeof(*run->tests),
		      compare_durations);
	if (failed || !counts) {
		if (bl_str_is(cli_value(cli, OPT_FORMAT), "json"))
			put_json(cli, run);
		else
			put_pretty(cli, run);
		return failed ? EXIT_FAILED : 0;
	}
	covered = cli_coverage_report(&run->coverage, &cli->arena,
				      run->policies, &percent);
	if (cli_has(cli, OPT_COVERAGE)) {
		bl_json_write(&cli->out, covered, BL_JSON_PRETTY);
		bl_buf_put_char(&cli->out, '\n');
	}
	if (percent >= cli->given[OPT_THRESHOLD].number * 100)
		return 0;
	cli_note("belay: %zu.%02zu %% of the lines are covered, less than %llu "
		 "%%\n",
		 percent / 100, percent % 100,
		 (unsigned long long)cli->given[OPT_THRESHOLD].number);
	return EXIT_FAILED;
}

static enum bl_status compile(struct cli *cli, struct cli_rego_files *files,
			      struct cli_test_run *run,
			      struct cli_network *network, struct bl_error *err)
{
	struct bl_diags diags;
	struct cli_rego_paths paths =
		cli_rego_operands(cli, cli_has(cli, OPT_BUNDLE));
	struct bl_bundle_options bundle_options;
	enum bl_status status =
		cli_bundle_options(cli, OPT_BUNDLES, cli_has(cli, OPT_BUNDLE),
				   &bundle_options, err);

	run->how = (struct bl_rego_compile_options){
		.print = !cli_has(cli, OPT_BENCH),
		.observe = run->trace_kinds || counts_lines(cli),
		.tests = true,
	};
	run->files = files;
	paths.how = &run->how;
	paths.bundle_options = &bundle_options;
	bl_diags_init(&diags, &cli->arena);
	diags.most = CLI_MAX_DIAGS;
	if (!status)
		status = cli_compile_options(cli, OPT_COMPILE, &run->how,
					     network, err);
	if (!status)
		run->network = network->use;
	if (!status)
		status = cli_compile_rego(cli, &paths, files, &diags,
					  &run->policies, err);
	cli_limit_diags(&diags, cli->given[OPT_MAX_ERRORS].number);
	cli_note_diags(cli, &diags);
	return status;
}

/* "data.a.test_b" as Go names benchmarks: BenchmarkDataATestB. */
static struct bl_str benchmark_name(struct cli *cli, struct bl_str path)
{
	struct bl_str name = BL_STR("Benchmark");
	bool upper = true;

	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (c == '.' || c == '_') {
			upper = true;
			continue;
		}
		if (upper && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		upper = false;
		name = bl_arena_printf(&cli->arena, "%.*s%c", BL_STR_ARG(name),
				       c);
	}
	return name;
}

static void put_measured(struct cli *cli, const struct cli_test *test,
			 const struct cli_bench *bench)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	struct bl_object_builder one;

	if (!bl_str_is(format, "json")) {
		cli_bench_put_line(
			bench,
			bl_str_is(format, "gobench")
				? benchmark_name(cli, test->rule->path).ptr
				: test->rule->path.ptr,
			&cli->out);
		return;
	}
	bl_object_builder_init(&one, &cli->arena);
	bl_object_builder_add(&one, BL_STR("test"),
			      bl_value_string(test->rule->path));
	bl_object_builder_add(&one, BL_STR("runs"),
			      bl_value_integer((int64_t)bench->runs));
	bl_object_builder_add(&one, BL_STR("mean_ns"),
			      bl_value_integer(bench->mean_ns));
	bl_object_builder_add(&one, BL_STR("bytes"),
			      bl_value_integer((int64_t)bench->bytes));
	cli_put_json(cli, bl_object_builder_end(&one));
}

/* Each test one after the other, as it is without an observer. */
static enum bl_status measure(struct cli *cli, struct cli_test_run *run,
			      struct bl_error *err)
{
	struct cli_bench bench;
	struct bl_diags diags;
	enum bl_status status = cli_bench_init(&bench, &cli->arena, err);

	bl_diags_init(&diags, &cli->arena);
	bench.query = cli_rego_eval_options(run->data);
	bench.query.host.network = run->network;
	for (size_t i = 0; !status && i < run->test_count; i++) {
		struct cli_test *test = &run->tests[i];

		if (test->outcome == CLI_TEST_SKIPPED)
			continue;
		status = bl_rego_prepare(run->policies, test->rule->path,
					 &cli->arena, &diags, &bench.prepared,
					 err);
		if (!status)
			status = cli_bench_measure(&bench, err);
		if (!status && bench.undefined)
			status = bl_fail(err, BL_INVALID, "it fails");
		if (!status) {
			put_measured(cli, test, &bench);
			status = cli_flush(cli, err);
		}
		if (status)
			bl_error_context(err, "%.*s",
					 BL_STR_ARG(test->rule->path));
	}
	cli_bench_clear(&bench);
	return status;
}

static int run_tests(struct cli *cli, struct cli_test_run *run)
{
	struct bl_error err;
	enum bl_status status;
	int code;

	if (cli_has(cli, OPT_BENCH))
		return measure(cli, run, &err)
			       ? cli_fail_with(cli, &err, EXIT_FAILED)
			       : 0;
	status = cli_run_tests(run, &cli->arena, &err);
	code = status ? cli_fail_with(cli, &err, EXIT_ERROR) : report(cli, run);
	cli_clear_tests(run);
	return code;
}

static int run_with(struct cli *cli, struct cli_rego_files *files,
		    struct cli_network *network)
{
	uint64_t workers = cli->given[OPT_PARALLEL].number;
	uint64_t count =
		cli_has(cli, OPT_COUNT) ? cli->given[OPT_COUNT].number : 1;
	struct cli_test_run run = { .cli = cli };
	const char *kinds = cli_trace_kinds(cli_value(cli, OPT_EXPLAIN));
	struct bl_error err;
	enum bl_status status;
	int code = 0;

	if (kinds && *kinds)
		run.trace_kinds = kinds;
	status = compile(cli, files, &run, network, &err);
	if (!status)
		status = cli_find_tests(&run, cli_value(cli, OPT_RUN),
					&cli->arena, &err);
	if (!status && !run.test_count && cli_has(cli, OPT_EMPTY))
		status = bl_fail(&err, BL_NOT_FOUND, "there are no tests");
	if (status)
		return cli_fail_with(cli, &err, EXIT_ERROR);
	run.data = files->data;
	run.trace_all = cli_has(cli, OPT_VERBOSE);
	run.timeout_ns = cli_has(cli, OPT_TIMEOUT)
				 ? (int64_t)cli->given[OPT_TIMEOUT].number
				 : default_timeout_ns;
	run.worker_count = !workers                ? bl_os_cpu_count()
			   : workers < MAX_WORKERS ? (uint32_t)workers
						   : (uint32_t)MAX_WORKERS;
	for (uint64_t i = 0; i < count && !code; i++)
		code = run_tests(cli, &run);
	return code;
}

static int run_once(struct cli *cli, struct cli_rego_files *files)
{
	struct cli_network network = { .use = NULL };
	int code = run_with(cli, files, &network);

	cli_network_clear(&network);
	return code;
}

/* ---- watching --------------------------------------------------------------- */

static enum bl_status watch(struct cli *cli, const struct cli_rego_files *files,
			    int fd, struct bl_error *err)
{
	for (size_t i = 0; i < cli->operand_count; i++) {
		enum bl_status status =
			bl_os_watch_add(fd, cli->operands[i], err);

		if (status)
			return status;
	}
	/* A folder may have gone since it was read. */
	for (size_t i = 0; i < files->source_count; i++)
		(void)bl_os_watch_add(fd, bl_path_dir(files->sources[i].file),
				      NULL);
	return BL_OK;
}

/* Ends by a signal. */
static int run_again_and_again(struct cli *cli)
{
	struct cli_rego_files files = { 0 };
	struct bl_arena first = cli->arena;
	struct bl_error err;
	enum bl_status status = BL_OK;

	/* Each round has an arena of its own. */
	while (!status) {
		int fd;

		status = bl_os_watch_open(&fd, &err);
		if (status)
			break;
		bl_arena_init(&cli->arena, NULL, 0, 0);
		files = (struct cli_rego_files){ 0 };
		run_once(cli, &files);
		bl_buf_puts(&cli->out, "watching for changes\n");
		status = cli_flush(cli, &err);
		if (!status)
			status = watch(cli, &files, fd, &err);
		if (!status)
			(void)bl_os_wait_readable(fd, FOREVER_MS);
		(void)bl_os_wait_readable(-1, SETTLE_MS);
		bl_os_close(fd);
		bl_arena_clear(&cli->arena);
	}
	cli->arena = first;
	return cli_fail(cli, &err);
}

/* Is the value of an option, where it is given, one of two words? */
static bool is_either(const struct cli *cli, size_t option, const char *a,
		      const char *b)
{
	struct bl_str value = cli_value(cli, option);

	return !value.ptr || bl_str_is(value, a) || bl_str_is(value, b);
}

static enum bl_status check_options(const struct cli *cli, struct bl_error *err)
{
	bool measured = cli_has(cli, OPT_BENCH);

	if (!is_either(cli, OPT_FORMAT, "pretty", "json") &&
	    !(measured && is_either(cli, OPT_FORMAT, "gobench", "pretty")))
		return bl_fail(err, BL_USAGE,
			       "--format is pretty or json, and gobench with "
			       "--bench");
	if (!is_either(cli, OPT_SORT, "none", "duration"))
		return bl_fail(err, BL_USAGE, "--sort takes none or duration");
	if (cli_has(cli, OPT_EXPLAIN) &&
	    (bl_str_is(cli_value(cli, OPT_EXPLAIN), "why") ||
	     !cli_trace_kinds(cli_value(cli, OPT_EXPLAIN))))
		return bl_fail(err, BL_USAGE,
			       "--explain is full, fails, notes or off");
	if (cli_has(cli, OPT_COUNT) && !cli->given[OPT_COUNT].number)
		return bl_fail(err, BL_USAGE, "--count is at least 1");
	if (measured && counts_lines(cli))
		return bl_fail(err, BL_USAGE,
			       "--bench and --coverage do not go together");
	return cli_check_target(cli, OPT_TARGET, err);
}

static int run_test(struct cli *cli)
{
	struct cli_rego_files files;
	struct bl_error err;

	if (check_options(cli, &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_WATCH))
		return run_again_and_again(cli);
	return run_once(cli, &files);
}

const struct cli_code cli_code_rego_test = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details = "Each rule test_... is a test, and passes when it is true; "
		   "todo_test_... are skipped.\n"
		   "A second rule of one name is the test \"test_x#01\".  Of a "
		   "test with cases,\n"
		   "test_x[case], each case has to "
		   "pass, and counts.  A test that fails\n"
		   "shows its last statement that did not hold, with the "
		   "values that it saw, and\n"
		   "what it printed.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  every test passes\n"
		   "  1  the policies do not compile, or there are no tests "
		   "(--fail-on-empty)\n"
		   "  2  one fails, ends with an error, or is skipped "
		   "(without -z), or too few\n"
		   "     lines are covered\n",
	.run = run_test,
	.foreign = cli_opa_options,
};

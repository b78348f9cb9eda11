/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/tests.h: running the tests of policies, several at a time. */
#ifndef BELAY_CLI_REGO_TESTS_H
#define BELAY_CLI_REGO_TESTS_H

#include "cli/rego/coverage.h"
#include "cli/rego/files.h"

enum cli_test_outcome {
	CLI_TEST_PASS,
	CLI_TEST_FAIL,
	CLI_TEST_ERROR,
	CLI_TEST_SKIPPED,
	CLI_TEST_OUTCOMES
};

struct cli_test {
	const struct bl_rego_test *rule;
	enum cli_test_outcome outcome;
	struct bl_str why;     /* ERROR: what happened */
	struct bl_value error; /* ERROR: the same as opa shows it in JSON */
	struct bl_str
		failed; /* FAIL: the statement, with its values, if known */
	struct bl_str output; /* of print, lines */
	struct bl_str trace;  /* lines, where the run wants them */
	/*
	 * Of test_x[case]: an object of {"name", "fail", "sub_results"} for
	 * each, as opa has them; undefined: no such test.
	 */
	struct bl_value cases;
	int64_t elapsed_ns;
};

struct cli_test_run {
	/*
	 * Compiled as how says, with tests; to be observed for coverage and traces.
	 * Otherwise they run as fast as anywhere, and what fails runs once more,
	 * compiled from files to be observed: for the statement that did not hold.
	 */
	const struct bl_rego_policies *policies;
	struct bl_rego_compile_options how;
	const struct cli_rego_files *files;
	struct bl_value data;
	const struct bl_rego_network *network; /* NULL: off */
	const char *trace_kinds; /* of cli_trace_kinds; NULL: no trace */
	bool trace_all;          /* of tests that pass, too */
	uint32_t worker_count;
	int64_t timeout_ns;
	struct cli_test *tests;
	size_t test_count;
	struct bl_arena *arenas; /* one a worker: of the results */
	struct cli *cli;         /* where progress is shown; NULL: nowhere */
	struct cli_coverage coverage;
};

/*
 * Finds the rules test_... and todo_test_... (skipped) of run's policies;
 * filter is what --run says, ptr NULL: all.
 */
enum bl_status cli_find_tests(struct cli_test_run *run, struct bl_str filter,
			      struct bl_arena *arena, struct bl_error *err);

/*
 * How many passed, failed, ...: of a test with cases each case counts, not the test.
 */
struct cli_test_counts {
	size_t of[CLI_TEST_OUTCOMES];
	size_t all;
};
struct cli_test_counts cli_count_tests(const struct cli_test_run *run);

/* One case of a test; depth from 0. */
struct cli_case {
	struct bl_str name;
	bool failed;
	bool is_leaf; /* no case below it */
	uint32_t depth;
};

/* Calls visit with each of a test's cases, those above before those below. */
void cli_each_case(const struct cli_test *test,
		   void (*visit)(void *context, const struct cli_case *one),
		   void *context);

/* Runs every test that is not skipped; fills the tests and coverage. */
enum bl_status cli_run_tests(struct cli_test_run *run, struct bl_arena *arena,
			     struct bl_error *err);
void cli_clear_tests(struct cli_test_run *run);

#endif

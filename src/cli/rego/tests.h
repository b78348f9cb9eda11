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
	struct bl_str path;
	struct bl_str file;
	uint32_t line;
	enum cli_test_outcome outcome;
	struct bl_str why;     /* ERROR: what happened */
	struct bl_str failed;  /* FAIL: the statement, with its values */
	struct bl_str output;  /* of print */
	struct bl_value cases; /* of test_x[case]: name to whether it passed */
	int64_t elapsed_ns;
};

struct cli_test_run {
	const struct bl_rego_policies *policies; /* compiled to be observed */
	struct bl_value data;
	const struct bl_rego_network *network; /* NULL: off */
	uint32_t worker_count;
	int64_t timeout_ns;
	struct cli_test *tests;
	size_t test_count;
	struct bl_arena *arenas; /* one a worker: of the results */
	struct cli_coverage coverage;
};

/*
 * Finds the rules test_... and todo_test_... (skipped) of run's policies;
 * filter is what --run says, ptr NULL: all.
 */
enum bl_status cli_find_tests(struct cli_test_run *run, struct bl_str filter,
			      struct bl_arena *arena, struct bl_error *err);

/* Runs every test that is not skipped; fills the tests and coverage. */
enum bl_status cli_run_tests(struct cli_test_run *run, struct bl_arena *arena,
			     struct bl_error *err);
void cli_clear_tests(struct cli_test_run *run);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cases.h: the cases of a test, test_x[case]. */
#ifndef BELAY_CLI_REGO_CASES_H
#define BELAY_CLI_REGO_CASES_H

#include "rego/rego.h"

/* The keys of the case that an event BL_REGO_CASE tells of, as an array. */
struct bl_value cli_case_path(struct bl_arena *arena,
			      const struct bl_rego_event *event);

/*
 * The results of all cases, as of struct cli_test: value is what the rule gave, an
 * object; begun are the paths of the cases that began.  A case that began and
 * has no value has failed.  Clears *all when one failed.  Undefined: no memory.
 */
struct bl_value cli_judge_cases(struct bl_arena *arena, struct bl_value value,
				struct bl_value begun, bool *all);

#endif

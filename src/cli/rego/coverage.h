/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/rego/coverage.h: which rules and statements ran.  A statement is covered when
 * it was begun, the head of a rule when it gave a value.
 */
#ifndef BELAY_CLI_REGO_COVERAGE_H
#define BELAY_CLI_REGO_COVERAGE_H

#include "cli/cli.h"
#include "rego/rego.h"

struct cli_coverage {
	uint32_t count;   /* of marks */
	uint64_t *counts; /* by number of mark */
};

/* All zero, in arena; false when memory is out. */
bool cli_coverage_init(struct cli_coverage *coverage, struct bl_arena *arena,
		       const struct bl_rego_policies *policies);

void cli_coverage_notice(struct cli_coverage *coverage,
			 const struct bl_rego_event *event);
void cli_coverage_add(struct cli_coverage *sum,
		      const struct cli_coverage *coverage);

/* OPA's report; *out_percent (may be NULL) is in hundredths of a percent. */
struct bl_value cli_coverage_report(const struct cli_coverage *coverage,
				    struct bl_arena *arena,
				    const struct bl_rego_policies *policies,
				    size_t *out_percent);

#endif

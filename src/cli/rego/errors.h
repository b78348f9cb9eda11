/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/errors.h: errors as OPA's commands print them in JSON. */
#ifndef BELAY_CLI_REGO_ERRORS_H
#define BELAY_CLI_REGO_ERRORS_H

#include "base/diag.h"
#include "cli/cli.h"
#include "rego/rego.h"

#define CLI_MAX_ERRORS_ROW                                                     \
	{                                                                      \
		"max-errors", 'm', CLI_NUMBER, "N",                            \
			"say no more than N of the errors (default: all)"      \
	}

/* Findings that are kept for a report: all of them, within reason. */
enum { CLI_MAX_DIAGS = 100000 };

/* Keeps the first so many findings, and says that there are more; 0: all. */
void cli_limit_diags(struct bl_diags *diags, size_t most);

/* The findings as an array of {"message", "code", "location"}; or err alone. */
struct bl_value cli_rego_errors(struct bl_arena *arena,
				const struct bl_diags *diags,
				const struct bl_error *err);

/* Such an object of an evaluation that failed. */
struct bl_value cli_rego_fault(struct bl_arena *arena,
			       const struct bl_rego_result *result);

/* Appends {"errors": errors} to cli->out. */
void cli_put_rego_errors(struct cli *cli, struct bl_value errors);

#endif

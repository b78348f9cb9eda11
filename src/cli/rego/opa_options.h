/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/opa_options.h: options that `opa` has and `belay rego` lacks. */
#ifndef BELAY_CLI_REGO_OPA_OPTIONS_H
#define BELAY_CLI_REGO_OPA_OPTIONS_H

#include "cli/cli.h"

/* For struct cli_code's foreign. */
extern const struct cli_foreign cli_opa_options[];

/* Is there a target of that name but these?  USAGE says why not. */
enum bl_status cli_check_target(const struct cli *cli, size_t option,
				struct bl_error *err);

#define CLI_TARGET_ROW                                                         \
	{                                                                      \
		"target", 't', CLI_VALUE, "ENGINE",                            \
			"rego: other engines are not there"                    \
	}
#define CLI_OPTIMIZE_ROW                                                       \
	{                                                                      \
		"optimize", 'O', CLI_NUMBER, "LEVEL",                          \
			"0: other levels are not there"                        \
	}

/* As above for --optimize: 0 is the only level. */
enum bl_status cli_check_level(const struct cli *cli, size_t option,
			       struct bl_error *err);

#endif

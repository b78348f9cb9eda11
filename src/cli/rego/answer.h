/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/answer.h: the answer to a query, as `opa eval` has it. */
#ifndef BELAY_CLI_REGO_ANSWER_H
#define BELAY_CLI_REGO_ANSWER_H

#include "cli/cli.h"
#include "rego/rego.h"

/*
 * Solutions as OPA has them in JSON: an array of {"expressions": [{"value",
 * "text", "location"}], "bindings"}; both left out where empty.  Undefined:
 * memory.
 */
struct bl_value cli_rego_answer(struct cli *cli, struct bl_str query,
				struct bl_value solutions);

#endif

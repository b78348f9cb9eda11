/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/eval_options.h: what an evaluation may ask the system for. */
#ifndef BELAY_CLI_REGO_EVAL_OPTIONS_H
#define BELAY_CLI_REGO_EVAL_OPTIONS_H

#include "rego/rego.h"

/*
 * No input, this data, the time of now; time zones are those of
 * /usr/share/zoneinfo, random bytes those of the system.
 */
struct bl_rego_options cli_rego_eval_options(struct bl_value data);

#endif

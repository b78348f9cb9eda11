/* SPDX-License-Identifier: Apache-2.0 */
/* eval_compile.h: where the two programs differ in belay eval. */
#ifndef BELAY_CLI_EVAL_COMPILE_H
#define BELAY_CLI_EVAL_COMPILE_H

#include "cli/cli.h"
#include "eval/eval.h"

/*
 * Policies without an image: belay-tools compiles them (and keeps an image);
 * belay becomes belay-tools, so that there it returns only on failure.
 */
enum bl_status cli_eval_compile(struct cli *cli, struct bl_str payload,
				struct bl_eval *eval, struct bl_error *err);

#endif

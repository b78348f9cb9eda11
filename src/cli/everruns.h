/* SPDX-License-Identifier: Apache-2.0 */
/* cli/everruns.h: the profiles whose hooks are those of Everruns. */
#ifndef BELAY_CLI_EVERRUNS_H
#define BELAY_CLI_EVERRUNS_H

#include "cli/cli.h"
#include "everruns/everruns.h"

/* The rules that --profile names; NULL when it names none of these. */
const struct bl_everruns_rules *cli_everruns(const struct cli *cli);

/*
 * Decides the event on standard input.  config (may be empty) is the one file
 * to read hooks from.
 */
enum bl_status cli_everruns_dispatch(struct cli *cli,
				     const struct bl_everruns_rules *rules,
				     struct bl_str config,
				     struct bl_everruns_reply *out_reply,
				     struct bl_error *err);

/* A decided event, told to people. */
void cli_put_everruns(struct cli *cli, const struct bl_everruns_reply *reply);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/everruns.h: the profiles whose hooks are those of Everruns. */
#ifndef BELAY_CLI_EVERRUNS_H
#define BELAY_CLI_EVERRUNS_H

#include "cli/cli.h"
#include "everruns/everruns.h"

/* The rules that --profile names; NULL when it names none of these. */
const struct bl_everruns_rules *cli_everruns(const struct cli *cli);

#endif

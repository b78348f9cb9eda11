/* SPDX-License-Identifier: Apache-2.0 */
/* everruns.c: events and hooks of the profiles of Everruns. */
#include "cli/everruns.h"

const struct bl_everruns_rules *cli_everruns(const struct cli *cli)
{
	return bl_everruns_rules_find(cli_value(cli, CLI_OPT_PROFILE));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* person.c: the check of setup/person.c, for the command that is run. */
#include "cli/person.h"

#include "setup/setup.h"

enum bl_status cli_check_person(const struct cli *cli, struct bl_error *err)
{
	return bl_setup_check_person(cli->command->name, err);
}

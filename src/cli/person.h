/* SPDX-License-Identifier: Apache-2.0 */
/* cli/person.h: who may run a command that lets something through. */
#ifndef BELAY_CLI_PERSON_H
#define BELAY_CLI_PERSON_H

#include "cli/cli.h"

/* bl_setup_check_person, for the command that is run. */
enum bl_status cli_check_person(const struct cli *cli, struct bl_error *err);

#endif

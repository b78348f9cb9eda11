/* SPDX-License-Identifier: Apache-2.0 */
/* cli/person.h: who may run a command that lets something through. */
#ifndef BELAY_CLI_PERSON_H
#define BELAY_CLI_PERSON_H

#include "cli/cli.h"

/*
 * OK for a person at a terminal (bl_os_check_terminal) that no agent opened, as
 * far as its environment tells.  DENIED else, with a message that names the
 * command and the reason.
 */
enum bl_status cli_check_person(const struct cli *cli, struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/init_level.h: the level of the rule packs, for belay init. */
#ifndef BELAY_CLI_INIT_LEVEL_H
#define BELAY_CLI_INIT_LEVEL_H

#include "cli/cli.h"
#include "sources/policies/policies.h"

/* --level, or standard.  USAGE: no such level. */
enum bl_status cli_init_level(struct cli *cli, size_t option,
			      enum bl_level *out_level, struct bl_error *err);

/* The level that the rulebook of a policy directory says; UNSET: none. */
enum bl_level cli_init_level_of(struct cli *cli, struct bl_str policy_dir);

/*
 * Prints how many rules are in force, by the level that the rulebook of policy_dir
 * says, in three lines; that the level asked for is another is said as well.
 */
void cli_init_put_level(struct cli *cli, struct bl_str policy_dir,
			enum bl_level asked);

#endif

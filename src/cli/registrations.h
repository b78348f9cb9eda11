/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registrations.h: the list of files in which this user has registered belay,
 * so that all of them can be found again (`belay uninstall --everywhere`).  It
 * is registrations.json in the folder of the log.
 */
#ifndef BELAY_CLI_REGISTRATIONS_H
#define BELAY_CLI_REGISTRATIONS_H

#include "cli/cli.h"
#include "setup/setup.h"

struct cli_registration {
	const struct bl_agent *agent;
	enum bl_scope scope;
	struct bl_str file;
	struct bl_str root;
	struct bl_str policy_dir;
};

/*
 * The one name of an agent's file, in cli's arena: its folder without links, and
 * the file's own name, since by that an agent's file is known; a link stays one.
 */
struct bl_str cli_registered_file(struct cli *cli, struct bl_str path);

/* All of them, in cli's arena; of agents that are gone, none. */
enum bl_status cli_registrations_read(struct cli *cli, struct bl_str state_dir,
				      struct cli_registration **out_list,
				      size_t *out_count, struct bl_error *err);

/* Puts one on the list, or takes the one of its file off. */
enum bl_status cli_registrations_add(struct cli *cli, struct bl_str state_dir,
				     const struct cli_registration *one,
				     struct bl_error *err);
enum bl_status cli_registrations_remove(struct cli *cli,
					struct bl_str state_dir,
					const struct cli_registration *one,
					struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/opa.h: what the commands of belay opa share. */
#ifndef BELAY_CLI_OPA_H
#define BELAY_CLI_OPA_H

#include "cli/cli.h"
#include "opa/opa.h"

/* Options that come first in their tables. */
enum { OPA_OPT_HOME, OPA_OPT_ROOT, OPA_OPT_CONFIG, OPA_OPT_COUNT };

#define OPA_ROWS                                                               \
	[OPA_OPT_HOME] = CLI_HOME_ROW,                                         \
	[OPA_OPT_ROOT] = { "root", 0, CLI_VALUE, "DIR",                        \
			   "folder to put before system paths" },              \
	[OPA_OPT_CONFIG] = {                                                   \
		"config", 0, CLI_VALUE, "FILE",                                \
		"OPA's configuration (default: /etc/belay/opa.yaml, else "     \
		"~/.config/belay/opa.yaml)"                                    \
	}

/* The place by these options. */
enum bl_status cli_opa_place(struct cli *cli, struct bl_opa_place *out,
			     struct bl_error *err);

/* State and bundle, for people. */
void cli_put_opa_state(struct bl_buf *out, const struct bl_opa_state *state);

/* 0 in the states in which the newest bundle is in force, else 1. */
int cli_opa_exit(const struct bl_opa_state *state);

/*
 * EXISTS when a bundle of OPA's is in force, which a team would undo.  root and
 * home are the rows of these options.
 */
enum bl_status cli_opa_check_free(struct cli *cli, size_t home, size_t root,
				  struct bl_error *err);

#endif

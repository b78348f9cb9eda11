/* SPDX-License-Identifier: Apache-2.0 */
/* cli/team.h: what the commands of belay team share. */
#ifndef BELAY_CLI_TEAM_H
#define BELAY_CLI_TEAM_H

#include "cli/cli.h"
#include "team/client/client.h"

/* Options that come first in their tables. */
enum { TEAM_OPT_HOME, TEAM_OPT_ROOT, TEAM_OPT_COUNT };

#define TEAM_ROWS                                                              \
	[TEAM_OPT_HOME] = CLI_HOME_ROW, [TEAM_OPT_ROOT] = {                    \
		"root", 0, CLI_VALUE, "DIR",                                   \
		"folder to put before system paths"                            \
	}

/*
 * The home, and the folder that goes before system paths, or "".  home_option and
 * root_option are the rows of these options.
 */
enum bl_status cli_team_folders(struct cli *cli, size_t home_option,
				size_t root_option, struct bl_str *out_home,
				struct bl_str *out_root, struct bl_error *err);

/* The place by these options. */
enum bl_status cli_team_place(struct cli *cli, struct bl_team_place *out,
			      struct bl_error *err);

/* With an HTTP client, and policies compiled; bl_http_client_free(out->http). */
enum bl_status cli_team_client(struct cli *cli, struct bl_team_client *out,
			       struct bl_error *err);

/* The state in a line, and its detail; rows of times, but for 0. */
void cli_put_state(struct bl_buf *out, enum bl_team_state state,
		   struct bl_str detail);
void cli_put_time(struct bl_buf *out, const char *label, int64_t time);

/* The state of a team, with what to do. */
void cli_put_team_state(struct cli *cli, const struct bl_team_report *report);

/*
 * The first-time notice, for people: on a terminal with its three answers, which
 * are acted on; else with the commands that they are.
 */
enum bl_status cli_team_notice(struct cli *cli,
			       const struct bl_team_place *place,
			       const struct bl_team_report *report,
			       struct bl_error *err);

/* bl_team_refresh; that records wait is said, except in the background. */
enum bl_status cli_team_sync(struct cli *cli,
			     const struct bl_team_client *client,
			     struct bl_team_report *out_report,
			     struct bl_error *err);

/* 0 in the states in which the newest set is in force, else 1. */
int cli_team_exit(const struct bl_team_report *report);

/* Reads a line of at most a token's length from standard input. */
enum bl_status cli_team_read_secret(struct cli *cli, const char *prompt,
				    struct bl_str *out, struct bl_error *err);

/* Asks a person on a terminal.  DENIED: no terminal, or another answer. */
enum bl_status cli_confirm(const char *warning, const char *question,
			   const char *otherwise, struct bl_error *err);

#endif

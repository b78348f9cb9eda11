/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_team_accept.c: belay team accept: the answer to the first-time notice. */
#include "cli/team.h"

#include "os/os.h"

enum { OPT_YES = TEAM_OPT_COUNT };

static const struct cli_option options[] = {
	TEAM_ROWS,
	[OPT_YES] = { "yes", 'y', CLI_FLAG, NULL, "without a question" },
};

static enum bl_status accept(struct cli *cli, struct bl_error *err)
{
	struct bl_team_place place;
	struct bl_team_report report;
	enum bl_status status = cli_team_place(cli, &place, err);

	if (!status)
		status = bl_team_status(&place, &cli->arena, &report, err);
	if (status)
		return status;
	if (!report.is_pending) {
		bl_buf_puts(&cli->out, "The team was accepted before.\n");
		return BL_OK;
	}
	if (!report.fingerprint.len)
		return bl_fail(err, BL_NOT_FOUND,
			       "there is nothing to accept yet: belay team "
			       "sync");
	if (!cli_has(cli, OPT_YES))
		return cli_team_notice(cli, &place, &report, err);
	status = bl_team_accept(&place, &cli->arena, err);
	if (!status)
		bl_buf_puts(&cli->out, "The team's hooks run.\n");
	return status;
}

static int run_team_accept(struct cli *cli)
{
	struct bl_error err = { 0 };

	return accept(cli, &err) ? cli_fail(cli, &err) : 0;
}

const struct cli_code cli_code_team_accept = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Shows the first-time notice with its three answers "
		   "(Continue, View Hooks, Logout), on a terminal; without "
		   "one, the commands that they are.  The question comes once "
		   "for a team, and again when its server or its root keys "
		   "change.\n",
	.run = run_team_accept,
};

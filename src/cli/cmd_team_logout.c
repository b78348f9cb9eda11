/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_team_logout.c: belay team logout: this machine leaves its team. */
#include "cli/opa.h"
#include "cli/team.h"

enum { OPT_YES = TEAM_OPT_COUNT };

static const struct cli_option options[] = {
	TEAM_ROWS,
	[OPT_YES] = { "yes", 'y', CLI_FLAG, NULL, "without a question" },
};

static int run_team_logout(struct cli *cli)
{
	struct bl_team_place place;
	struct bl_error err = { 0 };
	enum bl_status status = cli_team_place(cli, &place, &err);

	if (!status)
		status = cli_opa_check_free(cli, TEAM_OPT_HOME, TEAM_OPT_ROOT,
					    &err);
	if (!status && !cli_has(cli, OPT_YES))
		status = cli_confirm("The team's hooks and policies will no "
				     "longer count.",
				     "Log out?", "still in the team", &err);
	if (!status)
		status = bl_team_logout(&place, &cli->arena, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_buf_puts(&cli->out, "Signed out of the team.\n");
	return 0;
}

const struct cli_code cli_code_team_logout = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Takes the team's hooks, sets and token away.  A managed "
		   "machine is taken out of its team by root.\n",
	.run = run_team_logout,
};

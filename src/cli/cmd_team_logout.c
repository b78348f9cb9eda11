/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_team_logout.c: belay team logout: this machine leaves its team. */
#include "cli/team.h"

#include "os/os.h"

enum { OPT_YES = TEAM_OPT_COUNT };

static const struct cli_option options[] = {
	TEAM_ROWS,
	[OPT_YES] = { "yes", 'y', CLI_FLAG, NULL, "without a question" },
};

/* DENIED: it is not a yes. */
static enum bl_status confirm(struct bl_error *err)
{
	enum { MOST = 64, PATIENCE_MS = 120000 };
	char line[MOST];
	size_t got = 0;
	struct bl_str answer;
	enum bl_status status = bl_os_check_terminal(NULL);

	if (status)
		return bl_fail(err, BL_DENIED,
			       "without a terminal say --yes: the team's hooks "
			       "and policies will no longer count");
	cli_note("The team's hooks and policies will no longer count.  Log "
		 "out? [y/N] ");
	status =
		bl_os_read_piece(0, PATIENCE_MS, line, sizeof(line), &got, err);
	if (status)
		return status;
	answer = bl_str_trim((struct bl_str){ line, got });
	if (bl_str_is(answer, "y") || bl_str_is(answer, "yes"))
		return BL_OK;
	return bl_fail(err, BL_DENIED, "still in the team");
}

static int run(struct cli *cli)
{
	struct bl_team_place place;
	struct bl_error err = { 0 };
	enum bl_status status = cli_team_place(cli, &place, &err);

	if (!status && !cli_has(cli, OPT_YES))
		status = confirm(&err);
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
	.run = run,
};

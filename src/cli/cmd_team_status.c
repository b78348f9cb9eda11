/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_team_status.c: belay team status: the state, without asking the server. */
#include "cli/team.h"

enum { OPT_JSON = TEAM_OPT_COUNT };

static const struct cli_option options[] = {
	TEAM_ROWS,
	[OPT_JSON] = CLI_JSON_ROW,
};

static void put_account(struct cli *cli, const struct bl_team_place *place,
			const struct bl_team_account *account)
{
	bl_buf_puts(&cli->out, "team ");
	cli_put_text(&cli->out, 0, account->team_id);
	bl_buf_puts(&cli->out, " at ");
	cli_put_text(&cli->out, 0, account->server);
	bl_buf_puts(&cli->out,
		    place->is_managed ? ", managed by root\n" : "\n");
}

static enum bl_status show(struct cli *cli, struct bl_team_report *report,
			   struct bl_error *err)
{
	struct bl_team_place place;
	struct bl_team_account account = { .max_age_s = 0 };
	enum bl_status status = cli_team_place(cli, &place, err);

	if (!status)
		status = bl_team_status(&place, &cli->arena, report, err);
	if (status == BL_NOT_FOUND) {
		/* A state like any other, with its own text. */
		report->state = BL_TEAM_LOGGED_OUT;
		if (cli_has(cli, OPT_JSON))
			cli_put_json(cli, bl_team_report_value(&account, report,
							       &cli->arena));
		else
			cli_put_team_state(cli, report);
		return BL_OK;
	}
	if (!status)
		status = bl_team_read_account(&place, &cli->arena, &account,
					      err);
	if (status)
		return status;
	if (cli_has(cli, OPT_JSON)) {
		cli_put_json(cli, bl_team_report_value(&account, report,
						       &cli->arena));
		return BL_OK;
	}
	put_account(cli, &place, &account);
	cli_put_team_state(cli, report);
	return BL_OK;
}

static int run_team_status(struct cli *cli)
{
	struct bl_team_report report;
	struct bl_error err = { 0 };

	return show(cli, &report, &err) ? cli_fail(cli, &err)
					: cli_team_exit(&report);
}

const struct cli_code cli_code_team_status = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Exit status: 0 when the newest set is in force, 1 in "
		   "another state.\n",
	.run = run_team_status,
};

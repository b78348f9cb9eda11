/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_team_sync.c: belay team sync: fetch, verify and put in place; send records. */
#include "cli/team.h"

enum { OPT_BACKGROUND = TEAM_OPT_COUNT, OPT_JSON };

static const struct cli_option options[] = {
	TEAM_ROWS,
	[OPT_BACKGROUND] = { "background", 0, CLI_FLAG, NULL,
			     "of a timer: keep to the next time that was "
			     "planned, and say nothing" },
	[OPT_JSON] = CLI_JSON_ROW,
};

static enum bl_status show(struct cli *cli, const struct bl_team_place *place,
			   const struct bl_team_report *report,
			   struct bl_error *err)
{
	struct bl_team_account account;
	enum bl_status status;

	if (cli_has(cli, OPT_BACKGROUND))
		return BL_OK;
	if (!cli_has(cli, OPT_JSON)) {
		cli_put_team_state(cli, report);
		return BL_OK;
	}
	status = bl_team_read_account(place, &cli->arena, &account, err);
	if (!status)
		cli_put_json(cli, bl_team_report_value(&account, report,
						       &cli->arena));
	return status;
}

static int run_team_sync(struct cli *cli)
{
	struct bl_team_client client;
	struct bl_team_report report;
	struct bl_error err = { 0 };
	enum bl_status status = cli_team_client(cli, &client, &err);

	if (status)
		return cli_fail(cli, &err);
	client.is_background = cli_has(cli, OPT_BACKGROUND);
	status = cli_team_sync(cli, &client, &report, &err);
	if (!status)
		status = show(cli, &client.place, &report, &err);
	bl_http_client_free(client.http);
	if (status)
		return cli_fail(cli, &err);
	return client.is_background ? 0 : cli_team_exit(&report);
}

const struct cli_code cli_code_team_sync = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Fetches the team's newest set, verifies it, and puts it in "
		"place as a whole; then sends what the log has that the "
		"server does not.  Whatever fails, the last good set stays in "
		"force, and the state says why ('belay team status').\n"
		"\n"
		"Exit status: 0 when the newest set is in force, 1 in another "
		"state; with --background 0 in every state.\n",
	.run = run_team_sync,
};

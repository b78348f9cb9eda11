/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_opa_status.c: belay opa status: the state, without asking the server. */
#include "cli/opa.h"

enum { OPT_JSON = OPA_OPT_COUNT };

static const struct cli_option options[] = {
	OPA_ROWS,
	[OPT_JSON] = CLI_JSON_ROW,
};

static int run_opa_status(struct cli *cli)
{
	struct bl_opa_state state;
	struct bl_opa_place place;
	struct bl_error err = { 0 };
	enum bl_status status = cli_opa_place(cli, &place, &err);

	if (!status)
		status = bl_opa_status(&place, &cli->arena, &state, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, bl_opa_state_value(&state, &cli->arena));
	else
		cli_put_opa_state(&cli->out, &state);
	return cli_opa_exit(&state);
}

const struct cli_code cli_code_opa_status = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Exit status: 0 when the newest bundle is in force, 1 in "
		   "another state.\n",
	.run = run_opa_status,
};

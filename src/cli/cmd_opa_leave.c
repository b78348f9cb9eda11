/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_opa_leave.c: belay opa leave: the bundle of OPA's control plane no longer counts. */
#include "cli/opa.h"
#include "cli/team.h"

enum { OPT_YES = OPA_OPT_COUNT };

static const struct cli_option options[] = {
	OPA_ROWS,
	[OPT_YES] = { "yes", 'y', CLI_FLAG, NULL, "without a question" },
};

static int run_opa_leave(struct cli *cli)
{
	struct bl_opa_place place;
	struct bl_error err = { 0 };
	enum bl_status status = cli_opa_place(cli, &place, &err);

	if (!status && !cli_has(cli, OPT_YES))
		status = cli_confirm("The bundle's policies will no longer "
				     "count.",
				     "Take them out?",
				     "the bundle is still in force", &err);
	if (!status)
		status = bl_opa_leave(&place, &cli->arena, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_buf_puts(&cli->out, "The bundle is out of force.  The next sync "
			       "brings it back: disable the service "
			       "(belay-opa), and take its configuration "
			       "away.\n");
	return 0;
}

const struct cli_code cli_code_opa_leave = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Takes bundle, record and state away; a 'belay opa sync "
		   "--follow' ends at its next sync.  What root's "
		   "/etc/belay/opa.yaml put in force only root takes out.\n",
	.run = run_opa_leave,
};

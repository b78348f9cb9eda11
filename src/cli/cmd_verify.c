/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_verify.c: belay verify, does the guard of an agent load? */
#include "cli/policy_setup.h"

static const struct cli_option options[] = { CLI_POLICY_ROWS };

/* How many policies of a directory route on an event (and tool). */
static void put_policy(struct cli *cli, const struct bl_policy *policy)
{
	bl_buf_puts(&cli->out, "  ");
	cli_put_text(&cli->out, 2, policy->package);
	bl_buf_puts(&cli->out, policy->builtin ? " (builtin):" : ":");
	for (size_t i = 0; i < policy->events.count; i++) {
		bl_buf_puts(&cli->out, i ? ", " : " ");
		cli_put_text(&cli->out, 2, policy->events.items[i]);
	}
	for (size_t i = 0; i < policy->tools.count; i++) {
		bl_buf_puts(&cli->out, i ? ", " : " on ");
		cli_put_text(&cli->out, 2, policy->tools.items[i]);
	}
	bl_buf_puts(&cli->out, "\n");
}

static void put_dir(struct cli *cli, const struct bl_policy_dir *dir)
{
	static const char *const titles[] = {
		[BL_POLICY_GLOBAL] = "Global Configuration",
		[BL_POLICY_PROJECT] = "Project Configuration",
	};

	bl_buf_printf(&cli->out, "%s: ", titles[dir->origin]);
	cli_put_text(&cli->out, 2, dir->path.len ? dir->path : BL_STR("none"));
	bl_buf_puts(&cli->out, "\n");
	for (size_t i = 0; i < dir->policy_count; i++)
		put_policy(cli, &dir->policies[i]);
	for (size_t i = 0; i < dir->problem_count; i++) {
		bl_buf_printf(&cli->out, "  problem (%s): ",
			      bl_policy_failure_name(dir->problems[i].failure));
		cli_put_text(&cli->out, 4, dir->problems[i].text);
		bl_buf_puts(&cli->out, "\n");
	}
}

static int run(struct cli *cli)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	const struct bl_snapshot *snapshot;
	const struct bl_policy_set *set;
	struct bl_error err;
	size_t problems = 0;
	enum bl_status status = cli_policy_setup(cli, BL_STR(""), &setup, &err);

	if (!status)
		status = bl_engine_new(&setup, &engine, &err);
	if (status)
		return cli_fail(cli, &err);
	snapshot = bl_engine_snapshot(engine);
	set = bl_snapshot_policies(snapshot);
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		put_dir(cli, &set->dirs[i]);
		problems += set->dirs[i].problem_count;
	}
	bl_snapshot_unref(snapshot);
	bl_engine_free(engine);
	bl_buf_puts(&cli->out, problems ? "broken: what can be stopped is "
					  "refused until it is mended\n"
					: "ready\n");
	return problems > 0;
}

const struct cli_code cli_code_verify = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Loads what 'belay eval' would load, and shows what routes "
		   "on what.\n"
		   "\n"
		   "Exit status: 0, or 1 when something is broken.\n",
	.run = run,
};

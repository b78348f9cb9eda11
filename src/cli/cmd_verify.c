/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_verify.c: belay verify, does the guard of an agent load? */
#include <sys/stat.h>
#include <time.h>

#include "cli/policy_setup.h"

enum { OPT_SEAL = CLI_OPT_POLICY_COUNT };

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_SEAL] = { "seal", 0, CLI_FLAG, NULL,
		       "as root: keep the compiled policies beside them, for "
		       "all users" },
};

/* ---- seals ---------------------------------------------------------------- */

/*
 * The folder of seals is made first, as that changes the directory; two changes
 * within a tick of the clock look like one.
 */
static enum bl_status prepare_seals(struct cli *cli,
				    const struct bl_policy_set *set,
				    struct bl_error *err)
{
	const struct timespec ticks = { .tv_nsec = 50 * 1000 * 1000 };
	enum bl_status status = BL_OK;

	(void)umask(022); /* all users read them */
	for (int i = 0; i < BL_POLICY_ORIGINS && !status; i++)
		if (set->dirs[i].path.len)
			status = bl_policy_prepare_seal(set->dirs[i].path,
							&cli->arena, err);
	nanosleep(&ticks, NULL);
	return status;
}

/* Seals the directories of a set, or sees whether they are as they were sealed. */
static enum bl_status look_at_seals(struct cli *cli, struct bl_str agent,
				    const struct bl_policy_set *set,
				    const struct bl_policy_set **out_set,
				    struct bl_error *err)
{
	struct bl_policy_load_options load = {
		.agent = agent,
		.agent_at = bl_agent_name_at,
		.seal = cli_has(cli, OPT_SEAL) ? BL_SEAL_WRITE
					       : BL_SEAL_COMPARE,
	};
	enum bl_status status = BL_OK;
	struct bl_diags diags;

	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		load.places[i].path = set->dirs[i].path;
	if (load.seal == BL_SEAL_WRITE)
		status = prepare_seals(cli, set, err);
	bl_diags_init(&diags, &cli->arena);
	return status ? status
		      : bl_policy_load(&load, &cli->arena, &diags, out_set,
				       err);
}

static void put_seal(struct cli *cli, enum bl_policy_sealed sealed)
{
	static const char *const texts[] = {
		[BL_SEALED_NOT] = "",
		[BL_SEALED] = "  sealed: all users decide by this\n",
		[BL_SEALED_OTHERWISE] = ("  sealed before the last change: run "
					 "belay verify --seal\n"),
	};

	bl_buf_puts(&cli->out, texts[sealed]);
}

/* ---- policies ------------------------------------------------------------- */

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

static void put_problem(struct cli *cli, const char *kind, struct bl_str text)
{
	bl_buf_printf(&cli->out, "  problem (%s): ", kind);
	cli_put_text(&cli->out, 4, text);
	bl_buf_puts(&cli->out, "\n");
}

static struct bl_str text_of(struct cli *cli, const struct bl_diag *diag)
{
	if (!diag->place.line)
		return bl_arena_printf(&cli->arena, "%.*s: %.*s",
				       BL_STR_ARG(diag->file),
				       BL_STR_ARG(diag->message));
	return bl_arena_printf(&cli->arena, "%.*s:%u: %.*s",
			       BL_STR_ARG(diag->file), diag->place.line,
			       BL_STR_ARG(diag->message));
}

static bool is_said(const struct bl_policy_dir *dir, struct bl_str text)
{
	for (size_t i = 0; i < dir->problem_count; i++)
		if (bl_str_equal(dir->problems[i].text, text))
			return true;
	return false;
}

/* The policies that are loaded and can never do anything. */
static enum bl_status put_findings(struct cli *cli, struct bl_str agent,
				   const struct bl_policy_dir *dir,
				   size_t *findings, struct bl_error *err)
{
	struct bl_diags diags;
	size_t files;
	enum bl_status status;

	if (!dir->path.len)
		return BL_OK;
	bl_diags_init(&diags, &cli->arena);
	status = cli_check_policies(cli, dir->path, agent, &diags, &files, err);
	for (const struct bl_diag *one = diags.first; !status && one;
	     one = one->next) {
		struct bl_str text = text_of(cli, one);
		const char *slash = strchr(one->code, '/');

		if (one->severity != BL_SEVERITY_ERROR || is_said(dir, text))
			continue;
		put_problem(cli, slash ? slash + 1 : one->code, text);
		(*findings)++;
	}
	return status;
}

static enum bl_status put_dir(struct cli *cli, struct bl_str agent,
			      const struct bl_policy_dir *dir,
			      enum bl_policy_sealed sealed, size_t *findings,
			      struct bl_error *err)
{
	static const char *const titles[] = {
		[BL_POLICY_TEAM] = "Team Configuration",
		[BL_POLICY_GLOBAL] = "Global Configuration",
		[BL_POLICY_PROJECT] = "Project Configuration",
	};

	if (dir->origin == BL_POLICY_TEAM && !dir->path.len &&
	    !dir->problem_count)
		return BL_OK; /* few are in a team */
	bl_buf_printf(&cli->out, "%s: ", titles[dir->origin]);
	cli_put_text(&cli->out, 2, dir->path.len ? dir->path : BL_STR("none"));
	bl_buf_puts(&cli->out, "\n");
	put_seal(cli, sealed);
	for (size_t i = 0; i < dir->policy_count; i++)
		put_policy(cli, &dir->policies[i]);
	for (size_t i = 0; i < dir->problem_count; i++)
		put_problem(cli,
			    bl_policy_failure_name(dir->problems[i].failure),
			    dir->problems[i].text);
	return put_findings(cli, agent, dir, findings, err);
}

static int run_verify(struct cli *cli)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	const struct bl_snapshot *snapshot;
	const struct bl_policy_set *set;
	const struct bl_policy_set *sealed = NULL;
	struct bl_error err;
	struct bl_str agent;
	size_t problems = 0;
	size_t findings = 0;
	enum bl_status status = cli_policy_setup(cli, BL_STR(""), &setup, &err);

	if (!status && cli_user_home(cli, &setup.policies.options.home, NULL))
		setup.policies.options.home = BL_STR("");
	if (!status) {
		cli_show_step(cli, "compiling the policies");
		status = bl_engine_new(&setup, &engine, &err);
		cli_show_progress(cli, 0, NULL);
	}
	if (status)
		return cli_fail(cli, &err);
	snapshot = bl_engine_snapshot(engine);
	set = bl_snapshot_policies(snapshot);
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		problems += set->dirs[i].problem_count;
	agent = bl_str(setup.agent.agent->name);
	status = look_at_seals(cli, agent, set, &sealed, &err);
	for (int i = 0; !status && i < BL_POLICY_ORIGINS; i++)
		status = put_dir(cli, agent, &set->dirs[i],
				 sealed->dirs[i].sealed, &findings, &err);
	bl_snapshot_unref(snapshot);
	bl_engine_free(engine);
	if (status)
		return cli_fail(cli, &err);
	bl_buf_puts(&cli->out,
		    problems   ? "broken: what can be stopped is refused until "
				 "it is mended\n"
		    : findings ? "not ready: something here can never do what "
				 "it was meant to\n"
			       : "ready\n");
	return problems + findings > 0;
}

const struct cli_code cli_code_verify = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Loads what 'belay eval' would load, and shows what routes "
		   "on what, and what can never do anything.\n"
		   "\n"
		   "With --seal, root keeps what was compiled beside policies "
		   "that only root can write (.sealed in their directory). All "
		   "users then decide by that, at the cost of a look at each "
		   "folder instead of each file, and nothing in a user's cache "
		   "counts. A file that is added, removed or replaced breaks "
		   "the seal: until the next one, every event compiles. Edits "
		   "in place count after the next one.\n"
		   "\n"
		   "Exit status: 0, or 1 when something is broken.\n",
	.run = run_verify,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* setup.c: from the options that several commands share to an engine's. */
#include "cli/cli.h"

#include "json/json.h"
#include "os/os.h"

enum bl_status cli_absolute(struct cli *cli, struct bl_str path,
			    struct bl_str *out_path, struct bl_error *err)
{
	struct bl_str current;
	enum bl_status status;

	if (bl_path_is_absolute(path)) {
		*out_path = path;
		return BL_OK;
	}
	status = bl_path_current(&cli->arena, &current, err);
	if (status)
		return status;
	*out_path = bl_path_join(&cli->arena, current, path);
	return out_path->ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

enum bl_status cli_user_home(struct cli *cli, struct bl_str *out_home,
			     struct bl_error *err)
{
	enum bl_status status = BL_OK;

	if (!cli->home.len)
		status = bl_os_home(&cli->arena, &cli->home, err);
	if (!status)
		*out_home = cli->home;
	return status;
}

enum bl_status cli_home(struct cli *cli, size_t option, struct bl_str *out_home,
			struct bl_error *err)
{
	if (cli_has(cli, option))
		return cli_absolute(cli, cli_value(cli, option), out_home, err);
	return cli_user_home(cli, out_home, err);
}

enum bl_status cli_journal_dir(struct cli *cli, size_t state_option,
			       size_t home_option, struct bl_str *out_dir,
			       struct bl_error *err)
{
	struct bl_str home;
	enum bl_status status;

	if (cli_has(cli, state_option))
		return cli_absolute(cli, cli_value(cli, state_option), out_dir,
				    err);
	status = cli_home(cli, home_option, &home, err);
	if (status)
		return status;
	return bl_journal_dir(&cli->arena, home, out_dir, err);
}

enum bl_status cli_state_dir(struct cli *cli, size_t state_option,
			     size_t home_option, struct bl_str *out_dir,
			     struct bl_error *err)
{
	struct bl_str home;
	enum bl_status status;

	if (cli_has(cli, state_option))
		return cli_absolute(cli, cli_value(cli, state_option), out_dir,
				    err);
	status = cli_home(cli, home_option, &home, err);
	if (status)
		return status;
	*out_dir = bl_allowance_state_dir(&cli->arena, home);
	return out_dir->ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

static void offer_word(void *context, const char *word)
{
	cli_guess_offer(context, bl_str(word));
}

enum bl_status cli_profile(struct cli *cli, size_t option,
			   const struct bl_profile **out_profile,
			   struct bl_error *err)
{
	struct cli_guess guess = { .text = cli_value(cli, option) };

	*out_profile = cli_has(cli, option) ? bl_profile_find(guess.text)
					    : bl_profile_at(0);
	if (*out_profile &&
	    (!(*out_profile)->everruns || cli->command->code->takes_everruns))
		return BL_OK;
	if (*out_profile)
		return bl_fail(err, BL_USAGE,
			       "profile '%.*s' is for 'belay dispatch' and "
			       "'belay hooks validate' only",
			       BL_STR_ARG(guess.text));
	cli_each_word("PROFILE", offer_word, &guess);
	if (!guess.best.len)
		return bl_fail(err, BL_USAGE, "there is no profile '%.*s'",
			       BL_STR_ARG(guess.text));
	return bl_fail(err, BL_USAGE,
		       "there is no profile '%.*s'; did you mean '%.*s'?",
		       BL_STR_ARG(guess.text), BL_STR_ARG(guess.best));
}

enum bl_status cli_get_agent(struct bl_str name,
			     const struct bl_agent **out_agent,
			     struct bl_error *err)
{
	const struct bl_agent *agent = bl_agent_find(name);
	struct cli_guess guess = { .text = name };

	if (agent) {
		*out_agent = agent;
		return BL_OK;
	}
	cli_each_word("AGENT", offer_word, &guess);
	if (guess.best.len)
		return bl_fail(err, BL_USAGE,
			       "there is no agent '%.*s'; did you mean '%.*s'?",
			       BL_STR_ARG(name), BL_STR_ARG(guess.best));
	return bl_fail(err, BL_USAGE,
		       "there is no agent '%.*s'; 'belay status --all' names "
		       "them",
		       BL_STR_ARG(name));
}

/*
 * The workspace_roots of a payload; false when it does not say (or is not a
 * payload at all: that is for the engine to report).
 */
static bool roots_of(struct cli *cli, struct bl_str payload,
		     struct bl_engine_options *options)
{
	struct bl_value value;
	struct bl_value roots;
	struct bl_str *items;

	if (bl_json_read(&cli->arena, payload, NULL, &value, NULL, NULL, NULL))
		return false;
	roots = bl_object_find(value, BL_STR("workspace_roots"));
	if (!bl_value_is(roots, BL_KIND_ARRAY))
		return false;
	options->workspace_count = bl_value_count(roots);
	if (!options->workspace_count)
		return true;
	items = bl_arena_new_array(&cli->arena, struct bl_str,
				   options->workspace_count);
	if (!items)
		return false;
	for (size_t i = 0; i < options->workspace_count; i++)
		items[i] = bl_value_text(bl_value_item(roots, i));
	options->workspaces = items;
	return true;
}

enum bl_status cli_event_workspaces(struct cli *cli, struct bl_str payload,
				    struct bl_engine_options *options,
				    struct bl_error *err)
{
	struct bl_str *current;

	if (payload.len && roots_of(cli, payload, options))
		return BL_OK;
	current = bl_arena_new(&cli->arena, struct bl_str);
	if (!current)
		return bl_arena_fail(&cli->arena, err);
	options->workspaces = current;
	options->workspace_count = 1;
	return bl_path_current(&cli->arena, current, err);
}

static enum bl_status workspaces(struct cli *cli, struct bl_str payload,
				 struct bl_engine_options *options,
				 struct bl_error *err)
{
	const struct cli_given *given = &cli->given[CLI_OPT_WORKSPACE];

	if (!given->count)
		return cli_event_workspaces(cli, payload, options, err);
	options->workspaces = given->values;
	options->workspace_count = given->count;
	return BL_OK;
}

enum bl_status cli_setup(struct cli *cli, struct bl_str payload,
			 struct bl_engine_options *out_options,
			 struct bl_error *err)
{
	/* Most commands are about hook files: policies need a compiler. */
	static const enum bl_asked hooks[] = { BL_ASK_HOOKS, BL_ASK_NOBODY };
	struct bl_engine_options options = {
		.sources = hooks,
		.plugins = cli->given[CLI_OPT_PLUGIN].values,
		.plugin_count = cli->given[CLI_OPT_PLUGIN].count,
		.lenient = cli_has(cli, CLI_OPT_LENIENT),
		.no_project_gate = cli_has(cli, CLI_OPT_NO_PROJECT_GATE),
		.trust_all = cli_has(cli, CLI_OPT_TRUST_ALL),
		.no_journal = true,
	};
	enum bl_status status =
		cli_profile(cli, CLI_OPT_PROFILE, &options.profile, err);

	if (!status)
		status = cli_home(cli, CLI_OPT_HOME, &options.home, err);
	if (!status && cli_has(cli, CLI_OPT_ROOT))
		status = cli_absolute(cli, cli_value(cli, CLI_OPT_ROOT),
				      &options.system_root, err);
	if (!status)
		status = workspaces(cli, payload, &options, err);
	if (!status)
		*out_options = options;
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* policy_setup.c: the options of commands that ask policies, for the engine. */
#include "cli/policy_setup.h"

#include <stdlib.h>

#include "json/json.h"
#include "os/os.h"

static enum bl_status find_agent(struct cli *cli, struct bl_str payload,
				 struct bl_engine_agent *out_agent,
				 struct bl_error *err)
{
	const struct bl_json_options json = { .allow_bom = true };
	struct bl_str name = cli_value(cli, CLI_OPT_HARNESS);
	struct bl_value value = bl_value_undefined();

	if (name.ptr)
		return cli_get_agent(name, &out_agent->agent, err);
	if (!bl_json_read(&cli->arena, payload, &json, &value, NULL, NULL,
			  NULL) &&
	    (out_agent->agent = bl_agent_detect(value, bl_os_getenv,
						&out_agent->detected_by)))
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "--harness is missing, and the event does not tell");
}

/* The folder that a variable names, else one in the home; empty: neither. */
static struct bl_str user_folder(struct cli *cli, const char *variable,
				 const char *in_home)
{
	struct bl_str home = bl_os_getenv(variable);

	if (bl_path_is_absolute(home))
		return home;
	home = bl_os_getenv("HOME");
	if (!bl_path_is_absolute(home) && cli_user_home(cli, &home, NULL))
		return BL_STR("");
	return bl_path_join(&cli->arena, home, bl_str(in_home));
}

/* Images below folder. */
static bool make_cache(struct cli *cli, struct bl_str folder,
		       struct bl_policy_cache *out_cache)
{
	*out_cache = (struct bl_policy_cache){ .dir = BL_STR("") };
	if (!folder.len)
		return false;
	out_cache->dir =
		bl_path_join(&cli->arena, folder, BL_STR("belay/policies"));
	return out_cache->dir.ptr &&
	       (!cli_is_tools ||
		!bl_os_self_path(&cli->arena, &out_cache->compiler, NULL));
}

enum bl_status cli_global_policies(struct cli *cli, struct bl_str *out_dir,
				   struct bl_error *err)
{
	return bl_policy_find_global(
		BL_STR(""), user_folder(cli, "XDG_CONFIG_HOME", ".config"),
		&cli->arena, out_dir, err);
}

enum bl_status cli_check_policies(struct cli *cli, struct bl_str dir,
				  struct bl_str agent, struct bl_diags *diags,
				  size_t *out_files, struct bl_error *err)
{
	struct bl_policy_validate_options options = { .dir = dir,
						      .agent = agent };
	struct bl_str home;

	bl_engine_know_agents(&options);
	/* A directory that cannot be found forbids nothing. */
	if (!cli_user_home(cli, &home, NULL))
		(void)bl_team_find_policies(
			BL_STR(""), home, bl_os_wall_ms() / 1000, &cli->arena,
			&options.above[BL_POLICY_TEAM], NULL);
	(void)cli_global_policies(cli, &options.above[BL_POLICY_GLOBAL], NULL);
	return bl_policy_validate(&options, &cli->arena, diags, out_files, err);
}

enum bl_status cli_named_policies(struct cli *cli, size_t option,
				  struct bl_str *out_dir, struct bl_error *err)
{
	struct bl_str given = cli_value(cli, option);
	struct bl_file_info info;

	/* Cupcake's own default, which need not be there. */
	if (given.len && !bl_str_is(bl_path_base(given), "policies") &&
	    bl_os_info_target(given, &info, NULL))
		return bl_fail(err, BL_NOT_FOUND, "there is no folder %.*s",
			       BL_STR_ARG(given));
	return bl_policy_find_dir(given, &cli->arena, out_dir, err);
}

bool cli_policy_cache(struct cli *cli, struct bl_policy_cache *out_cache)
{
	return make_cache(cli, user_folder(cli, "XDG_CACHE_HOME", ".cache"),
			  out_cache);
}

struct bl_engine_policies cli_policies(struct cli *cli)
{
	return (struct bl_engine_policies){
		.config_home = user_folder(cli, "XDG_CONFIG_HOME", ".config"),
		.compile = cli_compile,
		.options = {
			/* Cupcake has no rules of its own. */
			.no_guard = cli->is_cupcake,
			.host = { .read_zone = bl_engine_read_zone,
				  .fill_random = bl_engine_fill_random },
		},
	};
}

/* Is what was given here, so that nobody has to look elsewhere? */
static bool is_here(struct bl_str given)
{
	static const char *const usual[] = { ".belay", ".cupcake" };
	struct bl_file_info info;

	if (given.len)
		return bl_path_is_absolute(given) ||
		       !bl_os_info_target(given, &info, NULL);
	for (size_t i = 0; i < BL_COUNT(usual); i++)
		if (!bl_os_info_target(bl_str(usual[i]), &info, NULL))
			return true;
	return false;
}

/* The directory of that name in a folder; ptr NULL: none. */
static struct bl_str dir_below(struct cli *cli, struct bl_str folder,
			       struct bl_str given)
{
	struct bl_str path;
	struct bl_str found = { NULL, 0 };

	if (!bl_path_is_absolute(folder))
		return found;
	if (!given.len)
		return bl_policy_dir_of(folder, &cli->arena);
	path = bl_path_join(&cli->arena, folder, given);
	if (!path.ptr || bl_policy_find_dir(path, &cli->arena, &found, NULL))
		found.ptr = NULL;
	return found;
}

/*
 * An agent runs the hooks of the user's own configuration in the folder of that
 * file (Cursor: ~/.cursor), while the policies that a relative --policy-dir
 * means are the workspace's.  Looked for there only when they are not here, and
 * never in the event's cwd, which the agent chooses.
 */
static struct bl_str find_in_workspace(struct cli *cli, struct bl_str payload,
				       struct bl_str given)
{
	static const char *const variables[] = { "CURSOR_PROJECT_DIR",
						 "CLAUDE_PROJECT_DIR",
						 "FACTORY_PROJECT_DIR" };
	struct bl_value event;
	struct bl_value roots;
	struct bl_str found = { NULL, 0 };

	if (is_here(given) ||
	    bl_json_read(&cli->arena, payload, NULL, &event, NULL, NULL, NULL))
		return given;
	roots = bl_object_find(event, BL_STR("workspace_roots"));
	for (size_t i = 0; !found.ptr && bl_value_is(roots, BL_KIND_ARRAY) &&
			   i < bl_value_count(roots);
	     i++)
		found = dir_below(cli, bl_value_text(bl_value_item(roots, i)),
				  given);
	for (size_t i = 0; !found.ptr && i < BL_COUNT(variables); i++)
		found = dir_below(cli, bl_os_getenv(variables[i]), given);
	return found.ptr ? found : given;
}

void cli_policy_places(struct cli *cli, struct bl_str payload,
		       size_t dir_option, size_t global_option,
		       struct bl_engine_options *out_options)
{
	static const enum bl_asked policies[] = { BL_ASK_POLICIES,
						  BL_ASK_NOBODY };

	*out_options = (struct bl_engine_options){
		.sources = policies,
		.form = BL_FORM_HOOK,
		.agent.passes_unmodified = cli->is_cupcake,
		.policies = cli_policies(cli),
		.no_journal = true,
	};
	out_options->policies.dir =
		find_in_workspace(cli, payload, cli_value(cli, dir_option));
	out_options->policies.global_config = cli_value(cli, global_option);
}

enum bl_status cli_policy_setup(struct cli *cli, struct bl_str payload,
				struct bl_engine_options *out_options,
				struct bl_error *err)
{
	cli_policy_places(cli, payload, CLI_OPT_POLICY_DIR,
			  CLI_OPT_GLOBAL_CONFIG, out_options);
	return find_agent(cli, payload, &out_options->agent, err);
}

enum bl_status cli_user_policies(struct cli *cli, size_t home_option,
				 size_t state_option,
				 struct bl_policy_cache *cache,
				 struct bl_engine_policies *policies,
				 struct bl_error *err)
{
	struct bl_policy_options *options = &policies->options;
	struct bl_str images = user_folder(cli, "XDG_CACHE_HOME", ".cache");
	bool is_given = cli_has(cli, home_option);

	if (cli_home(cli, home_option, &options->home, err)) {
		if (is_given)
			return err->status;
		options->home = BL_STR("");
	}
	/* Another home has other policies than the environment's. */
	if (is_given) {
		policies->config_home = bl_path_join(&cli->arena, options->home,
						     BL_STR(".config"));
		images = bl_path_join(&cli->arena, options->home,
				      BL_STR(".cache"));
	}
	if (cache && make_cache(cli, images, cache))
		policies->cache = cache;
	if (cli_state_dir(cli, state_option, home_option, &options->state_dir,
			  NULL))
		options->state_dir = BL_STR("");
	return bl_arena_status(&cli->arena) ? bl_arena_fail(&cli->arena, err)
					    : BL_OK;
}

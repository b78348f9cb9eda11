/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/policy_setup.h"

#include <stdlib.h>

#include "json/json.h"
#include "os/os.h"

enum bl_status cli_policy_agent(struct bl_str name,
				const struct bl_agent **out_agent,
				struct bl_error *err)
{
	const struct bl_agent *agent = bl_agent_find(name);
	struct bl_buf names;
	enum bl_status status;

	if (agent) {
		*out_agent = agent;
		return BL_OK;
	}
	bl_buf_init(&names, 0);
	bl_agent_put_names(&names);
	status =
		bl_fail(err, BL_USAGE, "no such harness: %.*s (there are %.*s)",
			BL_STR_ARG(name), (int)names.len, names.ptr);
	bl_buf_clear(&names);
	return status;
}

static enum bl_status find_agent(struct cli *cli, struct bl_str payload,
				 struct bl_eval_options *options,
				 struct bl_error *err)
{
	const struct bl_json_options json = { .allow_bom = true };
	struct bl_str name = cli_value(cli, CLI_OPT_HARNESS);
	struct bl_value value = bl_value_undefined();

	if (name.ptr)
		return cli_policy_agent(name, &options->agent, err);
	if (!bl_json_read(&cli->arena, payload, &json, &value, NULL, NULL,
			  NULL) &&
	    (options->agent = bl_agent_detect(value, bl_os_getenv,
					      &options->detected_by)))
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

bool cli_policy_cache(struct cli *cli, struct bl_policy_cache *out_cache)
{
	struct bl_str folder = user_folder(cli, "XDG_CACHE_HOME", ".cache");

	*out_cache = (struct bl_policy_cache){ .home = BL_STR("") };
	if (!folder.len)
		return false;
	if (cli_user_home(cli, &out_cache->home, NULL))
		out_cache->home = BL_STR("");
	out_cache->dir =
		bl_path_join(&cli->arena, folder, BL_STR("belay/policies"));
	return out_cache->dir.ptr &&
	       (!cli_is_tools ||
		!bl_os_self_path(&cli->arena, &out_cache->compiler, NULL));
}

enum bl_status cli_policy_setup(struct cli *cli, struct bl_str payload,
				struct bl_eval_options *out_options,
				struct bl_error *err)
{
	*out_options = (struct bl_eval_options){
		.policy_dir = cli_value(cli, CLI_OPT_POLICY_DIR),
		.global_config = cli_value(cli, CLI_OPT_GLOBAL_CONFIG),
		.config_home = user_folder(cli, "XDG_CONFIG_HOME", ".config"),
		.policy = {
			.now_ns = bl_os_wall_ms() * 1000000,
			.read_zone = bl_eval_read_zone,
			.fill_random = bl_eval_fill_random,
		},
	};
	return find_agent(cli, payload, out_options, err);
}

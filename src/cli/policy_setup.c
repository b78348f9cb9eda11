/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/policy_setup.h"

#include <stdlib.h>

#include "json/json.h"
#include "os/os.h"

enum bl_status cli_policy_agent(struct bl_str name, enum bl_agent *out_agent,
				struct bl_error *err)
{
	if (bl_agent_parse(name, out_agent))
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "no such harness: %.*s (there are cursor, claude, "
		       "factory, opencode)",
		       BL_STR_ARG(name));
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
	    bl_agent_detect(value, bl_os_getenv, &options->agent,
			    &options->detected_by))
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "--harness is missing, and the event does not tell");
}

/* $XDG_CONFIG_HOME, else ~/.config; empty: there is neither. */
static struct bl_str config_home(struct cli *cli)
{
	struct bl_str home = bl_os_getenv("XDG_CONFIG_HOME");

	if (bl_path_is_absolute(home))
		return home;
	home = bl_os_getenv("HOME");
	if (!bl_path_is_absolute(home) && bl_os_home(&cli->arena, &home, NULL))
		return BL_STR("");
	return bl_path_join(&cli->arena, home, BL_STR(".config"));
}

enum bl_status cli_policy_setup(struct cli *cli, struct bl_str payload,
				struct bl_eval_options *out_options,
				struct bl_error *err)
{
	*out_options = (struct bl_eval_options){
		.policy_dir = cli_value(cli, CLI_OPT_POLICY_DIR),
		.global_config = cli_value(cli, CLI_OPT_GLOBAL_CONFIG),
		.config_home = config_home(cli),
		.policy = {
			.now_ns = bl_os_wall_ms() * 1000000,
			.read_zone = bl_eval_read_zone,
			.fill_random = bl_eval_fill_random,
		},
	};
	return find_agent(cli, payload, out_options, err);
}

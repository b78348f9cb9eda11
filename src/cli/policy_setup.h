/* SPDX-License-Identifier: Apache-2.0 */
/* policy_setup.h: options of the commands that decide by policies. */
#ifndef BELAY_CLI_POLICY_SETUP_H
#define BELAY_CLI_POLICY_SETUP_H

#include "cli/cli.h"

/* They come first in a table. */
enum {
	CLI_OPT_HARNESS,
	CLI_OPT_POLICY_DIR,
	CLI_OPT_GLOBAL_CONFIG,
	CLI_OPT_POLICY_COUNT
};

#define CLI_POLICY_ROWS                                                        \
	[CLI_OPT_HARNESS] = { "harness", 0, CLI_VALUE, "AGENT",                \
			      "the agent (default: as the event tells)" },     \
	[CLI_OPT_POLICY_DIR] = CLI_POLICY_DIR_ROW,                             \
	[CLI_OPT_GLOBAL_CONFIG] = CLI_GLOBAL_CONFIG_ROW

#define CLI_POLICY_DIR_ROW                                                     \
	{                                                                      \
		"policy-dir", 0, CLI_VALUE, "DIR",                             \
			"policy directory (default: .belay or .cupcake here)"  \
	}
#define CLI_GLOBAL_CONFIG_ROW                                                  \
	{                                                                      \
		"global-config", 0, CLI_VALUE, "DIR",                          \
			"global policy directory (default: belay or cupcake "  \
			"in $XDG_CONFIG_HOME)"                                 \
	}

/*
 * As below without the agent, and with the directories that two options of
 * another table name.
 */
void cli_policy_places(struct cli *cli, struct bl_str payload,
		       size_t dir_option, size_t global_option,
		       struct bl_engine_options *out_options);

/*
 * Fills *out_options from them: the agent's hook that asks policies alone, and
 * records nothing.  payload (may be empty) tells the agent where --harness is
 * missing; USAGE when nothing tells.  Borrowed from cli's arena.
 */
enum bl_status cli_policy_setup(struct cli *cli, struct bl_str payload,
				struct bl_engine_options *out_options,
				struct bl_error *err);

/* The user's own policy directory, as eval finds it; empty: absent. */
enum bl_status cli_global_policies(struct cli *cli, struct bl_str *out_dir,
				   struct bl_error *err);

/*
 * The policy directory that an option names, for commands that
 * only look: a folder that is not there is not another one beside it.
 */
enum bl_status cli_named_policies(struct cli *cli, size_t option,
				  struct bl_str *out_dir, struct bl_error *err);

/*
 * The findings about a policy directory, as one agent loads it
 * (no name: as each of them does).
 */
enum bl_status cli_check_policies(struct cli *cli, struct bl_str dir,
				  struct bl_str agent, struct bl_diags *diags,
				  size_t *out_files, struct bl_error *err);

/* The user's own policies by the environment, and no other yet. */
struct bl_engine_policies cli_policies(struct cli *cli);

/*
 * For decisions that count: the user's home, by which a team is found, the
 * user's own policies, their images (cache NULL: none), what a person allowed.
 * All are those of the home that an option names, else of the user.  Without a
 * home there is no team, and nothing is allowed; one that was named and cannot be
 * used is a failure.  *cache must outlive *policies.
 */
enum bl_status cli_user_policies(struct cli *cli, size_t home_option,
				 size_t state_option,
				 struct bl_policy_cache *cache,
				 struct bl_engine_policies *policies,
				 struct bl_error *err);

/*
 * Where this user's images of policies are: belay/policies in $XDG_CACHE_HOME
 * or ~/.cache.  False: nowhere.
 */
bool cli_policy_cache(struct cli *cli, struct bl_policy_cache *out_cache);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for an agent that runs no commands: its text, filled in. */
#include "os/os.h"
#include "setup/private.h"

struct bl_str bl_setup_plugin(const struct bl_setup *setup,
			      struct bl_arena *arena)
{
	const struct setup_word words[] = {
		{ "@program", setup->program, .is_json = true },
		{ "@dir",
		  setup->scope == BL_SCOPE_PROJECT
			  ? bl_path_base(setup->policy_dir)
			  : setup->policy_dir,
		  .is_json = true },
	};

	return bl_setup_fill(arena, setup->agent->registration->plugin, words,
			     BL_COUNT(words));
}

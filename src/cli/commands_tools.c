/* SPDX-License-Identifier: Apache-2.0 */
/* The command table of belay-tools, which has them all. */
#include "cli/cli.h"

const struct cli_command cli_commands[] = {
#define COMMAND(id, name, where, operands, summary)                            \
	{ name,                                                                \
	  operands,                                                            \
	  summary,                                                             \
	  &cli_code_##id,                                                      \
	  CLI_IS_HOOK_##where,                                                 \
	  CLI_DECIDES_##where,                                                 \
	  NULL },
#include "cli/commands.def"
#undef COMMAND
};
const size_t cli_command_count = BL_COUNT(cli_commands);
const bool cli_is_tools = true;
const struct cli_build cli_build = { BELAY_LINKAGE, BELAY_LIBRARIES,
				     BELAY_HTTP_CLIENT, BELAY_BUILTINS };
bl_engine_compile_fn *const cli_compile = bl_policy_load;

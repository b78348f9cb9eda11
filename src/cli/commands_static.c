/* SPDX-License-Identifier: Apache-2.0 */
/* The command table of belay: only the decision path has its code here. */
#include "cli/cli.h"

#define CODE_STATIC(id) &cli_code_##id
#define CODE_TOOLS(id)  NULL
#define CODE_QUICK(id)  NULL
#define CODE_HOOK(id)   &cli_code_##id

#define QUICK_STATIC(id) NULL
#define QUICK_TOOLS(id)  NULL
#define QUICK_QUICK(id)  cli_quick_##id
#define QUICK_HOOK(id)   NULL

const struct cli_command cli_commands[] = {
#define COMMAND(id, name, where, operands, summary)                            \
	{ name,                                                                \
	  operands,                                                            \
	  summary,                                                             \
	  CODE_##where(id),                                                    \
	  CLI_IS_HOOK_##where,                                                 \
	  CLI_DECIDES_##where,                                                 \
	  QUICK_##where(id) },
#include "cli/commands.def"
#undef COMMAND
};
const size_t cli_command_count = BL_COUNT(cli_commands);
const bool cli_is_tools = false;
const struct cli_build cli_build = { "static", "none", "none", "core" };
bl_engine_compile_fn *const cli_compile = NULL;

/* SPDX-License-Identifier: Apache-2.0 */
/* Of belay, which has no compiler. */
#include "cli/eval_compile.h"

enum bl_status cli_eval_compile(struct cli *cli, struct bl_str payload,
				struct bl_eval *eval, struct bl_error *err)
{
	(void)eval;
	return cli_become_tools(cli, payload, err);
}

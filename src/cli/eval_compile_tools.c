/* SPDX-License-Identifier: Apache-2.0 */
/* Of belay-tools. */
#include "cli/eval_compile.h"

enum bl_status cli_eval_compile(struct cli *cli, struct bl_str payload,
				struct bl_eval *eval, struct bl_error *err)
{
	struct bl_diags diags;

	(void)payload;
	bl_diags_init(&diags, &cli->arena);
	return bl_eval_compile(&cli->arena, &diags, eval, err);
}

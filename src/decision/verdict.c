/* SPDX-License-Identifier: Apache-2.0 */
#include "decision/decision.h"

struct verdict_row {
	const char *name;
	int exit_code;
};

static const struct verdict_row verdicts[BL_VERDICT_COUNT] = {
	[BL_VERDICT_NONE] = { "none", 0 },
	[BL_VERDICT_ALLOW] = { "allow", 0 },
	[BL_VERDICT_ASK] = { "ask", 3 },
	[BL_VERDICT_DENY] = { "deny", 2 },
};

const char *bl_verdict_name(enum bl_verdict verdict)
{
	return verdicts[verdict].name;
}

int bl_verdict_exit_code(enum bl_verdict verdict)
{
	return verdicts[verdict].exit_code;
}

bool bl_verdict_parse(struct bl_str text, enum bl_verdict *out_verdict)
{
	for (size_t i = 0; i < BL_VERDICT_COUNT; i++) {
		if (bl_str_is(text, verdicts[i].name)) {
			*out_verdict = (enum bl_verdict)i;
			return true;
		}
	}
	return false;
}

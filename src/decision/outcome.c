/* SPDX-License-Identifier: Apache-2.0 */
#include "decision/decision.h"

struct outcome_row {
	const char *name;
	const char *text;
};

static const struct outcome_row outcomes[BL_OUTCOME_COUNT] = {
#define OUTCOME(name, public_name, text)                                       \
	[BL_OUTCOME_##name] = { public_name, text },
#include "decision/outcomes.def"
#undef OUTCOME
};

const char *bl_outcome_name(enum bl_outcome_kind kind)
{
	return outcomes[kind].name;
}

const char *bl_outcome_text(enum bl_outcome_kind kind)
{
	return outcomes[kind].text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of outcomes' kinds, and decisions that become outcomes again. */
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

struct bl_outcome bl_outcome_of_decision(enum bl_outcome_source source,
					 const struct bl_decision *decision)
{
	return (struct bl_outcome){
		.source = source,
		.kind = BL_OUTCOME_ANSWERED,
		.answer = {
			.permission = decision->verdict,
			.attributes = decision->attributes,
			.stops = decision->verdict == BL_VERDICT_DENY,
			.user_message = decision->user_message,
			.agent_message = decision->agent_message,
			.followup_message = decision->followup_message,
			.contexts = decision->additional_context,
			.updated_input = decision->updated_input,
			.updated_output = decision->updated_output,
			.env = decision->env,
			.plugin_paths = decision->plugin_paths,
		},
	};
}

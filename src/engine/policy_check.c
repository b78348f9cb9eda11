/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_check.c: what agents can do at their events, for the validator of
 * policies, which knows no agent; for all that says whether a directory is sound,
 * so that they never say different things.
 */
#include "engine/engine.h"

#define BIT(verb) (1U << BL_VERB_##verb)

static unsigned verbs_of(unsigned capabilities)
{
	static const struct {
		unsigned capability;
		unsigned verbs;
	} rows[] = {
		{ BL_CAN_REFUSE, BIT(HALT) | BIT(DENY) | BIT(BLOCK) },
		{ BL_CAN_ASK, BIT(ASK) },
		{ BL_CAN_REWRITE, BIT(MODIFY) },
		{ BL_CAN_CONTEXT, BIT(ADD_CONTEXT) },
		{ BL_CAN_CONTINUE, BIT(HALT) | BIT(DENY) | BIT(BLOCK) },
		{ BL_CAN_HALT, BIT(HALT) },
		{ BL_CAN_FEEDBACK, BIT(HALT) | BIT(BLOCK) },
	};
	unsigned verbs = 0;

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (capabilities & rows[i].capability)
			verbs |= rows[i].verbs;
	return verbs;
}

static const char *kind_name(const struct bl_hook_event *event)
{
	return bl_event_kind_name(bl_hook_event_policy_kind(event, NULL));
}

static bool is_of(const struct bl_agent *agent, struct bl_str name)
{
	return bl_str_is(name, agent->name) || bl_str_is(name, "all");
}

/* Keeps the name that is nearest to an event that there is not. */
static void guess(struct bl_str event, const char *name, size_t *distance,
		  const char **out_near)
{
	size_t now = bl_str_distance(event, bl_str(name));

	if (now > 1 + event.len / 4 || now >= *distance)
		return;
	*distance = now;
	*out_near = name;
}

/* By the agent's name of the event, or by its neutral name. */
static bool verbs_at(struct bl_str agent_name, struct bl_str event,
		     unsigned *out_verbs, const char **out_near)
{
	size_t distance = SIZE_MAX;
	bool found = false;

	*out_verbs = 0;
	*out_near = NULL;
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_agent *agent = bl_agents[i];

		if (!is_of(agent, agent_name))
			continue;
		for (size_t j = 0; j < agent->event_count; j++) {
			const struct bl_hook_event *row = &agent->events[j];

			guess(event, row->name, &distance, out_near);
			guess(event, kind_name(row), &distance, out_near);
			if (!bl_str_is(event, row->name) &&
			    !bl_str_is(event, kind_name(row)))
				continue;
			*out_verbs |= verbs_of(row->capabilities);
			found = true;
		}
	}
	return found;
}

static const char *recased_tool(struct bl_str agent, struct bl_str tool,
				const char **out_kind)
{
	enum bl_tool_kind kind = BL_TOOL_NONE;
	const char *meant =
		bl_agent_recased_tool(bl_agent_find(agent), tool, &kind);

	*out_kind = bl_tool_kind_name(kind);
	return meant;
}

void bl_engine_know_agents(struct bl_policy_validate_options *options)
{
	options->agent_at = bl_agent_name_at;
	options->verbs_at = verbs_at;
	options->near_tool = bl_agent_near_tool;
	options->recased_tool = recased_tool;
}

enum bl_status bl_engine_prepare_policies(void *context, struct bl_str dir,
					  struct bl_error *err)
{
	struct bl_policy_validate_options options = { .dir = dir };
	struct bl_arena *arena = context;
	const struct bl_diag *diag;
	struct bl_diags diags;
	size_t files = 0;
	enum bl_status status;

	bl_engine_know_agents(&options);
	bl_diags_init(&diags, arena);
	status = bl_policy_validate(&options, arena, &diags, &files, err);
	for (diag = diags.first; !status && diag; diag = diag->next)
		if (diag->severity == BL_SEVERITY_ERROR)
			status = bl_fail(err, BL_INVALID, "policies: %.*s",
					 BL_STR_ARG(diag->message));
	return status;
}

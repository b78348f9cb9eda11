/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy_check.c: what agents can do at their events, for the validator of
 * policies; for the commands that say whether a directory is sound, so that
 * they never say different things.
 */
#include "cli/policy_setup.h"

#include "os/os.h"
#include "team/team.h"

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

static bool is_of(const struct bl_agent *agent, struct bl_str harness)
{
	return bl_str_is(harness, agent->name) || bl_str_is(harness, "all");
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
static bool verbs_at(struct bl_str harness, struct bl_str event,
		     unsigned *out_verbs, const char **out_near)
{
	size_t distance = SIZE_MAX;
	bool found = false;

	*out_verbs = 0;
	*out_near = NULL;
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_agent *agent = bl_agents[i];

		if (!is_of(agent, harness))
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

static const char *recased_tool(struct bl_str harness, struct bl_str tool,
				const char **out_kind)
{
	enum bl_tool_kind kind = BL_TOOL_NONE;
	const char *meant =
		bl_agent_recased_tool(bl_agent_find(harness), tool, &kind);

	*out_kind = bl_tool_kind_name(kind);
	return meant;
}

enum bl_status cli_check_policies(struct cli *cli, struct bl_str dir,
				  struct bl_str harness, struct bl_diags *diags,
				  size_t *out_files, struct bl_error *err)
{
	struct bl_str home;
	struct bl_policy_validate_options options = {
		.dir = dir,
		.harness = harness,
		.agent_at = bl_agent_name_at,
		.verbs_at = verbs_at,
		.near_tool = bl_agent_near_tool,
		.recased_tool = recased_tool,
	};

	/* A directory that cannot be found forbids nothing. */
	if (!cli_user_home(cli, &home, NULL))
		(void)bl_team_find_policies(
			BL_STR(""), home, bl_os_wall_ms() / 1000, &cli->arena,
			&options.above[BL_POLICY_TEAM], NULL);
	(void)cli_global_policies(cli, &options.above[BL_POLICY_GLOBAL], NULL);
	return bl_policy_validate(&options, &cli->arena, diags, out_files, err);
}

enum bl_status cli_named_policies(struct cli *cli, size_t option,
				  struct bl_str *out_dir, struct bl_error *err)
{
	struct bl_str given = cli_value(cli, option);
	struct bl_file_info info;

	/* Cupcake's own default, which need not be there. */
	if (given.len && !bl_str_is(bl_path_base(given), "policies") &&
	    bl_os_info_target(given, &info, NULL))
		return bl_fail(err, BL_NOT_FOUND, "there is no folder %.*s",
			       BL_STR_ARG(given));
	return bl_policy_find_dir(given, &cli->arena, out_dir, err);
}

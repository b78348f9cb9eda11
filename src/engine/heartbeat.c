/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heartbeat.c: which agent and which workspace an event came from, for `belay
 * status`.  Apart from record.c, since it is noted also where nothing is
 * recorded.
 */
#include "engine/private.h"

/* The project of a policy directory of a project; empty: of the user's own. */
static struct bl_str project_of(struct bl_str policy_dir)
{
	struct bl_str name = bl_path_base(policy_dir);

	return name.len && name.ptr[0] == '.' ? bl_path_dir(policy_dir)
					      : BL_STR("");
}

/*
 * As the agent says by its variable, else the project whose policies are
 * asked, else where the event happened.
 */
static struct bl_str workspace_of(const struct bl_event *event)
{
	const struct bl_engine *engine = event->engine;
	const struct bl_hook_options *hooks = &event->places->hooks;
	const struct bl_registration *agent =
		engine->agent.agent ? engine->agent.agent->registration : NULL;
	struct bl_str found = { NULL, 0 };

	if (engine->form == BL_FORM_SERVICE)
		return hooks->workspace_count ? hooks->workspaces[0] : found;
	if (agent && agent->variable)
		found = bl_os_getenv(agent->variable);
	if (!bl_path_is_absolute(found))
		found = project_of(
			event->places->load.places[BL_POLICY_PROJECT].path);
	if (!bl_path_is_absolute(found))
		found = event->reply->request.cwd;
	if (!bl_path_is_absolute(found) &&
	    bl_path_current(event->arena, &found, NULL) != BL_OK)
		found = BL_STR("");
	return found;
}

/* A failure is not said: the record has said it, or nobody wants one. */
void bl_event_beat(const struct bl_event *event)
{
	const struct bl_agent *agent = event->engine->agent.agent;
	struct bl_heartbeat beat = {
		.agent = agent ? bl_str(agent->name)
			       : bl_str(event->profile->name),
		.workspace = workspace_of(event),
		.since_ms = event->wall_ms,
	};

	if (!event->engine->journal.dir.len ||
	    bl_str_is(event->reply->request.session_id, BL_CANARY_SESSION))
		return;
	(void)bl_heartbeat_note(event->engine->journal.dir, &beat, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source "policies": where they are, how they come to be in memory (from
 * images for one event, or compiled), and what they decide.
 */
#include "engine/private.h"

#include "os/os.h"
#include "team/team.h"
#include "trust/trust.h"

/* ---- finding -------------------------------------------------------------- */

static struct bl_str copy_message(struct bl_arena *arena,
				  const struct bl_error *err)
{
	return bl_arena_copy_str(arena, bl_str(err->message));
}

/* Of FORM_HOOK: named, or in the working directory; a missing one is said. */
static void find_named(const struct bl_engine *engine, struct bl_arena *arena,
		       struct bl_places *places)
{
	struct bl_policy_place *all = places->load.places;
	struct bl_policy_place *project = &all[BL_POLICY_PROJECT];
	struct bl_str given = engine->policies.dir;
	struct bl_error problem = { 0 };

	if (bl_policy_find_dir(given, arena, &project->path, &problem))
		project->missing = copy_message(arena, &problem);
	/* Other policies or a level are enough where nobody named a directory. */
	if ((all[BL_POLICY_TEAM].path.len || all[BL_POLICY_GLOBAL].path.len ||
	     engine->policies.options.level > BL_LEVEL_OFF ||
	     engine->policies.options.usual_level > BL_LEVEL_OFF) &&
	    !given.len)
		project->missing = BL_STR("");
}

/*
 * An agent can write its workspace, and a repository brings files along, but a
 * policy directory may name programs to run (signals): only a folder that is
 * trusted as a whole may supply policies to the hook service.
 */
static bool is_trusted(const struct bl_hook_options *hooks,
		       struct bl_str workspace)
{
	const struct bl_trust_record *record;
	struct bl_trust_store store;
	struct bl_arena scratch;
	bool is_whole = hooks->trust_all;

	if (is_whole)
		return true;
	bl_arena_init(&scratch, NULL, 0, hooks->limits->event_arena_bytes);
	if (!bl_trust_read(&scratch, hooks->home, &store, NULL)) {
		record = bl_trust_find(&store, workspace);
		is_whole = record && record->mode == BL_TRUST_FOLDER;
	}
	bl_arena_clear(&scratch);
	return is_whole;
}

static void note(struct bl_array_builder *notices, struct bl_str text)
{
	bl_array_builder_add(notices, text.ptr ? bl_value_string(text)
					       : bl_value_undefined());
}

/* The user's, by which a team is found. */
static struct bl_str home_of(const struct bl_engine *engine)
{
	struct bl_str home = engine->places.hooks.home;

	return home.len ? home : engine->policies.options.home;
}

/* Neither the user's nor the project's policies can weaken the team's. */
static void find_of_team(const struct bl_engine *engine, struct bl_arena *arena,
			 struct bl_places *places)
{
	struct bl_policy_place *out = &places->load.places[BL_POLICY_TEAM];
	struct bl_team_found *found = bl_arena_new(arena, struct bl_team_found);
	struct bl_error problem = { 0 };
	enum bl_status status;

	if (!found)
		return; /* the arena says so in the end */
	bl_team_look(engine->places.hooks.system_root, home_of(engine), arena,
		     found);
	places->team = found;
	status = bl_team_get_policies(found, bl_os_wall_ms() / 1000, &out->path,
				      &problem);
	if (status && status != BL_NOT_FOUND)
		out->missing = copy_message(arena, &problem);
}

/* Of FORM_SERVICE: the first workspace's that has some and is trusted. */
static void find_in_workspaces(struct bl_arena *arena, struct bl_places *places,
			       struct bl_array_builder *notices)
{
	const struct bl_hook_options *hooks = &places->hooks;
	struct bl_str *project = &places->load.places[BL_POLICY_PROJECT].path;

	for (size_t i = 0; i < hooks->workspace_count; i++) {
		struct bl_str workspace = hooks->workspaces[i];
		struct bl_str dir = bl_policy_dir_of(workspace, arena);

		if (!dir.ptr)
			continue;
		if (!is_trusted(hooks, workspace))
			note(notices,
			     bl_arena_printf(arena,
					     "%.*s: its policies were not "
					     "asked, since the folder is not "
					     "trusted as a whole. To trust it: "
					     "belay trust add --folder %.*s",
					     BL_STR_ARG(dir),
					     BL_STR_ARG(workspace)));
		else if (project->len)
			note(notices,
			     bl_arena_printf(arena,
					     "%.*s: its policies were not "
					     "asked: those of one workspace "
					     "decide, and %.*s comes first",
					     BL_STR_ARG(dir),
					     BL_STR_ARG(*project)));
		else
			*project = dir;
	}
}

enum bl_status bl_engine_find_policies(const struct bl_engine *engine,
				       struct bl_arena *arena,
				       struct bl_places *places,
				       struct bl_error *err)
{
	const struct bl_engine_policies *policies = &engine->policies;
	struct bl_policy_load_options *load = &places->load;
	struct bl_policy_place *all = load->places;
	struct bl_array_builder notices;
	struct bl_error problem = { 0 };

	bl_array_builder_init(&notices, arena);
	load->agent = bl_str(engine->agent.agent->name);
	load->agent_at = bl_agent_name_at;
	load->cache = policies->cache;
	load->observe = policies->explain;
	load->keep_stamps = !engine->no_reload;
	if (bl_policy_find_global(policies->global_config,
				  policies->config_home, arena,
				  &all[BL_POLICY_GLOBAL].path, &problem))
		all[BL_POLICY_GLOBAL].missing = copy_message(arena, &problem);
	find_of_team(engine, arena, places);
	if (engine->form == BL_FORM_HOOK || policies->dir.len)
		find_named(engine, arena, places);
	else
		find_in_workspaces(arena, places, &notices);
	if (notices.count)
		places->notices = bl_array_builder_end(&notices);
	/* Registered for all projects: named by the line, and found again. */
	if (bl_str_equal(all[BL_POLICY_GLOBAL].path,
			 all[BL_POLICY_PROJECT].path))
		all[BL_POLICY_GLOBAL].path = BL_STR("");
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

static bool is_found_again(const struct bl_policy_load_options *before,
			   const struct bl_policy_load_options *now)
{
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (!bl_str_equal(before->places[i].path,
				  now->places[i].path) ||
		    !bl_str_equal(before->places[i].missing,
				  now->places[i].missing))
			return false;
	return true;
}

bool bl_engine_has_policies(const struct bl_policy_load_options *load)
{
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (load->places[i].path.len || load->places[i].missing.len)
			return true;
	return false;
}

bool bl_engine_policies_changed(const struct bl_engine *engine)
{
	const struct bl_snapshot *current = engine->current;
	struct bl_places now = { .hooks = *bl_engine_hook_options(engine) };
	struct bl_arena scratch;
	bool has_changed;

	if (!current || !bl_engine_asks(engine, BL_ASK_POLICIES))
		return false;
	bl_arena_init(&scratch, NULL, 0, engine->limits.event_arena_bytes);
	has_changed =
		bl_engine_find_policies(engine, &scratch, &now, NULL) ||
		!is_found_again(&current->places.load, &now.load) ||
		(current->policies && bl_policy_has_changed(current->policies));
	bl_arena_clear(&scratch);
	return has_changed;
}

/* ---- loading -------------------------------------------------------------- */

/*
 * The policies of a team are compiled only as they were signed; an image of them
 * holds as long as its files have the same sizes, times and inodes.
 */
static void check_signed(const struct bl_team_found *team,
			 struct bl_arena *arena,
			 struct bl_policy_place *of_team)
{
	struct bl_error why = { 0 };

	if (!of_team->path.len || !bl_team_check_policies(&team->use, &why))
		return;
	of_team->path = BL_STR("");
	of_team->missing = bl_arena_printf(
		arena, "tampered: %s (to repair it: belay team sync)",
		why.message);
}

enum bl_status bl_engine_compile(const struct bl_engine *engine,
				 const struct bl_places *places,
				 struct bl_arena *arena,
				 const struct bl_policy_set **out_set,
				 struct bl_error *err)
{
	struct bl_policy_load_options checked = places->load;
	struct bl_diags diags;

	if (!engine->policies.compile)
		return bl_fail(err, BL_UNSUPPORTED,
			       "the policies have no image, and belay-tools "
			       "compiles them");
	check_signed(places->team, arena, &checked.places[BL_POLICY_TEAM]);
	bl_diags_init(&diags, arena);
	return engine->policies.compile(&checked, arena, &diags, out_set, err);
}

/* The snapshot's, else for this event alone: from images, or compiled. */
static enum bl_status open_policies(struct bl_event *event,
				    const struct bl_policy_event *asked,
				    struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	const struct bl_policy_load_options *load = &event->places->load;

	if (reply->snapshot)
		reply->policies = bl_snapshot_policies(reply->snapshot);
	if (reply->policies)
		return BL_OK;
	reply->opened_policies = true;
	if (load->cache &&
	    !bl_policy_open(load, asked, event->arena, &reply->policies, NULL))
		return BL_OK;
	return bl_engine_compile(event->engine, event->places, event->arena,
				 &reply->policies, err);
}

/* ---- asking --------------------------------------------------------------- */

static enum bl_event_class class_of(const struct bl_hook_event *event)
{
	if (bl_hook_event_fails_closed(event))
		return BL_CLASS_PERMISSION;
	return event->kind == BL_EVENT_PROMPT ? BL_CLASS_PROMPT
					      : BL_CLASS_OBSERVE;
}

/* The event as policies have it. */
static struct bl_policy_event
policy_event(const struct bl_agent_request *request)
{
	return (struct bl_policy_event){
		.name = request->event_name,
		.canonical = bl_str(bl_event_kind_name(request->kind)),
		.tool = request->tool_name,
		.tool_kind = bl_str(bl_tool_kind_name(request->tool_kind)),
		.class = class_of(request->event),
		.input = request->input,
		.belay = request->canonical,
		.cwd = request->cwd,
	};
}

/*
 * Modifications are a patch; the agents that belay serves, and whatever an
 * earlier source has rewritten, need the whole input.
 */
static enum bl_status complete_input(const struct bl_event *event,
				     struct bl_decision *decision,
				     struct bl_error *err)
{
	struct bl_value input = bl_event_input(event);

	if (!bl_value_is_defined(decision->updated_input) ||
	    !bl_value_is(input, BL_KIND_OBJECT) ||
	    (event->engine->form == BL_FORM_HOOK && !event->is_rewritten))
		return BL_OK;
	decision->updated_input = bl_decision_merge_input(
		event->arena, input, decision->updated_input);
	return bl_value_is_defined(decision->updated_input)
		       ? BL_OK
		       : bl_arena_fail(event->arena, err);
}

/*
 * The hook service's own events cannot all ask.  A policy that wants a person
 * to decide must not be let pass in silence: it refuses, where that is possible.
 */
static void ask_or_refuse(struct bl_event *event, struct bl_decision *decision)
{
	const struct bl_hook_event *hook_event = event->hook_event;

	if (event->engine->form != BL_FORM_SERVICE || hook_event->can_ask ||
	    decision->verdict != BL_VERDICT_ASK || !hook_event->refusal)
		return;
	decision->verdict = BL_VERDICT_DENY;
	bl_event_notice(event,
			"%s cannot ask, so that what a policy asks about is "
			"refused",
			hook_event->name);
}

/*
 * A decision that was given up is a refusal, also where a rulebook lets the
 * failures of policies pass: what they would have said nobody knows.
 */
static void refuse_stopped(const struct bl_event *event,
			   struct bl_decision *decision)
{
	enum bl_stop_reason reason = bl_stop_ask(event->stop);
	struct bl_str message =
		reason == BL_STOP_CANCELLED
			? BL_STR("The policies were stopped: the action was "
				 "cancelled")
			: BL_STR("The policies were stopped: the time for the "
				 "decision was up");

	if (!reason)
		return;
	*decision = (struct bl_decision){
		.verdict = BL_VERDICT_DENY,
		.user_message = message,
		.agent_message = message,
	};
}

enum bl_status bl_event_ask_policies(struct bl_event *event,
				     const struct bl_request *request,
				     bool *out_asked,
				     struct bl_decision *out_decision,
				     struct bl_error *err)
{
	struct bl_reply *reply = event->reply;
	struct bl_policy_options options = event->engine->policies.options;
	struct bl_policy_event asked;
	enum bl_status status;

	*out_asked = reply->request.event != NULL;
	if (!*out_asked)
		return BL_OK;
	asked = policy_event(&reply->request);
	options.recorded_signals = request->recorded_signals;
	options.stop = request->stop;
	/* Another source has refused: an allowance would be used up in vain. */
	for (size_t i = 0; i < event->decided; i++)
		if (event->decisions[i].verdict >= BL_VERDICT_ASK)
			options.state_dir = BL_STR("");
	if (!options.host.now_ns)
		options.host.now_ns = event->wall_ms * 1000000;
	status = open_policies(event, &asked, err);
	if (status == BL_OK)
		status = bl_policy_decide(reply->policies, &asked, &options,
					  event->arena, &reply->report, err);
	if (status != BL_OK)
		return status;
	*out_decision = reply->report.decision;
	refuse_stopped(event, out_decision);
	ask_or_refuse(event, out_decision);
	return complete_input(event, out_decision, err);
}

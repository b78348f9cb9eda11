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
	struct bl_policy_load_options *load = &places->load;
	struct bl_str given = engine->policies.dir;
	struct bl_error problem = { 0 };

	if (bl_policy_find_dir(given, arena, &load->project_dir, &problem))
		load->project_missing = copy_message(arena, &problem);
	/* Global policies or a level are enough where nobody named a directory. */
	if ((load->global_dir.len ||
	     engine->policies.options.level > BL_LEVEL_OFF) &&
	    !given.len)
		load->project_missing = BL_STR("");
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

/* The team that this machine is in; NOT_FOUND: in none. */
static enum bl_status find_use(const struct bl_engine *engine,
			       struct bl_arena *arena, struct bl_team_use *out,
			       struct bl_error *err)
{
	const struct bl_hook_options *hooks = &engine->places.hooks;
	struct bl_str home =
		hooks->home.len ? hooks->home : engine->policies.options.home;

	return bl_team_find_use(hooks->system_root, home, arena, out, err);
}

/*
 * The policies of the team's set take the place of the user's own directory: what
 * they decide, the project cannot weaken.  Before the notice is answered they do
 * not count; a set that is too old counts as its settings say.
 */
static void find_of_team(const struct bl_engine *engine, struct bl_arena *arena,
			 struct bl_policy_load_options *load,
			 struct bl_array_builder *notices)
{
	struct bl_team_use use = { .version = 0 };
	struct bl_error problem = { 0 };
	enum bl_status status = find_use(engine, arena, &use, &problem);
	enum bl_team_state state;

	if (status == BL_NOT_FOUND)
		return;
	if (status) {
		load->global_dir = BL_STR("");
		load->global_missing = copy_message(arena, &problem);
		return;
	}
	state = bl_team_use_state(&use, bl_os_wall_ms() / 1000);
	if (!use.policies.len || state == BL_TEAM_NOTICE_PENDING)
		return;
	if (load->global_dir.len)
		note(notices,
		     bl_arena_printf(arena,
				     "%.*s: its policies were not asked: those "
				     "of the team %.*s take their place",
				     BL_STR_ARG(load->global_dir),
				     BL_STR_ARG(use.team_id)));
	load->global_missing = BL_STR("");
	load->global_dir = use.policies;
	if (state != BL_TEAM_TOO_OLD || use.aged != BL_TEAM_AGED_DENY)
		return;
	load->global_dir = BL_STR("");
	load->global_missing = bl_arena_printf(
		arena, "%s: %s (team %.*s)", bl_team_state_name(state),
		bl_team_state_text(state), BL_STR_ARG(use.team_id));
}

/* Of FORM_SERVICE: the first workspace's that has some and is trusted. */
static void find_in_workspaces(struct bl_arena *arena, struct bl_places *places,
			       struct bl_array_builder *notices)
{
	const struct bl_hook_options *hooks = &places->hooks;
	struct bl_policy_load_options *load = &places->load;

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
		else if (load->project_dir.len)
			note(notices,
			     bl_arena_printf(arena,
					     "%.*s: its policies were not "
					     "asked: those of one workspace "
					     "decide, and %.*s comes first",
					     BL_STR_ARG(dir),
					     BL_STR_ARG(load->project_dir)));
		else
			load->project_dir = dir;
	}
}

enum bl_status bl_engine_find_policies(const struct bl_engine *engine,
				       struct bl_arena *arena,
				       struct bl_places *places,
				       struct bl_error *err)
{
	const struct bl_engine_policies *policies = &engine->policies;
	struct bl_policy_load_options *load = &places->load;
	struct bl_array_builder notices;
	struct bl_error problem = { 0 };

	bl_array_builder_init(&notices, arena);
	load->harness = bl_str(engine->agent.agent->name);
	load->agent_at = bl_agent_name_at;
	load->cache = policies->cache;
	load->observe = policies->explain;
	load->keep_stamps = !engine->no_reload;
	if (bl_policy_find_global(policies->global_config,
				  policies->config_home, arena,
				  &load->global_dir, &problem))
		load->global_missing = copy_message(arena, &problem);
	find_of_team(engine, arena, load, &notices);
	if (engine->form == BL_FORM_HOOK || policies->dir.len)
		find_named(engine, arena, places);
	else
		find_in_workspaces(arena, places, &notices);
	if (notices.count)
		places->notices = bl_array_builder_end(&notices);
	/* Registered for all projects: named by the line, and found again. */
	if (bl_str_equal(load->global_dir, load->project_dir))
		load->global_dir = BL_STR("");
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

static bool is_found_again(const struct bl_policy_load_options *before,
			   const struct bl_policy_load_options *now)
{
	return bl_str_equal(before->project_dir, now->project_dir) &&
	       bl_str_equal(before->global_dir, now->global_dir) &&
	       bl_str_equal(before->project_missing, now->project_missing) &&
	       bl_str_equal(before->global_missing, now->global_missing);
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
static void check_signed(const struct bl_engine *engine, struct bl_arena *arena,
			 struct bl_policy_load_options *load)
{
	struct bl_team_use use = { .version = 0 };
	struct bl_error why = { 0 };
	enum bl_status status;

	if (!load->global_dir.len)
		return;
	status = find_use(engine, arena, &use, &why);
	if (status == BL_NOT_FOUND ||
	    (!status && (!bl_str_equal(use.policies, load->global_dir) ||
			 !bl_team_check_policies(&use, &why))))
		return;
	load->global_dir = BL_STR("");
	load->global_missing = bl_arena_printf(
		arena, "tampered: %s (to repair it: belay team sync)",
		why.message);
}

enum bl_status bl_engine_compile(const struct bl_engine *engine,
				 const struct bl_policy_load_options *load,
				 struct bl_arena *arena,
				 const struct bl_policy_set **out_set,
				 struct bl_error *err)
{
	struct bl_policy_load_options checked = *load;
	struct bl_diags diags;

	if (!engine->policies.compile)
		return bl_fail(err, BL_UNSUPPORTED,
			       "the policies have no image, and belay-tools "
			       "compiles them");
	check_signed(engine, arena, &checked);
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
	return bl_engine_compile(event->engine, load, event->arena,
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
	const struct bl_hook_event *step = event->step;

	if (event->engine->form != BL_FORM_SERVICE || step->can_ask ||
	    decision->verdict != BL_VERDICT_ASK || !step->refusal)
		return;
	decision->verdict = BL_VERDICT_DENY;
	bl_event_notice(event,
			"%s cannot ask, so that what a policy asks about is "
			"refused",
			step->name);
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

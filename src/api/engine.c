/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines: options, loading, and what is loaded as JSON.  Thin over the module
 * engine.
 */
#include <stdlib.h>

#include "api/private.h"

/* A little less than agents give a hook before they go on without it. */
enum { USUAL_POLICY_TIMEOUT_MS = 15000 };

/* The one agent whose hook files belay reads. */
#define HOOK_FILES_AGENT "cursor"

static enum bl_status copy_list(struct bl_arena *arena,
				const char *const *texts, size_t count,
				const struct bl_str **out_list,
				struct bl_error *err)
{
	struct bl_str *list = bl_arena_new_array(arena, struct bl_str, count);

	if (!list)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		if (!texts[i])
			return bl_fail(err, BL_USAGE, "folder %zu is NULL", i);
		list[i] = bl_str(texts[i]);
	}
	*out_list = list;
	return BL_OK;
}

static enum bl_status read_least_sandbox(const belay_engine_options *from,
					 struct bl_engine_options *to,
					 struct bl_error *err)
{
	if (!BL_API_HAS(from, least_sandbox) || !from->least_sandbox ||
	    bl_sandbox_parse(bl_str(from->least_sandbox), &to->least_sandbox))
		return BL_OK;
	return bl_fail(err, BL_NOT_FOUND, "there is no sandbox profile '%s'",
		       from->least_sandbox);
}

/* HOME/.config of the home that was given, else the user's. */
static enum bl_status find_config_home(const belay_engine_options *from,
				       struct bl_arena *arena,
				       struct bl_str *out_path,
				       struct bl_error *err)
{
	struct bl_str home = bl_str(from->home);
	struct bl_str config = bl_os_getenv("XDG_CONFIG_HOME");
	enum bl_status status = BL_OK;

	if (!home.len && bl_path_is_absolute(config)) {
		*out_path = config;
		return BL_OK;
	}
	if (!home.len)
		status = bl_os_home(arena, &home, err);
	if (status)
		return status;
	*out_path = bl_path_join(arena, home, BL_STR(".config"));
	return out_path->ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* Where what a person allowed is: not where the environment says. */
static enum bl_status find_state_dir(const belay_engine_options *from,
				     struct bl_arena *arena,
				     struct bl_str *out_path,
				     struct bl_error *err)
{
	struct bl_str home = bl_str(from->home);
	enum bl_status status = BL_OK;

	*out_path = bl_str(from->state_dir);
	if (out_path->len)
		return BL_OK;
	if (!home.len)
		status = bl_os_home(arena, &home, err);
	if (status)
		return status;
	*out_path = bl_allowance_state_dir(arena, home);
	return out_path->ptr ? BL_OK : bl_arena_fail(arena, err);
}

static enum bl_status read_policies(const belay_engine_options *from,
				    struct bl_arena *arena,
				    struct bl_engine_options *to,
				    struct bl_error *err)
{
	struct bl_engine_policies *policies = &to->policies;
	enum bl_status status;

	policies->compile = bl_policy_load;
	policies->explain = from->flags & BELAY_EXPLAIN;
	policies->options = (struct bl_policy_options){
		.timeout_ms = USUAL_POLICY_TIMEOUT_MS,
		.host = { .read_zone = bl_engine_read_zone,
			  .fill_random = bl_engine_fill_random },
	};
	if (BL_API_HAS(from, policy_timeout_ms)) {
		policies->dir = bl_str(from->policy_dir);
		policies->global_config = bl_str(from->global_config);
		if (from->policy_timeout_ms)
			policies->options.timeout_ms = from->policy_timeout_ms;
	}
	status = find_config_home(from, arena, &policies->config_home, err);
	return status ? status
		      : find_state_dir(from, arena,
				       &policies->options.state_dir, err);
}

/* belay as the hook of an agent. */
static enum bl_status read_agent(const belay_engine_options *from,
				 struct bl_engine_options *to,
				 struct bl_error *err)
{
	static const enum bl_asked with_hooks[] = { BL_ASK_HOOKS,
						    BL_ASK_POLICIES,
						    BL_ASK_NOBODY };
	static const enum bl_asked policies[] = { BL_ASK_POLICIES,
						  BL_ASK_NOBODY };
	bool runs_hooks = from->flags & BELAY_WITH_HOOKS;

	to->form = BL_FORM_HOOK;
	to->sources = runs_hooks ? with_hooks : policies;
	to->agent.agent = bl_agent_find(bl_str(from->agent));
	if (!to->agent.agent)
		return bl_fail(err, BL_NOT_FOUND, "there is no agent '%s'",
			       from->agent);
	if (from->flags & BELAY_NO_POLICIES)
		return bl_fail(err, BL_USAGE,
			       "BELAY_NO_POLICIES is not for a hook of an "
			       "agent");
	if (runs_hooks && strcmp(from->agent, HOOK_FILES_AGENT) != 0)
		return bl_fail(err, BL_USAGE,
			       "BELAY_WITH_HOOKS runs the hooks of %s, not of "
			       "%s",
			       HOOK_FILES_AGENT, from->agent);
	if (!to->policies.dir.len && from->workspace_count)
		to->policies.dir = bl_str(from->workspaces[0]);
	return BL_OK;
}

static enum bl_status read_sources(const belay_engine_options *from,
				   struct bl_arena *arena,
				   struct bl_engine_options *to,
				   struct bl_error *err)
{
	static const enum bl_asked hooks[] = { BL_ASK_HOOKS, BL_ASK_NOBODY };
	enum bl_status status = read_policies(from, arena, to, err);

	if (!status && BL_API_HAS(from, agent) && from->agent)
		return read_agent(from, to, err);
	if (from->flags & BELAY_NO_POLICIES)
		to->sources = hooks;
	return status;
}

static enum bl_status read_options(const belay_engine_options *from,
				   struct bl_arena *arena,
				   struct bl_engine_options *to,
				   struct bl_error *err)
{
	enum bl_status status;

	if (!BL_API_HAS(from, agent_version))
		return bl_fail(err, BL_USAGE,
			       "struct_size of the options is not set");
	if ((from->workspace_count && !from->workspaces) ||
	    (from->plugin_count && !from->plugins))
		return bl_fail(err, BL_USAGE, "a list of folders is NULL");
	if (from->profile) {
		to->profile = bl_profile_find(bl_str(from->profile));
		if (!to->profile)
			return bl_fail(err, BL_NOT_FOUND,
				       "there is no profile '%s'",
				       from->profile);
	}
	to->workspace_count = from->workspace_count;
	to->plugin_count = from->plugin_count;
	to->home = bl_str(from->home);
	to->system_root = bl_str(from->system_root);
	to->journal.dir = bl_str(from->state_dir);
	to->agent_version = from->agent_version;
	to->lenient = from->flags & BELAY_LENIENT;
	to->no_project_gate = from->flags & BELAY_NO_PROJECT_GATE;
	to->trust_all = from->flags & BELAY_TRUST_ALL;
	to->no_journal = from->flags & BELAY_NO_LOG;
	to->journal.full_payload = from->flags & BELAY_LOG_PAYLOAD;
	status = read_least_sandbox(from, to, err);
	if (!status)
		status = copy_list(arena, from->workspaces,
				   from->workspace_count, &to->workspaces, err);
	if (!status)
		status = read_sources(from, arena, to, err);
	if (status)
		return status;
	return copy_list(arena, from->plugins, from->plugin_count, &to->plugins,
			 err);
}

static void read_executor(const belay_engine_options *from,
			  belay_engine *engine, struct bl_engine_options *to)
{
	if (!BL_API_HAS(from, run_context) || !from->run)
		return;
	engine->run = from->run;
	engine->run_context = from->run_context;
	to->own = (struct bl_own_executor){ bl_api_run_hook, engine };
}

/* Where the log is, for belay_engine_log_json, and the team's folders. */
static enum bl_status find_places(belay_engine *engine,
				  const struct bl_engine_options *options,
				  struct bl_error *err)
{
	struct bl_arena *arena = &engine->arena;
	struct bl_str journal_dir = options->journal.dir;
	struct bl_str home = options->home;
	enum bl_status status = BL_OK;

	if (!home.len)
		status = bl_os_home(arena, &home, err);
	/* Without a home a log that was named is enough. */
	if (status && !journal_dir.len)
		return status;
	if (!journal_dir.len)
		status = bl_journal_dir(arena, home, &journal_dir, err);
	else
		status = BL_OK;
	engine->home = bl_arena_copy_str(arena, home);
	engine->system_root = bl_arena_copy_str(arena, options->system_root);
	engine->journal_dir = bl_arena_copy_str(arena, journal_dir);
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : status;
}

belay_status belay_engine_new(const belay_engine_options *options,
			      belay_engine **out_engine, belay_error *error)
{
	static const belay_engine_options none = BELAY_ENGINE_OPTIONS_INIT;
	struct bl_engine_options plain = { 0 };
	struct bl_error err;
	belay_engine *engine;
	enum bl_status status;

	if (!out_engine)
		return bl_api_fail_null(error, "out_engine");
	engine = calloc(1, sizeof(*engine));
	if (!engine) {
		bl_fail_memory(&err);
		return bl_api_fail(&err, error);
	}
	bl_arena_init(&engine->arena, NULL, 0, 0);
	if (!options)
		options = &none;
	status = read_options(options, &engine->arena, &plain, &err);
	if (!status)
		read_executor(options, engine, &plain);
	engine->is_hook = plain.form == BL_FORM_HOOK;
	if (!status)
		status = find_places(engine, &plain, &err);
	if (!status)
		status = bl_engine_new(&plain, &engine->engine, &err);
	if (status) {
		belay_engine_free(engine);
		return bl_api_fail(&err, error);
	}
	*out_engine = engine;
	return BELAY_OK;
}

void belay_engine_free(belay_engine *engine)
{
	if (!engine)
		return;
	bl_engine_free(engine->engine);
	bl_arena_clear(&engine->arena);
	free(engine);
}

belay_status belay_engine_reload(belay_engine *engine, belay_error *error)
{
	struct bl_error err;

	if (!engine)
		return bl_api_fail_null(error, "engine");
	if (bl_engine_reload(engine->engine, &err))
		return bl_api_fail(&err, error);
	return BELAY_OK;
}

belay_status belay_engine_reload_if_changed(belay_engine *engine,
					    int32_t *changed,
					    belay_error *error)
{
	struct bl_error err;
	bool was_changed = false;

	if (!engine)
		return bl_api_fail_null(error, "engine");
	if (bl_engine_reload_if_changed(engine->engine, &was_changed, &err))
		return bl_api_fail(&err, error);
	if (changed)
		*changed = was_changed;
	return BELAY_OK;
}

int32_t belay_engine_has_hook(belay_engine *engine, const char *event)
{
	return engine && event &&
	       bl_engine_has_hook(engine->engine, bl_str(event));
}

/* ---- workspaces and trust --------------------------------------------------- */

typedef enum bl_status change_fn(struct bl_engine *engine, struct bl_str path,
				 struct bl_error *err);

static belay_status change(belay_engine *engine, const char *path,
			   change_fn *how, belay_error *error)
{
	struct bl_error err;

	if (!engine || !path)
		return bl_api_fail_null(error, "engine or path");
	if (how(engine->engine, bl_str(path), &err))
		return bl_api_fail(&err, error);
	return BELAY_OK;
}

belay_status belay_engine_add_workspace(belay_engine *engine, const char *path,
					belay_error *error)
{
	return change(engine, path, bl_engine_add_workspace, error);
}

belay_status belay_engine_remove_workspace(belay_engine *engine,
					   const char *path, belay_error *error)
{
	return change(engine, path, bl_engine_remove_workspace, error);
}

static enum bl_status trust_file(struct bl_engine *engine, struct bl_str path,
				 struct bl_error *err)
{
	return bl_engine_trust(engine, path, false, err);
}

static enum bl_status trust_folder(struct bl_engine *engine, struct bl_str path,
				   struct bl_error *err)
{
	return bl_engine_trust(engine, path, true, err);
}

belay_status belay_engine_trust(belay_engine *engine, const char *path,
				int32_t whole, belay_error *error)
{
	return change(engine, path, whole ? trust_folder : trust_file, error);
}

belay_status belay_engine_untrust(belay_engine *engine, const char *path,
				  belay_error *error)
{
	return change(engine, path, bl_engine_untrust, error);
}

/* ---- what is loaded -------------------------------------------------------- */

belay_status belay_engine_hooks_json(belay_engine *engine,
				     belay_text **out_text, belay_error *error)
{
	const struct bl_snapshot *snapshot;
	const struct bl_profile *profile;
	struct bl_arena arena;
	struct bl_error err;
	belay_status status;

	if (!engine || !out_text)
		return bl_api_fail_null(error, "engine or out_text");
	snapshot = bl_engine_snapshot(engine->engine);
	profile = bl_snapshot_set(snapshot)->profile;
	if (!profile || profile->everruns) {
		bl_snapshot_unref(snapshot);
		bl_fail(&err, BL_UNSUPPORTED,
			"this engine runs no hooks of hooks.json");
		return bl_api_fail(&err, error);
	}
	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_api_text(
		bl_hook_set_to_value(bl_snapshot_set(snapshot), &arena),
		out_text, error);
	bl_snapshot_unref(snapshot);
	bl_arena_clear(&arena);
	return status;
}

belay_status belay_engine_log_json(belay_engine *engine, size_t max,
				   belay_text **out_text, belay_error *error)
{
	struct bl_value *entries;
	size_t count;
	struct bl_arena arena;
	struct bl_error err;
	belay_status status;

	if (!engine || !out_text)
		return bl_api_fail_null(error, "engine or out_text");
	bl_arena_init(&arena, NULL, 0, 0);
	if (bl_journal_read_last(engine->journal_dir, max, &arena, &entries,
				 &count, NULL, &err))
		status = bl_api_fail(&err, error);
	else
		status = bl_api_text(bl_array_make(&arena, entries, count),
				     out_text, error);
	bl_arena_clear(&arena);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Engines and snapshots: options, loading, reloading. */
#include "engine/private.h"

#include <stdlib.h>

/* ---- snapshots ---------------------------------------------------------- */

static void free_snapshot(struct bl_snapshot *snapshot)
{
	bl_hook_set_clear(&snapshot->set);
	if (snapshot->policies)
		bl_policy_close(snapshot->policies);
	bl_arena_clear(&snapshot->arena);
	free(snapshot);
}

/* Gives each command the sandbox that it has at least. */
static enum bl_status raise_sandboxes(const struct bl_engine *engine,
				      struct bl_snapshot *snapshot,
				      struct bl_error *err)
{
	struct bl_hook_set *set = &snapshot->set;
	struct bl_hook *hooks;

	if (!engine->least_sandbox.profile || !set->hook_count)
		return BL_OK;
	hooks = bl_arena_new_array(&snapshot->arena, struct bl_hook,
				   set->hook_count);
	if (!hooks)
		return bl_arena_fail(&snapshot->arena, err);
	memcpy(hooks, set->hooks, set->hook_count * sizeof(*hooks));
	for (size_t i = 0; i < set->hook_count; i++) {
		if (hooks[i].type == BL_HOOK_COMMAND)
			bl_sandbox_raise(&engine->least_sandbox,
					 &hooks[i].sandbox,
					 &hooks[i].sandbox_network);
	}
	set->hooks = hooks;
	return BL_OK;
}

static enum bl_status load_hooks(const struct bl_engine *engine,
				 struct bl_snapshot *snapshot,
				 struct bl_error *err)
{
	struct bl_hook_options options = snapshot->places.hooks;
	enum bl_status status;

	if (!bl_engine_asks(engine, BL_ASK_HOOKS))
		return BL_OK;
	if (options.profile->everruns)
		return bl_engine_load_chain(engine, snapshot, err);
	/* Hooks and policies are of one set; a later load looks again. */
	options.team = snapshot->places.team;
	status = bl_hook_set_load(&options, &snapshot->arena, &snapshot->set,
				  err);
	return status == BL_OK ? raise_sandboxes(engine, snapshot, err)
			       : status;
}

/* For many events: all of them.  For one, policies.c opens what it needs. */
static enum bl_status load_policies(const struct bl_engine *engine,
				    struct bl_snapshot *snapshot,
				    struct bl_error *err)
{
	if (engine->no_reload || !bl_engine_asks(engine, BL_ASK_POLICIES) ||
	    !bl_engine_has_policies(&snapshot->places.load))
		return BL_OK;
	return bl_engine_compile(engine, &snapshot->places, &snapshot->arena,
				 &snapshot->policies, err);
}

/* The places by these options, whose workspaces become the snapshot's own. */
static enum bl_status find_places(const struct bl_engine *engine,
				  const struct bl_hook_options *hooks,
				  struct bl_snapshot *snapshot,
				  struct bl_error *err)
{
	struct bl_places *places = &snapshot->places;
	struct bl_arena *arena = &snapshot->arena;

	places->hooks = *hooks;
	places->hooks.workspaces = bl_engine_copy_texts(
		arena, hooks->workspaces, hooks->workspace_count);
	if (!places->hooks.workspaces)
		return bl_arena_fail(arena, err);
	if (!bl_engine_asks(engine, BL_ASK_POLICIES))
		return BL_OK;
	return bl_engine_find_policies(engine, arena, places, err);
}

static enum bl_status load_snapshot(const struct bl_engine *engine,
				    const struct bl_hook_options *hooks,
				    struct bl_snapshot **out_snapshot,
				    struct bl_error *err)
{
	struct bl_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	enum bl_status status;

	if (!snapshot)
		return bl_fail_memory(err);
	atomic_init(&snapshot->count, 1);
	bl_arena_init(&snapshot->arena, NULL, 0,
		      engine->limits.event_arena_bytes);
	status = find_places(engine, hooks, snapshot, err);
	if (status == BL_OK)
		status = load_hooks(engine, snapshot, err);
	if (status == BL_OK)
		status = load_policies(engine, snapshot, err);
	if (status != BL_OK) {
		free_snapshot(snapshot);
		return status;
	}
	*out_snapshot = snapshot;
	return BL_OK;
}

const struct bl_snapshot *bl_engine_snapshot(struct bl_engine *engine)
{
	struct bl_snapshot *snapshot;

	pthread_mutex_lock(&engine->lock);
	snapshot = engine->current;
	if (snapshot)
		atomic_fetch_add_explicit(&snapshot->count, 1,
					  memory_order_relaxed);
	pthread_mutex_unlock(&engine->lock);
	return snapshot;
}

const struct bl_snapshot *bl_snapshot_unref(const struct bl_snapshot *snapshot)
{
	/* The count is ours: const is for the readers of a snapshot. */
	struct bl_snapshot *ours = (struct bl_snapshot *)(uintptr_t)snapshot;

	if (ours && atomic_fetch_sub_explicit(&ours->count, 1,
					      memory_order_acq_rel) == 1)
		free_snapshot(ours);
	return NULL;
}

const struct bl_hook_set *bl_snapshot_set(const struct bl_snapshot *snapshot)
{
	return &snapshot->set;
}

const struct bl_policy_set *
bl_snapshot_policies(const struct bl_snapshot *snapshot)
{
	return snapshot->policies;
}

static void replace(struct bl_engine *engine, struct bl_snapshot *snapshot)
{
	struct bl_snapshot *old;

	pthread_mutex_lock(&engine->lock);
	old = engine->current;
	engine->current = snapshot;
	pthread_mutex_unlock(&engine->lock);
	bl_snapshot_unref(old);
}

/* ---- reloading ---------------------------------------------------------- */

/* The stamp is taken first: what changes while we read is read again. */
static enum bl_status take_stamp(const struct bl_engine *engine,
				 const struct bl_hook_options *hooks,
				 uint64_t *out_stamp, struct bl_error *err)
{
	*out_stamp = 0;
	if (engine->no_reload || !bl_engine_asks(engine, BL_ASK_HOOKS))
		return BL_OK;
	return bl_hook_stamp(hooks, out_stamp, err);
}

enum bl_status bl_engine_load(struct bl_engine *engine,
			      const struct bl_hook_options *hooks,
			      struct bl_error *err)
{
	struct bl_snapshot *snapshot = NULL;
	uint64_t stamp;
	enum bl_status status = take_stamp(engine, hooks, &stamp, err);

	if (status == BL_OK)
		status = load_snapshot(engine, hooks, &snapshot, err);
	if (status != BL_OK)
		return status;
	engine->stamp = stamp;
	replace(engine, snapshot);
	return BL_OK;
}

enum bl_status bl_engine_reload(struct bl_engine *engine, struct bl_error *err)
{
	enum bl_status status;

	pthread_mutex_lock(&engine->reloading);
	status = bl_engine_load(engine, bl_engine_hook_options(engine), err);
	pthread_mutex_unlock(&engine->reloading);
	return status;
}

enum bl_status bl_engine_reload_if_changed(struct bl_engine *engine,
					   bool *out_changed,
					   struct bl_error *err)
{
	const struct bl_hook_options *hooks;
	uint64_t stamp = 0;
	bool changed = false;
	enum bl_status status;

	if (engine->no_reload)
		return bl_fail(err, BL_UNSUPPORTED,
			       "this engine was made for one event");
	pthread_mutex_lock(&engine->reloading);
	hooks = bl_engine_hook_options(engine);
	status = take_stamp(engine, hooks, &stamp, err);
	if (status == BL_OK &&
	    (stamp != engine->stamp || bl_engine_policies_changed(engine))) {
		changed = true;
		status = bl_engine_load(engine, hooks, err);
	}
	pthread_mutex_unlock(&engine->reloading);
	if (status == BL_OK && out_changed)
		*out_changed = changed;
	return status;
}

const struct bl_hook_options *
bl_engine_hook_options(const struct bl_engine *engine)
{
	return engine->current ? &engine->current->places.hooks
			       : &engine->places.hooks;
}

/* ---- making an engine --------------------------------------------------- */

struct bl_str *bl_engine_copy_texts(struct bl_arena *arena,
				    const struct bl_str *texts, size_t count)
{
	struct bl_str *copies = bl_arena_new_array(arena, struct bl_str, count);

	for (size_t i = 0; copies && i < count; i++) {
		copies[i] = bl_arena_copy_str(arena, texts[i]);
		if (!copies[i].ptr)
			return NULL;
	}
	return copies;
}

static enum bl_status
resolve_workspaces(struct bl_engine *engine,
		   const struct bl_engine_options *options,
		   struct bl_error *err)
{
	size_t count = options->workspace_count;
	struct bl_str *roots =
		bl_arena_new_array(&engine->arena, struct bl_str, count);

	enum bl_status status = BL_OK;

	if (count)
		status = bl_engine_check_room(engine, count - 1, err);
	if (status == BL_OK && !roots)
		status = bl_arena_fail(&engine->arena, err);
	for (size_t i = 0; i < count && status == BL_OK; i++)
		status = bl_engine_resolve(options->workspaces[i],
					   &engine->arena, &roots[i], err);
	if (status != BL_OK)
		return status;
	engine->places.hooks.workspaces = roots;
	engine->places.hooks.workspace_count = count;
	return BL_OK;
}

/* Policies alone are found without them, which saves the look-ups. */
static bool needs_folders(const struct bl_engine *engine,
			  const struct bl_engine_options *options)
{
	return bl_engine_asks(engine, BL_ASK_HOOKS) ||
	       engine->form == BL_FORM_SERVICE ||
	       (!options->no_journal && !options->journal.dir.len);
}

static enum bl_status copy_folders(struct bl_engine *engine,
				   const struct bl_engine_options *options,
				   struct bl_error *err)
{
	struct bl_arena *arena = &engine->arena;
	const char *version = options->agent_version;

	if (!needs_folders(engine, options))
		return BL_OK;
	engine->places.hooks.plugins = bl_engine_copy_texts(
		arena, options->plugins, options->plugin_count);
	engine->places.hooks.plugin_count = options->plugin_count;
	engine->places.hooks.system_root =
		bl_arena_copy_str(arena, options->system_root);
	engine->least_sandbox = options->least_sandbox;
	engine->config = bl_arena_copy_str(arena, options->config);
	engine->agent_version =
		bl_arena_copy_str(arena, bl_str(version ? version : "")).ptr;
	if (options->home.len > 0)
		engine->places.hooks.home =
			bl_arena_copy_str(arena, options->home);
	else if (bl_os_home(arena, &engine->places.hooks.home, err) != BL_OK)
		return err ? err->status : BL_NOT_FOUND;
	if (!engine->places.hooks.plugins ||
	    !engine->places.hooks.system_root.ptr || !engine->agent_version ||
	    !engine->places.hooks.home.ptr)
		return bl_arena_fail(arena, err);
	return BL_OK;
}

static enum bl_status set_journal(struct bl_engine *engine,
				  const struct bl_engine_options *options,
				  struct bl_error *err)
{
	engine->no_journal = options->no_journal;
	engine->journal = options->journal;
	if (engine->no_journal && !options->journal.dir.len)
		return BL_OK;
	if (options->journal.dir.len == 0)
		return bl_journal_dir(&engine->arena, engine->places.hooks.home,
				      &engine->journal.dir, err);
	engine->journal.dir =
		bl_arena_copy_str(&engine->arena, options->journal.dir);
	if (!engine->journal.dir.ptr)
		return bl_arena_fail(&engine->arena, err);
	return BL_OK;
}

bool bl_engine_asks(const struct bl_engine *engine, enum bl_asked source)
{
	for (size_t i = 0; engine->sources[i] != BL_ASK_NOBODY; i++)
		if (engine->sources[i] == source)
			return true;
	return false;
}

/* The agent that the profile's hooks are of; policies are written for it. */
static const struct bl_agent *agent_of(const struct bl_profile *profile)
{
	return bl_agent_find(bl_str(bl_contract_get(profile->dialect)->agent));
}

static enum bl_status copy_policies(struct bl_engine *engine,
				    const struct bl_engine_policies *from,
				    struct bl_error *err)
{
	struct bl_engine_policies *to = &engine->policies;
	struct bl_str *const texts[] = { &to->dir, &to->global_config,
					 &to->config_home,
					 &to->options.state_dir };

	*to = *from;
	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		*texts[i] = bl_arena_copy_str(&engine->arena, *texts[i]);
		if (!texts[i]->ptr)
			return bl_arena_fail(&engine->arena, err);
	}
	return BL_OK;
}

static void set_up(struct bl_engine *engine,
		   const struct bl_engine_options *options)
{
	const struct bl_profile *profile =
		options->profile ? options->profile : bl_profile_at(0);
	const enum bl_asked *sources =
		options->sources ? options->sources : profile->sources;

	for (size_t i = 0; i < BL_MAX_ASKED && sources[i] != BL_ASK_NOBODY; i++)
		engine->sources[i] = sources[i];
	engine->limits = bl_limits_default();
	engine->no_reload = options->no_reload;
	engine->form = options->form;
	engine->own = options->own;
	engine->agent = options->agent;
	if (engine->form == BL_FORM_SERVICE)
		engine->agent.agent = agent_of(profile);
	engine->places.hooks = (struct bl_hook_options){
		.profile = profile,
		.limits = &engine->limits,
		.lenient = options->lenient,
		.project_gate = !options->no_project_gate,
		.trust_all = options->trust_all,
		.check_start = options->check_start,
	};
}

static enum bl_status fill(struct bl_engine *engine,
			   const struct bl_engine_options *options,
			   struct bl_error *err)
{
	enum bl_status status;

	set_up(engine, options);
	status = copy_folders(engine, options, err);
	if (status == BL_OK && bl_engine_asks(engine, BL_ASK_HOOKS))
		status = bl_http_client_new(&engine->http, err);
	if (status == BL_OK)
		status = resolve_workspaces(engine, options, err);
	if (status == BL_OK && bl_engine_asks(engine, BL_ASK_POLICIES))
		status = copy_policies(engine, &options->policies, err);
	if (status == BL_OK)
		status = set_journal(engine, options, err);
	if (status == BL_OK && engine->no_reload &&
	    !bl_engine_asks(engine, BL_ASK_HOOKS) &&
	    bl_engine_asks(engine, BL_ASK_POLICIES))
		/* nothing to keep for a second event */
		return bl_engine_find_policies(engine, &engine->arena,
					       &engine->places, err);
	if (status == BL_OK)
		status = bl_engine_load(engine, &engine->places.hooks, err);
	return status;
}

enum bl_status bl_engine_new(const struct bl_engine_options *options,
			     struct bl_engine **out_engine,
			     struct bl_error *err)
{
	struct bl_engine *engine = calloc(1, sizeof(*engine));
	enum bl_status status;

	if (!engine)
		return bl_fail_memory(err);
	bl_arena_init(&engine->arena, engine->memory, sizeof(engine->memory),
		      0);
	pthread_mutex_init(&engine->lock, NULL);
	pthread_mutex_init(&engine->reloading, NULL);
	status = fill(engine, options, err);
	if (status != BL_OK) {
		bl_engine_free(engine);
		return status;
	}
	*out_engine = engine;
	return BL_OK;
}

struct bl_engine *bl_engine_free(struct bl_engine *engine)
{
	if (!engine)
		return NULL;
	bl_snapshot_unref(engine->current);
	bl_http_client_free(engine->http);
	pthread_mutex_destroy(&engine->reloading);
	pthread_mutex_destroy(&engine->lock);
	bl_arena_clear(&engine->arena);
	free(engine);
	return NULL;
}

/* ---- asking ------------------------------------------------------------- */

bool bl_file_fails_closed(const struct bl_hook_set *set,
			  const struct bl_hook_file *file,
			  const struct bl_hook_event *hook_event)
{
	if (file->state == BL_HOOK_FILE_CHANGED ||
	    bl_hook_lost_guard(file, set->contract, hook_event))
		return true;
	return bl_source_is_managed(file->source) &&
	       (file->state == BL_HOOK_FILE_BROKEN ||
		file->state == BL_HOOK_FILE_UNSAFE);
}

bool bl_engine_has_hook(struct bl_engine *engine, struct bl_str event_name)
{
	const struct bl_snapshot *snapshot = bl_engine_snapshot(engine);
	const struct bl_hook_set *set = &snapshot->set;
	const struct bl_hook_event *found = NULL;
	bool is_event; /* policies know their own, where hooks are not asked */
	bool has = false;

	if (engine->places.hooks.profile->everruns)
		has = bl_snapshot_has_chain(snapshot, event_name);
	else if (set->contract)
		found = bl_contract_find(set->contract, event_name);
	is_event = found || !set->contract;
	for (size_t i = 0; found && !has && i < set->hook_count; i++)
		has = set->hooks[i].hook_event == found;
	for (size_t i = 0; found && !has && i < set->file_count; i++)
		has = found->class != BL_CLASS_OBSERVE &&
		      bl_file_fails_closed(set, &set->files[i], found);
	has = has ||
	      (is_event && bl_engine_has_policies(&snapshot->places.load));
	bl_snapshot_unref(snapshot);
	return has;
}

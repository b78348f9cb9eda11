/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspaces and trust of an engine that is in use.  Each change is a new
 * snapshot with its own list; separate from engine.c, since only long-lived
 * programs do this.
 */
#include "engine/private.h"

#include "trust/trust.h"

enum bl_status bl_engine_check_room(const struct bl_engine *engine,
				    size_t count, struct bl_error *err)
{
	if (count < engine->limits.workspaces)
		return BL_OK;
	return bl_fail(err, BL_LIMIT, "more than %llu workspace folders",
		       (unsigned long long)engine->limits.workspaces);
}

enum bl_status bl_engine_resolve(struct bl_str path, struct bl_arena *arena,
				 struct bl_str *out_path, struct bl_error *err)
{
	int fd = -1;
	enum bl_status status = bl_path_resolve(arena, path, out_path, err);

	if (status == BL_OK)
		status = bl_os_open(*out_path, BL_OPEN_DIRECTORY, &fd, err);
	bl_os_close(fd);
	if (status == BL_OK)
		return BL_OK;
	bl_error_context(err, "workspace");
	if (status == BL_NO_MEMORY)
		return status;
	if (err)
		err->status = BL_INVALID;
	return BL_INVALID;
}

/* ---- the list ------------------------------------------------------------- */

/* Its place in the list; the count: it is not there. */
static size_t find_workspace(const struct bl_hook_options *hooks,
			     struct bl_str path)
{
	size_t i = 0;

	while (i < hooks->workspace_count &&
	       !bl_str_equal(hooks->workspaces[i], path))
		i++;
	return i;
}

/* Functions that change the list make a copy of it in arena, and set it. */
typedef enum bl_status change_fn(const struct bl_engine *engine,
				 struct bl_hook_options *hooks,
				 struct bl_str path, struct bl_arena *arena,
				 struct bl_error *err);

static enum bl_status add(const struct bl_engine *engine,
			  struct bl_hook_options *hooks, struct bl_str path,
			  struct bl_arena *arena, struct bl_error *err)
{
	size_t count = hooks->workspace_count;
	struct bl_str *list =
		bl_arena_new_array(arena, struct bl_str, count + 1);
	enum bl_status status = bl_engine_resolve(path, arena, &path, err);

	if (status != BL_OK || find_workspace(hooks, path) < count)
		return status;
	status = bl_engine_check_room(engine, count, err);
	if (status != BL_OK)
		return status;
	if (!list)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++)
		list[i] = hooks->workspaces[i];
	list[count] = path;
	hooks->workspaces = list;
	hooks->workspace_count = count + 1;
	return BL_OK;
}

/* A folder that is gone is known by the path that it was resolved to. */
static enum bl_status remove_one(const struct bl_engine *engine,
				 struct bl_hook_options *hooks,
				 struct bl_str path, struct bl_arena *arena,
				 struct bl_error *err)
{
	size_t count = hooks->workspace_count;
	struct bl_str *list = bl_arena_new_array(arena, struct bl_str, count);
	struct bl_str real = path;
	size_t at;

	(void)engine;
	if (bl_path_resolve(arena, path, &real, NULL) != BL_OK)
		real = path;
	at = find_workspace(hooks, real);
	if (at == count)
		return bl_fail(err, BL_NOT_FOUND,
			       "%.*s is not a workspace of this engine",
			       BL_STR_ARG(path));
	if (!list)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i + 1 < count; i++)
		list[i] = hooks->workspaces[i < at ? i : i + 1];
	hooks->workspaces = list;
	hooks->workspace_count = count - 1;
	return BL_OK;
}

static enum bl_status change_list(struct bl_engine *engine, change_fn *change,
				  struct bl_str path, struct bl_error *err)
{
	struct bl_hook_options hooks;
	struct bl_arena scratch;
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, engine->limits.event_arena_bytes);
	pthread_mutex_lock(&engine->reloading);
	hooks = *bl_engine_hook_options(engine);
	status = change(engine, &hooks, path, &scratch, err);
	if (status == BL_OK)
		status = bl_engine_load(engine, &hooks, err);
	pthread_mutex_unlock(&engine->reloading);
	bl_arena_clear(&scratch);
	return status;
}

enum bl_status bl_engine_add_workspace(struct bl_engine *engine,
				       struct bl_str path, struct bl_error *err)
{
	return change_list(engine, add, path, err);
}

enum bl_status bl_engine_remove_workspace(struct bl_engine *engine,
					  struct bl_str path,
					  struct bl_error *err)
{
	return change_list(engine, remove_one, path, err);
}

/* ---- trust ------------------------------------------------------------------ */

/* The project's hook file of a workspace; NULL: it is not one of the engine's. */
static const struct bl_hook_file *find_file(const struct bl_hook_set *set,
					    struct bl_str workspace)
{
	for (size_t i = 0; i < set->file_count; i++) {
		const struct bl_hook_file *file = &set->files[i];

		if (file->source == BL_SOURCE_PROJECT &&
		    bl_str_equal(file->workspace, workspace))
			return file;
	}
	return NULL;
}

/* May the file be trusted as it is? */
static enum bl_status check_file(const struct bl_hook_file *file,
				 struct bl_str workspace, struct bl_error *err)
{
	if (!file || (!file->pin_count && file->state == BL_HOOK_FILE_MISSING))
		return bl_fail(err, BL_NOT_FOUND,
			       "%.*s has no hook file; --folder trusts what "
			       "it will have",
			       BL_STR_ARG(workspace));
	if (file->state == BL_HOOK_FILE_BROKEN)
		return bl_fail(err, BL_INVALID, "%.*s is broken: %.*s",
			       BL_STR_ARG(file->path), BL_STR_ARG(file->why));
	if (file->unpinnable.len)
		return bl_fail(err, BL_DENIED,
			       "trust cannot be pinned to what is there: %.*s; "
			       "--folder trusts whatever there is",
			       BL_STR_ARG(file->unpinnable));
	return BL_OK;
}

/* The store is in the home, which not every engine has looked up. */
static enum bl_status check_home(const struct bl_engine *engine,
				 struct bl_error *err)
{
	if (engine->places.hooks.home.len)
		return BL_OK;
	return bl_fail(err, BL_UNSUPPORTED,
		       "this engine has no home, where trust is kept");
}

static enum bl_status record_trust(const struct bl_snapshot *snapshot,
				   struct bl_str workspace, bool whole,
				   struct bl_error *err)
{
	const struct bl_hook_options *hooks = &snapshot->places.hooks;
	const struct bl_hook_file *file = find_file(&snapshot->set, workspace);
	struct bl_trust_record record = {
		.workspace = workspace,
		.mode = whole ? BL_TRUST_FOLDER : BL_TRUST_PINNED,
		.added_ms = bl_os_wall_ms(),
	};
	enum bl_status status = BL_OK;

	if (find_workspace(hooks, workspace) == hooks->workspace_count)
		return bl_fail(err, BL_NOT_FOUND,
			       "%.*s is not a workspace of this engine",
			       BL_STR_ARG(workspace));
	if (!whole) {
		status = check_file(file, workspace, err);
		if (status != BL_OK)
			return status;
		record.pins = file->pins;
		record.pin_count = file->pin_count;
	}
	return bl_trust_add(hooks->home, &record, err);
}

enum bl_status bl_engine_trust(struct bl_engine *engine, struct bl_str path,
			       bool whole, struct bl_error *err)
{
	const struct bl_snapshot *snapshot = bl_engine_snapshot(engine);
	struct bl_arena scratch;
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, engine->limits.event_arena_bytes);
	status = check_home(engine, err);
	if (status == BL_OK)
		status = bl_engine_resolve(path, &scratch, &path, err);
	if (status == BL_OK)
		status = record_trust(snapshot, path, whole, err);
	if (status == BL_OK)
		status = bl_engine_reload(engine, err);
	bl_snapshot_unref(snapshot);
	bl_arena_clear(&scratch);
	return status;
}

enum bl_status bl_engine_untrust(struct bl_engine *engine, struct bl_str path,
				 struct bl_error *err)
{
	struct bl_arena scratch;
	struct bl_str real = path;
	enum bl_status status;

	bl_arena_init(&scratch, NULL, 0, engine->limits.event_arena_bytes);
	if (bl_path_resolve(&scratch, path, &real, NULL) != BL_OK)
		real = path;
	status = check_home(engine, err);
	if (status == BL_OK)
		status = bl_trust_remove(engine->places.hooks.home, real, err);
	if (status == BL_OK)
		status = bl_engine_reload(engine, err);
	bl_arena_clear(&scratch);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locations.c: where hook files may be (docs/contracts/cursor.md "Sources",
 * "Plugins").
 */
#include "sources/hooks/private.h"

enum base { BASE_SYSTEM, BASE_HOME, BASE_WORKSPACE, BASE_PLUGIN };

struct location {
	enum base base;
	const char *path; /* NULL: the profile's team_folder */
};

/* Where every system but the first column agrees. */
#define SHARED_ROWS                                                            \
	[BL_SOURCE_TEAM] = { BASE_HOME, NULL },                                \
	[BL_SOURCE_PROJECT] = { BASE_WORKSPACE, ".cursor/hooks.json" },        \
	[BL_SOURCE_USER] = { BASE_HOME, ".cursor/hooks.json" },                \
	[BL_SOURCE_PLUGIN] = { BASE_PLUGIN, "hooks/hooks.json" }

static const struct location locations[BL_PLATFORM_COUNT][BL_SOURCE_COUNT] = {
	[BL_PLATFORM_LINUX] = {
		[BL_SOURCE_ENTERPRISE] = { BASE_SYSTEM,
					   "/etc/cursor/hooks.json" },
		SHARED_ROWS,
	},
	[BL_PLATFORM_MACOS] = {
		[BL_SOURCE_ENTERPRISE] = { BASE_SYSTEM,
					   "/Library/Application Support/"
					   "Cursor/hooks.json" },
		SHARED_ROWS,
	},
	[BL_PLATFORM_WINDOWS] = {
		[BL_SOURCE_ENTERPRISE] = { BASE_SYSTEM,
					   "C:/ProgramData/Cursor/hooks.json" },
		SHARED_ROWS,
	},
};

#define TEAM_FILE       "hooks.json"
#define LOCAL_PLUGINS   ".cursor/plugins/local"
#define PLUGIN_MANIFEST ".cursor-plugin/plugin.json"

enum {
	MAX_LISTED = 4096, /* names in a folder of teams or plugins */
	MAX_MANIFEST_BYTES = 1 << 20,
};

struct finder {
	const struct bl_hook_options *options;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct bl_hook_files files;
	size_t plugin_count;
	struct bl_error *err;
};

/* ---- collecting ----------------------------------------------------- */

static enum bl_status watch(struct finder *finder, struct bl_str path)
{
	struct bl_hook_files *files = &finder->files;
	struct bl_str *room = bl_arena_room(finder->arena, files->watched,
					    files->watched_count,
					    &files->watched_cap, sizeof(*room));

	if (!path.ptr || !room)
		return bl_arena_fail(finder->arena, finder->err);
	files->watched = room;
	files->watched[files->watched_count++] = path;
	return BL_OK;
}

static struct bl_str work_dir(const struct finder *finder,
			      const struct bl_hook_file *file)
{
	switch ((enum bl_work_dir)
			finder->options->profile->work_dir[file->source]) {
	case BL_WORK_DIR_WORKSPACE:
		return file->workspace;
	case BL_WORK_DIR_PLUGIN:
		return file->plugin;
	case BL_WORK_DIR_FILE:
		break;
	}
	return bl_path_dir(file->path);
}

/* Adds a copy of file, with its working directory. */
static enum bl_status add(struct finder *finder,
			  const struct bl_hook_file *file)
{
	struct bl_hook_files *files = &finder->files;
	struct bl_hook_file *item;

	if (!file->path.ptr)
		return bl_arena_fail(finder->arena, finder->err);
	if (files->count == BL_HOOK_MAX_FILES)
		return bl_fail(finder->err, BL_LIMIT,
			       "there are more than %d hook files",
			       BL_HOOK_MAX_FILES);
	item = bl_arena_room(finder->arena, files->items, files->count,
			     &files->cap, sizeof(*item));
	if (!item)
		return bl_arena_fail(finder->arena, finder->err);
	files->items = item;
	item = &files->items[files->count++];
	*item = *file;
	item->dir = work_dir(finder, item);
	return BL_OK;
}

static void report(struct finder *finder, enum bl_hook_rule rule,
		   struct bl_str path, struct bl_str subject)
{
	struct bl_diag_source source = { .file = path };
	struct bl_hook_finding finding = { .subject = subject };

	bl_hook_report(finder->diags, finder->options->profile, &source, rule,
		       &finding);
}

static struct bl_str base_folder(const struct bl_hook_options *options,
				 enum base base, struct bl_str root)
{
	switch (base) {
	case BASE_SYSTEM:
		return options->system_root;
	case BASE_HOME:
		return options->home;
	case BASE_WORKSPACE:
	case BASE_PLUGIN:
		break;
	}
	return root;
}

/* The fixed place of a source; root is the workspace or plugin. */
static struct bl_str place_of(const struct bl_hook_options *options,
			      enum bl_source source, struct bl_str root,
			      struct bl_arena *arena)
{
	const struct location *row = &locations[bl_os_platform()][source];
	struct bl_str base = base_folder(options, row->base, root);
	struct bl_str path = bl_str(row->path);

	if (row->base != BASE_SYSTEM)
		return bl_path_join(arena, base, path);
	if (base.len == 0)
		return path;
	while (path.ptr[0] == '/')
		path = bl_str_slice(path, 1, SIZE_MAX);
	return bl_path_join(arena, base, path);
}

/* ---- one source after the other ----------------------------------- */

static enum bl_status find_enterprise(struct finder *finder)
{
	struct bl_hook_file file = { .source = BL_SOURCE_ENTERPRISE };

	file.path = place_of(finder->options, file.source,
			     (struct bl_str){ NULL, 0 }, finder->arena);
	return add(finder, &file);
}

/* Does name have the form "team_*"? */
static bool has_form(struct bl_str name, struct bl_str form)
{
	size_t star = bl_str_find(form, BL_STR("*"), 0);
	struct bl_str start = bl_str_slice(form, 0, star);
	struct bl_str end = bl_str_slice(form, star + 1, SIZE_MAX);

	return name.len > start.len + end.len &&
	       bl_str_has_prefix(name, start) && bl_str_has_suffix(name, end);
}

/* Ids are numbers: 9 comes before 10. */
static int compare_ids(struct bl_str a, struct bl_str b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return bl_str_compare(a, b);
}

/* Keeps the names of that form, sorted by id. */
static size_t select_names(struct bl_str *names, size_t count,
			   struct bl_str form)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct bl_str name = names[i];
		size_t at = kept;

		if (!has_form(name, form))
			continue;
		for (; at > 0 && compare_ids(names[at - 1], name) > 0; at--)
			names[at] = names[at - 1];
		names[at] = name;
		kept++;
	}
	return kept;
}

/* Whether that place was added as the signed one. */
static bool is_signed_place(const struct finder *finder, struct bl_str path)
{
	for (size_t i = 0; i < finder->files.count; i++)
		if (finder->files.items[i].team &&
		    bl_str_equal(finder->files.items[i].path, path))
			return true;
	return false;
}

static enum bl_status add_team(struct finder *finder, struct bl_str folder)
{
	struct bl_hook_file file = { .source = BL_SOURCE_TEAM };

	file.path = bl_path_join(finder->arena, folder, BL_STR(TEAM_FILE));
	return file.path.ptr && is_signed_place(finder, file.path)
		       ? BL_OK
		       : add(finder, &file);
}

/* A folder of teams that cannot be listed could hide a guard: it is broken. */
static enum bl_status add_broken(struct finder *finder, enum bl_source source,
				 struct bl_str path, struct bl_str plugin,
				 struct bl_str why)
{
	struct bl_hook_file file = { .source = source,
				     .state = BL_HOOK_FILE_BROKEN,
				     .path = path,
				     .plugin = plugin,
				     .why = why };

	return add(finder, &file);
}

/* The folders that a team_folder's components lead to, from part i on. */
static enum bl_status find_team_folders(struct finder *finder,
					struct bl_str folder, size_t i)
{
	const char *const *parts = finder->options->profile->team_folder;
	struct bl_error err = { 0 };
	struct bl_str *names;
	size_t count;
	enum bl_status status;

	for (; i < BL_COUNT(finder->options->profile->team_folder) &&
	       parts[i] && !strchr(parts[i], '*');
	     i++)
		folder = bl_path_join(finder->arena, folder, bl_str(parts[i]));
	if (i == BL_COUNT(finder->options->profile->team_folder) || !parts[i])
		return add_team(finder, folder);
	status = watch(finder, folder);
	if (status != BL_OK)
		return status;
	status = bl_os_list_dir(folder, MAX_LISTED, finder->arena, &names,
				&count, &err);
	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status != BL_OK) {
		struct bl_str why =
			bl_arena_printf(finder->arena, "%s", err.message);

		report(finder, BL_RULE_UNREADABLE, folder, why);
		return add_broken(finder, BL_SOURCE_TEAM, folder,
				  (struct bl_str){ NULL, 0 }, why);
	}
	count = select_names(names, count, bl_str(parts[i]));
	for (size_t n = 0; n < count && status == BL_OK; n++)
		status = find_team_folders(
			finder, bl_path_join(finder->arena, folder, names[n]),
			i + 1);
	return status;
}

/* A record that cannot be used could hide a guard: it is broken. */
static enum bl_status find_signed(struct finder *finder)
{
	struct bl_hook_file file = { .source = BL_SOURCE_TEAM };
	struct bl_error why = { 0 };
	enum bl_status status =
		bl_hook_find_team(finder->options, finder->arena, &file,
				  &finder->files.team, &why);

	if (bl_arena_status(finder->arena))
		return bl_arena_fail(finder->arena, finder->err);
	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status) {
		struct bl_str text =
			bl_arena_printf(finder->arena, "%s", why.message);

		report(finder, BL_RULE_UNREADABLE, BL_STR("the team"), text);
		return add_broken(finder, BL_SOURCE_TEAM, BL_STR("the team"),
				  (struct bl_str){ NULL, 0 }, text);
	}
	status = watch(finder, finder->files.team->file);
	return status || !file.path.len ? status : add(finder, &file);
}

static enum bl_status find_team(struct finder *finder)
{
	enum bl_status status = find_signed(finder);

	if (status || finder->options->home.len == 0)
		return status;
	return find_team_folders(finder, finder->options->home, 0);
}

static enum bl_status find_project(struct finder *finder)
{
	const struct bl_hook_options *options = finder->options;
	enum bl_status status = BL_OK;

	if (options->workspace_count > options->limits->workspaces)
		return bl_fail(finder->err, BL_LIMIT,
			       "there are more than %llu workspaces",
			       (unsigned long long)options->limits->workspaces);
	for (size_t i = 0; i < options->workspace_count && status == BL_OK;
	     i++) {
		struct bl_hook_file file = { .source = BL_SOURCE_PROJECT,
					     .workspace =
						     options->workspaces[i] };

		file.path = place_of(options, file.source, file.workspace,
				     finder->arena);
		status = add(finder, &file);
	}
	return status;
}

static enum bl_status find_user(struct finder *finder)
{
	struct bl_hook_file file = { .source = BL_SOURCE_USER };

	if (finder->options->home.len == 0)
		return BL_OK;
	file.path = place_of(finder->options, file.source,
			     (struct bl_str){ NULL, 0 }, finder->arena);
	return add(finder, &file);
}

/* ---- plugins ------------------------------------------------------ */

/* A relative path that cannot lead out, as far as spelling goes. */
static bool stays_inside(struct bl_str path)
{
	size_t from = 0;

	if (path.len == 0 || bl_path_is_absolute(path) ||
	    memchr(path.ptr, '\0', path.len))
		return false;
	while (from <= path.len) {
		size_t slash = bl_str_find(path, BL_STR("/"), from);
		size_t to = slash == SIZE_MAX ? path.len : slash;

		if (bl_str_is(bl_str_slice(path, from, to), ".."))
			return false;
		from = to + 1;
	}
	return true;
}

/*
 * The name of the hook file in the manifest: left empty when it has no such name.
 * Returns why the manifest is invalid, else empty.
 */
static struct bl_str read_manifest(struct finder *finder, struct bl_str path,
				   struct bl_str *out_name)
{
	struct bl_json_options options = { .allow_bom = true };
	struct bl_error err = { 0 };
	struct bl_str text;
	struct bl_value root;
	struct bl_value hooks;
	enum bl_status status = bl_os_read_file(
		path, 0, MAX_MANIFEST_BYTES, finder->arena, &text, NULL, &err);

	*out_name = (struct bl_str){ NULL, 0 };
	if (status == BL_NOT_FOUND)
		return *out_name;
	if (status == BL_OK)
		status = bl_json_read(finder->arena, text, &options, &root,
				      NULL, NULL, &err);
	if (status != BL_OK)
		return bl_arena_printf(finder->arena, "%s", err.message);
	hooks = bl_object_find(root, BL_STR("hooks"));
	if (!bl_value_is_defined(hooks))
		return *out_name;
	*out_name = bl_value_text(hooks);
	while (bl_str_has_prefix(*out_name, BL_STR("./")))
		*out_name = bl_str_slice(*out_name, 2, SIZE_MAX);
	if (!stays_inside(*out_name))
		return BL_STR("hooks is not a path inside the plugin");
	return (struct bl_str){ NULL, 0 };
}

static enum bl_status add_plugin(struct finder *finder, struct bl_str plugin)
{
	struct bl_hook_file file = { .source = BL_SOURCE_PLUGIN,
				     .plugin = plugin };
	struct bl_str manifest =
		bl_path_join(finder->arena, plugin, BL_STR(PLUGIN_MANIFEST));
	struct bl_str name;
	struct bl_str why;
	enum bl_status status = watch(finder, manifest);

	if (status != BL_OK)
		return status;
	if (finder->plugin_count++ == finder->options->limits->plugins)
		return bl_fail(
			finder->err, BL_LIMIT,
			"there are more than %llu plugins",
			(unsigned long long)finder->options->limits->plugins);
	why = read_manifest(finder, manifest, &name);
	if (why.len > 0) {
		report(finder, BL_RULE_PLUGIN_MANIFEST, manifest, why);
		return add_broken(finder, BL_SOURCE_PLUGIN, manifest, plugin,
				  why);
	}
	if (name.len > 0)
		file.path = bl_path_join(finder->arena, plugin, name);
	else
		file.path = place_of(finder->options, file.source, plugin,
				     finder->arena);
	return add(finder, &file);
}

static bool is_directory(struct bl_str path)
{
	struct bl_file_info info;

	return bl_os_info_path(path, &info, NULL) == BL_OK &&
	       info.type == BL_FILE_DIRECTORY;
}

/* A name in the folder of local plugins; links must not lead out of it. */
static enum bl_status add_local_plugin(struct finder *finder,
				       struct bl_str folder, struct bl_str name)
{
	struct bl_str path = bl_path_join(finder->arena, folder, name);
	struct bl_str inside =
		bl_arena_printf(finder->arena, "%.*s/", BL_STR_ARG(folder));
	struct bl_str real;

	if (!path.ptr || !inside.ptr)
		return bl_arena_fail(finder->arena, finder->err);
	if (bl_path_resolve(finder->arena, path, &real, NULL) != BL_OK ||
	    !is_directory(real))
		return BL_OK;
	if (!bl_str_has_prefix(real, inside)) {
		report(finder, BL_RULE_PLUGIN_LINKED, path,
		       (struct bl_str){ NULL, 0 });
		return BL_OK;
	}
	return add_plugin(finder, real);
}

static enum bl_status find_local_plugins(struct finder *finder)
{
	struct bl_str folder = bl_path_join(
		finder->arena, finder->options->home, BL_STR(LOCAL_PLUGINS));
	struct bl_error err = { 0 };
	struct bl_str *names;
	size_t count;
	enum bl_status status = watch(finder, folder);

	if (status != BL_OK)
		return status;
	if (bl_path_resolve(finder->arena, folder, &folder, NULL) != BL_OK)
		return BL_OK;
	status = bl_os_list_dir(folder, MAX_LISTED, finder->arena, &names,
				&count, &err);
	if (status != BL_OK) {
		report(finder, BL_RULE_UNREADABLE, folder, bl_str(err.message));
		return BL_OK;
	}
	for (size_t i = 0; i < count && status == BL_OK; i++)
		status = add_local_plugin(finder, folder, names[i]);
	return status;
}

static enum bl_status find_plugins(struct finder *finder)
{
	const struct bl_hook_options *options = finder->options;
	enum bl_status status = BL_OK;

	if (!options->profile->has_plugins)
		return BL_OK;
	for (size_t i = 0; i < options->plugin_count && status == BL_OK; i++) {
		struct bl_str real = options->plugins[i];

		if (bl_path_resolve(finder->arena, real, &real, NULL) != BL_OK)
			real = options->plugins[i];
		status = add_plugin(finder, real);
	}
	if (status == BL_OK && options->home.len > 0)
		status = find_local_plugins(finder);
	return status;
}

static enum bl_status (*const finders[BL_SOURCE_COUNT])(struct finder *) = {
	[BL_SOURCE_ENTERPRISE] = find_enterprise, [BL_SOURCE_TEAM] = find_team,
	[BL_SOURCE_PROJECT] = find_project,       [BL_SOURCE_USER] = find_user,
	[BL_SOURCE_PLUGIN] = find_plugins,
};

enum bl_status bl_hook_locate(const struct bl_hook_options *options,
			      struct bl_arena *arena, struct bl_diags *diags,
			      struct bl_hook_files *out_files,
			      struct bl_error *err)
{
	struct finder finder = {
		.options = options, .arena = arena, .diags = diags, .err = err
	};
	enum bl_status status = BL_OK;

	for (size_t i = 0; i < BL_SOURCE_COUNT && status == BL_OK; i++)
		status = finders[i](&finder);
	if (status == BL_OK)
		*out_files = finder.files;
	return status;
}

/* ---- for listings ------------------------------------------------- */

/* A team's place, with the profile's "*" as it stands. */
static struct bl_str team_place(const struct bl_hook_options *options,
				struct bl_arena *arena)
{
	struct bl_str path = options->home;
	size_t count = BL_COUNT(options->profile->team_folder);

	for (size_t i = 0; i < count && options->profile->team_folder[i]; i++)
		path = bl_path_join(arena, path,
				    bl_str(options->profile->team_folder[i]));
	return bl_path_join(arena, path, BL_STR(TEAM_FILE));
}

enum bl_status bl_hook_path(const struct bl_hook_options *options,
			    enum bl_source source, struct bl_str workspace,
			    struct bl_arena *arena, struct bl_str *out_path,
			    struct bl_error *err)
{
	struct bl_str path;

	if (source == BL_SOURCE_TEAM)
		path = team_place(options, arena);
	else
		path = place_of(options, source, workspace, arena);
	if (!path.ptr)
		return bl_arena_fail(arena, err);
	*out_path = path;
	return BL_OK;
}

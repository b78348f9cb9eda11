/* SPDX-License-Identifier: Apache-2.0 */
/* The policies that belay brings (docs/contracts/cupcake.md "Builtins"). */
#include "sources/policies/builtins/sources.h"
#include "sources/policies/private.h"

/* ---- which of its signals a builtin needs on an event ---------------------- */

/* Only commits, pushes and merges wait for checks, by the facts of the line. */
static bool on_git(struct bl_str rest, struct bl_value belay)
{
	static const char *const rows[] = { "git commit", "git push",
					    "git merge" };
	struct bl_value commands = policy_at(belay, "commands");

	(void)rest;
	for (size_t i = 0; i < bl_value_count(commands); i++) {
		struct bl_str row = bl_value_text(bl_object_find(
			bl_value_item(commands, i), BL_STR("row")));

		for (size_t j = 0; j < BL_COUNT(rows); j++)
			if (bl_str_is(row, rows[j]))
				return true;
	}
	return false;
}

/* The check of a file's extension. */
static bool on_extension(struct bl_str rest, struct bl_value belay)
{
	struct bl_value files = policy_at(belay, "tool.files");

	for (size_t i = 0; i < bl_value_count(files); i++) {
		struct bl_str base = bl_path_base(bl_value_text(bl_object_find(
			bl_value_item(files, i), BL_STR("path"))));

		if (base.len > rest.len &&
		    base.ptr[base.len - rest.len - 1] == '.' &&
		    bl_str_has_suffix(base, rest))
			return true;
	}
	return false;
}

/* Of every user, wherever the home folder is. */
static const char *const system_in_home[] = {
	".ssh/",    "Library/LaunchAgents/",  ".gnupg/",
	".config/", ".local/share/keyrings/", NULL
};

const struct bl_policy_builtin bl_policy_builtins[] = {
	{ "claude_code_always_inject_on_prompt", "always_inject_on_prompt",
	  "tells the model something with every prompt",
	  policy_source_always_inject, "__builtin_prompt_context_", NULL },
	{ "git_pre_check", NULL, "runs checks before commit, push and merge",
	  policy_source_git_pre_check, "__builtin_git_check_", on_git },
	{ "post_edit_check", NULL, "checks files after they were edited",
	  policy_source_post_edit_check, "__builtin_post_edit_", on_extension },
	{ "rulebook_security_guardrails", NULL,
	  "keeps the agent away from the policies themselves",
	  policy_source_guardrails, NULL, NULL, "protected_paths" },
	{ "protected_paths", NULL, "paths that may be read, not changed",
	  policy_source_protected_paths, NULL, NULL, "paths" },
	{ "git_block_no_verify", NULL, "no git operation without its hooks",
	  policy_source_git_no_verify, NULL, NULL },
	{ "claude_code_enforce_full_file_read", "enforce_full_file_read",
	  "files are read whole", policy_source_full_read, NULL, NULL },
	{ "system_protection", NULL, "keeps the agent out of system folders",
	  policy_source_system, NULL, NULL, "additional_paths",
	  system_in_home },
	{ "sensitive_data_protection", NULL, "keeps secrets from being read",
	  policy_source_sensitive, NULL, NULL },
	{ "cupcake_exec_protection", NULL,
	  "the agent may not run the policy engine", policy_source_exec, NULL,
	  NULL },
};

const size_t bl_policy_builtin_count = BL_COUNT(bl_policy_builtins);

size_t bl_policy_builtin_find(struct bl_str name)
{
	for (size_t i = 0; i < bl_policy_builtin_count; i++) {
		const struct bl_policy_builtin *row = &bl_policy_builtins[i];

		if (bl_str_is(name, row->name) ||
		    (row->alias && bl_str_is(name, row->alias)))
			return i;
	}
	return SIZE_MAX;
}

/* ---- paths below the home of the user ---------------------------------------- */

static bool is_in_home(struct bl_value path)
{
	return bl_str_has_prefix(bl_value_text(path), BL_STR("~/"));
}

static bool any_is_in_home(struct bl_value paths)
{
	for (size_t i = 0; i < bl_value_count(paths); i++)
		if (is_in_home(bl_value_item(paths, i)))
			return true;
	return false;
}

static struct bl_value in_home(struct bl_arena *arena, struct bl_str home,
			       struct bl_str rest)
{
	return bl_value_string(bl_path_join(arena, home, rest));
}

/* paths, with those below home as they are there, and row's own. */
static struct bl_value place(struct bl_arena *arena, struct bl_value paths,
			     struct bl_str home,
			     const struct bl_policy_builtin *row)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < bl_value_count(paths); i++) {
		struct bl_value path = bl_value_item(paths, i);

		bl_array_builder_add(&list, path);
		if (is_in_home(path))
			bl_array_builder_add(
				&list, in_home(arena, home,
					       bl_str_slice(bl_value_text(path),
							    2, SIZE_MAX)));
	}
	for (size_t i = 0; row->in_home && home.len && row->in_home[i]; i++)
		bl_array_builder_add(
			&list, in_home(arena, home, bl_str(row->in_home[i])));
	return bl_array_builder_end(&list);
}

enum bl_status policy_place_paths(const struct policy_run *run,
				  struct bl_value *config)
{
	for (size_t i = 0; i < bl_policy_builtin_count; i++) {
		const struct bl_policy_builtin *row = &bl_policy_builtins[i];
		struct bl_str name = bl_str(row->path_list);
		struct bl_value section =
			bl_object_find(*config, bl_str(row->name));
		struct bl_value paths = bl_object_find(section, name);
		struct bl_str home;

		if (!bl_value_is_defined(paths) ||
		    (!any_is_in_home(paths) && !row->in_home))
			continue;
		home = policy_home(run);
		if (!home.len && any_is_in_home(paths))
			return bl_fail(run->err, BL_UNSUPPORTED,
				       "builtins.%s.%s names ~/, and this user "
				       "has no home folder",
				       row->name, row->path_list);
		section = policy_put(run->arena, section, name,
				     place(run->arena, paths, home, row));
		*config = policy_put(run->arena, *config, bl_str(row->name),
				     section);
	}
	return BL_OK;
}

/* ---- libraries --------------------------------------------------------------- */

const struct policy_library policy_libraries[] = {
	{ "cupcake.system.commands", policy_source_commands },
	{ "cupcake.global.system.commands", policy_source_global_commands },
	{ "belay.system.shell", policy_source_shell },
	{ "belay.system.paths", policy_source_paths }, /* shell imports it */
};

const size_t policy_library_count = BL_COUNT(policy_libraries);

static bool is_mentioned(const struct bl_rego_source *sources, size_t count,
			 struct bl_str words)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_find(sources[i].text, words, 0) != SIZE_MAX)
			return true;
	return false;
}

enum bl_status bl_policy_add_libraries(struct bl_arena *arena,
				       struct bl_rego_source **sources,
				       size_t *count, struct bl_error *err)
{
	struct bl_rego_source *all =
		bl_arena_new_array(arena, struct bl_rego_source,
				   *count + BL_COUNT(policy_libraries));

	if (!all)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < *count; i++)
		all[i] = (*sources)[i];
	for (size_t i = 0; i < BL_COUNT(policy_libraries); i++) {
		const struct policy_library *row = &policy_libraries[i];
		struct bl_str package =
			bl_arena_printf(arena, "package %s", row->package);

		if (!package.ptr)
			return bl_arena_fail(arena, err);
		if (is_mentioned(all, *count, package) ||
		    !is_mentioned(all, *count, bl_str(row->package)))
			continue;
		all[(*count)++] = (struct bl_rego_source){
			.file = bl_arena_printf(
				arena, "belay:libraries/%s.rego", row->package),
			.text = bl_str(row->source),
		};
	}
	*sources = all;
	return BL_OK;
}

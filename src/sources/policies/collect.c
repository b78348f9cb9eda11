/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of a policy directory are policies, for one agent: the one answer
 * for all that load, check, list or test them.  Whatever is named like a policy
 * and would not be loaded is an error, since its refusals would be lost.
 *
 *	policies/x.rego, policies/all/, policies/git/    every agent
 *	policies/cursor/                                  Cursor alone
 *	system/, helpers/                                 every agent
 *	tests/, policies/.../tests/                       tests: not loaded
 *	elsewhere in the directory                        an error
 */
#include "sources/policies/private.h"

/* The folders of a directory; what has no row is not loaded. */
static const struct folder_row {
	const char *name;
	enum policy_file_kind kind;
	bool has_policies; /* else nothing in it is Rego */
} folders[] = {
	{ "policies", POLICY_FILE_POLICY, true },
	{ "system", POLICY_FILE_SYSTEM, true },
	{ "helpers", POLICY_FILE_SYSTEM, true },
	{ "tests", POLICY_FILE_TEST, true },
	{ "signals", POLICY_FILE_STRAY, false },
	{ "telemetry", POLICY_FILE_STRAY, false },
	{ "debug", POLICY_FILE_STRAY, false },
};

static const struct folder_row *find_row(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(folders); i++)
		if (bl_str_is(name, folders[i].name))
			return &folders[i];
	return NULL;
}

static bool is_agent(const struct policy_files *files, struct bl_str name)
{
	for (size_t i = 0; files->agent_at && files->agent_at(i); i++)
		if (bl_str_is(name, files->agent_at(i)))
			return true;
	return false;
}

bool policy_is_foreign(const struct policy_files *files, struct bl_str name)
{
	return files->agent.len && !bl_str_equal(name, files->agent) &&
	       is_agent(files, name);
}

/* The agent whose name this almost is; NULL: none. */
static const char *near_agent(const struct policy_files *files,
			      struct bl_str name)
{
	for (size_t i = 0; files->agent_at && files->agent_at(i); i++)
		if (bl_str_distance(name, bl_str(files->agent_at(i))) <= 4)
			return files->agent_at(i);
	return NULL;
}

/* A folder that was to be an agent's is one of all agents: say so. */
static void warn_of_folder(struct policy_files *files, struct bl_str path)
{
	const char *near = near_agent(files, bl_path_base(path));
	const struct bl_diag_source source = { path, BL_STR("") };

	if (near)
		bl_diags_add(files->diags, BL_SEVERITY_WARNING,
			     "policy/unknown-agent", &source,
			     (struct bl_place){ 0 }, NULL,
			     "no agent has this name, so that its policies "
			     "are loaded for every agent; did you mean '%s'?",
			     near);
}

/* What lies in policies: is there anything for the agent? */
static enum bl_status look_into(struct policy_files *files,
				struct bl_str policies, bool *out_has_policies,
				struct bl_error *err)
{
	struct bl_str *names;
	size_t count;
	int fd;

	/* Reading the tree has reported a folder that cannot be listed. */
	if (bl_os_list_dir(policies, POLICY_MAX_FILES, files->arena, &names,
			   &count, NULL))
		return BL_OK;
	for (size_t i = 0; i < count; i++) {
		struct bl_str path =
			bl_path_join(files->arena, policies, names[i]);
		bool own = bl_str_is(names[i], "all") ||
			   bl_str_equal(names[i], files->agent);

		if (!path.ptr)
			return bl_arena_fail(files->arena, err);
		if (bl_os_open(path, BL_OPEN_DIRECTORY, &fd, NULL))
			continue;
		bl_os_close(fd);
		*out_has_policies |= own;
		if (!own && !is_agent(files, names[i]))
			warn_of_folder(files, path);
	}
	return BL_OK;
}

static enum bl_status read_policies(struct policy_files *files,
				    struct bl_str dir, bool *out_has_policies,
				    struct bl_error *err)
{
	struct bl_str path =
		bl_path_join(files->arena, dir, BL_STR("policies"));
	size_t before = files->count;
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(files->arena, err);
	status = policy_read_tree(files, path, POLICY_FILE_POLICY, NULL, err);
	*out_has_policies = files->count > before;
	return status ? status : look_into(files, path, out_has_policies, err);
}

static enum bl_status read_other(struct policy_files *files, struct bl_str dir,
				 struct bl_str name, struct bl_error *err)
{
	const struct folder_row *row = find_row(name);
	struct bl_str path = bl_path_join(files->arena, dir, name);

	if (!path.ptr)
		return bl_arena_fail(files->arena, err);
	if (row == folders || (row && !row->has_policies) ||
	    (row && row->kind == POLICY_FILE_TEST && !files->with_tests))
		return BL_OK;
	if (!policy_looks_like_rego(name))
		return name.ptr[0] == '.'
			       ? BL_OK
			       : policy_read_tree(files, path,
						  row ? row->kind
						      : POLICY_FILE_STRAY,
						  NULL, err);
	if (!policy_add_stamp(files->stamps, path))
		return bl_arena_fail(files->arena, err);
	policy_note_path(files->diags, path, "policy/stray",
			 "policies lie in policies/, and tests in tests/: this "
			 "file is not loaded");
	return BL_OK;
}

enum bl_status policy_collect(struct policy_files *files, struct bl_str dir,
			      bool *out_has_policies, struct bl_error *err)
{
	struct bl_error problem = { 0 };
	struct bl_str *names = NULL;
	size_t count = 0;
	enum bl_status status =
		read_policies(files, dir, out_has_policies, err);

	if (!status)
		status = bl_os_list_dir(dir, POLICY_MAX_FILES, files->arena,
					&names, &count, &problem);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (status && problem.status) {
		policy_note_path(files->diags, dir, "policy/unreadable",
				 problem.message);
		return BL_OK;
	}
	for (size_t i = 0; !status && i < count; i++)
		status = read_other(files, dir, names[i], err);
	return status;
}

static bool is_own_builtin(struct bl_str path)
{
	struct bl_str name = bl_path_base(path);

	name.len -= strlen(".rego");
	return bl_policy_builtin_find(name) != SIZE_MAX ||
	       bl_str_find(name, BL_STR("always_inject"), 0) != SIZE_MAX ||
	       bl_str_find(name, BL_STR("full_file_read"), 0) != SIZE_MAX;
}

void policy_drop_builtins(struct policy_files *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct policy_file file = files->items[i];

		if (file.kind == POLICY_FILE_BUILTIN) {
			if (is_own_builtin(file.path))
				continue;
			file.kind = POLICY_FILE_POLICY;
		}
		files->items[kept++] = file;
	}
	files->count = kept;
}

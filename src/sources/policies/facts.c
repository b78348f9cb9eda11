/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.c: what an event's command line or files mean, as facts for policies
 * (docs/reference/facts.md).  The module effects finds them and does no I/O;
 * here are its questions to the file system, and what the event says of its
 * world.  It stands apart because it is the only place of the policies that
 * looks at files that an agent names.
 */
#include "effects/effects.h"
#include "sources/policies/private.h"

/* ---- the file system ------------------------------------------------------- */

static enum bl_effects_file look(void *context, struct bl_str path)
{
	static const enum bl_effects_file kinds[] = {
		[BL_FILE_REGULAR] = BL_EFFECTS_FILE_REGULAR,
		[BL_FILE_DIRECTORY] = BL_EFFECTS_FILE_FOLDER,
		[BL_FILE_LINK] = BL_EFFECTS_FILE_LINK,
		[BL_FILE_OTHER] = BL_EFFECTS_FILE_OTHER,
	};
	struct bl_file_info info;
	enum bl_status status = bl_os_info_path(path, &info, NULL);

	(void)context;
	if (status == BL_NOT_FOUND)
		return BL_EFFECTS_FILE_MISSING;
	return status ? BL_EFFECTS_FILE_UNKNOWN : kinds[info.type];
}

static struct bl_str follow(void *context, struct bl_arena *arena,
			    struct bl_str path)
{
	struct bl_str target;

	(void)context;
	if (bl_os_read_link(path, arena, &target, NULL))
		target = (struct bl_str){ NULL, 0 };
	return target;
}

static bool list(void *context, struct bl_arena *arena, struct bl_str path,
		 size_t max, const struct bl_str **out_names, size_t *out_count)
{
	struct bl_str *names;

	(void)context;
	if (bl_os_list_dir(path, max, arena, &names, out_count, NULL))
		return false;
	*out_names = names;
	return true;
}

static struct bl_str read_file(void *context, struct bl_arena *arena,
			       struct bl_str path, size_t max)
{
	struct bl_str text;

	(void)context;
	if (bl_os_read_file(path, 0, max, arena, &text, NULL, NULL))
		text = (struct bl_str){ NULL, 0 };
	return text;
}

static const struct bl_effects_world this_machine = {
	.look = look,
	.follow = follow,
	.list = list,
	.read = read_file,
};

const struct bl_effects_world *bl_policy_world(void)
{
	return &this_machine;
}

/* ---- the event ------------------------------------------------------------- */

enum { MAX_ROOTS = 64, MAX_REPOSITORY_DEPTH = 64 };

/* The repository that holds a folder; the folder itself when absent. */
static struct bl_str repository_of(struct bl_arena *arena, struct bl_str folder)
{
	struct bl_str at = folder;

	for (int i = 0; i < MAX_REPOSITORY_DEPTH && at.len > 1; i++) {
		struct bl_str git = bl_path_join(arena, at, BL_STR(".git"));

		if (git.ptr && look(NULL, git) != BL_EFFECTS_FILE_MISSING)
			return at;
		at = bl_path_dir(at);
	}
	return folder;
}

/* The workspace: what the agent calls its roots, and its folder's repository. */
static enum bl_status find_workspaces(struct policy_run *run,
				      struct bl_effects_input *input)
{
	struct bl_value roots = policy_at(run->event->belay, "where.roots");
	size_t count = bl_value_count(roots);
	struct bl_str *list;

	if (count > MAX_ROOTS)
		count = MAX_ROOTS;
	list = bl_arena_new_array(run->arena, struct bl_str, count + 1);
	if (!list)
		return bl_arena_fail(run->arena, run->err);
	input->workspaces = list;
	for (size_t i = 0; i < count; i++) {
		struct bl_str root = bl_value_text(bl_value_item(roots, i));

		if (bl_path_is_absolute(root))
			list[input->workspace_count++] = root;
	}
	if (bl_path_is_absolute(input->cwd))
		list[input->workspace_count++] =
			repository_of(run->arena, input->cwd);
	return BL_OK;
}

/* The policy directories in use guard themselves, wherever they are. */
static enum bl_status find_guards(struct policy_run *run,
				  struct bl_effects_input *input)
{
	struct bl_effects_guard *guards = bl_arena_new_array(
		run->arena, struct bl_effects_guard, BL_POLICY_ORIGINS);

	if (!guards)
		return bl_arena_fail(run->arena, run->err);
	input->guards = guards;
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (run->set->dirs[i].path.len)
			guards[input->guard_count++] =
				(struct bl_effects_guard){
					run->set->dirs[i].path,
					BL_STR("config")
				};
	return BL_OK;
}

static enum bl_status describe(struct policy_run *run,
			       struct bl_effects_input *input)
{
	struct bl_value shell = policy_at(run->event->belay, "tool.shell");
	struct bl_str cwd = bl_value_text(bl_object_find(shell, BL_STR("cwd")));
	enum bl_status status = BL_OK;

	input->line = bl_value_text(bl_object_find(shell, BL_STR("command")));
	input->cwd = cwd.len ? cwd : run->event->cwd;
	input->home = run->options->home;
	input->world = &this_machine;
	if (!input->home.len &&
	    bl_os_home(run->arena, &input->home, NULL) != BL_OK)
		input->home = BL_STR("");
	if (!bl_path_is_absolute(input->cwd))
		status = bl_path_current(run->arena, &input->cwd, run->err);
	if (!status)
		status = find_workspaces(run, input);
	return status ? status : find_guards(run, input);
}

/* ---- files that a tool names ------------------------------------------------- */

/* The operation that a tool's word stands for. */
static const struct {
	const char *op;
	enum bl_fact_kind kind;
	uint32_t details;
} operations[] = {
	{ "read", BL_FACT_READ, BL_FACT_IS_SHOWN },
	{ "write", BL_FACT_WRITE, 0 },
	{ "create", BL_FACT_WRITE, 0 },
	{ "edit", BL_FACT_WRITE, BL_FACT_IS_EDIT },
	{ "move", BL_FACT_WRITE, 0 },
	{ "delete", BL_FACT_DELETE, 0 },
};

static enum bl_status add_files(struct policy_run *run,
				struct bl_effects_input *input,
				struct bl_facts *facts)
{
	struct bl_value files = policy_at(run->event->belay, "tool.files");
	size_t count = bl_value_count(files);
	struct bl_effects_touch *touches = bl_arena_new_array(
		run->arena, struct bl_effects_touch, count + 1);
	size_t known = 0;

	if (!touches)
		return bl_arena_fail(run->arena, run->err);
	for (size_t i = 0; i < count; i++) {
		struct bl_value file = bl_value_item(files, i);
		struct bl_value op = bl_object_find(file, BL_STR("op"));
		struct bl_str path =
			bl_value_text(bl_object_find(file, BL_STR("path")));

		for (size_t j = 0; j < BL_COUNT(operations); j++)
			if (bl_str_is(bl_value_text(op), operations[j].op))
				touches[known++] = (struct bl_effects_touch){
					operations[j].kind, path,
					operations[j].details
				};
	}
	return bl_effects_touch_files(run->arena, input, touches, known, facts,
				      run->err);
}

enum bl_status policy_find_facts(struct policy_run *run,
				 struct bl_value *out_facts)
{
	struct bl_effects_input input = { 0 };
	struct bl_facts facts = { 0 };
	enum bl_status status = describe(run, &input);

	if (!status && input.line.len)
		status = bl_effects_find(run->arena, &input, &facts, run->err);
	else if (!status)
		status = add_files(run, &input, &facts);
	if (status)
		return status;
	*out_facts = bl_effects_encode(run->arena, &facts);
	return bl_value_is_defined(*out_facts)
		       ? BL_OK
		       : bl_arena_fail(run->arena, run->err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/lockfile.c: packages that are installed by another manager than the one whose lock
 * file the project has: npm install beside a pnpm-lock.yaml makes a second list of versions,
 * and nobody knows which of them holds.  Apart from program.c because it looks at the project,
 * and not only at the words of the command.
 */
#include "effects/private.h"

enum { PARENTS = 8 };

/* Managers of one family read the same list of dependencies. */
enum family { NO_FAMILY, NODE, PYTHON };

static const struct {
	const char *file;
	const char *manager;
	enum family family;
} locks[] = {
	{ "package-lock.json", "npm", NODE },
	{ "npm-shrinkwrap.json", "npm", NODE },
	{ "yarn.lock", "yarn", NODE },
	{ "pnpm-lock.yaml", "pnpm", NODE },
	{ "bun.lock", "bun", NODE },
	{ "bun.lockb", "bun", NODE },
	{ "uv.lock", "uv", PYTHON },
	{ "poetry.lock", "poetry", PYTHON },
	{ "pdm.lock", "pdm", PYTHON },
	{ "Pipfile.lock", "pipenv", PYTHON },
};

/* The family of a manager.  pip has no lock file of its own. */
static enum family family_of(struct bl_str manager)
{
	if (bl_str_is(manager, "pip") || bl_str_is(manager, "pip3"))
		return PYTHON;
	for (size_t i = 0; i < BL_COUNT(locks); i++)
		if (bl_str_is(manager, locks[i].manager))
			return locks[i].family;
	return NO_FAMILY;
}

/* Is the file on the disk, or does the line make it? */
static bool is_there(struct effects_run *run, struct bl_str folder,
		     const char *name)
{
	struct bl_str path = bl_arena_printf(run->walk->arena, "%.*s/%s",
					     BL_STR_ARG(folder), name);

	return effects_look(run->walk, path) == BL_EFFECTS_FILE_REGULAR ||
	       effects_file_find(run->walk, path);
}

/* A lock file of another manager; NULL: the folder has the manager's own, or none. */
static const char *other_lock(struct effects_run *run, struct bl_str folder,
			      struct bl_str manager, bool *out_found)
{
	const char *other = NULL;

	for (size_t i = 0; i < BL_COUNT(locks); i++) {
		if (locks[i].family != family_of(manager) ||
		    !is_there(run, folder, locks[i].file))
			continue;
		*out_found = true;
		if (bl_str_is(manager, locks[i].manager))
			return NULL;
		other = locks[i].file;
	}
	return other;
}

/* Does the command install into the project? */
static bool installs(const struct effects_run *run, size_t first)
{
	for (size_t i = first; i < run->walk->effect_count; i++) {
		const struct bl_fact_effect *effect = &run->walk->effects[i];

		if (effect->kind == BL_FACT_PACKAGE &&
		    !(effect->details & BL_FACT_IS_GLOBAL) &&
		    (bl_str_is(effect->action, "add") ||
		     bl_str_is(effect->action, "install")))
			return true;
	}
	return false;
}

void effects_lockfile(struct effects_run *run, size_t first)
{
	struct bl_str name = run->parsed.row->name;
	struct bl_str manager =
		bl_str_slice(name, 0, bl_str_find(name, BL_STR(" "), 0));
	struct effects_text cwd = effects_cwd(run->walk, &run->inside);
	struct bl_str at = effects_str(cwd);
	bool found = false;

	if (family_of(manager) == NO_FAMILY || !installs(run, first) ||
	    !effects_is_known(cwd))
		return;
	for (int i = 0; i < PARENTS && at.len && !found &&
			effects_is_in_workspace(run->walk->input, at);
	     i++) {
		const char *other = other_lock(run, at, manager, &found);
		struct effects_text target =
			effects_text(bl_str(other ? other : ""));

		if (other)
			effects_add_plain(run->walk, BL_FACT_PACKAGE,
					  BL_STR("other-manager"), &target, 0,
					  run->span);
		while (at.len && at.ptr[--at.len] != '/')
			;
	}
}

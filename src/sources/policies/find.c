/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where policy directories are (docs/contracts/cupcake.md "Directories",
 * "Global directory").
 */
#include "sources/policies/private.h"

/* Own name first; Cupcake's is looked for everywhere that ours is. */
static const char *const dir_names[] = { ".belay", ".cupcake" };
static const char *const config_names[] = { "belay", "cupcake" };

/* Also when nobody can say: reading it is what fails then, not looking. */
static bool may_be_directory(struct bl_str path)
{
	int fd;
	enum bl_status status = bl_os_open(path, BL_OPEN_DIRECTORY, &fd, NULL);

	if (!status)
		bl_os_close(fd);
	return status != BL_NOT_FOUND;
}

/* The directory called name in dir, resolved; ptr NULL: absent. */
static struct bl_str dir_in(struct bl_arena *arena, struct bl_str dir,
			    const char *name)
{
	struct bl_str path = bl_path_join(arena, dir, bl_str(name));
	struct bl_str resolved = path;

	if (!path.ptr || !may_be_directory(path))
		return (struct bl_str){ NULL, 0 };
	if (bl_path_resolve(arena, path, &resolved, NULL) == BL_NOT_FOUND)
		resolved.ptr = NULL;
	return resolved;
}

static struct bl_str any_dir_in(struct bl_arena *arena, struct bl_str dir,
				const char *const *names, size_t count)
{
	struct bl_str found = { NULL, 0 };

	for (size_t i = 0; i < count && !found.ptr; i++)
		found = dir_in(arena, dir, names[i]);
	return found;
}

static bool has_name(struct bl_str path)
{
	struct bl_str base = bl_path_base(path);

	for (size_t i = 0; i < BL_COUNT(dir_names); i++)
		if (bl_str_is(base, dir_names[i]))
			return true;
	return false;
}

static struct bl_str without_slashes(struct bl_str path)
{
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	return path;
}

/* A directory of another name that is one nevertheless, or leads to one. */
static struct bl_str look_around(struct bl_arena *arena, struct bl_str path)
{
	struct bl_str found =
		any_dir_in(arena, path, dir_names, BL_COUNT(dir_names));
	struct bl_str policies;

	if (found.ptr)
		return found;
	if (bl_str_is(bl_path_base(path), "policies") &&
	    has_name(bl_path_dir(path)))
		return dir_in(arena, bl_path_dir(path), ".");
	policies = dir_in(arena, path, "policies");
	if (policies.ptr)
		return dir_in(arena, path, ".");
	return any_dir_in(arena, bl_path_dir(path), dir_names,
			  BL_COUNT(dir_names));
}

enum bl_status bl_policy_find_dir(struct bl_str given, struct bl_arena *arena,
				  struct bl_str *out_path, struct bl_error *err)
{
	struct bl_str current;
	struct bl_str path;
	struct bl_str found = { NULL, 0 };
	enum bl_status status = bl_path_current(arena, &current, err);

	if (status)
		return status;
	path = given.len ? bl_path_join(arena, current, without_slashes(given))
			 : current;
	if (!path.ptr)
		return bl_arena_fail(arena, err);
	path = without_slashes(path);
	if (!given.len)
		found = any_dir_in(arena, path, dir_names, BL_COUNT(dir_names));
	else if (has_name(path))
		found = dir_in(arena, path, ".");
	else
		found = look_around(arena, path);
	if (found.ptr) {
		*out_path = found;
		return BL_OK;
	}
	if (bl_arena_status(arena))
		return bl_arena_fail(arena, err);
	if (has_name(path)) {
		struct bl_str above = bl_path_dir(path);

		return bl_fail(err, BL_NOT_FOUND,
			       "no policy directory %.*s: run `belay init` in "
			       "%.*s, or name one with --policy-dir",
			       BL_STR_ARG(path), BL_STR_ARG(above));
	}
	return bl_fail(err, BL_NOT_FOUND,
		       "no policy directory: neither %.*s/.belay nor "
		       "%.*s/.cupcake is there: run `belay init` in %.*s, or "
		       "name one with --policy-dir",
		       BL_STR_ARG(path), BL_STR_ARG(path), BL_STR_ARG(path));
}

struct bl_str bl_policy_dir_of(struct bl_str folder, struct bl_arena *arena)
{
	return any_dir_in(arena, folder, dir_names, BL_COUNT(dir_names));
}

/* Other things lie in belay's folder of the configuration, too. */
static bool is_policy_dir(struct bl_arena *arena, struct bl_str path)
{
	struct bl_str book = bl_path_join(arena, path, BL_STR("rulebook.yml"));
	struct bl_file_info info;

	return dir_in(arena, path, "policies").ptr ||
	       (book.ptr && bl_os_info_path(book, &info, NULL) != BL_NOT_FOUND);
}

enum bl_status bl_policy_find_global(struct bl_str given,
				     struct bl_str config_home,
				     struct bl_arena *arena,
				     struct bl_str *out_path,
				     struct bl_error *err)
{
	struct bl_str found;

	*out_path = BL_STR("");
	if (!given.len) {
		found = config_home.len
				? any_dir_in(arena, config_home, config_names,
					     BL_COUNT(config_names))
				: given;
		if (found.ptr && is_policy_dir(arena, found))
			*out_path = found;
		return bl_arena_status(arena) ? bl_arena_fail(arena, err)
					      : BL_OK;
	}
	if (!bl_path_is_absolute(given))
		return bl_fail(err, BL_INVALID,
			       "--global-config must be an absolute path, not "
			       "%.*s",
			       BL_STR_ARG(given));
	found = dir_in(arena, given, ".");
	if (!found.ptr)
		return bl_arena_status(arena)
			       ? bl_arena_fail(arena, err)
			       : bl_fail(err, BL_NOT_FOUND,
					 "--global-config: no folder %.*s",
					 BL_STR_ARG(given));
	*out_path = found;
	return BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c: where a project begins, and which program a name of PATH is.  Apart
 * from registration.c, since they are questions about the machine, not about
 * an agent.
 */
#include "os/os.h"
#include "setup/private.h"

enum { MAX_LEVELS = 128, MAX_PATH_ENTRIES = 256 };

/* ---- projects ----------------------------------------------------------- */

static bool has_any(struct bl_arena *arena, struct bl_str dir)
{
	static const char *const marks[] = { ".git", ".belay", ".cupcake" };
	struct bl_file_info info;

	for (size_t i = 0; i < BL_COUNT(marks); i++) {
		struct bl_str path = bl_path_join(arena, dir, bl_str(marks[i]));

		if (path.ptr && !bl_os_info_path(path, &info, NULL))
			return true;
	}
	return false;
}

enum bl_status bl_setup_find_root(struct bl_arena *arena, struct bl_str dir,
				  struct bl_str *out_root, bool *out_is_project,
				  struct bl_error *err)
{
	struct bl_str start;
	enum bl_status status = bl_path_resolve(arena, dir, &start, err);
	struct bl_str at = start;

	if (status)
		return status;
	*out_root = start;
	*out_is_project = false;
	for (int i = 0; i < MAX_LEVELS; i++) {
		if (has_any(arena, at)) {
			*out_root = at;
			*out_is_project = true;
			break;
		}
		if (at.len <= 1)
			break;
		at = bl_path_dir(at);
	}
	return BL_OK;
}

/* ---- programs ----------------------------------------------------------- */

bool bl_setup_can_run(struct bl_str path)
{
	struct bl_file_info info;

	return bl_path_is_absolute(path) &&
	       !bl_os_info_target(path, &info, NULL) &&
	       info.type == BL_FILE_REGULAR && info.mode & 0111;
}

/* Can nobody but root change what is at path? */
static bool is_of_root(struct bl_str path)
{
	struct bl_file_info info;

	return !bl_os_info_target(path, &info, NULL) && info.uid == 0 &&
	       !(info.mode & 022);
}

/* Entry i of PATH; false: there are no more. */
static bool path_entry(struct bl_str path, size_t *at, struct bl_str *out_entry)
{
	size_t end;

	if (*at > path.len)
		return false;
	end = bl_str_find(path, BL_STR(":"), *at);
	if (end == SIZE_MAX)
		end = path.len;
	*out_entry = bl_str_slice(path, *at, end);
	*at = end + 1;
	return true;
}

struct bl_str bl_setup_find_program(struct bl_arena *arena, const char *name,
				    bool *out_is_safe)
{
	struct bl_str path = bl_os_getenv("PATH");
	struct bl_str entry;
	bool is_safe = true;
	size_t at = 0;

	for (int i = 0; i < MAX_PATH_ENTRIES && path_entry(path, &at, &entry);
	     i++) {
		struct bl_str found;
		struct bl_file_info info;

		if (!bl_path_is_absolute(entry)) {
			is_safe = is_safe && !entry.len;
			continue;
		}
		if (!bl_os_info_target(entry, &info, NULL))
			is_safe = is_safe && is_of_root(entry);
		found = bl_path_join(arena, entry, bl_str(name));
		if (!found.ptr || !bl_setup_can_run(found))
			continue;
		if (out_is_safe)
			*out_is_safe = is_safe && is_of_root(found);
		return found;
	}
	return BL_STR("");
}

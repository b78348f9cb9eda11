/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c: what is in place: looked at, cleared away.  Apart from install.c, which
 * puts it there.
 */
#include "team/client/private.h"

struct bl_str team_set_name(int64_t version, struct bl_str sha256,
			    struct bl_arena *arena)
{
	enum { DIGITS = 16 };
	struct bl_str start = bl_str_slice(sha256, 0, DIGITS);

	return bl_arena_printf(arena, "%lld-%.*s", (long long)version,
			       BL_STR_ARG(start));
}

/* The name of the set in force; empty: another team's, or unknown. */
static struct bl_str set_in_force(const struct bl_team_place *place,
				  const struct team_state *state,
				  struct bl_arena *arena)
{
	struct bl_str record = bl_team_use_path(arena, place->dir);
	struct bl_team_use use = { .version = 0 };

	if (!record.ptr || bl_team_read_use(record, arena, &use, NULL) ||
	    !bl_str_equal(use.team_id, state->team_id))
		return (struct bl_str){ NULL, 0 };
	return bl_path_base(bl_path_dir(use.policies));
}

void team_clean(const struct bl_team_place *place,
		const struct team_state *state, struct bl_arena *arena)
{
	const struct bl_team_store store = team_store(place);
	struct bl_str by_state =
		team_set_name(state->version, state->manifest_sha256, arena);

	if (by_state.ptr)
		bl_team_store_clean(&store, by_state,
				    set_in_force(place, state, arena), arena);
}

/* ---- as it is in place --------------------------------------------------------------- */

static enum bl_status check_folder(const struct bl_team_folder *folder,
				   struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str *names;
	size_t count;
	enum bl_status status =
		bl_os_list_dir(folder->path, 2 * BL_TEAM_MAX_HOOKS, arena,
			       &names, &count, err);

	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str path =
			bl_path_join(arena, folder->path, names[i]);
		struct bl_str text;

		if (!path.ptr)
			return bl_arena_fail(arena, err);
		status = bl_os_read_file(path, BL_OPEN_NO_LINK,
					 BL_TEAM_MAX_CONTENT_BYTES, arena,
					 &text, NULL, err);
		if (!status &&
		    !bl_team_is_signed(folder->files, folder->file_count,
				       names[i], text))
			status = bl_fail(err, BL_DENIED,
					 "%.*s is not the file that was signed",
					 BL_STR_ARG(path));
	}
	if (!status && count != folder->file_count)
		status = bl_fail(err, BL_DENIED, "%.*s has lost a file",
				 BL_STR_ARG(folder->path));
	return status;
}

enum bl_status team_check_in_place(const struct bl_team_place *place,
				   struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str path = bl_team_use_path(arena, place->dir);
	struct bl_team_use use = { .version = 0 };
	enum bl_status status =
		path.ptr ? bl_team_read_use(path, arena, &use, err)
			 : bl_arena_fail(arena, err);

	if (!status && !use.version)
		status = bl_fail(err, BL_DENIED, "%.*s names no set",
				 BL_STR_ARG(path));
	for (size_t i = 0; !status && i < use.folder_count; i++)
		status = check_folder(&use.folders[i], arena, err);
	if (!status && use.policies.len)
		status = bl_team_check_policies(&use, err);
	return status;
}

static void remove_if_there(struct bl_str path)
{
	struct bl_file_info info;

	if (path.ptr && !bl_os_info_path(path, &info, NULL))
		bl_os_remove_tree(path, NULL);
}

enum bl_status team_uninstall(const struct bl_team_place *place,
			      struct bl_arena *arena, struct bl_error *err)
{
	const struct team_state nothing = { .version = 0 };
	struct bl_str path = bl_team_use_path(arena, place->dir);
	struct bl_team_use use = { .version = 0 };
	enum bl_status status =
		path.ptr ? bl_team_read_use(path, arena, &use, err)
			 : bl_arena_fail(arena, err);

	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status == BL_NO_MEMORY)
		return status;
	/* First the folders: without the record nobody would miss them. */
	for (size_t i = 0; i < use.folder_count; i++) {
		struct bl_str folder = use.folders[i].path;

		remove_if_there(folder);
		remove_if_there(bl_arena_printf(arena, "%.*s" TEAM_NEW_SUFFIX,
						BL_STR_ARG(folder)));
		remove_if_there(bl_arena_printf(
			arena, "%.*s" TEAM_FORMER_SUFFIX, BL_STR_ARG(folder)));
	}
	status = bl_os_remove_file(path, err);
	team_clean(place, &nothing, arena);
	return status;
}

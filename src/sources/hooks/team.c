/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.c: the hooks of a team that this machine is in, by the record of what is in
 * force (team/team.h): where they are, whether they are as signed, and
 * whether they may run now.
 */
#include "sources/hooks/private.h"

#include "os/os.h"

/* The words for a state, for people. */
static struct bl_str say(struct bl_arena *arena, const struct bl_team_use *use,
			 enum bl_team_state state)
{
	return bl_arena_printf(
		arena, "%s: %s (team %.*s)", bl_team_state_name(state),
		bl_team_state_text(state), BL_STR_ARG(use->team_id));
}

/* The state that keeps the hooks of a set from running; LOADED: none does. */
static enum bl_file_state held_by(const struct bl_team_use *use,
				  enum bl_team_state state)
{
	static const enum bl_file_state aged[] = {
		[BL_TEAM_AGED_KEEP] = BL_HOOK_FILE_LOADED,
		[BL_TEAM_AGED_ASK] = BL_HOOK_FILE_CHANGED,
		[BL_TEAM_AGED_DENY] = BL_HOOK_FILE_UNSAFE,
	};

	if (state == BL_TEAM_NOTICE_PENDING)
		return BL_HOOK_FILE_UNTRUSTED;
	return state == BL_TEAM_TOO_OLD ? aged[use->aged] : BL_HOOK_FILE_LOADED;
}

static const struct bl_team_found *look(const struct bl_hook_options *options,
					struct bl_arena *arena)
{
	struct bl_team_found *found = bl_arena_new(arena, struct bl_team_found);

	if (found)
		bl_team_look(options->system_root, options->home, arena, found);
	return found;
}

enum bl_status bl_hook_find_team(const struct bl_hook_options *options,
				 struct bl_arena *arena,
				 struct bl_hook_file *file,
				 const struct bl_team_use **out_use,
				 struct bl_error *err)
{
	const struct bl_team_found *found = options->team;
	const struct bl_team_folder *folder;
	const struct bl_team_use *use;
	enum bl_team_state state;

	*out_use = NULL;
	if (!found)
		found = look(options, arena);
	if (!found)
		return bl_arena_fail(arena, err);
	if (found->status)
		return bl_fail(err, found->status, "%.*s",
			       BL_STR_ARG(found->why));
	use = &found->use;
	*out_use = use;
	folder = bl_team_find_folder(use, bl_str(options->profile->name));
	if (!folder)
		return BL_OK;
	state = bl_team_use_state(use, bl_os_wall_ms() / 1000);
	file->path = bl_path_join(arena, folder->path, BL_STR("hooks.json"));
	file->team = folder;
	file->held = held_by(use, state);
	if (file->held != BL_HOOK_FILE_LOADED)
		file->held_why = say(arena, use, state);
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

bool bl_hook_check_signed(struct bl_hook_file *file, struct bl_str content,
			  struct bl_arena *arena)
{
	if (!file->team || file->state == BL_HOOK_FILE_BROKEN ||
	    file->state == BL_HOOK_FILE_UNSAFE)
		return true;
	if (file->state != BL_HOOK_FILE_MISSING &&
	    bl_team_is_signed(file->team->files, file->team->file_count,
			      BL_STR("hooks.json"), content))
		return true;
	file->why = bl_arena_printf(
		arena, "tampered: %.*s %s (to repair it: belay team sync)",
		BL_STR_ARG(file->path),
		file->state == BL_HOOK_FILE_MISSING
			? "is gone"
			: "is not the file that was signed");
	file->state = BL_HOOK_FILE_UNSAFE;
	return false;
}

enum bl_status bl_hook_read_signed(const struct bl_hook *hook,
				   struct bl_arena *arena,
				   struct bl_str *out_text,
				   struct bl_error *err)
{
	const struct bl_team_folder *team = hook->file->team;
	struct bl_str name = bl_str_slice(hook->command, 2, SIZE_MAX);
	struct bl_str path = bl_path_join(arena, team->path, name);
	enum bl_status status;

	if (!bl_str_has_prefix(hook->command, BL_STR("./")))
		return bl_fail(err, BL_DENIED,
			       "tampered: its command is not a script of the "
			       "team");
	if (!path.ptr)
		return bl_arena_fail(arena, err);
	status =
		bl_os_read_file(path, BL_OPEN_NO_LINK, BL_TEAM_MAX_SCRIPT_BYTES,
				arena, out_text, NULL, err);
	if (bl_arena_status(arena))
		return bl_arena_fail(arena, err);
	if (status ||
	    !bl_team_is_signed(team->files, team->file_count, name, *out_text))
		return bl_fail(err, BL_DENIED,
			       "tampered: %.*s is not the file that was signed "
			       "(to repair it: belay team sync)",
			       BL_STR_ARG(path));
	return BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c: can a stranger change this file? */
#include "trust/trust.h"

enum {
	MODE_OTHERS_WRITE = 022,
	MODE_STICKY = 01000,
};

/* Is info's owner root or the user? */
static bool is_ours(const struct bl_file_info *info)
{
	return info->uid == 0 || info->uid == bl_os_user_id();
}

/*
 * The identity of a folder, a link's target instead of the link.  By path, since there
 * is nothing to gain by a descriptor: a user who can exchange a folder while it is
 * looked at can do so because a folder above it is open to them.
 */
static enum bl_status folder_info(struct bl_str path,
				  struct bl_file_info *out_info, bool *has_link)
{
	int fd = -1;
	enum bl_status status = bl_os_info_path(path, out_info, NULL);

	if (status != BL_OK || out_info->type != BL_FILE_LINK)
		return status;
	*has_link = true;
	status = bl_os_open(path, BL_OPEN_DIRECTORY, &fd, NULL);
	if (status == BL_OK)
		status = bl_os_info(fd, out_info, NULL);
	bl_os_close(fd);
	return status;
}

/* Empty when nobody else can put another file into this folder. */
static struct bl_str folder_offence(struct bl_str path, struct bl_arena *arena,
				    bool *has_link)
{
	struct bl_file_info info;

	if (folder_info(path, &info, has_link) != BL_OK)
		return bl_arena_printf(arena,
				       "the folder %.*s cannot be examined",
				       BL_STR_ARG(path));
	if (!is_ours(&info))
		return bl_arena_printf(
			arena,
			"the folder %.*s belongs to user %lu, who is neither "
			"root nor you",
			BL_STR_ARG(path), (unsigned long)info.uid);
	if ((info.mode & MODE_OTHERS_WRITE) && !(info.mode & MODE_STICKY))
		return bl_arena_printf(
			arena, "others can write in the folder %.*s (mode %o)",
			BL_STR_ARG(path), (unsigned)info.mode);
	return (struct bl_str){ NULL, 0 };
}

/* Every folder above path, the nearest first. */
static bool folders_are_safe(struct bl_str path, struct bl_arena *arena,
			     bool *has_link, struct bl_str *out_why)
{
	while (path.len > 1) {
		struct bl_str folder = bl_path_dir(path);
		struct bl_str why = folder_offence(folder, arena, has_link);

		if (why.len > 0) {
			*out_why = why;
			return false;
		}
		if (folder.len >= path.len)
			break;
		path = folder;
	}
	return true;
}

static bool is_link(struct bl_str path)
{
	struct bl_file_info info;

	return bl_os_info_path(path, &info, NULL) == BL_OK &&
	       info.type == BL_FILE_LINK;
}

/*
 * The folders as the path spells them, and, where a link leads elsewhere,
 * those above the place that it leads to: either can be used to exchange the
 * file.
 */
static enum bl_owner_verdict check_folders(struct bl_str path,
					   struct bl_arena *arena,
					   struct bl_str *out_why)
{
	bool has_link = is_link(path);
	struct bl_str real;

	if (!bl_path_is_absolute(path)) {
		*out_why =
			bl_arena_printf(arena, "the path %.*s is not absolute",
					BL_STR_ARG(path));
		return BL_OWNER_FOLDER;
	}
	if (!folders_are_safe(path, arena, &has_link, out_why))
		return BL_OWNER_FOLDER;
	if (!has_link)
		return BL_OWNER_OK;
	if (bl_path_resolve(arena, path, &real, NULL) != BL_OK) {
		*out_why = bl_arena_printf(arena, "%.*s cannot be resolved",
					   BL_STR_ARG(path));
		return BL_OWNER_FOLDER;
	}
	if (!folders_are_safe(real, arena, &has_link, out_why))
		return BL_OWNER_FOLDER;
	return BL_OWNER_OK;
}

enum bl_owner_verdict bl_trust_check_owner(struct bl_str path,
					   const struct bl_file_info *info,
					   struct bl_arena *arena,
					   struct bl_str *out_why)
{
	*out_why = (struct bl_str){ NULL, 0 };
	if (!is_ours(info)) {
		*out_why = bl_arena_printf(
			arena,
			"%.*s belongs to user %lu, who is neither root nor "
			"you",
			BL_STR_ARG(path), (unsigned long)info->uid);
		return BL_OWNER_STRANGER;
	}
	if (info->mode & MODE_OTHERS_WRITE) {
		*out_why = bl_arena_printf(
			arena, "others can write %.*s (mode %o)",
			BL_STR_ARG(path), (unsigned)info->mode);
		return BL_OWNER_OTHERS_WRITE;
	}
	return check_folders(path, arena, out_why);
}

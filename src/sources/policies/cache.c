/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether images can be kept and would be used: what image_open.c asks of their
 * folder, in words.
 */
#include "sources/policies/private.h"

static enum bl_status check_folder(struct bl_str path,
				   const struct bl_file_info *info,
				   struct bl_error *err)
{
	if (info->type != BL_FILE_DIRECTORY)
		return bl_fail(err, BL_INVALID, "%.*s is not a folder",
			       BL_STR_ARG(path));
	if (!bl_os_can_write(path))
		return bl_fail(err, BL_DENIED, "%.*s may not be written",
			       BL_STR_ARG(path));
	return BL_OK;
}

/* The folder itself: what others can have written there is not believed. */
static enum bl_status check_owner(struct bl_str path,
				  const struct bl_file_info *info,
				  struct bl_error *err)
{
	if (info->uid != bl_os_user_id())
		return bl_fail(err, BL_DENIED,
			       "%.*s belongs to user %lu, not to you (%lu)",
			       BL_STR_ARG(path), (unsigned long)info->uid,
			       (unsigned long)bl_os_user_id());
	if (!policy_is_own(info))
		return bl_fail(err, BL_DENIED,
			       "others may write to %.*s (mode %04o): run "
			       "'chmod go-w' on it",
			       BL_STR_ARG(path), (unsigned)info->mode);
	return BL_OK;
}

enum bl_status bl_policy_check_cache(const struct bl_policy_cache *cache,
				     struct bl_error *err)
{
	struct bl_str at = cache->dir;
	struct bl_file_info info;
	enum bl_status status;

	/* Where it is not there yet, what it would be made in. */
	while ((status = bl_os_info_target(at, &info, err)) == BL_NOT_FOUND &&
	       at.len > 1)
		at = bl_path_dir(at);
	if (!status)
		status = check_folder(at, &info, err);
	if (status)
		return status;
	if (at.len < cache->dir.len)
		return bl_fail(err, BL_NOT_FOUND, "%.*s is not there yet",
			       BL_STR_ARG(cache->dir));
	return check_owner(at, &info, err);
}

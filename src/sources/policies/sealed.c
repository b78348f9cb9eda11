/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sealed.c: images that root puts beside policies, DIR/.sealed/NAME.image.
 *
 * An image in a user's cache can be forged by any program of that user, and has
 * to be compared with each of its files.  Where only root can write the policies,
 * root's image needs neither: it lists the folders alone, so that files which are
 * added, removed or replaced are noticed.
 */
#include "sources/policies/image.h"
#include "trust/trust.h"

enum { SEALS_MODE = 0755, SEAL_MODE = 0644 };

/* The stamps of folders, in an array of their own. */
static enum bl_status keep_folders(const struct policy_stamps *stamps,
				   struct bl_arena *arena,
				   struct policy_stamps *out,
				   struct bl_error *err)
{
	*out = (struct policy_stamps){ .arena = arena };
	out->items = bl_arena_new_array(arena, struct policy_stamp,
					stamps->count + 1);
	if (!out->items)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < stamps->count; i++)
		if (stamps->items[i].is_there &&
		    stamps->items[i].info.type == BL_FILE_DIRECTORY)
			out->items[out->count++] = stamps->items[i];
	return BL_OK;
}

static enum bl_status check_owners(const struct policy_stamps *stamps,
				   struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str why;

	if (bl_os_user_id() != 0)
		return bl_fail(err, BL_DENIED, "only root can seal policies");
	for (size_t i = 0; i < stamps->count; i++) {
		const struct policy_stamp *stamp = &stamps->items[i];

		if (stamp->is_there &&
		    bl_trust_check_owner(stamp->path, &stamp->info, arena,
					 &why) != BL_OWNER_OK)
			return bl_fail(err, BL_DENIED, "%.*s: %.*s",
				       BL_STR_ARG(stamp->path),
				       BL_STR_ARG(why));
	}
	return BL_OK;
}

static enum bl_status check(const struct bl_policy_dir *dir,
			    const struct policy_stamps *stamps,
			    struct bl_arena *arena, struct bl_error *err)
{
	if (dir->problem_count || !dir->rego)
		return bl_fail(err, BL_INVALID,
			       "%.*s is broken, and is not sealed",
			       BL_STR_ARG(dir->path));
	return check_owners(stamps, arena, err);
}

/* Compares the image with the one that is there. */
static void compare(struct bl_policy_dir *dir, struct bl_str path,
		    struct bl_str image, struct bl_arena *arena)
{
	struct bl_str before;

	if (bl_os_read_file(path, BL_OPEN_NO_LINK, POLICY_IMAGE_MAX_BYTES,
			    arena, &before, NULL, NULL))
		return;
	dir->sealed =
		bl_str_equal(before, image) ? BL_SEALED : BL_SEALED_OTHERWISE;
}

static enum bl_status put(struct bl_policy_dir *dir, struct bl_str path,
			  struct bl_str image, struct bl_error *err)
{
	enum bl_status status =
		bl_os_make_dirs(bl_path_dir(path), SEALS_MODE, err);

	if (!status)
		status = bl_os_replace_file(path, image, SEAL_MODE, err);
	if (!status)
		dir->sealed = BL_SEALED;
	return status;
}

enum bl_status policy_seal(const struct bl_policy_load_options *options,
			   struct bl_policy_dir *dir,
			   const struct policy_stamps *stamps,
			   struct bl_arena *arena, struct bl_error *err)
{
	bool writes = options->seal == BL_SEAL_WRITE;
	struct policy_image_source source = { .dir = dir,
					      .agent = options->agent };
	struct policy_stamps folders;
	struct bl_str name = policy_image_name(arena, dir->origin,
					       options->agent, dir->path);
	struct bl_str folder =
		bl_path_join(arena, dir->path, BL_STR(POLICY_SEALS));
	struct bl_str path = folder.ptr && name.ptr
				     ? bl_path_join(arena, folder, name)
				     : name;
	struct bl_buf image;
	enum bl_status status =
		bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;

	if (!status && writes)
		status = check(dir, stamps, arena, err);
	if (!status)
		status = keep_folders(stamps, arena, &folders, err);
	if (status || dir->problem_count || !dir->rego)
		return status;
	source.stamps = &folders;
	status = policy_make_image(&source, arena, &image, err);
	if (status)
		return status;
	if (writes)
		status = put(dir, path, bl_buf_str(&image), err);
	else
		compare(dir, path, bl_buf_str(&image), arena);
	bl_buf_clear(&image);
	return status;
}

enum bl_status bl_policy_prepare_seal(struct bl_str dir, struct bl_arena *arena,
				      struct bl_error *err)
{
	struct bl_str path = bl_path_join(arena, dir, BL_STR(POLICY_SEALS));

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	if (bl_os_user_id() != 0)
		return bl_fail(err, BL_DENIED, "only root can seal policies");
	return bl_os_make_dirs(path, SEALS_MODE, err);
}

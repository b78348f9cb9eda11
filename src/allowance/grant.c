/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grant.c: what a person does to allowances: grants, lists and revokes them.
 * Whether it is a person, the caller has checked.
 */
#include "allowance/private.h"
#include "json/json.h"
#include "os/os.h"

enum { DIR_MODE = 0700, MAX_NAMES = 8 * BL_ALLOWANCE_MAX };

#define LOCK_FILE "lock"

/* ---- the folder -------------------------------------------------------------- */

/* The folder of allowances, with its lock, and what is in it. */
struct folder {
	struct bl_arena arena;
	struct bl_str path;
	struct bl_str *names;
	size_t count;
	int lock;
};

static enum bl_status open_folder(struct folder *folder, struct bl_str state,
				  struct bl_error *err)
{
	enum { LOCK_MS = 5000 };
	struct bl_str lock;
	enum bl_status status;

	bl_arena_init(&folder->arena, NULL, 0, 0);
	folder->lock = -1;
	folder->count = 0;
	folder->path = allowance_dir(&folder->arena, state);
	lock = bl_path_join(&folder->arena, folder->path, BL_STR(LOCK_FILE));
	if (!lock.ptr)
		return bl_arena_fail(&folder->arena, err);
	status = bl_os_make_dirs(folder->path, DIR_MODE, err);
	if (!status)
		status = bl_os_open_locked(lock, ALLOWANCE_FILE_MODE, LOCK_MS,
					   &folder->lock, err);
	if (!status)
		status = bl_os_list_dir(folder->path, MAX_NAMES, &folder->arena,
					&folder->names, &folder->count, err);
	return status;
}

static void close_folder(struct folder *folder)
{
	bl_os_close(folder->lock);
	bl_arena_clear(&folder->arena);
}

static enum bl_status remove_name(struct folder *folder, struct bl_str name,
				  struct bl_error *err)
{
	struct bl_str path = bl_path_join(&folder->arena, folder->path, name);
	enum bl_status status = path.ptr ? bl_os_remove_file(path, err)
					 : bl_arena_fail(&folder->arena, err);

	return status == BL_NOT_FOUND ? BL_OK : status;
}

/* Every file about one action. */
static enum bl_status remove_action(struct folder *folder, struct bl_str digest,
				    struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < folder->count; i++)
		if (bl_str_has_prefix(folder->names[i], digest))
			status = remove_name(folder, folder->names[i], err);
	return status;
}

/* The digest that a name of the folder begins with; the name, of others. */
static struct bl_str digest_of(struct bl_str name)
{
	return bl_str_slice(name, 0, bl_str_find(name, BL_STR("."), 0));
}

static bool is_allowance(struct bl_str name)
{
	return bl_str_has_suffix(name, BL_STR(".json"));
}

static enum bl_status read_name(struct folder *folder, struct bl_str name,
				struct bl_allowance *out, struct bl_error *err)
{
	struct bl_str path = bl_path_join(&folder->arena, folder->path, name);

	return path.ptr ? allowance_read(&folder->arena, path, out, err)
			: bl_arena_fail(&folder->arena, err);
}

/* Clears away what has expired; counts what is left. */
static enum bl_status clear_expired(struct folder *folder, int64_t now_ms,
				    size_t *out_left, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	*out_left = 0;
	for (size_t i = 0; !status && i < folder->count; i++) {
		struct bl_str name = folder->names[i];
		struct bl_allowance one;
		enum bl_status found;

		if (!is_allowance(name))
			continue;
		found = read_name(folder, name, &one, NULL);
		if (found == BL_OK && one.until_ms <= now_ms)
			status = remove_action(folder, digest_of(name), err);
		else if (found != BL_NOT_FOUND)
			(*out_left)++;
	}
	return status;
}

static enum bl_status write_file(struct folder *folder,
				 const struct bl_allowance *allowance,
				 struct bl_error *err)
{
	struct bl_str path = bl_arena_printf(
		&folder->arena, "%.*s/%.*s.json", BL_STR_ARG(folder->path),
		BL_STR_ARG(allowance->action.digest));
	struct bl_value value = allowance_file_value(allowance, &folder->arena);
	struct bl_buf text;
	enum bl_status status;

	if (!path.ptr || !bl_value_is_defined(value))
		return bl_arena_fail(&folder->arena, err);
	bl_buf_init(&text, BL_ALLOWANCE_FILE_BYTES);
	bl_json_write(&text, value, BL_JSON_COMPACT);
	bl_buf_put_char(&text, '\n');
	status = bl_buf_status(&text);
	if (status)
		bl_fail(err, status, "the allowance would be too large");
	else
		status = bl_os_replace_file(path, bl_buf_str(&text),
					    ALLOWANCE_FILE_MODE, err);
	bl_buf_clear(&text);
	return status;
}

enum bl_status bl_allowance_grant(struct bl_str state_dir,
				  const struct bl_allowance *allowance,
				  struct bl_error *err)
{
	struct folder folder;
	size_t left;
	enum bl_status status = open_folder(&folder, state_dir, err);

	if (!status)
		status = remove_action(&folder, allowance->action.digest, err);
	if (!status)
		status = clear_expired(&folder, allowance->granted_ms, &left,
				       err);
	if (!status && left >= BL_ALLOWANCE_MAX)
		status = bl_fail(err, BL_LIMIT,
				 "there are %d allowances already; to take "
				 "them away: belay allow --revoke all",
				 BL_ALLOWANCE_MAX);
	if (!status)
		status = write_file(&folder, allowance, err);
	close_folder(&folder);
	return status;
}

/* ---- listing, revoking ------------------------------------------------------- */

enum bl_status bl_allowance_list(struct bl_str state_dir, int64_t now_ms,
				 struct bl_arena *arena,
				 struct bl_allowances *out_list,
				 struct bl_error *err)
{
	struct bl_allowances list = { NULL, 0, 0 };
	struct bl_str dir = allowance_dir(arena, state_dir);
	struct bl_str *names;
	size_t count = 0;
	enum bl_status status =
		bl_os_list_dir(dir, MAX_NAMES, arena, &names, &count, err);

	if (status && status != BL_NOT_FOUND)
		return status;
	list.items = bl_arena_new_array(arena, struct bl_allowance, count + 1);
	if (!list.items)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		struct bl_str path = bl_path_join(arena, dir, names[i]);
		struct bl_allowance *one = &list.items[list.count];

		if (!is_allowance(names[i]))
			continue;
		if (allowance_read(arena, path, one, NULL))
			list.damaged_count++;
		else if (one->until_ms > now_ms)
			list.count++;
	}
	*out_list = list;
	return BL_OK;
}

/* Has the file this code?  A damaged one is taken away with all. */
static bool is_wanted(struct folder *folder, struct bl_str name,
		      struct bl_str code)
{
	struct bl_allowance one;

	if (!code.ptr)
		return true;
	return is_allowance(name) && !read_name(folder, name, &one, NULL) &&
	       bl_str_equal(one.code, code);
}

enum bl_status bl_allowance_revoke(struct bl_str state_dir, struct bl_str code,
				   struct bl_error *err)
{
	struct folder folder;
	size_t found = 0;
	enum bl_status status = open_folder(&folder, state_dir, err);

	for (size_t i = 0; !status && i < folder.count; i++) {
		struct bl_str name = folder.names[i];

		if (bl_str_is(name, LOCK_FILE) ||
		    !is_wanted(&folder, name, code))
			continue;
		found++;
		status = remove_action(&folder, digest_of(name), err);
	}
	if (!status && !found)
		status = bl_fail(err, BL_NOT_FOUND, "nothing is allowed%s",
				 code.ptr ? " by that code" : "");
	close_folder(&folder);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stamp.c: has anything changed that a set was made of?
 *
 * Everything that was looked at is looked at again, but not read (except the
 * trust store and plugin manifests, which name further files): hook files and
 * the folders above them, folders that are listed, the trust store, the
 * settings for webhooks, and whatever the trusted workspaces pin.
 */
#include "sources/hooks/private.h"

#define FNV_START UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

static void add_bytes(uint64_t *stamp, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		*stamp = (*stamp ^ bytes[i]) * FNV_PRIME;
}

static void add_number(uint64_t *stamp, uint64_t number)
{
	add_bytes(stamp, &number, sizeof(number));
}

/* The parts of a file's state that say who can change it. */
static void add_owner(uint64_t *stamp, const struct bl_file_info *info)
{
	add_number(stamp, info->device);
	add_number(stamp, info->inode);
	add_number(stamp, info->mode);
	add_number(stamp, info->uid);
	add_number(stamp, (uint64_t)info->type);
}

static void add_info(uint64_t *stamp, const struct bl_file_info *info)
{
	add_owner(stamp, info);
	add_number(stamp, info->size_bytes);
	add_number(stamp, (uint64_t)info->mtime_ns);
	add_number(stamp, (uint64_t)info->ctime_ns);
}

/* A path itself and, where it is a link, what it leads to. */
static void add_path(uint64_t *stamp, struct bl_str path)
{
	struct bl_file_info info;
	int fd = -1;

	add_bytes(stamp, path.ptr, path.len);
	if (bl_os_info_path(path, &info, NULL) != BL_OK) {
		add_number(stamp, 0);
		return;
	}
	add_info(stamp, &info);
	if (info.type != BL_FILE_LINK)
		return;
	if (bl_os_open(path, 0, &fd, NULL) == BL_OK &&
	    bl_os_info(fd, &info, NULL) == BL_OK)
		add_info(stamp, &info);
	bl_os_close(fd);
}

static void add_folders(uint64_t *stamp, struct bl_str path)
{
	struct bl_file_info info;

	while (path.len > 1) {
		struct bl_str folder = bl_path_dir(path);

		if (folder.len >= path.len)
			return;
		if (bl_os_info_path(folder, &info, NULL) == BL_OK)
			add_owner(stamp, &info);
		path = folder;
	}
}

/* The trust store, and what the records of these workspaces pin. */
static void add_trust(uint64_t *stamp, const struct bl_hook_options *options,
		      struct bl_arena *arena)
{
	struct bl_trust_store store = { 0 };
	enum bl_status status;

	if (options->trust_all || options->workspace_count == 0 ||
	    options->home.len == 0)
		return;
	status = bl_trust_read(arena, options->home, &store, NULL);
	add_number(stamp, (uint64_t)status);
	if (status != BL_OK)
		return;
	add_path(stamp, store.path);
	for (size_t i = 0; i < options->workspace_count; i++) {
		const struct bl_trust_record *record =
			bl_trust_find(&store, options->workspaces[i]);

		/* A script that a bare word names may appear in it. */
		add_path(stamp, options->workspaces[i]);
		if (!record)
			add_number(stamp,
				   bl_trust_was_known(options->home,
						      options->workspaces[i]));
		for (size_t p = 0; record && p < record->pin_count; p++)
			add_path(stamp, record->pins[p].path);
	}
}

static void add_files(uint64_t *stamp, const struct bl_hook_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		add_path(stamp, files->items[i].path);
		add_folders(stamp, files->items[i].path);
		add_number(stamp, (uint64_t)files->items[i].state);
	}
	for (size_t i = 0; i < files->watched_count; i++)
		add_path(stamp, files->watched[i]);
}

enum bl_status bl_hook_stamp(const struct bl_hook_options *options,
			     uint64_t *out_stamp, struct bl_error *err)
{
	uint64_t stamp = FNV_START;
	struct bl_limits usual = bl_limits_default();
	struct bl_hook_options filled = *options;
	struct bl_arena arena;
	struct bl_diags diags;
	struct bl_hook_files files;
	enum bl_status status;

	if (!filled.limits)
		filled.limits = &usual;
	bl_arena_init(&arena, NULL, 0, 0);
	bl_diags_init(&diags, &arena);
	status = bl_hook_locate(&filled, &arena, &diags, &files, err);
	if (status == BL_OK) {
		add_files(&stamp, &files);
		add_trust(&stamp, options, &arena);
		add_path(&stamp, bl_webhook_settings_path(options->system_root,
							  &arena));
		*out_stamp = stamp;
	}
	bl_arena_clear(&arena);
	return status;
}

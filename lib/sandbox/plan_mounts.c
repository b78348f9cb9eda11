/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private root.  Everything is put into a small file system in memory,
 * which is then sealed: read-only, itself and all that was bound.  The writable folders
 * are mounted after that, on the places left for them.
 */
#include "sandbox/private.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/linux_abi.h"

/* "VERB /a", and with b " JOINT b". */
struct words {
	const char *verb;
	const char *joint;
};

static const struct words make_folder = { "make folder", "" };
static const struct words make_file = { "make file", "" };
static const struct words bind_from = { "bind", " from the host's " };
static const struct words link_to = { "link", " to " };

static void add(struct bl_planner *planner, int (*run)(const void *),
		const char *a, const char *b, const struct words *words)
{
	struct bl_sandbox_step step = { BL_LAYER_MOUNT, run, .a = a, .b = b };

	bl_planner_add(planner, step, "%s /%s%s%s", words->verb, a,
		       words->joint, b ? b : "");
}

/* Places are relative to the new root, which is the working directory. */
static const char *place_of(const char *path)
{
	return path + 1;
}

static const char *keep(struct bl_planner *planner, struct bl_str text)
{
	const char *copy = bl_arena_copy_str(planner->arena, text).ptr;

	planner->no_memory = planner->no_memory || !copy;
	return copy;
}

/* ---- places --------------------------------------------------------- */

static bool is_made(const struct bl_planner *planner, struct bl_str folder)
{
	for (size_t i = 0; i < planner->plan->step_count; i++) {
		const struct bl_sandbox_step *step = &planner->plan->steps[i];

		if (step->run == bl_step_folder && bl_str_is(folder, step->a))
			return true;
	}
	return false;
}

/* The folders above path, and path itself when it is to be one. */
static void add_folders(struct bl_planner *planner, const char *path,
			bool is_folder)
{
	struct bl_str place = bl_str(place_of(path));

	for (size_t i = 1; i <= place.len; i++) {
		struct bl_str folder = bl_str_slice(place, 0, i);
		const char *text;

		if (i < place.len && place.ptr[i] != '/')
			continue;
		if ((i == place.len && !is_folder) || is_made(planner, folder))
			continue;
		text = keep(planner, folder);
		if (text)
			add(planner, bl_step_folder, text, NULL, &make_folder);
	}
}

/* Binds path where it is, a folder or a file; nothing when it is not there. */
static void add_same(struct bl_planner *planner, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	add_folders(planner, path, S_ISDIR(st.st_mode));
	if (!S_ISDIR(st.st_mode))
		add(planner, bl_step_file, place_of(path), NULL, &make_file);
	add(planner, bl_step_bind, place_of(path), path, &bind_from);
}

/* A folder of the system, or the link that it is (/bin to usr/bin). */
static void add_system_folder(struct bl_planner *planner, const char *path)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target));
	const char *copy;

	if (len < 0) {
		add_same(planner, path);
		return;
	}
	copy = keep(planner, (struct bl_str){ target, (size_t)len });
	if (copy)
		add(planner, bl_step_link, place_of(path), copy, &link_to);
}

/* ---- devices -------------------------------------------------------- */

static const struct {
	const char *path;
	const char *target;
} device_links[] = {
	{ "dev/fd", "/proc/self/fd" },
	{ "dev/stdin", "/proc/self/fd/0" },
	{ "dev/stdout", "/proc/self/fd/1" },
	{ "dev/stderr", "/proc/self/fd/2" },
	{ "dev/shm", "/tmp" },
};

static void add_device_places(struct bl_planner *planner)
{
	add_folders(planner, "/dev", true);
	for (size_t i = 0; bl_system_devices[i]; i++)
		add(planner, bl_step_file, place_of(bl_system_devices[i]), NULL,
		    &make_file);
	for (size_t i = 0; i < BL_COUNT(device_links); i++)
		add(planner, bl_step_link, device_links[i].path,
		    device_links[i].target, &link_to);
}

static void add_devices(struct bl_planner *planner)
{
	for (size_t i = 0; bl_system_devices[i]; i++)
		add(planner, bl_step_bind, place_of(bl_system_devices[i]),
		    bl_system_devices[i], &bind_from);
}

/* ---- the workspace and what may be read ----------------------------- */

static void add_attributes(struct bl_planner *planner, const char *place,
			   bool may_write)
{
	struct bl_sandbox_step step = {
		BL_LAYER_MOUNT,
		bl_step_attributes,
		.a = place,
		.number = BL_MOUNT_ATTR_NOSUID | BL_MOUNT_ATTR_NODEV |
			  (may_write ? 0 : BL_MOUNT_ATTR_RDONLY),
	};

	bl_planner_add(planner, step, "%s: no set-user-id, no devices%s",
		       bl_str_is(bl_str(place), ".") ? "all of that" : place,
		       may_write ? "" : ", read-only");
}

static void add_workspace_at(struct bl_planner *planner, const char *place,
			     const char *path)
{
	add(planner, bl_step_bind, place, path, &bind_from);
	add_attributes(planner, place,
		       planner->request->profile->workspace == BL_ACCESS_WRITE);
}

static void add_workspace(struct bl_planner *planner)
{
	const char *path;

	if (!planner->workspace.len)
		return;
	path = keep(planner, planner->workspace);
	if (path)
		add_workspace_at(planner, "workspace", path);
}

static bool is_in_tmp(struct bl_str path)
{
	return bl_path_is_in(path, BL_STR("/tmp"));
}

/* Those in /tmp come after it, as it covers what was there before. */
static void add_readable(struct bl_planner *planner, bool in_tmp)
{
	for (size_t i = 0; i < planner->readable_count; i++) {
		const char *path;

		if (is_in_tmp(planner->readable[i]) != in_tmp)
			continue;
		path = keep(planner, planner->readable[i]);
		if (!path)
			continue;
		add_same(planner, path);
		if (in_tmp)
			add_attributes(planner, place_of(path), false);
	}
}

/* Is the workspace in something that is bound where it is? */
static bool is_workspace_covered(const struct bl_planner *planner)
{
	if (bl_sandbox_is_of_system(planner->workspace))
		return true;
	for (size_t i = 0; i < planner->readable_count; i++) {
		if (bl_path_is_in(planner->workspace, planner->readable[i]))
			return true;
	}
	return false;
}

/* Folders of ours, in which a name of the workspace would be in the way. */
static bool is_workspace_named_apart(const struct bl_planner *planner)
{
	static const char *const ours[] = { "/etc", "/dev", "/workspace" };

	for (size_t i = 0; i < BL_COUNT(ours); i++) {
		if (bl_path_is_in(planner->workspace, bl_str(ours[i])))
			return false;
	}
	/* A folder in /tmp has its name in there; /tmp itself is ours. */
	return planner->workspace.len > 0 &&
	       !bl_str_is(planner->workspace, "/tmp");
}

/* Payloads and hooks call the workspace by its name on the host. */
static void add_alias(struct bl_planner *planner, bool in_tmp)
{
	const char *path;

	if (!is_workspace_named_apart(planner) ||
	    is_workspace_covered(planner) ||
	    is_in_tmp(planner->workspace) != in_tmp)
		return;
	path = keep(planner, planner->workspace);
	if (!path)
		return;
	add_folders(planner, path, false);
	add(planner, bl_step_link, place_of(path), "/workspace", &link_to);
}

/* As above where the folder itself exists already: it is mounted on top. */
static void add_second_place(struct bl_planner *planner)
{
	const char *path;

	if (!is_workspace_named_apart(planner) ||
	    !is_workspace_covered(planner))
		return;
	path = keep(planner, planner->workspace);
	if (path)
		add_workspace_at(planner, place_of(path), path);
}

/* ---- all of it ------------------------------------------------------ */

static void add_sealed(struct bl_planner *planner)
{
	for (size_t i = 0; bl_system_folders[i]; i++)
		add_system_folder(planner, bl_system_folders[i]);
	for (size_t i = 0; bl_system_files[i]; i++)
		add_same(planner, bl_system_files[i]);
	for (size_t i = 0; planner->request->network && bl_network_files[i];
	     i++)
		add_same(planner, bl_network_files[i]);
	add_device_places(planner);
	add_folders(planner, "/proc", true);
	add_folders(planner, "/tmp", true);
	if (planner->workspace.len)
		add_folders(planner, "/workspace", true);
	add_readable(planner, false);
	add_alias(planner, false);
	add_attributes(planner, ".", false);
}

static void add_tmp(struct bl_planner *planner)
{
	struct bl_str options = bl_arena_printf(
		planner->arena, "size=%dm,nr_inodes=16k,mode=1777",
		BL_SANDBOX_TMP_MIB);
	struct bl_sandbox_step step = { BL_LAYER_MOUNT, bl_step_tmp, .a = "tmp",
					.b = options.ptr };

	planner->no_memory = planner->no_memory || !options.ptr;
	bl_planner_add(planner, step, "new, empty /tmp of %d MiB",
		       BL_SANDBOX_TMP_MIB);
}

void bl_planner_add_mounts(struct bl_planner *planner)
{
	struct bl_sandbox_step own = { BL_LAYER_MOUNT, bl_step_private };
	struct bl_sandbox_step root = { BL_LAYER_MOUNT, bl_step_root,
					.a = "size=1m,nr_inodes=4k,"
					     "mode=0755" };
	struct bl_sandbox_step enter = { BL_LAYER_MOUNT, bl_step_enter };
	struct bl_sandbox_step proc = { BL_LAYER_PROC, bl_step_proc,
					.a = "proc" };

	if (!bl_planner_has(planner, BL_LAYER(MOUNT)))
		return;
	bl_planner_add(planner, own, "its mounts are its own affair");
	bl_planner_add(planner, root, "a new root in memory");
	add_sealed(planner);
	add_devices(planner);
	bl_planner_add(planner, proc, "/proc with its own processes only");
	add_workspace(planner);
	add_tmp(planner);
	add_readable(planner, true);
	add_alias(planner, true);
	add_second_place(planner);
	bl_planner_add(planner, enter, "the new root is all there is");
}

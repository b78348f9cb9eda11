/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole folders: swapped, synced, removed; and texts as descriptors that nobody can
 * change.  Apart from single files, since none of it is needed to decide about
 * most events.
 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/private.h"

enum { EXCHANGE = 2 /* RENAME_EXCHANGE, which musl does not have */ };

enum bl_status bl_os_exchange(struct bl_str a, struct bl_str b,
			      struct bl_error *err)
{
	char first[PATH_MAX];
	char second[PATH_MAX];
	enum bl_status status = bl_os_path_text(a, first, err);

	if (!status)
		status = bl_os_path_text(b, second, err);
	if (status)
		return status;
	if (syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second,
		    (unsigned)EXCHANGE))
		return bl_os_fail_path(err, errno, "put in place", b);
	return BL_OK;
}

enum bl_status bl_os_sync_dir(struct bl_str path, struct bl_error *err)
{
	int fd = -1;
	enum bl_status status = bl_os_open(path, BL_OPEN_DIRECTORY, &fd, err);

	/* Some file systems cannot sync a directory: EINVAL. */
	if (!status && fsync(fd) && errno != EINVAL)
		status = bl_os_fail_path(err, errno, "sync", path);
	bl_os_close(fd);
	return status;
}

/* Recursion: BL_OS_MAX_TREE_DEPTH folders inside each other. */
static enum bl_status remove_inside(struct bl_str path, int depth,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	enum { MAX_NAMES = 100000 };
	struct bl_str *names;
	size_t count;
	enum bl_status status =
		bl_os_list_dir(path, MAX_NAMES, arena, &names, &count, err);

	if (!status && depth > BL_OS_MAX_TREE_DEPTH)
		status = bl_fail(err, BL_LIMIT,
				 "%.*s: too many folders inside "
				 "each other",
				 BL_STR_ARG(path));
	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str inner = bl_path_join(arena, path, names[i]);
		struct bl_file_info info;

		if (!inner.ptr)
			return bl_arena_fail(arena, err);
		status = bl_os_info_path(inner, &info, err);
		if (status)
			break;
		if (info.type == BL_FILE_DIRECTORY) {
			status = remove_inside(inner, depth + 1, arena, err);
			if (!status)
				status = bl_os_remove_dir(inner, err);
		} else {
			status = bl_os_remove_file(inner, err);
		}
	}
	return status;
}

enum bl_status bl_os_remove_tree(struct bl_str path, struct bl_error *err)
{
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = remove_inside(path, 0, &arena, err);
	if (!status)
		status = bl_os_remove_dir(path, err);
	bl_arena_clear(&arena);
	return status;
}

enum bl_status bl_os_seal_text(struct bl_str text, int *out_fd,
			       struct bl_error *err)
{
	int fd = memfd_create("belay-script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	enum bl_status status;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		/* where the streams of a child come to be */
		int low = fd;

		fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		bl_os_close(low);
	}
	if (fd < 0)
		return bl_fail_errno(err, errno, "cannot make a memory file");
	status = bl_os_write_all(fd, text, err);
	if (!status &&
	    (fchmod(fd, 0500) ||
	     fcntl(fd, F_ADD_SEALS,
		   F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)))
		status = bl_fail_errno(err, errno, "cannot seal a memory file");
	if (status)
		bl_os_close(fd);
	else
		*out_fd = fd;
	return status;
}

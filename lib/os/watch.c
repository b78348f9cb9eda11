/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Being told when a file changes (inotify). Alone, since another system has
 * another call for it, and nothing else does.
 */
#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "os/os.h"

enum bl_status bl_os_watch_open(int *out_fd, struct bl_error *err)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0)
		return bl_fail_errno(err, errno, "cannot watch files");
	*out_fd = fd;
	return BL_OK;
}

enum bl_status bl_os_watch_add(int fd, struct bl_str path, struct bl_error *err)
{
	char name[4096];

	if (path.len >= sizeof(name))
		return bl_fail(err, BL_LIMIT, "%.*s: too long to be watched",
			       BL_STR_ARG(path));
	memcpy(name, path.ptr, path.len);
	name[path.len] = '\0';
	if (inotify_add_watch(fd, name,
			      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
				      IN_MOVED_FROM | IN_MOVED_TO |
				      IN_MOVE_SELF | IN_DELETE_SELF) < 0)
		return bl_fail_errno(err, errno, "cannot watch %s", name);
	return BL_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Open files at a place, and the few other calls that a log needs. */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/private.h"

enum bl_status bl_os_read_at(int fd, uint64_t offset, void *out, size_t len,
			     size_t *out_got, struct bl_error *err)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, (char *)out + got, len - got,
				  (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bl_fail_errno(err, errno, "cannot read");
		if (n == 0)
			break;
		got += (size_t)n;
	}
	*out_got = got;
	return BL_OK;
}

enum bl_status bl_os_truncate(int fd, uint64_t size_bytes, struct bl_error *err)
{
	while (ftruncate(fd, (off_t)size_bytes)) {
		if (errno != EINTR)
			return bl_fail_errno(err, errno, "cannot cut a file");
	}
	return BL_OK;
}

enum bl_status bl_os_touch(struct bl_str path, struct bl_error *err)
{
	char text[PATH_MAX];
	enum bl_status status = bl_os_path_text(path, text, err);

	if (status == BL_OK &&
	    utimensat(AT_FDCWD, text, NULL, AT_SYMLINK_NOFOLLOW))
		status = bl_os_fail_path(err, errno, "touch", path);
	return status;
}

enum bl_status bl_os_remove_dir(struct bl_str path, struct bl_error *err)
{
	char text[PATH_MAX];
	enum bl_status status = bl_os_path_text(path, text, err);

	if (status == BL_OK && rmdir(text))
		status = bl_os_fail_path(err,
					 errno == ENOTEMPTY ? EEXIST : errno,
					 "remove", path);
	return status;
}

enum bl_status bl_os_rename(struct bl_str from, struct bl_str to,
			    struct bl_error *err)
{
	char from_text[PATH_MAX];
	char to_text[PATH_MAX];
	enum bl_status status = bl_os_path_text(from, from_text, err);

	if (status == BL_OK)
		status = bl_os_path_text(to, to_text, err);
	if (status != BL_OK)
		return status;
	if (rename(from_text, to_text))
		return bl_os_fail_path(err, errno, "rename", from);
	return BL_OK;
}

enum bl_status bl_os_remove_file(struct bl_str path, struct bl_error *err)
{
	char text[PATH_MAX];
	enum bl_status status = bl_os_path_text(path, text, err);

	if (status == BL_OK && unlink(text))
		return bl_os_fail_path(err, errno, "remove", path);
	return status;
}

bool bl_os_wait_readable(int fd, uint32_t timeout_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int timeout = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;

	/* A signal ends the wait early; whoever waits looks again anyway. */
	return poll(&wait, fd >= 0 ? 1 : 0, timeout) > 0;
}

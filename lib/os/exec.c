/* SPDX-License-Identifier: Apache-2.0 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/private.h"

static enum bl_status feed_input(struct bl_str input, struct bl_error *err)
{
	int fd = memfd_create("belay-input", MFD_CLOEXEC);
	enum bl_status status = BL_OK;

	if (fd < 0)
		return bl_fail_errno(err, errno, "cannot make a memory file");
	status = bl_os_write_all(fd, input, err);
	/* Where 0 was closed the file may be it, and dup2 would do nothing. */
	if (!status && (lseek(fd, 0, SEEK_SET) ||
			(fd ? dup2(fd, 0) : fcntl(fd, F_SETFD, 0)) < 0))
		status = bl_fail_errno(err, errno,
				       "cannot pass on the standard input");
	if (fd)
		bl_os_close(fd);
	return status;
}

enum bl_status bl_os_exec(struct bl_str path, const char *const *argv,
			  struct bl_str input, struct bl_error *err)
{
	char text[PATH_MAX];
	enum bl_status status = bl_os_path_text(path, text, err);

	if (!status && input.ptr)
		status = feed_input(input, err);
	if (status)
		return status;
	bl_os_reset_signals();
	/* execv does not write to argv; its type is older than const. */
	execv(text, (char *const *)(uintptr_t)argv);
	return bl_os_fail_path(err, errno, "start", path);
}

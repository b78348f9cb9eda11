/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of namespaces and mounts.  They run in the child (os.h: struct
 * bl_child_step): system calls and the own stack, nothing else.  The new root
 * is put together as the working directory, on BL_SANDBOX_STAGE.
 */
#include "sandbox/private.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/linux_abi.h"

BL_IN_CHILD static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = 0;
	int why = 0;

	if (fd < 0)
		return errno;
	while (text[len])
		len++;
	if (write(fd, text, len) != (ssize_t)len)
		why = errno;
	close(fd);
	return why;
}

BL_IN_CHILD int bl_step_write_file(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return write_text(step->a, step->b);
}

/* Without "deny" an ordinary user may not map a group. */
BL_IN_CHILD int bl_step_map_user(const void *data)
{
	const struct bl_sandbox_step *step = data;
	int why = write_text("/proc/self/setgroups", "deny");

	if (!why)
		why = write_text("/proc/self/uid_map", step->a);
	return why ? why : write_text("/proc/self/gid_map", step->b);
}

BL_IN_CHILD int bl_step_private(const void *data)
{
	(void)data;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ? errno : 0;
}

BL_IN_CHILD int bl_step_root(const void *data)
{
	const struct bl_sandbox_step *step = data;

	if (mount("belay", BL_SANDBOX_STAGE, "tmpfs", MS_NOSUID | MS_NODEV,
		  step->a) ||
	    chdir(BL_SANDBOX_STAGE))
		return errno;
	umask(022);
	return 0;
}

BL_IN_CHILD int bl_step_folder(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return mkdir(step->a, 0755) && errno != EEXIST ? errno : 0;
}

BL_IN_CHILD int bl_step_file(const void *data)
{
	const struct bl_sandbox_step *step = data;
	int fd = open(step->a, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW,
		      0644);

	return fd < 0 || close(fd) ? errno : 0;
}

BL_IN_CHILD int bl_step_link(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return symlink(step->b, step->a) ? errno : 0;
}

BL_IN_CHILD int bl_step_bind(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return mount(step->b, step->a, NULL, MS_BIND | MS_REC, NULL) ? errno
								     : 0;
}

/* Adds attributes to a mount and to all that is mounted below it. */
BL_IN_CHILD int bl_step_attributes(const void *data)
{
	const struct bl_sandbox_step *step = data;
	struct bl_mount_attr attr = { .set = step->number };

	return syscall(BL_NR_MOUNT_SETATTR, AT_FDCWD, step->a,
		       BL_MOUNT_RECURSIVE, &attr, sizeof(attr))
		       ? errno
		       : 0;
}

BL_IN_CHILD int bl_step_proc(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return mount("proc", step->a, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     "subset=pid")
		       ? errno
		       : 0;
}

BL_IN_CHILD int bl_step_tmp(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return mount("belay", step->a, "tmpfs", MS_NOSUID | MS_NODEV, step->b)
		       ? errno
		       : 0;
}

/*
 * The new root is put over the old one, and becomes all there is for a process
 * that has no way to change its root, mount, or enter another namespace.  To
 * exchange them by pivot_root and take the old one off looks at every process
 * of the machine and waits for every processor.
 */
BL_IN_CHILD int bl_step_enter(const void *data)
{
	(void)data;
	if (mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		return errno;
	return 0;
}

BL_IN_CHILD int bl_step_host_name(const void *data)
{
	const struct bl_sandbox_step *step = data;
	size_t len = 0;

	while (step->a[len])
		len++;
	return sethostname(step->a, len) ? errno : 0;
}

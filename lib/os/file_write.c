/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are written: replaced as a whole, made anew, appended to under a
 * lock.  Apart from reading, since each of these promises what is there after a
 * crash.
 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/private.h"

enum bl_status bl_os_write_all(int fd, struct bl_str text, struct bl_error *err)
{
	while (text.len) {
		ssize_t put = write(fd, text.ptr, text.len);
		struct pollfd wait = { .fd = fd, .events = POLLOUT };

		if (put < 0 && errno == EAGAIN)
			put = poll(&wait, 1, -1) < 0 && errno != EINTR ? -1 : 0;
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return bl_fail_errno(err, errno, "cannot write");
		text.ptr += put;
		text.len -= (size_t)put;
	}
	return BL_OK;
}

enum { TEMPORARY_NAME_BYTES = 32 };

/* A new file in a directory that is not yet what it is to be. */
struct draft {
	int dir_fd;
	int fd;
	char name[TEMPORARY_NAME_BYTES];
	char target[PATH_MAX];
};

static enum bl_status open_draft(struct draft *draft, struct bl_str path,
				 struct bl_error *err)
{
	uint64_t chance;
	struct bl_str base = bl_path_base(path);
	enum bl_status status = bl_os_path_text(base, draft->target, err);

	if (!status)
		status = bl_os_open(bl_path_dir(path), BL_OPEN_DIRECTORY,
				    &draft->dir_fd, err);
	if (!status)
		status = bl_os_random(&chance, sizeof(chance), err);
	if (status)
		return status;
	snprintf(draft->name, sizeof(draft->name), ".belay-%016llx",
		 (unsigned long long)chance);
	draft->fd = openat(draft->dir_fd, draft->name,
			   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			   0600);
	if (draft->fd < 0)
		return bl_os_fail_path(err, errno, "write a file beside", path);
	return BL_OK;
}

/* How a draft becomes the file. */
struct publication {
	/* Gives the draft its name.  0 or an errno. */
	int (*publish)(const struct draft *draft);
	bool is_lazy; /* the disk may have it later */
};

static enum bl_status fill_draft(struct draft *draft, struct bl_str text,
				 uint32_t mode, bool is_lazy,
				 struct bl_error *err)
{
	enum bl_status status = bl_os_write_all(draft->fd, text, err);

	if (status)
		return status;
	if (fchmod(draft->fd, mode))
		return bl_fail_errno(err, errno, "cannot set the mode");
	if (!is_lazy && fsync(draft->fd))
		return bl_fail_errno(err, errno, "cannot reach the disk");
	return BL_OK;
}

static int publish_over(const struct draft *draft)
{
	if (renameat(draft->dir_fd, draft->name, draft->dir_fd, draft->target))
		return errno;
	return 0;
}

/* A hard link is the way to name a finished file that never replaces. */
static int publish_new(const struct draft *draft)
{
	if (linkat(draft->dir_fd, draft->name, draft->dir_fd, draft->target, 0))
		return errno;
	unlinkat(draft->dir_fd, draft->name, 0);
	return 0;
}

static enum bl_status write_whole(struct bl_str path, struct bl_str text,
				  uint32_t mode, const struct publication *how,
				  struct bl_error *err)
{
	struct draft draft = { .dir_fd = -1, .fd = -1 };
	enum bl_status status = open_draft(&draft, path, err);

	if (!status) {
		status = fill_draft(&draft, text, mode, how->is_lazy, err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(path));
	}
	if (!status) {
		int failed = how->publish(&draft);

		if (failed)
			status = bl_os_fail_path(err, failed, "write", path);
		/* Some file systems cannot sync a directory: EINVAL. */
		else if (!how->is_lazy && fsync(draft.dir_fd) &&
			 errno != EINVAL)
			status = bl_os_fail_path(err, errno,
						 "sync the directory of", path);
	}
	if (status && draft.fd >= 0)
		unlinkat(draft.dir_fd, draft.name, 0);
	bl_os_close(draft.fd);
	bl_os_close(draft.dir_fd);
	return status;
}

enum bl_status bl_os_replace_file(struct bl_str path, struct bl_str text,
				  uint32_t mode, struct bl_error *err)
{
	static const struct publication how = { .publish = publish_over };

	return write_whole(path, text, mode, &how, err);
}

enum bl_status bl_os_replace_cached(struct bl_str path, struct bl_str text,
				    uint32_t mode, struct bl_error *err)
{
	static const struct publication how = { .publish = publish_over,
						.is_lazy = true };

	return write_whole(path, text, mode, &how, err);
}

enum bl_status bl_os_create_file(struct bl_str path, struct bl_str text,
				 uint32_t mode, struct bl_error *err)
{
	static const struct publication how = { .publish = publish_new };

	return write_whole(path, text, mode, &how, err);
}

/* ---- locks -------------------------------------------------------------- */

enum { LOCK_FIRST_WAIT_NS = 200 * 1000, LOCK_LONGEST_WAIT_NS = 10 * 1000000 };

/* Opens the file to be locked, and only ever a regular one. */
static enum bl_status open_lockable(const char *text, uint32_t mode,
				    struct stat *st, int *out_fd,
				    struct bl_error *err)
{
	int fd = open(text,
		      O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			      O_NONBLOCK | O_NOCTTY,
		      mode);
	enum bl_status status = BL_OK;

	if (fd < 0 && errno == ELOOP)
		return bl_fail(err, BL_DENIED, "%s is a link", text);
	if (fd < 0)
		return bl_os_fail_path(err, errno, "open", bl_str(text));
	if (fstat(fd, st))
		status = bl_os_fail_path(err, errno, "inspect", bl_str(text));
	else if (!S_ISREG(st->st_mode))
		status = bl_fail(err, BL_INVALID, "%s is not a regular file",
				 text);
	if (status)
		bl_os_close(fd);
	else
		*out_fd = fd;
	return status;
}

/*
 * Tries until deadline_ns.  flock, because its lock belongs to the open file
 * and not to the process: closing another descriptor of the same file does
 * not drop it, and the kernel drops it when the last holder dies, by kill -9
 * too.  (On NFS Linux turns it into a byte-range lock of the server.)  It has
 * no timeout of its own, hence the naps.
 */
static int lock_until(int fd, int64_t deadline_ns)
{
	int64_t wait_ns = LOCK_FIRST_WAIT_NS;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		int64_t left_ns = deadline_ns - bl_os_monotonic_ns();
		struct timespec nap = { 0, 0 };

		if (errno != EWOULDBLOCK && errno != EINTR)
			return errno;
		if (left_ns <= 0)
			return EWOULDBLOCK;
		nap.tv_nsec = (long)(wait_ns < left_ns ? wait_ns : left_ns);
		nanosleep(&nap, NULL);
		if (wait_ns < LOCK_LONGEST_WAIT_NS)
			wait_ns *= 2;
	}
	return 0;
}

/* Whether the file was renamed or removed while we waited for its lock. */
static bool has_moved(const char *text, const struct stat *locked)
{
	struct stat now;

	if (lstat(text, &now))
		return true;
	return now.st_ino != locked->st_ino || now.st_dev != locked->st_dev;
}

enum bl_status bl_os_open_locked(struct bl_str path, uint32_t mode,
				 uint32_t timeout_ms, int *out_fd,
				 struct bl_error *err)
{
	int64_t deadline_ns =
		bl_os_monotonic_ns() + (int64_t)timeout_ms * 1000000;
	char text[PATH_MAX];
	struct stat st = { 0 };
	enum bl_status status = bl_os_path_text(path, text, err);

	while (!status) {
		int fd = -1, failed;

		status = open_lockable(text, mode, &st, &fd, err);
		if (status)
			break;
		failed = lock_until(fd, deadline_ns);
		if (!failed && !has_moved(text, &st)) {
			*out_fd = fd;
			return BL_OK;
		}
		bl_os_close(fd);
		if (failed == EWOULDBLOCK ||
		    (!failed && bl_os_monotonic_ns() > deadline_ns))
			status = bl_fail(err, BL_TIMEOUT,
					 "%s is locked by somebody else", text);
		else if (failed)
			status = bl_os_fail_path(err, failed, "lock", path);
	}
	return status;
}

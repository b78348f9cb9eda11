/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening, inspecting and reading files, by descriptor where a decision hangs
 * on it.  Writing is in file_write.c, which has to survive a crash.
 */
#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/private.h"

#ifndef O_PATH
#	define O_PATH 0 /* of Linux; elsewhere folders must be readable */
#endif

/* O_DIRECTORY and O_NOFOLLOW together call a link "not a directory". */
static bool is_link(int dir_fd, const char *text)
{
	struct stat st;

	return !fstatat(dir_fd, text, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(st.st_mode);
}

enum bl_status bl_os_open_at(int dir_fd, struct bl_str path, unsigned flags,
			     int *out_fd, struct bl_error *err)
{
	char text[PATH_MAX];
	int how = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	enum bl_status status = bl_os_path_text(path, text, err);
	int fd;

	if (status)
		return status;
	if (flags & BL_OPEN_NO_LINK)
		how |= O_NOFOLLOW;
	if (flags & BL_OPEN_DIRECTORY)
		how |= O_DIRECTORY;
	if (flags & BL_OPEN_SEARCH)
		how |= O_PATH;
	do
		fd = openat(dir_fd, text, how);
	while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		int why = errno;

		if ((flags & BL_OPEN_NO_LINK) &&
		    (why == ELOOP || why == ENOTDIR) && is_link(dir_fd, text))
			return bl_fail(err, BL_DENIED, "%.*s is a link",
				       BL_STR_ARG(path));
		return bl_os_fail_path(err, why, "open", path);
	}
	*out_fd = fd;
	return BL_OK;
}

enum bl_status bl_os_open(struct bl_str path, unsigned flags, int *out_fd,
			  struct bl_error *err)
{
	return bl_os_open_at(AT_FDCWD, path, flags, out_fd, err);
}

static int64_t time_ns(struct timespec at)
{
	return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

static void fill_info(const struct stat *st, struct bl_file_info *out)
{
	*out = (struct bl_file_info){
		.type = S_ISREG(st->st_mode)   ? BL_FILE_REGULAR
			: S_ISDIR(st->st_mode) ? BL_FILE_DIRECTORY
			: S_ISLNK(st->st_mode) ? BL_FILE_LINK
					       : BL_FILE_OTHER,
		.mode = st->st_mode & 07777,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.size_bytes = st->st_size > 0 ? (uint64_t)st->st_size : 0,
		.device = st->st_dev,
		.inode = st->st_ino,
		.mtime_ns = time_ns(st->st_mtim),
		.ctime_ns = time_ns(st->st_ctim),
	};
}

enum bl_status bl_os_info(int fd, struct bl_file_info *out_info,
			  struct bl_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return bl_fail_errno(err, errno, "cannot inspect an open file");
	fill_info(&st, out_info);
	return BL_OK;
}

static enum bl_status info_of(struct bl_str path, int flags,
			      struct bl_file_info *out_info,
			      struct bl_error *err)
{
	char text[PATH_MAX];
	struct stat st;
	enum bl_status status = bl_os_path_text(path, text, err);

	if (status)
		return status;
	if (fstatat(AT_FDCWD, text, &st, flags))
		return bl_os_fail_path(err, errno, "inspect", path);
	fill_info(&st, out_info);
	return BL_OK;
}

enum bl_status bl_os_info_path(struct bl_str path,
			       struct bl_file_info *out_info,
			       struct bl_error *err)
{
	return info_of(path, AT_SYMLINK_NOFOLLOW, out_info, err);
}

enum bl_status bl_os_info_target(struct bl_str path,
				 struct bl_file_info *out_info,
				 struct bl_error *err)
{
	return info_of(path, 0, out_info, err);
}

bool bl_os_info_in(int folder_fd, const char *name,
		   struct bl_file_info *out_info)
{
	struct stat st;

	if (fstatat(folder_fd < 0 ? AT_FDCWD : folder_fd, name, &st, 0))
		return false;
	fill_info(&st, out_info);
	return true;
}

bool bl_os_can_write(struct bl_str folder)
{
	char text[PATH_MAX];

	return !bl_os_path_text(folder, text, NULL) &&
	       !faccessat(AT_FDCWD, text, W_OK | X_OK, AT_EACCESS);
}

int bl_os_close(int fd)
{
	if (fd >= 0)
		close(fd);
	return -1;
}

enum { FIRST_READ_BYTES = 4096 };

/* One read, waiting where a non-blocking descriptor has nothing yet. */
static ssize_t read_some(int fd, char *to, size_t room)
{
	for (;;) {
		ssize_t got = read(fd, to, room);
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		if (errno == EAGAIN && poll(&wait, 1, -1) < 0 && errno != EINTR)
			return -1;
	}
}

enum bl_status bl_os_read_piece(int fd, int wait_ms, char *to, size_t room,
				size_t *out_got, struct bl_error *err)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int64_t end_ns = bl_os_monotonic_ns() + (int64_t)wait_ms * 1000000;
	ssize_t got;
	int ready;

	for (;;) {
		int64_t left_ns = end_ns - bl_os_monotonic_ns();

		ready = poll(&wait, 1,
			     left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0);
		if (ready >= 0 || errno != EINTR)
			break;
	}
	if (!ready)
		return bl_fail(err, BL_TIMEOUT, "nothing to read");
	got = ready < 0 ? -1 : read_some(fd, to, room);
	if (got < 0)
		return bl_fail_errno(err, errno, "cannot read");
	*out_got = (size_t)got;
	return BL_OK;
}

/* Bytes to begin with: what a regular file still has, and one to see EOF. */
static size_t first_room(int fd, size_t max_bytes)
{
	struct stat st;
	off_t at;
	size_t room = FIRST_READ_BYTES;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		at = lseek(fd, 0, SEEK_CUR);
		if (at >= 0 && at < st.st_size)
			room = (size_t)(st.st_size - at) + 1;
	}
	return room > max_bytes ? max_bytes + 1 : room;
}

enum bl_status bl_os_read_all(int fd, size_t max_bytes, struct bl_arena *arena,
			      struct bl_str *out_text, struct bl_error *err)
{
	size_t max = max_bytes < SIZE_MAX / 4 ? max_bytes : SIZE_MAX / 4;
	size_t room = first_room(fd, max);
	char *text = bl_arena_alloc_aligned(arena, room + 1, BL_OS_READ_ALIGN);
	size_t len = 0;

	while (text) {
		ssize_t got = read_some(fd, text + len, room - len);
		char *larger;

		if (got < 0)
			return bl_fail_errno(err, errno, "cannot read");
		if (!got)
			break;
		len += (size_t)got;
		if (len > max)
			return bl_fail(err, BL_LIMIT,
				       "more than %zu bytes to read", max);
		if (len < room)
			continue;
		room = room > max / 2 ? max + 1 : room * 2;
		larger = bl_arena_alloc_aligned(arena, room + 1,
						BL_OS_READ_ALIGN);
		if (larger)
			memcpy(larger, text, len);
		text = larger;
	}
	if (!text)
		return bl_arena_fail(arena, err);
	text[len] = '\0';
	*out_text = (struct bl_str){ text, len };
	return BL_OK;
}

enum bl_status bl_os_read_file(struct bl_str path, unsigned flags,
			       size_t max_bytes, struct bl_arena *arena,
			       struct bl_str *out_text,
			       struct bl_file_info *info, struct bl_error *err)
{
	struct bl_file_info own;
	int fd = -1;
	enum bl_status status = bl_os_open(path, flags, &fd, err);

	if (status)
		return status;
	if (!info)
		info = &own;
	status = bl_os_info(fd, info, err);
	if (!status && info->type != BL_FILE_REGULAR)
		status = bl_fail(err, BL_INVALID, "%.*s is not a regular file",
				 BL_STR_ARG(path));
	else if (!status) {
		status = bl_os_read_all(fd, max_bytes, arena, out_text, err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(path));
	}
	bl_os_close(fd);
	return status;
}

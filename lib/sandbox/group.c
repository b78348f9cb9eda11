/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups (cgroup v2): one for each confined child, in which it is born
 * and with which it ends.  Only where a group may be made: below our own, or
 * below the one that was handed to us as a whole (delegated; the root of a
 * container).  Never beside ours, where limits that are set on us would not
 * hold for the child.
 */
#include "sandbox/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum {
	READ_BYTES = 4096,
	REMOVE_TRIES = 200,
	NAP_NS = 1000 * 1000,
	MOST_STALE = 64, /* to be looked at, each time */
};

/* ---- where ---------------------------------------------------------- */

/* The beginning of a small file of the kernel's, as text. */
static bool read_start(int dir, const char *name, char *out, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, out, size - 1);
	close(fd);
	out[got < 0 ? 0 : got] = '\0';
	return got >= 0;
}

/* Is word one of those in text, which are separated by blanks? */
static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; (text = strstr(text, word)); text += len) {
		if (text[len] == ' ' || text[len] == '\n' || !text[len])
			return true;
	}
	return false;
}

/* May groups be made here, and, where somebody asks, what could they limit? */
static bool can_hold(const char *path, struct bl_sandbox_group *group,
		     bool asks_limits)
{
	char text[READ_BYTES] = "";
	bool can = false;
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return false;
	if (!faccessat(dir, ".", W_OK, AT_EACCESS) &&
	    !faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) &&
	    (!asks_limits ||
	     read_start(dir, "cgroup.subtree_control", text, sizeof(text)))) {
		snprintf(group->path, sizeof(group->path), "%s", path);
		group->counts_memory = has_word(text, "memory");
		group->counts_processes = has_word(text, "pids");
		can = true;
	}
	close(dir);
	return can;
}

/* Was it handed to us as a whole?  The host's root never is. */
static bool is_delegated(const char *path, bool is_root)
{
	static const char *const marks[] = { "user.delegate",
					     "trusted.delegate" };
	char text[BL_SANDBOX_GROUP_BYTES + 16];
	char mark;

	for (size_t i = 0; i < BL_COUNT(marks); i++) {
		if (getxattr(path, marks[i], &mark, 1) == 1 && mark == '1')
			return true;
	}
	snprintf(text, sizeof(text), "%s/cgroup.type", path);
	return is_root && !access(text, F_OK);
}

/* "0::/a/b" of our own list of groups. */
static bool find_own(char *out, size_t size)
{
	char text[READ_BYTES];
	const char *line;
	size_t len;

	if (!read_start(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)))
		return false;
	line = text;
	if (strncmp(line, "0::/", 4) != 0) {
		line = strstr(text, "\n0::/");
		if (!line)
			return false;
		line++;
	}
	line += strlen("0::");
	len = strcspn(line, "\n");
	if (len >= size || strstr(line, "/../"))
		return false;
	memcpy(out, line, len);
	out[len > 1 ? len : 0] = '\0';
	return true;
}

/* Our own group first; what can limit goes before what cannot, if that counts. */
static bool search(const char *mount, const char *own, bool asks_limits,
		   struct bl_sandbox_group *out_group)
{
	struct bl_sandbox_group group;
	char path[BL_SANDBOX_GROUP_BYTES];
	size_t root = strlen(mount);
	bool found = false;
	int len = snprintf(path, sizeof(path), "%s%s", mount, own);

	if (len < 0 || (size_t)len >= sizeof(path))
		return false;
	for (bool is_own = true;; is_own = false) {
		bool is_root = strlen(path) == root;

		if ((is_own || is_delegated(path, is_root)) &&
		    can_hold(path, &group, asks_limits) &&
		    (!found || group.counts_memory)) {
			*out_group = group;
			found = true;
		}
		if (is_root ||
		    (found && (out_group->counts_memory || !asks_limits)))
			return found;
		*strrchr(path, '/') = '\0';
	}
}

bool bl_sandbox_group_find(struct bl_sandbox_group *out_group, bool asks_limits)
{
	/* Alone, and beside the groups of version 1. */
	static const char *const mounts[] = { "/sys/fs/cgroup",
					      "/sys/fs/cgroup/unified" };
	char own[BL_SANDBOX_GROUP_BYTES];
	char path[BL_SANDBOX_GROUP_BYTES];

	*out_group = (struct bl_sandbox_group){ 0 };
	for (size_t i = 0; i < BL_COUNT(mounts); i++) {
		snprintf(path, sizeof(path), "%s/cgroup.controllers",
			 mounts[i]);
		if (!access(path, F_OK))
			return find_own(own, sizeof(own)) &&
			       search(mounts[i], own, asks_limits, out_group);
	}
	return false;
}

/* ---- one group ------------------------------------------------------ */

/* Two links are those of a folder without folders. */
static bool is_empty(int dir)
{
	struct stat info;

	return !fstat(dir, &info) && info.st_nlink == 2;
}

/* Groups of a belay that was killed: their processes died with it. */
static void remove_stale(int parent)
{
	int fd = is_empty(parent) ? -1
				  : openat(parent, ".",
					   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *item;
	int pid, stale = 0;

	while (dir && stale < MOST_STALE && (item = readdir(dir))) {
		if (sscanf(item->d_name, "belay-%d-", &pid) != 1)
			continue;
		stale++;
		if (kill(pid, 0) && errno == ESRCH)
			unlinkat(parent, item->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

static int write_in(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	int why = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, len) != (ssize_t)len)
		why = errno ? errno : EIO;
	close(fd);
	return why;
}

int bl_sandbox_group_open(const struct bl_sandbox_plan *plan,
			  struct bl_group *group,
			  const struct bl_sandbox_step **out_step)
{
	int why = 0;

	*out_step = &plan->group_steps[0];
	group->parent_fd = open(plan->group_steps[0].a,
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group->parent_fd < 0)
		return errno;
	remove_stale(group->parent_fd);
	snprintf(group->name, sizeof(group->name), "belay-%d-%llx",
		 (int)getpid(), (unsigned long long)bl_os_monotonic_ns());
	if (mkdirat(group->parent_fd, group->name, 0755)) {
		why = errno;
		group->parent_fd = bl_os_close(group->parent_fd);
		return why;
	}
	group->fd = openat(group->parent_fd, group->name,
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group->fd < 0)
		why = errno;
	for (size_t i = 1; i < plan->group_step_count && !why; i++) {
		*out_step = &plan->group_steps[i];
		why = write_in(group->fd, (*out_step)->a, (*out_step)->b);
		if (why == ENOENT && (*out_step)->number)
			why = 0;
	}
	if (why)
		bl_sandbox_group_close(group);
	return why;
}

void bl_sandbox_group_close(struct bl_group *group)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	if (group->parent_fd < 0)
		return;
	if (group->fd >= 0 && !group->may_stay)
		write_in(group->fd, "cgroup.kill", "1");
	/* It is busy until the last of its processes has really gone. */
	for (int i = 0; i < (group->may_stay ? 1 : REMOVE_TRIES); i++) {
		if (!unlinkat(group->parent_fd, group->name, AT_REMOVEDIR) ||
		    errno != EBUSY)
			break;
		/* groups of a belay in there, which was killed */
		remove_stale(group->fd);
		nanosleep(&nap, NULL);
	}
	group->fd = bl_os_close(group->fd);
	group->parent_fd = bl_os_close(group->parent_fd);
}

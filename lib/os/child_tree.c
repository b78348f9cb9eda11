/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Killing a child with everything that it started, where no control group and
 * no pid namespace does it.  Apart from the loop over children, since it only
 * knows what /proc says.
 *
 * A list of all processes finds descendants by parent and group, and is old
 * when it is read: a chain of processes that fork and exit is always one ahead
 * of it.  But the oldest of a chain that is alive is our child, as orphans come
 * to us; so where all orphans are to be killed we ask for our own children, in a
 * loop without a pause, until only the leader is left: then the tree is
 * empty.
 */
#include "os/child_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUND_NAP_NS = 1000 * 1000,
	HUNT_NS =
		4 * 1000 * 1000, /* for orphans, before the next list of all */
	CHILDREN_BYTES = 4096,
	MAX_PROCESSES = 1024 * 1024,
};

/* One line of /proc/PID/stat. */
struct entry {
	struct bl_process process;
	pid_t parent;
	pid_t group;
	char state;
	bool ours; /* in the tree */
};

static bool read_entry(const char *name, struct entry *entry)
{
	char path[64], text[512];
	const char *at;
	ssize_t got;
	long parent, group;
	unsigned long long start;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	/* The name in parentheses may hold anything, ")" included. */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1,
			  " %c %ld %ld %*d %*d %*d %*u %*u %*u %*u %*u %*u "
			  "%*u %*d %*d %*d %*d %*d %*d %llu",
			  &entry->state, &parent, &group, &start) != 4)
		return false;
	entry->process.pid = (pid_t)strtol(name, NULL, 10);
	entry->process.start_ticks = start;
	entry->parent = (pid_t)parent;
	entry->group = (pid_t)group;
	entry->ours = false;
	return true;
}

/* All processes, as struct entry, in entries. */
static enum bl_status scan(struct bl_buf *entries, struct bl_error *err)
{
	DIR *dir = opendir("/proc");
	const struct dirent *item;
	struct entry entry;

	bl_buf_reset(entries);
	if (!dir)
		return errno == ENOMEM ? bl_fail_memory(err) : BL_OK;
	while ((item = readdir(dir))) {
		if (item->d_name[0] < '1' || item->d_name[0] > '9')
			continue;
		if (read_entry(item->d_name, &entry))
			bl_buf_put(entries, &entry, sizeof(entry));
	}
	closedir(dir);
	return bl_buf_status(entries) ? bl_fail_memory(err) : BL_OK;
}

static bool same_process(struct bl_process a, struct bl_process b)
{
	return a.pid == b.pid && a.start_ticks == b.start_ticks;
}

static bool was_seen(const struct bl_tree *tree, struct bl_process process)
{
	for (size_t at = 0; at < tree->seen.len; at += sizeof(process)) {
		struct bl_process seen;

		memcpy(&seen, tree->seen.ptr + at, sizeof(seen));
		if (same_process(seen, process))
			return true;
	}
	return false;
}

static bool is_younger(struct bl_process a, struct bl_process b)
{
	if (a.start_ticks != b.start_ticks)
		return a.start_ticks > b.start_ticks;
	return a.pid > b.pid;
}

struct bl_process bl_process_now(pid_t pid)
{
	struct timespec now = { 0, 0 };
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (struct bl_process){ pid, (uint64_t)now.tv_sec * ticks +
						 (uint64_t)now.tv_nsec * ticks /
							 1000000000 };
}

static int compare_pids(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->process.pid > y->process.pid) -
	       (x->process.pid < y->process.pid);
}

static const struct entry *find_entry(const struct entry *entries, size_t count,
				      pid_t pid)
{
	const struct entry key = { .process.pid = pid };

	return bsearch(&key, entries, count, sizeof(key), compare_pids);
}

/*
 * Marks what belongs to the tree: the fixed point over parents.  The entries
 * are sorted by number, as there may be many thousands.
 */
static void mark(const struct bl_tree *tree, bool adopt, struct entry *entries,
		 size_t count)
{
	const struct entry *leader = find_entry(entries, count, tree->leader);
	pid_t self = getpid();
	bool changed = true;

	for (size_t i = 0; i < count; i++) {
		struct entry *entry = &entries[i];

		entry->ours = entry == leader || entry->group == tree->leader ||
			      was_seen(tree, entry->process) ||
			      (adopt && entry->parent == self &&
			       is_younger(entry->process, tree->since));
	}
	while (changed) {
		changed = false;
		for (size_t i = 0; i < count; i++) {
			const struct entry *parent;

			if (entries[i].ours)
				continue;
			parent = find_entry(entries, count, entries[i].parent);
			if (!parent || !parent->ours)
				continue;
			entries[i].ours = true;
			changed = true;
		}
	}
}

/* Adds the marked ones to tree->seen. */
static enum bl_status remember(struct bl_tree *tree,
			       const struct entry *entries, size_t count,
			       struct bl_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (entries[i].ours && !was_seen(tree, entries[i].process))
			bl_buf_put(&tree->seen, &entries[i].process,
				   sizeof(entries[i].process));
	}
	return bl_buf_status(&tree->seen) ? bl_fail_memory(err) : BL_OK;
}

static enum bl_status look(struct bl_tree *tree, bool adopt,
			   struct bl_buf *found, struct bl_error *err)
{
	enum bl_status status = scan(found, err);
	struct entry *entries = (struct entry *)(void *)found->ptr;
	size_t count = found->len / sizeof(*entries);

	if (status)
		return status;
	if (!count)
		return BL_OK;
	qsort(entries, count, sizeof(*entries), compare_pids);
	mark(tree, adopt, entries, count);
	return remember(tree, entries, count, err);
}

enum bl_status bl_tree_note_one(struct bl_tree *tree, pid_t pid,
				struct bl_error *err)
{
	char name[24];
	struct entry entry;

	snprintf(name, sizeof(name), "%d", (int)pid);
	if (!read_entry(name, &entry))
		return BL_OK;
	entry.ours = true;
	return remember(tree, &entry, 1, err);
}

static void start_buf(struct bl_buf *found)
{
	bl_buf_init(found, MAX_PROCESSES * sizeof(struct entry));
}

enum bl_status bl_tree_note(struct bl_tree *tree, struct bl_error *err)
{
	struct bl_buf found;
	enum bl_status status;

	start_buf(&found);
	status = look(tree, false, &found, err);
	bl_buf_clear(&found);
	return status;
}

/* Kills the marked ones, reaps those dead that are ours to reap. */
static bool kill_marked(const struct bl_tree *tree, const struct bl_buf *found)
{
	const struct entry *entries = (const void *)found->ptr;
	size_t count = found->len / sizeof(*entries);
	pid_t self = getpid();
	bool left = false;

	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		bool is_dead = entry->state == 'Z' || entry->state == 'X';

		if (!entry->ours || entry->process.pid == self)
			continue;
		if (!is_dead)
			kill(entry->process.pid, SIGKILL);
		else if (entry->process.pid != tree->leader &&
			 entry->parent == self)
			waitpid(entry->process.pid, NULL, WNOHANG);
		if (!is_dead || (entry->process.pid != tree->leader &&
				 entry->parent != self))
			left = true;
	}
	return left;
}

/* Our children, as text: "12 345 "; false when the system does not say. */
static bool read_children(int fd, char *out, size_t size)
{
	ssize_t got = pread(fd, out, size - 1, 0);

	out[got < 0 ? 0 : got] = '\0';
	return got >= 0;
}

static pid_t next_number(const char **at)
{
	char *end;
	pid_t pid = (pid_t)strtol(*at, &end, 10);

	*at = *end == ' ' ? end + 1 : end;
	return pid;
}

/*
 * Is it of the tree?  Without older children there is nobody else's orphan;
 * and numbers grow, so that most need no look at /proc.
 */
static bool is_orphan(const struct bl_tree *tree, const struct bl_buf *older,
		      pid_t pid)
{
	struct entry entry;
	char name[24];

	for (size_t at = 0; at < older->len; at += sizeof(pid)) {
		if (!memcmp(older->ptr + at, &pid, sizeof(pid)))
			return false;
	}
	if (!older->len || pid > tree->leader)
		return true;
	snprintf(name, sizeof(name), "%d", (int)pid);
	return read_entry(name, &entry) &&
	       is_younger(entry.process, tree->since);
}

/* Children that are older than the run, and are somebody else's. */
static bool note_older(const struct bl_tree *tree, int fd, struct bl_buf *older)
{
	char text[CHILDREN_BYTES], name[24];
	const char *at = text;
	struct entry entry;

	if (!read_children(fd, text, sizeof(text)))
		return false;
	for (pid_t pid; (pid = next_number(&at)) > 0;) {
		snprintf(name, sizeof(name), "%d", (int)pid);
		if (pid != tree->leader && read_entry(name, &entry) &&
		    !is_younger(entry.process, tree->since))
			bl_buf_put(older, &pid, sizeof(pid));
	}
	return bl_buf_status(older) == BL_OK;
}

/* Its orphans have come to us by then. */
static bool is_dead_child(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid;
}

/* Kills orphans as they come; true: absent, and so no tree. */
static bool hunt(const struct bl_tree *tree, int fd, const struct bl_buf *older)
{
	int64_t end_ns = bl_os_monotonic_ns() + HUNT_NS;
	char text[CHILDREN_BYTES];
	bool found = true;

	while (found && bl_os_monotonic_ns() < end_ns) {
		const char *at = text;

		found = !is_dead_child(tree->leader);
		if (!read_children(fd, text, sizeof(text)))
			return false;
		for (pid_t pid; (pid = next_number(&at)) > 0;) {
			if (pid == tree->leader || !is_orphan(tree, older, pid))
				continue;
			kill(pid, SIGKILL);
			waitpid(pid, NULL, WNOHANG);
			found = true;
		}
	}
	return !found;
}

/* One list of all processes, each of which is killed that is of the tree. */
static enum bl_status kill_listed(struct bl_tree *tree, bool adopt,
				  struct bl_buf *found, bool *out_left,
				  struct bl_error *err)
{
	enum bl_status status = look(tree, adopt, found, err);

	kill(-tree->leader, SIGKILL);
	kill(tree->leader, SIGKILL);
	*out_left = !status && kill_marked(tree, found);
	return status;
}

enum bl_status bl_tree_kill(struct bl_tree *tree, bool adopt, bool *out_left,
			    struct bl_error *err)
{
	const struct timespec nap = { .tv_nsec = ROUND_NAP_NS };
	int64_t end_ns =
		bl_os_monotonic_ns() + (int64_t)BL_TREE_KILL_MS * 1000000;
	struct bl_buf found, older;
	enum bl_status status;
	int fd = -1;

	start_buf(&found);
	bl_buf_init(&older, 0);
	if (adopt)
		fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !note_older(tree, fd, &older))
		fd = bl_os_close(fd);
	do {
		status = kill_listed(tree, adopt, &found, out_left, err);
		if (fd >= 0)
			*out_left = !hunt(tree, fd, &older);
		else if (*out_left)
			nanosleep(&nap, NULL);
	} while (!status && *out_left && bl_os_monotonic_ns() < end_ns);
	bl_os_close(fd);
	bl_buf_clear(&older);
	bl_buf_clear(&found);
	return status;
}

/* Are all numbers of a file like "12 345 " known? */
static bool are_known(const char *name,
		      bool (*is_ours)(const void *context, pid_t pid),
		      const void *context)
{
	char path[64], text[4096];
	char *at = text;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got < 0 || got == sizeof(text) - 1)
		return false;
	text[got] = '\0';
	while (*at) {
		pid_t pid = (pid_t)strtol(at, &at, 10);

		if (pid <= 0 || !is_ours(context, pid))
			return false;
		at += *at == ' ';
	}
	return true;
}

bool bl_tree_has_strangers(bool (*is_ours)(const void *context, pid_t pid),
			   const void *context)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *item;
	bool found = !dir;

	while (!found && (item = readdir(dir)))
		found = item->d_name[0] != '.' &&
			!are_known(item->d_name, is_ours, context);
	if (dir)
		closedir(dir);
	return found;
}

/*
 * Being a subreaper is an attribute of the process, so its users are counted
 * per process too: the one piece of global state of this module.
 */
static pthread_mutex_t subreaper_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned subreaper_holders;
static int subreaper_before;

void bl_subreaper_hold(void)
{
	pthread_mutex_lock(&subreaper_lock);
	if (!subreaper_holders++) {
		subreaper_before = 0;
		prctl(PR_GET_CHILD_SUBREAPER, &subreaper_before, 0, 0, 0);
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	}
	pthread_mutex_unlock(&subreaper_lock);
}

void bl_subreaper_release(void)
{
	pthread_mutex_lock(&subreaper_lock);
	if (!--subreaper_holders)
		prctl(PR_SET_CHILD_SUBREAPER, (long)subreaper_before, 0, 0, 0);
	pthread_mutex_unlock(&subreaper_lock);
}

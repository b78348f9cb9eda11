/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From clone to exec.  The child shares our memory and runs on a stack of its
 * own while we wait, so it only makes system calls, and writes to nothing but
 * its stack.
 */
#include "os/child_private.h"
#include "os/private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const stage_names[] = {
	[BL_CHILD_STAGE_PIPE] = "pipe",   [BL_CHILD_STAGE_FORK] = "fork",
	[BL_CHILD_STAGE_SETUP] = "setup", [BL_CHILD_STAGE_CHDIR] = "chdir",
	[BL_CHILD_STAGE_EXEC] = "exec",
};

const char *bl_child_stage_name(const struct bl_child_spec *spec, int32_t stage)
{
	size_t at = (size_t)stage;

	if (at < BL_COUNT(stage_names))
		return stage_names[at];
	at -= BL_CHILD_STAGE_STEP;
	return at < spec->step_count ? spec->steps[at].name : "start";
}

/* ---- before the child exists -------------------------------------------- */

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

static struct bl_str search_path(const char *const *env)
{
	for (; *env; env++) {
		if (!strncmp(*env, "PATH=", 5))
			return bl_str(*env + 5);
	}
	return BL_STR(DEFAULT_PATH);
}

static size_t count_byte(struct bl_str text, char byte)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == byte;
	return count;
}

static const char **candidates(struct bl_arena *arena, struct bl_str name,
			       struct bl_str path)
{
	size_t count = 0;
	const char **paths = bl_arena_new_array(arena, const char *,
						count_byte(path, ':') + 2);

	if (!paths)
		return NULL;
	while (path.len) {
		size_t at = bl_str_find(path, BL_STR(":"), 0);
		struct bl_str dir = bl_str_slice(path, 0, at);

		path = bl_str_slice(path, dir.len + 1, path.len);
		if (!dir.len)
			continue;
		paths[count] = bl_path_join(arena, dir, name).ptr;
		if (!paths[count++])
			return NULL;
	}
	return paths;
}

enum bl_status bl_child_plan_make(const struct bl_child_spec *spec,
				  struct bl_arena *arena,
				  struct bl_child_plan *plan,
				  struct bl_error *err)
{
	struct bl_str name = bl_str(spec->argv[0]);
	const char **paths;

	plan->argv = spec->argv;
	plan->env =
		spec->env ? spec->env : (const char *const *)(uintptr_t)environ;
	plan->dir = spec->dir;
	plan->spec = spec;
	if (!name.len || memchr(name.ptr, '/', name.len)) {
		paths = bl_arena_new_array(arena, const char *, 2);
		if (paths && name.len)
			paths[0] = name.ptr;
	} else {
		paths = candidates(arena, name, search_path(plan->env));
	}
	if (!paths)
		return bl_arena_fail(arena, err);
	plan->paths = paths;
	return BL_OK;
}

/* ---- the child ---------------------------------------------------------- */

/* The sanitizers' bookkeeping is about one stack per thread. */
#define IN_CHILD __attribute__((no_sanitize("address", "undefined")))

enum {
	CLOSE_ON_EXEC_RANGE = 4, /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */
	MAX_OLD_FDS = 64 * 1024,
};

/* Marks all descriptors above 2 to be closed by exec. */
IN_CHILD static void drop_descriptors(void)
{
	struct rlimit limit = { .rlim_cur = MAX_OLD_FDS };

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 3U, ~0U, CLOSE_ON_EXEC_RANGE))
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur > MAX_OLD_FDS)
		limit.rlim_cur = MAX_OLD_FDS;
	for (int fd = 3; fd < (int)limit.rlim_cur; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Tries each path; the errno of the failure that says most. */
IN_CHILD static int exec_first(const struct bl_child_plan *plan)
{
	int why = ENOENT;

	for (const char *const *path = plan->paths; *path; path++) {
		execve(*path, (char *const *)(uintptr_t)plan->argv,
		       (char *const *)(uintptr_t)plan->env);
		if (errno == EACCES)
			why = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR)
			return errno;
	}
	return why;
}

/* Takes the spec's steps, up to the first that fails. */
IN_CHILD static struct bl_child_report
take_steps(const struct bl_child_spec *spec)
{
	struct bl_child_report report = { .stage = BL_CHILD_STAGE_SETUP };

	for (size_t i = 0; i < spec->step_count && !report.sys_errno; i++) {
		report.stage = BL_CHILD_STAGE_STEP + (int32_t)i;
		report.sys_errno = spec->steps[i].run(spec->steps[i].data);
	}
	return report;
}

IN_CHILD static struct bl_child_report become(const struct bl_child_plan *plan)
{
	struct bl_child_report report = { .stage = BL_CHILD_STAGE_SETUP };

	report.sys_errno = setpgid(0, 0) ? errno : 0;
	for (int i = 0; i < 3 && !report.sys_errno; i++) {
		if (dup2(plan->fds[i], i) < 0)
			report.sys_errno = errno;
	}
	if (report.sys_errno)
		return report;
	drop_descriptors();
	if (plan->spec->keep_fd && fcntl(plan->spec->keep_fd, F_SETFD, 0)) {
		report.sys_errno = errno;
		return report;
	}
	report = take_steps(plan->spec);
	if (report.sys_errno)
		return report;
	if (plan->dir && chdir(plan->dir)) {
		report.stage = BL_CHILD_STAGE_CHDIR;
		report.sys_errno = errno;
		return report;
	}
	/* Handlers too: one must not run here, in memory that we share. */
	bl_os_reset_signals();
	report.stage = BL_CHILD_STAGE_EXEC;
	report.sys_errno = exec_first(plan);
	return report;
}

IN_CHILD static int child_main(void *data)
{
	const struct bl_child_plan *plan = data;
	struct bl_child_report report = become(plan);
	ssize_t put = write(plan->report_fd, &report, sizeof(report));

	syscall(SYS_exit_group, put == sizeof(report) ? 127 : 126);
	return 0;
}

pid_t bl_child_start(const struct bl_child_plan *plan)
{
	const struct bl_child_spec *spec = plan->spec;
	uint32_t flags = CLONE_VM | CLONE_VFORK | spec->clone_flags;
	void *data = (void *)(uintptr_t)plan;
	struct bl_child_stack stack;
	sigset_t all, before;
	pid_t pid;
	int why;

	/* No handler of ours may run in the child before it has reset them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = spec->group_fd
		      ? bl_child_clone_into(spec->group_fd, flags, &stack,
					    child_main, data)
		      : clone(child_main, stack.bytes + sizeof(stack.bytes),
			      SIGCHLD | (int)flags, data);
	why = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return pid;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that confine the child itself: limits, privileges, Landlock, the
 * filter of system calls.  As in mounts.c they run in the child.
 */
#include "sandbox/private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/linux_abi.h"

/* ---- limits --------------------------------------------------------- */

/* As the kernel has it; that of the C library has types of its own. */
struct limit {
	uint64_t now;
	uint64_t most;
};

/* Never more than what we have ourselves, and never to be raised again. */
BL_IN_CHILD int bl_step_limit(const void *data)
{
	const struct bl_sandbox_step *step = data;
	struct limit limit;

	if (syscall(SYS_prlimit64, 0, step->number, NULL, &limit))
		return errno;
	if (limit.most > step->other)
		limit.most = step->other;
	if (limit.now > limit.most)
		limit.now = limit.most;
	return syscall(SYS_prlimit64, 0, step->number, &limit, NULL) ? errno
								     : 0;
}

/*
 * Not by a session of its own: the scheduler gives each session its share of
 * the machine, and a new one waits for it (7 ms more, where there is load).
 */
BL_IN_CHILD int bl_step_leave_terminal(const void *data)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	int why = 0;

	(void)data;
	if (fd < 0)
		return 0;
	if (ioctl(fd, BL_TIOCNOTTY) && errno != ENOTTY)
		why = errno;
	close(fd);
	return why;
}

BL_IN_CHILD int bl_step_die_with_parent(const void *data)
{
	(void)data;
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ? errno : 0;
}

/* ---- privileges ----------------------------------------------------- */

BL_IN_CHILD int bl_step_no_new_privileges(const void *data)
{
	(void)data;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : 0;
}

/*
 * That root is nothing special, for good: one call in place of one for each
 * capability of the bounding set, which counts for nothing then.  A process that may not
 * do so (an ordinary user, a container) cannot gain any capability either: the
 * step before forbids it.
 */
BL_IN_CHILD int bl_step_drop_capabilities(const void *data)
{
	struct bl_cap_header header = { BL_CAPABILITY_VERSION, 0 };
	struct bl_cap_sets none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	(void)data;
	if (prctl(PR_SET_SECUREBITS, BL_SECURE_BITS, 0, 0, 0) && errno != EPERM)
		return errno;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) &&
	    errno != EINVAL)
		return errno;
	return syscall(SYS_capset, &header, none) ? errno : 0;
}

bool bl_has_capability(unsigned capability)
{
	struct bl_cap_header header = { BL_CAPABILITY_VERSION, 0 };
	struct bl_cap_sets sets[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (syscall(SYS_capget, &header, sets))
		return false;
	return sets[capability / 32].effective >> (capability % 32) & 1;
}

/* ---- Landlock ------------------------------------------------------- */

int bl_landlock_abi(void)
{
	long abi = syscall(BL_NR_LANDLOCK_CREATE_RULESET, NULL, (size_t)0,
			   BL_LANDLOCK_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

BL_IN_CHILD int bl_step_ruleset(const void *data)
{
	const struct bl_sandbox_step *step = data;
	long fd = syscall(BL_NR_LANDLOCK_CREATE_RULESET, step->table,
			  (size_t)step->number, 0);

	*step->fd = (int)fd;
	return fd < 0 ? errno : 0;
}

BL_IN_CHILD int bl_step_allow(const void *data)
{
	const struct bl_sandbox_step *step = data;
	struct bl_landlock_path rule = {
		.access = step->number,
		.parent_fd = open(step->a, O_PATH | O_CLOEXEC),
	};
	int why = 0;

	if (rule.parent_fd < 0)
		return errno;
	if (syscall(BL_NR_LANDLOCK_ADD_RULE, *step->fd, BL_LANDLOCK_RULE_PATH,
		    &rule, 0))
		why = errno;
	close(rule.parent_fd);
	return why;
}

BL_IN_CHILD int bl_step_restrict(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return syscall(BL_NR_LANDLOCK_RESTRICT_SELF, *step->fd, 0) ? errno : 0;
}

/* ---- system calls --------------------------------------------------- */

BL_IN_CHILD int bl_step_filter(const void *data)
{
	const struct bl_sandbox_step *step = data;

	return syscall(SYS_seccomp, BL_SECCOMP_SET_FILTER, 0, step->table)
		       ? errno
		       : 0;
}

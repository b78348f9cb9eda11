/* SPDX-License-Identifier: Apache-2.0 */
/* os/private.h: what the files of this module share. */
#ifndef BELAY_OS_PRIVATE_H
#define BELAY_OS_PRIVATE_H

#include <limits.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/os.h"

enum { BL_SIGNAL_SET_BYTES = 8 }; /* of the kernel */

/*
 * path as a C string in out (PATH_MAX bytes).  INVALID when it holds a NUL,
 * SYSTEM (ENAMETOOLONG) when it is too long for the system.
 */
enum bl_status bl_os_path_text(struct bl_str path, char *out,
			       struct bl_error *err);

/*
 * A failed call about path: like bl_fail_errno, and DENIED for EACCES and
 * EPERM, EXISTS for EEXIST.
 */
enum bl_status bl_os_fail_path(struct bl_error *err, int sys_errno,
			       const char *verb, struct bl_str path);

/*
 * Every signal to its default, and none blocked: what a new program wants.  By
 * system calls, since the C library leaves the signals that it uses itself as
 * they are, and exec keeps ignored ones.  Makes system calls only, so it may
 * run between vfork and exec.
 */
__attribute__((no_sanitize("address", "undefined"))) static inline void
bl_os_reset_signals(void)
{
	/* The kernel's structure: all zero is the default action. */
	static const unsigned long plain[8];
	static const unsigned long none[BL_SIGNAL_SET_BYTES / sizeof(long)];

	for (int sig = 1; sig <= BL_SIGNAL_SET_BYTES * 8; sig++)
		syscall(SYS_rt_sigaction, sig, plain, NULL,
			(size_t)BL_SIGNAL_SET_BYTES);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL,
		(size_t)BL_SIGNAL_SET_BYTES);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox/seccomp.h: the filter of system calls, as the kernel takes it.  Made
 * when a plan needs one, from the rows of sandbox/syscalls.def; the test
 * differential/seccomp compares its decisions with libseccomp's.
 */
#ifndef BELAY_SANDBOX_SECCOMP_H
#define BELAY_SANDBOX_SECCOMP_H

#include "base/arena.h"
#include "sandbox/linux_abi.h"

/* The system calls that a filter lets through; a set of them is a variant. */
enum bl_seccomp_allows {
	BL_SECCOMP_UNIX = 1,       /* local sockets */
	BL_SECCOMP_INET = 2,       /* the network */
	BL_SECCOMP_IPC = 4,        /* System V and POSIX queues */
	BL_SECCOMP_MODES = 8,      /* owners and modes of files */
	BL_SECCOMP_PROCESSES = 16, /* limits and priorities of any process */
	BL_SECCOMP_VARIANTS = 32
};

/* Architectures that syscalls.def has numbers for. */
enum bl_seccomp_architecture {
	BL_SECCOMP_X86_64,
	BL_SECCOMP_AARCH64,
	BL_SECCOMP_ARCHITECTURES
};

/* The one that this program was built for; BL_SECCOMP_ARCHITECTURES: another. */
enum bl_seccomp_architecture bl_seccomp_native(void);

/*
 * A filter, in the arena.  NULL when there is no memory for it, or when a jump
 * would be longer than the kernel allows, which tests rule out for each
 * variant.
 */
const struct bl_bpf_program *
bl_seccomp_make(enum bl_seccomp_architecture architecture, unsigned allows,
		struct bl_arena *arena);

#endif

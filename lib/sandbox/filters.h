/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox/filters.h: the filters of system calls, as the kernel takes them.
 * tools/gen-seccomp.c makes filters.c from syscalls.def; test
 * differential/seccomp compares them with what libseccomp decides.
 */
#ifndef BELAY_SANDBOX_FILTERS_H
#define BELAY_SANDBOX_FILTERS_H

#include "sandbox/linux_abi.h"

/* What a variant of the filter lets through. */
enum bl_filter_allows {
	BL_FILTER_UNIX = 1,  /* local sockets */
	BL_FILTER_INET = 2,  /* the network */
	BL_FILTER_IPC = 4,   /* System V and POSIX queues */
	BL_FILTER_MODES = 8, /* owners and modes of files */
	BL_FILTER_COUNT = 16
};

/* By bl_filter_allows; len is 0 on an architecture without filters. */
extern const struct bl_bpf_program bl_filters[BL_FILTER_COUNT];

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox/linux_abi.h: the kernel's numbers that this module needs.  Ours,
 * since the static program is built without the kernel's headers, and those
 * of a distribution are older than its kernels.
 */
#ifndef BELAY_SANDBOX_LINUX_ABI_H
#define BELAY_SANDBOX_LINUX_ABI_H

#include <stdint.h>

/* System calls since 424 have the same number everywhere. */
enum {
	BL_NR_MOUNT_SETATTR = 442,
	BL_NR_LANDLOCK_CREATE_RULESET = 444,
	BL_NR_LANDLOCK_ADD_RULE = 445,
	BL_NR_LANDLOCK_RESTRICT_SELF = 446,
};

/* mount_setattr(2) */
enum {
	BL_MOUNT_ATTR_RDONLY = 0x1,
	BL_MOUNT_ATTR_NOSUID = 0x2,
	BL_MOUNT_ATTR_NODEV = 0x4,
	BL_MOUNT_RECURSIVE = 0x8000, /* AT_RECURSIVE */
};

struct bl_mount_attr {
	uint64_t set;
	uint64_t clear;
	uint64_t propagation;
	uint64_t userns_fd;
};

/* Landlock: access to files */
enum {
	BL_LANDLOCK_EXECUTE = 1 << 0,
	BL_LANDLOCK_WRITE_FILE = 1 << 1,
	BL_LANDLOCK_READ_FILE = 1 << 2,
	BL_LANDLOCK_READ_DIR = 1 << 3,
	BL_LANDLOCK_REMOVE_DIR = 1 << 4,
	BL_LANDLOCK_REMOVE_FILE = 1 << 5,
	BL_LANDLOCK_MAKE_CHAR = 1 << 6,
	BL_LANDLOCK_MAKE_DIR = 1 << 7,
	BL_LANDLOCK_MAKE_REG = 1 << 8,
	BL_LANDLOCK_MAKE_SOCK = 1 << 9,
	BL_LANDLOCK_MAKE_FIFO = 1 << 10,
	BL_LANDLOCK_MAKE_BLOCK = 1 << 11,
	BL_LANDLOCK_MAKE_SYM = 1 << 12,
	BL_LANDLOCK_REFER = 1 << 13,     /* ABI 2 */
	BL_LANDLOCK_TRUNCATE = 1 << 14,  /* ABI 3 */
	BL_LANDLOCK_IOCTL_DEV = 1 << 15, /* ABI 5 */
};

/* Landlock: network (ABI 4) and scopes (ABI 6) */
enum {
	BL_LANDLOCK_BIND_TCP = 1 << 0,
	BL_LANDLOCK_CONNECT_TCP = 1 << 1,
	BL_LANDLOCK_SCOPE_ABSTRACT_UNIX = 1 << 0,
	BL_LANDLOCK_SCOPE_SIGNAL = 1 << 1,
};

enum {
	BL_LANDLOCK_VERSION = 1, /* flag of create_ruleset */
	BL_LANDLOCK_RULE_PATH = 1,
	BL_LANDLOCK_ABI_REFER = 2,
	BL_LANDLOCK_ABI_TRUNCATE = 3,
	BL_LANDLOCK_ABI_NET = 4,
	BL_LANDLOCK_ABI_IOCTL = 5,
	BL_LANDLOCK_ABI_SCOPE = 6,
};

struct bl_landlock_ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scoped;
};

struct bl_landlock_path {
	uint64_t access;
	int32_t parent_fd;
} __attribute__((packed));

/* ioctl_tty(2) */
enum { BL_TIOCNOTTY = 0x5422 };

/* seccomp(2) */
enum {
	BL_SECCOMP_SET_FILTER = 1,
	BL_SECCOMP_RET_KILL = (int)0x80000000U,
	BL_SECCOMP_RET_ERRNO = 0x00050000,
	BL_SECCOMP_RET_ALLOW = 0x7fff0000,
};

/* Instructions of classic BPF. */
enum {
	BL_BPF_LOAD = 0x20,     /* BPF_LD | BPF_W | BPF_ABS */
	BL_BPF_EQUAL = 0x15,    /* BPF_JMP | BPF_JEQ | BPF_K */
	BL_BPF_NOT_LESS = 0x35, /* BPF_JMP | BPF_JGE | BPF_K */
	BL_BPF_ANY_BIT = 0x45,  /* BPF_JMP | BPF_JSET | BPF_K */
	BL_BPF_RETURN = 0x06,   /* BPF_RET | BPF_K */
};

struct bl_bpf_insn {
	uint16_t code;
	uint8_t jump_true;
	uint8_t jump_false;
	uint32_t k;
};

struct bl_bpf_program {
	uint16_t len;
	const struct bl_bpf_insn *insns;
};

/* capset(2) */
enum {
	BL_CAPABILITY_VERSION = 0x20080522,
	BL_CAP_SYS_ADMIN = 21,
	/* NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each locked. */
	BL_SECURE_BITS = 0xcf,
};

struct bl_cap_header {
	uint32_t version;
	int pid;
};

struct bl_cap_sets {
	uint32_t effective;
	uint32_t permitted;
	uint32_t inheritable;
};

#endif

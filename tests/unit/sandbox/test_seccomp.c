/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter by the numbers of the C library's headers: which calls it refuses,
 * and with which arguments.
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>

#include "bpf.h"
#include "sandbox/seccomp.h"

enum { NOTHING = 0, EVERYTHING = BL_SECCOMP_VARIANTS - 1 };

static struct bl_arena arena;

/* 0: allowed, else the errno; -1: neither. */
static int decision(unsigned allows, const struct call *call)
{
	const struct bl_bpf_program *program =
		bl_seccomp_make(bl_seccomp_native(), allows, &arena);
	uint32_t said;

	if (!program)
		return -1;
	said = decide(program->insns, program->len, call);
	if (said == BL_SECCOMP_RET_ALLOW)
		return 0;
	return (said & 0xffff0000) == BL_SECCOMP_RET_ERRNO
		       ? (int)(said & 0xffff)
		       : -1;
}

#define CALL(call_number, ...)                                                 \
	decision(variant,                                                      \
		 &(const struct call){ .number = (call_number),                \
				       .arch = NATIVE_TOKEN,                   \
				       .arguments = { __VA_ARGS__ } })

/* Refused whatever the variant and the arguments. */
static const uint32_t refused[] = {
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
	SYS_move_pages,
	SYS_migrate_pages,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_name_to_handle_at,
	SYS_open_by_handle_at,
	SYS_fanotify_init,
	SYS_fanotify_mark,
	SYS_quotactl,
	SYS_swapon,
	SYS_swapoff,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_vmsplice,
	SYS_lookup_dcookie,
	SYS_remap_file_pages,
	SYS_nfsservctl,
	SYS_reboot,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_syslog,
	SYS_acct,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_vhangup,
	/* Linux 5.2 and later, the same number everywhere: io_uring_*, open_tree
	 * to fspick, pidfd_getfd, process_madvise, mount_setattr, quotactl_fd,
	 * process_mrelease */
	425,
	426,
	427,
	428,
	429,
	430,
	431,
	432,
	433,
	438,
	440,
	442,
	443,
	448,
};

static void refused_calls(void)
{
	for (unsigned variant = NOTHING; variant <= EVERYTHING; variant++) {
		for (size_t i = 0; i < BL_COUNT(refused); i++) {
			if (CALL(refused[i], 0) != EPERM)
				TAP_NOTE("%u", refused[i]);
			CHECK_INT(CALL(refused[i], 0), EPERM);
		}
	}
}

static void ordinary_calls(void)
{
	for (unsigned variant = NOTHING; variant <= EVERYTHING; variant++) {
		CHECK_INT(CALL(SYS_read, 0), 0);
		CHECK_INT(CALL(SYS_execve, 0), 0);
		CHECK_INT(CALL(SYS_clone, 0x11), 0); /* fork */
		CHECK_INT(CALL(SYS_clone, CLONE_NEWUSER), EPERM);
		CHECK_INT(CALL(SYS_clone3, 0), ENOSYS);
		CHECK_INT(CALL(SYS_ptrace, 0), EPERM);
		CHECK_INT(CALL(SYS_mount, 0), EPERM);
		CHECK_INT(CALL(4000, 0), ENOSYS);
	}
}

/* Without a pid namespace the numbers are those of the host's processes. */
static void other_processes(void)
{
	unsigned variant = NOTHING;

	CHECK_INT(CALL(SYS_prlimit64, 0), 0);
	CHECK_INT(CALL(SYS_prlimit64, 1234), EPERM);
	CHECK_INT(CALL(SYS_sched_setaffinity, 0), 0);
	CHECK_INT(CALL(SYS_sched_setaffinity, 1234), EPERM);
	CHECK_INT(CALL(SYS_sched_setscheduler, 1234), EPERM);
	CHECK_INT(CALL(SYS_sched_setparam, 1234), EPERM);
	CHECK_INT(CALL(SYS_sched_setattr, 1234), EPERM);
	CHECK_INT(CALL(SYS_setpriority, 0, 0, 10), 0);
	CHECK_INT(CALL(SYS_setpriority, 0, 1234, 10), EPERM);
	CHECK_INT(CALL(SYS_setpriority, 2, 0, 10), EPERM); /* the user's */
	CHECK_INT(CALL(SYS_ioprio_set, 1, 0, 0), 0);
	CHECK_INT(CALL(SYS_ioprio_set, 1, 1234, 0), EPERM);
	CHECK_INT(CALL(SYS_ioprio_set, 3, 0, 0), EPERM);
	variant = BL_SECCOMP_PROCESSES;
	CHECK_INT(CALL(SYS_prlimit64, 1234), 0);
	CHECK_INT(CALL(SYS_setpriority, 2, 0, 10), 0);
}

static void set_id_bits(void)
{
	for (unsigned variant = NOTHING; variant <= EVERYTHING; variant++) {
		bool may_change = variant & BL_SECCOMP_MODES;

		CHECK_INT(CALL(SYS_fchmod, 3, 0755), may_change ? 0 : EPERM);
		CHECK_INT(CALL(SYS_fchmod, 3, 04755), EPERM);
		CHECK_INT(CALL(SYS_fchmodat, 3, 0, 02755), EPERM);
		CHECK_INT(CALL(SYS_openat, 3, 0, O_RDONLY, 04755), 0);
		CHECK_INT(CALL(SYS_openat, 3, 0, O_CREAT, 0755), 0);
		CHECK_INT(CALL(SYS_openat, 3, 0, O_CREAT, 04755), EPERM);
		CHECK_INT(CALL(SYS_openat, 3, 0, O_TMPFILE, 02755), EPERM);
		CHECK_INT(CALL(SYS_openat2, 3), ENOSYS);
		CHECK_INT(CALL(SYS_mknodat, 3, 0, 0100644), 0);
		CHECK_INT(CALL(SYS_mknodat, 3, 0, 0104755), EPERM);
	}
}

static void no_memory(void)
{
	struct bl_arena none;

	bl_arena_init(&none, NULL, 0, 16);
	CHECK(!bl_seccomp_make(bl_seccomp_native(), NOTHING, &none));
	bl_arena_clear(&none);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(refused_calls);
	RUN(ordinary_calls);
	RUN(other_processes);
	RUN(set_id_bits);
	RUN(no_memory);
	bl_arena_clear(&arena);
	return tap_end();
}

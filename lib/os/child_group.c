/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children in a control group of their own (cgroup v2): born in it, which moves
 * nothing (to move a process waits for all processors, many milliseconds), and
 * ended as a whole by the kernel.
 */
#include "os/child_private.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CLONE3 = 435 }; /* the same number everywhere */

#define INTO_CGROUP 0x200000000U

/* clone3(2): struct clone_args. */
struct clone_args {
	uint64_t flags;
	uint64_t pidfd;
	uint64_t child_tid;
	uint64_t parent_tid;
	uint64_t exit_signal;
	uint64_t stack;
	uint64_t stack_size;
	uint64_t tls;
	uint64_t set_tid;
	uint64_t set_tid_size;
	uint64_t cgroup;
};

/*
 * The child begins at start(data), on its own stack.  No C library has this:
 * returning from a function of one would be on a stack that is empty.
 */
static long clone_at(struct clone_args *args, int (*start)(void *), void *data)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile(
		"syscall\n\t"
		"test %%rax, %%rax\n\t"
		"jnz 1f\n\t"
		"mov %[data], %%rdi\n\t"
		"call *%[start]\n\t"
		"hlt\n"
		"1:"
		: "=a"(result)
		: "0"((long)CLONE3), "D"(args),
		  "S"(sizeof(*args)), [start] "r"(start), [data] "r"(data)
		: "rcx", "r11", "cc", "memory");
	return result;
#elif defined(__aarch64__)
	register long number __asm__("x8") = CLONE3;
	register long result __asm__("x0") = (long)args;
	register long size __asm__("x1") = sizeof(*args);

	__asm__ volatile("svc #0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x0, %[data]\n\t"
			 "blr %[start]\n\t"
			 "brk #0\n"
			 "1:"
			 : "+r"(result)
			 : "r"(number),
			   "r"(size), [start] "r"(start), [data] "r"(data)
			 : "cc", "memory");
	return result;
#else
	(void)args;
	(void)start;
	(void)data;
	return -ENOSYS;
#endif
}

pid_t bl_child_clone_into(int group_fd, uint32_t flags,
			  const struct bl_child_stack *stack,
			  int (*start)(void *), void *data)
{
	struct clone_args args = {
		.flags = flags | INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.stack = (uintptr_t)stack->bytes,
		.stack_size = sizeof(stack->bytes),
		.cgroup = (uint64_t)group_fd,
	};
	long pid = clone_at(&args, start, data);

	if (pid >= 0)
		return (pid_t)pid;
	errno = (int)-pid;
	return -1;
}

enum bl_status bl_tree_note_group(struct bl_tree *tree, int group_fd,
				  struct bl_error *err)
{
	int fd = openat(group_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	enum bl_status status = BL_OK;
	char line[32];

	if (fd >= 0 && !file)
		close(fd);
	while (file && !status && fgets(line, sizeof(line), file)) {
		pid_t pid = (pid_t)strtol(line, NULL, 10);

		if (pid > 0)
			status = bl_tree_note_one(tree, pid, err);
	}
	if (file)
		fclose(file);
	return status;
}

void bl_child_kill_group(int group_fd)
{
	int fd = openat(group_fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1", 1);
	close(fd);
}

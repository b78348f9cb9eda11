/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c: another program with our arguments, descriptors and standard input,
 * in our place or as a child that we wait for.  Hooks are started otherwise
 * (child_start.c): nothing of ours is theirs.
 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/private.h"

static enum bl_status feed_input(struct bl_str input, struct bl_error *err)
{
	int fd = memfd_create("belay-input", MFD_CLOEXEC);
	enum bl_status status = BL_OK;

	if (fd < 0)
		return bl_fail_errno(err, errno, "cannot make a memory file");
	status = bl_os_write_all(fd, input, err);
	/* Where 0 was closed the file may be it, and dup2 would do nothing. */
	if (!status && (lseek(fd, 0, SEEK_SET) ||
			(fd ? dup2(fd, 0) : fcntl(fd, F_SETFD, 0)) < 0))
		status = bl_fail_errno(err, errno,
				       "cannot pass on the standard input");
	if (fd)
		bl_os_close(fd);
	return status;
}

/* The path as a C string and the standard input, before the program starts. */
static enum bl_status prepare(struct bl_str path, char *text,
			      struct bl_str input, struct bl_error *err)
{
	enum bl_status status = bl_os_path_text(path, text, err);

	return !status && input.ptr ? feed_input(input, err) : status;
}

/* execv does not write to argv; its type is older than const. */
static char *const *exec_argv(const char *const *argv)
{
	return (char *const *)(uintptr_t)argv;
}

enum bl_status bl_os_exec(struct bl_str path, const char *const *argv,
			  struct bl_str input, struct bl_error *err)
{
	char text[PATH_MAX];
	enum bl_status status = prepare(path, text, input, err);

	if (status)
		return status;
	bl_os_reset_signals();
	execv(text, exec_argv(argv));
	return bl_os_fail_path(err, errno, "start", path);
}

enum bl_status bl_os_run_program(struct bl_str path, const char *const *argv,
				 struct bl_str input, int *out_status,
				 struct bl_error *err)
{
	char text[PATH_MAX];
	volatile int why = 0; /* the child shares our memory until it starts */
	int ended;
	pid_t pid;
	enum bl_status status = prepare(path, text, input, err);

	if (status)
		return status;
	/* vfork: posix_spawn has no PR_SET_PDEATHSIG, fork copies the tables. */
	/* NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork) */
	/* NOLINTBEGIN(clang-analyzer-unix.Vfork) */
	pid = vfork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		bl_os_reset_signals();
		execv(text, exec_argv(argv));
		why = errno;
		_exit(127);
	}
	/* NOLINTEND(clang-analyzer-unix.Vfork) */
	/* NOLINTEND(clang-analyzer-security.insecureAPI.vfork) */
	if (pid < 0)
		return bl_os_fail_path(err, errno, "start", path);
	while (waitpid(pid, &ended, 0) < 0)
		if (errno != EINTR)
			return bl_os_fail_path(err, errno, "wait for", path);
	if (why)
		return bl_os_fail_path(err, why, "start", path);
	*out_status =
		WIFSIGNALED(ended) ? -WTERMSIG(ended) : WEXITSTATUS(ended);
	return BL_OK;
}

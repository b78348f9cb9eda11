/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/child_private.h"
#include "scratch.h"

static const struct bl_child_plan *plan_for(const char *name,
					    const char *const *env)
{
	static struct bl_child_plan plan;
	static const char *argv[2];
	static struct bl_child_spec spec;

	spec = (struct bl_child_spec){ .argv = argv, .env = env };
	argv[0] = name;
	CHECK_STATUS(bl_child_plan_make(&spec, &arena, &plan, &error), BL_OK);
	return &plan;
}

static void check_paths(const char *name, const char *path_entry,
			const char *expected)
{
	const char *const env[] = { "PATHS=/wrong", path_entry, NULL };
	char joined[256] = "";

	for (const char *const *at = plan_for(name, env)->paths; *at; at++) {
		strcat(joined, *at);
		strcat(joined, " ");
	}
	CHECK_STR(bl_str(joined), expected);
}

static void candidates(void)
{
	check_paths("x", "PATH=/a:/b", "/a/x /b/x ");
	check_paths("x", "PATH=/a/:b", "/a/x b/x ");
	check_paths("x", "PATH=:/a::", "/a/x ");
	check_paths("x", "PATH=", "");
	check_paths("x", NULL, "/usr/local/bin/x /usr/bin/x /bin/x ");
	check_paths("./x", "PATH=/a", "./x ");
	check_paths("/x", "PATH=/a", "/x ");
	check_paths("", "PATH=/a", "");
}

static void without_memory(void)
{
	const char *const argv[] = { "x", NULL };
	struct bl_child_spec spec = { .argv = argv };
	struct bl_child_plan plan;
	struct bl_arena tiny;

	bl_arena_init(&tiny, NULL, 0, 4);
	CHECK_STATUS(bl_child_plan_make(&spec, &tiny, &plan, &error), BL_LIMIT);
	bl_arena_clear(&tiny);
}

static void stage_names(void)
{
	const struct bl_child_step steps[] = { { .name = "one" },
					       { .name = "two" } };
	struct bl_child_spec spec = { .steps = steps, .step_count = 2 };

	CHECK_STR(bl_str(bl_child_stage_name(&spec, BL_CHILD_STAGE_PIPE)),
		  "pipe");
	CHECK_STR(bl_str(bl_child_stage_name(&spec, BL_CHILD_STAGE_EXEC)),
		  "exec");
	CHECK_STR(bl_str(bl_child_stage_name(&spec, BL_CHILD_STAGE_STEP + 1)),
		  "two");
	CHECK_STR(bl_str(bl_child_stage_name(&spec, BL_CHILD_STAGE_STEP + 2)),
		  "start");
	CHECK_STR(bl_str(bl_child_stage_name(&spec, -1)), "start");
}

/* An older kernel: pidfd_open and close_range do not exist. */
static bool become_old(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { BL_COUNT(code), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int check_on_old_kernel(void)
{
	const char *const list[] = { "ls", "/proc/self/fd", NULL };
	const char *const nap[] = { "sleep", "60.10", NULL };
	struct bl_child_spec specs[2] = { { .argv = list },
					  { .argv = nap, .timeout_ms = 100 } };
	struct bl_child_result results[2];

	if (open("/dev/null", O_RDONLY) < 0 || !become_old() ||
	    syscall(SYS_pidfd_open, getpid(), 0) >= 0)
		return 1;
	if (bl_child_run(specs, 2, &arena, results, &error))
		return 2;
	/* ls itself opens 3 */
	if (!bl_str_is(results[0].output, "0\n1\n2\n3\n") ||
	    results[0].end != BL_CHILD_EXITED)
		return 3;
	if (results[1].end != BL_CHILD_TIMED_OUT ||
	    results[1].elapsed_ns > 1000000000)
		return 4;
	return 0;
}

static void old_kernel(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(check_on_old_kernel());
	waitpid(pid, &status, 0);
	CHECK_INT(WEXITSTATUS(status), 0);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(candidates);
	RUN(without_memory);
	RUN(stage_names);
	RUN(old_kernel);
	scratch_close();
	return tap_end();
}

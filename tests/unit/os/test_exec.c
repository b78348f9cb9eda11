/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <signal.h>
#include <sys/wait.h>

#include "scratch.h"

/* Runs bl_os_exec in a process of its own; what it prints into out. */
static int exec_in_child(const char *path, const char *const *argv,
			 struct bl_str input, char *out, size_t room)
{
	int ends[2], status = 0;
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		sigset_t all;

		signal(SIGPIPE, SIG_IGN);
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		_exit(100 + (int)bl_os_exec(bl_str(path), argv, input, &error));
	}
	close(ends[1]);
	while ((got = read(ends[0], out + len, room - 1 - len)) > 0)
		len += (size_t)got;
	out[len] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void input_is_a_rewound_file(void)
{
	const char *const argv[] = { "sh", "-c", "cat; cat /dev/stdin; exit 5",
				     NULL };
	char out[100];

	CHECK_INT(
		exec_in_child("/bin/sh", argv, BL_STR("fed"), out, sizeof(out)),
		5);
	/* /dev/stdin opens the file anew, from its beginning */
	CHECK_STR(bl_str(out), "fedfed");
}

static void input_may_be_empty(void)
{
	const char *const argv[] = { "cat", NULL };
	char out[100];

	CHECK_INT(exec_in_child("/bin/cat", argv, BL_STR(""), out, sizeof(out)),
		  0);
	CHECK_STR(bl_str(out), "");
}

static void input_when_standard_input_is_closed(void)
{
	const char *const argv[] = { "cat", NULL };
	int saved = dup(0);
	char out[100];

	close(0);
	CHECK_INT(exec_in_child("/bin/cat", argv, BL_STR("fed"), out,
				sizeof(out)),
		  0);
	CHECK_STR(bl_str(out), "fed");
	if (saved >= 0)
		dup2(saved, 0);
	close(saved);
}

/* The signals a program starts with: none ignored, none blocked. */
static void signals_are_reset(void)
{
	const char *const argv[] = { "grep", "-E", "^Sig(Blk|Ign):.*[1-9a-f]",
				     "/proc/self/status", NULL };
	char out[400];

	CHECK_INT(exec_in_child("/bin/grep", argv, (struct bl_str){ NULL, 0 },
				out, sizeof(out)),
		  1);
	CHECK_STR(bl_str(out), "");
}

static void failures_return(void)
{
	const char *const argv[] = { "x", NULL };
	char out[100];
	struct bl_str none = { NULL, 0 };

	CHECK_INT(exec_in_child("missing", argv, none, out, sizeof(out)),
		  100 + BL_NOT_FOUND);
	write_text("plain", "");
	CHECK_INT(exec_in_child("plain", argv, none, out, sizeof(out)),
		  100 + BL_DENIED);
	CHECK_INT(exec_in_child(".", argv, BL_STR("x"), out, sizeof(out)),
		  100 + BL_DENIED);
}

/* The exit status, or minus the signal, of sh -c text; -1000: not started. */
static int run_text(const char *text, struct bl_str input)
{
	const char *const argv[] = { "sh", "-c", text, NULL };
	int status = -1;

	if (bl_os_run_program(BL_STR("/bin/sh"), argv, input, &status, &error))
		return -1000;
	return status;
}

static void programs_are_waited_for(void)
{
	const struct bl_str as_it_is = { NULL, 0 };
	int saved = dup(0);
	const char *const argv[] = { "x", NULL };
	int status = 77;

	CHECK_INT(run_text("exit 3", as_it_is), 3);
	CHECK_INT(run_text("kill -s KILL $$", as_it_is), -SIGKILL);
	CHECK_INT(
		run_text("read -r a && test \"$a\" = hello", BL_STR("hello\n")),
		0);
	CHECK_STATUS(bl_os_run_program(BL_STR("/no/such/program"), argv,
				       as_it_is, &status, &error),
		     BL_NOT_FOUND);
	CHECK_INT(status, 77);
	dup2(saved, 0);
	close(saved);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(input_is_a_rewound_file);
	RUN(input_may_be_empty);
	RUN(input_when_standard_input_is_closed);
	RUN(signals_are_reset);
	RUN(failures_return);
	RUN(programs_are_waited_for);
	scratch_close();
	return tap_end();
}

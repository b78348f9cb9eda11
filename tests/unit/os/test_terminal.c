/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/os.h"

/* The changes of a child at its new terminal, before it asks. */
typedef void prepare_fn(void);

/* The status of a child that leads a new session at a terminal of its own. */
static int ask_in_terminal(prepare_fn *prepare)
{
	int master;
	int status = -1;
	pid_t child = forkpty(&master, NULL, NULL, NULL);

	if (!child) {
		if (prepare)
			prepare();
		_exit(bl_os_check_terminal(NULL));
	}
	if (child < 0)
		return -1;
	waitpid(child, &status, 0);
	close(master);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void replace(int fd)
{
	dup2(open("/dev/null", O_RDWR), fd);
}

static void without_input(void)
{
	replace(STDIN_FILENO);
}

static void without_errors(void)
{
	replace(STDERR_FILENO);
}

static void without_output(void)
{
	replace(STDOUT_FILENO);
}

/* Another job of the session has the terminal. */
static void in_background(void)
{
	pid_t other = fork();

	if (!other) {
		setpgid(0, 0);
		pause();
		_exit(0);
	}
	setpgid(other, other);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, other);
	kill(other, SIGKILL);
}

/* The terminal is that of another session. */
static void in_other_session(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		setsid();
		_exit(bl_os_check_terminal(NULL));
	}
	waitpid(child, &status, 0);
	_exit(WEXITSTATUS(status));
}

/* Standard error is a second terminal, which nobody sees. */
static void with_errors_elsewhere(void)
{
	int master;
	int slave;

	if (!openpty(&master, &slave, NULL, NULL, NULL))
		dup2(slave, STDERR_FILENO);
}

static void a_person_is_told_from_a_pipe(void)
{
	static const struct {
		prepare_fn *prepare;
		enum bl_status status;
	} rows[] = {
		{ NULL, BL_OK },
		{ without_output, BL_OK },
		{ without_input, BL_DENIED },
		{ without_errors, BL_DENIED },
		{ in_background, BL_DENIED },
		{ in_other_session, BL_DENIED },
		{ with_errors_elsewhere, BL_DENIED },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		CHECK_INT(ask_in_terminal(rows[i].prepare), rows[i].status);
}

static void the_reason_is_said(void)
{
	int saved = dup(STDIN_FILENO);
	struct bl_error err = { 0 };

	replace(STDIN_FILENO);
	CHECK_STATUS(bl_os_check_terminal(&err), BL_DENIED);
	CHECK_STR(bl_str(err.message),
		  "standard input and standard error are not a terminal");
	dup2(saved, STDIN_FILENO);
	close(saved);
}

int main(void)
{
	RUN(a_person_is_told_from_a_pipe);
	RUN(the_reason_is_said);
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last_word.c: the answer of a command that decides when the program itself
 * comes to an end.  Agents go on after a hook that was killed or that failed
 * with an unusual status, so every such end is turned into exit status 2 with
 * words.  The handlers need nothing: no memory, no working heap, no stack of
 * the program's own (they have a small one), no standard library beyond write
 * and _exit.  It stands alone because it must not depend on what has failed.
 */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"

enum { STACK_BYTES = 64 * 1024 };

static const struct ending {
	int signal;
	const char *words;
} endings[] = {
	{ SIGSEGV, "it crashed (SIGSEGV), or its stack was too small" },
	{ SIGBUS, "a file was cut short while it was read (SIGBUS)" },
	{ SIGABRT, "it gave up (SIGABRT)" },
	{ SIGFPE, "it crashed (SIGFPE)" },
	{ SIGILL, "it crashed (SIGILL)" },
	{ SIGSYS, "a system call is forbidden here (SIGSYS)" },
	{ SIGXCPU, "its processor time was used up (SIGXCPU)" },
	{ SIGALRM, "the time for a decision was used up" },
	{ SIGTERM, "it was asked to end (SIGTERM)" },
	{ SIGHUP, "its terminal went away (SIGHUP)" },
};

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(CLI_EXIT_REFUSED);
}

static void refuse(int number)
{
	const char *words = "a signal ended it";

	for (size_t i = 0; i < BL_COUNT(endings); i++)
		if (endings[i].signal == number)
			words = endings[i].words;
	put("belay: refused: ");
	put(words);
	put("\n");
	_exit(CLI_EXIT_REFUSED);
}

/*
 * A limit on file sizes and a reader that is gone become errors of write.  The
 * signals are caught, not ignored, since programs that we start would inherit
 * that.
 */
static void leave_it_to_write(int number)
{
	(void)number;
}

void cli_last_word_arm(void)
{
	static _Alignas(max_align_t) char stack[STACK_BYTES];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = refuse,
				    .sa_flags = SA_ONSTACK };

	/* Nothing here can be mended when it fails: the signal kills then. */
	(void)sigaltstack(&own, NULL);
	for (size_t i = 0; i < BL_COUNT(endings); i++)
		(void)sigaction(endings[i].signal, &action, NULL);
	action.sa_handler = leave_it_to_write;
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	(void)sigaction(SIGXFSZ, &action, NULL);
	(void)sigaction(SIGPIPE, &action, NULL);
}

void cli_last_word_after(uint32_t ms)
{
	const struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000,
			      .tv_usec = (suseconds_t)(ms % 1000) * 1000 },
	};

	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

uint32_t cli_last_word_left(void)
{
	struct itimerval timer = { 0 };

	if (getitimer(ITIMER_REAL, &timer))
		return 0;
	return (uint32_t)(timer.it_value.tv_sec * 1000 +
			  timer.it_value.tv_usec / 1000);
}

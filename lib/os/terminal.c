/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c: is a person at this program's terminal?  It stands apart from
 * identity.c because the answer is about the session, not about the user.
 */
#include "os/os.h"

#include <unistd.h>

/*
 * A job in the background may not read the terminal, and a program whose
 * standard input is somebody else's terminal has no right to ask that one.
 */
static bool is_in_front(int fd)
{
	return isatty(fd) && tcgetpgrp(fd) == getpgrp();
}

enum bl_status bl_os_check_terminal(struct bl_error *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return bl_fail(err, BL_DENIED,
			       "standard input and standard error are not a "
			       "terminal");
	if (!is_in_front(STDIN_FILENO) || !is_in_front(STDERR_FILENO))
		return bl_fail(err, BL_DENIED,
			       "the terminal is not this program's own, or it "
			       "runs in the background");
	return BL_OK;
}

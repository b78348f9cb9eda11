/* SPDX-License-Identifier: Apache-2.0 */
/* The pipes of a child: made, fed, read within their caps, closed. */
#include "os/child_private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 4096, SCRATCH_BYTES = 16 * 1024 };

/* pipe2, with both ends above 2 so that dup2 cannot hit them. */
static int open_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	for (int i = 0; i < 2; i++) {
		int high;

		if (ends[i] > 2)
			continue;
		high = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
		if (high < 0) {
			int why = errno;

			close(ends[0]);
			close(ends[1]);
			errno = why;
			return -1;
		}
		close(ends[i]);
		ends[i] = high;
	}
	return 0;
}

/* The four pipes of a child: ours in it, the child's in plan. */
int bl_child_open_pipes(struct bl_child *child, struct bl_child_plan *plan)
{
	int *const ours[4] = { &child->in, &child->out, &child->err,
			       &child->report };
	int *const theirs[4] = { &plan->fds[0], &plan->fds[1], &plan->fds[2],
				 &plan->report_fd };

	for (int i = 0; i < 4; i++) {
		int ends[2];

		if (open_pipe(ends))
			return -1;
		*ours[i] = ends[i ? 0 : 1];
		*theirs[i] = ends[i ? 1 : 0];
		if (fcntl(*ours[i], F_SETFL, O_NONBLOCK))
			return -1;
	}
	return 0;
}

void bl_child_close_pipes(struct bl_child *child)
{
	child->in = bl_os_close(child->in);
	child->out = bl_os_close(child->out);
	child->err = bl_os_close(child->err);
	child->report = bl_os_close(child->report);
	child->pid_fd = bl_os_close(child->pid_fd);
}

/* ---- feeding ------------------------------------------------------------ */

/* Writes what the pipe takes.  A closed reader ends the feeding. */
void bl_child_feed(struct bl_child *child)
{
	struct bl_str input = child->spec->input;

	while (child->fed_bytes < input.len) {
		ssize_t put = write(child->in, input.ptr + child->fed_bytes,
				    input.len - child->fed_bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN)
			return;
		if (put < 0)
			break;
		child->fed_bytes += (size_t)put;
	}
	child->in = bl_os_close(child->in);
}

/* ---- reading ------------------------------------------------------------ */

/*
 * Reads once into buf; 1: got some, 0: nothing now, -1: the end, where errno is
 * 0 or says why it is not one.
 */
static int read_into(int fd, struct bl_buf *buf)
{
	size_t room = buf->max - buf->len;
	ssize_t got;

	if (room > READ_BYTES && buf->len < READ_BYTES)
		room = READ_BYTES;
	else if (room > buf->len && buf->len)
		room = buf->len;
	errno = 0;
	if (!bl_buf_reserve(buf, room))
		return -1;
	got = read(fd, buf->ptr + buf->len, room);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (!got)
		return -1;
	buf->len += (size_t)got;
	buf->ptr[buf->len] = '\0';
	return 1;
}

/* The cap of both outputs together. */
static void look_at_sum(struct bl_child *child)
{
	size_t most = child->spec->max_together_bytes;

	if (most && (child->output.len > most ||
		     child->errors.len > most - child->output.len))
		child->too_much = true;
}

/* Standard output: one byte over the cap shows that it was passed. */
void bl_child_collect_output(struct bl_child *child)
{
	if (read_into(child->out, &child->output) < 0) {
		child->read_errno = errno;
		child->out = bl_os_close(child->out);
	} else if (child->output.len == child->output.max) {
		child->too_much = true;
	}
	look_at_sum(child);
}

/* Standard error: what is over the cap is read and forgotten. */
void bl_child_collect_errors(struct bl_child *child)
{
	char scratch[SCRATCH_BYTES];
	ssize_t got;

	if (child->errors.len < child->errors.max) {
		if (read_into(child->err, &child->errors) < 0)
			child->err = bl_os_close(child->err);
		look_at_sum(child);
		return;
	}
	got = read(child->err, scratch, sizeof(scratch));
	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
		child->err = bl_os_close(child->err);
}

/* ---- SIGPIPE ------------------------------------------------------------ */

static void set_of_sigpipe(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGPIPE);
}

void bl_pipe_guard_set(struct bl_pipe_guard *guard)
{
	sigset_t set, pending;

	set_of_sigpipe(&set);
	sigpending(&pending);
	guard->was_pending = sigismember(&pending, SIGPIPE) > 0;
	pthread_sigmask(SIG_BLOCK, &set, &guard->before);
}

void bl_pipe_guard_lift(const struct bl_pipe_guard *guard)
{
	const struct timespec now = { 0, 0 };
	sigset_t set;

	set_of_sigpipe(&set);
	if (!guard->was_pending) {
		while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

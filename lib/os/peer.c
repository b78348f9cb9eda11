/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.c: one program that we talk with for as long as both live, line by
 * line, and somebody else with whom it is brought together: the relay of
 * `belay mcp-proxy`.  Apart from child.c, whose children are fed once and read
 * to their end.
 */
#include "os/child_private.h"
#include "os/private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	READ_BYTES = 64 * 1024,
	/* As much may wait to be written before nothing more is read. */
	QUEUE_BYTES = 1024 * 1024,
	NAP_MS = 10,
};

/* ---- the program -------------------------------------------------------- */

/* It ends when we do, however we end. */
static int end_with_us(const void *data)
{
	(void)data;
	return prctl(PR_SET_PDEATHSIG, SIGTERM) ? errno : 0;
}

static const struct bl_child_step steps[] = {
	{ "death signal", end_with_us, NULL },
};

static void close_plan(struct bl_child_plan *plan)
{
	for (int i = 0; i < 3; i++)
		bl_os_close(plan->fds[i]);
	bl_os_close(plan->report_fd);
}

/* The errno of a start that failed, waiting for exec to work or not. */
static int read_report(int fd)
{
	struct bl_child_report report;
	ssize_t got;

	do
		got = read(fd, &report, sizeof(report));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(report) ? report.sys_errno : 0;
}

/* All pipes but the one of standard error, which is ours. */
static int open_pipes(struct bl_child *child, struct bl_child_plan *plan)
{
	int own_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	if (bl_child_open_pipes(child, plan) ||
	    fcntl(child->report, F_SETFL, 0)) {
		bl_os_close(own_errors);
		return -1;
	}
	if (own_errors < 0)
		return 0;
	bl_os_close(plan->fds[2]);
	plan->fds[2] = own_errors;
	return 0;
}

enum bl_status bl_peer_start(const char *const *argv, struct bl_arena *arena,
			     struct bl_peer *out_peer, struct bl_error *err)
{
	struct bl_child_spec spec = {
		.argv = argv,
		.steps = steps,
		.step_count = BL_COUNT(steps),
	};
	struct bl_child_plan plan = { .fds = { -1, -1, -1 }, .report_fd = -1 };
	struct bl_child child = {
		.in = -1, .out = -1, .err = -1, .report = -1, .pid_fd = -1
	};
	enum bl_status status = bl_child_plan_make(&spec, arena, &plan, err);
	int why = 0;

	if (status)
		return status;
	if (open_pipes(&child, &plan) ||
	    (child.pid = bl_child_start(&plan)) < 0)
		why = errno;
	close_plan(&plan);
	if (!why && (why = read_report(child.report)))
		waitpid(child.pid, NULL, 0);
	child.err = bl_os_close(child.err);
	child.report = bl_os_close(child.report);
	if (why) {
		bl_child_close_pipes(&child);
		return bl_os_fail_path(err, why, "start", bl_str(argv[0]));
	}
	*out_peer = (struct bl_peer){ child.pid, child.in, child.out };
	return BL_OK;
}

/* Waits at most so long for its end. */
static bool has_ended(struct bl_peer *peer, uint32_t timeout_ms, int *out_end)
{
	for (uint32_t ms = 0;; ms += NAP_MS) {
		pid_t got = waitpid(peer->pid, out_end, WNOHANG);

		if (got == peer->pid || (got < 0 && errno != EINTR))
			return true;
		if (ms >= timeout_ms)
			return false;
		(void)bl_os_wait_readable(-1, NAP_MS);
	}
}

int bl_peer_end(struct bl_peer *peer, uint32_t grace_ms)
{
	static const int signals[] = { 0, SIGTERM, SIGKILL };
	int ended = 0;

	peer->in = bl_os_close(peer->in);
	for (size_t i = 0; i < BL_COUNT(signals); i++) {
		if (signals[i])
			kill(-peer->pid, signals[i]);
		if (has_ended(peer, i ? BL_CHILD_GRACE_MS : grace_ms, &ended))
			break;
	}
	peer->out = bl_os_close(peer->out);
	return WIFSIGNALED(ended) ? -WTERMSIG(ended) : WEXITSTATUS(ended);
}

/* ---- lines -------------------------------------------------------------- */

/* One side of a relay: what came of a line so far, what waits to be written. */
struct side {
	int in;  /* -1: at its end */
	int out; /* -1: closed */
	struct bl_buf line;
	size_t looked; /* bytes of line without a newline in them */
	struct bl_buf queue;
	size_t written;
};

struct relay {
	struct side sides[BL_SIDE_COUNT];
	const struct bl_relay_options *options;
	int64_t deadline_ns; /* of the server, once its input is closed */
};

static size_t waiting(const struct side *side)
{
	return side->queue.len - side->written;
}

/* A terminal or a file stays as it is: others may have it open, too. */
static void make_nonblocking(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* Nobody reads there any more: what waits is lost. */
static void drop(struct side *side)
{
	side->out = -1;
	bl_buf_reset(&side->queue);
	side->written = 0;
}

static void write_some(struct side *side)
{
	while (side->out >= 0 && waiting(side)) {
		ssize_t put = write(side->out, side->queue.ptr + side->written,
				    waiting(side));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN)
			return;
		if (put < 0) {
			drop(side);
			return;
		}
		side->written += (size_t)put;
	}
	bl_buf_reset(&side->queue);
	side->written = 0;
}

static enum bl_status fail_long(const struct relay *relay, enum bl_side from,
				struct bl_error *err)
{
	return bl_fail(err, BL_LIMIT,
		       "a line of the %s is longer than %zu bytes",
		       from == BL_SIDE_CLIENT ? "client" : "server",
		       relay->options->max_line_bytes);
}

/* Did memory last for the queues?  The queue of a side that is gone is dropped. */
static enum bl_status check_queues(struct relay *relay, struct bl_error *err)
{
	for (int i = 0; i < BL_SIDE_COUNT; i++) {
		if (relay->sides[i].out < 0)
			drop(&relay->sides[i]);
		else if (bl_buf_status(&relay->sides[i].queue))
			return bl_fail_memory(err);
	}
	return BL_OK;
}

/* Hands over each whole line. */
static enum bl_status take_lines(struct relay *relay, enum bl_side from,
				 struct bl_error *err)
{
	struct side *side = &relay->sides[from];
	struct bl_buf *outs[] = { &relay->sides[0].queue,
				  &relay->sides[1].queue };
	size_t start = 0;
	enum bl_status status = BL_OK;

	while (!status) {
		struct bl_str rest =
			bl_str_slice(bl_buf_str(&side->line), start, SIZE_MAX);
		size_t at = bl_str_find(rest, BL_STR("\n"), side->looked);
		bool is_whole = at != SIZE_MAX;

		if ((is_whole ? at : rest.len) > relay->options->max_line_bytes)
			return fail_long(relay, from, err);
		side->looked = is_whole ? 0 : rest.len;
		if (!is_whole)
			break;
		status = relay->options->on_line(relay->options->context, from,
						 bl_str_slice(rest, 0, at),
						 outs, err);
		start += at + 1;
	}
	if (start) {
		memmove(side->line.ptr, side->line.ptr + start,
			side->line.len - start);
		side->line.len -= start;
	}
	return status ? status : check_queues(relay, err);
}

static enum bl_status read_some(struct relay *relay, enum bl_side from,
				struct bl_error *err)
{
	struct side *side = &relay->sides[from];
	ssize_t got;

	if (!bl_buf_reserve(&side->line, READ_BYTES))
		return bl_fail_memory(err);
	got = read(side->in, side->line.ptr + side->line.len, READ_BYTES);
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return BL_OK;
	if (got <= 0) {
		side->in = -1;
		return BL_OK;
	}
	side->line.len += (size_t)got;
	return take_lines(relay, from, err);
}

/* The client has said all, and the server got it: its input ends. */
static void end_input(struct relay *relay, struct bl_peer *peer)
{
	struct side *server = &relay->sides[BL_SIDE_SERVER];

	if (relay->sides[BL_SIDE_CLIENT].in >= 0 || waiting(server) ||
	    relay->deadline_ns)
		return;
	server->out = -1;
	peer->in = bl_os_close(peer->in);
	relay->deadline_ns = bl_os_monotonic_ns() +
			     (int64_t)relay->options->grace_ms * 1000000;
}

static bool is_over(const struct relay *relay)
{
	const struct side *client = &relay->sides[BL_SIDE_CLIENT];

	if (client->out < 0)
		return true;
	if (relay->deadline_ns && bl_os_monotonic_ns() > relay->deadline_ns)
		return true;
	return relay->sides[BL_SIDE_SERVER].in < 0 && !waiting(client);
}

/* Has on_wait append its messages, and says for how long poll may wait. */
static enum bl_status make_due(struct relay *relay, int *out_wait_ms,
			       struct bl_error *err)
{
	struct bl_buf *outs[] = { &relay->sides[0].queue,
				  &relay->sides[1].queue };
	enum bl_status status = BL_OK;

	*out_wait_ms = -1;
	if (relay->options->on_wait)
		status = relay->options->on_wait(relay->options->context, outs,
						 out_wait_ms, err);
	if (relay->deadline_ns && (*out_wait_ms < 0 || *out_wait_ms > NAP_MS))
		*out_wait_ms = NAP_MS;
	return status ? status : check_queues(relay, err);
}

/* One turn: waits until something can be read or written, and does so. */
static enum bl_status turn(struct relay *relay, struct bl_error *err)
{
	struct pollfd polls[BL_SIDE_COUNT * 2];
	bool is_full = false;
	int wait_ms;
	enum bl_status status = make_due(relay, &wait_ms, err);

	if (status)
		return status;
	for (int i = 0; i < BL_SIDE_COUNT; i++)
		is_full |= waiting(&relay->sides[i]) > QUEUE_BYTES;
	for (int i = 0; i < BL_SIDE_COUNT; i++) {
		const struct side *side = &relay->sides[i];
		bool waits_for_client =
			i == BL_SIDE_SERVER &&
			waiting(&relay->sides[BL_SIDE_CLIENT]) <= QUEUE_BYTES;

		polls[i * 2] = (struct pollfd){
			is_full && !waits_for_client ? -1 : side->in, POLLIN, 0
		};
		polls[i * 2 + 1] =
			(struct pollfd){ waiting(side) ? side->out : -1,
					 POLLOUT, 0 };
	}
	if (poll(polls, BL_COUNT(polls), wait_ms) < 0)
		return errno == EINTR ? BL_OK
				      : bl_fail_errno(err, errno, "poll");
	for (int i = 0; i < BL_SIDE_COUNT; i++)
		if (polls[i * 2 + 1].revents)
			write_some(&relay->sides[i]);
	for (int i = 0; i < BL_SIDE_COUNT && !status; i++)
		if (polls[i * 2].revents)
			status = read_some(relay, (enum bl_side)i, err);
	return status;
}

enum bl_status bl_peer_relay(struct bl_peer *peer, int in, int out,
			     const struct bl_relay_options *options,
			     struct bl_error *err)
{
	struct relay relay = {
		.sides = { [BL_SIDE_CLIENT] = { .in = in, .out = out },
			   [BL_SIDE_SERVER] = { .in = peer->out,
						.out = peer->in } },
		.options = options,
	};
	struct bl_pipe_guard guard;
	enum bl_status status = BL_OK;

	make_nonblocking(in);
	make_nonblocking(out);
	for (int i = 0; i < BL_SIDE_COUNT; i++) {
		bl_buf_init(&relay.sides[i].line, 0);
		bl_buf_init(&relay.sides[i].queue, 0);
	}
	bl_pipe_guard_set(&guard);
	while (!status && !is_over(&relay)) {
		status = turn(&relay, err);
		end_input(&relay, peer);
	}
	bl_pipe_guard_lift(&guard);
	for (int i = 0; i < BL_SIDE_COUNT; i++) {
		bl_buf_clear(&relay.sides[i].line);
		bl_buf_clear(&relay.sides[i].queue);
	}
	return status;
}

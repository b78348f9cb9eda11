/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bl_child_run: one poll loop over the pipes of all children.  A child passes
 * through these steps, each in a function of its own: launch, feed and
 * collect, notice_exit, at the deadline terminate, and finish.
 */
#include "os/child_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_REAP_MS = 2000,
	LARGE_INPUT_BYTES = 64 * 1024, /* the usual size of a pipe */
	LARGE_PIPE_BYTES = 1024 * 1024,
	TICK_NS = 5 * 1000 * 1000, /* between looks without a pidfd */
};

#define NEVER INT64_MAX

struct run {
	struct bl_child *children;
	size_t count;
	size_t left;             /* not done */
	struct bl_process first; /* that was started; pid 0: none yet */
	struct pollfd *polls;
	size_t poll_count;
	struct bl_arena *arena;
};

/* ---- starting ----------------------------------------------------------- */

static void close_theirs(const struct bl_child_plan *plan)
{
	for (int i = 0; i < 3; i++)
		bl_os_close(plan->fds[i]);
	bl_os_close(plan->report_fd);
}

static void cannot_start(struct bl_child *child, int32_t stage, int why)
{
	child->result->end = BL_CHILD_CANNOT_START;
	child->result->stage = bl_child_stage_name(child->spec, stage);
	child->result->code = why;
}

/*
 * Looks into the report pipe.  True when the child could not start; closed
 * without a word means that exec has worked.
 */
static bool has_failed_to_start(struct bl_child *child)
{
	struct bl_child_report report;
	ssize_t got;

	if (child->report < 0)
		return false;
	do
		got = read(child->report, &report, sizeof(report));
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(report)) {
		cannot_start(child, report.stage, report.sys_errno);
		return true;
	}
	if (!got)
		child->report = bl_os_close(child->report);
	return false;
}

static void set_deadline(struct bl_child *child)
{
	child->deadline_ns = NEVER;
	if (child->spec->timeout_ms)
		child->deadline_ns = child->result->started_ns +
				     (int64_t)child->spec->timeout_ms * 1000000;
}

/* Starts one child.  A child that cannot start is done. */
static enum bl_status launch(struct run *run, struct bl_child *child,
			     struct bl_error *err)
{
	struct bl_child_plan plan = { .fds = { -1, -1, -1 }, .report_fd = -1 };
	struct bl_process now = bl_process_now(0);
	enum bl_status status =
		bl_child_plan_make(child->spec, run->arena, &plan, err);

	if (status)
		return status;
	child->result->started_ns = bl_os_monotonic_ns();
	set_deadline(child);
	child->stopped = bl_stop_ask(child->spec->stop);
	if (child->stopped) {
		child->result->end = BL_CHILD_STOPPED;
		child->result->code = (int)child->stopped;
	} else if (bl_child_open_pipes(child, &plan)) {
		cannot_start(child, BL_CHILD_STAGE_PIPE, errno);
	} else {
		/* Best effort: a larger pipe means fewer turns. */
		if (child->spec->input.len > LARGE_INPUT_BYTES)
			fcntl(child->in, F_SETPIPE_SZ, LARGE_PIPE_BYTES);
		/* While we hold the reading end there can be no SIGPIPE. */
		bl_child_feed(child);
		child->pid = bl_child_start(&plan);
		if (child->pid < 0)
			cannot_start(child, BL_CHILD_STAGE_FORK, errno);
	}
	close_theirs(&plan);
	if (child->pid <= 0) {
		child->pid = 0;
		bl_child_close_pipes(child);
		run->left--;
		return BL_OK;
	}
	if (!run->first.pid)
		run->first = (struct bl_process){ child->pid, now.start_ticks };
	child->tree.leader = child->pid;
	child->tree.since = run->first;
#ifdef SYS_pidfd_open
	child->pid_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
#endif
	return BL_OK;
}

/* ---- ending ------------------------------------------------------------- */

static bool is_single_threaded(void)
{
	struct stat st;

	/* The links of this directory are "." and ".." and one per thread. */
	return !stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/* Does it end because we end it? */
static bool is_cut_off(const struct bl_child *child)
{
	return child->timed_out || child->too_much || child->stopped;
}

/*
 * Whether orphans that nobody knows can only come from children that are to
 * die with all their descendants: nobody else starts processes here, no child
 * of the run may leave something behind, and the one that ends is the last (the
 * others are children of ours like the orphans are).
 */
static bool may_adopt(const struct run *run, const struct bl_child *ending)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct bl_child *child = &run->children[i];

		if (child != ending && child->pid)
			return false;
		if (!is_cut_off(child) && !child->spec->kill_leftovers &&
		    child->result->end != BL_CHILD_CANNOT_START)
			return false;
	}
	return is_single_threaded();
}

/*
 * Reaps one child (waitpid's which), which is dead or about to be.  0, or an
 * errno: ETIMEDOUT for one that not even KILL ends, held by the kernel.
 */
static int reap(pid_t which, int *out_wait_status)
{
	const struct timespec nap = { .tv_nsec = 1000 * 1000 };

	for (int ms = 0; ms < MAX_REAP_MS; ms++) {
		pid_t got = waitpid(which, out_wait_status, WNOHANG);

		if (got > 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return errno;
		nanosleep(&nap, NULL);
	}
	return ETIMEDOUT;
}

static struct bl_str keep_text(struct bl_arena *arena, struct bl_buf *buf,
			       size_t most)
{
	/* buf holds up to one byte more than the cap. */
	size_t cap = buf->max - 1;
	struct bl_str text = bl_buf_str(buf);

	return bl_arena_copy_str(
		arena, bl_str_slice(text, 0, cap < most ? cap : most));
}

/* The output, up to the caps. */
static enum bl_status keep_texts(struct bl_arena *arena, struct bl_child *child,
				 struct bl_error *err)
{
	struct bl_child_result *result = child->result;
	size_t most = child->spec->max_together_bytes;

	result->errors_cut = child->errors.len == child->errors.max;
	result->output =
		keep_text(arena, &child->output, most ? most : SIZE_MAX);
	result->errors = keep_text(arena, &child->errors,
				   most ? most - result->output.len : SIZE_MAX);
	return result->output.ptr && result->errors.ptr
		       ? BL_OK
		       : bl_arena_fail(arena, err);
}

static bool is_of_run(const void *context, pid_t pid)
{
	const struct run *run = context;

	for (size_t i = 0; i < run->count; i++) {
		if (run->children[i].pid == pid)
			return true;
	}
	return false;
}

/* Kills what is to be killed of a child and its descendants. */
static enum bl_status kill_rest(const struct run *run, struct bl_child *child,
				struct bl_error *err)
{
	bool adopt, *left = &child->result->has_leftovers;
	enum bl_status status = BL_OK;

	if (!is_cut_off(child) && !child->spec->kill_leftovers)
		return BL_OK;
	if (child->spec->group_fd) {
		/* Known by now, so that they are reaped as well. */
		if (!child->spec->ends_whole)
			status = bl_tree_note_group(&child->tree,
						    child->spec->group_fd, err);
		bl_child_kill_group(child->spec->group_fd);
	}
	if (status || child->spec->ends_whole) {
		kill(child->pid, SIGKILL);
		return status;
	}
	if (!is_cut_off(child) && !bl_tree_has_strangers(is_of_run, run))
		return BL_OK;
	adopt = may_adopt(run, child);
	status = bl_tree_kill(&child->tree, adopt, left, err);
	/* An orphan that we may not kill, since it could be somebody else's. */
	if (!status && !adopt && !child->spec->group_fd && is_single_threaded())
		*left = *left || bl_tree_has_strangers(is_of_run, run);
	return status;
}

/* How it ended, as to what we did to it and what the kernel says. */
static void set_end(struct bl_child *child, int wait_status)
{
	struct bl_child_result *result = child->result;

	if (child->stopped) {
		result->end = BL_CHILD_STOPPED;
		result->code = (int)child->stopped;
	} else if (child->too_much || child->timed_out) {
		result->end = child->too_much ? BL_CHILD_TOO_MUCH
					      : BL_CHILD_TIMED_OUT;
	} else if (WIFSIGNALED(wait_status)) {
		result->end = BL_CHILD_SIGNALLED;
		result->code = WTERMSIG(wait_status);
	} else {
		result->end = BL_CHILD_EXITED;
		result->code = WEXITSTATUS(wait_status);
	}
	/* The part that was not read may have been its answer. */
	if (result->end == BL_CHILD_EXITED && !result->code &&
	    child->read_errno) {
		result->end = BL_CHILD_UNREADABLE;
		result->code = child->read_errno;
	}
}

/* The last step: kills what is to be killed, reaps, fills the result. */
static enum bl_status finish(struct run *run, struct bl_child *child,
			     struct bl_error *err)
{
	struct bl_child_result *result = child->result;
	bool failed_start = has_failed_to_start(child);
	enum bl_status status = BL_OK;
	int wait_status = 0, lost;

	bl_child_close_pipes(child);
	if (!failed_start)
		status = kill_rest(run, child, err);
	if (status)
		return status;
	lost = reap(child->pid, &wait_status);
	child->pid = 0;
	run->left--;
	if (lost && lost != ETIMEDOUT)
		return bl_fail_errno(err, lost,
				     "the exit status of a child is lost");
	result->elapsed_ns = bl_os_monotonic_ns() - result->started_ns;
	result->input_taken_bytes = child->fed_bytes;
	status = keep_texts(run->arena, child, err);
	if (!status && !failed_start)
		set_end(child, wait_status);
	return status;
}

/* Sees whether the child has exited, without reaping it: its number must
 * stay its own until its group has been dealt with. */
static enum bl_status notice_exit(struct bl_child *child, struct bl_error *err)
{
	siginfo_t info = { 0 };
	int64_t drain_ns;

	if (waitid(P_PID, (id_t)child->pid, &info,
		   WEXITED | WNOHANG | WNOWAIT)) {
		if (errno == EINTR)
			return BL_OK;
		return bl_fail_errno(err, errno,
				     "the exit status of a child is lost");
	}
	if (!info.si_pid)
		return BL_OK;
	child->exited = true;
	child->in = bl_os_close(child->in);
	drain_ns = bl_os_monotonic_ns() + (int64_t)BL_CHILD_DRAIN_MS * 1000000;
	/* After TERM the rest of the tree has the rest of its grace. */
	if (!child->timed_out)
		child->deadline_ns = drain_ns;
	return BL_OK;
}

/* The deadline: asks the group to end. */
static enum bl_status terminate(struct bl_child *child, struct bl_error *err)
{
	enum bl_status status = bl_tree_note(&child->tree, err);

	child->deadline_ns =
		bl_os_monotonic_ns() + (int64_t)BL_CHILD_GRACE_MS * 1000000;
	kill(-child->pid, SIGTERM);
	kill(-child->pid, SIGCONT); /* a stopped process would not hear it */
	return status;
}

/* ---- the loop ----------------------------------------------------------- */

/* Takes the next step of a child where its time has come. */
static enum bl_status advance(struct run *run, struct bl_child *child,
			      struct bl_error *err)
{
	bool drained = child->exited && child->out < 0 && child->err < 0;
	bool late = bl_os_monotonic_ns() >= child->deadline_ns;

	if (!drained)
		child->stopped = bl_stop_ask(child->spec->stop);
	if (drained || child->too_much || child->stopped)
		return finish(run, child, err);
	if (!late)
		return BL_OK;
	if (child->exited || child->timed_out)
		return finish(run, child, err);
	child->timed_out = true;
	return child->spec->kill_at_once ? finish(run, child, err)
					 : terminate(child, err);
}

static enum bl_status advance_all(struct run *run, struct bl_error *err)
{
	for (size_t i = 0; i < run->count; i++) {
		enum bl_status status = BL_OK;

		if (run->children[i].pid)
			status = advance(run, &run->children[i], err);
		if (status)
			return status;
	}
	return BL_OK;
}

/* Only open descriptors take a place: poll refuses more than there can be. */
static void watch(struct run *run, struct bl_child *child, enum bl_watch what,
		  int fd, short events)
{
	child->polls[what] = SIZE_MAX;
	if (fd < 0)
		return;
	child->polls[what] = run->poll_count;
	run->polls[run->poll_count++] =
		(struct pollfd){ .fd = fd, .events = events };
}

static short happened(const struct run *run, const struct bl_child *child,
		      enum bl_watch what)
{
	size_t at = child->polls[what];

	return at == SIZE_MAX ? 0 : run->polls[at].revents;
}

/* Lists what to wait for; the time of the next step. */
static int64_t prepare(struct run *run)
{
	int64_t next_ns = NEVER;

	run->poll_count = 0;
	for (size_t i = 0; i < run->count; i++) {
		struct bl_child *child = &run->children[i];
		int64_t due_ns = bl_stop_deadline_ns(child->spec->stop);

		if (!child->pid)
			continue;
		if (child->deadline_ns < due_ns)
			due_ns = child->deadline_ns;
		watch(run, child, BL_WATCH_IN, child->in, POLLOUT);
		watch(run, child, BL_WATCH_OUT, child->out, POLLIN);
		watch(run, child, BL_WATCH_ERR, child->err, POLLIN);
		watch(run, child, BL_WATCH_EXIT,
		      child->exited ? -1 : child->pid_fd, POLLIN);
		watch(run, child, BL_WATCH_STOP, bl_stop_fd(child->spec->stop),
		      POLLIN);
		if (child->pid_fd < 0 && !child->exited) {
			int64_t tick_ns = bl_os_monotonic_ns() + TICK_NS;

			due_ns = due_ns < tick_ns ? due_ns : tick_ns;
		}
		if (due_ns < next_ns)
			next_ns = due_ns;
	}
	return next_ns;
}

static enum bl_status wait_for_events(struct run *run, int64_t next_ns,
				      struct bl_error *err)
{
	int64_t left_ns = next_ns - bl_os_monotonic_ns();
	struct timespec left = { 0, 0 };
	nfds_t count = (nfds_t)run->poll_count;

	if (left_ns > 0) {
		left.tv_sec = (time_t)(left_ns / 1000000000);
		left.tv_nsec = (long)(left_ns % 1000000000);
	}
	if (ppoll(run->polls, count, next_ns == NEVER ? NULL : &left, NULL) <
		    0 &&
	    errno != EINTR)
		return bl_fail_errno(err, errno, "cannot wait for children");
	return BL_OK;
}

static enum bl_status handle_events(const struct run *run,
				    struct bl_child *child,
				    struct bl_error *err)
{
	short out = happened(run, child, BL_WATCH_OUT);
	short errors = happened(run, child, BL_WATCH_ERR);

	if (happened(run, child, BL_WATCH_IN))
		bl_child_feed(child);
	if (out & POLLIN)
		bl_child_collect_output(child);
	else if (out)
		child->out = bl_os_close(child->out);
	if (errors & POLLIN)
		bl_child_collect_errors(child);
	else if (errors)
		child->err = bl_os_close(child->err);
	if (bl_buf_status(&child->output) == BL_NO_MEMORY ||
	    bl_buf_status(&child->errors) == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (!child->exited &&
	    (child->pid_fd < 0 || happened(run, child, BL_WATCH_EXIT)))
		return notice_exit(child, err);
	return BL_OK;
}

static enum bl_status loop(struct run *run, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	while (run->left && !status) {
		status = wait_for_events(run, prepare(run), err);
		for (size_t i = 0; i < run->count && !status; i++) {
			if (run->children[i].pid)
				status = handle_events(run, &run->children[i],
						       err);
		}
		if (!status)
			status = advance_all(run, err);
	}
	return status;
}

/* ---- the run ------------------------------------------------------------ */

static size_t cap_or_default(size_t cap)
{
	return (cap && cap < SIZE_MAX - 1) ? cap : BL_CHILD_MAX_OUTPUT_BYTES;
}

static enum bl_status set_up(struct run *run, const struct bl_child_spec *specs,
			     struct bl_child_result *results,
			     struct bl_error *err)
{
	run->children =
		bl_arena_new_array(run->arena, struct bl_child, run->count);
	run->polls = bl_arena_new_array(run->arena, struct pollfd,
					run->count * BL_WATCH_COUNT);
	if (!run->children || !run->polls)
		return bl_arena_fail(run->arena, err);
	memset(results, 0, run->count * sizeof(*results));
	for (size_t i = 0; i < run->count; i++) {
		struct bl_child *child = &run->children[i];

		child->spec = &specs[i];
		child->result = &results[i];
		child->in = child->out = child->err = -1;
		child->report = child->pid_fd = -1;
		bl_buf_init(&child->output,
			    cap_or_default(specs[i].max_stdout_bytes) + 1);
		bl_buf_init(&child->errors,
			    cap_or_default(specs[i].max_stderr_bytes) + 1);
		bl_buf_init(&child->tree.seen, 0);
	}
	return BL_OK;
}

/* Kills what still runs, as far as it goes, when the run has failed. */
static void abandon(struct bl_child *child)
{
	int wait_status;
	bool left;

	if (!child->pid)
		return;
	bl_buf_reset(&child->tree.seen);
	bl_tree_kill(&child->tree, false, &left, NULL);
	while (!reap(-child->pid, &wait_status))
		;
	reap(child->pid, &wait_status);
}

static void tear_down(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		struct bl_child *child = &run->children[i];

		abandon(child);
		bl_child_close_pipes(child);
		bl_buf_clear(&child->output);
		bl_buf_clear(&child->errors);
		bl_buf_clear(&child->tree.seen);
	}
}

/* Whether there is input that the pipes did not take at once. */
static bool is_feeding(const struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		if (run->children[i].in >= 0)
			return true;
	}
	return false;
}

enum bl_status bl_child_run(const struct bl_child_spec *specs, size_t count,
			    struct bl_arena *arena,
			    struct bl_child_result *results,
			    struct bl_error *err)
{
	struct run run = { .count = count, .left = count, .arena = arena };
	struct bl_pipe_guard guard;
	bool is_guarded;
	enum bl_status status;

	if (count > BL_CHILD_MAX)
		return bl_fail(err, BL_LIMIT, "more than %d children at once",
			       BL_CHILD_MAX);
	if (!count)
		return BL_OK;
	status = set_up(&run, specs, results, err);
	if (status)
		return status;
	bl_subreaper_hold();
	for (size_t i = 0; i < count && !status; i++)
		status = launch(&run, &run.children[i], err);
	is_guarded = is_feeding(&run);
	if (is_guarded)
		bl_pipe_guard_set(&guard);
	if (!status)
		status = loop(&run, err);
	tear_down(&run);
	if (is_guarded)
		bl_pipe_guard_lift(&guard);
	bl_subreaper_release();
	return status;
}

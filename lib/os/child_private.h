/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os/child_private.h: the parts of bl_child_run.  child.c owns the loop,
 * child_start.c what happens between clone and exec, child_io.c the pipes,
 * child_tree.c the killing of whole trees.
 */
#ifndef BELAY_OS_CHILD_PRIVATE_H
#define BELAY_OS_CHILD_PRIVATE_H

#include <signal.h>

#include "os/os.h"

/* ---- starting (child_start.c) ------------------------------------------- */

/* How far a child came; the names are the result's stage. */
enum bl_child_stage {
	BL_CHILD_STAGE_PIPE,
	BL_CHILD_STAGE_FORK,
	BL_CHILD_STAGE_SETUP,
	BL_CHILD_STAGE_CHDIR,
	BL_CHILD_STAGE_EXEC,
	BL_CHILD_STAGE_STEP, /* + the index of the spec's step */
};

/* The name of a stage of a child of spec. */
const char *bl_child_stage_name(const struct bl_child_spec *spec,
				int32_t stage);

/* The report that a child that could not start sends through its pipe. */
struct bl_child_report {
	int32_t stage;
	int32_t sys_errno;
};

/* All that the child needs, ready before it exists. */
struct bl_child_plan {
	const char *const *paths; /* to try in turn, NULL-terminated */
	const char *const *argv;
	const char *const *env;
	const char *dir;
	const struct bl_child_spec *spec;
	int fds[3];    /* to become 0 to 2; each above 2 */
	int report_fd; /* write end; close-on-exec, above 2 */
};

/*
 * Fills plan->paths, argv, env, dir and spec from spec, in arena.  A name without a
 * slash is looked for in the PATH of the child's environment; empty elements
 * of PATH are skipped, so that nothing is run from the working directory by
 * accident.
 */
enum bl_status bl_child_plan_make(const struct bl_child_spec *spec,
				  struct bl_arena *arena,
				  struct bl_child_plan *plan,
				  struct bl_error *err);

/*
 * Starts it, sharing memory with us until it has executed its program (vfork:
 * copying page tables would cost milliseconds).  The pid, or -1 with errno.
 */
pid_t bl_child_start(const struct bl_child_plan *plan);

/* ---- control groups (child_group.c) ------------------------------------- */

enum { BL_CHILD_STACK_BYTES = 16 * 1024 };

/* The stack of a child until it has executed its program. */
struct bl_child_stack {
	_Alignas(64) char bytes[BL_CHILD_STACK_BYTES];
};

/*
 * clone(2) with flags, the child being born in the group.  The pid, or -1 with
 * errno: EINVAL or ENOSYS where the system cannot do that.
 */
pid_t bl_child_clone_into(int group_fd, uint32_t flags,
			  const struct bl_child_stack *stack,
			  int (*start)(void *), void *data);

/* Kills all that is in the group, and what it forks meanwhile. */
void bl_child_kill_group(int group_fd);

/* ---- whole trees (child_tree.c) ----------------------------------------- */

/* A process, told from a later one with the same number by its start. */
struct bl_process {
	pid_t pid;
	uint64_t start_ticks;
};

/* A child of ours and the descendants seen so far. */
struct bl_tree {
	pid_t leader; /* not yet reaped, so its number is still its own */
	struct bl_process since; /* what is to be adopted is younger */
	struct bl_buf seen;      /* of struct bl_process */
};

/* A process that is born now with this number, as to its age. */
struct bl_process bl_process_now(pid_t pid);

/* Notes the descendants that there are now. */
enum bl_status bl_tree_note(struct bl_tree *tree, struct bl_error *err);

/* As above for those in a control group, wherever they have gone. */
enum bl_status bl_tree_note_group(struct bl_tree *tree, int group_fd,
				  struct bl_error *err);

/* Notes one process, when it is there. */
enum bl_status bl_tree_note_one(struct bl_tree *tree, pid_t pid,
				struct bl_error *err);

/*
 * Kills leader, group and all descendants, and goes on until none is left
 * that is not dead (at most BL_TREE_KILL_MS: *out_left); reaps those that have
 * become our children, all but the leader.  With adopt, children of this
 * process that are younger than tree->since count as descendants: for a caller
 * who knows that nobody else starts processes here.
 */
enum { BL_TREE_KILL_MS = 2000 };

enum bl_status bl_tree_kill(struct bl_tree *tree, bool adopt, bool *out_left,
			    struct bl_error *err);

/*
 * Has this process children that is_ours does not know?  If not,
 * no child of ours that is dead has left anything behind: its orphans would
 * have come to us.  True also when the system does not say.
 */
bool bl_tree_has_strangers(bool (*is_ours)(const void *context, pid_t pid),
			   const void *context);

/* Orphans come to us while at least one caller holds this. */
void bl_subreaper_hold(void);
void bl_subreaper_release(void);

/* ---- one child of a run ------------------------------------------------- */

/* The descriptors to poll, for each child. */
enum bl_watch {
	BL_WATCH_IN,
	BL_WATCH_OUT,
	BL_WATCH_ERR,
	BL_WATCH_EXIT,
	BL_WATCH_STOP,
	BL_WATCH_COUNT
};

struct bl_child {
	const struct bl_child_spec *spec;
	struct bl_child_result *result;
	pid_t pid; /* 0: not started, or done */
	int in;    /* our ends of its pipes; -1 when closed */
	int out;
	int err;
	int report;
	int pid_fd;
	struct bl_buf output;
	struct bl_buf errors;
	size_t fed_bytes;
	size_t polls[BL_WATCH_COUNT]; /* places in run.polls, SIZE_MAX: none */
	int64_t deadline_ns;          /* of the present step */
	int read_errno; /* why standard output was not read to its end */
	bool timed_out;
	bool too_much;
	enum bl_stop_reason stopped;
	bool exited; /* but not yet reaped */
	struct bl_tree tree;
};

/* ---- pipes (child_io.c) ------------------------------------------------- */

/* The four pipes: our ends in child, the others in plan.  0, or -1, errno. */
int bl_child_open_pipes(struct bl_child *child, struct bl_child_plan *plan);

/* Closes all that child holds. */
void bl_child_close_pipes(struct bl_child *child);

/* Writes what the pipe takes.  All given, or a closed reader: closes it. */
void bl_child_feed(struct bl_child *child);

/* Standard output: more than its cap sets too_much. */
void bl_child_collect_output(struct bl_child *child);

/* Standard error: what is over its cap is read and forgotten. */
void bl_child_collect_errors(struct bl_child *child);

/*
 * A library may not touch the disposition of SIGPIPE: it is blocked in this
 * thread while we write, and what we caused is taken away before unblocking.
 */
struct bl_pipe_guard {
	sigset_t before;
	bool was_pending;
};

void bl_pipe_guard_set(struct bl_pipe_guard *guard);
void bl_pipe_guard_lift(const struct bl_pipe_guard *guard);

#endif

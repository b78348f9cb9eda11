/* SPDX-License-Identifier: Apache-2.0 */
/*
 * os/child_private.h: the parts of bl_child_run.  child.c owns the loop,
 * child_start.c what happens between clone and exec, child_tree.c the killing
 * of whole trees.
 */
#ifndef BELAY_OS_CHILD_PRIVATE_H
#define BELAY_OS_CHILD_PRIVATE_H

#include "os/os.h"

/* ---- starting (child_start.c) ------------------------------------------- */

/* How far a child came; the names are the result's stage. */
enum bl_child_stage {
	BL_CHILD_STAGE_PIPE,
	BL_CHILD_STAGE_FORK,
	BL_CHILD_STAGE_SETUP,
	BL_CHILD_STAGE_CHDIR,
	BL_CHILD_STAGE_EXEC,
};

const char *bl_child_stage_name(enum bl_child_stage stage);

/* What a child that could not start says through its report pipe. */
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
	int fds[3];    /* to become 0 to 2; each above 2 */
	int report_fd; /* write end; close-on-exec, above 2 */
};

/*
 * Fills plan->paths, argv, env and dir from spec, in arena.  A name without a
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

/* ---- whole trees (child_tree.c) ----------------------------------------- */

/* A process, told from a later one with the same number by its start. */
struct bl_process {
	pid_t pid;
	uint64_t start_ticks;
};

/* A child of ours and the descendants seen so far. */
struct bl_tree {
	pid_t leader;	    /* not yet reaped, so its number is still its own */
	struct bl_buf seen; /* of struct bl_process */
};

/* Notes the descendants that there are now. */
enum bl_status bl_tree_note(struct bl_tree *tree, struct bl_error *err);

/*
 * Kills leader, group and all descendants, and goes on until none is left
 * that is not dead (at most BL_TREE_ROUNDS rounds); reaps those that have
 * become our children, all but the leader.  With adopt, younger children of
 * this process whose parents are gone count as descendants: for a caller who
 * knows that nobody else starts processes here.
 */
enum bl_status bl_tree_kill(struct bl_tree *tree, bool adopt,
			    struct bl_error *err);

/* Orphans come to us while at least one caller holds this. */
void bl_subreaper_hold(void);
void bl_subreaper_release(void);

#endif

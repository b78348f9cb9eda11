/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox/private.h: what the files of this module share. */
#ifndef BELAY_SANDBOX_PRIVATE_H
#define BELAY_SANDBOX_PRIVATE_H

#include "sandbox/sandbox.h"

/* Where the new root is put together: nothing that we bind is below it. */
#define BL_SANDBOX_STAGE "/proc"

/* Code that runs in the child, on a stack that the sanitizers do not know. */
#define BL_IN_CHILD __attribute__((no_sanitize("address", "undefined")))

/*
 * One step of a plan.  The meaning of a, b and the numbers is up to run,
 * which takes the step as its data (struct bl_child_step).  Those of a control
 * group are ours to take and have no run: a is where it is made (the first), or
 * the file that b is written to, which with a number may be missing.
 */
struct bl_sandbox_step {
	enum bl_sandbox_layer layer;
	int (*run)(const void *step);
	const char *text; /* for people; "verb object" */
	const char *a;
	const char *b;
	uint64_t number;
	uint64_t other;
	const void *table;
	int *fd; /* shared by several steps */
};

/* ---- namespaces and mounts (sandbox/mounts.c) ----------------------- */

int bl_step_map_user(const void *data);   /* a, b: the two maps */
int bl_step_write_file(const void *data); /* a: path, b: text */
int bl_step_private(const void *data);
int bl_step_root(const void *data);       /* a: options; then it is "." */
int bl_step_folder(const void *data);     /* a: path */
int bl_step_file(const void *data);       /* a: path */
int bl_step_link(const void *data);       /* a: path, b: its target */
int bl_step_bind(const void *data);       /* a: path, b: its source */
int bl_step_attributes(const void *data); /* a: path, number: set */
int bl_step_proc(const void *data);       /* a: path */
int bl_step_tmp(const void *data);        /* a: path, b: options */
int bl_step_enter(const void *data);
int bl_step_host_name(const void *data); /* a: name */

/* ---- confinement (sandbox/confine.c) -------------------------------- */

int bl_step_limit(const void *data); /* number: which, other: value */
int bl_step_leave_terminal(const void *data);
int bl_step_die_with_parent(const void *data);
int bl_step_no_new_privileges(const void *data);
int bl_step_drop_capabilities(const void *data);
int bl_step_ruleset(const void *data); /* table: bl_landlock_ruleset */
int bl_step_allow(const void *data);   /* a: path, number: access */
int bl_step_restrict(const void *data);
int bl_step_filter(const void *data); /* table: bl_bpf_program */

/* The version of Landlock, 0: none. */
int bl_landlock_abi(void);

/* Does this process have the capability in effect? */
bool bl_has_capability(unsigned capability);

/* ---- control groups (sandbox/group.c) ------------------------------- */

/*
 * Where groups can be made; false: nowhere.  asks_limits: sets what they count, and
 * prefers a place where that is memory.
 */
bool bl_sandbox_group_find(struct bl_sandbox_group *out_group,
			   bool asks_limits);

/* A plan that was made. */
struct bl_group {
	int parent_fd; /* -1: absent */
	int fd;
	bool may_stay; /* with what an ordinary child has left in it */
	char name[64];
};

/*
 * Makes the group of a plan that has one and sets its limits.  0, or an errno
 * and the step that failed; nothing is left behind then.
 */
int bl_sandbox_group_open(const struct bl_sandbox_plan *plan,
			  struct bl_group *group,
			  const struct bl_sandbox_step **out_step);

/*
 * Ends what is in there, unless it may stay, and removes the group, unless
 * something is in it: a later group is made in the same place and then removes
 * it.  Nothing for one that is not there.
 */
void bl_sandbox_group_close(struct bl_group *group);

/* ---- the machine (sandbox/machine.c) -------------------------------- */

/*
 * The plan failed in the given step (NULL: when the child was to be born).
 * True when a layer was to blame and has been taken out.
 */
bool bl_machine_learn(struct bl_sandbox_machine *machine,
		      const struct bl_sandbox_plan *plan,
		      const struct bl_sandbox_step *step, int sys_errno);

/* The layers of those that can be there at all, given the others. */
bl_layers bl_machine_layers(const struct bl_sandbox_machine *machine);

/* ---- parts of a plan ------------------------------------------------ */

/* A plan while it is made. */
struct bl_planner {
	const struct bl_sandbox_request *request;
	const struct bl_sandbox_machine *machine;
	struct bl_arena *arena;
	struct bl_sandbox_plan *plan;
	struct bl_error *err;
	size_t cap;
	bool no_memory;
	struct bl_str workspace; /* resolved; empty: not to be seen */
	struct bl_str *readable; /* resolved, those that are not there anyway */
	size_t readable_count;
	int *fd; /* of the Landlock rules */
};

static inline bool bl_planner_has(const struct bl_planner *planner,
				  bl_layers layers)
{
	return (planner->plan->layers & layers) == layers;
}

/* Adds a step; its text is printed from fmt. */
void bl_planner_add(struct bl_planner *planner, struct bl_sandbox_step step,
		    const char *fmt, ...) BL_PRINTF(3, 4);

/* The private root, from the first mount to entering it (plan_mounts.c). */
void bl_planner_add_mounts(struct bl_planner *planner);

/* The allow list of Landlock (plan_landlock.c). */
void bl_planner_add_landlock(struct bl_planner *planner);

/* The visible parts of the system (sandbox/system.c). */
extern const char *const bl_system_folders[]; /* NULL-ended, as are all */
extern const char *const bl_system_files[];   /* and folders, of /etc */
extern const char *const bl_network_files[];  /* the same, with a network */
extern const char *const bl_system_devices[];

/* Is path in one of bl_system_folders? */
bool bl_sandbox_is_of_system(struct bl_str path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox/sandbox.h: start a child with less.
 *
 * A *profile* (one row of sandbox/profiles.c) says what a program may reach.
 * The kernel offers *layers* (sandbox/layers.def) that each take something
 * away: namespaces, Landlock, a filter of system calls, limits.  From profile,
 * request and what this machine can do comes a *plan*: an ordered list of
 * steps, each with a text, that the child takes one after the other before it
 * becomes the program (os.h: struct bl_child_step).  The printed plan is the plan that
 * is carried out.
 *
 * The ladder.  Nothing is assumed about the machine, which may itself be a
 * container.  A layer counts as there until the kernel refuses one of its
 * steps; then nothing has been run yet, the layer is taken out, and the plan
 * is made again: with all namespaces; without user namespaces (Ubuntu 24.04,
 * Docker) Landlock, the filter, and a hunt for every descendant; and where a
 * profile needs what is not there, a refusal that names it.  A step that
 * fails is never passed over.
 *
 * A confined program sees a root with the system's folders read-only,
 * its workspace as /workspace (and as a link under its own name), an empty
 * /tmp, its own /proc and a /dev of five devices; no environment but the
 * one that the plan gives it; no network unless it is named ("workspace
 * +network").  Where there is no mount layer, the same by Landlock, without
 * /workspace, /tmp and /proc.  All its descendants die with it.
 *
 * It is process number 1 of its namespace: signals that it does not handle
 * and sends to itself do nothing (a script's "kill $$").
 *
 * Nothing here keeps state: what was learned about the machine is the
 * caller's.  Thread-safe.
 */
#ifndef BELAY_SANDBOX_SANDBOX_H
#define BELAY_SANDBOX_SANDBOX_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "os/os.h"

/* ---- layers --------------------------------------------------------- */

enum bl_sandbox_layer {
#define LAYER(id, name, text) BL_LAYER_##id,
#include "sandbox/layers.def"
#undef LAYER
	BL_LAYER_COUNT
};

/* A set of layers. */
typedef uint32_t bl_layers;
#define BL_LAYER(id) ((bl_layers)1 << BL_LAYER_##id)

/* Good to have, rarely there, and not missed; `belay doctor` tells of them. */
#define BL_LAYERS_EXTRA (BL_LAYER(GROUP) | BL_LAYER(MEMORY))

const char *bl_layer_name(enum bl_sandbox_layer layer); /* "landlock" */
const char *bl_layer_text(enum bl_sandbox_layer layer); /* what it is for */

/* Appends the names, separated by separator. */
void bl_layers_print(struct bl_buf *out, bl_layers set, const char *separator);

/* ---- profiles ------------------------------------------------------- */

enum bl_sandbox_access {
	BL_ACCESS_NONE,
	BL_ACCESS_READ,
	BL_ACCESS_WRITE,
};

enum { BL_SANDBOX_NEEDS = 12 };

struct bl_sandbox_profile {
	const char *name;
	const char *summary;
	enum bl_sandbox_access workspace;
	/*
	 * Of each set at least one layer must be there, or the program is not
	 * run; 0 ends the list.  All other layers may be missing, which the
	 * report says.
	 */
	bl_layers needs[BL_SANDBOX_NEEDS];
	bool is_confined;    /* false: an ordinary child */
	bool has_everything; /* also what does the same as another layer */
	bool has_readable;   /* the request's readable folders are there */
};

/* Row i, each stricter than the one before; NULL past the end. */
const struct bl_sandbox_profile *bl_sandbox_profile_at(size_t i);

/* The limits of a program, whatever the profile. */
enum {
	BL_SANDBOX_OUTPUT_BYTES = 64 * 1024, /* both outputs together */
	BL_SANDBOX_PROCESSES = 512,
	BL_SANDBOX_FILES = 1024,      /* open, in each process */
	BL_SANDBOX_TMP_MIB = 64,      /* of /tmp, which is memory */
	BL_SANDBOX_MEMORY_MIB = 2048, /* each process; the control group */
	BL_SANDBOX_FILE_MIB = 1024,   /* the largest file */
};

/* ---- requests ------------------------------------------------------- */

struct bl_sandbox_request {
	const struct bl_sandbox_profile *profile;
	bool network;
	struct bl_str workspace;       /* absolute; empty: none */
	const struct bl_str *readable; /* further folders, absolute */
	size_t readable_count;
};

/*
 * Sets profile and network of *request from "workspace" or
 * "workspace+network".  False when there is no such profile.
 */
bool bl_sandbox_parse(struct bl_str text, struct bl_sandbox_request *request);

/*
 * Makes *profile and *network (of a program; NULL: no sandbox) at least as
 * strict as those of least: the later row counts, and a network only where both
 * have one.  A least without a profile changes nothing.
 */
void bl_sandbox_raise(const struct bl_sandbox_request *least,
		      const struct bl_sandbox_profile **profile, bool *network);

/* The names of all profiles, separated by ", ". */
void bl_sandbox_print_names(struct bl_buf *out);

/* ---- the machine ---------------------------------------------------- */

enum { BL_SANDBOX_GROUP_BYTES = 512 };

/* The control group (v2) below which groups can be made. */
struct bl_sandbox_group {
	char path[BL_SANDBOX_GROUP_BYTES]; /* empty: absent */
	bool counts_memory;
	bool counts_processes;
};

/* The known features of this machine, for this user. */
struct bl_sandbox_machine {
	bl_layers has;    /* believed to work until refused */
	int landlock_abi; /* 0: none */
	bool is_admin;    /* may make namespaces without a user namespace */
	bool has_pid_max; /* a pid namespace can have few numbers */
	struct bl_sandbox_group group;
	struct {
		int sys_errno;  /* 0: not refused by a call */
		char what[64];  /* that was refused: "mount", a path, ... */
	} lost[BL_LAYER_COUNT]; /* why a layer is not in has */
};

/* The features visible without starting anything; takes microseconds. */
void bl_sandbox_look(struct bl_sandbox_machine *machine);

/*
 * As far as children need it that are not confined; takes a third of the time.
 * No plan may be made for the machine after that.
 */
void bl_sandbox_look_at_group(struct bl_sandbox_machine *machine);

/* Looks, and tries every layer in a child that does nothing else: *out_works. */
enum bl_status bl_sandbox_probe(struct bl_sandbox_machine *machine,
				bl_layers *out_works, struct bl_arena *arena,
				struct bl_error *err);

/* Why a layer is not there, as words ("mount /proc: Permission denied"). */
void bl_sandbox_print_lost(struct bl_buf *out,
			   const struct bl_sandbox_machine *machine,
			   enum bl_sandbox_layer layer);

/* The text of a set: "pid (clone: Operation not permitted), net (...)". */
void bl_sandbox_print_missing(struct bl_buf *out,
			      const struct bl_sandbox_machine *machine,
			      bl_layers missing);

/* ---- plans ---------------------------------------------------------- */

struct bl_sandbox_step;

/* All of it lives in the arena it was made in. */
struct bl_sandbox_plan {
	const struct bl_sandbox_request *request;
	bl_layers layers;  /* that it uses */
	bl_layers missing; /* that it would use, were they there */
	uint32_t clone_flags;
	/*
	 * Of its control group, taken by us before the child is born: the first
	 * makes the group.  None: the child is in ours.
	 */
	struct bl_sandbox_step *group_steps;
	size_t group_step_count;
	struct bl_sandbox_step *steps;
	struct bl_child_step *child_steps; /* the same, for the child */
	size_t step_count;
	const char *const *env;  /* before what the caller adds */
	struct bl_str workspace; /* resolved; empty: not to be seen */
};

/*
 * The plan for a request.  UNSUPPORTED when the machine does not have what the
 * profile needs: err names it.  INVALID for a workspace that cannot be one
 * (none, no folder, the root).
 */
enum bl_status bl_sandbox_plan_make(const struct bl_sandbox_request *request,
				    const struct bl_sandbox_machine *machine,
				    struct bl_arena *arena,
				    struct bl_sandbox_plan *out_plan,
				    struct bl_error *err);

/* One line a step, "layer: what it does", then the environment. */
void bl_sandbox_plan_print(struct bl_buf *out,
			   const struct bl_sandbox_plan *plan);

/* ---- running -------------------------------------------------------- */

/* One child, confined or not. */
struct bl_sandbox_job {
	const struct bl_sandbox_request *request; /* NULL: not confined */
	/*
	 * For a confined child: env is what it gets besides the plan's own,
	 * NULL for nothing; dir NULL is the workspace; timeout and input count;
	 * the outputs are capped together at BL_SANDBOX_OUTPUT_BYTES, unless
	 * max_together_bytes says less.
	 */
	struct bl_child_spec spec;
	/*
	 * Variables of spec.env, NULL-ended, whose values are paths: a confined
	 * child gets them as it sees them, below /workspace.  May be NULL.
	 */
	const char *const *path_variables;
	struct bl_child_result result; /* set by bl_sandbox_run, as is all */
	bl_layers layers;              /* that the child had */
	bl_layers missing;             /* that it did not have */
	/*
	 * Why it was refused, else empty: a sentence.  result is then
	 * CANNOT_START with stage "sandbox".
	 */
	struct bl_str refusal;
};

/*
 * Runs all jobs side by side (bl_child_run) and makes plans until each child
 * has run or was refused, learning into *machine (bl_sandbox_look).  Where
 * groups can be made each child has one, confined or not, so that all it started
 * ends with it when it is killed.  Failures as bl_child_run.
 */
enum bl_status bl_sandbox_run(struct bl_sandbox_job *jobs, size_t count,
			      struct bl_sandbox_machine *machine,
			      struct bl_arena *arena, struct bl_error *err);

#endif

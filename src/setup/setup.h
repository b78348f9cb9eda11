/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup/setup.h: registering belay with an agent, taking that back, and
 * proving that it works.
 *
 * Registrations are rows of a table (struct bl_registration).  An existing file is edited as
 * text: comments, layout and everything that is not ours stay byte for byte.
 * Our entries are known by their command ("belay eval --harness claude").
 */
#ifndef BELAY_SETUP_SETUP_H
#define BELAY_SETUP_SETUP_H

#include "base/diag.h"
#include "agents/agents.h"

/* ---- what to register --------------------------------------------------- */

struct bl_setup {
	const struct bl_agent *agent;
	enum bl_scope scope; /* for one project, for the user, for all users */
	bool is_old_cursor;  /* only what Cursor 2.3.41 knows */
	/* The installed agent's, "2.1.332"; empty: not known, so the newest. */
	struct bl_str agent_version;
	struct bl_str program; /* absolute path of belay, or a name of PATH */
	/* Of the project, the home directory, or the system; absolute. */
	struct bl_str root;
	/* The policy directory: below the project, or anywhere. */
	struct bl_str policy_dir;
	/* Of the rule packs, in a new rulebook; empty: standard. */
	struct bl_str level;
	/* Which of the agent's files: below bl_setup_file_count. */
	size_t file;
	/* A home that was named, for the canary; empty: the user's. */
	struct bl_str home;
};

/*
 * The command line that the agent's configuration gets, for a shell.  In a
 * project it names the policy directory by way of the agent's variable (or
 * relatively), so that the file can be shared.  ptr NULL: memory.
 */
struct bl_str bl_setup_command(const struct bl_setup *setup,
			       struct bl_arena *arena);

/* ---- the agent's file --------------------------------------------------- */

/* How many files are written: one, and scripts; 0: none for that scope. */
size_t bl_setup_file_count(const struct bl_setup *setup);

/* The permission bits of a new file at path. */
uint32_t bl_setup_file_mode(const struct bl_setup *setup, struct bl_str path);

/* The script that the agent's file names in the place of a command line. */
struct bl_str bl_setup_script(const struct bl_setup *setup,
			      struct bl_arena *arena);

/*
 * The file to register in: an absolute path, in arena.  An agent may read one
 * of several; the first that exists counts, else the one to make.
 */
enum bl_status bl_setup_file(const struct bl_setup *setup,
			     struct bl_arena *arena, struct bl_str *out_path,
			     struct bl_error *err);

/* Is the agent used here: does its folder exist below the root? */
bool bl_setup_is_used(const struct bl_setup *setup, struct bl_arena *arena);

/*
 * text (ptr NULL: there is no file yet) with our entries in it, or without
 * them.  Equal to text when nothing has to change; removing, ptr NULL when
 * nothing but what we made would be left, so that the file can go.  path is
 * for messages.  SYNTAX or INVALID, with the place in the message, when the
 * file is not what it should be: then it must not be touched.
 */
enum bl_status bl_setup_register(const struct bl_setup *setup,
				 struct bl_str path, struct bl_str text,
				 struct bl_arena *arena,
				 struct bl_str *out_text, struct bl_error *err);
enum bl_status bl_setup_unregister(const struct bl_setup *setup,
				   struct bl_str path, struct bl_str text,
				   struct bl_arena *arena,
				   struct bl_str *out_text,
				   struct bl_error *err);

/*
 * Runs the agent's program, as PATH finds it, with --version, and takes the
 * first three numbers with dots between of what it prints.  Empty: there is no
 * such program, it fails, it takes longer than five seconds, or no event of the
 * agent depends on its version.
 */
struct bl_str bl_setup_agent_version(const struct bl_agent *agent,
				     struct bl_arena *arena);

/*
 * Event i of those that are not registered since agent_version is too old for
 * them; NULL: there are no more.
 */
const char *bl_setup_left_out(const struct bl_setup *setup, size_t i);

/* ---- what is there ------------------------------------------------------- */

/*
 * The project that dir is in: the nearest folder, dir or one above, that has
 * .git or a policy directory.  *out_is_project false: there is no such folder,
 * and *out_root is dir itself.  Links are followed.
 */
enum bl_status bl_setup_find_root(struct bl_arena *arena, struct bl_str dir,
				  struct bl_str *out_root, bool *out_is_project,
				  struct bl_error *err);

/*
 * The program that a name is, by PATH; empty: none.  *out_is_safe (or NULL):
 * only root can change which program that is, so that the name is as good as
 * the path.
 */
struct bl_str bl_setup_find_program(struct bl_arena *arena, const char *name,
				    bool *out_is_safe);

/* Is it the absolute path of a program? */
bool bl_setup_can_run(struct bl_str path);

/* Where an agent's configuration is looked for; empty: not there. */
struct bl_setup_places {
	struct bl_str project;
	struct bl_str home;
	struct bl_str system_root; /* "/" */
	/*
	 * Why the agent would drop a file that is sound JSON; empty: it takes it.
	 * NULL: that is not asked.
	 */
	struct bl_str (*check_file)(const struct bl_agent *agent,
				    enum bl_scope scope, struct bl_str path,
				    struct bl_str text, struct bl_arena *arena);
};

/* A file in which belay is registered. */
struct bl_registered {
	enum bl_scope scope;
	struct bl_str file;
	struct bl_str command; /* as the agent has it */
	struct bl_str program; /* that it starts: a path, or a name of PATH */
	struct bl_str policy_dir; /* that it names; variables as they are */
	size_t events;            /* for which it is registered */
	struct bl_str problem;    /* why the agent does not run it; empty */
	struct bl_str remedy;
	bool needs_consent; /* the problem is that nobody has approved it yet */
	bool is_unseen;     /* as far as belay can see: an event disproves it */
	struct bl_str note; /* it runs, and not for everything; empty */
};

/* A file that the agent drops, or that turns hooks off. */
struct bl_obstacle {
	unsigned scopes; /* whose hooks it turns off: 1 << enum bl_scope */
	struct bl_str file;
	struct bl_str what;
	struct bl_str remedy;
};

enum { BL_INSPECTION_MAX = 12 };

struct bl_inspection {
	const struct bl_agent *agent;
	struct bl_str program; /* the agent's own, by PATH; empty: not found */
	bool is_in_project;    /* its folder is there */
	bool is_in_home;
	struct bl_registered registered[BL_INSPECTION_MAX];
	size_t count;
	struct bl_obstacle obstacles[BL_INSPECTION_MAX];
	size_t obstacle_count;
};

/*
 * Reads the agent's configuration as the agent does.  Missing files are not
 * mentioned; those that cannot be read are obstacles.
 */
enum bl_status bl_setup_inspect(const struct bl_agent *agent,
				const struct bl_setup_places *places,
				struct bl_arena *arena,
				struct bl_inspection *out_found,
				struct bl_error *err);

/* ---- the policy directory ----------------------------------------------- */

/* A file of a new policy directory. */
struct bl_setup_template {
	struct bl_str name; /* relative to the directory; ptr NULL: memory */
	struct bl_str text; /* ptr NULL: memory */
};

/*
 * Template i of the directory of setup; false: there are no more.  Existing
 * files are never written over.
 */
bool bl_setup_template(const struct bl_setup *setup, size_t i,
		       struct bl_arena *arena,
		       struct bl_setup_template *out_template);

/* ---- the sample of hooks ------------------------------------------------ */

/* A file of a first set-up of hooks. */
struct bl_setup_sample {
	const char *path; /* below the folder of hooks.json */
	uint32_t mode;    /* permission bits */
	const char *text;
};

/* File i, for a project or for the user; NULL: there are no more. */
const struct bl_setup_sample *bl_setup_sample(bool is_project, size_t i);

/* ---- the canary --------------------------------------------------------- */

/* The result of one made-up event. */
struct bl_canary_result {
	struct bl_str what; /* "rm -rf .belay" */
	bool must_be_refused;
	bool is_refused;
	bool is_understood; /* the answer is one that the agent understands */
	struct bl_str saw;  /* the answer, or what went wrong */
};

enum { BL_CANARY_COUNT = 2, BL_CANARY_TIMEOUT_MS = 20000 };

static inline bool bl_canary_is_good(const struct bl_canary_result *result)
{
	return result->is_understood &&
	       result->is_refused == result->must_be_refused;
}

/*
 * Runs the registered command line as the agent would, with an event that
 * self-protection must refuse and one that must pass.
 */
enum bl_status bl_setup_canary(const struct bl_setup *setup,
			       struct bl_str command, struct bl_arena *arena,
			       struct bl_canary_result *results,
			       struct bl_error *err);

/* ---- the person ---------------------------------------------------------- */

/*
 * OK for a person at a terminal (bl_os_check_terminal) that no agent opened, as
 * far as its environment tells.  DENIED else, with a message that names the
 * command and the reason.
 */
enum bl_status bl_setup_check_person(const char *command, struct bl_error *err);

#endif

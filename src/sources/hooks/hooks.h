/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/hooks/hooks.h: hook definitions: find, read, validate, merge, match.
 *
 * A *source* is where hook files come from (enterprise, team, project, user,
 * plugin).  A *profile* is the rules by which a host treats hooks; each is one
 * row of hooks/profiles.c, and every difference between them is a column.
 *
 * bl_hook_set_load reads every source into one immutable snapshot.  Broken
 * files never stop the others: a file of project, user or plugin drops out
 * (strict) or loses the bad entry (lenient), loudly; a broken *managed* file
 * (enterprise, team) stays in the set as an error for which every event that
 * can be refused is refused.
 *
 * Files are read by descriptor: regular files only, up to limits.config_bytes,
 * again when they change meanwhile.  Under refuse_linked_file (C18) neither a
 * project file nor the folder that holds it may be a symbolic link, since a
 * repository can commit one (BROKEN), nor may those of managed files (UNSAFE);
 * the user's own may, with a note, when link and target are theirs or root's;
 * a plugin's may, when it stays inside the plugin.
 *
 * A project file that others can change, or whose scripts they can, is a
 * warning; the same of a managed file is an error (UNSAFE).  Findings are
 * diagnostics with codes "hooks/...": hooks/rules.def lists them all.
 */
#ifndef BELAY_SOURCES_HOOKS_HOOKS_H
#define BELAY_SOURCES_HOOKS_HOOKS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/limits.h"
#include "decision/decision.h"
#include "agents/agents.h"
#include "os/os.h"
#include "sandbox/sandbox.h"
#include "sources/hooks/everruns/everruns.h"
#include "text/text.h"
#include "trust/trust.h"
#include "team/team.h"
#include "value/value.h"
#include "webhook/webhook.h"

/* ---- sources -------------------------------------------------------- */

/* In execution order (priority, high to low). */
enum bl_source {
	BL_SOURCE_ENTERPRISE,
	BL_SOURCE_TEAM,
	BL_SOURCE_PROJECT,
	BL_SOURCE_USER,
	BL_SOURCE_PLUGIN,
	BL_SOURCE_COUNT
};

const char *bl_source_name(enum bl_source source); /* "enterprise", ... */

/* Managed sources fail closed when broken, and need no workspace trust. */
bool bl_source_is_managed(enum bl_source source);

/* ---- profiles ------------------------------------------------------- */

/* The deciders of an event; engine/engine.h. */
enum bl_asked { BL_ASK_NOBODY, BL_ASK_HOOKS, BL_ASK_POLICIES };

enum { BL_MAX_ASKED = 2 };

/* Where relative commands of a source run. */
enum bl_work_dir {
	BL_WORK_DIR_FILE,      /* the folder of the hook file */
	BL_WORK_DIR_WORKSPACE, /* the workspace root */
	BL_WORK_DIR_PLUGIN,    /* the plugin's folder */
};

/*
 * One row a profile.  Cn are the differences of docs/contracts/cursor.md
 * "Differences".
 */
struct bl_profile {
	const char *name;
	const char *summary;
	/* C11: its parts below HOME, NULL-ended; "*" stands for the id */
	const char *team_folder[4];
	/* The deciders to ask, in this order; NOBODY ends it. */
	enum bl_asked sources[BL_MAX_ASKED + 1];
	/*
	 * The hooks are those of Everruns, by these rules: of the columns below
	 * only sequential and combine count.  NULL: they are not.
	 */
	const struct bl_everruns_rules *everruns;
	enum bl_dialect dialect;     /* C8 C13-C16 C20 C22 C24 */
	uint32_t default_timeout_ms; /* C6; 0: none */
	uint32_t default_loop_limit; /* C9; 5 */

	/* hook files */
	bool allow_comments; /* C17 */
	bool has_options;    /* C6 C7 C9 C21: timeout, matcher, ... */
	bool has_plugins;
	bool has_project_gate;             /* C10: hooks_ide_project_config */
	bool refuse_linked_file;           /* C18 */
	uint8_t work_dir[BL_SOURCE_COUNT]; /* C12: enum bl_work_dir */

	/* running */
	bool sequential;            /* C1: one after the other */
	bool failure_output_counts; /* C3: stdout is read whatever the exit */
	bool exit_2_blocks;         /* C2 */
	bool last_object_of_output; /* noise before the object */
	bool sets_environment;      /* CURSOR_PROJECT_DIR and the like */
	bool loop_limit_is_global;  /* C9: before any hook runs */

	struct bl_combine_rules combine; /* C1-C5 C7 */
};

/* NULL when no such name exists; those of Everruns are found too. */
const struct bl_profile *bl_profile_find(struct bl_str name);

/*
 * Row i of the profiles of Cursor's hook files, or NULL past the end; row 0 is
 * the default ("cursor").
 */
const struct bl_profile *bl_profile_at(size_t i);

/* ---- hook files and hooks ------------------------------------------- */

enum bl_file_state {
	BL_HOOK_FILE_MISSING,
	BL_HOOK_FILE_LOADED,
	BL_HOOK_FILE_BROKEN,    /* refused whole; diags say why */
	BL_HOOK_FILE_UNSAFE,    /* managed file that others can change */
	BL_HOOK_FILE_UNTRUSTED, /* workspace without a record */
	BL_HOOK_FILE_CHANGED,   /* trusted once; other content, or gone, now */
	BL_HOOK_FILE_GATED,     /* the profile's feature gate is off */
	BL_HOOK_FILE_STATE_COUNT
};

/*
 * A CHANGED file may have lost the very hooks that it guarded with (it may even
 * be gone or broken: hooks is then empty), so whoever decides should count one
 * CHANGED outcome for the file on every event that can be refused, not only
 * those of its hooks that match.
 */
const char *bl_file_state_name(enum bl_file_state state);

struct bl_hook_file {
	enum bl_source source;
	enum bl_file_state state;
	struct bl_str path;
	struct bl_str dir;         /* working directory of its commands */
	struct bl_str workspace;   /* PROJECT: its root; else empty */
	struct bl_str plugin;      /* PLUGIN: its root; else empty */
	struct bl_str why;         /* a sentence when state is not LOADED */
	struct bl_trust_pin *pins; /* PROJECT: as they are now */
	size_t pin_count;
	struct bl_str unpinnable; /* PROJECT: why there are no pins, or empty */
	/*
	 * The events at which it has lost a hook that was to fail closed, or may
	 * have: bit i is event i of the contract (bl_hook_lost_guard).
	 */
	uint64_t lost_guards;
	/*
	 * TEAM, of a team that belay is in: the folder as it was signed; else NULL.
	 * held: LOADED, or the state that keeps its hooks from running (the
	 * notice is not answered, the set is too old), and why.
	 */
	const struct bl_team_folder *team;
	enum bl_file_state held;
	struct bl_str held_why;
};

/*
 * Has a file that cannot be used, or an entry of it, lost a guard of this
 * event?  Then what the guard would have judged is refused.
 */
bool bl_hook_lost_guard(const struct bl_hook_file *file,
			const struct bl_contract *contract,
			const struct bl_hook_event *event);

enum bl_hook_type { BL_HOOK_COMMAND, BL_HOOK_PROMPT, BL_HOOK_WEBHOOK };

struct bl_hook {
	const struct bl_hook_file *file;
	const struct bl_hook_event *hook_event;
	size_t index; /* in its event's array of its file */
	enum bl_hook_type type;
	struct bl_str command; /* COMMAND; WEBHOOK: its URL */
	struct bl_str prompt;  /* PROMPT: recognised, reported, not run */
	struct bl_str model;
	struct bl_webhook *webhook; /* WEBHOOK; else NULL */
	uint32_t timeout_ms;        /* 0: none */
	bool has_loop_limit;        /* false: no cap ("loop_limit": null) */
	uint32_t loop_limit;
	bool fail_closed;
	/* NULL: an ordinary child; network: what is named after "+". */
	const struct bl_sandbox_profile *sandbox;
	bool sandbox_network;
	struct bl_str matcher;          /* empty: matches all */
	const struct bl_regex *regex;   /* NULL: matches all, or backtrack */
	struct bl_backtrack *backtrack; /* not regular, PCRE2 linked */
	bool needs_tools;               /* not regular, PCRE2 not linked here */
};

/* Why a hook's program cannot be started, for people; empty: it can. */
struct bl_script_fault {
	struct bl_str text;
	bool of_interpreter; /* it is there; the program that reads it is not */
};

/*
 * Looks at the files that the command of a hook names; for listing and
 * checking, and for a hook that could not be started.
 */
struct bl_script_fault bl_hook_check_start(const struct bl_hook *hook,
					   struct bl_arena *arena);

/*
 * The script of a team's hook, read and compared with its signed digest.
 * DENIED: it is another one, with a sentence that begins "tampered: ".
 */
enum bl_status bl_hook_read_signed(const struct bl_hook *hook,
				   struct bl_arena *arena,
				   struct bl_str *out_text,
				   struct bl_error *err);

/* All sources as they were at one moment. */
struct bl_hook_set {
	const struct bl_profile *profile;
	const struct bl_contract *contract;
	const struct bl_hook_file *files; /* in execution order */
	size_t file_count;
	const struct bl_hook *hooks; /* in execution order */
	size_t hook_count;
	const struct bl_team_use *team; /* that belay is in; NULL: in none */
	struct bl_diags diags;          /* about every file */
};

struct bl_hook_options {
	const struct bl_profile *profile;
	const struct bl_limits *limits; /* NULL: bl_limits_default */
	struct bl_str system_root; /* put before system paths; empty: none */
	struct bl_str home;        /* of the user */
	/* The team's record, which must outlive the set; NULL: it is looked for. */
	const struct bl_team_found *team;
	const struct bl_str *workspaces; /* resolved roots, in order */
	size_t workspace_count;
	const struct bl_str *plugins; /* plugin folders, in order */
	size_t plugin_count;
	bool lenient;      /* drop the bad entry, not the file */
	bool project_gate; /* the gate of has_project_gate, normally true */
	bool trust_all;    /* treat every workspace as trusted */
	bool check_start;  /* a hook that cannot start is a finding */
};

/*
 * Reads every source.  OK also when files are broken (see diags and states);
 * LIMIT when there are too many files, or loaded hooks of one event, or the
 * arena is out; NO_MEMORY; INVALID when the trust store is broken or others can
 * write it (then no project hook may run).  *out_set and all it
 * points to live in arena; backtrack programs are heap objects: end the set
 * with bl_hook_set_clear before the arena.
 */
enum bl_status bl_hook_set_load(const struct bl_hook_options *options,
				struct bl_arena *arena,
				struct bl_hook_set *out_set,
				struct bl_error *err);
void bl_hook_set_clear(struct bl_hook_set *set);

/*
 * The identity of the configuration files: device, inode, size and times
 * of every file that was or could have been read.  Equal stamps mean that
 * reading again would give the same set.
 */
enum bl_status bl_hook_stamp(const struct bl_hook_options *options,
			     uint64_t *out_stamp, struct bl_error *err);

/*
 * Validates the text of one file as source would be (strict), adding every
 * finding to diags.  Nothing is loaded.
 */
enum bl_status bl_hook_file_validate(const struct bl_profile *profile,
				     enum bl_source source,
				     const struct bl_diag_source *text,
				     struct bl_diags *diags,
				     struct bl_error *err);

/* Folder and file of a source of this system, for listing and `hooks init`. */
enum bl_status bl_hook_path(const struct bl_hook_options *options,
			    enum bl_source source, struct bl_str workspace,
			    struct bl_arena *arena, struct bl_str *out_path,
			    struct bl_error *err);

/* Will a hook run on events that it matches?  The reason when not, else NULL. */
const char *bl_hook_why_not(const struct bl_hook *hook);

/*
 * One hook, and the set, as an object for listing: profile, files (source, path, state, why),
 * hooks (event, source, file, what it runs, its options, runs, why) and findings.
 * Undefined when memory is out.
 */
struct bl_value bl_hook_to_value(const struct bl_hook *hook,
				 struct bl_arena *arena);
struct bl_value bl_hook_set_to_value(const struct bl_hook_set *set,
				     struct bl_arena *arena);

/* ---- matching ------------------------------------------------------- */

/* Why a configured hook runs or does not run for one payload. */
enum bl_match {
	BL_MATCH_RUNS,
	BL_MATCH_RUNS_LIMIT, /* runs because its matcher hit a limit */
	BL_MATCH_OTHER_EVENT,
	BL_MATCH_NO_MATCH,    /* matcher does not match the subject */
	BL_MATCH_LOOP_LIMIT,  /* loop_count has reached its limit */
	BL_MATCH_PROMPT,      /* prompt hooks are not run */
	BL_MATCH_UNTRUSTED,   /* its file is UNTRUSTED */
	BL_MATCH_CHANGED,     /* its file is CHANGED */
	BL_MATCH_NEEDS_TOOLS, /* its matcher, or a webhook, needs belay-tools */
	BL_MATCH_COUNT
};

const char *bl_match_name(enum bl_match match);
const char *bl_match_text(enum bl_match match);

/*
 * Decides one hook against one event.  arena is scratch.  Nothing in a CHANGED
 * file is believed, so its matcher is not asked; the matcher of an UNTRUSTED
 * one is asked only where that takes linear time.  Where the matcher cannot be
 * decided (a limit, no memory, no subject in the payload) the hook runs.
 */
enum bl_match bl_hook_match(const struct bl_hook_set *set,
			    const struct bl_hook *hook,
			    const struct bl_hook_event *hook_event,
			    struct bl_value payload, struct bl_arena *arena);

#endif

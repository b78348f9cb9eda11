/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/effects.h: what a command line would do, found without running it.
 *
 *   bl_effects_find     a line and what is known of its world, to facts
 *   bl_effects_encode   facts as values for policies (docs/reference/facts.md)
 *
 * The line is parsed (lib/shell) and walked as bash would run it, with values
 * that are known, known in part, or not known.  Three lists come out:
 *
 *   commands   what would run, after wrappers, functions, eval, sh -c
 *   effects    what that does: kind, target, where it lies
 *   opaque     what could not be known, why, and where in the line
 *
 * Nothing is executed.  The file system is asked only through the callbacks of
 * struct bl_effects_world, and each may be NULL: then the facts say less, never
 * something wrong.
 *
 * Uncertain facts are marked, not dropped: a command behind && is MAYBE, a
 * target with an unknown part has state UNKNOWN.  A command that cannot be followed is
 * opaque.  A limit that is hit is opaque with reason LIMIT, and the facts up to
 * there stand.
 *
 * Places are byte offsets in the line.  A command that comes from text elsewhere
 * (a script that was read, a decoded text) has the place of the command of the
 * line that runs it.
 *
 * Everything lies in the caller's arena and borrows from the input, which must
 * live as long.  Nothing else is allocated.
 *
 * Example: `cd sub && rm -r ~/x "$Y"` in /work gives the command rm (MAYBE, argv
 * rm, -r, /home/me/x and an unknown word), the effects delete /home/me/x (known,
 * place home, detail recursive) and delete of an unknown target.
 */
#ifndef BELAY_EFFECTS_EFFECTS_H
#define BELAY_EFFECTS_EFFECTS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "shell/shell.h"
#include "value/value.h"

/* ---- what is known of the world --------------------------------------------- */

enum bl_effects_file {
	BL_EFFECTS_FILE_UNKNOWN, /* it was not looked at, or not permitted */
	BL_EFFECTS_FILE_MISSING,
	BL_EFFECTS_FILE_REGULAR,
	BL_EFFECTS_FILE_FOLDER,
	BL_EFFECTS_FILE_LINK,
	BL_EFFECTS_FILE_OTHER, /* a device, a pipe, a socket */
};

/*
 * Questions about the file system.  Paths are absolute, NUL-terminated, and may
 * contain links.  Any callback may be NULL: not known.
 */
struct bl_effects_world {
	void *context;
	/* The kind of file at path; links are not followed (lstat). */
	enum bl_effects_file (*look)(void *context, struct bl_str path);
	/* The text of a link, in arena; ptr NULL: not known. */
	struct bl_str (*follow)(void *context, struct bl_arena *arena,
				struct bl_str path);
	/*
	 * The names in a folder, without . and .., in arena.  False: not known,
	 * or more than max.
	 */
	bool (*list)(void *context, struct bl_arena *arena, struct bl_str path,
		     size_t max, const struct bl_str **out_names,
		     size_t *out_count);
	/*
	 * The content of a regular file of at most max bytes, in arena; ptr
	 * NULL: not known, or larger.
	 */
	struct bl_str (*read)(void *context, struct bl_arena *arena,
			      struct bl_str path, size_t max);
};

struct bl_effects_variable {
	struct bl_str name;
	struct bl_str value;
};

/*
 * One path that is guarded: belay's and the agents' own configuration.  Absolute,
 * or relative to every workspace folder, or beginning with ~/.  A name may hold
 * `*`, which matches within one component.  A folder guards all below it.
 */
struct bl_effects_guard {
	struct bl_str path;
	struct bl_str what; /* "config", "agent-settings": the fact's `guard` */
};

struct bl_effects_limits {
	uint32_t commands;      /* facts of commands; default 4096 */
	uint32_t effects;       /* default 65536 */
	uint32_t opaque;        /* default 1024 */
	uint32_t steps;         /* commands walked; default 65536 */
	uint32_t depth;         /* eval, sh -c, functions; default 24 */
	uint32_t loop_items;    /* items of one loop walked; default 64 */
	uint32_t content_bytes; /* kept of one stream or file; default 64 KiB */
	uint32_t matches;       /* of one glob; default 256 */
};

struct bl_effects_input {
	struct bl_str line;
	/* Why there is no line although something runs; empty: all is there. */
	struct bl_str unread;
	/* Files that a tool names: one certain effect each, without a command. */
	const struct bl_effects_touch *touches;
	size_t touch_count;
	struct bl_str cwd;  /* absolute; empty: not known */
	struct bl_str home; /* absolute; empty: not known */
	struct bl_str user; /* empty: not known */
	const struct bl_str *workspaces;
	size_t workspace_count;
	/*
	 * Variables whose values are known.  Of others it is not known whether
	 * they are set.  HOME, PWD, USER come from the members above.
	 */
	const struct bl_effects_variable *environment;
	size_t environment_count;
	/* Extra guarded paths, beside those of tables/guards.def. */
	const struct bl_effects_guard *guards;
	size_t guard_count;
	const struct bl_effects_world *world; /* NULL: nothing is known */
	/*
	 * Extra rows, in the language of the tables (docs/internals/effects.md);
	 * each wins over the built-in row of its name.
	 */
	const struct bl_effects_row *rows;
	size_t row_count;
	struct bl_effects_limits limits; /* each 0: the default */
};

/* A row of the tables of programs. */
struct bl_effects_row {
	struct bl_str name; /* "rm", "git push" */
	struct bl_str options;
	struct bl_str operands;
	struct bl_str effects;
};

/* ---- facts -------------------------------------------------------------------- */

enum bl_fact_kind {
#define KIND(name, text, meaning) BL_FACT_##name,
#include "effects/kinds.def"
#undef KIND
	BL_FACT_KIND_COUNT
};

enum bl_fact_place {
#define PLACE(name, text, meaning) BL_FACT_PLACE_##name,
#include "effects/places.def"
#undef PLACE
	BL_FACT_PLACE_COUNT
};

enum bl_fact_origin_index {
#define ORIGIN(name, text, meaning) BL_FACT_ORIGIN_INDEX_##name,
#include "effects/origins.def"
#undef ORIGIN
	BL_FACT_ORIGIN_COUNT
};

enum bl_fact_origins {
#define ORIGIN(name, text, meaning)                                            \
	BL_FACT_FROM_##name = 1 << BL_FACT_ORIGIN_INDEX_##name,
#include "effects/origins.def"
#undef ORIGIN
};

enum bl_fact_detail_index {
#define DETAIL(name, text, meaning) BL_FACT_DETAIL_INDEX_##name,
#include "effects/details.def"
#undef DETAIL
	BL_FACT_DETAIL_COUNT
};

enum bl_fact_details {
#define DETAIL(name, text, meaning)                                            \
	BL_FACT_IS_##name = 1 << BL_FACT_DETAIL_INDEX_##name,
#include "effects/details.def"
#undef DETAIL
};

enum bl_fact_reason {
#define REASON(name, text, meaning) BL_FACT_OPAQUE_##name,
#include "effects/reasons.def"
#undef REASON
	BL_FACT_REASON_COUNT
};

/* How well a text is known. */
enum bl_fact_state {
	BL_FACT_KNOWN,
	BL_FACT_PATTERN, /* all of it but what * ? [ in it stand for */
	BL_FACT_UNKNOWN, /* some part is not known */
};

/* One word of a command, or a target. */
struct bl_fact_text {
	enum bl_fact_state state;
	/*
	 * For people and for comparing.  Of an unknown part it has what stands
	 * in the line for it: "$X", "$(...)".
	 */
	struct bl_str text;
	/* UNKNOWN: what is known in front of the first unknown part. */
	struct bl_str prefix;
	uint32_t origins; /* enum bl_fact_origins */
};

enum bl_fact_runs {
	BL_FACT_ALWAYS,
	BL_FACT_MAYBE,
	BL_FACT_LATER, /* a trap, a job, another shell's start */
};

enum bl_fact_where {
	BL_FACT_HERE,
	BL_FACT_REMOTE_HOST, /* ssh, kubectl exec */
	BL_FACT_CONTAINED,   /* a container, another root */
};

struct bl_fact_option {
	struct bl_str name;               /* its row's last name: "force" */
	const struct bl_fact_text *value; /* NULL: a flag, or none given */
};

struct bl_fact_redirection {
	int32_t descriptor;
	enum bl_shell_redirection_kind kind;
	struct bl_fact_text target; /* a file's path, or a descriptor */
};

struct bl_fact_command {
	struct bl_shell_span span;
	struct bl_str program; /* base name; empty: not known */
	struct bl_str path;    /* the program's file; empty: not known */
	/* "git push", "docker compose down": the row that describes it. */
	struct bl_str row;
	const struct bl_fact_text *argv;
	size_t argc;
	const struct bl_fact_option *options;
	size_t option_count;
	const struct bl_fact_text *operands;
	size_t operand_count;
	const struct bl_effects_variable *environment; /* set for it alone */
	size_t environment_count;
	const struct bl_fact_redirection *redirections;
	size_t redirection_count;
	/* From the outside in: "sudo", "env", "bash", "eval", "find". */
	const struct bl_str *wrappers;
	size_t wrapper_count;
	struct bl_fact_text cwd;
	enum bl_fact_runs runs;
	enum bl_fact_where where;
	struct bl_str host; /* REMOTE_HOST, CONTAINED: of what; may be empty */
	/* Its standard input, when that is known. */
	struct bl_fact_text input;
	bool has_input;
	bool is_dry; /* an option asks for no effect: --dry-run, --help */
};

struct bl_fact_effect {
	enum bl_fact_kind kind;
	struct bl_str action; /* "force-push", "drop"; may be empty */
	bool has_target;
	/* A path is absolute, its links are followed.  Else as given. */
	struct bl_fact_text target;
	bool is_path;
	enum bl_fact_place place; /* of a path */
	struct bl_str secret; /* "high", "medium", "low"; empty: not a secret */
	struct bl_str guard;  /* what of the guard's it is; empty: nothing */
	/*
	 * A path that holds others: which (BL_FACT_HOLDS_*), so that deleting it
	 * deletes them.
	 */
	uint32_t holds;
	/* UNKNOWN: the path if every unknown part is empty; else empty. */
	struct bl_str at_worst;
	uint32_t details; /* enum bl_fact_details */
	uint32_t origins; /* of what is written, sent or run */
	bool is_certain;
	uint32_t command; /* its index; UINT32_MAX: a redirection alone */
	struct bl_shell_span span;
};

enum bl_fact_holds {
	BL_FACT_HOLDS_ROOT = 1,
	BL_FACT_HOLDS_HOME = 2,
	BL_FACT_HOLDS_WORKSPACE = 4,
	BL_FACT_HOLDS_GUARD = 8,
	BL_FACT_HOLDS_GIT = 16, /* it is .git, or lies in it */
	BL_FACT_HOLDS_TEMP = 32,
};

struct bl_fact_opaque {
	enum bl_fact_reason reason;
	struct bl_str what; /* the text, program or file; may be empty */
	uint32_t origins;   /* of what would run */
	uint32_t command;   /* UINT32_MAX: none */
	bool is_certain;    /* it would run for sure */
	struct bl_shell_span span;
};

struct bl_facts {
	const struct bl_fact_command *commands;
	size_t command_count;
	const struct bl_fact_effect *effects;
	size_t effect_count;
	const struct bl_fact_opaque *opaque;
	size_t opaque_count;
	const struct bl_shell_script *script; /* the tree of the line */
	/* Scripts left outside of the workspaces that nothing ran yet. */
	const struct bl_fact_staged *staged;
	size_t staged_count;
};

/* A script that was written, and the facts of the line that would run it. */
struct bl_fact_staged {
	struct bl_str path;
	struct bl_shell_span span; /* of what writes it */
	struct bl_facts facts;
};

/*
 * Finds the effects of input.touches and of input.line, by the same rules.  OK
 * also for lines that the shell refuses, and for input.unread (opaque SYNTAX).  NO_MEMORY, or LIMIT of the arena: *out_facts is not set.
 */
enum bl_status bl_effects_find(struct bl_arena *arena,
			       const struct bl_effects_input *input,
			       struct bl_facts *out_facts,
			       struct bl_error *err);

/* A file that a tool names, and what the tool does with it. */
struct bl_effects_touch {
	enum bl_fact_kind kind;
	struct bl_str path; /* absolute, or relative to input.cwd */
	uint32_t details;   /* enum bl_fact_details */
	struct bl_str
		content; /* WRITE: all that is written; ptr NULL: not known */
};

/*
 * How many of the first operands of a row say what to do ("kubectl": 1, "rm":
 * 0); 0 when there is no such row.
 */
size_t bl_effects_verbs(struct bl_str name);

/*
 * The name in the tables that is spelled most like name, a program ("terrafrom")
 * or one with a subcommand ("git psuh"); ptr NULL: no name is near, or the
 * tables have it.
 */
struct bl_str bl_effects_near(struct bl_str name);

/*
 * A line of a Makefile from *at on, with those that continue it; false: the end.
 * A recipe's begins with a tab.
 */
bool bl_effects_make_line(struct bl_str text, size_t *at, struct bl_str *out);

/* NAME = TEXT in a Makefile: TEXT as it stands; ptr NULL: it is not there. */
struct bl_str bl_effects_make_value(struct bl_str text, struct bl_str name);

/* The line that runs exactly these words; ptr NULL: memory. */
struct bl_str bl_effects_line(struct bl_arena *arena,
			      const struct bl_str *words, size_t count);

/* The names, as in the .def files. */
const char *bl_fact_kind_name(enum bl_fact_kind kind);
const char *bl_fact_place_name(enum bl_fact_place place);
const char *bl_fact_origin_name(enum bl_fact_origin_index origin);
const char *bl_fact_detail_name(enum bl_fact_detail_index detail);
const char *bl_fact_reason_name(enum bl_fact_reason reason);
const char *bl_fact_reason_text(enum bl_fact_reason reason);
const char *bl_fact_state_name(enum bl_fact_state state);
const char *bl_fact_runs_name(enum bl_fact_runs runs);
const char *bl_fact_where_name(enum bl_fact_where where);

/*
 * The facts as values: {"commands": [...], "effects": [...], "opaque": [...]},
 * in the shape of docs/reference/facts.md.  Undefined when memory is out.
 */
struct bl_value bl_effects_encode(struct bl_arena *arena,
				  const struct bl_facts *facts);

#endif

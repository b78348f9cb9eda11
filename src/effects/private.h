/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/private.h: what the files of this module share.
 *
 * A text that is known in part is one string of bytes.  A NUL byte, which no
 * argument can hold, begins a mark of two bytes; the second says what stands
 * there:
 *
 *   * ? [      a character that matches file names (an active glob)
 *   0x80 + n   hole n: a part that is not known; walk->holes[n] says why
 *
 * So texts are joined, cut and compared as strings, and a text without a NUL is
 * known.  `$X/a*` with X unknown is  NUL 0x80 '/' 'a' NUL '*'.
 */
#ifndef BELAY_EFFECTS_PRIVATE_H
#define BELAY_EFFECTS_PRIVATE_H

#include "effects/effects.h"

enum {
	EFFECTS_HOLE = 0x80,     /* the second byte of hole 0 */
	EFFECTS_HOLES = 126,     /* later ones share the last */
	EFFECTS_CHOICES = 8,     /* values that one variable may have */
	EFFECTS_COMBINED = 16,   /* ways to run one command */
	EFFECTS_FDS = 10,        /* descriptors that are followed */
	EFFECTS_NAME_BYTES = 64, /* of a program's name */
};

struct effects_text {
	const char *ptr;
	uint32_t len;
	uint32_t origins; /* enum bl_fact_origins, EFFECTS_FROM_... */
};

/* Beside the origins of facts: the first of all names of a folder (FOLDER/[*]). */
#define EFFECTS_FROM_ALL (UINT32_C(1) << 31)
/* All that find finds by that name, at any depth below the folder. */
#define EFFECTS_FROM_FIND (UINT32_C(1) << 30)

struct effects_hole {
	struct bl_str label; /* as in the line: "$X", "$(...)" */
	uint32_t origins;
	uint32_t effect; /* of the read that it comes from; UINT32_MAX: none */
	bool may_be_empty;
};

/* One word of a command, with its place in the line. */
struct effects_arg {
	struct effects_text text;
	struct bl_shell_span span;
	bool is_quoted; /* no field splitting can make more of it */
};

struct effects_args {
	struct effects_arg *items;
	size_t count;
	size_t cap;
};

/* ---- text.c -------------------------------------------------------------------- */

/* A text that grows, in the arena. */
struct effects_builder {
	struct bl_arena *arena;
	char *ptr;
	size_t len;
	size_t cap;
	size_t max; /* past it, the rest is one hole */
	uint32_t origins;
	bool is_full;
};

static inline struct effects_text effects_text(struct bl_str str)
{
	return (struct effects_text){ str.ptr, (uint32_t)str.len, 0 };
}

/* A byte of a name in shells and most languages; of names in UTF-8, too. */
static inline bool effects_is_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c > 127;
}

static inline struct bl_str effects_str(struct effects_text text)
{
	return (struct bl_str){ text.ptr, text.len };
}

/* Has no marks. */
static inline bool effects_is_known(struct effects_text text)
{
	return !text.len || !memchr(text.ptr, 0, text.len);
}

/* Most texts that are compared differ in their first byte. */
static inline bool effects_is(struct effects_text text, const char *word)
{
	return (!text.len || text.ptr[0] == word[0]) &&
	       bl_str_is(effects_str(text), word);
}

void effects_builder_init(struct effects_builder *builder,
			  struct bl_arena *arena, size_t max);
void effects_put(struct effects_builder *builder, const char *ptr, size_t len);
void effects_put_text(struct effects_builder *builder,
		      struct effects_text text);
void effects_put_mark(struct effects_builder *builder, char mark);
struct effects_text effects_built(const struct effects_builder *builder);

struct effects_text effects_join(struct bl_arena *arena, struct effects_text a,
				 struct effects_text b);
struct effects_text effects_cut(struct effects_text text, size_t from,
				size_t to);
/* The state of a text, and what is known in front of the first hole. */
enum bl_fact_state effects_state_of(struct effects_text text);
size_t effects_known_prefix(struct effects_text text);

/* ---- map.c --------------------------------------------------------------------- */

/* Names to small numbers. */
struct effects_names {
	struct bl_str *items; /* by id */
	size_t count;
	size_t cap;
	uint32_t *slots; /* id + 1, 0: free */
	size_t slot_count;
};

/* An immutable map from ids to pointers; copying it is copying the struct. */
struct effects_map {
	const void *root;
	uint32_t depth; /* levels of nodes; 0: empty */
};

uint32_t effects_name_id(struct bl_arena *arena, struct effects_names *names,
			 struct bl_str name);
const void *effects_map_get(struct effects_map map, uint32_t id);
struct effects_map effects_map_set(struct bl_arena *arena,
				   struct effects_map map, uint32_t id,
				   const void *value);

typedef const void *effects_merge(void *context, const void *a, const void *b);
/* Both maps in one; where they differ, merge says what. */
struct effects_map effects_map_merge(struct bl_arena *arena,
				     struct effects_map a, struct effects_map b,
				     effects_merge *merge, void *context);

/* ---- state.c ------------------------------------------------------------------- */

struct effects_variable {
	/* Of a scalar: what it may be.  Of an array: its elements. */
	const struct effects_text *values;
	uint32_t count; /* 0: an empty array, or unset (is_unset) */
	bool is_array;
	bool is_unset;     /* it is not set */
	bool may_be_unset; /* or to one of values */
	bool is_exported;
	bool is_inherited; /* the line did not set it */
	bool is_readonly;
	bool is_reference; /* declare -n: its value is a name */
};

/* The known state of a descriptor. */
struct effects_sink;

struct effects_fd {
	bool is_known; /* for reading: content is what comes */
	bool is_closed;
	struct effects_text content; /* what is left to read */
	struct effects_sink *sink;   /* where writing goes; NULL: read only */
};

struct effects_fds {
	struct effects_fd items[EFFECTS_FDS];
};

/* Where output goes. */
struct effects_sink {
	struct effects_builder text;
	bool is_shown;   /* reaches the output of the line */
	bool is_kept;    /* somebody reads it: text is collected */
	uint32_t sends;  /* origins that went in */
	uint32_t effect; /* the write or connection; UINT32_MAX: none */
	/* A file: its path, resolved; else ptr NULL. */
	struct effects_text path;
};

enum effects_end {
	EFFECTS_END_LOOP = 1,     /* break, continue */
	EFFECTS_END_FUNCTION = 2, /* return */
	EFFECTS_END_SHELL = 4,    /* exit, exec, a fault */
	EFFECTS_END_BREAK = 8,    /* with LOOP: no further turn */
};

enum effects_status {
	EFFECTS_EITHER, /* it may succeed or fail */
	EFFECTS_SUCCESS,
	EFFECTS_FAILURE,
};

struct effects_traps;

struct effects_params {
	const struct effects_text *items;
	uint32_t count;
	bool is_known; /* false: there may be others */
};

/* The state of a shell at one moment.  Copied where ways part. */
struct effects_state {
	struct effects_map variables;    /* id to struct effects_variable */
	struct effects_map functions;    /* id to struct effects_function */
	struct effects_map aliases;      /* id to struct effects_text */
	const struct effects_text *cwds; /* what the folder may be */
	uint32_t cwd_count;              /* 0: not known */
	struct effects_params params;
	const struct effects_fds *fds;
	const struct effects_traps *traps;
	uint32_t ended; /* enum effects_end: nothing runs until its end */
	uint32_t maybe; /* enum effects_end: some way has ended so */
	enum effects_status status;
	/* How it is when the last command fails, if that differs; or NULL. */
	const struct effects_state *failed;
	bool has_extglob;
	bool has_aliases;    /* shopt -s expand_aliases */
	bool no_globs;       /* set -f */
	bool stops_on_error; /* set -e */
};

struct effects_function {
	const struct bl_shell_command *body;
	struct bl_str name;
	struct bl_shell_span span; /* where bodies of another text stand */
	bool is_nested;            /* in another text than the line */
	bool is_running;           /* recursion */
};

struct effects_trap {
	const struct effects_trap *next;
	struct effects_text text;
	struct bl_shell_span span;
};

struct effects_traps {
	const struct effects_trap *first;
};

/* A file that the line wrote, or a pseudo-file of the line. */
struct effects_file {
	struct effects_text contents[4]; /* what it may hold */
	uint32_t count;
	bool is_mine; /* made by the line */
	bool is_folder;
};

/* >(...): run when the command that writes to it is done. */
struct effects_pending {
	struct effects_pending *next;
	const struct bl_shell_script *script;
	struct effects_sink *sink;
};

struct effects_choice {
	const void *values; /* which the choice is among */
	uint32_t at;        /* the one that is taken now */
	uint32_t count;
};

struct effects_wrapper {
	const struct effects_wrapper *outer;
	struct bl_str name;
};

/* A folder of this machine that a container sees under another name. */
struct effects_mount {
	const struct effects_mount *next;
	struct bl_str here;
	struct bl_str there;
};

struct effects_walk {
	struct bl_arena *arena;
	const struct bl_effects_input *input;
	struct bl_effects_limits limits;

	struct bl_fact_command *commands;
	size_t command_count, command_cap;
	struct bl_fact_effect *effects;
	size_t effect_count, effect_cap;
	struct bl_fact_opaque *opaque;
	size_t opaque_count, opaque_cap;

	struct effects_hole holes[EFFECTS_HOLES + 1];
	uint32_t hole_count;
	struct effects_names names;    /* variables and functions */
	struct effects_names paths;    /* that were looked at or written */
	struct effects_map files;      /* path id to struct effects_file */
	struct effects_map looks;      /* path id to struct effects_look */
	struct effects_text last_line; /* that history -s put there */

	struct effects_choice choices[EFFECTS_CHOICES];
	uint32_t choice_count;

	struct effects_pending *pending;
	uint32_t next_fd; /* of the next process substitution */

	/* The text that is walked is not the line: all spans are this one. */
	bool is_nested;
	struct bl_shell_span span;
	struct bl_str source; /* the text of the tree that is walked */
	/* In source a byte 1 stands for the 0 of a mark (effects_run_text). */
	bool has_marks;

	const struct effects_wrapper *wrapper;
	uint32_t wrapper_count;
	enum bl_fact_where where;
	struct bl_str host;
	const struct effects_mount *mounts;
	bool is_maybe; /* what runs now may also not run */
	bool is_later;
	bool is_silent;   /* a loop's first pass: nothing becomes a fact */
	uint32_t command; /* the index of the command that runs */

	uint32_t depth;
	uint32_t steps;
	bool is_over; /* a limit was hit: the rest is not walked */
	struct effects_sink *transcript;
	struct effects_text no_folder; /* a hole: a folder that is not known */
};

void effects_state_init(struct effects_walk *walk, struct effects_state *state);
/* The joined state after one of two ways. */
void effects_state_merge(struct effects_walk *walk, struct effects_state *into,
			 const struct effects_state *other);

/* NULL: the line has not set it, and nothing is known of it. */
const struct effects_variable *
effects_variable(struct effects_walk *walk, const struct effects_state *state,
		 struct bl_str name);
void effects_set(struct effects_walk *walk, struct effects_state *state,
		 struct bl_str name, struct effects_text value);
void effects_set_variable(struct effects_walk *walk,
			  struct effects_state *state, struct bl_str name,
			  const struct effects_variable *variable);
/* The one value of a scalar that is taken now; false: it is not known. */
bool effects_value(struct effects_walk *walk, const struct effects_state *state,
		   struct bl_str name, struct effects_text *out);
/* The folder that is taken now; ptr NULL: not known. */
struct effects_text effects_cwd(struct effects_walk *walk,
				const struct effects_state *state);
void effects_set_cwd(struct effects_walk *walk, struct effects_state *state,
		     struct effects_text cwd);

/* A new hole as a text. */
struct effects_text effects_hole(struct effects_walk *walk, struct bl_str label,
				 uint32_t origins, bool may_be_empty);
/* Where a command or word of the tree stands in the line. */
struct bl_shell_span effects_span(const struct effects_walk *walk,
				  struct bl_shell_span span);

/* ---- facts.c ------------------------------------------------------------------- */

struct bl_fact_text effects_fact_text(struct effects_walk *walk,
				      struct effects_text text);
void effects_opaque(struct effects_walk *walk, enum bl_fact_reason reason,
		    struct effects_text what, struct bl_shell_span span);
/* Commands inside commands, deeper than the limit: the walk ends. */
void effects_too_deep(struct effects_walk *walk, struct bl_shell_span span);
/* A text that is run was cut at a limit: a mark says so, the walk goes on. */
void effects_mark_cut(struct effects_walk *walk, struct effects_text text,
		      struct bl_shell_span span);
void effects_add(struct effects_walk *walk,
		 const struct bl_fact_effect *effect);
/* The variable behind a label like $NAME is shown: an effect for secret names. */
void effects_add_shown(struct effects_walk *walk, struct bl_str label);
/* An effect without a path: a ref, a host, or nothing as its target. */
void effects_add_plain(struct effects_walk *walk, enum bl_fact_kind kind,
		       struct bl_str action, const struct effects_text *target,
		       uint32_t details, struct bl_shell_span span);
struct bl_fact_command *effects_command(struct effects_walk *walk,
					const struct effects_state *state,
					const struct effects_args *args,
					struct bl_shell_span span);

/* ---- effects.c, staged.c -------------------------------------------------------- */

/* The facts of a line that runs behind what walk has walked: its files are there. */
enum bl_status effects_find_behind(const struct effects_walk *walk,
				   const struct bl_effects_input *input,
				   struct bl_facts *out_facts,
				   struct bl_error *err);
/* Adds facts->staged. */
enum bl_status effects_find_staged(struct effects_walk *walk,
				   struct bl_facts *facts,
				   struct bl_error *err);

/* ---- path.c -------------------------------------------------------------------- */

struct effects_path {
	struct effects_text text; /* absolute, links followed where known */
	enum bl_fact_state state;
	enum bl_effects_file file; /* of a known path, links followed */
	bool is_unknown_base;      /* relative, and the folder is not known */
	bool is_linked; /* a link of a workspace leads out of all of them */
};

enum effects_path_flags {
	EFFECTS_PATH_KEEP_LINK = 1, /* the last component is not followed */
};

void effects_path(struct effects_walk *walk, const struct effects_state *state,
		  struct effects_text text, uint32_t flags,
		  struct effects_path *out);
enum bl_effects_file effects_look(struct effects_walk *walk,
				  struct bl_str path);
/* The line makes a link at path. */
void effects_link(struct effects_walk *walk, struct bl_str path,
		  struct bl_str target);
/* The descriptor that /dev/fd/N, /dev/stdin, ... name, or -1. */
int effects_descriptor(struct effects_text path);

/* An effect on a path, with its place. */
void effects_add_path(struct effects_walk *walk,
		      const struct effects_state *state, enum bl_fact_kind kind,
		      struct bl_str action, struct effects_text text,
		      uint32_t details, uint32_t origins,
		      struct bl_shell_span span);
/* Row n of the table of guards; false: there are fewer. */
bool effects_guard(size_t n, struct bl_str *out_pattern);
/* Is it a pattern for all that stands in a folder: * .* ?* */
bool effects_takes_all(struct bl_str pattern);
/* Fills place, secret, guard and holds of an effect from its path. */
void effects_place(struct effects_walk *walk, const struct effects_path *path,
		   struct bl_fact_effect *effect);
bool effects_is_secret(struct effects_walk *walk,
		       const struct effects_path *path);
/* Is path one of the workspaces, or below one? */
bool effects_is_in_workspace(const struct bl_effects_input *input,
			     struct bl_str path);
/* The text that the line wrote there, or NULL. */
const struct effects_file *effects_file_find(struct effects_walk *walk,
					     struct bl_str path);
void effects_file_put(struct effects_walk *walk, struct bl_str path,
		      struct effects_text content, bool is_append);
/* The content of a path: written by the line, or read from the disk. */
bool effects_content(struct effects_walk *walk, const struct effects_path *path,
		     struct effects_text *out);
/* The names that match a glob, appended to args; false: it stays as it is. */
bool effects_glob(struct effects_walk *walk, const struct effects_state *state,
		  const struct effects_arg *arg, struct effects_args *out);

/* ---- expand.c ------------------------------------------------------------------ */

void effects_args_add(struct effects_walk *walk, struct effects_args *args,
		      struct effects_text text, struct bl_shell_span span);
/* All words, as bash expands the words of a command. */
void effects_expand(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_word *words,
		    struct effects_args *out);
/* One word to one text, without splitting and globs. */
struct effects_text effects_expand_one(struct effects_walk *walk,
				       struct effects_state *state,
				       const struct bl_shell_word *word);
/* The word as a pattern: quoted text has a backslash. */
struct effects_text effects_expand_pattern(struct effects_walk *walk,
					   struct effects_state *state,
					   const struct bl_shell_word *word);
/* Runs what stands in substitutions of an expression, and evaluates it. */
bool effects_arithmetic(struct effects_walk *walk, struct effects_state *state,
			struct effects_text expression, int64_t *out);

/* ---- compound.c ---------------------------------------------------------------- */

/* A command that is not a simple one, its redirections done. */
void effects_compound(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_command *command);

/* ---- walk.c -------------------------------------------------------------------- */

/* The two states that a command leaves. */
struct effects_outcome {
	struct effects_state success, failure;
	bool may_succeed, may_fail;
};

void effects_part(struct effects_outcome *outcome,
		  const struct effects_state *state);

/* "!": what was success is failure. */
void effects_negate(struct effects_walk *walk, struct effects_state *state);

/* Joins a state into those of other ways; the first is taken as it is. */
void effects_add_way(struct effects_walk *walk, struct effects_state *into,
		     bool *has, const struct effects_state *state);

void effects_script(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_script *script);
void effects_list(struct effects_walk *walk, struct effects_state *state,
		  const struct bl_shell_list *list);
void effects_run(struct effects_walk *walk, struct effects_state *state,
		 const struct bl_shell_command *command);
/* Text as a script in this shell (eval, .) or in another (is_child). */
void effects_run_text(struct effects_walk *walk, struct effects_state *state,
		      struct effects_text text, bool is_child,
		      const struct effects_params *params,
		      struct bl_shell_span span);
/* The output of a script. */
struct effects_text effects_capture(struct effects_walk *walk,
				    struct effects_state *state,
				    const struct bl_shell_script *script);
void effects_wrap(struct effects_walk *walk, struct bl_str name);
void effects_unwrap(struct effects_walk *walk);
/*
 * Marks as quiet what the command writer reads, where the command reader behind
 * the pipe shows nothing of note.
 */
void effects_muffle(struct effects_walk *walk, size_t writer, size_t reader);
/* One state again, behind a command that may have failed. */
void effects_settle(struct effects_walk *walk, struct effects_state *state);
/* Another text is walked until leave. */
struct effects_nesting {
	struct bl_str source;
	struct bl_shell_span span;
	bool is_nested;
	bool has_marks;
};
/* False: too deep; opaque says so. */
bool effects_enter(struct effects_walk *walk, struct bl_str source,
		   bool has_marks, struct bl_shell_span span,
		   struct effects_nesting *saved);
void effects_leave(struct effects_walk *walk,
		   const struct effects_nesting *saved);
/* A copy of the descriptors with one changed. */
void effects_set_fd(struct effects_walk *walk, struct effects_state *state,
		    uint32_t number, const struct effects_fd *fd);
void effects_run_traps(struct effects_walk *walk, struct effects_state *state);

/* ---- simple.c ------------------------------------------------------------------ */

void effects_simple(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_command *command);
/* Redirections; false: one fails, and the command does not run. */
struct effects_redirected {
	struct bl_fact_redirection *items;
	size_t count, cap;
};
void effects_redirect(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_redirection *redirection,
		      struct effects_redirected *out);
enum effects_lookup {
	EFFECTS_LOOKUP_ALL,
	EFFECTS_LOOKUP_NO_FUNCTIONS, /* command */
	EFFECTS_LOOKUP_BUILTINS,     /* builtin */
	EFFECTS_LOOKUP_PROGRAMS,     /* a wrapper's command */
};
/* Runs the command that args are. */
void effects_dispatch(struct effects_walk *walk, struct effects_state *state,
		      const struct effects_args *args,
		      struct bl_shell_span span, enum effects_lookup lookup);
void effects_call(struct effects_walk *walk, struct effects_state *state,
		  struct effects_function *function,
		  const struct effects_args *args);

/* ---- builtins.c ---------------------------------------------------------------- */

/* Runs a builtin of the shell; false: it is not one. */
bool effects_builtin(struct effects_walk *walk, struct effects_state *state,
		     const struct effects_args *args,
		     struct bl_shell_span span);

/* ---- streams.c ----------------------------------------------------------------- */

void effects_output(struct effects_walk *walk, struct effects_state *state,
		    struct effects_text text);
struct effects_text effects_input(struct effects_walk *walk,
				  const struct effects_state *state,
				  bool *out_known);
/* The output of programs whose output follows from input and words. */
bool effects_filter(struct effects_walk *walk, struct effects_state *state,
		    const struct effects_args *args);
void effects_echo(struct effects_walk *walk, struct effects_state *state,
		  const struct effects_args *args);
void effects_printf(struct effects_walk *walk, struct effects_state *state,
		    const struct effects_args *args, size_t first,
		    struct effects_text *out);

/* ---- rows.c -------------------------------------------------------------------- */

const struct bl_effects_row *effects_row_find(const struct effects_walk *walk,
					      struct bl_str name,
					      struct bl_effects_row *storage);

/* One option of a row. */
struct effects_option {
	struct bl_str name; /* the last of its names */
	struct bl_str role; /* of its value; empty: a flag */
	uint32_t details;
	uint32_t values;  /* words that it takes: 0, 1, 2 */
	bool is_attached; /* ?role */
	bool is_dry;      /* !none */
	bool ends;        /* !end */
	bool stays;       /* !stay */
	bool inherited;
};

bool effects_option_find(struct bl_str options, struct bl_str name,
			 bool is_short, bool is_single, bool may_abbreviate,
			 struct effects_option *out);

/* A word with its role. */
struct effects_word {
	struct bl_str role;
	struct bl_str option; /* empty: an operand */
	struct effects_text text;
	struct bl_shell_span span;
	size_t index; /* in the command's words */
};

/* The words of a command by its row. */
struct effects_parsed {
	const struct bl_effects_row *row;
	struct bl_effects_row storage[2];
	struct effects_args args;
	struct effects_word *words;
	size_t word_count, word_cap;
	struct bl_fact_option *options;
	size_t option_count, option_cap;
	struct effects_args operands;
	struct bl_str lang;
	uint32_t details;
	size_t rest; /* where the command inside begins; SIZE_MAX: absent */
	bool is_dry;
	bool stays;
	bool has_unknown_option;
	struct effects_text unknown_option;
};

bool effects_mode(const struct bl_effects_row *row, const char *mode);
void effects_parse(struct effects_walk *walk, const struct effects_args *args,
		   struct effects_parsed *parsed);
bool effects_has(const struct effects_parsed *parsed, const char *option);

/* ---- roles.c ------------------------------------------------------------------ */

enum effects_way {
	EFFECTS_WAY_PATH,
	EFFECTS_WAY_INTO,
	EFFECTS_WAY_UPLOAD,
	EFFECTS_WAY_DATA,
	EFFECTS_WAY_FORM,
	EFFECTS_WAY_DIRECTORY,
	EFFECTS_WAY_ADDRESS,
	EFFECTS_WAY_COPY,
	EFFECTS_WAY_COMMAND,
	EFFECTS_WAY_SHELL,
	EFFECTS_WAY_CODE,
	EFFECTS_WAY_SCRIPT,
	EFFECTS_WAY_MODULE,
	EFFECTS_WAY_SQL,
	EFFECTS_WAY_SQLFILE,
	EFFECTS_WAY_TARGET,
	EFFECTS_WAY_ASSIGN,
	EFFECTS_WAY_ENV,
	EFFECTS_WAY_MOUNT,
	EFFECTS_WAY_PLAIN,
};

struct effects_role {
	const char *name;
	enum effects_way way;
	enum bl_fact_kind kind;
	uint32_t details;
};

/* NULL: no role has this name. */
const struct effects_role *effects_role_find(struct bl_str name);

/* A program that runs: what its words say. */
struct effects_run {
	struct effects_walk *walk;
	struct effects_state *state; /* of the shell */
	struct effects_state inside; /* of the program: -C, env */
	struct effects_parsed parsed;
	struct bl_shell_span span;
	uint32_t command; /* its index */
	uint32_t sends;   /* origins of what it sends */
	uint32_t prints;  /* origins of what it may print */
	uint32_t effect;  /* the read that prints came from */
	bool has_body;    /* something is sent */
	bool has_printed; /* what it prints was put out already */
};

/* The effects that follow from the roles of the words. */
void effects_roles(struct effects_run *run);
/* The clauses of the row's effects. */
void effects_clauses(struct effects_run *run);
/* The content of the file that text names: known, or a hole with origins. */
struct effects_text effects_read(struct effects_run *run,
				 struct effects_text text);
const struct effects_word *effects_word_of(const struct effects_run *run,
					   const char *role, size_t nth);

/* ---- program.c ----------------------------------------------------------------- */

void effects_program(struct effects_walk *walk, struct effects_state *state,
		     const struct effects_args *args,
		     struct bl_shell_span span);
/* lockfile.c: an effect when its effects from first on install by another manager. */
void effects_lockfile(struct effects_run *run, size_t first);
/* Runs the words from first on as a command of a wrapper. */
void effects_inner(struct effects_walk *walk, struct effects_state *state,
		   struct bl_str wrapper, const struct effects_args *args,
		   size_t first, struct bl_shell_span span);

/* ---- special.c, variables.c, find.c, packers.c, socat.c, make.c, git*.c --------- */

/* git_environment.c: settings of variables become words "-c KEY=VALUE". */
void effects_git_settings(struct effects_run *run);
/* Variables that leave hooks out become the effect hook-skip. */
void effects_git_skips(struct effects_run *run);

/* Modes whose grammar no row can say; true: the command is done with. */
bool effects_special(struct effects_run *run);
/* Variables of the line that make the program run something (variables.def). */
void effects_variables(struct effects_run *run);
bool effects_vim(struct effects_run *run);
bool effects_ed(struct effects_run *run);
bool effects_gdb(struct effects_run *run);
bool effects_less(struct effects_run *run);
bool effects_socat(struct effects_run *run);
bool effects_fd(struct effects_run *run);
bool effects_find(struct effects_run *run);
bool effects_split(struct effects_run *run);
bool effects_compress(struct effects_run *run);
/* The recipes of make, the scripts of package.json. */
bool effects_make(struct effects_run *run);
bool effects_package_script(struct effects_run *run);
bool effects_lifecycle(struct effects_run *run);
bool effects_package_edit(struct effects_run *run);
bool effects_git(struct effects_run *run);
/* git_taken.c: effects on the guarded files that the command takes away. */
void effects_git_taken(struct effects_run *run);
/* git_pushed.c: an effect when the command rewrites what a remote has. */
void effects_git_pushed(struct effects_run *run);
struct effects_text effects_replace(struct effects_walk *walk,
				    struct effects_text word,
				    struct effects_text what,
				    struct effects_text with);

/* ---- code.c -------------------------------------------------------------------- */

void effects_code(struct effects_walk *walk, struct effects_state *state,
		  struct bl_str lang, struct effects_text text,
		  const struct effects_args *args, size_t first_arg,
		  struct bl_shell_span span);
/* A file that is run. */
void effects_script_file(struct effects_walk *walk, struct effects_state *state,
			 struct bl_str lang, struct effects_text file,
			 const struct effects_args *args, size_t first_arg,
			 struct bl_shell_span span);
void effects_sql(struct effects_walk *walk, struct bl_str lang,
		 struct effects_text text, struct bl_shell_span span);
/* Do the statements read, and nothing else? */
bool effects_sql_reads(struct effects_text text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* sources/policies/private.h: what the files of this module share. */
#ifndef BELAY_SOURCES_POLICIES_PRIVATE_H
#define BELAY_SOURCES_POLICIES_PRIVATE_H

#include "effects/effects.h"
#include "os/os.h"
#include "sources/policies/policies.h"

enum {
	POLICY_MAX_FILES = 20000, /* of one directory */
	POLICY_MAX_DEPTH = 32,    /* of folders */
	POLICY_MAX_FILE_BYTES = 4 << 20,
	POLICY_MAX_NAMES = 1000, /* of one list of a rulebook or metadata */
	POLICY_MAX_SIGNALS = 256,
	POLICY_SIGNAL_BYTES = 1 << 20, /* what one may print */
	POLICY_SIGNAL_TIMEOUT_MS = 5000,
	POLICY_SIGNAL_MAX_TIMEOUT_MS = 600000,
	POLICY_MAX_BUILTIN_TROUBLES = 16, /* of one event */
};

/* The place of a line and column (from 1; line 0: the whole file). */
struct bl_place policy_place(struct bl_str text, uint32_t line,
			     uint32_t column);

/* value.a.b; undefined when some step is missing. */
struct bl_value policy_at(struct bl_value value, const char *path);

/*
 * The command that does what a tool of an MCP server does (tool_lines.def), or the
 * SQL that it is given, as a line.  False: neither.
 */
bool policy_line_of_tool(struct bl_arena *arena, struct bl_str tool,
			 struct bl_value given, struct bl_str *out_line);

/* An object with a member replaced or added. */
struct bl_value policy_put(struct bl_arena *arena, struct bl_value object,
			   struct bl_str key, struct bl_value value);

/* ---- images (image.h) ----------------------------------------------------- */

/* Only what this user alone can have written counts, file and folder. */
static inline bool policy_is_own(const struct bl_file_info *info)
{
	return info->uid == bl_os_user_id() && !(info->mode & 022);
}

static inline bool policy_is_roots(const struct bl_file_info *info)
{
	return info->uid == 0 && !(info->mode & 022);
}

/* A path, and what it led to. */
struct policy_stamp {
	struct bl_str path;
	bool is_there;
	struct bl_file_info info;
};

/* Of all that was looked at on the way to a set of policies. */
struct policy_stamps {
	struct bl_arena *arena;
	int64_t now_ns; /* wall clock, when it began */
	struct policy_stamp *items;
	size_t count;
	size_t cap;
	bool has_unsettled; /* what just changed may change unseen */
};

/* Before path is read.  stamps may be NULL; false: memory. */
bool policy_add_stamp(struct policy_stamps *stamps, struct bl_str path);

/* rulebook_value.c; undefined: memory. */
struct bl_value policy_rulebook_value(const struct bl_rulebook *book,
				      struct bl_arena *arena);

/* False: it is not a rulebook, or memory is out. */
bool policy_rulebook_from(struct bl_value from, struct bl_arena *arena,
			  struct bl_rulebook *out_book);

/*
 * image_write.c: puts a sound directory into the cache of options.  Failures
 * are for information only.
 */
enum bl_status policy_store_image(const struct bl_policy_load_options *options,
				  const struct bl_policy_dir *dir,
				  const struct policy_stamps *stamps,
				  struct bl_arena *arena, struct bl_error *err);

/* sealed.c: compares a loaded directory with its seal, or seals it, as options say. */
enum bl_status policy_seal(const struct bl_policy_load_options *options,
			   struct bl_policy_dir *dir,
			   const struct policy_stamps *stamps,
			   struct bl_arena *arena, struct bl_error *err);

/* ---- reading a directory (collect.c, tree.c) ------------------------------ */

enum policy_file_kind {
	POLICY_FILE_POLICY,  /* below policies */
	POLICY_FILE_BUILTIN, /* the same, in a folder "builtins" */
	POLICY_FILE_SYSTEM,  /* below system, helpers */
	POLICY_FILE_TEST,    /* below a folder "tests" */
	POLICY_FILE_STRAY,   /* where nothing is loaded from */
};

struct policy_file {
	struct bl_str path;
	struct bl_str text;
	enum policy_file_kind kind;
};

struct policy_files {
	struct bl_arena *arena;
	struct bl_diags *diags; /* for findings */
	struct policy_stamps
		*stamps; /* of all that is looked at; may be NULL */
	/* The agent whose files are wanted; empty: those of all. */
	struct bl_str agent;
	const char *(*agent_at)(size_t index); /* as in the load options */
	bool with_tests; /* also those of folders "tests" */
	struct policy_file *items;
	size_t count;
	size_t cap;
};

/*
 * Adds the files of a policy directory for the wanted agent: those of policies
 * first, then those of the other folders, each sorted, links followed.  Whatever
 * looks like a policy and is not one of them is a finding.  *out_has_policies
 * says whether there is anything for the agent.
 */
enum bl_status policy_collect(struct policy_files *files, struct bl_str dir,
			      bool *out_has_policies, struct bl_error *err);

/*
 * Drops the builtins that an older init has left in a folder "builtins": belay
 * has its own.  Other files there are policies like any.
 */
void policy_drop_builtins(struct policy_files *files);

/* Is it the name of an agent, and not of the one whose files are wanted? */
bool policy_is_foreign(const struct policy_files *files, struct bl_str name);

/*
 * Adds every file below folder whose name ends in .rego, sorted, links
 * followed.  Findings go to diags.  A folder that is not there adds nothing;
 * *out_found (may be NULL) says if it was.
 */
enum bl_status policy_read_tree(struct policy_files *files,
				struct bl_str folder,
				enum policy_file_kind kind, bool *out_found,
				struct bl_error *err);

/* An error about a file or folder as a whole. */
void policy_note_path(struct bl_diags *diags, struct bl_str path,
		      const char *code, const char *message);

/* tree.c: does it end in .rego, in letters of whatever case? */
bool policy_looks_like_rego(struct bl_str name);

/* ---- metadata (metadata.c) ---------------------------------------------- */

struct policy_metadata {
	struct bl_str package;
	struct bl_value value; /* undefined: absent */
	uint32_t line;         /* of "# METADATA" */
	bool has_routing;
	bool is_broken;
	bool before_package;
	bool has_rules;
	bool has_verbs;   /* it has rules that decide */
	bool names_verbs; /* also functions and defaults of such a name */
	bool is_test;     /* it has rules, and all of them are tests */
	struct bl_names events;
	struct bl_names tools;
	struct bl_names signals;
	struct bl_names demanded;
};

/*
 * weakening.c: warns of what the rulebook of options->dir says and those before it
 * do not let it say.
 */
enum bl_status
policy_check_weakening(const struct bl_policy_validate_options *options,
		       struct bl_arena *arena, struct bl_diags *diags,
		       struct bl_error *err);

/*
 * Reads what a file says of itself.  Findings go to diags; a file that does
 * not parse has no package then, and is left to the compiler to report.
 */
enum bl_status policy_read_metadata(const struct policy_file *file,
				    struct bl_arena *arena,
				    struct bl_diags *diags,
				    struct policy_metadata *out_metadata,
				    struct bl_error *err);

/* Is it cupcake.system, belay.system or below one of them? */
bool policy_is_system(struct bl_str package);

/* The libraries that policies import: package, text. */
struct policy_library {
	const char *package;
	const char *source;
};

extern const struct policy_library policy_libraries[];
extern const size_t policy_library_count;

/* ---- rulebook ------------------------------------------------------------ */

/* The state of reading a rulebook. */
struct rulebook_reader {
	struct bl_arena *arena;
	struct bl_diags *diags;
	const struct bl_yaml_places *places;
	struct bl_diag_source source;
	struct bl_rulebook *book;
	struct bl_value builtins;   /* the section, for later */
	struct bl_value rules;      /* of its own, compiled */
	struct bl_value exceptions; /* compiled */
	struct bl_value protect;    /* {"paths": [...], "branches": [...]} */
	struct bl_str sandbox;      /* of signals that say nothing themselves */
	size_t signal_cap;
	struct bl_error *err;
};

/* Findings about the member with this key (of the document). */
void rulebook_error(struct rulebook_reader *r, const char *code,
		    struct bl_value key, const char *fmt, ...) BL_PRINTF(4, 5);
void rulebook_warn(struct rulebook_reader *r, const char *code,
		   struct bl_value key, const char *fmt, ...) BL_PRINTF(4, 5);

/* Adds a signal unless one of that name is there.  NO_MEMORY, LIMIT. */
enum bl_status rulebook_add_signal(struct rulebook_reader *r,
				   const struct bl_signal *signal);

/* The sections "rules", "exceptions" and "protect" (rulebook_rules.c). */
enum bl_status rulebook_read_rules(struct rulebook_reader *r,
				   struct bl_value key,
				   struct bl_value section);
enum bl_status rulebook_read_exceptions(struct rulebook_reader *r,
					struct bl_value key,
					struct bl_value section);

enum bl_status rulebook_read_protect(struct rulebook_reader *r,
				     struct bl_value key,
				     struct bl_value section);

/* The line of a key or of a text of the document; 0: not known. */
uint32_t rulebook_line(const struct rulebook_reader *r, struct bl_value text);

/* Reads the section "builtins" (rulebook_builtins.c). */
enum bl_status rulebook_read_builtins(struct rulebook_reader *r,
				      struct bl_value section);

/* ---- deciding ------------------------------------------------------------ */

/* One decision on its way. */
struct policy_run {
	const struct bl_policy_set *set;
	const struct bl_policy_event *event;
	const struct bl_policy_options *options;
	struct bl_arena *arena;
	struct bl_policy_report *report;
	struct bl_error *err;
	int64_t deadline_ns; /* monotonic; 0: none */
	size_t route_cap;
	size_t finding_cap;
	size_t spared_cap;
	size_t trouble_cap;
	size_t signal_cap;
	size_t builtin_count;            /* troubles of builtins */
	const struct bl_policy_dir *dir; /* at hand */
	struct bl_value facts; /* input.belay with them; undefined: not yet */
	struct bl_effects_input world; /* what they were found from */
	struct bl_facts found;
};

/* The user's home folder, as the options or else the system says; empty: none. */
struct bl_str policy_home(const struct policy_run *run);

/*
 * Adds to the lists of paths in *config (of builtins) each "~/" path as it is
 * below the home of the user whose event it is (builtins.c), since what was
 * compiled is the same for all users.  UNSUPPORTED: this user is
 * without a home folder.
 */
enum bl_status policy_place_paths(const struct policy_run *run,
				  struct bl_value *config);

/* route.c: how a policy stands to an event, by itself. */
enum bl_route policy_route_of(const struct bl_policy *policy,
			      const struct bl_policy_event *event);

/* route.c: adds a route for every policy of run->dir; true when any runs. */
enum bl_status policy_route(struct policy_run *run, bool is_decided,
			    size_t *out_first, bool *out_any);

/*
 * script.c: adds what a command is about to run, when that is a script
 * (docs/contracts/cupcake.md "Scripts"), to *input.
 */
enum bl_status policy_inspect_script(struct policy_run *run,
				     struct bl_value *input);

/* signals.c: runs what the routes from first on need, and gives the object
 * for input.signals (undefined: none was needed). */
enum bl_status policy_run_signals(struct policy_run *run, size_t first,
				  struct bl_value *out_signals);

/* evaluate.c: evaluates the routed policies from first on with input. */
enum bl_status policy_evaluate(struct policy_run *run, size_t first,
			       struct bl_value input);

/* evaluate.c: how anything is evaluated in this run. */
struct bl_rego_options policy_rego_options(struct policy_run *run,
					   struct bl_value input);

/* evaluate.c: notes that an evaluation ended badly; policy NULL: the packs'. */
enum bl_status policy_note_fault(struct policy_run *run,
				 const struct bl_policy *policy,
				 const struct bl_rego_result *result);

/*
 * facts.c: puts the facts of the event (docs/reference/facts.md) into
 * input.belay; they are found the first time.
 */
enum bl_status policy_add_facts(struct policy_run *run, struct bl_value *input);

/* decide.c: do the findings so far refuse? */
bool policy_has_refused(const struct bl_policy_report *report);

/* packs.c: adds what the rule packs say of input, when a level is set. */
enum bl_status policy_judge_by_packs(struct policy_run *run,
				     struct bl_value input);

/* own_rules.c: does a rulebook have rules of its own? */
bool policy_has_own_rules(const struct bl_policy_set *set);

/* own_rules.c: adds what the rulebooks' own rules say of run->found. */
enum bl_status policy_judge_by_own_rules(struct policy_run *run);

/*
 * own_rules.c: does an allow rule or an exception of a rulebook let pass what a
 * pack's rule has found?  *out_note says which one, or why one that fits does
 * not count; empty: no one fits.
 */
enum bl_status policy_spares(struct policy_run *run, struct bl_value hit,
			     bool *out_spared, struct bl_str *out_note);

/* own_rules.c: the first rulebook that keeps this one from loosening; or NULL. */
const struct bl_policy_dir *policy_forbidder(const struct bl_policy_set *set,
					     enum bl_policy_origin origin);

/* packs.c: is it a mode of a rule: off, monitor, ask, deny? */
bool policy_is_mode(struct bl_str text);

/*
 * facts.c: the workspace of the event: the first root that the agent names, else
 * the repository of its folder, else the folder.  Real where it exists.
 */
struct bl_str policy_workspace(struct policy_run *run, struct bl_str cwd);

/*
 * allowance.c: where all that refuses or asks can be allowed, lets pass what a
 * person has allowed, or says which action could be.
 */
enum bl_status policy_ask_allowances(struct policy_run *run);

/* Adds a finding that decides nothing. */
enum bl_status policy_spare(struct policy_run *run,
			    const struct bl_policy_finding *finding,
			    enum bl_spared why);

/* finding.c: reads what one document gave into findings. */
enum bl_status policy_read_findings(struct policy_run *run,
				    const struct bl_policy *policy,
				    const struct bl_policy_document *document,
				    struct bl_value value);

/*
 * The policies once more, compiled to be observed, and explain.c, which
 * evaluates a document of them and says of each finding from first on what made
 * it so; it fails only when run->arena does.  By pointer: the static program,
 * which opens images, has neither.
 */
struct policy_observed {
	const struct bl_rego_policies *rego;
	enum bl_status (*explain)(struct policy_run *run,
				  const struct bl_policy_document *document,
				  const struct bl_rego_options *options,
				  size_t first);
};

enum bl_status policy_explain(struct policy_run *run,
			      const struct bl_policy_document *document,
			      const struct bl_rego_options *options,
			      size_t first);

/* synthesis.c: from findings and troubles to the decision. */
enum bl_status policy_synthesise(struct policy_run *run);

/* failure.c: notes a failure with the verdict that the tables give it. */
enum bl_status policy_trouble(struct policy_run *run,
			      enum bl_policy_failure failure,
			      const struct bl_policy *policy,
			      struct bl_str text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/policies/policies.h: policy directories, and what they decide about one event.
 *
 * A policy directory (.belay/ or .cupcake/; docs/contracts/cupcake.md
 * "Directories") holds Rego policies, a rulebook, signals.  Loading reads it,
 * checks the metadata of each policy, and compiles (struct bl_policy_set,
 * immutable).  Deciding routes an event, runs the signals that the routed
 * policies need, evaluates their verbs, and makes one decision (struct
 * bl_policy_report says how).
 *
 * This module knows no agent: what an event is in agent-neutral terms comes
 * with it, as input.belay (docs/contracts/agents.md "Neutral events").
 *
 * Nothing that goes wrong is silent, and nothing that goes wrong allows:
 * sources/policies/failures.def says what each failure means for each class of event.
 */
#ifndef BELAY_SOURCES_POLICIES_POLICIES_H
#define BELAY_SOURCES_POLICIES_POLICIES_H

#include "allowance/allowance.h"
#include "base/diag.h"
#include "decision/decision.h"
#include "event/event.h"
#include "rego/rego.h"
#include "value/value.h"

/* ---- words -------------------------------------------------------------- */

enum bl_policy_failure {
#define FAILURE(name, text, permission, prompt, observe, what)                 \
	BL_FAILURE_##name,
#include "sources/policies/failures.def"
#undef FAILURE
	BL_FAILURE_COUNT
};

const char *bl_policy_failure_name(enum bl_policy_failure failure);
const char *bl_policy_failure_text(enum bl_policy_failure failure);

/* The meaning of a failure for a class of event, before on_error. */
enum bl_verdict bl_policy_failure_verdict(enum bl_policy_failure failure,
					  enum bl_event_class class);

/* ---- rulebook ----------------------------------------------------------- */

enum bl_signal_kind {
	BL_SIGNAL_SHELL, /* command is a shell command line */
	BL_SIGNAL_ARGV,  /* argv, without a shell */
	BL_SIGNAL_FILE,  /* command is a path whose content is the result */
};

/* A program (or file) that tells policies something. */
struct bl_signal {
	struct bl_str name;
	enum bl_signal_kind kind;
	struct bl_str command;
	const char *const *argv; /* ARGV: NULL-ended */
	uint32_t timeout_ms;
	struct bl_str origin; /* "rulebook.yml", the program's path, ... */
	/*
	 * "readonly", "workspace+network", ...; empty: an ordinary child.  Files
	 * are read by us, whatever it says.
	 */
	struct bl_str sandbox;
};

/* One row of on_error: "*" stands for every event. */
struct bl_on_error {
	struct bl_str event;
	enum bl_verdict verdict; /* ALLOW: go on, and report */
};

/*
 * How much the rule packs stop; the strictest one that a rulebook asks for
 * counts.  UNSET and OFF: nothing.
 */
enum bl_level {
	BL_LEVEL_UNSET,
	BL_LEVEL_OFF,
	BL_LEVEL_RELAXED,
	BL_LEVEL_STANDARD,
	BL_LEVEL_STRICT,
	BL_LEVEL_COUNT
};

const char *bl_level_name(enum bl_level level); /* "" for UNSET */
bool bl_level_parse(struct bl_str text, enum bl_level *out_level);

/*
 * May a rulebook that counts less (the project's) switch rules off, allow what
 * they stop, make exceptions?  UNSET: when this one has no level.
 */
enum bl_weaken {
	BL_WEAKEN_UNSET,
	BL_WEAKEN_FORBID,
	BL_WEAKEN_ALLOW,
};

/* rulebook.yml, read.  Missing keys have their defaults. */
struct bl_rulebook {
	struct bl_str path; /* of the file; empty: absent */
	bool is_broken;     /* it has errors: diags says which */
	struct bl_signal *signals;
	size_t signal_count;
	uint32_t builtins;              /* enabled: bit i is row i */
	struct bl_value builtin_config; /* name to options, of the enabled */
	const struct bl_on_error *on_error;
	size_t on_error_count;
	bool telemetry_enabled;
	bool telemetry_is_text;
	struct bl_str telemetry_destination;
	bool inspect_scripts; /* preprocess.scripts */
	enum bl_level level;  /* of the rule packs */
	/* {"git/force-push": "ask", "cloud": "off"}: of rules, of packs. */
	struct bl_value modes;
	/*
	 * {"rules": [...], "exceptions": [...]}, compiled (rulebook_rules.c): what
	 * a rulebook says without Rego.
	 */
	struct bl_value own;
	enum bl_weaken weaken; /* of what rulebooks below this one loosen */
	/*
	 * The verdict for a modification that the agent cannot make: DENY, or
	 * ALLOW (go on unmodified); NONE: it is not said.
	 */
	enum bl_verdict on_unmodifiable;
};

/* ---- builtins ----------------------------------------------------------- */

enum { BL_POLICY_MAX_BUILTINS = 32 };

/* A policy that belay brings; a rulebook section of its name enables it. */
struct bl_policy_builtin {
	const char *name;
	const char *alias; /* another name of its section, or NULL */
	const char *title;
	const char *source;        /* Rego */
	const char *signal_prefix; /* of the signals it makes, or NULL */
	/*
	 * Which of its signals an event needs; NULL: all.  belay is the input's,
	 * with the facts when the builtin reads them.
	 */
	bool (*needs_signal)(struct bl_str rest_of_name, struct bl_value belay);
	/* Its option that is a list of paths, "~/" among them; NULL: none. */
	const char *path_list;
	/* Further paths of that list, below the home of each user; NULL: no more. */
	const char *const *in_home;
};

extern const struct bl_policy_builtin bl_policy_builtins[];
extern const size_t bl_policy_builtin_count;

/* Index of the row with this name or alias; SIZE_MAX: none. */
size_t bl_policy_builtin_find(struct bl_str name);

/*
 * Appends the libraries of belay (belay.system.shell, ...) that sources mention
 * and do not have; the list is copied into arena.
 */
enum bl_status bl_policy_add_libraries(struct bl_arena *arena,
				       struct bl_rego_source **sources,
				       size_t *count, struct bl_error *err);

/* ---- policies ----------------------------------------------------------- */

struct bl_names {
	const struct bl_str *items;
	size_t count;
};

/* One rule document that gives decisions. */
struct bl_policy_document {
	enum bl_verb verb;
	uint32_t document;  /* for bl_rego_document */
	struct bl_str path; /* "cupcake.policies.git.deny" */
	struct bl_str file; /* of its first rule */
	uint32_t line;
};

/* All files of one package that have routing. */
struct bl_policy {
	struct bl_str package;
	struct bl_str file; /* the first with metadata */
	struct bl_names events;
	struct bl_names tools;
	struct bl_names signals;  /* required, and demanded */
	struct bl_names demanded; /* those whose absence is a failure */
	struct bl_str id;
	struct bl_str severity;
	struct bl_str title;
	struct bl_value metadata;                   /* as written */
	const struct bl_policy_builtin *builtin;    /* NULL: a file */
	const struct bl_policy_document *documents; /* of the package */
	size_t document_count;
};

/* In their order: a later one cannot allow an action that an earlier one forbids. */
enum bl_policy_origin {
	BL_POLICY_TEAM,   /* the set of the team that this machine is in */
	BL_POLICY_GLOBAL, /* the user's own, or root's */
	BL_POLICY_PROJECT,
	BL_POLICY_ORIGINS
};

/* "team", "global", "project". */
const char *bl_policy_origin_name(enum bl_policy_origin origin);

/* Something that keeps a directory from deciding. */
struct bl_policy_problem {
	enum bl_policy_failure failure;
	struct bl_str text; /* for people: what, and what to do */
};

struct policy_observed;

/*
 * A seal is an image that root has put beside the policies, in a directory that
 * only root can write.  It decides for all users, whatever is in their caches,
 * until a file is added, removed or replaced; edits in place count when the
 * directory is sealed again.
 */
enum bl_policy_sealed {
	BL_SEALED_NOT,
	BL_SEALED,           /* as the files are now */
	BL_SEALED_OTHERWISE, /* the files have changed since */
};

/* One directory, loaded for one agent. */
struct bl_policy_dir {
	enum bl_policy_origin origin;
	struct bl_str path; /* resolved; empty: absent */
	struct bl_rulebook rulebook;
	const struct bl_rego_policies *rego;    /* NULL: nothing to evaluate */
	const struct policy_observed *observed; /* private; NULL: not asked */
	const struct policy_stamps *stamps;     /* private; NULL: not kept */
	struct bl_policy *policies;
	size_t policy_count;
	const struct bl_policy_problem *problems;
	size_t problem_count;
	bool wants_facts; /* some rule names commands, effects or opaque */
	enum bl_policy_sealed sealed; /* with a seal in the load options */
	struct bl_str image;          /* mapped; empty: it was loaded */
};

/* The directories that decide, in their order. */
struct bl_policy_set {
	struct bl_policy_dir dirs[BL_POLICY_ORIGINS];
};

/* ---- finding and loading ------------------------------------------------ */

/*
 * Where --policy-dir leads (docs/contracts/cupcake.md "Directories"): given
 * itself when it is a .belay or .cupcake or looks like one, else such a folder
 * in it, else beside it.  given may be empty: the working directory.  Relative
 * ones start in the working directory, links are followed, nothing is looked
 * for further up.  NOT_FOUND with a message that names the path and what to
 * run.
 */
enum bl_status bl_policy_find_dir(struct bl_str given, struct bl_arena *arena,
				  struct bl_str *out_path,
				  struct bl_error *err);

/* The policy directory in a folder, resolved; ptr NULL: absent. */
struct bl_str bl_policy_dir_of(struct bl_str folder, struct bl_arena *arena);

/*
 * The global directory: given (must be absolute and a directory: INVALID,
 * NOT_FOUND), else config_home/belay or config_home/cupcake, where it has
 * policies/ or rulebook.yml.  *out_path is empty when none of these exists.
 */
enum bl_status bl_policy_find_global(struct bl_str given,
				     struct bl_str config_home,
				     struct bl_arena *arena,
				     struct bl_str *out_path,
				     struct bl_error *err);

/*
 * Where images of compiled directories are kept (docs/formats/image.md), which
 * spare the reading and compiling as long as nothing has changed.
 */
struct bl_policy_cache {
	struct bl_str dir; /* absolute; made when it is missing */
	/* The program whose change makes images stale: what compiles. */
	struct bl_str compiler;
};

/*
 * Whether images can be kept there, and would be used.  NOT_FOUND: there is no
 * such folder yet, and nothing against making it.  Else why not, for people.
 */
enum bl_status bl_policy_check_cache(const struct bl_policy_cache *cache,
				     struct bl_error *err);

/* Where the directory of an origin is. */
struct bl_policy_place {
	struct bl_str path; /* resolved (bl_policy_find_dir); empty: absent */
	/* Why it is absent: becomes a problem of the set.  Empty: fine. */
	struct bl_str missing;
};

struct bl_policy_load_options {
	struct bl_policy_place places[BL_POLICY_ORIGINS];
	struct bl_str agent; /* the folder's name below policies/ */
	/*
	 * The names of all agents, NULL behind the last: a folder of that name
	 * below policies/ is that agent's alone.  May be NULL: every folder is
	 * for all.
	 */
	const char *(*agent_at)(size_t index);
	bool observe;     /* to be explained (struct bl_policy_finding, why) */
	bool keep_stamps; /* for bl_policy_has_changed */
	const struct bl_policy_cache *cache; /* NULL: none */
	/*
	 * BL_SEAL_WRITE: sound directories are sealed for the agent.  DENIED
	 * when this user is not root or others can write there, INVALID when
	 * the directory is broken.
	 */
	enum bl_policy_sealing {
		BL_SEAL_NO,
		BL_SEAL_COMPARE,
		BL_SEAL_WRITE
	} seal;
};

struct bl_policy_event;

/*
 * Opens the images of the directories for one event: the set has no policies
 * but those that may take part in it.  NOT_FOUND, with the reason, when there
 * is not a fresh and sound image of each: then load.  UNSUPPORTED when this
 * program lacks a builtin that the policies call.  The image is
 * mapped: bl_policy_close.
 */
enum bl_status bl_policy_open(const struct bl_policy_load_options *options,
			      const struct bl_policy_event *event,
			      struct bl_arena *arena,
			      const struct bl_policy_set **out_set,
			      struct bl_error *err);

/*
 * Has anything changed that a set was loaded from (with keep_stamps)?  True as
 * well when a file was so new that a second change of it could not be told.
 */
bool bl_policy_has_changed(const struct bl_policy_set *set);

/* Lets go of what is mapped; nothing else for a set that was loaded. */
void bl_policy_close(const struct bl_policy_set *set);

/*
 * Loads and compiles, and keeps images of the sound directories where there is
 * a cache.  OK also when the directories are broken: then the set has problems,
 * and deciding follows the table; every finding is in diags.  Only memory and
 * limits of arena fail.
 */
enum bl_status bl_policy_load(const struct bl_policy_load_options *options,
			      struct bl_arena *arena, struct bl_diags *diags,
			      const struct bl_policy_set **out_set,
			      struct bl_error *err);

/*
 * Makes the folder for the seals of a directory, which changes the directory:
 * before it is loaded to be sealed.  DENIED: this user is not root.
 */
enum bl_status bl_policy_prepare_seal(struct bl_str dir, struct bl_arena *arena,
				      struct bl_error *err);

/*
 * Reads one rulebook.  A missing one has the defaults; findings go to diags
 * and set is_broken when they are errors.  dir is the policy directory.
 */
enum bl_status bl_rulebook_read(struct bl_str dir, struct bl_arena *arena,
				struct bl_diags *diags,
				struct bl_rulebook *out_rulebook,
				struct bl_error *err);

/* As above for a text: only what the text itself says. */
enum bl_status bl_rulebook_parse(struct bl_str path, struct bl_str text,
				 struct bl_arena *arena, struct bl_diags *diags,
				 struct bl_rulebook *out_rulebook,
				 struct bl_error *err);

/* The level in force: the strictest that a rulebook of the set asks for. */
enum bl_level bl_policy_level(const struct bl_policy_set *set);

/*
 * The mode in force of a rule of the packs: "off", "monitor", "ask", "deny".  Of
 * the set only the rulebooks are looked at; row is the rule's in bl_packs_rules.
 */
const char *bl_policy_rule_mode(const struct bl_policy_set *set,
				struct bl_str rule, struct bl_value row);

/* One more entry of a list of a rulebook. */
struct bl_rulebook_entry {
	const char *section; /* "rules", "exceptions" */
	struct bl_str path;  /* of the rulebook, for messages */
	struct bl_str text;  /* of it, as it is now; may be empty */
	struct bl_str entry; /* in one line: {deny: "terraform destroy"} */
};

/*
 * The rulebook's text with that entry at the end of its list; all other bytes
 * stay.  INVALID, with what is wrong, when the entry is not right or the list
 * is written so that nothing can be put in.
 */
enum bl_status bl_rulebook_add(const struct bl_rulebook_entry *entry,
			       struct bl_arena *arena, struct bl_str *out_text,
			       struct bl_error *err);

/* The JSON Schema of rulebook.yml, for editors; undefined: memory. */
struct bl_value bl_rulebook_schema(struct bl_arena *arena);

/* The facts about agents that a validator needs; their events are not ours. */
struct bl_policy_validate_options {
	struct bl_str dir;   /* from bl_policy_find_dir */
	struct bl_str agent; /* only what this agent loads; empty: all */
	/* The directories before the project's, which may forbid weakening. */
	struct bl_str above[BL_POLICY_PROJECT];
	const char *(*agent_at)(size_t index); /* as in the load options */
	/*
	 * The verbs (1 << enum bl_verb) that have an effect at an event of a
	 * agent; for "all" of any.  False: not an event of it, and *out_near is
	 * the one that may have been meant, or NULL.  May be NULL.
	 */
	bool (*verbs_at)(struct bl_str agent, struct bl_str event,
			 unsigned *out_verbs, const char **out_near);
	/* The tool that was meant by one that no agent has; NULL: neither. */
	const char *(*near_tool)(struct bl_str tool);
	/*
	 * The tool that was meant by a name in the wrong case for the agent
	 * ("all": that only some agents write so), with its kind; NULL: neither.
	 * May be NULL.
	 */
	const char *(*recased_tool)(struct bl_str agent, struct bl_str tool,
				    const char **out_kind);
};

/*
 * Checks a directory: its rulebook, and every policy of every agent by the
 * rules of docs/contracts/cupcake.md "Validation" as mended
 * (docs/internals/policies.md), and that the policies of each agent compile
 * together.  The findings of bl_policy_load are among them.
 */
enum bl_status
bl_policy_validate(const struct bl_policy_validate_options *options,
		   struct bl_arena *arena, struct bl_diags *diags,
		   size_t *out_file_count, struct bl_error *err);

/* A policy file, for listings. */
struct bl_policy_info {
	struct bl_str path;
	struct bl_str package;
	struct bl_value metadata; /* undefined: none, or broken */
	bool is_builtin;          /* in a folder "builtins" */
};

struct bl_policy_infos {
	struct bl_policy_info *items;
	size_t count;
};

/*
 * Lists every policy that is loaded for the agent of options (no name: of all
 * agents), broken ones too, sorted; libraries, which decide nothing, are not
 * listed.
 */
enum bl_status bl_policy_list(const struct bl_policy_validate_options *options,
			      struct bl_arena *arena, struct bl_diags *diags,
			      struct bl_policy_infos *out_list,
			      struct bl_error *err);

/* The paths of the files behind that list, of libraries and of tests. */
enum bl_status bl_policy_paths(const struct bl_policy_validate_options *options,
			       struct bl_arena *arena,
			       struct bl_names *out_paths,
			       struct bl_error *err);

/* ---- deciding ----------------------------------------------------------- */

/* One event, as the caller's agent defines it.  All borrowed. */
struct bl_policy_event {
	struct bl_str name;      /* as the agent calls it: "PreToolUse" */
	struct bl_str canonical; /* "tool.before" */
	struct bl_str tool;      /* as the agent calls it; empty: none */
	struct bl_str tool_kind; /* "shell", "file.edit"; empty: none */
	enum bl_event_class class;
	struct bl_value input; /* what policies see; an object */
	/* docs/contracts/agents.md "Neutral events"; undefined: none */
	struct bl_value belay;
	struct bl_str cwd; /* of the event; empty: the process's */
};

struct bl_policy_options {
	uint64_t max_steps;  /* of one document; 0: BL_REGO_MAX_STEPS */
	size_t max_bytes;    /* of one document; 0: 256 MiB */
	uint32_t timeout_ms; /* of it all; 0: none */
	/* When to give up (os/os.h); NULL: never.  A failure then is a trouble. */
	const struct bl_stop *stop;
	/* An object of results to use in place of running; undefined: run. */
	struct bl_value recorded_signals;
	enum bl_level level; /* in place of the rulebooks'; UNSET: theirs */
	enum bl_level usual_level; /* where no rulebook says one */
	bool no_guard; /* without a level not even the pack guard decides */
	struct bl_str home; /* of the user; empty: as the system says */
	/*
	 * The folder of belay's state, where what a person has allowed is
	 * looked for; empty: nothing is allowed, and no code is offered.
	 */
	struct bl_str state_dir;
	struct bl_rego_host host; /* rego/rego.h */
};

enum { BL_POLICY_MAX_BYTES = 256 << 20 };

/* Why a policy took part, or did not. */
enum bl_route {
	BL_ROUTE_MATCHED,
	BL_ROUTE_JOINED,  /* it routes on nothing: runs when another does */
	BL_ROUTE_EVENT,   /* no: another event */
	BL_ROUTE_TOOL,    /* no: another tool */
	BL_ROUTE_NO_TOOL, /* no: it wants a tool, but the event has no tool */
	BL_ROUTE_ALONE,   /* no: it routes on nothing, and no other matched */
	BL_ROUTE_DECIDED, /* no: an earlier directory has refused already */
	BL_ROUTE_COUNT
};

const char *bl_route_text(enum bl_route route);

static inline bool bl_route_runs(enum bl_route route)
{
	return route <= BL_ROUTE_JOINED;
}

struct bl_policy_routed {
	const struct bl_policy_dir *dir;
	const struct bl_policy *policy;
	enum bl_route route;
};

/* The events or tools that the policy wants, and that were not there. */
struct bl_names bl_policy_unmet(const struct bl_policy_routed *routed);

/* Why a finding decided nothing. */
enum bl_spared {
	BL_SPARED_NOT,       /* it decided */
	BL_SPARED_MONITORED, /* the mode of its rule is monitor */
	BL_SPARED_ALLOWED,   /* a person allowed the action */
	BL_SPARED_EXCEPTED,  /* an allow rule or an exception of a rulebook */
};

/* One decision of a policy. */
struct bl_policy_finding {
	enum bl_verb verb;
	const struct bl_policy *policy;
	const struct bl_policy_document *document;
	struct bl_str reason; /* ADD_CONTEXT: the context */
	struct bl_str user;   /* reason for the person; ptr NULL: reason */
	struct bl_str agent;  /* reason for the model; ptr NULL: none */
	struct bl_str safe_alternative; /* ptr NULL: none */
	struct bl_str rule_id;
	struct bl_str severity;        /* "LOW", "MEDIUM", "HIGH", "CRITICAL" */
	struct bl_value updated_input; /* MODIFY */
	int64_t priority;              /* MODIFY: 0 to 255 */
	struct bl_value raw;
	/*
	 * The explanation, of a set that was loaded to be observed: a tree of
	 * rego/rego.h ("explaining"), or an object with "problem".
	 */
	struct bl_value why;
	bool counted; /* its verb is what was decided, or it is context */
	bool can_be_allowed; /* by a person, with belay allow */
	enum bl_spared spared;
};

/* One failure that happened on the way, and what it came to. */
struct bl_policy_trouble {
	enum bl_policy_failure failure;
	const struct bl_policy *policy; /* NULL: not of one policy */
	struct bl_str text;
	enum bl_verdict verdict; /* NONE: reported only */
};

struct bl_signal_result {
	const struct bl_signal *signal; /* NULL: not in the rulebook */
	struct bl_str name;
	struct bl_value value; /* undefined: missing */
	struct bl_str problem; /* why it is missing; empty: it is not */
	bool timed_out;
	int64_t elapsed_ns;
};

/* The result of one directory for the event. */
struct bl_policy_phase {
	bool has_run;       /* policies of it were asked */
	int64_t started_ns; /* monotonic */
	int64_t ended_ns;
	size_t first_finding;
	size_t finding_count;
	size_t first_signal;
	size_t signal_count;
};

struct bl_policy_report {
	struct bl_policy_routed *routes; /* every policy, once */
	size_t route_count;
	struct bl_policy_finding *findings;
	size_t finding_count;
	/* Those that decided nothing: verb is what they would have done. */
	struct bl_policy_finding *spared;
	size_t spared_count;
	/*
	 * The allowance by which this event passes (granted_ms is not
	 * 0); else the action that can be allowed, without a code.  Its digest
	 * is empty where neither is so.
	 */
	struct bl_allowance allowance;
	struct bl_str allowance_problem; /* of one that allows nothing */
	struct bl_policy_trouble *troubles;
	size_t trouble_count;
	struct bl_signal_result *signals;
	size_t signal_count;
	struct bl_policy_phase phases[BL_POLICY_ORIGINS];
	struct bl_value input; /* what policies saw, of the last directory */
	struct bl_value
		facts; /* docs/reference/facts.md; undefined: not asked */

	/*
	 * The verdict (docs/contracts/cupcake.md): NONE when nothing was
	 * said.  updated_input are the modifications, merged.
	 */
	struct bl_decision decision;
};

/*
 * Decides one event.  OK whatever the policies did; NO_MEMORY or LIMIT of
 * arena, and then the caller must refuse what can be refused.
 */
enum bl_status bl_policy_decide(const struct bl_policy_set *set,
				const struct bl_policy_event *event,
				const struct bl_policy_options *options,
				struct bl_arena *arena,
				struct bl_policy_report *out_report,
				struct bl_error *err);

/*
 * Does the set let an action go on that was to be modified, where the agent
 * cannot?  on_unmodifiable of the rulebooks, the stricter one; else usual.
 */
bool bl_policy_passes_unmodified(const struct bl_policy_set *set, bool usual);

/* The report as JSON's types, for journals and `belay explain`. */
struct bl_value bl_policy_report_value(const struct bl_policy_report *report,
				       struct bl_arena *arena);

/*
 * The report without anything that may hold a secret of the event: which
 * policies ran, the rules that fired, the names of the troubles.
 */
struct bl_value bl_policy_report_brief(const struct bl_policy_report *report,
				       struct bl_arena *arena);

/* This machine's file system, as module effects asks for it. */
struct bl_effects_world;
const struct bl_effects_world *bl_policy_world(void);

#endif

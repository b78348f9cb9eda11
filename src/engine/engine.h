/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/engine.h: one event, start to finish: payload in, sources asked,
 * their outcomes combined, the response made, all of it recorded.
 *
 * Two *sources* decide: hooks (found, matched, run) and policies (routed,
 * evaluated).  The profile, or the options, say which are asked and in what
 * order; each sees the input as the one before has rewritten it, and what they
 * decide is combined by bl_combine_sources.  `belay dispatch`, `belay eval` and
 * libbelay are settings of this one engine: they differ in the sources and in
 * the *form* of the response.
 *
 * A struct bl_engine holds options and the current *snapshot* (immutable and
 * counted: the hooks, and the policies where they are loaded for many events).
 * Several threads may dispatch at once while another reloads: events in flight
 * keep the snapshot that they began with.  Each dispatch works in the arena of
 * its caller.
 *
 * It starts from "no": whatever goes wrong inside belay while an event that
 * can be stopped is decided (memory, limits, a broken managed file, policies
 * that do not compile) makes the reply a refusal with the reason.
 *
 * Only the engine writes the journal.
 */
#ifndef BELAY_ENGINE_ENGINE_H
#define BELAY_ENGINE_ENGINE_H

#include "base/arena.h"
#include "base/error.h"
#include "decision/decision.h"
#include "run/run.h"
#include "agents/agents.h"
#include "sources/hooks/hooks.h"
#include "journal/journal.h"
#include "sources/policies/policies.h"

struct bl_engine;   /* heap */
struct bl_snapshot; /* heap, counted */

/* The format of a response. */
enum bl_response_form {
	/* belay serves the agent: what to enforce, and the merged answer. */
	BL_FORM_SERVICE,
	/* belay is the agent's hook: what a hook of this agent prints. */
	BL_FORM_HOOK,
};

/* Compiles policies: bl_policy_load. */
typedef enum bl_status
bl_engine_compile_fn(const struct bl_policy_load_options *options,
		     struct bl_arena *arena, struct bl_diags *diags,
		     const struct bl_policy_set **out_set,
		     struct bl_error *err);

/* Where policies are, and how they decide.  cache must outlive the engine. */
struct bl_engine_policies {
	/*
	 * The directory (bl_policy_find_dir).  Empty: FORM_HOOK looks in the
	 * working directory, and a missing one is a failure; FORM_SERVICE
	 * looks in the workspaces, and asks policies where there are some.
	 */
	struct bl_str dir;
	struct bl_str global_config; /* bl_policy_find_global */
	struct bl_str config_home;   /* where to look for it; empty: nowhere */
	const struct bl_policy_cache *cache; /* of images; NULL: none */
	/* NULL: this program cannot; what has no image is UNSUPPORTED. */
	bl_engine_compile_fn *compile;
	bool explain;                     /* findings say what made them so */
	struct bl_policy_options options; /* host.now_ns 0: when it is asked */
};

/* FORM_HOOK: whose hook belay is. */
struct bl_engine_agent {
	const struct bl_agent *agent;
	const char *detected_by; /* NULL: the command line said it */
	bool is_strict;          /* agents/agents.h, as is the next */
	bool passes_unmodified;  /* where no rulebook says */
};

struct bl_engine_options {
	const struct bl_profile *profile; /* NULL: the default profile */
	/* The deciders to ask, in this order, to BL_ASK_NOBODY; NULL: the profile's. */
	const enum bl_asked *sources;
	enum bl_response_form form;
	struct bl_engine_agent agent;
	struct bl_engine_policies policies;
	struct bl_str system_root; /* see bl_hook_options */
	struct bl_str home;        /* empty: the user's */
	const struct bl_str *workspaces;
	size_t workspace_count;
	const struct bl_str *plugins;
	size_t plugin_count;
	struct bl_str config; /* Everruns: the one file to read; empty: all */
	bool lenient;
	bool no_project_gate; /* the gate of profile cursor-2.3 is closed */
	bool trust_all;
	bool check_start; /* hooks that cannot start are findings */
	/*
	 * For one event only: policies are opened for it alone, from images
	 * where there are some; reload_if_changed is UNSUPPORTED.
	 */
	bool no_reload;
	const char *agent_version; /* for cursor_version; NULL: "" */
	bool no_journal;
	/* The least confinement of commands; without a profile: as they ask. */
	struct bl_sandbox_request least_sandbox;
	/*
	 * dir empty: bl_journal_dir, or with no_journal nothing.  Heartbeats
	 * go to dir also with no_journal.
	 */
	struct bl_journal_options journal;
	/* Runs commands instead of our own children; run NULL: they do. */
	struct bl_own_executor own;
};

/*
 * Makes an engine: resolves the workspaces (folders that do not exist are
 * INVALID) and loads every source.  Options are copied.  On failure *out_engine
 * is not set.
 */
enum bl_status bl_engine_new(const struct bl_engine_options *options,
			     struct bl_engine **out_engine,
			     struct bl_error *err);

/* Waits for nothing: no dispatch may be running.  Returns NULL; NULL is fine. */
struct bl_engine *bl_engine_free(struct bl_engine *engine);

/* Reads every source again; on error the old set stays. */
enum bl_status bl_engine_reload(struct bl_engine *engine, struct bl_error *err);

/*
 * As above, only when a file has changed since (bl_hook_stamp,
 * bl_policy_has_changed).  *out_changed
 * (may be NULL) says whether a new set was read.
 */
enum bl_status bl_engine_reload_if_changed(struct bl_engine *engine,
					   bool *out_changed,
					   struct bl_error *err);

/*
 * Adds a workspace after the others, or takes one away, and reloads; events in
 * flight keep the snapshot that they began with.  Adding one that is there
 * already changes nothing.  Taking away: NOT_FOUND when it is not there; the
 * folder may be gone.  INVALID when it is not a folder, LIMIT when there are too
 * many.
 */
enum bl_status bl_engine_add_workspace(struct bl_engine *engine,
				       struct bl_str path,
				       struct bl_error *err);
enum bl_status bl_engine_remove_workspace(struct bl_engine *engine,
					  struct bl_str path,
					  struct bl_error *err);

/*
 * Trusts a workspace of the engine, as its hook file and scripts are in the
 * current snapshot, or as a whole folder (policies too); or forgets it.  Writes
 * the trust store of the home, and reloads.  NOT_FOUND when the workspace is not
 * the engine's, has no hook file (unless whole), or was not trusted; INVALID
 * when the file is broken.
 */
enum bl_status bl_engine_trust(struct bl_engine *engine, struct bl_str path,
			       bool whole, struct bl_error *err);
enum bl_status bl_engine_untrust(struct bl_engine *engine, struct bl_str path,
				 struct bl_error *err);

/* The current snapshot, to be given back with unref. */
const struct bl_snapshot *bl_engine_snapshot(struct bl_engine *engine);
const struct bl_snapshot *bl_snapshot_unref(const struct bl_snapshot *snapshot);
const struct bl_hook_set *bl_snapshot_set(const struct bl_snapshot *snapshot);

/* NULL: not loaded (no_reload), or not asked. */
const struct bl_policy_set *
bl_snapshot_policies(const struct bl_snapshot *snapshot);

/*
 * Is any hook configured for this event (running or not)?  True as well when a
 * file that could have had one is changed, or managed and broken: a caller that does
 * not dispatch without hooks must still dispatch these.
 */
bool bl_engine_has_hook(struct bl_engine *engine, struct bl_str event_name);

/* ---- dispatch --------------------------------------------------------------- */

struct bl_request {
	struct bl_str event_name; /* empty: the payload's hook_event_name */
	struct bl_str payload;    /* JSON text; must outlive the reply */
	const char *detected_by; /* of this event's agent; NULL: the engine's */
	/* FORM_HOOK: why the payload could not be read: refuse.  Or NULL. */
	const struct bl_error *failure;
	/* Results of signals to use instead of running them; or undefined. */
	struct bl_value recorded_signals;
	/*
	 * When to give up: what has not been decided by then is refused, with
	 * the outcomes CANCELLED or DEADLINE.  NULL: never.
	 */
	const struct bl_stop *stop;
};

/*
 * A hook of the set and its outcome for this event.  For a file that
 * counts as a whole (managed and broken; changed since it was trusted) the
 * hook is one that stands for it: it has a file and an event, and no command.
 */
struct bl_reply_execution {
	const struct bl_hook *hook; /* never NULL */
	enum bl_match match;
	struct bl_outcome outcome;
	enum bl_effect effect; /* what the outcome counted as */
	struct bl_value response;
	bool ran;
	int64_t started_wall_ms;
	struct bl_child_result child;
	struct bl_str layers;         /* of its sandbox; empty: none */
	struct bl_str missing_layers; /* and those it did not have, with why */
	char id[BL_JOURNAL_ID_BYTES]; /* of its journal entry */
};

struct bl_reply {
	const struct bl_profile *profile;
	/* FORM_HOOK: NULL when no hooks are asked about this event. */
	const struct bl_hook_event *hook_event;
	/* Of the profiles of Everruns; NULL: of another, which has an event. */
	const struct bl_everruns_chain *chain;
	/* As policies see the event; event NULL: it was not decoded. */
	struct bl_agent_request request;
	struct bl_decision decision; /* of all sources */

	/* FORM_SERVICE */
	struct bl_enforcement enforcement;
	struct bl_value answer; /* in the agent's own format */

	/* FORM_HOOK; FORM_SERVICE has effect and exit_code of it. */
	struct bl_response response;
	struct bl_str failure; /* why nothing was decided; empty: it was */
	struct bl_buf text;    /* of a response to no event */

	/* policies NULL: they were not asked */
	const struct bl_policy_set *policies;
	bool opened_policies; /* for this event: closed with the reply */
	struct bl_policy_report report;
	char policy_id[BL_JOURNAL_ID_BYTES]; /* of its journal entry */
	/* The code that lets the refused action pass; empty: no code. */
	char code[BL_ALLOWANCE_CODE_BYTES];

	struct bl_reply_execution *executions; /* of this event, that match */
	size_t execution_count;
	/* Array of strings: untrusted, lost, ...; undefined: memory is out. */
	struct bl_value notices;
	bool recorded; /* the journal has every execution that there is */
	const struct bl_snapshot *snapshot; /* kept until bl_reply_clear */
};

/*
 * Decides one event.  OK when there is a decision (also a refusal).
 *   INVALID, SYNTAX  the payload is not one
 *   NOT_FOUND        the profile has no such event
 *   UNSUPPORTED      a hook or a policy needs belay-tools (static program)
 *   LIMIT, NO_MEMORY
 * On any of these the caller must treat the event as refused.  FORM_HOOK fails
 * with UNSUPPORTED only: all else is a response that refuses, with failure.
 * *out_reply lives in arena until bl_reply_clear.
 */
enum bl_status bl_engine_dispatch(struct bl_engine *engine,
				  const struct bl_request *request,
				  struct bl_arena *arena,
				  struct bl_reply *out_reply,
				  struct bl_error *err);
void bl_reply_clear(struct bl_reply *reply);

/* The decision, in one word: "allow", "modify", ..., "halt". */
const char *bl_reply_word(const struct bl_reply *reply);

/* The result object of docs/formats/result.md. */
struct bl_value bl_reply_to_value(const struct bl_reply *reply,
				  struct bl_arena *arena);

/*
 * The explanation of bl_engine_explain, as an object of event, hooks (source, file,
 * event, command, runs, match) and notices.
 */
struct bl_value bl_reply_matches(const struct bl_reply *reply,
				 struct bl_arena *arena);

/* Would it run, and not fail before it starts? */
bool bl_engine_would_run(const struct bl_reply_execution *execution);

/*
 * Why it was decided so, in full: hooks with their outcomes, and the report of
 * policies.  May hold secrets of the event.
 */
struct bl_value bl_reply_explanation(const struct bl_reply *reply,
				     struct bl_arena *arena);

/*
 * That object for an event that could not be decided: decision deny with
 * an "error" of status and message.
 */
struct bl_value bl_reply_failure_value(const struct bl_error *err,
				       struct bl_arena *arena);

/*
 * Which hooks would run on this payload and why, without running any: one
 * bl_reply_execution for every configured hook, in execution order, whose
 * match says it (outcomes and effects are not set).  Also the notices.
 */
enum bl_status bl_engine_explain(struct bl_engine *engine,
				 const struct bl_request *request,
				 struct bl_arena *arena,
				 struct bl_reply *out_reply,
				 struct bl_error *err);

/* Fills in what the validator of policies has to know of agents. */
void bl_engine_know_agents(struct bl_policy_validate_options *options);

/*
 * Is a policy directory sound, for every agent?  INVALID with its first error.
 * context is the arena: a bl_team_prepare_fn (team/client/client.h).
 */
enum bl_status bl_engine_prepare_policies(void *context, struct bl_str dir,
					  struct bl_error *err);

/*
 * For struct bl_policy_options: time zones of this system, its randomness.
 * context is not used.
 */
bool bl_engine_read_zone(void *context, struct bl_arena *arena,
			 struct bl_str name, struct bl_str *out_tzif);
bool bl_engine_fill_random(void *context, void *out, size_t len);

#endif

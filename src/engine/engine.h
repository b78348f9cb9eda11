/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/engine.h: one event, start to finish: payload in, hooks found and
 * matched, run, answers checked, folded, enforced, recorded, reply out.
 *
 * A struct bl_engine holds options and the current *snapshot* (an immutable,
 * counted hook set).  Several threads may dispatch at once while another
 * reloads: events in flight keep the snapshot that they began with.  Each
 * dispatch works in the arena of its caller.
 *
 * It starts from "no": whatever goes wrong inside belay while an event that
 * can be stopped is decided (memory, limits, a broken managed file) makes the
 * reply a refusal with the reason.
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

struct bl_engine;   /* heap */
struct bl_snapshot; /* heap, counted */

struct bl_engine_options {
	const struct bl_profile *profile; /* NULL: the default profile */
	struct bl_str system_root;        /* see bl_hook_options */
	struct bl_str home;               /* empty: the user's */
	const struct bl_str *workspaces;
	size_t workspace_count;
	const struct bl_str *plugins;
	size_t plugin_count;
	bool lenient;
	bool no_project_gate; /* the gate of profile cursor-2.3 is closed */
	bool trust_all;
	bool no_reload; /* for one event only: reload_if_changed is UNSUPPORTED */
	const char *agent_version; /* for cursor_version; NULL: "" */
	bool no_journal;
	/* What commands run with at least; without a profile: as they ask. */
	struct bl_sandbox_request least_sandbox;
	struct bl_journal_options journal; /* dir empty: bl_journal_dir */
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
 * The same, only when a file has changed since (bl_hook_stamp).  *out_changed
 * (may be NULL) says whether a new set was read.
 */
enum bl_status bl_engine_reload_if_changed(struct bl_engine *engine,
					   bool *out_changed,
					   struct bl_error *err);

/* The current snapshot, to be given back with unref. */
const struct bl_snapshot *bl_engine_snapshot(struct bl_engine *engine);
const struct bl_snapshot *bl_snapshot_unref(const struct bl_snapshot *snapshot);
const struct bl_hook_set *bl_snapshot_set(const struct bl_snapshot *snapshot);

/*
 * Is any hook configured for this step (running or not)?  True as well when a
 * file that could have had one is changed, or managed and broken: whoever does
 * not dispatch for want of hooks must not pass those by.
 */
bool bl_engine_has_hook(struct bl_engine *engine, struct bl_str step);

/* ---- dispatch --------------------------------------------------------------- */

struct bl_request {
	struct bl_str step;    /* empty: the payload's hook_event_name */
	struct bl_str payload; /* JSON text; must outlive the reply */
	/*
	 * When to give up: what has not been decided by then is refused, with
	 * the outcomes CANCELLED or DEADLINE.  NULL: never.
	 */
	const struct bl_stop *stop;
};

/*
 * A hook of the set and what became of it for this event.  For a file that
 * counts as a whole (managed and broken; changed since it was trusted) the
 * hook is one that stands for it: it has a file and a step, and no command.
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
	const struct bl_hook_event *step;
	struct bl_decision decision;
	struct bl_enforcement enforcement;
	struct bl_value answer;                /* in the agent's own format */
	struct bl_reply_execution *executions; /* of this step, that match */
	size_t execution_count;
	struct bl_value notices; /* array of strings: untrusted, lost, ... */
	bool recorded; /* the journal has every execution that there is */
	const struct bl_snapshot *snapshot; /* kept until bl_reply_clear */
};

/*
 * Decides one event.  OK when there is a decision (also a refusal).
 *   INVALID, SYNTAX  the payload is not one
 *   NOT_FOUND        the profile has no such step
 *   UNSUPPORTED      a hook needs belay-tools (static program only)
 *   LIMIT, NO_MEMORY
 * On any of these the caller must treat the event as refused.  *out_reply
 * lives in arena until bl_reply_clear.
 */
enum bl_status bl_engine_dispatch(struct bl_engine *engine,
				  const struct bl_request *request,
				  struct bl_arena *arena,
				  struct bl_reply *out_reply,
				  struct bl_error *err);
void bl_reply_clear(struct bl_reply *reply);

/* The result object of docs/formats/result.md. */
struct bl_value bl_reply_to_value(const struct bl_reply *reply,
				  struct bl_arena *arena);

/*
 * The same object for an event that could not be decided: decision deny with
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

#endif

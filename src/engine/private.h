/* SPDX-License-Identifier: Apache-2.0 */
/* engine/private.h: what the files of this module share. */
#ifndef BELAY_ENGINE_PRIVATE_H
#define BELAY_ENGINE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "engine/engine.h"

/* Where hooks and policies are: what the options say, and what was found. */
struct bl_places {
	struct bl_hook_options hooks;
	struct bl_policy_load_options load; /* where policies were found */
	const struct bl_team_found *team; /* as it was then; NULL: not looked */
	struct bl_value notices; /* of looking for them; or undefined */
};

struct bl_snapshot {
	atomic_size_t count;
	struct bl_arena arena;
	struct bl_places places; /* its workspaces are its own */
	struct bl_hook_set set;
	struct bl_everruns_set everruns;      /* of the profiles of Everruns */
	const struct bl_policy_set *policies; /* NULL: not loaded */
};

struct bl_engine {
	struct bl_arena arena; /* options live here; not used after new */
	char memory[2048];     /* its first block, mostly its only one */
	struct bl_limits limits;
	enum bl_asked sources[BL_MAX_ASKED + 1];
	enum bl_response_form form;
	struct bl_engine_agent agent;
	struct bl_engine_policies policies;
	/* As the engine was made; events without a snapshot go by them. */
	struct bl_places places;
	struct bl_str config; /* of the profiles of Everruns; may be empty */
	const char *agent_version;
	struct bl_sandbox_request least_sandbox; /* as in the options */
	bool no_reload;
	bool no_journal;
	struct bl_journal_options journal;
	struct bl_http_client *http;
	struct bl_own_executor own;

	/* One reload at a time; guards stamp, and who may replace current. */
	pthread_mutex_t reloading;
	uint64_t stamp;

	pthread_mutex_t lock; /* guards current; held for a few instructions */
	struct bl_snapshot *current;
};

/* Is this source asked? */
bool bl_engine_asks(const struct bl_engine *engine, enum bl_asked source);

/*
 * policies.c: finds the directories by places->hooks; missing ones are in
 * places->load.
 */
enum bl_status bl_engine_find_policies(const struct bl_engine *engine,
				       struct bl_arena *arena,
				       struct bl_places *places,
				       struct bl_error *err);

/* policies.c: is any directory there, or missed? */
bool bl_engine_has_policies(const struct bl_policy_load_options *load);

/*
 * policies.c: would a reload find other directories, or other files in them?
 * reloading is held.
 */
bool bl_engine_policies_changed(const struct bl_engine *engine);

/* ---- loading -------------------------------------------------------------- */

/* Copies of texts; NULL: arena. */
struct bl_str *bl_engine_copy_texts(struct bl_arena *arena,
				    const struct bl_str *texts, size_t count);

/* As the snapshot has them that a reload would follow; reloading is held. */
const struct bl_hook_options *
bl_engine_hook_options(const struct bl_engine *engine);

/* Loads by these options and replaces the snapshot; reloading is held. */
enum bl_status bl_engine_load(struct bl_engine *engine,
			      const struct bl_hook_options *hooks,
			      struct bl_error *err);

/* workspaces.c: is there room for one more beside count?  LIMIT: no. */
enum bl_status bl_engine_check_room(const struct bl_engine *engine,
				    size_t count, struct bl_error *err);

/* workspaces.c: the folder's real path; INVALID when it is not a folder. */
enum bl_status bl_engine_resolve(struct bl_str path, struct bl_arena *arena,
				 struct bl_str *out_path, struct bl_error *err);

/*
 * policies.c: compiles all that were found; UNSUPPORTED where there is no compiler.
 */
enum bl_status bl_engine_compile(const struct bl_engine *engine,
				 const struct bl_places *places,
				 struct bl_arena *arena,
				 const struct bl_policy_set **out_set,
				 struct bl_error *err);

/* ---- one event ---------------------------------------------------------- */

struct bl_event {
	struct bl_engine *engine;
	const struct bl_places *places;
	const struct bl_hook_set *set;
	const struct bl_profile *profile;
	const struct bl_hook_event *hook_event;
	const struct bl_snapshot *snapshot;
	struct bl_everruns_chain *chain; /* NULL: another profile */
	struct bl_arena *arena;
	const char *detected_by;
	struct bl_value payload;    /* completed */
	struct bl_str payload_text; /* what hooks get */
	struct bl_buf serialised;   /* holds payload_text when it was made */
	/* The two as they were before a source rewrote the tool's input. */
	struct bl_value first_payload;
	struct bl_str first_text;
	struct bl_buf rewritten; /* holds payload_text afterwards */
	bool is_rewritten;
	struct bl_array_builder notices;
	const struct bl_stop *stop; /* of the request; may be NULL */
	struct bl_reply *reply;     /* executions are filled in place */
	int64_t wall_ms;            /* when it began, since 1970 */
	int64_t started_ns;         /* the same moment, monotonic */
	/* The decision of each source that took part. */
	struct bl_outcome outcomes[BL_MAX_ASKED];
	struct bl_decision decisions[BL_MAX_ASKED];
	size_t decided;
};

/*
 * request.c: reads a request: the payload, its event with the completed form
 * for hooks, the agent's event for policies.  Ends with bl_event_clear whatever
 * the result.
 */
enum bl_status bl_event_begin(struct bl_event *event,
			      const struct bl_request *request,
			      struct bl_error *err);
void bl_event_clear(struct bl_event *event);

/* request.c: the event goes on with another input of its tool. */
enum bl_status bl_event_rewrite(struct bl_event *event, struct bl_value input,
				struct bl_error *err);

/* The input of its tool as it is now; undefined: absent. */
struct bl_value bl_event_input(const struct bl_event *event);

/*
 * hooks.c, policies.c: ask one source; OK whatever it said.  *out_asked is
 * false when it has nothing to do with the event.
 */
enum bl_status bl_event_ask_hooks(struct bl_event *event, bool *out_asked,
				  struct bl_decision *out_decision,
				  struct bl_error *err);
enum bl_status bl_event_ask_policies(struct bl_event *event,
				     const struct bl_request *request,
				     bool *out_asked,
				     struct bl_decision *out_decision,
				     struct bl_error *err);

/* sources.c: asks all of them in their order, and combines what they said. */
enum bl_status bl_event_decide(struct bl_event *event,
			       const struct bl_request *request,
			       struct bl_error *err);

/* ---- the profiles of Everruns (chain.c, chain_record.c, chain_value.c) ---- */

enum bl_status bl_engine_load_chain(const struct bl_engine *engine,
				    struct bl_snapshot *snapshot,
				    struct bl_error *err);
bool bl_snapshot_has_chain(const struct bl_snapshot *snapshot,
			   struct bl_str event);

/* Reads a request. */
enum bl_status bl_event_begin_chain(struct bl_event *event,
				    const struct bl_request *request,
				    struct bl_error *err);

/* Runs the hooks of the event, one after the other. */
enum bl_status bl_event_ask_chain(struct bl_event *event,
				  struct bl_decision *out_decision,
				  struct bl_error *err);

/* One entry an execution; entries are zero, and as many. */
enum bl_status bl_event_chain_entries(struct bl_event *event,
				      struct bl_journal_entry *entries,
				      struct bl_error *err);
enum bl_event_kind bl_event_chain_kind(const struct bl_event *event);

struct bl_value bl_event_chain_answer(const struct bl_event *event);
struct bl_value bl_reply_chain_value(const struct bl_reply *whole,
				     struct bl_arena *arena);

/*
 * sources.c: where policies alone refuse an action that a person can allow,
 * gives out a code for it, and says so in the decision.
 */
enum bl_status bl_event_offer(struct bl_event *event, struct bl_error *err);

/* response.c: makes the response of the engine's form. */
enum bl_status bl_event_respond(struct bl_event *event, struct bl_error *err);

/* response.c: the refusal of FORM_HOOK when there is nothing to answer. */
void bl_event_refuse(struct bl_event *event, const struct bl_error *why);

/*
 * A refused stop becomes none, with a notice, when it has been refused eight
 * times in a row (stops.c).
 */
void bl_event_end_loop(struct bl_event *event);

/*
 * Lists in reply->executions the hooks of this event that match, in execution
 * order, and what stands for whole files; those that are not to be run have
 * their outcome already.
 */
enum bl_status bl_event_select(struct bl_event *event, struct bl_error *err);

/* Is this execution to be run? */
bool bl_engine_match_runs(enum bl_match match);

/* Does the file count as a whole, for events that can be refused? */
bool bl_file_fails_closed(const struct bl_hook_set *set,
			  const struct bl_hook_file *file,
			  const struct bl_hook_event *hook_event);

/* heartbeat.c: notes that an event of this agent and workspace came. */
void bl_event_beat(const struct bl_event *event);

/* Adds a notice. */
void bl_event_notice(struct bl_event *event, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* Notices about files of the set, and about executions that have run. */
void bl_event_notice_files(struct bl_event *event);
void bl_event_notice_executions(struct bl_event *event);

/* Notices about what went wrong with policies. */
void bl_event_notice_policies(struct bl_event *event);

/*
 * record.c: gives the executions and the policies' decision ids and appends
 * them to the journal, as one write.
 */
void bl_event_record(struct bl_event *event);

/*
 * telemetry.c: writes what policies did into a file of its own, when the
 * project's rulebook wants that (docs/contracts/cupcake.md): names, times, rule
 * ids and verdicts, nothing of the event's content.  LIMIT when there are too
 * many files.
 */
enum bl_status bl_event_telemetry(const struct bl_event *event,
				  struct bl_error *err);

/* The result of the execution alone. */
enum bl_verdict
bl_engine_execution_verdict(const struct bl_hook_event *hook_event,
			    const struct bl_reply_execution *execution);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval/eval.h: belay as the hook of an agent: one event in, policies in
 * between, the agent's own answer out.  Harness knows the agent, policy knows
 * the policies; this module only joins them.
 *
 * Whatever goes wrong there is an answer (bl_eval_event never leaves one out):
 * sources/policies/failures.def says what a failure means, and before there is an event
 * to answer, bl_agent_emergency refuses.
 */
#ifndef BELAY_EVAL_EVAL_H
#define BELAY_EVAL_EVAL_H

#include "agents/agents.h"
#include "sources/policies/policies.h"

struct bl_eval_options {
	const struct bl_agent *agent;
	const char *detected_by;     /* NULL: the command line said it */
	struct bl_str policy_dir;    /* as given; empty: look for one */
	struct bl_str global_config; /* as given; empty: look for one */
	struct bl_str config_home;   /* where to look for it; empty: nowhere */
	bool is_strict;
	bool passes_unmodified; /* where no rulebook says; agents/agents.h */
	bool explain;           /* findings say what made them so */
	struct bl_policy_options policy;
	const struct bl_policy_cache *cache; /* NULL: none */
};

/* What came of one event; all in the arena, but for text. */
struct bl_eval {
	struct bl_policy_load_options load; /* where the policies are */
	const struct bl_policy_set *set;    /* NULL: not loaded yet */
	struct bl_agent_request request;    /* event NULL: there is none */
	struct bl_policy_report report;
	struct bl_ruling ruling;
	struct bl_response answer;
	struct bl_str complaint; /* why there is no event; empty: there is */
	struct bl_buf text;      /* of an answer to no event */
};

/* ---- step by step --------------------------------------------------------- */

/*
 * Finds the policy directories and starts *out_eval with them.  Missing ones
 * are problems of the set to come, not failures.  Clear it, also after a
 * failure, with bl_eval_clear.
 */
enum bl_status bl_eval_begin(const struct bl_eval_options *options,
			     struct bl_arena *arena, struct bl_eval *out_eval,
			     struct bl_error *err);

/*
 * Reads the payload (one JSON value).  OK also when it is no event: then
 * eval->complaint says why, and eval->answer refuses.
 */
enum bl_status bl_eval_read(const struct bl_eval_options *options,
			    struct bl_str payload, struct bl_arena *arena,
			    struct bl_eval *eval, struct bl_error *err);

/*
 * The policies for the event that was read: from images (bl_policy_open: any
 * failure means to compile), or compiled, which keeps images for later.  The
 * static program has no compiler.
 */
enum bl_status bl_eval_open(struct bl_arena *arena, struct bl_eval *eval,
			    struct bl_error *err);
enum bl_status bl_eval_compile(struct bl_arena *arena, struct bl_diags *diags,
			       struct bl_eval *eval, struct bl_error *err);

/*
 * Decides and makes the answer, unless there is one.  NO_MEMORY or LIMIT:
 * answer with bl_agent_emergency.
 */
enum bl_status bl_eval_decide(const struct bl_eval_options *options,
			      struct bl_arena *arena, struct bl_eval *eval,
			      struct bl_error *err);

/* ---- several events with one set ------------------------------------------- */

/* bl_eval_begin and bl_eval_compile: all policies, whatever the event. */
enum bl_status bl_eval_load(const struct bl_eval_options *options,
			    struct bl_arena *arena, struct bl_diags *diags,
			    struct bl_eval *out_eval, struct bl_error *err);

/* bl_eval_read and bl_eval_decide. */
enum bl_status bl_eval_event(const struct bl_eval_options *options,
			     struct bl_str payload, struct bl_arena *arena,
			     struct bl_eval *eval, struct bl_error *err);

/*
 * Writes what happened into a file of its own, when the project's rulebook
 * wants that (telemetry; docs/contracts/cupcake.md "Telemetry"): names, times,
 * rule ids and verdicts, nothing of the event's content.  What it came to must
 * be in eval already.  LIMIT when there are too many files.
 */
enum bl_status bl_eval_telemetry(const struct bl_eval *eval, int64_t wall_ms,
				 int64_t started_ns, struct bl_arena *arena,
				 struct bl_error *err);

void bl_eval_clear(struct bl_eval *eval);

/*
 * For struct bl_policy_options: time zones of this system, its randomness.
 * context is not used.
 */
bool bl_eval_read_zone(void *context, struct bl_arena *arena,
		       struct bl_str name, struct bl_str *out_tzif);
bool bl_eval_fill_random(void *context, void *out, size_t len);

#endif

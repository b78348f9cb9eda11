/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_cases.h: recorded events, from files and from the journal, and what
 * policies decide about them.
 *
 * A file is a payload as an agent sends it, or a case: {"harness": "claude",
 * "event": {the payload}, "signals": {"name": result}, "expect": {"decision":
 * "deny", "reason_contains": "text"}}, all but "event" may be missing.
 */
#ifndef BELAY_CLI_EVENT_CASES_H
#define BELAY_CLI_EVENT_CASES_H

#include "cli/policy_setup.h"

struct cli_event_case {
	struct bl_str name; /* path, or id in the journal */
	struct bl_str
		event_name; /* as it is known before deciding; may be empty */
	const struct bl_agent *agent;  /* NULL: not known */
	struct bl_str payload;         /* JSON; empty: absent */
	struct bl_str problem;         /* why not */
	struct bl_value signals;       /* undefined: run them */
	struct bl_str decision;        /* the old, the expected; empty: none */
	struct bl_str reason_contains; /* empty: anything */
};

struct cli_event_cases {
	struct cli_event_case *items;
	size_t count;
	size_t cap;
};

/*
 * Adds the case of a file, or those of the *.json of a folder.  INVALID for
 * text that is not JSON or not a case, with the path in the message.
 */
enum bl_status cli_add_event_cases(struct cli *cli, struct bl_str path,
				   struct cli_event_cases *cases,
				   struct bl_error *err);

/* Adds the decisions of policies among the last max entries of a journal. */
enum bl_status cli_add_journal_cases(struct cli *cli, struct bl_str dir,
				     size_t max, struct cli_event_cases *cases,
				     struct bl_error *err);

/* Policies of each agent, loaded when they are needed. */
struct cli_decider {
	struct cli *cli;
	struct bl_str policy_dir;
	struct bl_engine *engines[BL_AGENT_MAX]; /* NULL: not yet */
	bool no_global; /* the user's own policies are left out */
};

/* The directory of --policy-dir must be there (NOT_FOUND); then clear it. */
enum bl_status cli_decider_init(struct cli_decider *decider, struct cli *cli,
				struct bl_str policy_dir, struct bl_error *err);
void cli_decider_clear(struct cli_decider *decider);

/*
 * Decides a case that has a payload; sets its agent.  USAGE when that is not
 * known.  End *out_reply with bl_reply_clear after BL_OK.
 */
enum bl_status cli_decide_case(struct cli_decider *decider,
			       struct cli_event_case *one,
			       struct bl_arena *arena,
			       struct bl_reply *out_reply,
			       struct bl_error *err);

#endif

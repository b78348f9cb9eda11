/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/run.h: run hooks and report the outcome of each.
 *
 * An executor is one way to run a hook (struct bl_executor: plan a child, a
 * request or a call; classify its end).  "command": `/bin/sh -c COMMAND` in the hook's working
 * directory with the payload on standard input.  "sandboxed": the same for a
 * hook that asks for a sandbox (sandbox/sandbox.h), with nothing of our
 * environment; where the machine does not have what its profile needs, it
 * is CANNOT_START.  "webhook": the payload is posted (docs/formats/webhook.md);
 * the body of an answer of 2xx counts as output, that of another as errors.
 * "own": commands are handed to a function of the embedder (run/own.h), those
 * with a sandbox too.
 */
#ifndef BELAY_RUN_RUN_H
#define BELAY_RUN_RUN_H

#include "base/arena.h"
#include "base/error.h"
#include "decision/decision.h"
#include "sources/hooks/hooks.h"
#include "http/http.h"
#include "os/os.h"
#include "run/own.h"
#include "sources/hooks/everruns/everruns.h"

/* The data that all hooks of one event share. */
struct bl_execution_context {
	const struct bl_profile *profile;
	const struct bl_hook_event *hook_event;
	struct bl_str payload; /* the bytes for standard input */
	struct bl_value payload_value;
	const struct bl_str *workspaces;
	size_t workspace_count;
	size_t max_output_bytes; /* of standard output; 0: the default limit */
	size_t max_error_bytes;  /* of standard error that is kept */
	struct bl_http_client *http; /* for webhooks; NULL: they cannot start */
	/* Hooks that run then are killed, CANCELLED or DEADLINE; may be NULL. */
	const struct bl_stop *stop;
	const struct bl_own_executor *own; /* for commands; NULL: children */
	struct bl_everruns_call *everruns; /* set by bl_run_everruns alone */
};

/* One hook's run. */
struct bl_execution {
	const struct bl_hook *hook;     /* set by the caller */
	struct bl_outcome outcome;      /* set by bl_executor_run, as is all */
	struct bl_value response;       /* parsed output; undefined: none */
	struct bl_child_result child;   /* zero when nothing was started */
	struct bl_http_request request; /* of a webhook, as is the next */
	struct bl_http_result http;
	bool ran;
	int64_t started_wall_ms;
	/* Of a sandboxed hook: its layers; those it did not have and why. */
	struct bl_str layers;
	struct bl_str missing_layers;
	struct bl_str refusal; /* of its sandbox; empty: none */
	/* Of a hook of Everruns, in place of outcome and response. */
	struct bl_everruns_outcome said;
};

/*
 * Runs the hooks at once (profile->sequential: one after the other until one
 * has ANSWERED; the rest get ran = false and outcome SKIPPED), waits for all,
 * and sets every execution's outcome.  OK also when hooks failed.
 *
 * Working directories are opened as they are at that moment; the environment
 * is the caller's plus the profile's variables (docs/contracts/cursor.md
 * "Environment"); a value over the system's limit makes that hook CANNOT_START.
 */
enum bl_status bl_executor_run(const struct bl_execution_context *context,
			       struct bl_execution *executions, size_t count,
			       struct bl_arena *arena, struct bl_error *err);

/* The parts of an Everruns hook that are run. */
struct bl_everruns_job {
	const struct bl_everruns_hook *hook;
	struct bl_str id; /* as the payload has it */
	const struct bl_everruns_event_facts *facts;
	struct bl_str workspace; /* absolute; where it runs */
};

/*
 * Runs it by the executors of this module (http, stop and own of context).  A
 * webhook is posted; anything else runs in its workspace with the payload on
 * standard input, in the environment and in a file below WORKSPACE/.hooks that
 * is gone afterwards.  Nothing of our environment is passed on.  Errors
 * beside the outcome are added to notices.  OK also when the hook failed.
 */
enum bl_status bl_run_everruns(const struct bl_execution_context *context,
			       const struct bl_everruns_job *job,
			       struct bl_arena *arena,
			       struct bl_array_builder *notices,
			       struct bl_everruns_run *out_run,
			       struct bl_error *err);

/*
 * Reads a hook's standard output as the profile says (trimmed; empty is
 * NO_OUTPUT; the last object when the profile forgives noise before it) and
 * checks it against the event: sets kind, answer and reason of *outcome, and
 * *out_response to the value when it is JSON.
 */
enum bl_status bl_executor_read_answer(const struct bl_profile *profile,
				       const struct bl_hook_event *hook_event,
				       struct bl_str output,
				       struct bl_arena *arena,
				       struct bl_outcome *outcome,
				       struct bl_value *out_response,
				       struct bl_error *err);

#endif

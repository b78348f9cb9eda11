/* SPDX-License-Identifier: Apache-2.0 */
/* run/private.h: what the files of this module share. */
#ifndef BELAY_RUN_PRIVATE_H
#define BELAY_RUN_PRIVATE_H

#include "run/own.h"
#include "run/run.h"
#include "sandbox/sandbox.h"

/* One way to run a hook: plan a child, request or call; classify its end. */
struct bl_executor {
	const char *name;

	/*
	 * One of the three, the others are NULL.  Fills *out_job.  A hook that cannot be started at all gets outcome
	 * CANNOT_START with a reason instead, and *out_can_start is false.
	 */
	enum bl_status (*plan)(const struct bl_execution_context *context,
			       struct bl_execution *execution,
			       struct bl_arena *arena,
			       struct bl_sandbox_job *out_job,
			       bool *out_can_start, struct bl_error *err);

	enum bl_status (*plan_request)(
		const struct bl_execution_context *context,
		struct bl_execution *execution, struct bl_arena *arena,
		struct bl_http_request *out_request, bool *out_can_start,
		struct bl_error *err);

	/* Of the embedder's function, which is always there to be called. */
	enum bl_status (*plan_call)(const struct bl_execution_context *context,
				    struct bl_execution *execution,
				    struct bl_arena *arena,
				    struct bl_own_call *out_call,
				    struct bl_error *err);

	/* Sets outcome and response from execution->child or ->http. */
	enum bl_status (*classify)(const struct bl_execution_context *context,
				   struct bl_execution *execution,
				   struct bl_arena *arena,
				   struct bl_error *err);
};

extern const struct bl_executor bl_executor_command;
extern const struct bl_executor bl_executor_sandboxed;
extern const struct bl_executor bl_executor_webhook;
extern const struct bl_executor bl_executor_own;
extern const struct bl_executor bl_executor_everruns;
extern const struct bl_executor bl_executor_everruns_own;
extern const struct bl_executor bl_executor_everruns_webhook;

/* The parts of the environment of an Everruns hook. */
struct bl_executor_everruns_env {
	const struct bl_everruns_hook *hook;
	struct bl_str id;
	const struct bl_everruns_event_facts *facts;
	struct bl_str workspace;
	struct bl_str payload;
	struct bl_str path;  /* of the payload file */
	bool is_too_long;    /* set: the payload is left out of it */
	struct bl_str wrong; /* set: what the system would not take */
};

/* everruns_env.c: NULL-ended strings in arena; NULL: memory. */
const char *const *
bl_executor_everruns_env(struct bl_executor_everruns_env *env,
			 struct bl_arena *arena);

/* everruns.c: one hook of Everruns on its way. */
struct bl_everruns_call {
	struct bl_executor_everruns_env env;
	bool has_file;
	struct bl_array_builder *notices;
};

/* Does it ask for less than an ordinary child has? */
static inline bool bl_executor_is_sandboxed(const struct bl_hook *hook)
{
	return hook->sandbox && hook->sandbox->is_confined;
}

/* Makes the hook CANNOT_START, because of why. */
enum bl_status bl_executor_cannot(const struct bl_execution_context *context,
				  struct bl_execution *execution,
				  struct bl_str why, struct bl_arena *arena,
				  struct bl_error *err);

/*
 * signed.c: for a team's hook, its script as a descriptor, sealed as it was
 * signed; *out_fd is 0 for others.  Another script than that: *out_can_start is
 * false, and the outcome CHANGED.
 */
enum bl_status bl_executor_seal_script(struct bl_execution *execution,
				       struct bl_arena *arena, int *out_fd,
				       bool *out_can_start,
				       struct bl_error *err);

/* text with every byte that is not UTF-8 replaced; ptr NULL: memory. */
struct bl_str bl_executor_clean(struct bl_arena *arena, struct bl_str text);

/* The hook's own workspace, else the first one there is; may be empty. */
struct bl_str bl_executor_workspace(const struct bl_execution_context *context,
				    const struct bl_hook *hook);

/*
 * The environment of a hook, NULL-ended, in arena: that of this process
 * without the profile's variables (nothing of it for a sandboxed hook), and
 * those of them that have a value.
 * *out_bad is the first string that the system would not take, empty when all
 * are fine.
 */
enum bl_status bl_executor_env(const struct bl_execution_context *context,
			       const struct bl_hook *hook,
			       struct bl_arena *arena,
			       const char *const **out_env,
			       struct bl_str *out_bad, struct bl_error *err);

/* kind and *reason* of how a child ended; child is execution->child. */
enum bl_status bl_executor_classify(const struct bl_execution_context *context,
				    struct bl_execution *execution,
				    struct bl_arena *arena,
				    struct bl_error *err);

/*
 * Words the reason of a hook that did not answer: what was said about it in
 * outcome->reason ("failed with exit code 1: ..."), with the command and why
 * the action is refused when it is.
 */
enum bl_status bl_executor_word(const struct bl_execution_context *context,
				struct bl_execution *execution,
				struct bl_arena *arena, struct bl_error *err);

#endif

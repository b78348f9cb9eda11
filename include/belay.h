/* SPDX-License-Identifier: Apache-2.0 */
/*
 * belay.h: hooks and policies of AI coding agents, as a library.
 *
 * Make an engine for the workspace, show it every event before you act on it
 * (belay_engine_dispatch), and do what the reply says.  BELAY_OK with a
 * verdict of BELAY_NONE or BELAY_ALLOW means go on.  *Any* other status means
 * that there is no decision: treat the event as refused.
 *
 * Rules for every function in this header
 *   - A pointer named out_* receives something the caller now owns; free it
 *     with the type's own _free function.  On failure it is left untouched.
 *   - Any other pointer is borrowed for the length of the call.
 *   - A returned const pointer is borrowed from the object it came from and
 *     lives as long as that object.  All texts are UTF-8 and end with NUL.
 *   - Every _free function accepts NULL.  A required pointer that is NULL is
 *     BELAY_USAGE; a function that returns a text or a number returns NULL or
 *     0 for it.
 *   - error may be NULL.
 *   - An engine may be used by many threads at once, except that
 *     belay_engine_free must be the last call.  Any other object may be used
 *     from any thread, by one thread at a time; belay_cancel_set and
 *     belay_operation_cancel while others use the object.
 *   - Hooks are child processes of the calling process.  It must not ignore
 *     SIGCHLD, nor reap children that it does not know.
 *   - The first webhook that is posted loads libcurl.so.4 (7.87 or later); without
 *     it, webhooks fail as hooks do.  An engine keeps connections.
 *   - The library prints nothing, never exits, and has no global state.
 */
#ifndef BELAY_H
#define BELAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#	define BELAY_API __attribute__((visibility("default")))
#else
#	define BELAY_API
#endif

/* ---- statuses and verdicts ---------------------------------------------- */

typedef int32_t belay_status; /* BELAY_OK, or the exit status of belay(1) */

#define BELAY_OK          0
#define BELAY_USAGE       64 /* the call is not right */
#define BELAY_SYNTAX      65 /* input is not well formed */
#define BELAY_INVALID     66 /* input is well formed but not acceptable */
#define BELAY_NOT_FOUND   67 /* no such event, profile, ... */
#define BELAY_EXISTS      68
#define BELAY_UNSUPPORTED 69
#define BELAY_NO_MEMORY   70
#define BELAY_SYSTEM      71 /* the operating system refused */
#define BELAY_LIMIT       75 /* a limit was reached */
#define BELAY_TIMEOUT     76
#define BELAY_DENIED      77
#define BELAY_CONFIG      78

typedef int32_t belay_verdict;

#define BELAY_NONE  0 /* nobody said anything: go on */
#define BELAY_ALLOW 1
#define BELAY_ASK   2 /* ask the user */
#define BELAY_DENY  3 /* refused */

/* The error, as a message for people.  Yours; set struct_size before the call. */
typedef struct belay_error {
	size_t struct_size; /* BELAY_ERROR_INIT sets it */
	belay_status status;
	char message[512];
} belay_error;

#define BELAY_ERROR_INIT                                                       \
	{                                                                      \
		sizeof(belay_error), BELAY_OK, ""                              \
	}

/* The version of the library, "0.1.0". */
BELAY_API const char *belay_version(void);

/* A general text for a status; never NULL. */
BELAY_API const char *belay_status_text(belay_status status);

/* ---- engines ------------------------------------------------------------ */

typedef struct belay_engine belay_engine;

/* Flags of an engine. */
#define BELAY_LENIENT         1u   /* drop a bad entry, not its whole file */
#define BELAY_NO_PROJECT_GATE 2u   /* profile cursor-2.3: the gate is off */
#define BELAY_TRUST_ALL       4u   /* treat every workspace as trusted */
#define BELAY_NO_LOG          8u   /* record nothing */
#define BELAY_LOG_PAYLOAD     16u  /* record payloads in full */
#define BELAY_NO_POLICIES     32u  /* ask no policies */
#define BELAY_WITH_HOOKS      64u  /* with an agent: run its hooks.json too */
#define BELAY_EXPLAIN         128u /* keep what belay_reply_explanation needs */

/* One hook to run, for an executor of your own: see below. */
typedef struct belay_call belay_call;
typedef void belay_run_fn(void *context, belay_call *call);

typedef struct belay_engine_options {
	size_t struct_size; /* BELAY_ENGINE_OPTIONS_INIT sets it */
	uint32_t flags;
	const char *profile;           /* NULL: "cursor" */
	const char *const *workspaces; /* folders, in order */
	size_t workspace_count;
	const char *const *plugins; /* plugin folders, in order */
	size_t plugin_count;
	const char *home;          /* NULL: that of the user */
	const char *state_dir;     /* of the log; NULL: the user's */
	const char *system_root;   /* put before system paths; NULL: none */
	const char *agent_version; /* for cursor_version; NULL: none */
	/*
	 * The sandbox that commands run in at least: "workspace", "readonly",
	 * "strict", each with "+network" where that is allowed; one that asks for
	 * less gets this, and where the machine cannot give it, the hook is not
	 * run (a failure of the hook).  NULL: each as it asks; hooks of profile
	 * "everruns" that do not ask get "workspace", and none of it with "none".
	 * Read when struct_size has it.
	 */
	const char *least_sandbox;
	/*
	 * Your own executor ("executors" below): called for every hook that is
	 * a command, instead of starting a child; NULL: children.  Read when
	 * struct_size has both.
	 */
	belay_run_fn *run;
	void *run_context;
	/*
	 * NULL: belay serves an agent, that is you: replies say what to enforce.
	 * "cursor", "claude", "factory", "opencode": belay is this agent's hook
	 * (`belay eval`): payloads are the agent's own, the answer of a reply is
	 * what a hook prints, and policies decide, hooks only with
	 * BELAY_WITH_HOOKS ("cursor").
	 */
	const char *agent;
	/*
	 * Where policies are: a folder .belay, or one that holds it.  NULL: with
	 * an agent the first workspace, else the working directory; without
	 * one, the first workspace that has some and is trusted as a whole.
	 */
	const char *policy_dir;
	const char *global_config;  /* NULL: $XDG_CONFIG_HOME, HOME/.config */
	uint32_t policy_timeout_ms; /* of all policies; 0: 15 s */
} belay_engine_options;

#define BELAY_ENGINE_OPTIONS_INIT                                              \
	{                                                                      \
		sizeof(belay_engine_options), 0, NULL, NULL, 0, NULL, 0, NULL, \
			NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,  \
			0                                                      \
	}

/*
 * Makes an engine and loads every source of hooks.  options may be NULL: no
 * workspace.  BELAY_INVALID for a workspace that is not there or a broken trust
 * store; a broken hook file is not a failure (belay_engine_hooks_json).
 */
BELAY_API belay_status belay_engine_new(const belay_engine_options *options,
					belay_engine **out_engine,
					belay_error *error);
BELAY_API void belay_engine_free(belay_engine *engine);

/* Reads every source again.  On failure the old set stays. */
BELAY_API belay_status belay_engine_reload(belay_engine *engine,
					   belay_error *error);

/*
 * As belay_engine_reload, but only when a file has changed.  *changed (may be NULL) is set to
 * 1 or 0.
 */
BELAY_API belay_status belay_engine_reload_if_changed(belay_engine *engine,
						      int32_t *changed,
						      belay_error *error);

/*
 * 1 when an event of this name may concern a hook (or a changed or broken file
 * that could have had one), else 0.
 */
BELAY_API int32_t belay_engine_has_hook(belay_engine *engine,
					const char *event);

/* ---- workspaces and trust ----------------------------------------------- */

/*
 * Adds a workspace after the others, or takes one away, and reads every source
 * again; dispatches that are under way are not disturbed.  Adding one that is
 * there already changes nothing.  BELAY_INVALID when it is not a folder,
 * BELAY_LIMIT when there are too many, BELAY_NOT_FOUND for one to be taken away
 * that is not there (the folder itself may be gone).
 */
BELAY_API belay_status belay_engine_add_workspace(belay_engine *engine,
						  const char *path,
						  belay_error *error);
BELAY_API belay_status belay_engine_remove_workspace(belay_engine *engine,
						     const char *path,
						     belay_error *error);

/*
 * Trusts a workspace of the engine as `belay trust add` does: its hook file and
 * the scripts that it names, as they are now (whole 0); or whatever the folder
 * holds, now and later, policies too (whole 1).  Ask the user before.  Kept in
 * the home, and in force when the call returns.  BELAY_NOT_FOUND when it is not
 * a workspace of the engine or has no hook file, BELAY_INVALID when that is
 * broken.
 */
BELAY_API belay_status belay_engine_trust(belay_engine *engine,
					  const char *path, int32_t whole,
					  belay_error *error);
BELAY_API belay_status belay_engine_untrust(belay_engine *engine,
					    const char *path,
					    belay_error *error);

/* ---- texts -------------------------------------------------------------- */

typedef struct belay_text belay_text;

BELAY_API const char *belay_text_data(const belay_text *text);
BELAY_API size_t belay_text_size(const belay_text *text); /* without the NUL */
BELAY_API void belay_text_free(belay_text *text);

/*
 * All configured hooks with their sources, the files, and what is wrong with
 * them, as one JSON object: what `belay hooks list --json` prints.
 * BELAY_UNSUPPORTED when the engine runs no hooks of hooks.json files.
 */
BELAY_API belay_status belay_engine_hooks_json(belay_engine *engine,
					       belay_text **out_text,
					       belay_error *error);

/* The last max records of the log, oldest first, as a JSON array. */
BELAY_API belay_status belay_engine_log_json(belay_engine *engine, size_t max,
					     belay_text **out_text,
					     belay_error *error);

/* ---- the team ----------------------------------------------------------- */

/* Flags of belay_engine_refresh_team. */
#define BELAY_REFRESH_WHEN_DUE 1u /* keep to the next time that was planned */

/*
 * Fetches the newest set of the team that this machine, or the user, is in
 * (`belay team login`), verifies it and puts it in place; sends the log's records;
 * and reloads the engine when another set is in force.  It asks a server and can
 * take a minute: call it from a thread of its own, at the start, when the account
 * changes, and every 1,800 seconds with BELAY_REFRESH_WHEN_DUE.  Whatever fails
 * there, the last good set stays in force, BELAY_OK is returned, and the text
 * says so: an object with "state", "text", "detail", "version",
 * "notice_pending" and more, what `belay team status --json` prints.
 * BELAY_NOT_FOUND in no team; BELAY_TIMEOUT when another refresh is under way.
 */
BELAY_API belay_status belay_engine_refresh_team(belay_engine *engine,
						 uint32_t flags,
						 belay_text **out_text,
						 belay_error *error);

/* That object as the last refresh left it; asks no server. */
BELAY_API belay_status belay_engine_team_json(belay_engine *engine,
					      belay_text **out_text,
					      belay_error *error);

/*
 * The answer Continue to the first-time notice ("notice_pending"): the team's
 * hooks and policies count when the call returns.  Ask the user before, and show
 * "fingerprint".
 */
BELAY_API belay_status belay_engine_accept_team(belay_engine *engine,
						belay_error *error);

/* ---- events ------------------------------------------------------------- */

typedef struct belay_reply belay_reply;

/*
 * Decides one event: runs the hooks that apply, and records them.  payload is
 * the event as JSON, payload_size bytes; event may be NULL when it has a
 * hook_event_name.  A reply stays valid when the engine is reloaded, but must be
 * freed before the engine is.
 */
BELAY_API belay_status belay_engine_dispatch(
	belay_engine *engine, const char *event, const char *payload,
	size_t payload_size, belay_reply **out_reply, belay_error *error);
BELAY_API void belay_reply_free(belay_reply *reply);

/*
 * Which hooks would run on this payload, without running any: an object of
 * "event", "hooks" (each with source, file, command, runs and match, the reason)
 * and "notices".  BELAY_USAGE with an agent, BELAY_UNSUPPORTED for Everruns.
 */
BELAY_API belay_status belay_engine_explain_json(
	belay_engine *engine, const char *event, const char *payload,
	size_t payload_size, belay_text **out_text, belay_error *error);

/* ---- without an engine --------------------------------------------------- */

/*
 * The events of a profile, for a settings page: an object with name, summary and
 * "events", each with name, kind ("shell.before", ...), can_refuse and can_ask.
 * BELAY_NOT_FOUND when there is no such profile; NULL: "cursor".
 */
BELAY_API belay_status belay_profile_json(const char *profile,
					  belay_text **out_text,
					  belay_error *error);

/* Profile i's name, the default first; NULL past the last. */
BELAY_API const char *belay_profile_name(size_t i);

/*
 * Checks the text of a hook file as one of this source ("user", "project",
 * ...; NULL: "user"): an object of "valid" and "diagnostics", each with a
 * message, a severity, line and column.  BELAY_OK also when it is not valid.
 */
BELAY_API belay_status belay_hooks_validate(const char *profile,
					    const char *source,
					    const char *text, size_t text_size,
					    belay_text **out_text,
					    belay_error *error);

/*
 * Checks what a hook prints at an event and then ends with status 0: an object
 * of "valid", "outcome" (docs/reference/outcomes.md), "reason" when it is not
 * valid, and "verdict" when it is.  Of Cursor's profiles it has the form of
 * Cursor's own validation as well: "success", and "data", or "errors" with
 * every text (docs/contracts/cursor-2.3.41.md "Hook output").
 */
BELAY_API belay_status belay_output_validate(
	const char *profile, const char *event, const char *output,
	size_t output_size, belay_text **out_text, belay_error *error);

/*
 * The files that `belay hooks init` writes, as an array of objects of "path"
 * (below the folder of hooks.json), "mode" and "text"; for a project, or for
 * the user.
 */
BELAY_API belay_status belay_sample_json(int32_t is_project,
					 belay_text **out_text,
					 belay_error *error);

/* ---- cancelling and deadlines ------------------------------------------- */

/*
 * A dispatch can be given up from another thread, and has a deadline when you
 * set one.  Hooks that run by then are killed with all their descendants,
 * those that have not begun do not begin, and each of them is an outcome
 * "cancelled" or "deadline" of the reply, which refuses every event that can be
 * refused.  Decisions made before that stand.
 */
typedef struct belay_cancel belay_cancel;

BELAY_API belay_status belay_cancel_new(belay_cancel **out_cancel,
					belay_error *error);

/*
 * Gives up every dispatch that was given this object, those to come too; from
 * any thread, while others use it.
 */
BELAY_API void belay_cancel_set(belay_cancel *cancel);

/* No dispatch may use it any more. */
BELAY_API void belay_cancel_free(belay_cancel *cancel);

typedef struct belay_dispatch_options {
	size_t struct_size;   /* BELAY_DISPATCH_OPTIONS_INIT sets it */
	const char *event;    /* NULL: the payload's hook_event_name */
	uint32_t timeout_ms;  /* of the whole dispatch; 0: none */
	belay_cancel *cancel; /* NULL: nobody gives it up */
} belay_dispatch_options;

#define BELAY_DISPATCH_OPTIONS_INIT                                            \
	{                                                                      \
		sizeof(belay_dispatch_options), NULL, 0, NULL                  \
	}

/* belay_engine_dispatch with options; NULL: none. */
BELAY_API belay_status belay_engine_dispatch_with(
	belay_engine *engine, const belay_dispatch_options *options,
	const char *payload, size_t payload_size, belay_reply **out_reply,
	belay_error *error);

/* ---- dispatches in the background --------------------------------------- */

/*
 * For a program with an event loop: start, wait for the descriptor among your
 * others, collect.  Each operation has a thread, which blocks all signals.
 */
typedef struct belay_operation belay_operation;

#define BELAY_MAX_OPERATIONS 64 /* of one engine that are not freed */

/*
 * Begins to decide one event.  Event and payload are copied; options->cancel
 * must be NULL, and the time of timeout_ms begins now.  BELAY_LIMIT when the
 * engine has BELAY_MAX_OPERATIONS already: treat the event as refused, or free
 * one and try again.  An operation must be freed before its engine is.
 */
BELAY_API belay_status belay_dispatch_start(
	belay_engine *engine, const belay_dispatch_options *options,
	const char *payload, size_t payload_size,
	belay_operation **out_operation, belay_error *error);

/*
 * A descriptor that is readable (POLLIN) from the moment when the operation is
 * done.  It belongs to the operation: do not read from it, do not close it.
 */
BELAY_API int belay_operation_fd(const belay_operation *operation);
BELAY_API int32_t belay_operation_is_done(const belay_operation *operation);

/* Gives it up; it is done soon after, with a reply that says so. */
BELAY_API void belay_operation_cancel(belay_operation *operation);

/*
 * The reply, as belay_engine_dispatch would have given it, its failures too;
 * waits when the operation is not done.  A reply can be collected once; a second
 * time is BELAY_USAGE.
 */
BELAY_API belay_status belay_operation_collect(belay_operation *operation,
					       belay_reply **out_reply,
					       belay_error *error);

/* Gives up what is not done, waits for its end, and frees it. */
BELAY_API void belay_operation_free(belay_operation *operation);

/* ---- executors ---------------------------------------------------------- */

/*
 * A function of yours runs the hooks (belay_engine_options.run): in a container,
 * on another machine, in a shell inside your process.  It reads the call and
 * ends it with belay_call_exit or belay_call_fail before it returns; a call that
 * it does not end has failed.  It is called on the thread that dispatches or on
 * others, several at once, and must not free the engine.  Webhooks stay with
 * belay; what a hook says of a sandbox is in its definition and is yours to do.
 *
 * belay judges the end as it judges a child's: exit status 0 with JSON on
 * standard output is an answer.  A function that returns after its time
 * (belay_call_is_over) has run into the timeout whatever it says, but cannot be
 * interrupted: the dispatch waits for it.
 */
BELAY_API const char *belay_call_event(const belay_call *call);
BELAY_API const char *belay_call_command(const belay_call *call);

/* The hook as `belay hooks list --json` shows it. */
BELAY_API const char *belay_call_definition_json(const belay_call *call);

/* For its standard input; *out_size (may be NULL) is the length. */
BELAY_API const char *belay_call_payload(const belay_call *call,
					 size_t *out_size);

/* The folder that it runs in, and its time; 0: none. */
BELAY_API const char *belay_call_dir(const belay_call *call);
BELAY_API uint32_t belay_call_timeout_ms(const belay_call *call);

/* 1 when its time has passed or the dispatch was given up: return soon. */
BELAY_API int32_t belay_call_is_over(const belay_call *call);

/* The output of a hook; yours, copied. */
typedef struct belay_call_output {
	size_t struct_size; /* BELAY_CALL_OUTPUT_INIT sets it */
	const char *output; /* standard output */
	size_t output_size;
	const char *errors; /* standard error */
	size_t errors_size;
} belay_call_output;

#define BELAY_CALL_OUTPUT_INIT                                                 \
	{                                                                      \
		sizeof(belay_call_output), NULL, 0, NULL, 0                    \
	}

/* It ended with this exit status; output NULL: it printed nothing. */
BELAY_API void belay_call_exit(belay_call *call, int32_t exit_code,
			       const belay_call_output *output);

/* It could not be run: why, for people. */
BELAY_API void belay_call_fail(belay_call *call, const char *why);

/* ---- replies ------------------------------------------------------------ */

/* The verdict to enforce; BELAY_DENY for NULL. */
BELAY_API belay_verdict belay_reply_verdict(const belay_reply *reply);

/* The whole result: docs/formats/result.md. */
BELAY_API const char *belay_reply_json(const belay_reply *reply);

/*
 * The answer in the agent's own format.  With an agent: what its hook prints,
 * a line of JSON, or "" where exit status and standard error say it all.
 */
BELAY_API const char *belay_reply_answer_json(const belay_reply *reply);

/* With an agent: the exit status and the standard error of its hook. */
BELAY_API int32_t belay_reply_exit_code(const belay_reply *reply);
BELAY_API const char *belay_reply_exit_errors(const belay_reply *reply);

/*
 * Why, in full: an object of "hooks", each with its outcome, and "policies":
 * what was routed, which rules fired and, with BELAY_EXPLAIN, what made them.
 * It may hold secrets of the event.
 */
BELAY_API belay_status belay_reply_explanation(const belay_reply *reply,
					       belay_text **out_text,
					       belay_error *error);

/* Messages for the user and for the model; "" when there is nothing to say. */
BELAY_API const char *belay_reply_user_text(const belay_reply *reply);
BELAY_API const char *belay_reply_model_text(const belay_reply *reply);

/* The prompt to submit next; NULL without one. */
BELAY_API const char *belay_reply_followup(const belay_reply *reply);

/* Of a refusal: a word for programs ("REJECTED_BY_HOOK"), else NULL. */
BELAY_API const char *belay_reply_code(const belay_reply *reply);

/* Of a refusal: its text where it is raised as an error; "" when nothing. */
BELAY_API const char *belay_reply_error_text(const belay_reply *reply);

/*
 * A message beside the decision: a hook that was not run, a file that
 * does not count.  Notice i, or NULL past the last.
 */
BELAY_API size_t belay_reply_notice_count(const belay_reply *reply);
BELAY_API const char *belay_reply_notice(const belay_reply *reply, size_t i);

/* 1 when the log has every execution of this reply. */
BELAY_API int32_t belay_reply_recorded(const belay_reply *reply);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * belay.h: the hook service of an AI coding agent, as a library.
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
 *     from any thread, by one thread at a time.
 *   - Hooks are child processes of the calling process.  It must not ignore
 *     SIGCHLD, nor reap children that it does not know.
 *   - The first webhook that is posted loads libcurl.so.4 (7.87 or later); where
 *     there is none, webhooks fail as hooks do.  An engine keeps connections.
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

/* What went wrong, for people.  Yours; set struct_size before the call. */
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
#define BELAY_LENIENT         1u  /* drop a bad entry, not its whole file */
#define BELAY_NO_PROJECT_GATE 2u  /* profile cursor-2.3: the gate is off */
#define BELAY_TRUST_ALL       4u  /* treat every workspace as trusted */
#define BELAY_NO_LOG          8u  /* record nothing */
#define BELAY_LOG_PAYLOAD     16u /* record payloads in full */

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
	 * run (a failure of the hook).  NULL: each as it asks.  Read when
	 * struct_size has it.
	 */
	const char *least_sandbox;
} belay_engine_options;

#define BELAY_ENGINE_OPTIONS_INIT                                              \
	{                                                                      \
		sizeof(belay_engine_options), 0, NULL, NULL, 0, NULL, 0, NULL, \
			NULL, NULL, NULL, NULL                                 \
	}

/*
 * Makes an engine and loads every source of hooks.  options may be NULL: no
 * workspace.  BELAY_INVALID for a workspace that is not there or a broken trust
 * store; broken hook files are no failure (belay_engine_hooks_json).
 */
BELAY_API belay_status belay_engine_new(const belay_engine_options *options,
					belay_engine **out_engine,
					belay_error *error);
BELAY_API void belay_engine_free(belay_engine *engine);

/* Reads every source again.  On failure the old set stays. */
BELAY_API belay_status belay_engine_reload(belay_engine *engine,
					   belay_error *error);

/*
 * The same, but only when a file has changed.  *changed (may be NULL) is set to
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

/* ---- texts -------------------------------------------------------------- */

typedef struct belay_text belay_text;

BELAY_API const char *belay_text_data(const belay_text *text);
BELAY_API size_t belay_text_size(const belay_text *text); /* without the NUL */
BELAY_API void belay_text_free(belay_text *text);

/*
 * All configured hooks with their sources, the files, and what is wrong with
 * them, as one JSON object: what `belay hooks list --json` prints.
 */
BELAY_API belay_status belay_engine_hooks_json(belay_engine *engine,
					       belay_text **out_text,
					       belay_error *error);

/* The last max records of the log, oldest first, as a JSON array. */
BELAY_API belay_status belay_engine_log_json(belay_engine *engine, size_t max,
					     belay_text **out_text,
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

/* What to enforce; BELAY_DENY for NULL. */
BELAY_API belay_verdict belay_reply_verdict(const belay_reply *reply);

/* The whole result: docs/formats/result.md. */
BELAY_API const char *belay_reply_json(const belay_reply *reply);

/* The answer in the agent's own format. */
BELAY_API const char *belay_reply_answer_json(const belay_reply *reply);

/* What the user and the model are to be told; "" when nothing. */
BELAY_API const char *belay_reply_user_text(const belay_reply *reply);
BELAY_API const char *belay_reply_model_text(const belay_reply *reply);

/* The prompt to submit next; NULL when there is none. */
BELAY_API const char *belay_reply_followup(const belay_reply *reply);

/* 1 when the log has every execution of this reply. */
BELAY_API int32_t belay_reply_recorded(const belay_reply *reply);

#ifdef __cplusplus
}
#endif

#endif

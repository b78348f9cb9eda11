/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/hooks/everruns/everruns.h: the user hooks of Everruns, on the host's side
 * (docs/contracts/everruns.md).  Six events, hooks as JSON specs, one JSON
 * payload in, one JSON decision out; a chain in which every hook sees what
 * earlier ones have rewritten, and the first block ends it.
 *
 * Two profiles, rows of rules.c: "everruns" mends the weaknesses of section
 * 11, "everruns-original" has them.
 *
 * A *set* is what configurations came to: hooks in the order in which they
 * run, muted ids, and the reason when one of them could not be read.  It lives
 * in the arena it was made in.
 */
#ifndef BELAY_SOURCES_HOOKS_EVERRUNS_EVERRUNS_H
#define BELAY_SOURCES_HOOKS_EVERRUNS_EVERRUNS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/error.h"
#include "os/os.h"
#include "sandbox/sandbox.h"
#include "text/text.h"
#include "value/value.h"
#include "webhook/webhook.h"

/* ---- events and profiles ------------------------------------------------ */

enum bl_everruns_event {
	BL_EVERRUNS_SESSION_START,
	BL_EVERRUNS_USER_PROMPT_SUBMIT,
	BL_EVERRUNS_PRE_TOOL_USE,
	BL_EVERRUNS_POST_TOOL_USE,
	BL_EVERRUNS_TURN_END,
	BL_EVERRUNS_SESSION_END,
	BL_EVERRUNS_EVENT_COUNT
};

const char *bl_everruns_event_name(enum bl_everruns_event event);
bool bl_everruns_event_parse(struct bl_str text,
			     enum bl_everruns_event *out_event);
bool bl_everruns_event_is_tool(enum bl_everruns_event event);
bool bl_everruns_event_can_block(enum bl_everruns_event event);

/* One row a profile: each column is a weakness that the original has. */
struct bl_everruns_rules {
	const char *name;
	const char *summary;
	bool gates_fail_open; /* on_error is "warn" where blocking works */
	bool drops_broken;    /* bad specs and files: a warning, no refusal */
	bool regex_without_path; /* is valid, and never fires */
	bool silent_paths;       /* an args_jsonpath that leads nowhere */
	bool drops_user_message; /* of a pre_tool_use block */
	bool drops_origin;       /* tool events: turn_id and agent_id null */
	bool ids_drift;          /* default ids count the filtered list */
	bool no_webhooks;        /* "bash" is the only executor */
	bool confines; /* hooks are sandboxed unless they say otherwise */
};

enum { BL_EVERRUNS_ROWS = 2 };

extern const struct bl_everruns_rules bl_everruns_rows[BL_EVERRUNS_ROWS];

/* NULL when no such name exists, or past the end. */
const struct bl_everruns_rules *bl_everruns_rules_find(struct bl_str name);
const struct bl_everruns_rules *bl_everruns_rules_at(size_t i);

/* ---- hooks -------------------------------------------------------------- */

enum {
	BL_EVERRUNS_MIN_TIMEOUT_MS = 100,
	BL_EVERRUNS_MAX_TIMEOUT_MS = 30000,
	BL_EVERRUNS_USUAL_TIMEOUT_MS = 5000,
	BL_EVERRUNS_MAX_COMMAND_BYTES = 16384,
	BL_EVERRUNS_MAX_ENV = 16,
	BL_EVERRUNS_MAX_MATCHER_BYTES = 2048,
	BL_EVERRUNS_MAX_OUTPUT_BYTES = 65536, /* both streams together */
	BL_EVERRUNS_MAX_HOOKS = 1000,         /* of one set */
	BL_EVERRUNS_OUTPUT_DEPTH = 128,
};

enum bl_everruns_field {
	BL_EVERRUNS_TOOL_NAME,
	BL_EVERRUNS_TOOL_NAME_GLOB,
	BL_EVERRUNS_ARGS_JSONPATH,
	BL_EVERRUNS_MATCH_REGEX,
	BL_EVERRUNS_DENY_REGEX,
	BL_EVERRUNS_FIELD_COUNT
};

const char *bl_everruns_field_name(enum bl_everruns_field field);

struct bl_everruns_matcher {
	struct bl_str text[BL_EVERRUNS_FIELD_COUNT]; /* ptr NULL: absent */
	const struct bl_regex *regex; /* of either; NULL: none, or broken */
};

enum bl_everruns_on_error {
	BL_EVERRUNS_BLOCK,
	BL_EVERRUNS_ALLOW,
	BL_EVERRUNS_WARN,
	BL_EVERRUNS_ON_ERROR_COUNT
};

struct bl_everruns_hook {
	struct bl_str given_id;   /* ptr NULL: none was given */
	struct bl_str id;         /* "user:NAME", "CAPABILITY:NAME" */
	struct bl_str capability; /* empty: the user's own */
	struct bl_str file;       /* where it was read; may be empty */
	enum bl_everruns_event event;
	struct bl_everruns_matcher matcher;
	struct bl_str command; /* of a webhook: its URL */
	struct bl_value env;   /* object of strings, or undefined */
	/* "sandbox" of the executor; profile NULL: an ordinary child */
	struct bl_sandbox_request sandbox;
	/* Executor "webhook", belay's own: as it was written, and read. */
	bool is_webhook;
	struct bl_str secret_ref;
	struct bl_str ca_file;     /* ptr NULL: none */
	struct bl_value addresses; /* or undefined */
	struct bl_webhook webhook;
	uint32_t timeout_ms;
	enum bl_everruns_on_error on_error;
	bool is_gate; /* "policy_gate": after all others, rewrites nothing */
	struct bl_str description;
	struct bl_str broken; /* why it is not valid; empty: it is */
};

struct bl_everruns_set {
	const struct bl_everruns_rules *rules;
	struct bl_arena *arena;
	struct bl_everruns_hook *hooks; /* in order of contribution */
	size_t hook_count;
	struct bl_array_builder muted; /* full ids */
	struct bl_str broken;          /* why a configuration was not read */
	struct bl_array_builder notices;
};

void bl_everruns_set_init(struct bl_everruns_set *set,
			  const struct bl_everruns_rules *rules,
			  struct bl_arena *arena);

/* One configuration and its origin. */
struct bl_everruns_source {
	struct bl_diag_source text; /* borrowed for as long as the set lives */
	/* Empty: the user.  A spec's own "source" never counts. */
	struct bl_str capability;
	bool is_workspace; /* may replace and disable what is there by id */
};

/*
 * Adds the hooks of one configuration (null and {} are legal).  OK also when
 * it is broken: findings are in diags (may be NULL) and set.broken, and an
 * invalid hook stays in the set with its reason.  LIMIT for too many hooks.
 */
enum bl_status bl_everruns_set_add(struct bl_everruns_set *set,
				   const struct bl_everruns_source *source,
				   struct bl_diags *diags,
				   struct bl_error *err);

/*
 * The first rule that a hook breaks, worded, in arena; empty when it is valid
 * (then its regex is compiled).  ptr NULL: memory.
 */
struct bl_str bl_everruns_check(const struct bl_everruns_rules *rules,
				struct bl_everruns_hook *hook,
				struct bl_arena *arena);

/* The answer of a matcher about one payload's data. */
enum bl_everruns_match {
	BL_EVERRUNS_FIRES,
	BL_EVERRUNS_NO_MATCH,
	BL_EVERRUNS_UNRESOLVED, /* no match: args_jsonpath leads nowhere */
};

enum bl_everruns_match
bl_everruns_match(const struct bl_everruns_matcher *matcher,
		  struct bl_value data, struct bl_arena *arena);

/* ---- outcomes ----------------------------------------------------------- */

enum bl_everruns_outcome_kind {
	BL_EVERRUNS_ALLOWED,
	BL_EVERRUNS_MUTATED,
	BL_EVERRUNS_BLOCKED,
	BL_EVERRUNS_FAILED,
	BL_EVERRUNS_OUTCOME_COUNT
};

const char *bl_everruns_outcome_name(enum bl_everruns_outcome_kind kind);

/* The output of one hook. */
struct bl_everruns_outcome {
	enum bl_everruns_outcome_kind kind;
	struct bl_value patch;      /* MUTATED */
	struct bl_str reason;       /* BLOCKED; FAILED: the message */
	struct bl_str user_message; /* BLOCKED; ptr NULL: none */
};

/*
 * Reads what a hook printed (docs/contracts/everruns.md "Output": exact order
 * and wording).  Bytes that are not UTF-8 count as U+FFFD.
 */
enum bl_status bl_everruns_parse_output(int exit_code, struct bl_str output,
					struct bl_str errors,
					struct bl_arena *arena,
					struct bl_everruns_outcome *out_outcome,
					struct bl_error *err);

/* ---- one event ------------------------------------------------------------ */

/* The envelope of one event, less what is each hook's own. */
struct bl_everruns_event_facts {
	enum bl_everruns_event event;
	struct bl_str session_id;
	struct bl_value turn_id; /* string or null, as are the next two */
	struct bl_value org_id;
	struct bl_value agent_id;
	struct bl_str ts;
	struct bl_value data; /* object */
};

/*
 * Reads text, the payload of a request (JSON: session_id, turn_id, ..., data),
 * which must outlive the facts; name (may be empty) is the event's, else the payload
 * says it.  INVALID, SYNTAX, LIMIT: it is not one; NOT_FOUND: no such event.
 */
enum bl_status bl_everruns_read_request(
	const struct bl_everruns_rules *rules, struct bl_str name,
	struct bl_str text, struct bl_arena *arena,
	struct bl_everruns_event_facts *out_facts, struct bl_error *err);

/* The payload of one hook as one line of JSON; ptr NULL: memory. */
struct bl_str bl_everruns_payload(const struct bl_everruns_event_facts *facts,
				  struct bl_str hook_id,
				  struct bl_arena *arena);

/* "safe_id-UUIDv7.json", a new one each time: where the payload is kept. */
enum bl_status bl_everruns_file_name(struct bl_str hook_id, int64_t wall_ms,
				     struct bl_arena *arena,
				     struct bl_str *out_name,
				     struct bl_error *err);

/* One hook's run (run/everruns.c). */
struct bl_everruns_run {
	struct bl_everruns_outcome outcome;
	bool ran;
	int64_t started_wall_ms;
	struct bl_child_result child;
	struct bl_str missing; /* that its sandbox should have had */
};

/* The result of an execution in the chain. */
enum bl_everruns_effect {
	BL_EVERRUNS_NOTHING, /* allowed, or failed where that is let pass */
	BL_EVERRUNS_REWROTE,
	BL_EVERRUNS_ENDED,   /* blocked: the chain ended here */
	BL_EVERRUNS_WARNED,  /* failed, on_error "warn" */
	BL_EVERRUNS_IGNORED, /* said what its event cannot do */
	BL_EVERRUNS_MARKED,  /* post_tool_use: failed, now the tool's error */
	BL_EVERRUNS_EFFECT_COUNT
};

const char *bl_everruns_effect_name(enum bl_everruns_effect effect);

/* A hook that was run, or that blocks because it is not valid. */
struct bl_everruns_execution {
	const struct bl_everruns_hook *hook;
	struct bl_str id; /* as the payload had it */
	struct bl_everruns_run run;
	enum bl_everruns_effect effect;
};

struct bl_everruns_chain {
	const struct bl_everruns_rules *rules;
	struct bl_everruns_event_facts facts; /* data: as it is now */
	bool is_blocked;
	struct bl_str blocked_by; /* the id; "user_hooks": the set */
	struct bl_str reason;
	struct bl_str user_message; /* ptr NULL: none */
	/* The arguments that the tool runs with, redacted, when hooks changed them. */
	struct bl_value executed_arguments;
	struct bl_everruns_execution *executions;
	size_t execution_count;
};

/*
 * Lets one execution's outcome count: sets its effect, and changes reply.
 * Undefined data afterwards: memory.
 */
void bl_everruns_apply(struct bl_everruns_chain *reply,
		       struct bl_everruns_execution *execution,
		       struct bl_arena *arena,
		       struct bl_array_builder *notices);

/* object with key set to value, at its place; undefined: memory. */
struct bl_value bl_everruns_with(struct bl_arena *arena, struct bl_value object,
				 const char *key, struct bl_value value);

/* text with what is not UTF-8 replaced; ptr NULL: memory. */
struct bl_str bl_everruns_clean(struct bl_arena *arena, struct bl_str text);

/* Adds a notice. */
void bl_everruns_note(struct bl_array_builder *notices, const char *fmt, ...)
	BL_PRINTF(2, 3);

/*
 * value with the values of keys that name credentials, and what looks like
 * one in texts, replaced by "[REDACTED]"; then long texts cut.  Undefined:
 * memory.
 */
struct bl_value bl_everruns_redact(struct bl_value value,
				   struct bl_arena *arena);

/* ---- finding configurations --------------------------------------------- */

struct bl_everruns_options {
	const struct bl_everruns_rules *rules;
	struct bl_str config;      /* the one file to read; empty: both below */
	struct bl_str home;        /* HOME/.config/everruns/hooks.json */
	struct bl_str workspace;   /* WORKSPACE/.agents/hooks.json */
	bool trust_all;            /* the workspace's file counts untrusted */
	struct bl_str system_root; /* of the settings for webhooks */
};

/*
 * Reads the configuration files into a set.  The workspace's counts when the
 * whole folder is trusted (belay trust add --folder), since an agent can write
 * it.  A file that cannot be read breaks the set; NOT_FOUND when config is
 * given and missing.
 */
enum bl_status bl_everruns_load(const struct bl_everruns_options *options,
				struct bl_arena *arena, struct bl_diags *diags,
				struct bl_everruns_set *out_set,
				struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allowance/allowance.h: refused actions that a person lets pass.
 *
 * A refusal by a rule carries a short *code*.  `belay allow CODE` makes an
 * *allowance* of it: the same action (tool, normalised input, folder, agent) in
 * the same workspace passes the rules that refused it, once or for some hours.
 *
 * An allowance is a file of JSON, mode 0600, in STATE/allowances, named by the
 * digest of the action, so that looking for one is one open, which fails where
 * nothing is allowed:
 *
 *   DIGEST.json {"version": 1, "code": "K7M2QX", "action": "DIGEST",
 *     "agent": "claude", "workspace": "/w", "rules": ["git/force-push"],
 *     "what": "...", "by": "dev", "granted": MS, "until": MS, "once": true}
 *   DIGEST.KIND one event of that kind has passed (of "once"): its call's id
 *
 * Files are written whole and never changed: an allowance is used up by making
 * its second file, which only one of two racing events can make.  A file that
 * is damaged, too old or too long, or belongs to somebody else allows nothing.
 */
#ifndef BELAY_ALLOWANCE_ALLOWANCE_H
#define BELAY_ALLOWANCE_ALLOWANCE_H

#include "base/arena.h"
#include "base/error.h"
#include "crypto/crypto.h"
#include "value/value.h"

enum {
	BL_ALLOWANCE_CODE_BYTES = 7, /* with the final NUL */
	BL_ALLOWANCE_MAX = 64,       /* at once */
	BL_ALLOWANCE_MAX_RULES = 16,
	BL_ALLOWANCE_FILE_BYTES = 16 << 10,
	BL_ALLOWANCE_ONCE_MS = 3600 * 1000,       /* to be used within */
	BL_ALLOWANCE_MAX_MS = 8 * 3600 * 1000,    /* --for */
	BL_ALLOWANCE_OFFER_MS = 24 * 3600 * 1000, /* a code is good for */
};

/* An action that rules refuse, and for which a code can be given out. */
struct bl_allowance_action {
	struct bl_str digest; /* SHA-256, hexadecimal; empty: none */
	struct bl_str agent;
	struct bl_str workspace;    /* real path */
	const struct bl_str *rules; /* those that refuse or ask */
	size_t rule_count;          /* at most BL_ALLOWANCE_MAX_RULES */
};

struct bl_allowance {
	struct bl_allowance_action action;
	struct bl_str code;
	struct bl_str what; /* the refusal's words, for people */
	struct bl_str by;   /* the user who granted it */
	int64_t granted_ms;
	int64_t until_ms;
	bool is_once;
};

/* Six characters of chance, of 32 that are not mistaken for others. */
enum bl_status bl_allowance_new_code(char out[BL_ALLOWANCE_CODE_BYTES],
				     struct bl_error *err);

/* Capitals; false: it is not a code. */
bool bl_allowance_read_code(struct bl_str text,
			    char out[BL_ALLOWANCE_CODE_BYTES]);

/* HOME/.local/state/belay: never what the environment says. */
struct bl_str bl_allowance_state_dir(struct bl_arena *arena,
				     struct bl_str home);

/* ---- when an event is decided ---------------------------------------------- */

/*
 * The allowance of an action that counts now.  NOT_FOUND: none, or it has
 * expired, or it does not cover every rule of action.  Other errors: there is
 * one that allows nothing, and why.  Texts are in arena.
 */
enum bl_status bl_allowance_find(struct bl_str state_dir,
				 const struct bl_allowance_action *action,
				 int64_t now_ms, struct bl_arena *arena,
				 struct bl_allowance *out_allowance,
				 struct bl_error *err);

/*
 * Takes it for an event of this kind.  The call of an action may be announced by
 * several events, of different kinds, and by one event to several hooks
 * (call_id equal and not empty; it has to be one in all sessions); all of these
 * pass.  DENIED: it is used up.
 */
enum bl_status bl_allowance_use(struct bl_str state_dir,
				const struct bl_allowance *allowance,
				struct bl_str kind, struct bl_str call_id,
				struct bl_error *err);

/* ---- the person -------------------------------------------------------------- */

/*
 * Grants one, in place of an older one of the same action, and clears away
 * those that have expired.  LIMIT: there are BL_ALLOWANCE_MAX.
 */
enum bl_status bl_allowance_grant(struct bl_str state_dir,
				  const struct bl_allowance *allowance,
				  struct bl_error *err);

struct bl_allowances {
	struct bl_allowance *items; /* by the names of their files */
	size_t count;
	size_t damaged_count; /* files that allow nothing, and are not items */
};

/* Those that count at now_ms, in arena. */
enum bl_status bl_allowance_list(struct bl_str state_dir, int64_t now_ms,
				 struct bl_arena *arena,
				 struct bl_allowances *out_list,
				 struct bl_error *err);

/* Takes those with this code away (ptr NULL: all).  NOT_FOUND: none. */
enum bl_status bl_allowance_revoke(struct bl_str state_dir, struct bl_str code,
				   struct bl_error *err);

/* Its members for the journal, state being "offered", "granted" or "used". */
struct bl_value bl_allowance_value(const struct bl_allowance *allowance,
				   const char *state, struct bl_arena *arena);

#endif

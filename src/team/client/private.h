/* SPDX-License-Identifier: Apache-2.0 */
/* team/client/private.h: what the files of this module share. */
#ifndef BELAY_TEAM_CLIENT_PRIVATE_H
#define BELAY_TEAM_CLIENT_PRIVATE_H

#include "json/json.h"
#include "os/os.h"
#include "team/client/client.h"
#include "value/value.h"

enum {
	TEAM_FILE_MODE = 0600,
	TEAM_DIR_MODE = 0700,
	TEAM_MANAGED_FILE_MODE = 0644,
	TEAM_MANAGED_DIR_MODE = 0755,
	TEAM_SCRIPT_MODE = 0755,
	TEAM_CLOCK_SLACK_S = 600,
	TEAM_MAX_SEEN = 64, /* versions whose digests are remembered */
};

/* ---- state.c ------------------------------------------------------------------ */

struct team_seen {
	int64_t version;
	char sha256[BL_SHA256_HEX_BYTES];
};

/* state.json */
struct team_state {
	struct bl_str team_id; /* whose it is */
	int64_t root_version;
	int64_t floor;
	int64_t version; /* of the set in force */
	struct bl_str manifest_sha256;
	struct bl_str refused_sha256; /* of a manifest that was refused */
	struct bl_str etag;           /* of the fresh statement kept */
	int64_t highest;              /* the latest time in a signed document */
	int64_t checked;
	int64_t fresh_until;
	enum bl_team_state state;
	struct bl_str detail;
	int64_t since;
	int64_t tried;
	int64_t next_try;
	int64_t failures; /* in a row */
	struct team_seen seen[TEAM_MAX_SEEN];
	size_t seen_count;
};

/* Missing: all zero, LOGGED_OUT.  Texts are in arena. */
enum bl_status team_state_read(const struct bl_team_place *place,
			       struct bl_arena *arena, struct team_state *out,
			       struct bl_error *err);
enum bl_status team_state_write(const struct bl_team_place *place,
				const struct team_state *state,
				struct bl_error *err);

/* A file of the folder of state; NOT_FOUND.  Others must not be able to write it. */
enum bl_status team_read_own(const struct bl_team_place *place,
			     const char *name, size_t max_bytes,
			     struct bl_arena *arena, struct bl_str *out,
			     struct bl_error *err);
enum bl_status team_write_own(const struct bl_team_place *place,
			      const char *name, struct bl_str text,
			      uint32_t mode, struct bl_error *err);
struct bl_str team_path(const struct bl_team_place *place, const char *name,
			struct bl_arena *arena);
struct bl_team_store team_store(const struct bl_team_place *place);

/* ---- account.c ---------------------------------------------------------------- */

enum bl_status team_account_write(const struct bl_team_place *place,
				  const struct bl_team_account *account,
				  struct bl_error *err);
/* The member "labels" of an object; a missing one is an empty list. */
enum bl_status team_read_labels(struct bl_value object, struct bl_arena *arena,
				struct bl_team_account *out,
				struct bl_error *err);
enum bl_status team_token_read(const struct bl_team_place *place,
			       const struct bl_team_account *account,
			       struct bl_arena *arena, struct bl_str *out,
			       struct bl_error *err);

/* Keeps the token where the account says; a file goes when the keyring has it. */
enum bl_status team_token_write(const struct bl_team_place *place,
				const struct bl_team_account *account,
				struct bl_str token, struct bl_error *err);
enum bl_status team_token_remove(const struct bl_team_place *place,
				 const struct bl_team_account *account,
				 struct bl_error *err);

/* ---- keyring.c ---------------------------------------------------------------- */

/* DENIED: no keyring, a locked one, or a refusal; with its words. */
enum bl_status team_keyring_store(const struct bl_team_place *place,
				  const char *token, struct bl_error *err);
/* NOT_FOUND: it does not have one. */
enum bl_status team_keyring_read(const struct bl_team_place *place,
				 struct bl_arena *arena, struct bl_str *out,
				 struct bl_error *err);
enum bl_status team_keyring_clear(const struct bl_team_place *place,
				  struct bl_error *err);

/* ---- call.c ------------------------------------------------------------------- */

/* One run of the client against one server. */
struct team_session {
	const struct bl_team_client *client;
	const struct bl_team_account *account;
	struct bl_str token; /* empty: none is sent */
	struct bl_str ca;
	struct bl_arena *arena;
	enum bl_team_state state; /* why a call failed */
	int64_t retry_after_s;    /* that the server asked for; 0: none */
	int64_t server_time;      /* of the last answer's Date; 0: none */
	struct bl_error *err;
};

struct team_request {
	const char *method;
	struct bl_str path; /* "/v1/..." */
	const char *type;   /* of the body; NULL: no body */
	const char *encoding;
	struct bl_str body;
	struct bl_str etag; /* If-None-Match; or empty */
	size_t max_bytes;   /* of the answer */
};

/* Reads the account's ca_file, so that calls can be made. */
enum bl_status team_session_begin(struct team_session *session);

/*
 * OK when the server answered below 500 and not with 401 or 429; else the
 * session has the state and the error says why.
 */
enum bl_status team_call(struct team_session *session,
			 const struct team_request *request,
			 struct bl_http_reply *out);

/*
 * Has the server replace this machine's token, and keeps the new one.  The old
 * one is good until the new one was used, so a failure costs nothing.  login.c.
 */
enum bl_status team_renew_token(struct team_session *session);

/* Seconds since 1970 of "Sun, 06 Nov 1994 08:49:37 GMT"; 0: not that form. */
int64_t team_http_time(struct bl_str text);

/* ---- update.c ----------------------------------------------------------------- */

/* One sync on its way. */
struct team_update {
	struct team_session session;
	const struct bl_team_account *account;
	struct team_state *state;
	struct bl_arena *arena;
	int64_t now;
	struct bl_team_root root;
	struct bl_team_fresh fresh;
	const struct bl_team_choice *choice;
	struct bl_team_manifest manifest;
	struct bl_str manifest_text;
	bool is_unmodified;      /* the server had no newer statement */
	bool wants_renewal;      /* of the token, says the server */
	struct bl_str *contents; /* of the manifest's files, by index */
	struct bl_team_hooks hooks;
	struct bl_str fingerprint;
	struct bl_error *err;
};

/* The trusted root of the folder of state; NOT_FOUND: not yet there. */
enum bl_status team_load_root(struct team_update *update);

/* Root, fresh statement, manifest, in this order; session.state on failure. */
enum bl_status team_update_roots(struct team_update *update);
enum bl_status team_update_fresh(struct team_update *update);
enum bl_status team_update_manifest(struct team_update *update);

/* The manifest that is in force, from the folder of state, verified again. */
enum bl_status team_load_manifest(struct team_update *update);

/* Fails the update with a state. */
enum bl_status team_refuse(struct team_update *update, enum bl_team_state state,
			   const char *fmt, ...) BL_PRINTF(3, 4);

#define TEAM_NEW_SUFFIX    ".belay-new"
#define TEAM_FORMER_SUFFIX ".belay-former"

/* VERSION-HASH, the name of a set's folder; in arena. */
struct bl_str team_set_name(int64_t version, struct bl_str sha256,
			    struct bl_arena *arena);

/* ---- install.c ---------------------------------------------------------------- */

/*
 * The contents of the manifest's files: from sets of before where the digest is
 * the same, else, unless offline, from the server.
 */
enum bl_status team_fetch_files(struct team_update *update, bool is_offline);

/* The rules for content (hooks, policies); REFUSED_CONTENT. */
enum bl_status team_check_content(struct team_update *update);

/* Writes the set and the folders of hooks, and switches to them. */
enum bl_status team_install(struct team_update *update);

/* Is what is in place what was signed?  DENIED with the file. */
enum bl_status team_check_in_place(const struct bl_team_place *place,
				   struct bl_arena *arena,
				   struct bl_error *err);

/* Writes the record of what is in force with the state as it is now. */
enum bl_status team_note_state(const struct bl_team_place *place,
			       const struct bl_team_account *account,
			       const struct team_state *state, bool is_accepted,
			       struct bl_arena *arena, struct bl_error *err);

/* Takes away all sets but those of state and record, drafts among them. */
void team_clean(const struct bl_team_place *place,
		const struct team_state *state, struct bl_arena *arena);

/* Takes the folders of hooks and all sets away. */
enum bl_status team_uninstall(const struct bl_team_place *place,
			      struct bl_arena *arena, struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team/client/client.h: this machine's side of a team: signing in, fetching and
 * verifying sets, putting them in place, sending records.
 *
 * The order of a sync is TUF's (docs/formats/team.md, docs/internals/team.md):
 * root after root, then the fresh statement, the manifest, the files; each is
 * kept only once it was checked.  Whatever fails, the set in force stays as it
 * is, and the next try starts from the same place.
 *
 * A machine's folder of state holds:
 *     team.json    the account: server, team, machine; 0600
 *     token        0600; not there when the desktop's keyring has it
 *     root, fresh, manifest   the last ones that were verified, as served
 *     state.json   versions seen, the last result, when to try again
 *     sets/V-HASH  the files of a set
 *     in-force.json   what every event reads (team/team.h)
 * On a managed machine that is /var/lib/belay/team, and the account is root's
 * /etc/belay/team.json; else ~/.local/state/belay/team.
 */
#ifndef BELAY_TEAM_CLIENT_CLIENT_H
#define BELAY_TEAM_CLIENT_CLIENT_H

#include "http/http.h"
#include "team/team.h"
#include "value/value.h"

enum {
	BL_TEAM_REFRESH_S =
		1800, /* docs/contracts/cursor-2.3.41.md "Service" */
	BL_TEAM_MAX_AGE_S = 14 * 24 * 3600,
	BL_TEAM_TOKEN_BYTES = 256, /* at most, with its NUL */
	BL_TEAM_MAX_LABELS = 32,
};

/* Whose team: the machine's, or the user's. */
struct bl_team_place {
	struct bl_str dir;     /* of state */
	struct bl_str account; /* the file */
	struct bl_str home;    /* of the user; for the folders of hooks */
	bool is_managed;
};

struct bl_team_account {
	struct bl_str server; /* without a slash at its end */
	struct bl_str team_id;
	struct bl_str machine_id;
	struct bl_str *labels;
	size_t label_count;
	struct bl_str root_sha256; /* of root 1; empty: taken at first use */
	struct bl_str accepted;    /* the fingerprint that was agreed to */
	struct bl_str ca_file;     /* PEM, instead of the system's; or empty */
	bool has_keyring;          /* the token is in the desktop's keyring */
	int64_t max_age_s;
	enum bl_team_aged aged;
};

/*
 * The machine's place when /etc/belay/team.json is there, else the user's.
 * system_root is put before both system folders.
 */
enum bl_status bl_team_find_place(struct bl_str system_root, struct bl_str home,
				  struct bl_arena *arena,
				  struct bl_team_place *out,
				  struct bl_error *err);

/* NOT_FOUND: in no team.  DENIED: the file is not only its owner's. */
enum bl_status bl_team_read_account(const struct bl_team_place *place,
				    struct bl_arena *arena,
				    struct bl_team_account *out,
				    struct bl_error *err);

/* The result of the last sync, and what it left. */
struct bl_team_report {
	enum bl_team_state state;
	struct bl_str detail; /* a sentence, or empty */
	int64_t since;        /* when the state began */
	int64_t tried;        /* the last try */
	int64_t checked;      /* the last verified fresh statement */
	int64_t fresh_until;
	int64_t next_try; /* 0: whenever the timer says */
	int64_t version;  /* of the set in force; 0: none */
	int64_t root_version;
	struct bl_str manifest_sha256;
	bool has_changed; /* another state, or another set, than before */
	bool is_pending;  /* the notice waits for an answer */
	struct bl_str fingerprint; /* of team, server and root keys */
};

/*
 * Reads policies of a set that is about to be put in place, so that no event
 * has to wait for them.  Failure refuses the set.
 */
typedef enum bl_status bl_team_prepare_fn(void *context, struct bl_str dir,
					  struct bl_error *err);

/* Appends the text packed by gzip. */
typedef enum bl_status bl_team_pack_fn(struct bl_str text, struct bl_buf *out,
				       struct bl_error *err);

struct bl_team_client {
	struct bl_team_place place;
	struct bl_http_client *http;
	bl_team_prepare_fn *prepare; /* NULL: policies are taken as they are */
	void *context;
	bl_team_pack_fn *pack; /* NULL: records are sent as they are */
	/*
	 * Of a timer: keeps to next_try, and does not fetch again what was
	 * refused.
	 */
	bool is_background;
};

/*
 * One sync.  OK whatever the state is that it ends in; failures are of this
 * machine: TIMEOUT when another sync holds the lock, NOT_FOUND without an
 * account, NO_MEMORY.
 */
enum bl_status bl_team_sync(const struct bl_team_client *client,
			    struct bl_arena *arena,
			    struct bl_team_report *out_report,
			    struct bl_error *err);

/*
 * One sync, a line in the journal when the state or the set is another one, and
 * then bl_team_upload.  *out_waiting says why records wait until the next time;
 * its status is OK when none do.  Fails as bl_team_sync does, or when the line
 * cannot be written.
 */
enum bl_status
bl_team_refresh(const struct bl_team_client *client, struct bl_str journal_dir,
		struct bl_arena *arena, struct bl_team_report *out_report,
		struct bl_error *out_waiting, struct bl_error *err);

/* As an object of JSON (`belay team status --json`); undefined: memory. */
struct bl_value bl_team_report_value(const struct bl_team_account *account,
				     const struct bl_team_report *report,
				     struct bl_arena *arena);

/* The last result, without asking the server.  NOT_FOUND: in no team. */
enum bl_status bl_team_status(const struct bl_team_place *place,
			      struct bl_arena *arena,
			      struct bl_team_report *out_report,
			      struct bl_error *err);

/* The answer Continue to the notice: team hooks run from now on. */
enum bl_status bl_team_accept(const struct bl_team_place *place,
			      struct bl_arena *arena, struct bl_error *err);

/*
 * Takes hooks, sets, token and account away.  The roots and versions that
 * were seen stay known, so that a later login cannot be given older ones.
 */
enum bl_status bl_team_logout(const struct bl_team_place *place,
			      struct bl_arena *arena, struct bl_error *err);

/* ---- signing in --------------------------------------------------------------- */

/* Where the machine's token is kept.  A managed machine has a file. */
enum bl_team_keeping {
	BL_TEAM_IN_FILE,       /* of mode 0600 */
	BL_TEAM_IN_KEYRING,    /* of the desktop, or the login fails */
	BL_TEAM_IN_KEYRING_OR, /* there, or, if it does not take it, in a file */
};

/* Does a session bus answer, and is libsecret there? */
bool bl_team_has_keyring(void);

struct bl_team_login {
	struct bl_str server;
	enum bl_team_keeping keeping;
	struct bl_str ca_file;
	struct bl_str host; /* shown to whoever confirms */
	struct bl_str user;
	int64_t max_age_s;
	enum bl_team_aged aged;
};

/* INVALID: neither https nor a server of this machine. */
enum bl_status bl_team_check_server(struct bl_str server,
				    struct bl_arena *arena,
				    struct bl_str *out_server,
				    struct bl_error *err);

/* By an enrolment token, "blt_e...[#ROOT_SHA256]". */
enum bl_status bl_team_enrol(const struct bl_team_client *client,
			     const struct bl_team_login *login,
			     struct bl_str token, struct bl_arena *arena,
			     struct bl_error *err);

/* By a person who confirms a code in a browser (RFC 8628). */
struct bl_team_device {
	struct bl_str device_code;
	struct bl_str user_code;
	struct bl_str uri;
	struct bl_str uri_complete; /* may be empty */
	int64_t expires_s;
	int64_t interval_s;
};

enum bl_status bl_team_device_begin(const struct bl_team_client *client,
				    const struct bl_team_login *login,
				    struct bl_arena *arena,
				    struct bl_team_device *out,
				    struct bl_error *err);

/*
 * Asks once.  *out_done: signed in.  Otherwise to be asked again after
 * interval_s, which it may raise.  DENIED, TIMEOUT: over.
 */
enum bl_status bl_team_device_poll(const struct bl_team_client *client,
				   const struct bl_team_login *login,
				   struct bl_team_device *device,
				   struct bl_arena *arena, bool *out_done,
				   struct bl_error *err);

/* A machine's token that was made elsewhere; it is checked for its form. */
enum bl_status bl_team_use_token(const struct bl_team_client *client,
				 const struct bl_team_login *login,
				 const struct bl_team_account *account,
				 struct bl_str token, struct bl_error *err);

/* Is it "blt_", a kind, 43 characters and their sum? */
bool bl_team_token_is_good(struct bl_str token);

/* ---- records ------------------------------------------------------------------ */

/*
 * Sends what the journal in dir has that was not acknowledged, at most a few
 * batches.  Never fails an event: what cannot be sent waits in the journal.
 * *out_sent counts records.
 */
enum bl_status bl_team_upload(const struct bl_team_client *client,
			      struct bl_str journal_dir, struct bl_arena *arena,
			      size_t *out_sent, struct bl_error *err);

/* A record of the journal without what may hold secrets: payloads, standard error. */
struct bl_value bl_team_redact(struct bl_value record, struct bl_arena *arena);

/* The result of a sync as a line of the journal in dir. */
enum bl_status bl_team_record(const char *event_name, struct bl_str journal_dir,
			      const struct bl_team_report *report,
			      struct bl_arena *arena, struct bl_error *err);

/* ---- for other control planes (src/opa) ---------------------------------------- */

/* A header of an answer, trimmed; ptr NULL when it is missing.  name: lower case. */
struct bl_str bl_team_header(struct bl_str head, const char *name);

/* A file that only root and this user could have written; else DENIED. */
enum bl_status bl_team_read_guarded(struct bl_str path, size_t max_bytes,
				    struct bl_arena *arena, struct bl_str *out,
				    struct bl_error *err);

struct bl_team_content {
	const struct bl_team_file *files;
	const struct bl_str *texts; /* of files, by index */
	size_t count;
};

/* Writes a folder as a whole, in the place of one that bears its name. */
enum bl_status bl_team_write_folder(struct bl_str path, bool is_managed,
				    const struct bl_team_content *content,
				    struct bl_arena *arena,
				    struct bl_error *err);

/* ---- a folder of state ---------------------------------------------------------- */

/*
 * The folder that a client keeps what it knows in.  opa/opa.h has one beside the
 * team's.  Everybody reads the folder of a managed machine; root alone writes it.
 */
struct bl_team_store {
	struct bl_str dir;
	bool is_managed;
};

enum bl_status bl_team_store_make(const struct bl_team_store *store,
				  struct bl_error *err);

/* Replaces a file of the folder, which is made. */
enum bl_status bl_team_store_write(const struct bl_team_store *store,
				   const char *name, struct bl_str text,
				   uint32_t mode, struct bl_error *err);

/* TIMEOUT: another process holds the lock.  bl_os_close(*out_fd) releases it. */
enum bl_status bl_team_store_lock(const struct bl_team_store *store,
				  struct bl_arena *arena, int *out_fd,
				  struct bl_error *err);

/*
 * Takes the folders of sets away, drafts among them, but for the one of the state
 * and the one that the record of what is in force names.  They differ when a sync
 * was killed between the two.
 */
void bl_team_store_clean(const struct bl_team_store *store,
			 struct bl_str by_state, struct bl_str by_record,
			 struct bl_arena *arena);

/* A member of a struct that state.json keeps under the same name. */
enum bl_team_member_kind {
	BL_TEAM_MEMBER_TEXT,   /* struct bl_str */
	BL_TEAM_MEMBER_NUMBER, /* int64_t, not negative */
	BL_TEAM_MEMBER_TIME,   /* the same, in seconds since 1970; 0: never */
	BL_TEAM_MEMBER_STATE,  /* enum bl_team_state, by its name */
};

struct bl_team_member {
	const char *name;
	size_t offset;
	enum bl_team_member_kind kind;
};

struct bl_team_members {
	const struct bl_team_member *items;
	size_t count;
};

#define BL_TEAM_MEMBER(type, member, kind)                                     \
	{                                                                      \
#		member, offsetof(type, member), BL_TEAM_MEMBER_##kind         \
	}

/*
 * Fills the members of *out; *out_object is the whole record.
 * NOT_FOUND: the file is missing.  DENIED: others can write it.  SYNTAX, INVALID
 * with the file.
 */
enum bl_status bl_team_store_read_state(const struct bl_team_store *store,
					const struct bl_team_members *members,
					struct bl_arena *arena, void *out,
					struct bl_value *out_object,
					struct bl_error *err);

/* An undefined object is one that memory did not suffice for. */
enum bl_status bl_team_store_write_state(const struct bl_team_store *store,
					 struct bl_value object,
					 struct bl_error *err);

/* The values of members in the struct at from. */
struct bl_value bl_team_member_value(const struct bl_team_member *member,
				     const void *from);
void bl_team_add_members(struct bl_object_builder *object,
			 const struct bl_team_members *members,
			 const void *from);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team/team.h: what a team's server and its machines have in common: the
 * messages of the wire, the rules for their content, and the signed documents.
 *
 * Formats: docs/formats/team.md.  Only the record of what is in force opens a
 * file; nothing here opens a connection (team/client/client.h).  Signing and
 * verifying need libcrypto (team_dep); the rest needs nothing.
 */
#ifndef BELAY_TEAM_TEAM_H
#define BELAY_TEAM_TEAM_H

#include "agents/agents.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "crypto/crypto.h"

/* ---- states --------------------------------------------------------------- */

enum bl_team_state {
#define STATE(name, word, set, text) BL_TEAM_##name,
#include "team/states.def"
#undef STATE
	BL_TEAM_STATE_COUNT
};

/* Which set is in force in a state. */
enum bl_team_in_force {
	BL_TEAM_NEWEST,
	BL_TEAM_LAST_GOOD,
	BL_TEAM_BY_AGE, /* what the machine's settings say */
	BL_TEAM_NONE,
};

const char *bl_team_state_name(enum bl_team_state state); /* "current" */
const char *bl_team_state_text(enum bl_team_state state); /* for people */
enum bl_team_in_force bl_team_state_in_force(enum bl_team_state state);

/* False when no state has that name. */
bool bl_team_state_find(struct bl_str name, enum bl_team_state *out_state);

/* ---- messages --------------------------------------------------------------- */

enum {
	BL_TEAM_MAX_HOOKS = 1000,
	BL_TEAM_MAX_SYSTEMS = 16, /* of one hook */
	BL_TEAM_MAX_SCRIPT_BYTES = 1024 * 1024,
	BL_TEAM_MAX_CONTENT_BYTES = 16 * 1024 * 1024, /* of all scripts */
	BL_TEAM_MAX_NAME_BYTES = 128,
	/* A message of either form, before it is looked at. */
	BL_TEAM_MAX_MESSAGE_BYTES = 2 * BL_TEAM_MAX_CONTENT_BYTES,
};

/* Content type and route of the call (Connect unary). */
#define BL_TEAM_ROUTE       "/belay.team.v1.TeamService/GetTeamHooks"
#define BL_TEAM_TYPE_BINARY "application/proto"
#define BL_TEAM_TYPE_JSON   "application/json"

/* GetTeamHooksRequest */
struct bl_team_request {
	bool active_only;
};

/* TeamHook.  All texts are UTF-8 without NUL. */
struct bl_team_hook {
	int64_t id;
	struct bl_str event_name;
	struct bl_str script_name;
	struct bl_str *systems; /* "Linux", "Macintosh", "Windows"; none: all */
	size_t system_count;
	bool is_active;
	struct bl_str content;
};

/* GetTeamHooksResponse */
struct bl_team_hooks {
	struct bl_team_hook *items;
	size_t count;
};

enum bl_team_message {
	BL_TEAM_REQUEST,  /* struct bl_team_request */
	BL_TEAM_HOOK,     /* struct bl_team_hook */
	BL_TEAM_RESPONSE, /* struct bl_team_hooks */
	BL_TEAM_MESSAGE_COUNT
};

/*
 * A message from protobuf's binary form into *out, the message's struct.  Its
 * texts point into bytes, its lists are in arena.  Refused, with the
 * place: a wrong type on the wire, a number or length that is cut short, a
 * field given twice that is not a list, text that is not UTF-8 or has a NUL,
 * groups, more hooks or systems than the limits above, more than 64 unknown
 * fields of one message (fewer are passed over).  SYNTAX, LIMIT.
 */
enum bl_status bl_team_decode(enum bl_team_message message, struct bl_str bytes,
			      struct bl_arena *arena, void *out,
			      struct bl_error *err);

/* Appends the binary form; fields in the order of their numbers. */
void bl_team_encode(enum bl_team_message message, const void *in,
		    struct bl_buf *out);

/*
 * As above from ProtoJSON: both spellings of names, null for absent, numbers as
 * text or as exact numbers.  A name given twice is refused, an unknown one
 * unless ignore_unknown.  SYNTAX, INVALID, LIMIT.
 */
enum bl_status bl_team_decode_json(enum bl_team_message message,
				   struct bl_str text, bool ignore_unknown,
				   struct bl_arena *arena, void *out,
				   struct bl_error *err);

/* Appends ProtoJSON: lowerCamelCase, int64 as text, defaults left out. */
void bl_team_encode_json(enum bl_team_message message, const void *in,
			 struct bl_buf *out);

/*
 * The rules for the hooks of a team, all of them or none: id > 0 and given
 * once; an event of the contract; a script's name of 1 to 128 characters of
 * [A-Za-z0-9._-], not beginning with "." or "-", not "hooks.json", given once
 * whatever its case; systems known; scripts within their limits.  INVALID with
 * the item and the rule.
 */
enum bl_status bl_team_check_hooks(const struct bl_team_hooks *hooks,
				   const struct bl_contract *contract,
				   struct bl_error *err);

/* "Linux", "Macintosh", "Windows": this system's name in the messages. */
const char *bl_team_system_name(void);

/* Is the hook active, and for this system? */
bool bl_team_hook_applies(const struct bl_team_hook *hook, const char *system);

/* ---- signed documents --------------------------------------------------------- */

/*
 * A document is one line of canonical JSON, then a line for each signature:
 *
 *     {"expires":1795910400,...,"type":"belay-fresh","version":7}
 *     ed25519 KEYID SIGNATURE
 *
 * KEYID is the SHA-256 of the public key, SIGNATURE is over the kind's prefix
 * ("belay-fresh-v1" and a zero byte) and the first line without its end; both
 * in lower-case hexadecimal digits.  Times are seconds since 1970.
 */
enum bl_team_document {
	BL_TEAM_ROOT,     /* whose keys may sign what; kept offline */
	BL_TEAM_MANIFEST, /* a set: its files and their digests */
	BL_TEAM_FRESH,    /* which set is the newest, said hourly */
	BL_TEAM_DOCUMENT_COUNT
};

enum {
	BL_TEAM_MAX_ROOT_BYTES = 64 * 1024,
	BL_TEAM_MAX_MANIFEST_BYTES = 1024 * 1024,
	BL_TEAM_MAX_FRESH_BYTES = 4096,
	BL_TEAM_MAX_KEYS = 16,       /* of one role */
	BL_TEAM_MAX_SIGNATURES = 32, /* of one document */
	BL_TEAM_MAX_FILES = 4096,    /* of one set */
	BL_TEAM_MAX_PATH_BYTES = 255,
	BL_TEAM_MAX_FILE_BYTES = 16 * 1024 * 1024,
	BL_TEAM_MAX_SET_BYTES = 64 * 1024 * 1024,
	BL_TEAM_MAX_SETS = 8, /* of one fresh statement */
	BL_TEAM_SHARES = 10000,
	BL_TEAM_ID_BYTES = 64, /* of a team's id, at most */
};

/* The most bytes that a document of that kind may have. */
size_t bl_team_document_max(enum bl_team_document kind);

const char *bl_team_document_name(enum bl_team_document kind); /* "root" */

/* The keys of one role, and how many of them have to sign. */
struct bl_team_role {
	struct bl_ed25519_public keys[BL_TEAM_MAX_KEYS];
	size_t key_count;
	size_t threshold;
};

enum bl_team_role_name {
	BL_TEAM_ROLE_ROOT,
	BL_TEAM_ROLE_SET,
	BL_TEAM_ROLE_FRESH,
	BL_TEAM_ROLE_COUNT
};

struct bl_team_root {
	struct bl_str team_id;
	int64_t root_version; /* 1, 2, ... */
	int64_t expires;
	struct bl_team_role roles[BL_TEAM_ROLE_COUNT];
};

/*
 * A file of a set.  hooks.pb is the GetTeamHooksResponse, policies/... a policy
 * directory with its rulebook.yml.
 */
struct bl_team_file {
	struct bl_str
		path; /* parts of [A-Za-z0-9._-] that do not begin with . */
	int64_t bytes;
	char sha256[BL_SHA256_HEX_BYTES];
};

#define BL_TEAM_HOOKS_FILE    "hooks.pb"
#define BL_TEAM_POLICY_FOLDER "policies"

struct bl_team_manifest {
	struct bl_str team_id;
	int64_t version;
	/* The lowest version that a machine with this set may go back to. */
	int64_t floor;
	int64_t created;
	int64_t expires;
	struct bl_str min_client;   /* "0.1.0" */
	struct bl_team_file *files; /* by path, rising */
	size_t file_count;
};

/* A set, and which machines take it. */
struct bl_team_choice {
	int64_t version;
	char sha256[BL_SHA256_HEX_BYTES]; /* of the manifest with signatures */
	uint32_t share;                   /* of BL_TEAM_SHARES machines */
	struct bl_str label; /* only machines with it; empty: all */
};

struct bl_team_fresh {
	struct bl_str team_id;
	int64_t root_version;
	int64_t issued;
	int64_t expires;
	/* The first that applies counts; the last applies to all. */
	struct bl_team_choice *choices;
	size_t choice_count;
	/* The head of the server's audit trail, 64 digits; or empty. */
	struct bl_str audit;
};

/* The key's id: the SHA-256 of its bytes. */
void bl_team_key_id(const struct bl_ed25519_public *key,
		    char out[BL_SHA256_HEX_BYTES]);

/*
 * Append the document's line, with its end, and no signature.  INVALID when a
 * rule of reading it would be broken; *out is then as it was.
 */
enum bl_status bl_team_write_root(const struct bl_team_root *root,
				  struct bl_buf *out, struct bl_error *err);
enum bl_status bl_team_write_manifest(const struct bl_team_manifest *manifest,
				      struct bl_buf *out, struct bl_error *err);
enum bl_status bl_team_write_fresh(const struct bl_team_fresh *fresh,
				   struct bl_buf *out, struct bl_error *err);

/*
 * Appends one more signature to a document that *text holds whole.  EXISTS when
 * the key has signed it already.
 */
enum bl_status bl_team_sign(enum bl_team_document kind,
			    const struct bl_ed25519_secret *secret,
			    struct bl_buf *text, struct bl_error *err);

/*
 * Has a threshold of the role's keys signed?  Keys are counted, not signatures
 * nor ids.  On failure *out_state is SIGNATURE_INVALID (a line of a known key
 * is wrong, or the form of the whole) or WRONG_KEY, and the error names the
 * document and the key.
 */
enum bl_status bl_team_verify(enum bl_team_document kind, struct bl_str text,
			      const struct bl_team_role *role,
			      enum bl_team_state *out_state,
			      struct bl_error *err);

/*
 * Reads a document; texts and lists are in arena.  Only after bl_team_verify,
 * or, for a root, with what it says verified by itself at once.  SYNTAX for what
 * is not canonical JSON, INVALID for a broken rule.
 */
enum bl_status bl_team_read_root(struct bl_str text, struct bl_arena *arena,
				 struct bl_team_root *out,
				 struct bl_error *err);
enum bl_status bl_team_read_manifest(struct bl_str text, struct bl_arena *arena,
				     struct bl_team_manifest *out,
				     struct bl_error *err);
enum bl_status bl_team_read_fresh(struct bl_str text, struct bl_arena *arena,
				  struct bl_team_fresh *out,
				  struct bl_error *err);

/*
 * Is it an id of a team, or a label?  1 to BL_TEAM_ID_BYTES letters, digits, ".",
 * "_" and "-"; the first is neither "." nor "-".
 */
bool bl_team_id_is_good(struct bl_str id);

/* Is the path one that a set may hold? */
bool bl_team_path_is_good(struct bl_str path);

/* NULL when the set has no such file. */
const struct bl_team_file *
bl_team_find_file(const struct bl_team_manifest *manifest, struct bl_str path);

/*
 * The choice of a machine: the first whose label it has (labels may be empty)
 * and in whose share it falls, by SHA-256(choice's sha256 || machine) modulo
 * BL_TEAM_SHARES.
 */
const struct bl_team_choice *bl_team_choose(const struct bl_team_fresh *fresh,
					    struct bl_str machine,
					    const struct bl_str *labels,
					    size_t label_count);

/* ---- what is in force --------------------------------------------------------- */

/*
 * The record that sync writes once a set was verified, and that every event
 * reads: which files the team supplies, and their digests.  The static program
 * verifies no signature; it trusts this file as far as its owner and mode.
 */

/* When the set is older than its maximum age. */
enum bl_team_aged { BL_TEAM_AGED_KEEP, BL_TEAM_AGED_ASK, BL_TEAM_AGED_DENY };

const char *bl_team_aged_name(enum bl_team_aged aged); /* "keep" */
bool bl_team_aged_find(struct bl_str name, enum bl_team_aged *out_aged);

/* A folder of hooks that the set supplies for one profile. */
struct bl_team_folder {
	struct bl_str profile;
	struct bl_str path;
	/*
	 * hooks.json and the scripts; path is the name alone.  While sync puts a
	 * set in place a name is there twice, with the old and the new digest.
	 */
	struct bl_team_file *files;
	size_t file_count;
};

struct bl_team_use {
	struct bl_str file; /* of the record itself */
	struct bl_str team_id;
	struct bl_str server;
	bool is_managed;  /* root's record: no question is asked */
	bool is_accepted; /* the first-time notice was answered */
	enum bl_team_state state;
	struct bl_str detail; /* a sentence, or empty */
	int64_t version;      /* of the set; 0: none */
	int64_t checked;      /* when a fresh statement was verified last */
	int64_t fresh_until;
	int64_t max_age_s; /* 0: none */
	enum bl_team_aged aged;
	struct bl_team_folder *folders;
	size_t folder_count;
	struct bl_str policies; /* the set's policy directory; or empty */
	struct bl_team_file *policy_files; /* relative to it */
	size_t policy_file_count;
};

enum { BL_TEAM_MAX_USE_BYTES = 4 * 1024 * 1024 };

/* SYSTEM_ROOT/var/lib/belay/team; HOME/.local/state/belay/team; in arena. */
struct bl_str bl_team_managed_dir(struct bl_arena *arena,
				  struct bl_str system_root);
struct bl_str bl_team_user_dir(struct bl_arena *arena, struct bl_str home);

/* The record's place in either of them. */
struct bl_str bl_team_use_path(struct bl_arena *arena, struct bl_str dir);

/*
 * The record in force: the machine's (which must be root's, unless system_root
 * redirects it), else the user's.  NOT_FOUND: this machine is in no team.
 * Other failures: there is a record, and it cannot be used.
 */
enum bl_status bl_team_find_use(struct bl_str system_root, struct bl_str home,
				struct bl_arena *arena, struct bl_team_use *out,
				struct bl_error *err);

/* The outcome of one look for the record, for all readers of one event. */
struct bl_team_found {
	enum bl_status status; /* of bl_team_find_use */
	struct bl_team_use use;
	struct bl_str why; /* of a failure */
};

/* The record in force; it lives in arena, whose end of memory the arena says. */
void bl_team_look(struct bl_str system_root, struct bl_str home,
		  struct bl_arena *arena, struct bl_team_found *out);

/* One record; NOT_FOUND when it is missing. */
enum bl_status bl_team_read_use(struct bl_str path, struct bl_arena *arena,
				struct bl_team_use *out, struct bl_error *err);

/* Replaces it as a whole. */
enum bl_status bl_team_write_use(const struct bl_team_use *use,
				 struct bl_error *err);

/*
 * The state at a moment: NOTICE_PENDING, TOO_OLD and STALE by themselves, else
 * the record's.
 */
enum bl_team_state bl_team_use_state(const struct bl_team_use *use,
				     int64_t now_s);

/*
 * The directory of the team's policies that count now.  NOT_FOUND: this machine
 * is in no team, its set has no policies, or the notice is not answered.  Other
 * failures refuse all: the record cannot be used (as bl_team_find_use says), or
 * DENIED, the set is too old, and its settings say that then all is refused.
 */
enum bl_status bl_team_get_policies(const struct bl_team_found *found,
				    int64_t now_s, struct bl_str *out_dir,
				    struct bl_error *err);

/* As bl_team_get_policies, for a caller that has not looked for the record. */
enum bl_status bl_team_find_policies(struct bl_str system_root,
				     struct bl_str home, int64_t now_s,
				     struct bl_arena *arena,
				     struct bl_str *out_dir,
				     struct bl_error *err);

/* NULL: the record has no folder for the profile. */
const struct bl_team_folder *bl_team_find_folder(const struct bl_team_use *use,
						 struct bl_str profile);

/* Are these the bytes that were signed under that name? */
bool bl_team_is_signed(const struct bl_team_file *files, size_t count,
		       struct bl_str name, struct bl_str bytes);

/*
 * Is the set's policy directory as it was signed: every file, and no other?
 * DENIED with the file.
 */
enum bl_status bl_team_check_policies(const struct bl_team_use *use,
				      struct bl_error *err);

#endif

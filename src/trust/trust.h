/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust/trust.h: which files may supply hooks.
 *
 * Two questions, answered apart:
 *
 * 1. Is a file safe to believe?  bl_trust_check_owner looks at the very
 *    descriptor that was read (and at the folders above the file): a file or
 *    folder that is owned by neither root nor the user, or that group or
 *    others can write, can be changed by a stranger.
 *
 * 2. Does the user trust this workspace?  A record per workspace, made by
 *    `belay trust add`, kept in HOME/.config/belay/trust.json (mode 0600,
 *    replaced as a whole under a lock).  By default a record pins the content
 *    of the hook file and of the scripts that it names; when one of them
 *    changes, appears or goes, the workspace counts as changed and its hooks
 *    wait until it is added again.
 */
#ifndef BELAY_TRUST_TRUST_H
#define BELAY_TRUST_TRUST_H

#include "base/arena.h"
#include "base/error.h"
#include "crypto/crypto.h"
#include "os/os.h"
#include "value/value.h"

/* ---- ownership ------------------------------------------------------ */

enum bl_owner_verdict {
	BL_OWNER_OK,
	BL_OWNER_STRANGER,     /* owned by neither root nor the user */
	BL_OWNER_OTHERS_WRITE, /* group or others may write it */
	BL_OWNER_FOLDER,       /* the same of a folder above it */
};

/*
 * Judges an open file and the folders of its absolute path.  managed files
 * (enterprise, team) must belong to root, or to the user for team.  *out_why
 * is a sentence about the first offence with the path in question, empty when
 * OK.  A sticky folder (/tmp) does not count as writable by others.
 */
enum bl_owner_verdict bl_trust_check_owner(struct bl_str path,
					   const struct bl_file_info *info,
					   struct bl_arena *arena,
					   struct bl_str *out_why);

/* The shell commands of a hook file, and where they run. */
struct bl_trust_commands {
	struct bl_str dir;
	const struct bl_str *items;
	size_t count;
};

/*
 * As above for every existing file that a word of the commands names
 * (bl_trust_each_script): the first offence.  LIMIT when the commands have too
 * many words.
 */
enum bl_status bl_trust_check_scripts(const struct bl_trust_commands *commands,
				      struct bl_arena *arena,
				      enum bl_owner_verdict *out_verdict,
				      struct bl_str *out_why,
				      struct bl_error *err);

/* ---- workspace records ---------------------------------------------- */

enum bl_trust_mode {
	BL_TRUST_PINNED, /* the content of hook file and scripts, the default */
	BL_TRUST_FOLDER, /* whatever the workspace holds, now and later */
};

enum bl_trust_state {
	BL_TRUST_UNKNOWN, /* no record */
	BL_TRUST_TRUSTED,
	BL_TRUST_CHANGED, /* pinned, and something is not what it was */
};

const char *bl_trust_state_name(enum bl_trust_state state);
const char *bl_trust_mode_name(enum bl_trust_mode mode); /* "pinned", ... */

/* False when text names no mode. */
bool bl_trust_mode_parse(struct bl_str text, enum bl_trust_mode *out_mode);

enum {
	BL_TRUST_MAX_PINS = 256,           /* files of one workspace */
	BL_TRUST_MAX_PIN_BYTES = 32 << 20, /* of one file; larger: LIMIT */
	BL_TRUST_MAX_RECORDS = 4096,
};

/* A file whose content is part of the trust. */
struct bl_trust_pin {
	struct bl_str path;               /* absolute */
	char sha256[BL_SHA256_HEX_BYTES]; /* "" when the file is absent */
};

struct bl_trust_pins {
	struct bl_trust_pin *items;
	size_t count;
};

struct bl_trust_record {
	struct bl_str workspace; /* resolved path */
	enum bl_trust_mode mode;
	int64_t added_ms;
	const struct bl_trust_pin *pins;
	size_t pin_count;
};

/* All records, in the arena they were read into. */
struct bl_trust_store {
	struct bl_str path; /* of trust.json */
	struct bl_trust_record *records;
	size_t record_count;
};

/*
 * Reads the store of home.  A missing file is an empty store; a broken one, or
 * one that others can write, is an error (then nothing is trusted).
 */
enum bl_status bl_trust_read(struct bl_arena *arena, struct bl_str home,
			     struct bl_trust_store *out_store,
			     struct bl_error *err);

/* Adds or replaces, or removes (NOT_FOUND), one record, under the lock. */
enum bl_status bl_trust_add(struct bl_str home,
			    const struct bl_trust_record *record,
			    struct bl_error *err);
enum bl_status bl_trust_remove(struct bl_str home, struct bl_str workspace,
			       struct bl_error *err);

/*
 * Whether a workspace was trusted at some time, also when its record, or all of
 * the store, is gone; true as well when that cannot be told.  bl_trust_add
 * remembers it; bl_trust_forget is for a person who no longer wants to be asked
 * about it (NOT_FOUND: it was not known).
 */
bool bl_trust_was_known(struct bl_str home, struct bl_str workspace);
enum bl_status bl_trust_remember(struct bl_str home, struct bl_str workspace,
				 struct bl_error *err);
enum bl_status bl_trust_forget(struct bl_str home, struct bl_str workspace,
			       struct bl_error *err);

/* NULL when absent. */
const struct bl_trust_record *bl_trust_find(const struct bl_trust_store *store,
					    struct bl_str workspace);

/*
 * The pins of a hook file as it is now: the file itself (whose content is
 * given, since it was already read) and every script that one of its commands
 * names (bl_trust_each_script).  Words are relative to their dir; a leading ~/,
 * $HOME/, $PWD/ and $CURSOR_PROJECT_DIR/ (and its kin) are followed.  A word
 * with a slash is pinned even when there is no such file, so that its
 * appearing is noticed; a word without one only when it names a file in dir.
 * Where a command may change its folder (cd, env -C), each folder that it names
 * counts as one to which its words may be relative.  With a script go the files
 * that its first line names, and with Python the modules in and below its
 * folder (-m, -c: the working folder).
 * Files below /bin, /lib, /sbin, /usr that only root can write are the
 * system's and are not pinned.  LIMIT when there are too many words or pins,
 * or a script is too large; a script that is there and cannot be read is an
 * error.
 */
enum bl_status bl_trust_make_pins(struct bl_str hook_file,
				  struct bl_str content,
				  const struct bl_trust_commands *commands,
				  struct bl_arena *arena,
				  struct bl_trust_pins *out_pins,
				  struct bl_error *err);

/*
 * Compares a record with the pins as they are now.  *out_what (may be NULL)
 * says for CHANGED which file, and whether it changed, appeared or went.
 */
enum bl_trust_state bl_trust_compare(const struct bl_trust_record *record,
				     const struct bl_trust_pin *pins,
				     size_t pin_count, struct bl_arena *arena,
				     struct bl_str *out_what);

/*
 * Calls visit with every word of a shell command that may name a script: its
 * words without quotes, split at blanks and operators; of NAME=WORD also WORD;
 * of a quoted text with blanks also the words in it.  Deliberately generous: a
 * word too many pins a file too many, a word too few would leave a script
 * unwatched.  Text that a shell expands ($VAR, globs, $(...)) cannot be named
 * here; SECURITY.md says so.  The word is borrowed for the call.  NO_MEMORY,
 * or LIMIT when quotes are nested too deep: then not all words were visited.
 */
enum bl_status bl_trust_each_script(struct bl_str command,
				    void (*visit)(void *context,
						  struct bl_str word),
				    void *context);

#endif

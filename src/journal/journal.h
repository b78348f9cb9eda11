/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal/journal.h: the execution log.
 *
 * An append-only file of JSON lines, one line an execution of a hook (and one
 * for an event for which no hook ran), in DIR/journal.jsonl, mode 0600, in a
 * folder of mode 0700.  The format is docs/formats/journal.md.
 *
 * Safe under many writers and kill -9: all lines of one event are one write
 * to a descriptor opened for appending, under an exclusive lock that also
 * guards rotation; a torn line left by a crash is closed off by the next
 * writer before it appends.  When an append has returned OK the lines are with
 * the kernel.  Rotation renames to journal.jsonl.1 ... .N and drops the
 * oldest.
 *
 * Payloads may hold secrets: a line has a digest and the size of the payload,
 * the command or file that it is about without what looks like a credential,
 * and the payload itself only when asked.  Each line ends with a digest of
 * itself and the line before (bl_journal_verify).  No line is longer than
 * limits.journal_line_bytes: texts are cut and large values left out, which
 * the line says.
 */
#ifndef BELAY_JOURNAL_JOURNAL_H
#define BELAY_JOURNAL_JOURNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "decision/decision.h"
#include "event/event.h"
#include "value/value.h"

enum {
	BL_JOURNAL_VERSION = 1,
	BL_JOURNAL_SHOWN = 100, /* entries that the viewer shows */
	BL_JOURNAL_ID_BYTES = 40,
	BL_JOURNAL_LOCK_MS = 2000,
	BL_JOURNAL_DIGEST_BYTES = 65,
};

struct bl_journal_options {
	struct bl_str dir;     /* made when missing */
	size_t max_file_bytes; /* rotation; 0: the default limit */
	uint32_t max_files;    /* kept besides the current; 0: the default */
	bool full_payload;     /* the payload too, and long answers */
};

/*
 * The folder: $XDG_STATE_HOME/belay when that is absolute, else
 * HOME/.local/state/belay.
 */
enum bl_status bl_journal_dir(struct bl_arena *arena, struct bl_str home,
			      struct bl_str *out_dir, struct bl_error *err);

/*
 * One execution, or one decision of policies, as it is to be recorded.  Empty
 * texts are left out.
 */
struct bl_journal_entry {
	const char *id;  /* from bl_journal_new_id */
	int64_t time_ms; /* wall clock, at its start */
	const char *event_name;
	const char *profile;   /* of policies: the agent */
	const char *decision;  /* of policies: "deny", ...; NULL: of a hook */
	struct bl_str command; /* empty: no hook ran for this event */
	struct bl_str source;  /* "user", ..., "policies" */
	struct bl_str file;    /* hook file, or policy directory */
	struct bl_str conversation; /* conversation_id of the payload */
	struct bl_str generation;   /* generation_id of the payload */
	struct bl_value payload;    /* for the action id, and in full */
	struct bl_str payload_text; /* the bytes that hooks got: the digest */
	struct bl_value response;   /* what it answered; undefined: nothing */
	bool has_outcome;
	enum bl_outcome_kind outcome;
	struct bl_str reason; /* why, when it did not answer; of a decision */
	double duration_ms;   /* 0: it was not run */
	bool has_exit_code;
	int exit_code;
	int signal;                /* 0: none */
	struct bl_str sandbox;     /* the layers of its sandbox */
	struct bl_str errors;      /* standard error, cut to 4 KiB */
	struct bl_value allowance; /* of a person; undefined: none */
	enum bl_verdict asked;     /* by this hook */
	enum bl_verdict enforced;  /* of the whole event */
};

/* An id: milliseconds since 1970 in base 36 and 80 random bits. */
enum bl_status bl_journal_new_id(char out[BL_JOURNAL_ID_BYTES],
				 struct bl_error *err);

/*
 * The action id that the events of one action share (one shell call fires
 * preToolUse, beforeShellExecution, ...): a digest of the conversation and of
 * what the action does (command, file or tool with its input), so that
 * separate processes find the same one.  Repeated identical actions of one
 * conversation share it too; generation_id sets them apart.
 */
void bl_journal_action_id(enum bl_event_kind kind, struct bl_value payload,
			  char out[BL_JOURNAL_ID_BYTES]);

/*
 * Appends entries, which are of one event, as one write.  kind is the event's,
 * for the action id.  Any failure means that nothing was recorded (and the
 * caller says so).  On a full disk what was written in part is taken back.
 */
enum bl_status bl_journal_append(const struct bl_journal_options *options,
				 enum bl_event_kind kind,
				 const struct bl_journal_entry *entries,
				 size_t count, struct bl_error *err);

/* ---- heartbeats --------------------------------------------------------- */

/* That events of an agent in a workspace reach belay. */
struct bl_heartbeat {
	struct bl_str agent; /* "claude" */
	struct bl_str workspace;
	int64_t since_ms; /* the first event's time; wall clock */
	int64_t last_ms;  /* the last one's; not read by bl_heartbeat_note */
};

/*
 * Notes an event of now in DIR/seen; since_ms counts when it is the first one.
 * One system call for all but the first.  At most 256 are kept: the one that
 * was not heard of for the longest time makes room.  A program that can
 * write the folder can forge it.
 */
enum bl_status bl_heartbeat_note(struct bl_str dir,
				 const struct bl_heartbeat *beat,
				 struct bl_error *err);

/* All of them, in arena.  Files of another kind are left out. */
enum bl_status bl_heartbeat_list(struct bl_str dir, struct bl_arena *arena,
				 struct bl_heartbeat **out_beats,
				 size_t *out_count, struct bl_error *err);

/* ---- reading ---------------------------------------------------------------- */

/*
 * The newest max entries, oldest first, over rotated files too, as values in
 * arena.  Lines that are torn or not JSON are counted in *out_bad (may be
 * NULL), never fatal.  A missing journal has no entries.
 */
enum bl_status bl_journal_read_last(struct bl_str dir, size_t max,
				    struct bl_arena *arena,
				    struct bl_value **out_entries,
				    size_t *out_count, size_t *out_bad,
				    struct bl_error *err);

/* The entry with that id, or NOT_FOUND; a unique prefix will do (INVALID
 * when it is not unique). */
enum bl_status bl_journal_find(struct bl_str dir, struct bl_str id,
			       struct bl_arena *arena,
			       struct bl_value *out_entry,
			       struct bl_error *err);

/* The newest entry that offered an allowance by this code, or NOT_FOUND. */
enum bl_status bl_journal_find_offer(struct bl_str dir, struct bl_str code,
				     struct bl_arena *arena,
				     struct bl_value *out_entry,
				     struct bl_error *err);

/* The result of walking the chain of lines, oldest first. */
struct bl_journal_check {
	uint64_t lines;       /* with a link */
	uint64_t unchained;   /* without: torn, or of a belay before chains */
	uint32_t chains;      /* how often it begins */
	bool begins_within;   /* the oldest line has lost the one before it */
	bool is_broken;       /* a line is not the one that was written there */
	uint32_t broken_file; /* the first such: journal.jsonl.FILE; 0: the */
	uint64_t broken_line; /* current one; its line, from 1 */
	char last[BL_JOURNAL_DIGEST_BYTES]; /* the last link; "": none */
	bool has_noted; /* the link that was asked for is there */
};

/*
 * Reads all files.  OK also when the chain is broken.  A missing journal has
 * no lines.  noted (may be empty) is a link to look for.
 */
enum bl_status bl_journal_verify(struct bl_str dir, struct bl_str noted,
				 struct bl_journal_check *out_check,
				 struct bl_error *err);

/*
 * Calls visit with each new whole line (without its newline) that is appended
 * from now on, also across rotation, until visit returns false or stop_fd (may
 * be -1) becomes readable.
 */
enum bl_status bl_journal_follow(struct bl_str dir, int stop_fd,
				 bool (*visit)(void *context,
					       struct bl_str line),
				 void *context, struct bl_error *err);

#endif

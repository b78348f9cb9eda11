/* SPDX-License-Identifier: Apache-2.0 */
/* journal/private.h: what the files of this module share. */
#ifndef BELAY_JOURNAL_PRIVATE_H
#define BELAY_JOURNAL_PRIVATE_H

#include "base/limits.h"
#include "crypto/crypto.h"
#include "journal/journal.h"
#include "os/os.h"

/* The members that the lines of one event share. */
struct bl_journal_event {
	enum bl_event_kind kind;
	char action_id[BL_JOURNAL_ID_BYTES];
	bool full;
	struct bl_str digested; /* what sha256 is of; ptr NULL: nothing yet */
	char sha256[BL_SHA256_HEX_BYTES];
};

/* Appends the line of one entry, with its line feed, to out. */
void bl_journal_put_line(struct bl_buf *out, const struct bl_journal_entry *e,
			 struct bl_journal_event *event);

/* DIR/journal.jsonl for number 0, else DIR/journal.jsonl.NUMBER. */
struct bl_str bl_journal_file(struct bl_arena *arena, struct bl_str dir,
			      uint32_t number);

/* ---- the chain (chain.c) ------------------------------------------------ */

/* The digest that the last line so far ended with; "": nothing yet. */
struct bl_chain {
	char digest[BL_SHA256_HEX_BYTES];
};

enum { BL_CHAIN_TAIL_BYTES = 76 }; /* what it adds to a line */

/* Ends the object of a line with room for its link. */
void bl_chain_put_room(struct bl_buf *out);

/*
 * Fills in the links of whole lines that have that room; chain is then that of
 * the last.  In place, since a second buffer would cost more than the digest.
 */
void bl_chain_fill(char *lines, size_t len, struct bl_chain *chain);

/* The link at the end of a line (or of the end of one), without line feed. */
bool bl_chain_find(struct bl_str line, struct bl_chain *out_chain);

/* Is the line's link the right one after before? */
bool bl_chain_holds(const struct bl_chain *before, struct bl_str line);

/* ---- what an action was about (about.c) --------------------------------- */

/* Its command, or its tool and file, redacted; nothing where it has neither. */
void bl_journal_put_about(struct bl_buf *out, struct bl_value payload);

/* text with "[REDACTED]" for what looks like a credential. */
void bl_journal_put_redacted(struct bl_buf *out, struct bl_str text);

#endif

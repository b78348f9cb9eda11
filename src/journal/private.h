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

#endif

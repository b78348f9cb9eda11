/* SPDX-License-Identifier: Apache-2.0 */
/* journal/private.h: what the files of this module share. */
#ifndef BELAY_JOURNAL_PRIVATE_H
#define BELAY_JOURNAL_PRIVATE_H

#include "base/limits.h"
#include "crypto/crypto.h"
#include "journal/journal.h"
#include "os/os.h"

/* The digest of the payload that entries of one event mostly share. */
struct bl_journal_digest {
	struct bl_str text; /* of what; ptr NULL: of nothing yet */
	char sha256[BL_SHA256_HEX_BYTES];
};

/* Appends the line of one entry, with its line feed, to out. */
void bl_journal_put_line(struct bl_buf *out, const struct bl_journal_entry *e,
			 enum bl_event_kind kind, bool full,
			 const char *action_id,
			 struct bl_journal_digest *digest);

/* DIR/journal.jsonl for number 0, else DIR/journal.jsonl.NUMBER. */
struct bl_str bl_journal_file(struct bl_arena *arena, struct bl_str dir,
			      uint32_t number);

#endif

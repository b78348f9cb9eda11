/* SPDX-License-Identifier: Apache-2.0 */
/* A journal in the place, and entries for it. */
#ifndef BELAY_TESTS_JOURNAL_LOGS_H
#define BELAY_TESTS_JOURNAL_LOGS_H

#include "../trust/place.h"
#include "journal/journal.h"
#include "json/json.h"

static struct bl_journal_options options;
static struct bl_journal_entry entry;
static char entry_id[BL_JOURNAL_ID_BYTES];

#define PAYLOAD                                                                \
	"{\"conversation_id\":\"c1\",\"generation_id\":\"g1\","                \
	"\"command\":\"secret\"}"

/* An empty place, and one plain entry. */
static inline void new_journal(void)
{
	place_empty();
	options = (struct bl_journal_options){ .dir = at("state/belay") };
	bl_journal_new_id(entry_id, NULL);
	entry = (struct bl_journal_entry){
		.id = entry_id,
		.time_ms = 1764297761123, /* 2025-11-28T02:42:41.123Z */
		.event_name = "beforeShellExecution",
		.profile = "cursor",
		.command = BL_STR("./guard.sh"),
		.source = BL_STR("user"),
		.file = BL_STR("/h/.cursor/hooks.json"),
		.conversation = BL_STR("c1"),
		.generation = BL_STR("g1"),
		.payload_text = BL_STR(PAYLOAD),
		.has_outcome = true,
		.outcome = BL_OUTCOME_ANSWERED,
	};
	bl_json_read(&arena, entry.payload_text, NULL, &entry.payload, NULL,
		     NULL, NULL);
}

static inline enum bl_status append_one(void)
{
	return bl_journal_append(&options, BL_EVENT_SHELL_BEFORE, &entry, 1,
				 &error);
}

/* Appends the entry under a new id. */
static inline enum bl_status append_new(void)
{
	enum bl_status status = bl_journal_new_id(entry_id, &error);

	return status == BL_OK ? append_one() : status;
}

static struct bl_value *found;
static size_t found_count;
static size_t found_bad;

static inline enum bl_status read_last(size_t max)
{
	return bl_journal_read_last(options.dir, max, &arena, &found,
				    &found_count, &found_bad, &error);
}

static inline struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

static inline struct bl_str content(const char *name)
{
	struct bl_str text = { NULL, 0 };

	bl_os_read_file(at(name), 0, 1 << 28, &arena, &text, NULL, NULL);
	return text;
}

#define CURRENT "state/belay/journal.jsonl"

#endif

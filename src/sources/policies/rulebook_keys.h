/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/policies/rulebook_keys.h: every key of rulebook.yml, once
 * (rulebook_keys.def): the reader checks by it, and the JSON Schema for editors
 * is printed from it.
 */
#ifndef BELAY_SOURCES_POLICIES_RULEBOOK_KEYS_H
#define BELAY_SOURCES_POLICIES_RULEBOOK_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* The section or entry that a key belongs to. */
enum rulebook_owner {
	RULEBOOK_OF_RULE,
	RULEBOOK_OF_ACTION,
	RULEBOOK_OF_EXCEPTION,
	RULEBOOK_OF_PROTECT,
	RULEBOOK_OF_SIGNAL,
	RULEBOOK_OF_TELEMETRY,
	RULEBOOK_OF_PREPROCESS,
	RULEBOOK_OWNERS
};

/* The kind of value. */
enum rulebook_shape {
	RULEBOOK_TEXT,
	RULEBOOK_TEXTS, /* a list of texts */
	RULEBOOK_FLAG,
	RULEBOOK_NUMBER,
	RULEBOOK_DATE,
	RULEBOOK_ACTION,  /* a text, or a mapping of one key of OF_ACTION */
	RULEBOOK_COMMAND, /* a text, or a list of words */
	RULEBOOK_FORMAT,  /* of telemetry */
};

struct rulebook_key {
	const char *name;
	enum rulebook_shape shape;
	bool is_needed;
	const char *meaning;
};

/* The keys of an owner, in the order of the table. */
const struct rulebook_key *rulebook_keys_of(enum rulebook_owner owner,
					    size_t *out_count);

#endif

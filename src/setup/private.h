/* SPDX-License-Identifier: Apache-2.0 */
/* setup/private.h: what the files of setup share. */
#ifndef BELAY_SETUP_PRIVATE_H
#define BELAY_SETUP_PRIVATE_H

#include "setup/setup.h"

/* Is the installed agent older than the event of entry? */
bool bl_setup_is_too_old(const struct bl_setup *setup,
			 const struct bl_registration_entry *entry);

/* Appends text as one word of a shell's command line. */
void bl_setup_put_word(struct bl_buf *out, struct bl_str text);

/* The text with each word of @ and small letters put in; ptr NULL: memory. */
struct setup_word {
	const char *name; /* "@cwd" */
	struct bl_str text;
	bool is_json; /* put in as a JSON string */
};
struct bl_str bl_setup_fill(struct bl_arena *arena, const char *text,
			    const struct setup_word *words, size_t count);

/* The agent's plugin, filled in; ptr NULL: memory. */
struct bl_str bl_setup_plugin(const struct bl_setup *setup,
			      struct bl_arena *arena);

#endif

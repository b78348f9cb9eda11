/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/repl_words.h: the words that Tab completes in rego run. */
#ifndef BELAY_CLI_REGO_REPL_WORDS_H
#define BELAY_CLI_REGO_REPL_WORDS_H

#include "cli/rego/repl_module.h"

struct repl_words {
	struct bl_arena *arena; /* for words that are put together */
	const struct repl_module *module;
	const struct bl_rego_policies *policies; /* may be NULL */
	struct bl_value data;
	struct bl_value input; /* may be undefined */
};

/*
 * Calls add with each word that begins with prefix: rules, paths of data and input
 * one key further than prefix goes, builtins.  A word may come twice.
 */
void repl_words_each(const struct repl_words *known, struct bl_str prefix,
		     void (*add)(void *words, struct bl_str word), void *words);

#endif

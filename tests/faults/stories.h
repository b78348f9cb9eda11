/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/faults/stories.h: the commands whose system calls fail, and what they
 * may answer then.
 */
#ifndef BELAY_TESTS_FAULTS_STORIES_H
#define BELAY_TESTS_FAULTS_STORIES_H

#include <stddef.h>

enum story_rule {
	/* Denied without faults: then denied or refused, whatever fails. */
	STORY_DENIED,
	/*
	 * Allowed without faults: allowed or refused; the same answer when what
	 * fails is the log.
	 */
	STORY_ALLOWED,
	/* Status 0 only with the same output and effect; else words. */
	STORY_HONEST,
};

struct story {
	const char *name;
	enum story_rule rule;
	const char *program; /* belay or belay-tools */
	/* Shell text that makes the world, in an empty folder. */
	const char *make;
	/*
	 * Words of the command line; in them and in the shell texts @W is the
	 * folder.  Ends in NULL.
	 */
	const char *words[16];
	const char *input;
	/* A part of the answer that denies; NULL: the exit status does. */
	const char *denies;
	/*
	 * Shell text that says with its status whether the effect is there
	 * (after status 0), and one for whatever the status was.
	 */
	const char *effect;
	const char *after;
	/* The world is made anew for each run. */
	int is_changed;
};

extern const struct story stories[];
extern const size_t story_count;

#endif

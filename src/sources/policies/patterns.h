/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/policies/patterns.h: patterns over what an event does, for the rules
 * and exceptions that a rulebook holds (docs/formats/rulebook.md).
 *
 * pattern_read.c compiles the text of a pattern into a value, which the image of
 * a directory carries; pattern.c compares such values with the facts of an
 * event.  A pattern is read by the same module that reads the agent's line, so
 * that spellings that mean the same are the same:
 *
 *   git push -f "feat*"      {"program": "git", "sub": "push", "verbs": 0,
 *                             "options": {"force": []}, "operands": ["feat*"],
 *                             "actions": ["force-push"], "listed": true}
 *
 *   program   base name; "path" has it as written when it has a slash
 *   sub       the rest of its row: "push", "compose down"
 *   verbs     so many of the operands stand in their own place
 *   options   by the row's name for them, each with globs for its values
 *   operands  globs; in this order, with others between
 *   actions   effects that only the options cause: a command with these has
 *             said the options in another way (git push origin +main)
 *   listed    the tables know the program; else "options" are words as written
 *   open      the pattern ends in "...": an exact match takes any more words
 *   inside    wrappers that must be around it, from the outside in
 *
 * A path that begins with "/~" is in the home of the user, whoever that is.
 */
#ifndef BELAY_SOURCES_POLICIES_PATTERNS_H
#define BELAY_SOURCES_POLICIES_PATTERNS_H

#include "effects/effects.h"
#include "sources/policies/private.h"

/* Where a pattern's "~/" leads until the user is known. */
#define POLICY_PATTERN_HOME "/~"

enum policy_match {
	POLICY_MATCH_NO,
	POLICY_MATCH_MAYBE, /* some part is not known before it runs */
	POLICY_MATCH_YES,
};

/* The facts that patterns are compared with, and where relative paths start. */
struct policy_view {
	struct bl_arena *arena;
	const struct bl_facts *facts;
	struct bl_str cwd;
	struct bl_str home;
	const struct bl_str *roots;
	size_t root_count;
	size_t own_roots; /* the first ones: what is let pass must lie there */
	/*
	 * A glob means the path that is written, not the place that links lead
	 * to now: for what is let pass, since a link may be the agent's.
	 */
	bool is_literal;
};

/*
 * Compiles the text of a pattern.  INVALID with a message that says what is
 * wrong with it and what to write; NO_MEMORY, LIMIT.  is_known: the program is
 * spelled as it is meant.
 */
enum bl_status policy_pattern_read(struct bl_arena *arena, struct bl_str text,
				   bool is_known, struct bl_value *out_pattern,
				   struct bl_error *err);

/*
 * How command index of the facts compares: it holds all of the pattern, and
 * whatever else.
 */
enum policy_match policy_pattern_match(const struct policy_view *view,
				       struct bl_value pattern, size_t index);

/*
 * Is it the pattern and nothing else: no other option, operand, redirection,
 * variable or machine?
 */
bool policy_pattern_is(const struct policy_view *view, struct bl_value pattern,
		       size_t index);

/*
 * Does what a command that is the pattern does to a path (absolute, without
 * links) lie where the pattern's operands say?  True of a pattern without any.
 */
bool policy_pattern_reaches(const struct policy_view *view,
			    struct bl_value pattern, struct bl_str path);

/*
 * How a path (absolute, without links) compares with a glob: itself, and all
 * below what the glob matches.  `*` and `?` stay within a name, `**` does not.
 * The glob is relative to the first count roots of the view.
 */
bool policy_path_match(const struct policy_view *view, size_t count,
		       struct bl_str glob, struct bl_str path);

/* As above for the target of an effect, which may take a whole folder along. */
enum policy_match policy_effect_match(const struct policy_view *view,
				      struct bl_str glob,
				      const struct bl_fact_effect *effect);

/* Is it the host, or one below it ("x.example" and "a.x.example")? */
bool policy_host_match(struct bl_str glob, struct bl_str address);

/* The branch or tag of a refspec: "+HEAD:refs/heads/main" is "main". */
struct bl_str policy_branch_of(struct bl_str ref);

/* Where a command goes to: a ref that it pushes, or a host. */
enum policy_match policy_goes_to(const struct policy_view *view, size_t index,
				 struct bl_str glob);

#endif

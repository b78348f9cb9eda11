/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text/text.h: pure text engines: regular expressions, and at the end wildcards.
 *
 * The engine runs in time linear in the text (O(program size x text), never
 * exponential): patterns become a compact program that is simulated, without
 * backtracking.  It reads two dialects:
 *
 *   BL_REGEX_RE2         RE2's syntax, for Rego
 *   BL_REGEX_JAVASCRIPT  ECMAScript's syntax without flags, as far as it is
 *                        regular, for Cursor's matchers
 *                        (docs/contracts/cursor.md "Matchers")
 *
 * RE2: as documented for RE2 and Go's regexp, where they differ as Go does
 * (no \C, no two groups of one name, (?<name>...) is a name).  Unicode 14.0.
 *
 * JavaScript: what `new RegExp(pattern)` accepts, Annex B included.  A pattern
 * with look-around or back-references is valid but not regular: compiling it
 * gives UNSUPPORTED.  Where PCRE2 is linked (belay-tools, libbelay)
 * bl_backtrack_* below can run it, within limits; in the static program
 * bl_backtrack_compile says UNSUPPORTED and the caller hands the event to
 * belay-tools.  Known differences from a real engine:
 *
 *   - It works on characters, not on UTF-16 units: "." takes a character
 *     above U+FFFF whole.  Half of a surrogate pair in a pattern (\uD83D) is
 *     UNSUPPORTED; a pair of two escapes is one character.
 *   - Counts above BL_REGEX_MAX_REPEAT are a LIMIT; escapes in group names are
 *     UNSUPPORTED; look-behind must have a fixed length for PCRE2.
 *   - Whether there is a match is as in JavaScript.  Spans may differ where a
 *     loop could run without taking a character, since JavaScript has rules of
 *     its own for empty turns and resets groups in each turn.
 *
 * Text is UTF-8 (bytes that are not valid match as U+FFFD); offsets are in
 * bytes.  A compiled program is immutable and may be used by several threads.
 */
#ifndef BELAY_TEXT_TEXT_H
#define BELAY_TEXT_TEXT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum bl_regex_dialect { BL_REGEX_RE2, BL_REGEX_JAVASCRIPT };

enum {
	BL_REGEX_MAX_PATTERN_BYTES = 64 * 1024,
	BL_REGEX_MAX_DEPTH = 1000,     /* of nested groups */
	BL_REGEX_MAX_REPEAT = 1000,    /* x{n}: largest n (RE2's limit) */
	BL_REGEX_MAX_PROGRAM = 100000, /* instructions after expansion */
};

struct bl_regex; /* a compiled program, in the arena it was made in */

/* One match or group: bytes from..to; from is SIZE_MAX when it took no part. */
struct bl_span {
	size_t from;
	size_t to;
};

/*
 * Compiles pattern.  SYNTAX: not valid in this dialect (the message says what
 * and *out_offset, may be NULL, where); UNSUPPORTED: valid but not regular;
 * LIMIT: larger than the limits above; NO_MEMORY.
 */
enum bl_status bl_regex_compile(struct bl_arena *arena, struct bl_str pattern,
				enum bl_regex_dialect dialect,
				const struct bl_regex **out_regex,
				size_t *out_offset, struct bl_error *err);

/*
 * The size of a program.  It is one piece without pointers, aligned to 8
 * bytes, so that it may be copied (to a mapped image, for example) and used
 * there.
 */
size_t bl_regex_bytes(const struct bl_regex *regex);

/* To be raised whenever a program of before would be misread. */
enum { BL_REGEX_LAYOUT = 1 };

/*
 * Whether the bytes, which anybody may have written, are a program that can be
 * run: whatever it matches, searches keep within it, their text and the limits
 * above.  bytes must be aligned to 8; the program may be shorter than len.
 */
bool bl_regex_is_sound(const void *bytes, size_t len);

/* Number of capture groups (not counting the whole match). */
size_t bl_regex_group_count(const struct bl_regex *regex);

/* The name of group i (1-based); empty when absent. */
struct bl_str bl_regex_group_name(const struct bl_regex *regex, size_t i);

/*
 * Looks for the leftmost match at or after byte offset from (leftmost-first,
 * as Perl and RE2 choose).  spans has span_count entries: [0] the whole match,
 * then the groups; 0 asks only whether there is a match, which is faster.
 * Scratch memory comes from arena and is free for the next search afterwards.
 * *out_found is set on OK; else NO_MEMORY, or LIMIT when the groups of a very
 * large program would need more than 64 MiB or arena has reached its limit.
 */
enum bl_status bl_regex_search(const struct bl_regex *regex,
			       struct bl_arena *arena, struct bl_str text,
			       size_t from, struct bl_span *spans,
			       size_t span_count, bool *out_found);

/*
 * Calls visit with texts that occur in every text that the pattern matches:
 * of each choice (numbered from 0) at least one of its texts does; leads: it
 * stands at the beginning.  For indexes that rule out patterns without running
 * them.  False, calling nothing, when the pattern needs no such text (or is not
 * valid, or memory is out).  Memory is of arena, and so are the texts.
 */
enum { BL_REGEX_MAX_CHOICES = 8 };
bool bl_regex_each_required(struct bl_arena *arena, struct bl_str pattern,
			    enum bl_regex_dialect dialect,
			    void (*visit)(void *context, uint32_t choice,
					  struct bl_str text, bool leads),
			    void *context);

/*
 * Calls visit with each literal text of which at least one must occur in any
 * match, when the pattern is an alternation of plain literals (possibly
 * anchored); returns false (and calls nothing) when it is not.  For the
 * "matcher can never match" warning.
 */
bool bl_regex_each_literal(const struct bl_regex *regex,
			   void (*visit)(void *context, struct bl_str literal),
			   void *context);

/* ---- patterns that are not regular -------------------------------------- */

struct bl_backtrack; /* heap object */

enum {
	BL_BACKTRACK_MATCH_LIMIT = 1000000, /* steps */
	BL_BACKTRACK_DEPTH_LIMIT = 10000,
	BL_BACKTRACK_HEAP_LIMIT_KIB = 20000,
};

/*
 * Compiles a JavaScript pattern for the backtracking engine; SYNTAX and LIMIT
 * as above.  UNSUPPORTED where PCRE2 is not linked, refuses it, or would
 * remember a group that JavaScript forgets.  The caller frees it with
 * bl_backtrack_free.
 */
enum bl_status bl_backtrack_compile(struct bl_str pattern,
				    struct bl_backtrack **out_backtrack,
				    size_t *out_offset, struct bl_error *err);

/* OK and *out_found; LIMIT when a limit stopped the search. */
enum bl_status bl_backtrack_search(const struct bl_backtrack *backtrack,
				   struct bl_str text, bool *out_found,
				   struct bl_error *err);

/* Returns NULL.  NULL is fine. */
struct bl_backtrack *bl_backtrack_free(struct bl_backtrack *backtrack);

/* ---- wildcards ---------------------------------------------------------- */

enum bl_wildcard_flags {
	/*
	 * "*" and "?" stay within a component; "**" is any text, and with a slash
	 * behind it any number of folders, also none.
	 */
	BL_WILDCARD_PATH = 1,
	BL_WILDCARD_BELOW = 2, /* what is below a path that matches does, too */
};

/*
 * Is the whole text the pattern, in which "*" stands for any bytes and "?" for
 * one?  Takes at most the product of their lengths; needs no memory.
 */
bool bl_wildcard_match(struct bl_str pattern, struct bl_str text,
		       unsigned flags);

#endif

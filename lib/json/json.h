/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/json.h: JSON text to and from values.
 *
 * The reader is strict: RFC 8259's grammar and strict UTF-8; what it accepts
 * beyond that is an option below, and off unless asked for.  Every error has
 * a line, a column and a byte offset.  Strings without escapes point into the
 * input (zero copy), so the input must live as long as the value.
 */
#ifndef BELAY_JSON_JSON_H
#define BELAY_JSON_JSON_H

#include "base/diag.h"
#include "base/error.h"
#include "value/value.h"

enum {
	BL_JSON_DEFAULT_DEPTH = 512,
	BL_JSON_MAX_DEPTH = 10000, /* the reader keeps its own stack */
};

/* Where the parts of one text were; made on request (bl_json_read). */
struct bl_json_places;

struct bl_json_options {
	bool allow_comments; /* // and slash-star, outside strings */
	bool allow_bom;      /* one U+FEFF at the very start */
	uint32_t max_depth;  /* 0: BL_JSON_DEFAULT_DEPTH */
	size_t max_bytes;    /* of input; 0: 4 GiB - 1, the most there can be */

	/*
	 * For large documents that stay: the value takes a quarter of the
	 * memory (bl_pack), is a little slower to read, and nothing of it
	 * points into the text.  Not together with out_places, which then
	 * counts.
	 */
	bool compact;

	/*
	 * With compact: while reading, the text's memory goes back to the
	 * system a page at a time, and what it held is lost.  The text must be
	 * the caller's own private memory (the heap's, an arena's) and of no
	 * more use.
	 */
	bool give_back_text;

	/* When not NULL: set to the side table of places, made in the arena. */
	struct bl_json_places **out_places;
};

/* Oddities that a successful reading met; all zero without any. */
struct bl_json_report {
	bool had_bom;
	bool had_comments;
	bool had_lone_surrogate;        /* an escape that was read as U+FFFD */
	size_t repeated_key_count;      /* last one counted, as in JavaScript */
	struct bl_str repeated_key;     /* the first of them */
	struct bl_place repeated_place; /* after give_back_text only near */
};

/*
 * Reads exactly one value, with white space around it.  options may be NULL
 * (strict), report and err may be NULL, *out_place (may be NULL) is where it
 * failed.  SYNTAX for a grammar or UTF-8 error, LIMIT for depth, size or a
 * number beyond limits, NO_MEMORY.  The message names what was met and what
 * was expected, without the place.  While reading, open containers use heap
 * memory of their own, which may not pass the arena's limit either (LIMIT).
 */
enum bl_status bl_json_read(struct bl_arena *arena, struct bl_str text,
			    const struct bl_json_options *options,
			    struct bl_value *out_value,
			    struct bl_json_report *report,
			    struct bl_place *out_place, struct bl_error *err);

/*
 * The places of an object's member i (its key and its value) or of an array's
 * item i, in order of appearance; line 0 when not known.  container must come
 * from the reading that made places.
 */
struct bl_place bl_json_key_place(const struct bl_json_places *places,
				  struct bl_value container, size_t i);
struct bl_place bl_json_value_place(const struct bl_json_places *places,
				    struct bl_value container, size_t i);

/* The place of the outermost value. */
struct bl_place bl_json_root_place(const struct bl_json_places *places);

/* ---- writing ------------------------------------------------------------ */

enum bl_json_style {
	BL_JSON_COMPACT, /* no white space, numbers as spelled, keys in order */
	BL_JSON_PRETTY,  /* two spaces, one member a line */
	BL_JSON_CANONICAL, /* compact, keys sorted, numbers in their one form */
};

/*
 * Appends value as JSON.  Sets are written as arrays, undefined as null.
 * Object keys that are not strings are written as their compact JSON inside a
 * string.  Failures stick in out (bl_buf_status).
 */
void bl_json_write(struct bl_buf *out, struct bl_value value,
		   enum bl_json_style style);

/* Appends text as a JSON string with its quotes. */
void bl_json_write_string(struct bl_buf *out, struct bl_str text);

/* ---- diagnostics -------------------------------------------------------- */

/* One object per diagnostic, in an array, pretty. */
void bl_json_write_diags(struct bl_buf *out, const struct bl_diags *diags);

/* A SARIF 2.1.0 log with one run.  tool_version is belay's own. */
void bl_json_write_sarif(struct bl_buf *out, const struct bl_diags *diags,
			 const char *tool_version);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/diag.h: findings with places (configuration files, later compilers).
 *
 * A diagnostic says: code, severity, file, line and column, message, hint.
 * Lists live in an arena; all texts are owned by that arena.  One printer for
 * people is here; JSON and SARIF are printed by json (json/json.h).
 */
#ifndef BELAY_BASE_DIAG_H
#define BELAY_BASE_DIAG_H

#include "base/arena.h"
#include "base/buf.h"

enum bl_severity { BL_SEVERITY_NOTE, BL_SEVERITY_WARNING, BL_SEVERITY_ERROR };

/* Where in a text: lines and columns count from 1, columns in bytes; line 0
 * means that the finding concerns the whole file. */
struct bl_place {
	uint32_t line;
	uint32_t column;
	size_t offset;
	bool is_secret; /* its line may hold a secret, and is not shown */
};

struct bl_diag {
	enum bl_severity severity;
	const char *code; /* stable, like "hooks/unknown-step"; a constant */
	struct bl_str file;
	struct bl_place place;
	struct bl_str message;
	struct bl_str hint; /* empty: none */
	struct bl_str
		source_line; /* empty: not known, secret, or over 160 bytes */
	struct bl_diag *next;
};

struct bl_diags {
	struct bl_arena *arena;
	struct bl_diag *first;
	struct bl_diag **tail;
	size_t error_count;
	size_t warning_count;
	size_t stored_count;  /* in the list, notes among them */
	size_t dropped_count; /* past the most */
	size_t most;          /* 0: BL_DIAGS_MAX */
	bool out_of_memory;   /* at least one could not be stored */
};

enum { BL_DIAGS_MAX = 200 };

void bl_diags_init(struct bl_diags *diags, struct bl_arena *arena);

/* The file whose content places refer to, given once per text. */
struct bl_diag_source {
	struct bl_str file;
	struct bl_str text; /* may be empty when it could not be read */
};

/*
 * Adds one finding about source.  Message and hint are copied; hint may be
 * NULL.  When the list is full or memory is out the finding still counts
 * (error_count), so a file with errors never looks clean; the result is then
 * NULL.
 */
struct bl_diag *bl_diags_add(struct bl_diags *diags, enum bl_severity severity,
			     const char *code,
			     const struct bl_diag_source *source,
			     struct bl_place place, const char *hint,
			     const char *fmt, ...) BL_PRINTF(7, 8);

/* Line, column and offset of a byte position in text. */
struct bl_place bl_place_at(struct bl_str text, size_t offset);

const char *bl_severity_name(enum bl_severity severity);

/*
 * Prints for people: "file:line:column: error: message [code]", the source
 * line, a caret, the hint.  colour adds ANSI colours.
 */
void bl_diags_print(const struct bl_diags *diags, bool colour,
		    struct bl_buf *out);

#endif

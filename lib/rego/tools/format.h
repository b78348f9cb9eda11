/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/tools/format.h: what the files of the formatter share.
 *
 * The formatter lays a tree out as `opa fmt` does: which things share a line
 * is taken from the rows they were written on, all else is fixed.  Comments
 * are a queue in the order of the text: before a thing is written, those of
 * earlier rows are, and the one of its own row waits for the end of the line.
 * Where a comment has no place ("blocked"), the whole term around it is
 * written as it stands in the text.
 */
#ifndef BELAY_REGO_TOOLS_FORMAT_H
#define BELAY_REGO_TOOLS_FORMAT_H

#include "rego/compiler/parse/ast.h"
#include "rego/compiler/parse/operators.h"

enum { BL_FORMAT_NO_ROW = -1 };

struct bl_formatter {
	struct bl_buf *out;
	const struct bl_rego_module *module;
	const uint32_t *line_ends; /* offsets of the newlines */
	size_t line_count;
	size_t next;            /* first comment that is not written yet */
	size_t pending;         /* comment for the end of the line, or NONE */
	bool delayed;           /* not for the next end of a line */
	bool *taken;            /* comments that stand behind imports */
	unsigned level;         /* of indentation */
	bool in_line;           /* something stands on this line */
	bool long_names;        /* some rule's name has more than two parts */
	bool take_last_comment; /* a term as it stands takes the one behind it */
	const struct bl_rego_term *moved; /* counts as being in moved_row */
	int moved_row;
	const struct bl_rego_term *grouped; /* to be put in parentheses */
};

#define BL_FORMAT_NONE SIZE_MAX

/* ---- format.c ----------------------------------------------------------- */

/* Rows count from 0. */
int bl_format_row(const struct bl_formatter *f, uint32_t offset);
int bl_format_term_row(const struct bl_formatter *f,
		       const struct bl_rego_term *term);

/*
 * The row of the bracket that closes the first one in range, counted byte by
 * byte; NO_ROW when absent.  Where skip is given ("()"), brackets up to
 * the end of that pair do not count.
 */
int bl_format_closing_row(const struct bl_formatter *f,
			  struct bl_rego_range range, const char *skip,
			  const char *pair);

/*
 * Is there a name in range that OPA makes itself ("__local0__")?  A line that holds
 * one stays as it is, whatever the rows are.
 */
bool bl_format_has_made_name(const struct bl_formatter *f,
			     struct bl_rego_range range);

void bl_format_put(struct bl_formatter *f, const char *text);
void bl_format_start_line(struct bl_formatter *f);
void bl_format_end_line(struct bl_formatter *f);
void bl_format_blank_line(struct bl_formatter *f);

/*
 * Writes the comments of rows before row; the one of that row waits for the
 * end of the line.  False when one waits already: blocked.
 */
bool bl_format_comments(struct bl_formatter *f, int row);

/* Is there a comment in a row after from and before to? */
bool bl_format_comment_between(const struct bl_formatter *f, int from, int to);

/* Where the formatter was, to go back to. */
struct bl_format_mark {
	size_t len;
	size_t next;
	unsigned level;
	bool in_line;
};
struct bl_format_mark bl_format_mark(const struct bl_formatter *f);

/* Goes back to mark and writes range as it stands, with its comments. */
void bl_format_as_it_stands(struct bl_formatter *f, struct bl_format_mark mark,
			    struct bl_rego_range range);

/* ---- format_term.c ------------------------------------------------------ */

/* A term; false when it was blocked, and is there as it stands. */
bool bl_format_term(struct bl_formatter *f, const struct bl_rego_term *term);

/* A name with its parts. */
bool bl_format_ref(struct bl_formatter *f, const struct bl_rego_term *term);

/* "a, b in c": count operands. */
bool bl_format_in(struct bl_formatter *f, struct bl_rego_term *const *operands,
		  size_t count);

/* A call that is a statement. */
bool bl_format_call_statement(struct bl_formatter *f,
			      const struct bl_rego_term *call);

/*
 * Arguments with commas, in rows as they were; row is where the bracket opens in
 * opening, and closing the row of the other one.
 */
bool bl_format_items(struct bl_formatter *f, struct bl_rego_term *const *items,
		     size_t count, struct bl_rego_range opening, int closing);

bool bl_format_is_union(const struct bl_rego_term *term);

/* ---- format_body.c ------------------------------------------------------ */

bool bl_format_expr(struct bl_formatter *f, const struct bl_rego_expr *expr);

/* Statements on lines of their own. */
bool bl_format_body(struct bl_formatter *f, const struct bl_rego_body *body);

/*
 * The statements of a comprehension or block whose head is in row head: on its
 * line, or below.  closing is the row of the bracket behind them.
 */
bool bl_format_inner_body(struct bl_formatter *f,
			  const struct bl_rego_body *body, int head,
			  int closing);

/* A statement behind a brace that would be read as a comprehension. */
void bl_format_group_lead(struct bl_formatter *f,
			  const struct bl_rego_expr *expr);

/* A statement that is a set: its braces look like those of a body. */
bool bl_format_is_set(const struct bl_rego_expr *expr);

/* ---- format_rule.c ------------------------------------------------------ */

void bl_format_rules(struct bl_formatter *f, struct bl_rego_rule *const *rules,
		     size_t count);

#endif

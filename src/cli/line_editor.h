/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/line_editor.h: lines that a person types at a terminal, with editing, history
 * and completion; or, where standard input is anything else, lines as they are.
 *
 * Keys: arrows, Home, End, Delete, Backspace; ^A ^E ^B ^F ^P ^N as arrows; ^K and ^U
 * cut behind and before the cursor, ^W a word; ^L clears the screen; Tab
 * completes, twice lists; ^C drops the line; ^D on an empty line ends the input.
 */
#ifndef BELAY_CLI_LINE_EDITOR_H
#define BELAY_CLI_LINE_EDITOR_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

enum cli_line_end {
	CLI_LINE_DONE,    /* a line */
	CLI_LINE_DROPPED, /* ^C */
	CLI_LINE_EOF,     /* nothing more comes */
};

/* Calls add with each word that begins with prefix. */
struct cli_completer {
	void *context;
	void (*complete)(void *context, struct bl_str prefix,
			 void (*add)(void *words, struct bl_str word),
			 void *words);
};

struct cli_line_editor;

/*
 * NULL: memory.  Reads in_fd and shows on out_fd; completer may be NULL.  It is
 * interactive when both are terminals.
 */
struct cli_line_editor *
cli_line_editor_new(int in_fd, int out_fd,
		    const struct cli_completer *completer);
void cli_line_editor_free(struct cli_line_editor *editor);

bool cli_line_editor_is_interactive(const struct cli_line_editor *editor);

/*
 * Reads a line, without its end, into out, which is emptied first.  Long ones
 * (over 64 KiB) are cut.  The prompt is shown to people only.
 */
enum cli_line_end cli_line_editor_read(struct cli_line_editor *editor,
				       const char *prompt, struct bl_buf *out);

/* One more line to go back to; empty ones and repetitions are left out. */
void cli_line_editor_remember(struct cli_line_editor *editor,
			      struct bl_str line);

/*
 * History in a file, a line each, 1000 at most: what is there is read; all that is
 * remembered is written, for its owner alone.  A file that is missing is
 * empty.
 */
enum bl_status cli_line_editor_load(struct cli_line_editor *editor,
				    struct bl_str path, struct bl_error *err);
enum bl_status cli_line_editor_store(const struct cli_line_editor *editor,
				     struct bl_str path, struct bl_error *err);

#endif

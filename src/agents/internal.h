/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/internal.h: what the files of harness share.
 */
#ifndef BELAY_AGENTS_INTERNAL_H
#define BELAY_AGENTS_INTERNAL_H

#include "agents/agents.h"

/*
 * How a refusal is worded.  Each text is its sentence, then ": " and the
 * hooks' message when there is one, then its tail.  NULL is empty, and a text
 * without a sentence and a message is empty as a whole.
 */
struct bl_refusal_texts {
	const char *code;
	const char *user;
	const char *user_tail;
	const char *model;
	const char *model_tail;
	/* As an error; with the payload's path where a field is named. */
	const char *error;
	const char *error_path_field;
	const char *error_tail;
	/* The message takes the place of the sentence. */
	bool message_alone;
	/* Without an agent message the model gets the user's. */
	bool model_gets_user_message;
};

/*
 * The parts one after the other, in arena.  They may hold any byte, NUL too.
 * ptr is NULL when memory is out.
 */
struct bl_str bl_harness_concat(struct bl_arena *arena,
				const struct bl_str *parts, size_t count);

/* Rows of cursor_texts.c. */
extern const struct bl_refusal_texts bl_cursor_2_3_shell_refusal;
extern const struct bl_refusal_texts bl_cursor_2_3_mcp_refusal;
extern const struct bl_refusal_texts bl_cursor_2_3_read_refusal;
extern const struct bl_refusal_texts bl_cursor_prompt_refusal;
extern const struct bl_refusal_texts bl_cursor_shell_refusal;
extern const struct bl_refusal_texts bl_cursor_mcp_refusal;
extern const struct bl_refusal_texts bl_cursor_read_refusal;
extern const struct bl_refusal_texts bl_cursor_tool_refusal;
extern const struct bl_refusal_texts bl_cursor_subagent_refusal;

/* Rows of cursor.c. */
extern const struct bl_harness bl_cursor_2_3;
extern const struct bl_harness bl_cursor;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/question.h: an event that is made up to ask what policies would decide,
 * in the dialect of Claude Code, and the engine that answers.  Nothing is run,
 * nothing is recorded.
 */
#ifndef BELAY_CLI_QUESTION_H
#define BELAY_CLI_QUESTION_H

#include "cli/policy_setup.h"

/* A tool, and the field of its input that the text is. */
struct cli_question {
	const char *tool; /* NULL: text is an MCP server's tool, server/tool */
	const char *field;
	struct bl_str text;
};

/* The event's JSON in arena; cwd is absolute. */
enum bl_status cli_question_payload(struct bl_arena *arena,
				    const struct cli_question *question,
				    struct bl_str cwd, struct bl_str *out_text,
				    struct bl_error *err);

/*
 * An engine for such events, by the policies of the nearest folder from cwd
 * upwards that has some; without any, at level standard.  The command has the
 * options of CLI_POLICY_ROWS, and level_option names a level (USAGE: it is not
 * one).
 */
enum bl_status cli_question_engine(struct cli *cli, size_t level_option,
				   struct bl_str cwd,
				   struct bl_engine **out_engine,
				   struct bl_error *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* cli/question.h: what would be decided about one action that nobody takes. */
#ifndef BELAY_CLI_QUESTION_H
#define BELAY_CLI_QUESTION_H

#include "cli/policy_setup.h"

/* A tool of Claude Code, and the field of its input that the text is. */
struct cli_question {
	const char
		*tool; /* NULL: the MCP tool that text names, "server/tool" */
	const char *field;
	struct bl_str text;
	struct bl_str cwd;   /* resolved */
	enum bl_level level; /* in place of the rulebooks'; UNSET: theirs */
	struct bl_str home; /* of the user whose team counts; empty: nobody's */
};

/* "file_path" of the tools that read and write, and so on, by their subject. */
bool cli_question_about(struct bl_str subject, struct bl_str text,
			struct cli_question *out);

/*
 * Asks an engine with the policies of cli's options (CLI_POLICY_ROWS), else of
 * the folder or the nearest one above it; without any as at standard.  Nothing is run or recorded.  The
 * caller frees engine and reply.
 */
enum bl_status cli_ask(struct cli *cli, const struct cli_question *question,
		       struct bl_engine **out_engine,
		       struct bl_reply *out_reply, struct bl_error *err);

/*
 * The parts of it, for many questions: the event's JSON in arena, and an engine
 * with the policies, folder and level of a question.
 */
enum bl_status cli_question_payload(struct bl_arena *arena,
				    const struct cli_question *question,
				    struct bl_str *out_text,
				    struct bl_error *err);
enum bl_status cli_question_engine(struct cli *cli,
				   const struct cli_question *question,
				   struct bl_engine **out_engine,
				   struct bl_error *err);

/* Appends the answer for people: the verdict, the rules, why, what instead. */
void cli_put_decision(struct cli *cli, const struct bl_reply *reply);

#endif

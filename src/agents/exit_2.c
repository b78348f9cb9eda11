/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses by exit status 2: standard error holds the reason, standard output
 * nothing.  Nearly all agents refuse by it, some by nothing else, and it does
 * not hang on words that a version may not know.  So this is how belay refuses
 * where an agent could not be run (docs/reference/agents.md).  No agent's own
 * rows are here.
 */
#include "agents/rows.h"

#define NAMED PART(SPECIFIC, "hookEventName", EVENT)

#define REFUSES                                                                \
	{                                                                      \
		.effect = DENIES, .is_silent = true, .exits_2 = true           \
	}
#define REFUSES_FOR(name)                                                      \
	{                                                                      \
		.effect = DENIES, .is_silent = true, .exits_2 = true,          \
		.degradations = DEGRADES(name)                                 \
	}
#define SILENT(name)                                                           \
	{                                                                      \
		.is_silent = true, .degradations = DEGRADES(name)              \
	}

const struct bl_response_shape bl_exit_2_tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = REFUSES,
		[CASE_ASK] = REFUSES_FOR(ASK_DENIED),
		[CASE_MODIFY] = SILENT(REWRITE_DROPPED),
	},
};

static const struct response_part ask[] = {
	NAMED,
	CONSTANT(SPECIFIC, "permissionDecision", "ask"),
	PART(SPECIFIC, "permissionDecisionReason", BOTH_REASONS),
};

/* A question in Claude Code's words, which the agent's documents list. */
const struct bl_response_shape bl_exit_2_asking_response = {
	"tool",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = REFUSES,
		[CASE_ASK] = { FORM(ask), .effect = ASKS },
		[CASE_MODIFY] = SILENT(REWRITE_DROPPED),
	},
};

static const struct response_part context[] = {
	PART(SPECIFIC, "additionalContext", CONTEXT),
	NAMED,
};
static const struct response_part told[] = {
	PART(SPECIFIC, "additionalContext", TOLD),
	NAMED,
};

/* The model reads standard error beside the result. */
const struct bl_response_shape bl_exit_2_tool_after_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(context), .is_quiet = true },
		[CASE_REFUSE] = REFUSES_FOR(REFUSAL_FEEDBACK),
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(context),
				  .degradations = DEGRADES(REWRITE_DROPPED),
				  .is_quiet = true },
	},
};

const struct bl_response_shape bl_exit_2_prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context), .is_quiet = true },
		[CASE_REFUSE] = REFUSES,
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

const struct bl_response_shape bl_exit_2_stop_response = {
	"stop",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = REFUSES,
		[CASE_ASK] = SILENT(ASK_DROPPED),
		[CASE_MODIFY] = SILENT(REWRITE_DROPPED),
	},
};

/* Nothing counts here, and whatever is printed might be taken for something. */
const struct bl_response_shape bl_exit_2_silent_response = {
	"notice",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = SILENT(REFUSAL),
		[CASE_ASK] = SILENT(ASK_DROPPED),
		[CASE_MODIFY] = SILENT(REWRITE_DROPPED),
	},
};

/* Context in Claude Code's words is all that counts. */
const struct bl_response_shape bl_exit_2_context_response = {
	"context",
	{
		[CASE_ALLOW] = { FORM(context), .is_quiet = true },
		[CASE_REFUSE] = { FORM(told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct response_part plain_context[] = {
	PART(TOP, "text", CONTEXT),
};
static const struct response_part plain_told[] = {
	PART(TOP, "text", TOLD),
};

/* Context is plain text: the model reads whatever is printed. */
const struct bl_response_shape bl_exit_2_text_response = {
	"plain context",
	{
		[CASE_ALLOW] = { FORM(plain_context), .is_text = true },
		[CASE_REFUSE] = { FORM(plain_told), .is_text = true,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(plain_told), .is_text = true,
			       .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(plain_told), .is_text = true,
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* eval_record.h: decisions of policies as entries of the journal. */
#ifndef BELAY_CLI_EVAL_RECORD_H
#define BELAY_CLI_EVAL_RECORD_H

#include "eval/eval.h"
#include "journal/journal.h"

struct cli_eval_record {
	const struct bl_eval *eval;
	const struct bl_agent *agent;
	struct bl_str payload_text; /* the bytes that came */
	struct bl_str failure; /* why there is no report; empty: there is */
	int64_t time_ms;       /* wall clock */
	int64_t started_ns;    /* monotonic */
};

/* What was decided, in one word: "allow", "modify", "ask", ..., "halt". */
const char *cli_eval_decision(const struct bl_eval *eval);

/*
 * Appends the decision.  The report is there in full when the payload is; else
 * with what the policies said for people, without input and signals.
 */
enum bl_status cli_record_eval(const struct cli_eval_record *record,
			       const struct bl_journal_options *journal,
			       struct bl_arena *arena, struct bl_error *err);

#endif

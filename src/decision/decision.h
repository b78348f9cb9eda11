/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decision/decision.h: outcomes, verdicts, and the one rule for combining
 * them.  Pure: no I/O, no agent.
 *
 * An *outcome* is what became of one hook (or, later, one policy); it has a
 * kind, and when it answered, an *answer*.  A *decision* is what all outcomes
 * of one event come to.  What a kind of outcome means for a class of event is
 * a table that the profile supplies (struct bl_fold_rules): fail closed is
 * data, not code.
 */
#ifndef BELAY_DECISION_DECISION_H
#define BELAY_DECISION_DECISION_H

#include "base/arena.h"
#include "base/str.h"
#include "event/event.h"
#include "value/value.h"

/*
 * Verdicts, weakest first; combining takes the largest (deny over ask over
 * allow over none).  NONE is not ALLOW: nobody said anything.
 */
enum bl_verdict {
	BL_VERDICT_NONE,
	BL_VERDICT_ALLOW,
	BL_VERDICT_ASK,
	BL_VERDICT_DENY,
	BL_VERDICT_COUNT
};

const char *bl_verdict_name(enum bl_verdict verdict); /* "none", "allow"... */

/* False when text names no verdict. */
bool bl_verdict_parse(struct bl_str text, enum bl_verdict *out_verdict);

/*
 * The exit status of a program whose result is this verdict: 0 go on (none,
 * allow), 2 refused, 3 ask.  Part of the interface: belay-dispatch(1).
 */
int bl_verdict_exit_code(enum bl_verdict verdict);

/*
 * What became of one hook: decision/outcomes.def, OUTCOME(NAME, "name",
 * "text").  EXIT_2 shares its public name "exit_code" with EXIT_CODE: it is a
 * row of its own because profiles give that one status a meaning.
 */
enum bl_outcome_kind {
#define OUTCOME(name, public_name, text) BL_OUTCOME_##name,
#include "decision/outcomes.def"
#undef OUTCOME
	BL_OUTCOME_COUNT
};

const char *bl_outcome_name(enum bl_outcome_kind kind);
const char *bl_outcome_text(enum bl_outcome_kind kind);

/*
 * What one hook answered, in agent-neutral terms.  Harness decodes it.  Texts
 * and values are borrowed; a str with ptr NULL and an undefined value mean
 * that the answer does not have the field.
 */
struct bl_answer {
	enum bl_verdict permission; /* NONE when it does not say */
	bool stops;                 /* "continue": false */
	struct bl_str user_message;
	struct bl_str agent_message;
	struct bl_str followup_message;
	struct bl_str additional_context;
	struct bl_value updated_input;  /* object */
	struct bl_value updated_output; /* any */
	struct bl_value env;            /* object of strings */
	struct bl_value plugin_paths;   /* array of strings */
	struct bl_value raw;            /* the whole answer */
};

/* One hook's result, ready to be folded. */
struct bl_outcome {
	enum bl_outcome_kind kind;
	struct bl_answer answer; /* only for ANSWERED */
	/*
	 * Why, for people, when kind is not ANSWERED: becomes the user message
	 * when the outcome denies.  Empty is allowed.
	 */
	struct bl_str reason;
	bool fail_closed; /* the hook asks that its failures refuse */
};

/* The classes of event that the rules tell apart. */
enum bl_event_class {
	BL_CLASS_OBSERVE,    /* nothing can be refused */
	BL_CLASS_PERMISSION, /* allow, ask, deny */
	BL_CLASS_PROMPT,     /* continue or not */
	BL_CLASS_COUNT
};

/* What an outcome counts as. */
enum bl_effect {
	BL_EFFECT_NOTHING,     /* contributes nothing */
	BL_EFFECT_USE,         /* its answer counts */
	BL_EFFECT_DENY,        /* refuses, with its reason */
	BL_EFFECT_ASK,         /* asks where the step can ask, else nothing */
	BL_EFFECT_ASK_OR_DENY, /* asks where the step can ask, else refuses */
};

/* One row of the table: by class, and for hooks that fail closed. */
struct bl_outcome_rule {
	uint8_t effect[BL_CLASS_COUNT];      /* enum bl_effect */
	uint8_t fail_closed[BL_CLASS_COUNT]; /* when fail_closed is set */
};

/* Who wins for fields of which only one can count. */
enum bl_single_winner {
	BL_WINNER_FIRST, /* the highest priority source (configuration order) */
	BL_WINNER_LAST,
};

struct bl_fold_rules {
	bool first_valid_wins; /* only the first ANSWERED outcome counts (C1) */
	enum bl_single_winner single_winner;
	struct bl_outcome_rule outcome[BL_OUTCOME_COUNT];
};

/* The text between the messages of several refusing hooks. */
#define BL_MESSAGE_SEPARATOR "\n\n---\n\n"

/*
 * All outcomes of one event, folded in their order.  Everything is in the
 * arena given to bl_decision_fold or borrowed from the outcomes.
 */
struct bl_decision {
	enum bl_verdict verdict;    /* for PROMPT: DENY means not sent */
	struct bl_str user_message; /* of the hooks that refuse or ask */
	struct bl_str agent_message;
	struct bl_str followup_message;     /* ptr NULL: none */
	struct bl_value additional_context; /* array of strings, or undefined */
	struct bl_value updated_input;
	struct bl_value updated_output;
	struct bl_value env;
	struct bl_value plugin_paths;
	/*
	 * The one answer that counted, as it came, when first_valid_wins; else
	 * undefined, also when another outcome than an answer made the verdict.
	 */
	struct bl_value first_answer;
	size_t lost_updates; /* answers whose updated_input did not win */
	/* What each outcome counted as: outcome_count entries. */
	const uint8_t *effects;
};

/*
 * Folds.  can_ask says whether the step knows "ask" (else an ask effect is
 * nothing; an ask *answer* stays what the harness decoded it to).  Messages:
 * of the outcomes whose verdict is the final one when that is ask or deny
 * (spec/cursor.md 2.12), else, for OBSERVE alone, of every answer; joined with
 * BL_MESSAGE_SEPARATOR.  NO_MEMORY or LIMIT when the arena is out, and then
 * the caller must refuse.
 */
enum bl_status bl_decision_fold(const struct bl_fold_rules *rules,
				enum bl_event_class class, bool can_ask,
				const struct bl_outcome *outcomes,
				size_t outcome_count, struct bl_arena *arena,
				struct bl_decision *out_decision,
				struct bl_error *err);

#endif

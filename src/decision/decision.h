/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decision/decision.h: outcomes, verdicts, and the one function that combines
 * them.  Pure: no I/O, no agent.
 *
 * An *outcome* is what one hook, one policy rule, or one whole source gave; it
 * has a kind, and when it answered, an *answer*.  A *decision* is what all
 * outcomes of one event come to.  How they combine is a table (struct
 * bl_combine_rules): "first valid", "strictest", a chain that the first
 * refusal ends, and Cupcake's synthesis are rows of the same columns, and what
 * a kind of outcome means for a class of event is one of them: fail closed is
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

/* The attributes of a verdict, as bits. */
enum bl_attribute {
	BL_HALTS = 1,    /* DENY: the agent's whole turn ends */
	BL_FEEDBACK = 2, /* DENY: the agent goes on, with the reason */
	BL_REWRITES = 4, /* the action's input is changed */
	BL_CONTEXT = 8,  /* the model is told something */
};

/*
 * Cupcake's words for a verdict and its attributes, weakest first, as rows of
 * decision/verbs.def: VERB(NAME, "name", VERDICT, ATTRIBUTES, "what").
 * Policies have rules of these names, but for ALLOW; agents and the journal
 * say decisions in them.
 */
enum bl_verb {
#define VERB(name, text, verdict, attributes, what) BL_VERB_##name,
#include "decision/verbs.def"
#undef VERB
	BL_VERB_COUNT
};

const char *bl_verb_name(enum bl_verb verb);
enum bl_verdict bl_verb_verdict(enum bl_verb verb);
unsigned bl_verb_attributes(enum bl_verb verb);

/* The word for a verdict with attributes; NONE is ALLOW, or MODIFY. */
enum bl_verb bl_verb_of(enum bl_verdict verdict, unsigned attributes);

static inline bool bl_verb_refuses(enum bl_verb verb)
{
	return bl_verb_verdict(verb) == BL_VERDICT_DENY;
}

/*
 * The outcome of one hook: decision/outcomes.def, OUTCOME(NAME, "name",
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
 * The answer of one outcome, in agent-neutral terms.  Texts and values are
 * borrowed; a str with ptr NULL and an undefined value mean that it does not
 * have the field.
 */
struct bl_answer {
	enum bl_verdict permission; /* NONE when it does not say */
	unsigned attributes;        /* of enum bl_attribute */
	bool stops;                 /* "continue": false */
	struct bl_str user_message;
	struct bl_str agent_message;
	struct bl_str followup_message;
	struct bl_str additional_context;
	struct bl_value contexts;       /* array of strings: more of them */
	struct bl_value updated_input;  /* object */
	struct bl_value updated_output; /* any */
	struct bl_value env;            /* object of strings */
	struct bl_value plugin_paths;   /* array of strings */
	struct bl_value raw;            /* the whole answer */
};

/* The source of an outcome. */
enum bl_outcome_source {
	BL_FROM_HOOK,   /* one hook, or all of them */
	BL_FROM_POLICY, /* one rule of a policy, or all of them */
	BL_FROM_FAILURE /* belay itself: no rule could decide */
};

/* One result, ready to be combined. */
struct bl_outcome {
	enum bl_outcome_source source;
	enum bl_outcome_kind kind;
	struct bl_str id;        /* of the rule; empty: absent */
	struct bl_str severity;  /* of the rule: "LOW", ..., "CRITICAL" */
	int64_t priority;        /* of its updated_input, where they merge */
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

/* The effect of an outcome. */
enum bl_effect {
	BL_EFFECT_NOTHING,     /* contributes nothing */
	BL_EFFECT_USE,         /* its answer counts */
	BL_EFFECT_DENY,        /* refuses, with its reason */
	BL_EFFECT_ASK,         /* asks where the event can ask, else nothing */
	BL_EFFECT_ASK_OR_DENY, /* asks where the event can ask, else refuses */
};

/* One row of the table: by class, and for hooks that fail closed. */
struct bl_outcome_rule {
	uint8_t effect[BL_CLASS_COUNT];      /* enum bl_effect */
	uint8_t fail_closed[BL_CLASS_COUNT]; /* when fail_closed is set */
};

/* Which outcomes make the verdict. */
enum bl_pick {
	BL_PICK_STRICTEST, /* all, and the strictest verdict is the decision */
	BL_PICK_FIRST,     /* only the first that ANSWERED */
};

/* Which of several rewritten inputs counts. */
enum bl_update {
	BL_UPDATE_FIRST, /* the highest priority source (configuration order) */
	BL_UPDATE_LAST,  /* each was made from the one before */
	BL_UPDATE_MERGE, /* all, merged; the highest priority wins a key */
};

/* How the messages that count become one text. */
enum bl_wording {
	/* one after the other, with BL_MESSAGE_SEPARATOR between */
	BL_WORDING_JOINED,
	/*
	 * Those of the highest severity, with the rules' ids and a sentence
	 * before them, cut to what agents read (docs/contracts/cupcake.md).
	 */
	BL_WORDING_BY_SEVERITY,
};

struct bl_combine_rules {
	enum bl_pick pick;
	enum bl_update update;
	enum bl_wording wording;
	/*
	 * Verdicts and messages count whatever the class of event: what it
	 * cannot do is for the agent's rows to say.
	 */
	bool any_class;
	struct bl_outcome_rule outcome[BL_OUTCOME_COUNT];
};

/* Of policy rules: all say what they say at every class of event. */
extern const struct bl_combine_rules bl_combine_policies;

/*
 * Of sources: each outcome is the decision of one (bl_outcome_of_decision), in
 * the order in which they were asked.
 */
extern const struct bl_combine_rules bl_combine_sources;

/* The text between the messages of several refusing hooks. */
#define BL_MESSAGE_SEPARATOR "\n\n---\n\n"

/*
 * All outcomes of one event, combined in their order.  Everything is in the
 * arena given to bl_decision_combine or borrowed from the outcomes.
 */
struct bl_decision {
	enum bl_verdict verdict;    /* for PROMPT: DENY means not sent */
	unsigned attributes;        /* of enum bl_attribute */
	struct bl_str user_message; /* of those that refuse, ask or rewrite */
	struct bl_str agent_message;
	/* BY_SEVERITY: what agent_message was joined of; else undefined */
	struct bl_value agent_messages;
	/* How a person lets pass what is refused, in words; empty: none. */
	struct bl_str way_out;
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
	/* The effect of each outcome: outcome_count entries. */
	const uint8_t *effects;
};

/*
 * Combines.  can_ask says whether the event knows "ask" (else an ask effect is
 * nothing; an ask *answer* stays what the agent decoded it to).  Messages: of
 * the outcomes whose verdict is the final one when that is ask or deny
 * (docs/contracts/cursor.md), else of those that rewrite, and for OBSERVE of
 * every answer.  NO_MEMORY or LIMIT when the arena is out or the messages are
 * too long, and then the caller must refuse.
 */
enum bl_status bl_decision_combine(const struct bl_combine_rules *rules,
				   enum bl_event_class class, bool can_ask,
				   const struct bl_outcome *outcomes,
				   size_t outcome_count, struct bl_arena *arena,
				   struct bl_decision *out_decision,
				   struct bl_error *err);

/*
 * An input with an update merged into it, deep: members of the update replace
 * those of the input.  Undefined: memory.
 */
struct bl_value bl_decision_merge_input(struct bl_arena *arena,
					struct bl_value input,
					struct bl_value update);

/* The word for it. */
static inline enum bl_verb bl_decision_verb(const struct bl_decision *decision)
{
	return bl_verb_of(decision->verdict, decision->attributes);
}

/* The decision of one source, as an outcome to combine with those of others. */
struct bl_outcome bl_outcome_of_decision(enum bl_outcome_source source,
					 const struct bl_decision *decision);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/agents.h: what is particular to an agent, as tables: its events
 * (*steps*), the fields of their payloads and answers, matcher subjects, and
 * the texts with which it refuses.  No I/O; one file of rows per agent
 * (harness/cursor.c).  Facts: docs/contracts/cursor-2.3.41.md and
 * docs/contracts/cursor.md.
 *
 * This file is the host's side: belay runs the agent's hooks.  The other side,
 * where belay is the hook, is harness/guest.h.
 *
 * A *dialect* is one version of an agent's contract.  Everything that differs
 * between the dialects of an agent is a column or a row.
 */
#ifndef BELAY_AGENTS_AGENTS_H
#define BELAY_AGENTS_AGENTS_H

#include "base/arena.h"
#include "base/error.h"
#include "decision/decision.h"
#include "event/event.h"
#include "agents/guest.h"
#include "value/value.h"

enum bl_dialect {
	BL_DIALECT_CURSOR_2_3, /* the 12 steps of Cursor 2.3.41 */
	BL_DIALECT_CURSOR,     /* today's 21 */
	BL_DIALECT_COUNT
};

/*
 * Where the text that a hook's matcher is searched in comes from
 * (docs/contracts/cursor.md "Matchers").
 */
enum bl_subject {
	BL_SUBJECT_NONE,     /* the step has none: every matcher matches */
	BL_SUBJECT_FIELD,    /* subject_text names a payload field */
	BL_SUBJECT_PREFIXED, /* "MCP:" and the field subject_text */
	BL_SUBJECT_CONSTANT, /* subject_text itself */
};

/* Where in struct bl_answer a field of an answer goes (harness/answer.c). */
enum bl_answer_slot {
	BL_ANSWER_CHECKED, /* nowhere: its type is checked, no more */
	BL_ANSWER_PERMISSION,
	BL_ANSWER_CONTINUE,
	BL_ANSWER_USER_MESSAGE,
	BL_ANSWER_AGENT_MESSAGE,
	BL_ANSWER_FOLLOWUP,
	BL_ANSWER_CONTEXT,
	BL_ANSWER_INPUT,
	BL_ANSWER_OUTPUT,
	BL_ANSWER_ENV,
	BL_ANSWER_PLUGIN_PATHS,
	BL_ANSWER_SLOT_COUNT
};

/* One field of an answer, with the message for a wrong value. */
struct bl_answer_field {
	const char *name;
	enum bl_field_type type;
	enum bl_answer_slot slot;
	const char *error; /* message when the value is not acceptable */
};

/* Which fields an answer to a step may have: rows of harness/cursor.c. */
struct bl_answer_shape {
	const char *name; /* "command", "read", "prompt", ... */
	const struct bl_answer_field *fields;
	size_t field_count;
};

/* How a refusal at a step is worded: rows of harness/cursor_texts.c. */
struct bl_refusal_texts;

/* One event of an agent in one dialect. */
struct bl_step {
	const char *name; /* "beforeShellExecution" */
	enum bl_dialect dialect;
	enum bl_event_kind kind;
	enum bl_event_class class;
	bool can_ask;        /* "ask" is enforced (C22) */
	bool ask_is_deny;    /* "ask" counts as deny (subagentStart) */
	bool has_loop_limit; /* loop_limit applies: stop, subagentStop */
	const struct bl_answer_shape *shape;
	enum bl_subject subject;
	const char *subject_text;
	/*
	 * Known subjects, NULL-ended; one that ends in ":" stands for every
	 * text with that prefix.  NULL: open-ended, nothing to warn of.
	 */
	const char *const *subject_values;
	/* How many of the harness's common fields, from the first, it has. */
	size_t common_field_count;
	const struct bl_field *fields; /* own fields, besides the common */
	size_t field_count;
	const struct bl_refusal_texts *refusal; /* NULL: cannot be refused */
	/* A follow-up counts only with this payload status; NULL: with any. */
	const char *followup_status;
};

/* An agent's dialect as a whole. */
struct bl_harness {
	const char *agent; /* "cursor" */
	enum bl_dialect dialect;
	const struct bl_step *steps; /* in the order of messages */
	size_t step_count;
	const struct bl_field *common_fields;
	size_t common_field_count;
};

/* Never NULL. */
const struct bl_harness *bl_harness_get(enum bl_dialect dialect);

/* NULL when the dialect has no step of that (exact) name. */
const struct bl_step *bl_harness_find_step(const struct bl_harness *harness,
					   struct bl_str name);

/* The step names, joined by ", " in table order, into out. */
void bl_harness_put_step_names(const struct bl_harness *harness,
			       struct bl_buf *out);

/* ---- payloads ------------------------------------------------------------- */

/* What belay knows and may fill in where the payload says nothing. */
struct bl_payload_facts {
	const char *version;             /* cursor_version; NULL: "" */
	const struct bl_str *workspaces; /* workspace_roots */
	size_t workspace_count;
};

/*
 * The payload as hooks get it: the caller's, in its order and with all its
 * extra keys, plus the missing FILLED fields of the step and the common ones
 * (docs/contracts/cursor-2.3.41.md "Payload": missing values are the empty
 * string, `command` is UNKNOWN).  INVALID when payload is not an object, names
 * another event than step, or a known field has the wrong type (named in err);
 * missing REQUIRED fields are not errors: hooks see what the agent sent.
 */
enum bl_status bl_harness_complete(const struct bl_step *step,
				   struct bl_value payload,
				   const struct bl_payload_facts *facts,
				   struct bl_arena *arena,
				   struct bl_value *out_payload,
				   struct bl_error *err);

/*
 * The matcher subject of a payload, in arena or borrowed; ptr NULL when the
 * step has none (or the field is missing): then every matcher matches.
 */
struct bl_str bl_harness_subject(const struct bl_step *step,
				 struct bl_value payload,
				 struct bl_arena *arena);

/* ---- answers ---------------------------------------------------------------- */

/* All that is wrong with one answer. */
struct bl_answer_errors {
	struct bl_str text[8]; /* constants of the shape's rows */
	size_t count;
};

/*
 * Checks and decodes one answer.  INVALID with every error in the order of
 * the shape's fields ("Expected an object" alone when it is none); an explicit
 * null is a value, not an absence.  Unknown keys are ignored.
 */
enum bl_status bl_harness_decode_answer(const struct bl_step *step,
					struct bl_value value,
					struct bl_answer *out_answer,
					struct bl_answer_errors *out_errors);

/* ---- what comes of a decision ------------------------------------------- */

/* What the agent is to do and to say.  Texts live in the arena. */
struct bl_enforcement {
	/*
	 * What is enforced.  NONE where the step cannot do what was decided
	 * (an ask on preToolUse); struct bl_decision says what that was.
	 */
	enum bl_verdict verdict;
	const char *code;        /* "REJECTED_BY_HOOK", ... or NULL */
	struct bl_str user_text; /* empty: nothing to say */
	struct bl_str model_text;
	struct bl_str error_text; /* where a refusal is raised as an error */
	struct bl_str followup;   /* prompt to submit; ptr NULL: none */
};

/*
 * The enforcement of a decision at step (docs/contracts/cursor-2.3.41.md
 * "Refusals"; docs/contracts/cursor.md "Refusal texts").  payload supplies what
 * texts mention (the path of a file).
 */
enum bl_status bl_harness_enforce(const struct bl_step *step,
				  const struct bl_decision *decision,
				  struct bl_value payload,
				  struct bl_arena *arena,
				  struct bl_enforcement *out_enforcement,
				  struct bl_error *err);

/*
 * The decision as the agent's own answer object: the winning answer as it came
 * where there is one (dialect 2.3), else the folded fields that the step's
 * shape has ({} when there are none).  Several additional contexts become one
 * text with blank lines between.  Undefined when memory is out.
 */
struct bl_value bl_harness_encode(const struct bl_step *step,
				  const struct bl_decision *decision,
				  struct bl_arena *arena);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/guest.h: belay as the hook of an agent: what the agent's event says
 * (decode), and the agent's own answer to it (encode).  Part of the door
 * agents/harness.h.  No I/O; one file of rows per agent (guest_cursor.c,
 * guest_claude.c, guest_factory.c, guest_opencode.c).  Facts:
 * docs/contracts/cupcake.md "Events", "Responses", "Added fields",
 * docs/contracts/agents.md "Claude Code", "Factory Droid", "OpenCode",
 * "Neutral events", "Degradations", "Detection".
 *
 * A *guest* is an agent in whose hook entry belay is called.  An *answer row*
 * (struct bl_guest_event) says what one event of it can do with a verdict;
 * whatever it cannot do is *degraded*, and said (struct bl_guest_answer).
 */
#ifndef BELAY_AGENTS_GUEST_H
#define BELAY_AGENTS_GUEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "event/event.h"
#include "value/value.h"

/* ---- agents ------------------------------------------------------------- */

enum bl_agent {
	BL_AGENT_CURSOR,
	BL_AGENT_CLAUDE,
	BL_AGENT_FACTORY,
	BL_AGENT_OPENCODE,
	BL_AGENT_COUNT
};

/* "cursor", "claude", "factory", "opencode": also policies/<name>. */
const char *bl_agent_name(enum bl_agent agent);

/* False when name is none of them. */
bool bl_agent_parse(struct bl_str name, enum bl_agent *out_agent);

/*
 * Which agent sent this payload, when nobody says: marks of the payload first
 * (they cannot be inherited from a parent process), then of the environment,
 * which getenv answers (ptr NULL: not set).  False when nothing tells.
 * *out_evidence is the mark ("payload: cursor_version").
 */
bool bl_agent_detect(struct bl_value payload,
		     struct bl_str (*getenv)(const char *name),
		     enum bl_agent *out_agent, const char **out_evidence);

/* ---- tools -------------------------------------------------------------- */

/* agents/tool_kinds.def: TOOL_KIND(NAME, "name", "purpose"). */
enum bl_tool_kind {
	BL_TOOL_NONE, /* the event is not about a tool */
#define TOOL_KIND(name, text, purpose) BL_TOOL_##name,
#include "agents/tool_kinds.def"
#undef TOOL_KIND
	BL_TOOL_KIND_COUNT
};

/* "shell", "file.read", ...; "" for NONE. */
const char *bl_tool_kind_name(enum bl_tool_kind kind);
const char *bl_tool_kind_purpose(enum bl_tool_kind kind);

/* ---- events ------------------------------------------------------------- */

/* What an answer can do at an event; the names are explain's. */
enum bl_guest_ability {
	BL_GUEST_CAN_REFUSE = 1,    /* stop the action (or the prompt) */
	BL_GUEST_CAN_ASK = 2,       /* have the user asked */
	BL_GUEST_CAN_REWRITE = 4,   /* change the tool's input */
	BL_GUEST_CAN_CONTEXT = 8,   /* give the model text to read */
	BL_GUEST_CAN_CONTINUE = 16, /* make the agent go on instead of ending */
	BL_GUEST_CAN_HALT = 32,     /* end the whole turn */
	BL_GUEST_CAN_FEEDBACK = 64, /* tell the model that a result is bad */
};

/* Rows of the agents' files; private to harness. */
struct bl_guest_shape;

/* One event of one agent. */
struct bl_guest_event {
	const char *name; /* the agent's; "" in the row for unknown events */
	enum bl_event_kind kind;     /* tool.before, prompt, stop, ... */
	enum bl_tool_kind tool_kind; /* fixed by the event (Cursor's shell
					events), else NONE: the tool says */
	unsigned abilities;          /* of enum bl_guest_ability */
	const struct bl_guest_shape *shape;
};

/* The rows of an agent, the row for unknown events left out. */
const struct bl_guest_event *bl_guest_events(enum bl_agent agent,
					     size_t *out_count);

/* The row of every other event of an agent. */
const struct bl_guest_event *bl_guest_unknown_event(enum bl_agent agent);

/*
 * The permission modes of an agent in which nobody is there to be asked, so
 * that "ask" refuses before a tool; NULL-ended, NULL: it has none.
 */
const char *const *bl_guest_unattended_modes(enum bl_agent agent);

/*
 * Does a failure (no policy compiles, a limit, a crash) refuse here?  True for
 * what can be stopped before it happens; false for prompt, stop, session and
 * all other events, which stay open.
 */
bool bl_guest_fails_closed(const struct bl_guest_event *event);

/* ---- decode ------------------------------------------------------------- */

/* What a path really is; asked of the caller, who may do I/O. */
struct bl_guest_path {
	struct bl_str real; /* absolute, without links */
	bool is_link;
};

/* What harness may not find out by itself.  All may be left empty. */
struct bl_guest_facts {
	struct bl_str cwd; /* of the process, where payloads have none */
	struct bl_str project_root; /* of the policy directory in use */
	const char *detected_by;    /* "argv" (default), or the evidence */
	/*
	 * Resolves an absolute path that may not exist (bl_guest_join has put
	 * cwd in front).  NULL: paths are only cleaned of "." and "..".
	 */
	bool (*resolve)(void *context, struct bl_str path,
			struct bl_arena *arena, struct bl_guest_path *out_path);
	void *context;
};

/* A decoded event.  Everything is borrowed from the payload or in the arena. */
struct bl_guest_request {
	enum bl_agent agent;
	const struct bl_guest_event *event; /* never NULL */
	bool is_known;                      /* event has a row of its own */
	struct bl_str event_name;           /* as the agent says it */
	enum bl_event_kind kind;
	enum bl_tool_kind tool_kind;
	struct bl_str tool_name; /* as policies see it ("Bash"); may be empty */
	struct bl_str session_id; /* empty: unknown, like all below */
	struct bl_str cwd;
	struct bl_str command; /* of a shell tool, white space normalised */
	struct bl_value tool_input; /* object; undefined when there is none */
	struct bl_value payload;    /* as it came */
	/*
	 * `input` for policies: the payload with what Cupcake adds to it
	 * (docs/contracts/cupcake.md "Added fields"), both spellings of the
	 * event's name, and `belay`.  The caller adds `signals` and
	 * `builtin_config`.
	 */
	struct bl_value input;
	/* input.belay: docs/contracts/agents.md "Neutral events" */
	struct bl_value canonical;
};

/*
 * INVALID, with the reason, when payload is no object or names no event (as
 * `hook_event_name` or `hookEventName`; the agent's own spelling wins).  All
 * else is tolerated: missing fields, wrong types, unknown events and tools.
 */
enum bl_status bl_guest_decode(enum bl_agent agent, struct bl_value payload,
			       const struct bl_guest_facts *facts,
			       struct bl_arena *arena,
			       struct bl_guest_request *out_request,
			       struct bl_error *err);

/* ---- encode ------------------------------------------------------------- */

/*
 * What policies came to, weakest first (docs/contracts/cupcake.md "Combining
 * decisions").
 */
enum bl_ruling_verb {
	BL_RULING_ALLOW,
	BL_RULING_MODIFY,
	BL_RULING_ASK,
	BL_RULING_BLOCK,
	BL_RULING_DENY,
	BL_RULING_HALT,
	BL_RULING_COUNT
};
const char *bl_ruling_verb_name(enum bl_ruling_verb verb); /* "allow", ... */

struct bl_ruling {
	enum bl_ruling_verb verb;
	struct bl_str reason; /* for the user; may be empty only for ALLOW */
	/* For the model, joined with "; " already; ptr NULL: the reason. */
	struct bl_str agent_reason;
	struct bl_value context;       /* array of strings, or undefined */
	struct bl_value updated_input; /* MODIFY: the patch, an object */
};

struct bl_guest_options {
	bool is_strict; /* --strict: exit 1 when refused */
	/*
	 * What becomes of MODIFY where the input cannot be changed.  False:
	 * refused, with the corrected input in the reason
	 * (docs/contracts/agents.md "Degradations"); true: let pass unchanged,
	 * as Cupcake does.
	 */
	bool passes_unmodified;
};

/* What is degraded, by number: rows of guest.c with a text each. */
enum bl_guest_loss {
#define LOSS(name, id, text) BL_GUEST_LOSS_##name,
#include "agents/guest_losses.def"
#undef LOSS
	BL_GUEST_LOSS_COUNT
};
const char *bl_guest_loss_id(enum bl_guest_loss loss);   /* "ask-denied" */
const char *bl_guest_loss_text(enum bl_guest_loss loss); /* one sentence */

/* What is to be written, and what it does not say. */
struct bl_guest_answer {
	struct bl_str output; /* standard output, with its newline; in arena */
	struct bl_str errors; /* standard error; empty but with exit_code 2 */
	int exit_code;        /* 0; 1 with is_strict when refused; 2 */
	enum bl_ruling_verb effect; /* what the agent does after all */
	unsigned losses;            /* bit 1 << enum bl_guest_loss */
};

/*
 * The answer: one compact line of JSON with sorted keys
 * (docs/contracts/cupcake.md "Responses").  Where memory is out: the status,
 * and the caller writes bl_guest_emergency.
 */
enum bl_status bl_guest_encode(const struct bl_guest_request *request,
			       const struct bl_ruling *ruling,
			       const struct bl_guest_options *options,
			       struct bl_arena *arena,
			       struct bl_guest_answer *out_answer,
			       struct bl_error *err);

/* What becomes of a ruling. */
struct bl_guest_effect {
	enum bl_ruling_verb effect; /* what the agent does, at the most */
	unsigned losses;            /* bit 1 << enum bl_guest_loss */
	/* Something is said only to senders whose payload has this field. */
	const char *only_with; /* NULL: nothing depends on the payload */
};

/*
 * The same as bl_guest_encode says of an answer, of any payload: one that has
 * all fields, from an agent with somebody to be asked.
 */
struct bl_guest_effect
bl_guest_foretell(const struct bl_guest_event *event, enum bl_ruling_verb verb,
		  bool has_context, const struct bl_guest_options *options);

/*
 * The answer when there is no event to answer: standard input is no JSON, or
 * names no event, or memory is out.  It refuses in the one way that needs no
 * event: exit status 2 with reason on standard error and nothing on standard
 * output, or the plugin's own word for OpenCode.  buf receives the text and
 * has to outlive the answer.
 */
void bl_guest_emergency(enum bl_agent agent, struct bl_str reason,
			struct bl_buf *buf, struct bl_guest_answer *out_answer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/guest_internal.h: what the guest's files share: the shape of an
 * agent's rows, and the steps of decoding.
 */
#ifndef BELAY_AGENTS_GUEST_INTERNAL_H
#define BELAY_AGENTS_GUEST_INTERNAL_H

#include "agents/guest.h"

/* ---- answers ------------------------------------------------------------ */

/* Where in the answer a part stands. */
enum guest_place {
	GUEST_TOP,
	GUEST_SPECIFIC, /* in hookSpecificOutput */
	GUEST_DECISION, /* in hookSpecificOutput.decision */
	GUEST_PLACE_COUNT
};

/* What a part says.  One that comes to nothing is left out. */
enum guest_source {
	GUEST_TEXT, /* its constant */
	GUEST_TRUE,
	GUEST_FALSE,
	GUEST_EVENT,        /* the event's name */
	GUEST_REASON,       /* for the user */
	GUEST_AGENT_REASON, /* for the model, else the user's */
	/* both, where one field serves both */
	GUEST_BOTH_REASONS,
	/* for the model, and how to go on from there */
	GUEST_ASK_FIRST,
	GUEST_CONTEXT,      /* the context, a line each */
	GUEST_CONTEXT_LIST, /* the context, as it is */
	/* the model's own reason, and the context */
	GUEST_NOTE,
	/* all there is to say to the model */
	GUEST_TOLD,
	GUEST_TOLD_LIST,
	GUEST_PATCH,        /* the changed fields of the input */
	GUEST_FULL_INPUT,   /* the input with the changes */
	GUEST_REFUSAL_WORD, /* "deny", or "block" for block and halt */
};

struct guest_part {
	const char *key;
	const char *text; /* of GUEST_TEXT */
	/* Only for senders that know it: the payload has this field. */
	const char *only_with;
	enum guest_place place;
	enum guest_source source;
};

/* The cases that the answers to an event differ in. */
enum guest_case {
	GUEST_ALLOW,
	GUEST_REFUSE,
	GUEST_ASK,
	GUEST_MODIFY,
	GUEST_CASE_COUNT
};

struct guest_form {
	const struct guest_part *parts;
	size_t count;
	enum bl_ruling_verb effect; /* what it does, at the most */
	unsigned losses;
	bool is_silent; /* nothing at all on standard output */
	bool exits_2;   /* the reason on standard error, and exit status 2 */
};

struct bl_guest_shape {
	const char *name;
	struct guest_form form[GUEST_CASE_COUNT];
};

/* ---- agents ------------------------------------------------------------- */

/* The facts that payloads of all agents have under some name. */
enum guest_field {
	GUEST_FIELD_EVENT,
	GUEST_FIELD_SESSION,
	GUEST_FIELD_TURN,
	GUEST_FIELD_TRANSCRIPT,
	GUEST_FIELD_CWD,
	GUEST_FIELD_ROOTS,
	GUEST_FIELD_MODE,
	GUEST_FIELD_VERSION,
	GUEST_FIELD_AGENT_ID,
	GUEST_FIELD_AGENT_TYPE,
	GUEST_FIELD_TOOL_NAME,
	GUEST_FIELD_TOOL_INPUT,
	GUEST_FIELD_CALL_ID,
	GUEST_FIELD_OUTPUT,
	GUEST_FIELD_ERROR,
	GUEST_FIELD_PROMPT,
	GUEST_FIELD_MESSAGE, /* the last of the agent */
	GUEST_FIELD_STATUS,
	GUEST_FIELD_LOOPS,
	GUEST_FIELD_STOP_ACTIVE,
	GUEST_FIELD_SERVER,
	GUEST_FIELD_URL,
	GUEST_FIELD_COUNT
};

enum { GUEST_MAX_NAMES = 4 };

struct guest_agent {
	const char *name;
	const char *dialect;
	const struct bl_guest_event *events;
	size_t event_count;
	struct bl_guest_event unknown; /* the row of every other event */
	/* Names of each field at the payload's root, the best first. */
	const char *fields[GUEST_FIELD_COUNT][GUEST_MAX_NAMES];
	/*
	 * Where the path is that Cupcake's fields are about
	 * (docs/contracts/cupcake.md "Paths"), in the tool input, or at the
	 * root of payloads without one.
	 */
	const char *path_fields[GUEST_MAX_NAMES];
	/* Permission modes in which nobody is there to be asked; NULL-ended. */
	const char *const *unattended_modes;
	/* "server_tool" names a tool of an MCP server. */
	bool splits_mcp_names;
	/*
	 * Policies see the common name of a tool (docs/contracts/cupcake.md
	 * "Tool names").
	 */
	bool renames_tools;
};

extern const struct guest_agent bl_guest_cursor;
extern const struct guest_agent bl_guest_claude;
extern const struct guest_agent bl_guest_factory;
extern const struct guest_agent bl_guest_opencode;

const struct guest_agent *bl_guest_agent(enum bl_agent agent);

/* Shapes of Claude's format that Factory shares. */
extern const struct bl_guest_shape bl_guest_tool_after_shape;
extern const struct bl_guest_shape bl_guest_stop_shape;
extern const struct bl_guest_shape bl_guest_prompt_shape;
extern const struct bl_guest_shape bl_guest_start_shape;
extern const struct bl_guest_shape bl_guest_compact_shape;
extern const struct bl_guest_shape bl_guest_halt_shape;
extern const struct bl_guest_shape bl_guest_end_shape;
extern const struct bl_guest_shape bl_guest_unknown_shape;

/* The first of the agent's names for field that the payload has. */
struct bl_value bl_guest_field(const struct guest_agent *agent,
			       struct bl_value payload, enum guest_field field);

/* ---- tools (guest_tools.c) ---------------------------------------------- */

struct guest_tool {
	enum bl_tool_kind kind;
	struct bl_str name;   /* the common one ("Bash") */
	struct bl_str server; /* of an MCP tool; empty: not known */
	struct bl_str tool;   /* its name there */
};

/* What the agent's tool name stands for; kind OTHER when nothing is known. */
void bl_guest_tool(const struct guest_agent *agent, struct bl_str native,
		   struct guest_tool *out_tool);

/* ---- paths and commands (guest_paths.c) --------------------------------- */

/* cwd/path without "." and ".."; ptr NULL: memory. */
struct bl_str bl_guest_join(struct bl_arena *arena, struct bl_str cwd,
			    struct bl_str path);

/* The path as facts resolve it. */
struct bl_guest_path bl_guest_resolve(const struct bl_guest_facts *facts,
				      struct bl_str cwd, struct bl_str path,
				      struct bl_arena *arena);

/* docs/contracts/cupcake.md "Command text"; ptr NULL: memory. */
struct bl_str bl_guest_squeeze(struct bl_arena *arena, struct bl_str command);

/* Paths of one event; more is LIMIT. */
enum { GUEST_MAX_PATHS = 1000 };

/*
 * docs/contracts/cupcake.md "Affected directories": an array of strings,
 * undefined when empty; one more than GUEST_MAX_PATHS when there are more.
 */
struct bl_value bl_guest_directories(const struct bl_guest_facts *facts,
				     struct bl_str cwd, struct bl_str command,
				     struct bl_arena *arena);

/* ---- decoding ----------------------------------------------------------- */

/* What decoding an event needs. */
struct guest_decoder {
	const struct guest_agent *agent;
	struct bl_guest_request *request;
	struct guest_tool tool;
	const struct bl_guest_facts *facts;
	struct bl_arena *arena;
};

/* A field of the payload (bl_guest_field); undefined when it has none. */
struct bl_value bl_guest_get(const struct guest_decoder *decoder,
			     enum guest_field field);

/* One of the agent's path fields; undefined when there is none. */
struct bl_value bl_guest_path_field(const struct guest_decoder *decoder,
				    struct bl_value object);

/* input, from all else of the request (guest_input.c); undefined: memory. */
struct bl_value bl_guest_input(const struct guest_decoder *decoder);

/*
 * input.belay (guest_canonical.c); undefined: memory.  *out_file_count is the
 * number of files; canonical is cut at GUEST_MAX_PATHS of them.
 */
struct bl_value bl_guest_canonical(const struct guest_decoder *decoder,
				   size_t *out_file_count);

/* ---- values ------------------------------------------------------------- */

/* The object with other's members over its own, deep. */
struct bl_value bl_guest_merge(struct bl_arena *arena, struct bl_value object,
			       struct bl_value other);

/* The object with other's members over its own, each as a whole. */
struct bl_value bl_guest_override(struct bl_arena *arena,
				  struct bl_value object,
				  struct bl_value other);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/private.h: what the files of this module share: the rows in which an
 * agent's file says how its payloads are read and its responses are made, and
 * the steps of decoding.
 */
#ifndef BELAY_AGENTS_PRIVATE_H
#define BELAY_AGENTS_PRIVATE_H

#include "agents/agents.h"

/* ---- responses ---------------------------------------------------------- */

/* Where in the response a part stands. */
enum response_place {
	PLACE_TOP,
	PLACE_SPECIFIC, /* in hookSpecificOutput */
	PLACE_DECISION, /* in hookSpecificOutput.decision */
	PLACE_COUNT
};

/* The text of a part.  An empty part is left out. */
enum part_source {
	SAY_TEXT, /* its constant */
	SAY_TRUE,
	SAY_FALSE,
	SAY_EVENT,        /* the event's name */
	SAY_REASON,       /* for the user */
	SAY_AGENT_REASON, /* for the model, else the user's */
	/* both, where one field serves both */
	SAY_BOTH_REASONS,
	/* for the model, and how to go on from there */
	SAY_ASK_FIRST,
	SAY_CONTEXT,      /* the context, a line each */
	SAY_CONTEXT_LIST, /* the context, as it is */
	/* the model's own reason, and the context */
	SAY_NOTE,
	/* all there is to say to the model */
	SAY_TOLD,
	SAY_TOLD_LIST,
	/* that, and how to go on where nobody can be asked */
	SAY_EVERYTHING,
	SAY_PATCH,        /* the changed fields of the input */
	SAY_FULL_INPUT,   /* the input with the changes */
	SAY_REFUSAL_WORD, /* "deny", or "block" for block and halt */
};

struct response_part {
	const char *key;
	const char *text; /* of SAY_TEXT */
	/* Only for senders that know it: the payload has this field. */
	const char *only_with;
	enum response_place place;
	enum part_source source;
};

/* The cases that the responses to an event differ in. */
enum response_case {
	CASE_ALLOW,
	CASE_REFUSE,
	CASE_ASK,
	CASE_MODIFY,
	CASE_COUNT
};

struct response_form {
	const struct response_part *parts;
	size_t count;
	enum bl_verb effect; /* what it does, at the most */
	unsigned degradations;
	bool is_silent; /* nothing at all on standard output */
	bool is_quiet;  /* nothing, where an object would be empty */
	bool is_text;   /* the text of the one part, not an object */
	bool exits_2;   /* everything on standard error, and exit status 2 */
	/* Instead of it, in the agent's attended_modes; NULL: the same. */
	const struct response_form *attended;
};

struct bl_response_shape {
	const char *name;
	struct response_form form[CASE_COUNT];
};

/* ---- payloads ----------------------------------------------------------- */

/* The facts that payloads of all agents have under some name. */
enum payload_field {
	PAYLOAD_EVENT,
	PAYLOAD_SESSION,
	PAYLOAD_TURN,
	PAYLOAD_TRANSCRIPT,
	PAYLOAD_CWD,
	PAYLOAD_ROOTS,
	PAYLOAD_MODE,
	PAYLOAD_VERSION,
	PAYLOAD_AGENT_ID,
	PAYLOAD_AGENT_TYPE,
	PAYLOAD_TOOL_NAME,
	PAYLOAD_TOOL_INPUT,
	PAYLOAD_CALL_ID,
	PAYLOAD_OUTPUT,
	PAYLOAD_ERROR,
	PAYLOAD_PROMPT,
	PAYLOAD_MESSAGE, /* the last of the agent */
	PAYLOAD_STATUS,
	PAYLOAD_LOOPS,
	PAYLOAD_STOP_ACTIVE,
	PAYLOAD_SERVER,
	PAYLOAD_SERVER_TOOL, /* its name on the server */
	PAYLOAD_URL,
	PAYLOAD_COUNT
};

enum { MAX_NAMES = 4 };

/* Signs that a payload is the agent's, strongest first. */
enum mark_rank {
	MARK_PAYLOAD,     /* fields of the payload that only it has */
	MARK_EVENT_NAME,  /* the event's name is one of its own */
	MARK_ENVIRONMENT, /* a variable that only it sets */
	/* a variable that is inherited by other agents, or set by them */
	MARK_INHERITED,
	MARK_LIKENESS, /* fields that others may have, too */
	MARK_RANK_COUNT
};

enum { MARK_MAX_NAMES = 3, MAX_MARKS = 5 };

struct mark {
	enum mark_rank rank;
	/* fields that must all be there, or the variable; EVENT_NAME: none */
	const char *names[MARK_MAX_NAMES];
	const char *evidence; /* NULL: no more marks */
};

/* An event by the fields of its payload, for payloads that do not name it. */
struct event_mark {
	const char *fields[2]; /* that are all there; NULL: no more */
	const char *event;
};

enum { MAX_EVENT_MARKS = 5 };

/* How the payloads of an agent are read. */
struct bl_payload_rows {
	const char *dialect; /* input.belay.harness.dialect */
	struct mark marks[MAX_MARKS];
	/*
	 * Names of each field, the best first; "a.b" is the field b of the
	 * object a.
	 */
	const char *fields[PAYLOAD_COUNT][MAX_NAMES];
	/*
	 * Where the path is that Cupcake's fields are about, in the tool input,
	 * or at the root of payloads without one.
	 */
	const char *path_fields[MAX_NAMES];
	/*
	 * The member of a shell tool's input that names its folder; "": the tool
	 * takes none, so that one which a model adds does not count.  NULL: the
	 * documents do not say.
	 */
	const char *folder_field;
	/*
	 * The text between server and tool in the name of an MCP tool, for tools
	 * that are not known; NULL: their names do not tell.
	 */
	const char *mcp_between;
	bool mcp_server_is_last; /* "tool_server" */
	/* The first that fits counts; event NULL: no more. */
	struct event_mark event_marks[MAX_EVENT_MARKS];
	/*
	 * The JSON that says no when there is no event to respond to, up to its
	 * reason, for agents that do not heed exit status 2; or NULL.
	 */
	const char *emergency;
};

/* The first of the agent's names for field that the payload has. */
struct bl_value bl_agent_field(const struct bl_agent *agent,
			       struct bl_value payload,
			       enum payload_field field);

/* Response shapes of Claude Code's form, for agents that share it (claude.c). */
extern const struct bl_response_shape bl_claude_tool_response;
extern const struct bl_response_shape bl_claude_permission_response;
extern const struct bl_response_shape bl_claude_tool_after_response;
extern const struct bl_response_shape bl_claude_context_response;
extern const struct bl_response_shape bl_claude_notice_response;
extern const struct bl_response_shape bl_claude_stop_response;
extern const struct bl_response_shape bl_claude_prompt_response;
extern const struct bl_response_shape bl_claude_start_response;
extern const struct bl_response_shape bl_claude_compact_response;
extern const struct bl_response_shape bl_claude_halt_response;
extern const struct bl_response_shape bl_claude_end_response;
extern const struct bl_response_shape bl_claude_unknown_response;

/* Response shapes by exit status 2, which many agents share (exit_2.c). */
extern const struct bl_response_shape bl_exit_2_tool_response;
extern const struct bl_response_shape bl_exit_2_asking_response;
extern const struct bl_response_shape bl_exit_2_tool_after_response;
extern const struct bl_response_shape bl_exit_2_prompt_response;
extern const struct bl_response_shape bl_exit_2_stop_response;
extern const struct bl_response_shape bl_exit_2_silent_response;
extern const struct bl_response_shape bl_exit_2_context_response;
extern const struct bl_response_shape bl_exit_2_text_response;

/* Response shapes of Gemini CLI's form (gemini.c). */
extern const struct bl_response_shape bl_gemini_tool_response;
extern const struct bl_response_shape bl_gemini_tool_after_response;
extern const struct bl_response_shape bl_gemini_stop_response;
extern const struct bl_response_shape bl_gemini_unknown_response;

/* Response shapes that belay's own plugins read (opencode.c). */
extern const struct bl_response_shape bl_plugin_tool_response;
extern const struct bl_response_shape bl_plugin_result_response;
extern const struct bl_response_shape bl_plugin_prompt_response;
extern const struct bl_response_shape bl_plugin_other_response;
extern const char bl_opencode_plugin[];

/* ---- refusals as belay words them for agents that ask it ----------------- */

/*
 * How a refusal is worded.  Each text is its sentence, then ": " and the
 * hooks' message when there is one, then its tail.  NULL is empty, and a text
 * without a sentence and a message is empty as a whole.
 */
struct bl_refusal_messages {
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

/* Contracts of cursor.c. */
extern const struct bl_contract bl_cursor_2_3_contract;
extern const struct bl_contract bl_cursor_contract;

/* ---- tools (tools.c) ---------------------------------------------- */

struct tool {
	enum bl_tool_kind kind;
	struct bl_str name;   /* the common one ("Bash") */
	struct bl_str server; /* of an MCP tool; empty: not known */
	struct bl_str tool;   /* its name there */
};

/* The kind of tool behind the agent's tool name; kind OTHER when nothing is known. */
void bl_agent_tool(const struct bl_agent *agent, struct bl_str native,
		   struct tool *out_tool);

/* ---- paths and commands (paths.c) --------------------------------- */

/* cwd/path without "." and ".."; ptr NULL: memory. */
struct bl_str bl_agent_join(struct bl_arena *arena, struct bl_str cwd,
			    struct bl_str path);

/* The path as facts resolve it. */
struct bl_agent_path bl_agent_resolve(const struct bl_agent_facts *facts,
				      struct bl_str cwd, struct bl_str path,
				      struct bl_arena *arena);

/* The line with white space outside quotes made one space; ptr NULL: memory. */
struct bl_str bl_agent_squeeze(struct bl_arena *arena, struct bl_str command);

/* Paths of one event; more is LIMIT. */
enum { MAX_PATHS = 1000 };

/*
 * The directories that the command names: an array of strings, undefined when empty; one more
 * than MAX_PATHS when there are more.
 */
struct bl_value bl_agent_directories(const struct bl_agent_facts *facts,
				     struct bl_str cwd, struct bl_str command,
				     struct bl_arena *arena);

/* ---- decoding ----------------------------------------------------------- */

/* The state of decoding an event. */
struct decoder {
	const struct bl_agent *agent;
	struct bl_agent_request *request;
	struct tool tool;
	struct bl_value command; /* of a shell tool, as it came; or undefined */
	const char *other_command; /* a field that says another one; or NULL */
	const struct bl_agent_facts *facts;
	struct bl_arena *arena;
};

/* A field of the payload (bl_agent_field); undefined when absent. */
struct bl_value bl_agent_get(const struct decoder *decoder,
			     enum payload_field field);

/* One of the agent's path fields; undefined when absent. */
struct bl_value bl_agent_path_field(const struct decoder *decoder,
				    struct bl_value object);

/* input, from all else of the request (policy_input.c); undefined: memory. */
struct bl_value bl_agent_policy_input(const struct decoder *decoder);

/*
 * input.belay (canonical.c); undefined: memory.  *out_file_count is the
 * number of files; canonical is cut at MAX_PATHS of them.
 */
struct bl_value bl_agent_canonical(const struct decoder *decoder,
				   size_t *out_file_count);

/* ---- values ------------------------------------------------------------- */

/*
 * The parts one after the other, in arena.  They may hold any byte, NUL too.
 * ptr is NULL when memory is out.
 */
struct bl_str bl_agent_concat(struct bl_arena *arena,
			      const struct bl_str *parts, size_t count);

/* The object with other's members over its own, deep. */
struct bl_value bl_agent_merge(struct bl_arena *arena, struct bl_value object,
			       struct bl_value other);

/* The object with other's members over its own, each as a whole. */
struct bl_value bl_agent_override(struct bl_arena *arena,
				  struct bl_value object,
				  struct bl_value other);

#endif

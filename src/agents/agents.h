/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/agents.h: what is particular to an agent, as tables.  One file an
 * agent (cursor.c, claude.c, ...) with its events, the way from its payloads
 * to belay's events, the way from a decision to its response, what it can do,
 * and how belay registers with it.  No I/O.  How to write such a file:
 * docs/how-to/add-an-agent.md.
 *
 * belay meets an agent in one of two parts:
 *
 *  - belay is the agent's hook (`belay eval`): the agent starts belay at its
 *    events.  A payload is decoded (bl_agent_decode), a decision becomes a
 *    response (bl_agent_encode); whatever the agent cannot do with a decision
 *    is a *degradation*, and is said.
 *  - belay runs the agent's hooks (`belay dispatch`, libbelay): the agent asks
 *    belay at its events.  The payload is completed, hook outputs are decoded
 *    and the decision is enforced (the bl_hook_event_* and bl_hook_output_*
 *    functions).
 *
 * Both read the same rows, struct bl_hook_event.
 */
#ifndef BELAY_AGENTS_AGENTS_H
#define BELAY_AGENTS_AGENTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "decision/decision.h"
#include "event/event.h"
#include "value/value.h"

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

/* ---- hook events -------------------------------------------------------- */

/* The effects that a response can have at an event. */
enum bl_capability {
	BL_CAN_REFUSE = 1,    /* stop the action (or the prompt) */
	BL_CAN_ASK = 2,       /* have the user asked */
	BL_CAN_REWRITE = 4,   /* change the tool's input */
	BL_CAN_CONTEXT = 8,   /* give the model text to read */
	BL_CAN_CONTINUE = 16, /* make the agent go on instead of ending */
	BL_CAN_HALT = 32,     /* end the whole turn */
	BL_CAN_FEEDBACK = 64, /* tell the model that a result is bad */
};

/* Where the text that a hook's matcher is searched in comes from. */
enum bl_subject {
	BL_SUBJECT_NONE,     /* no subject: every matcher matches */
	BL_SUBJECT_FIELD,    /* subject_text names a payload field */
	BL_SUBJECT_PREFIXED, /* "MCP:" and the field subject_text */
	BL_SUBJECT_CONSTANT, /* subject_text itself */
};

/* Where in struct bl_answer a field of a hook output goes (hook_output.c). */
enum bl_output_slot {
	BL_OUTPUT_CHECKED, /* nowhere: its type is checked, no more */
	BL_OUTPUT_PERMISSION,
	BL_OUTPUT_CONTINUE,
	BL_OUTPUT_USER_MESSAGE,
	BL_OUTPUT_AGENT_MESSAGE,
	BL_OUTPUT_FOLLOWUP,
	BL_OUTPUT_CONTEXT,
	BL_OUTPUT_INPUT,
	BL_OUTPUT_OUTPUT,
	BL_OUTPUT_ENV,
	BL_OUTPUT_PLUGIN_PATHS,
	BL_OUTPUT_SLOT_COUNT
};

/* One field of a hook output, with the message for a wrong value. */
struct bl_output_field {
	const char *name;
	enum bl_field_type type;
	enum bl_output_slot slot;
	const char *error; /* message when the value is not acceptable */
};

/* Which fields the output of a hook may have at an event. */
struct bl_output_shape {
	const char *name; /* "command", "read", "prompt", ... */
	const struct bl_output_field *fields;
	size_t field_count;
};

/* Private to this module: how responses and refusals are put together. */
struct bl_response_shape;
struct bl_refusal_messages;
struct bl_payload_rows;

/* One event at which an agent calls its hooks. */
struct bl_hook_event {
	const char *name; /* the agent's; "" in the row for unknown events */
	enum bl_event_kind kind;
	/* The tool where the event's kind does not tell it; NONE: the payload does. */
	enum bl_tool_kind tool;

	/*
	 * Belay is the agent's hook: capabilities, response (NULL: not at this
	 * event).  Belay runs the agent's hooks: class, and all from output on
	 * (NULL: not for this agent).
	 */
	unsigned capabilities; /* of enum bl_capability */
	enum bl_event_class class;
	const struct bl_response_shape *response;
	bool can_ask;        /* "ask" is enforced */
	bool ask_is_deny;    /* "ask" counts as deny */
	bool has_loop_limit; /* loop_limit applies */
	enum bl_subject subject;
	const struct bl_output_shape *output;
	const char *subject_text;
	/*
	 * Known subjects, NULL-ended; one that ends in ":" stands for every
	 * text with that prefix.  NULL: open-ended, nothing to warn of.
	 */
	const char *const *subject_values;
	/* The agent's common fields that this event has. */
	const struct bl_field *common_fields;
	size_t common_field_count;
	const struct bl_field *fields; /* own fields, besides the common */
	size_t field_count;
	const struct bl_refusal_messages *refusal; /* NULL: cannot be refused */
	/* A follow-up counts only with this payload status; NULL: with any. */
	const char *followup_status;
};

/*
 * The kind that policies see: the general one ("tool.before" of an event that
 * hook files call beforeShellExecution).  *out_tool (or NULL) is the kind of
 * tool that the event is about by itself, NONE where the payload says it.
 */
enum bl_event_kind bl_hook_event_policy_kind(const struct bl_hook_event *event,
					     enum bl_tool_kind *out_tool);

/*
 * Does a failure (no policy compiles, a limit, a crash) refuse here?  True for
 * what can be stopped before it happens; false for prompt, stop, session and
 * all other events, which stay open.
 */
bool bl_hook_event_fails_closed(const struct bl_hook_event *event);

/* ---- registration ------------------------------------------------------- */

enum { BL_REGISTRATION_MAX_FILES = 2, BL_REGISTRATION_MAX_ENTRIES = 12 };

/* How an agent's configuration file holds hooks. */
enum bl_registration_form {
	BL_REGISTRATION_FLAT,    /* events of lists of handlers */
	BL_REGISTRATION_GROUPS,  /* events of lists of groups of handlers */
	BL_REGISTRATION_PLUGIN,  /* a whole file of ours */
	BL_REGISTRATION_BLOCK,   /* lines of ours at the end of a file */
	BL_REGISTRATION_SCRIPTS, /* a folder of programs named after events */
	BL_REGISTRATION_NONE,    /* by hand: afterwards says how */
};

/* One event that belay registers for. */
struct bl_registration_entry {
	const char *event;
	const char *matcher; /* GROUPS: of the group; NULL: none */
	bool is_new;         /* unknown to Cursor 2.3.41 */
	/*
	 * The first version that bears the event ("2.1.122"); an older one
	 * would drop the whole file for it.  NULL: every version.
	 */
	const char *since;
	bool fails_closed; /* the agent refuses when the hook fails */
	bool is_plain;     /* GROUPS: the list has handlers, not groups */
};

/* Whose configuration a file is. */
enum bl_scope {
	BL_SCOPE_PROJECT,
	BL_SCOPE_USER,
	BL_SCOPE_MANAGED, /* of the machine's owner: users cannot change it */
	BL_SCOPE_COUNT
};
const char *bl_scope_name(enum bl_scope scope); /* "project", ... */

struct bl_registration_file {
	const char *project; /* relative to the project */
	const char *global;  /* relative to the home directory */
	const char *managed; /* relative to the root of the system; or NULL */
	/* Events stand at the top, without "hooks", where that is missing. */
	bool is_top_level;
	bool is_optional; /* counts only when it exists already */
};

/* The JSON that an agent reads its configuration as. */
enum bl_dialect_of_json {
	BL_JSON_WITH_COMMENTS,
	BL_JSON_STRICT,        /* a comment, and the file is dropped */
	BL_JSON_STRICT_NO_BOM, /* a byte order mark, too */
};

/* The approval that an agent wants before it runs hooks. */
enum bl_consent {
	BL_CONSENT_NONE,
	BL_CONSENT_HOOKS,  /* Codex: of each hook, in its config.toml */
	BL_CONSENT_FOLDER, /* Copilot: of the project's folder */
	BL_CONSENT_OPTIONAL_FOLDER, /* Qwen: where that is turned on */
	BL_CONSENT_USUAL_FOLDER,    /* Gemini: where that is not turned off */
	BL_CONSENT_UNSEEN, /* kept where belay cannot see it: afterwards */
};

enum { BL_REGISTRATION_MAX_SETTINGS = 2 };

/* The registration that `belay init` writes for an agent (src/setup). */
struct bl_registration {
	enum bl_registration_form form;
	enum bl_dialect_of_json json;
	enum bl_consent consent;
	/* As the agent counts it, 20 seconds; 0: not written. */
	uint32_t timeout;
	bool has_version; /* "version": 1 at the top */
	bool has_type;    /* FLAT: "type": "command" */
	bool off_value;   /* of off_key */
	/*
	 * Where exit status 2 refuses and every other failure does not: the lines
	 * of entries that fail closed end in "|| { ...; exit 2; }".
	 */
	bool closes_by_status;
	const char *folder; /* ".cursor": exists where the agent is used */
	const char *global_folder;
	struct bl_registration_file files[BL_REGISTRATION_MAX_FILES];
	const char *
		hooks_key; /* the member that holds the events; NULL: "hooks" */
	/* More files of the agent's that may hold hooks or the switch below. */
	const char *settings[BL_SCOPE_COUNT][BL_REGISTRATION_MAX_SETTINGS];
	/* The member, and its value, that turns all hooks off: "a.b"; NULL. */
	const char *off_key;
	/* The managed member that leaves only managed hooks on; NULL. */
	const char *managed_only_key;
	const char *timeout_key; /* NULL: "timeout" */
	const char *command_key; /* NULL: "command" */
	/* The member of a handler that fails closed: key, and word; NULL: true. */
	const char *fails_closed_key;
	const char *fails_closed_word;
	/*
	 * How a command names the project, for a shell, with the slash behind
	 * it; "" where commands run in it.
	 */
	const char *project;
	const char *variable; /* that the agent sets to it, or NULL */
	struct bl_registration_entry entries[BL_REGISTRATION_MAX_ENTRIES];
	/* The step that a person has to take before the agent runs hooks; or NULL. */
	const char *afterwards;
	/* The program that prints the agent's version for --version; or NULL. */
	const char *program;
	/*
	 * PLUGIN, BLOCK: the text; @program, @dir, @command and @closing (the
	 * command of entries that fail closed) stand for JSON strings.
	 */
	const char *plugin;
	/* BLOCK: a line that begins so excludes lines of ours; or NULL. */
	const char *excludes;
	/*
	 * A program of ours that is named in the place of a command line, since
	 * the agent takes no arguments: its file, below the folder; or NULL.
	 */
	const char *script;
	/* SCRIPTS: of entries that fail closed; @command is the line.  NULL: as others. */
	const char *script_text;
	/*
	 * The canary: a payload of an event about to run a command; @command
	 * and @cwd stand for JSON strings.
	 */
	const char *canary;
};

/* The session of the canaries below: what it does was nobody's doing. */
#define BL_CANARY_SESSION "canary"

/* ---- agents ------------------------------------------------------------- */

struct bl_agent {
	const char *name;  /* "claude": also policies/<name> and --agent */
	const char *title; /* "Claude Code" */
	const char *
		measured; /* its version that was run; NULL: by its documents */
	const struct bl_hook_event *events;
	size_t event_count;
	struct bl_hook_event unknown; /* the row of every other event */
	/*
	 * Permission modes in which nobody is there to be asked, so that "ask"
	 * refuses before a tool; NULL-ended, NULL: absent.
	 */
	const char *const *unattended_modes;
	/*
	 * Modes in which a person is there to be asked before a tool, while in
	 * all others nobody is; NULL-ended, NULL: absent.
	 */
	const char *const *attended_modes;
	bool renames_tools; /* policies see the common names of tools */
	const struct bl_payload_rows *payload;
	const struct bl_registration
		*registration; /* NULL: has no file for it */
};

/* More agents than there will be; sizes what is kept for each of them. */
enum { BL_AGENT_MAX = 64 };

/*
 * All agents (agents.def), NULL-ended: the order of messages and tables.
 * list.c defines it, and nothing else, so that a test may define its own.
 */
extern const struct bl_agent *const bl_agents[];

/* NULL when there is no agent of that (exact) name. */
const struct bl_agent *bl_agent_find(struct bl_str name);

/* The agent's place in bl_agents, below BL_AGENT_MAX. */
size_t bl_agent_index(const struct bl_agent *agent);

/* The name of the agent at a place in bl_agents; NULL behind the last. */
const char *bl_agent_name_at(size_t index);

/*
 * The name of a tool that a name is almost; NULL when some agent has a tool of
 * exactly this name, or none has one like it.
 */
const char *bl_agent_near_tool(struct bl_str name);

/*
 * The name of a tool whose letters are in another case than name's ("Bash", where
 * name is "bash"), if the agent writes the names of its tools as that one is
 * written.  agent NULL: any.  *out_kind is the tool's kind.  NULL: none.
 */
const char *bl_agent_recased_tool(const struct bl_agent *agent,
				  struct bl_str name,
				  enum bl_tool_kind *out_kind);

/* The agent's row of that name; NULL: it does not know the event. */
const struct bl_hook_event *bl_agent_find_event(const struct bl_agent *agent,
						struct bl_str name);

/*
 * Which agent sent this payload, when nobody says: marks of the payload first
 * (they cannot be inherited from a parent process), then of the environment,
 * which getenv answers (ptr NULL: not set).  NULL when nothing tells.
 * *out_evidence is the mark ("payload: cursor_version").
 */
const struct bl_agent *
bl_agent_detect(struct bl_value payload,
		struct bl_str (*getenv)(const char *name),
		const char **out_evidence);

/* ---- belay is the agent's hook: decode ------------------------------------ */

/* The resolved form of a path; asked of the caller, who may do I/O. */
struct bl_agent_path {
	struct bl_str real; /* absolute, without links */
	bool is_link;
};

/* Facts that need I/O, which this module does not do.  All may be left empty. */
struct bl_agent_facts {
	struct bl_str cwd; /* of the process, for payloads without it */
	struct bl_str project_root; /* of the policy directory in use */
	const char *detected_by;    /* "argv" (default), or the evidence */
	/*
	 * Resolves an absolute path that may not exist (cwd has been put in
	 * front).  NULL: paths are only cleaned of "." and "..".
	 */
	bool (*resolve)(void *context, struct bl_str path,
			struct bl_arena *arena, struct bl_agent_path *out_path);
	void *context;
};

/* A decoded event.  Everything is borrowed from the payload or in the arena. */
struct bl_agent_request {
	const struct bl_agent *agent;
	const struct bl_hook_event *event; /* never NULL */
	bool is_known;                     /* event has a row of its own */
	struct bl_str event_name;          /* as the agent says it */
	enum bl_event_kind kind;           /* that policies see */
	enum bl_tool_kind tool_kind;
	struct bl_str tool_name; /* as policies see it ("Bash"); may be empty */
	struct bl_str session_id; /* empty: unknown, like all below */
	struct bl_str cwd;
	struct bl_str command; /* of a shell tool, white space normalised */
	/*
	 * The member of tool_input that holds the command ("CommandLine"), and
	 * whether it is a list of lines; NULL: "command", or none.
	 */
	const char *command_key;
	bool has_command_list;
	struct bl_value tool_input; /* object; undefined when absent */
	struct bl_value payload;    /* as it came */
	/*
	 * `input` for policies: the payload with what Cupcake adds to it
	 * (tool and command, affected_parent_directories, original_file_path,
	 * resolved_file_path and is_symlink), both spellings of the event's
	 * name, and `belay`.  The caller adds `signals` and `builtin_config`.
	 */
	struct bl_value input;
	/* input.belay: the event in words that are the same for every agent. */
	struct bl_value canonical;
};

/*
 * INVALID, with the reason, when payload is not an object, names no event (as
 * `hook_event_name` or `hookEventName`; the agent's own spelling wins), or an
 * event that the agent does not have where its shape is that of a tool call, or a
 * call of a tool in another agent's words.
 * All else is tolerated: missing fields, wrong types, other unknown events,
 * unknown tools.
 * LIMIT: it names too many paths.
 */
enum bl_status
bl_agent_decode(const struct bl_agent *agent, struct bl_value payload,
		const struct bl_agent_facts *facts, struct bl_arena *arena,
		struct bl_agent_request *out_request, struct bl_error *err);

/* ---- belay is the agent's hook: encode ------------------------------------ */

struct bl_response_options {
	bool is_strict; /* --strict: exit 1 when refused */
	/*
	 * The handling of MODIFY where the input cannot be changed.  False:
	 * refused, with the corrected input in the reason; true: let pass
	 * unchanged, as Cupcake does.
	 */
	bool passes_unmodified;
};

/* A part of a decision that an agent cannot carry out (degradations.def). */
enum bl_degradation {
#define DEGRADATION(name, id, text) BL_DEGRADED_##name,
#include "agents/degradations.def"
#undef DEGRADATION
	BL_DEGRADATION_COUNT
};
const char *bl_degradation_id(enum bl_degradation degradation);
const char *bl_degradation_text(enum bl_degradation degradation);

/* The text to write, and the degradations of it. */
struct bl_response {
	struct bl_str output;  /* standard output, with its newline; in arena */
	struct bl_str errors;  /* standard error; empty but with exit_code 2 */
	int exit_code;         /* 0; 1 with is_strict when refused; 2 */
	enum bl_verb effect;   /* what the agent does after all */
	unsigned degradations; /* bit 1 << enum bl_degradation */
};

/*
 * The response to a decision, in words of enum bl_verb (updated_input is a
 * patch of the tool's input): one compact line of JSON with sorted keys.  Where memory is
 * out: the status, and the caller writes bl_agent_emergency.
 */
enum bl_status bl_agent_encode(const struct bl_agent_request *request,
			       const struct bl_decision *decision,
			       const struct bl_response_options *options,
			       struct bl_arena *arena,
			       struct bl_response *out_response,
			       struct bl_error *err);

/* The effect of a decision at an event. */
struct bl_response_preview {
	enum bl_verb effect;   /* what the agent does, at the most */
	unsigned degradations; /* bit 1 << enum bl_degradation */
	bool is_silent;        /* nothing is written to standard output */
	/* Something is said only to senders whose payload has this field. */
	const char *only_with; /* NULL: nothing depends on the payload */
};

/*
 * The result of bl_agent_encode at an event for an assumed payload: it has
 * all fields, from an agent with somebody to be asked.
 */
struct bl_response_preview
bl_agent_preview(const struct bl_hook_event *event, enum bl_verb verb,
		 bool has_context, const struct bl_response_options *options);

/*
 * The response when there is no event to respond to: standard input is not
 * JSON, or names no event, or memory is out.  It refuses in the one way that
 * needs no event: exit status 2 with reason on standard error and nothing on
 * standard output, or the plugin's own word for OpenCode.  buf receives the
 * text and has to outlive the response.
 */
void bl_agent_emergency(const struct bl_agent *agent, struct bl_str reason,
			struct bl_buf *buf, struct bl_response *out_response);

/* ---- belay runs the agent's hooks: contracts ------------------------------ */

/*
 * A *dialect* is one version of an agent's contract with its hooks.  A difference between
 * the dialects of an agent is a column or a row.
 */
enum bl_dialect {
	BL_DIALECT_CURSOR_2_3, /* the 12 events of Cursor 2.3.41 */
	BL_DIALECT_CURSOR,     /* today's 21 */
	BL_DIALECT_COUNT
};

/* The events of a dialect. */
struct bl_contract {
	const char *agent; /* "cursor" */
	enum bl_dialect dialect;
	const struct bl_hook_event *events; /* in the order of messages */
	size_t event_count;
	const struct bl_field *common_fields;
	size_t common_field_count;
};

/* Never NULL. */
const struct bl_contract *bl_contract_get(enum bl_dialect dialect);

/* NULL when the dialect has no event of that (exact) name. */
const struct bl_hook_event *bl_contract_find(const struct bl_contract *contract,
					     struct bl_str name);

/* The event names, joined by ", " in table order, into out. */
void bl_contract_put_names(const struct bl_contract *contract,
			   struct bl_buf *out);

/* The first field of a payload with a value of another type, or NULL. */
const struct bl_field *
bl_hook_event_odd_field(const struct bl_hook_event *event,
			struct bl_value payload);

/* ---- belay runs the agent's hooks: payloads ------------------------------- */

/* The service's own facts; a payload is completed with them. */
struct bl_payload_facts {
	const char *version;             /* cursor_version; NULL, "": unknown */
	const struct bl_str *workspaces; /* workspace_roots */
	size_t workspace_count;
	bool has_roots; /* they are known: the payload's are not believed */
};

/*
 * The payload as hooks get it: the caller's, in its order and with all its
 * extra keys, plus the missing FILLED fields of the event and the common ones
 * (missing values are the empty string, `command` is UNKNOWN); what the service
 * knows itself (version, workspaces) replaces what the payload says of it.
 * INVALID when payload is not an object or names another event.  Missing
 * REQUIRED fields and wrong types are not errors: hooks see what was sent.
 */
enum bl_status bl_hook_event_complete(const struct bl_hook_event *event,
				      struct bl_value payload,
				      const struct bl_payload_facts *facts,
				      struct bl_arena *arena,
				      struct bl_value *out_payload,
				      struct bl_error *err);

/*
 * The matcher subject of a payload, in arena or borrowed; ptr NULL when the
 * event has no subject (or the field is missing): then every matcher matches.
 */
struct bl_str bl_hook_event_subject(const struct bl_hook_event *event,
				    struct bl_value payload,
				    struct bl_arena *arena);

/* ---- belay runs the agent's hooks: outputs -------------------------------- */

/* All that is wrong with one hook output. */
struct bl_output_errors {
	struct bl_str text[8]; /* constants of the shape's rows */
	size_t count;
};

/*
 * A refusal in another agent's words in a hook's output, as people know it
 * ("decision": "block"), or NULL.  It counts for nothing, and whoever wrote it
 * should hear of it.  With has_refused, the output has refused in words that do
 * count, and only messages are looked for.
 */
const char *bl_agent_output_foreign(const struct bl_hook_event *event,
				    struct bl_value value, bool has_refused);

/* The refusal that does count at the event; NULL: nothing does. */
const char *bl_agent_output_refusal(const struct bl_hook_event *event);

/*
 * Checks and decodes one hook output.  INVALID with every error in the order
 * of the shape's fields ("Expected an object" alone when it is not one); an
 * explicit null is a value, not an absence.  Unknown keys are ignored.
 */
enum bl_status bl_agent_output_decode(const struct bl_hook_event *event,
				      struct bl_value value,
				      struct bl_answer *out_answer,
				      struct bl_output_errors *out_errors);

/*
 * The decision as the agent's own object: the winning output as it came where
 * there is one (dialect 2.3), else the combined fields that the event's shape
 * has ({} without any).  Several additional contexts become one text
 * with blank lines between.  Undefined when memory is out.
 */
struct bl_value bl_agent_output_encode(const struct bl_hook_event *event,
				       const struct bl_decision *decision,
				       struct bl_arena *arena);

/* ---- belay runs the agent's hooks: enforcement ---------------------------- */

/* The action and the messages for the agent.  Texts live in the arena. */
struct bl_enforcement {
	/*
	 * The enforced verdict.  NONE where the event cannot do what was decided
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
 * The enforcement of a decision at an event.  payload supplies what texts
 * mention (the path of a file).
 */
enum bl_status bl_hook_event_enforce(const struct bl_hook_event *event,
				     const struct bl_decision *decision,
				     struct bl_value payload,
				     struct bl_arena *arena,
				     struct bl_enforcement *out_enforcement,
				     struct bl_error *err);

#endif

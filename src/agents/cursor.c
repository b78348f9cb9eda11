/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cursor: rows only.  belay meets it in both parts: it runs Cursor's hooks, in
 * two dialects (2.3.41 and today's), and it is the hook of today's Cursor and
 * of the old one.  Facts: docs/contracts/cursor-2.3.41.md "Events", "Hook output"
 * and "Payload"; docs/contracts/cursor.md "Events", "Hook output" and "Matchers";
 * docs/contracts/cupcake.md "Responses".
 */
#include "agents/rows.h"

/* ---- how refusals are worded ----------------------------------------------
 *
 * The messages of 2.3.41 and the short prefixes of today are interface; the
 * rest is belay's own wording.
 */

#define REJECTED "REJECTED_BY_HOOK"

/* ---- 2.3.41 ------------------------------------------------------------- */

#define NO_WORKAROUND_2_3                                                      \
	". Do not attempt to work around this restriction using alternative "  \
	"methods or commands."

#define SHELL_USER_2_3 "Command execution was blocked by a hook"
#define MCP_USER_2_3   "MCP tool execution was blocked by a hook"
#define READ_USER_2_3  "File reading was blocked by a security hook"

static const struct bl_refusal_messages shell_2_3_refusal = {
	.code = REJECTED,
	.user = SHELL_USER_2_3,
	.model = "The terminal command was rejected by a hook that prevents "
		 "execution of this command",
	.model_tail = NO_WORKAROUND_2_3,
	.error = SHELL_USER_2_3,
};

static const struct bl_refusal_messages mcp_2_3_refusal = {
	.code = REJECTED,
	.user = MCP_USER_2_3,
	.model = "The MCP tool call was rejected by a hook that prevents "
		 "execution of this tool",
	.model_tail = NO_WORKAROUND_2_3,
	.error = MCP_USER_2_3,
};

static const struct bl_refusal_messages read_2_3_refusal = {
	.code = REJECTED,
	.user = READ_USER_2_3,
	.model = "The file read operation was rejected by a security hook that "
		 "prevents reading of this file",
	.model_tail = NO_WORKAROUND_2_3,
	.error = READ_USER_2_3,
	.error_path_field = "file_path",
	.error_tail = NO_WORKAROUND_2_3,
};

/* The prompt's refusal is the same in both dialects. */
static const struct bl_refusal_messages prompt_refusal = {
	.code = "ERROR_HOOKS_BLOCKED",
	.user = "Submission blocked by hook",
	.error = "Submission blocked by hook",
};

/* ---- today -------------------------------------------------------------- */

#define NO_WORKAROUND                                                          \
	"Do not suggest or try another way to reach the same result."
#define SETTINGS                                                               \
	"\n\nThe hooks in force are listed on the Hooks page of the "          \
	"settings. " NO_WORKAROUND

#define SHELL_TEXT    "Command execution was blocked by a hook"
#define MCP_TEXT      "MCP tool execution was blocked by a hook"
#define READ_TEXT     "File read was blocked by a hook"
#define TOOL_TEXT     "Tool use was blocked by a hook"
#define SUBAGENT_TEXT "Subagent start was blocked by a hook"

#define SAME_TEXT_FOR_ALL(text)                                                \
	{                                                                      \
		.code = REJECTED, .user = text, .user_tail = SETTINGS,         \
		.model = text, .model_tail = SETTINGS, .error = text,          \
		.model_gets_user_message = true,                               \
	}

static const struct bl_refusal_messages shell_refusal =
	SAME_TEXT_FOR_ALL(SHELL_TEXT);
static const struct bl_refusal_messages mcp_refusal =
	SAME_TEXT_FOR_ALL(MCP_TEXT);
static const struct bl_refusal_messages read_refusal =
	SAME_TEXT_FOR_ALL(READ_TEXT);
static const struct bl_refusal_messages subagent_refusal =
	SAME_TEXT_FOR_ALL(SUBAGENT_TEXT);

static const struct bl_refusal_messages tool_refusal = {
	.code = REJECTED,
	.user = TOOL_TEXT,
	.model = TOOL_TEXT,
	.model_tail = "\n\n" NO_WORKAROUND,
	.error = TOOL_TEXT,
	.message_alone = true,
	.model_gets_user_message = true,
};

/* ---- outputs of hooks ---------------------------------------------------- */

#define PERMISSION                                                             \
	{                                                                      \
		"permission", BL_FIELD_PERMISSION, BL_OUTPUT_PERMISSION,       \
			"Invalid permission value. Expected one of: allow, "   \
			"deny, ask, or undefined"                              \
	}
#define PERMISSION_READ                                                        \
	{                                                                      \
		"permission", BL_FIELD_PERMISSION_READ, BL_OUTPUT_PERMISSION,  \
			"Invalid permission value. Expected one of: allow, "   \
			"deny, or undefined"                                   \
	}
#define TYPED(name, type, slot, expected)                                      \
	{                                                                      \
		name, BL_FIELD_##type, BL_OUTPUT_##slot,                       \
			"Invalid " name " value. Expected " expected           \
			" if provided"                                         \
	}
#define TEXT(name, slot)   TYPED(name, STRING, slot, "a string")
#define CONTINUE(slot)     TYPED("continue", BOOLEAN, slot, "a boolean")
#define USER_MESSAGE(slot) TEXT("user_message", slot)
#define AGENT_MESSAGE      TEXT("agent_message", AGENT_MESSAGE)
#define EXTRA_CONTEXT      TEXT("additional_context", CONTEXT)

#define OUTPUT_SHAPE(name, fields)                                             \
	static const struct bl_output_shape fields##_output = {                \
		name, fields, BL_COUNT(fields)                                 \
	}

static const struct bl_output_field command[] = {
	PERMISSION,
	USER_MESSAGE(USER_MESSAGE),
	AGENT_MESSAGE,
};
OUTPUT_SHAPE("command", command);

static const struct bl_output_field read_2_3[] = { PERMISSION_READ };
OUTPUT_SHAPE("read", read_2_3);

static const struct bl_output_field read[] = {
	PERMISSION_READ,
	USER_MESSAGE(USER_MESSAGE),
};
OUTPUT_SHAPE("read", read);

static const struct bl_output_field prompt_2_3[] = {
	CONTINUE(CONTINUE),
	USER_MESSAGE(USER_MESSAGE),
};
OUTPUT_SHAPE("prompt", prompt_2_3);

static const struct bl_output_field prompt[] = {
	CONTINUE(CONTINUE),
	USER_MESSAGE(USER_MESSAGE),
	EXTRA_CONTEXT,
};
OUTPUT_SHAPE("prompt", prompt);

static const struct bl_output_field stop[] = {
	TEXT("followup_message", FOLLOWUP),
};
OUTPUT_SHAPE("stop", stop);

static const struct bl_output_field tool[] = {
	PERMISSION,    USER_MESSAGE(USER_MESSAGE),
	AGENT_MESSAGE, TYPED("updated_input", OBJECT, INPUT, "an object"),
	EXTRA_CONTEXT,
};
OUTPUT_SHAPE("tool", tool);

static const struct bl_output_field tool_result[] = {
	EXTRA_CONTEXT,
	{ "updated_mcp_tool_output", BL_FIELD_ANY, BL_OUTPUT_OUTPUT, NULL },
};
OUTPUT_SHAPE("tool result", tool_result);

static const struct bl_output_field tool_failure[] = { EXTRA_CONTEXT };
OUTPUT_SHAPE("tool failure", tool_failure);

static const struct bl_output_field subagent[] = {
	PERMISSION,
	USER_MESSAGE(USER_MESSAGE),
};
OUTPUT_SHAPE("subagent", subagent);

/* continue and user_message are accepted here and not acted on. */
static const struct bl_output_field session[] = {
	TYPED("env", STRING_MAP, ENV, "an object of strings"),
	EXTRA_CONTEXT,
	CONTINUE(CHECKED),
	USER_MESSAGE(CHECKED),
};
OUTPUT_SHAPE("session", session);

static const struct bl_output_field notice[] = { USER_MESSAGE(USER_MESSAGE) };
OUTPUT_SHAPE("notice", notice);

static const struct bl_output_field plugins[] = {
	TYPED("pluginPaths", STRINGS, PLUGIN_PATHS, "an array of strings"),
};
OUTPUT_SHAPE("plugins", plugins);

static const struct bl_output_shape object_output = { "object", NULL, 0 };

/* ---- payload fields ----------------------------------------------------- */

#define FIELD(name, type, presence, doc)                                       \
	{                                                                      \
		name, BL_FIELD_##type, BL_FIELD_##presence, doc                \
	}

#define FILE_PATH   FIELD("file_path", STRING, REQUIRED, "absolute path")
#define CONTENT     FIELD("content", STRING, REQUIRED, "the file's content")
#define EDITS       FIELD("edits", ARRAY, REQUIRED, "old and new strings")
#define ATTACHMENTS FIELD("attachments", ARRAY, OPTIONAL, "rules and files")
#define COMMAND     FIELD("command", STRING, FILLED, "the command line")
#define CWD         FIELD("cwd", STRING, FILLED, "where it runs; may be empty")
#define TOOL_CWD    FIELD("cwd", STRING, OPTIONAL, "where a command runs")
#define SANDBOX     FIELD("sandbox", BOOLEAN, FILLED, "it runs in a sandbox")
#define OUTPUT      FIELD("output", STRING, REQUIRED, "what it printed")
#define TOOL_NAME   FIELD("tool_name", STRING, REQUIRED, "the tool's name")
#define TOOL_INPUT  FIELD("tool_input", OBJECT, REQUIRED, "its arguments")
#define TOOL_USE_ID FIELD("tool_use_id", STRING, REQUIRED, "one per call")
#define MCP_INPUT   FIELD("tool_input", STRING, REQUIRED, "arguments, as JSON")
#define MCP_RESULT  FIELD("result_json", STRING, REQUIRED, "result, as JSON")
#define MCP_SERVER  FIELD("mcp_server_name", STRING, OPTIONAL, "the server")
#define MCP_URL     FIELD("mcp_server_url", STRING, OPTIONAL, "its address")
#define URL         FIELD("url", STRING, OPTIONAL, "address of an HTTP server")
#define DURATION_MS FIELD("duration", NUMBER, REQUIRED, "milliseconds")
#define TEXT_FIELD  FIELD("text", STRING, REQUIRED, "what was said")
#define STATUS      FIELD("status", STRING, REQUIRED, "how it ended")
#define LOOP_COUNT  FIELD("loop_count", NUMBER, REQUIRED, "follow-ups so far")
#define BACKGROUND                                                             \
	FIELD("is_background_agent", BOOLEAN, REQUIRED,                        \
	      "runs in the background")
#define SUBAGENT_TYPE                                                          \
	FIELD("subagent_type", STRING, REQUIRED, "explore, shell, ...")
#define TASK FIELD("task", STRING, REQUIRED, "what it is asked to do")
#define TOKENS                                                                 \
	FIELD("input_tokens", NUMBER, OPTIONAL, "tokens"),                     \
		FIELD("output_tokens", NUMBER, OPTIONAL, "tokens"),            \
		FIELD("cache_read_tokens", NUMBER, OPTIONAL, "tokens"),        \
		FIELD("cache_write_tokens", NUMBER, OPTIONAL, "tokens")

/* The first four do not need a conversation. */
#define EVERYWHERE                                                             \
	FIELD("hook_event_name", STRING, FILLED, "the event's name"),          \
		FIELD("cursor_version", STRING, FILLED, "Cursor's version"),   \
		FIELD("workspace_roots", STRINGS, FILLED, "folders' paths"),   \
		FIELD("user_email", STRING_OR_NULL, OPTIONAL, "the account")
#define CONVERSATION                                                           \
	FIELD("conversation_id", STRING, FILLED, "one per conversation"),      \
		FIELD("generation_id", STRING, FILLED,                         \
		      "one per user message"),                                 \
		FIELD("model", STRING, FILLED, "the model's name")
enum { EVERYWHERE_COUNT = 4 };

static const struct bl_field common_2_3[] = { EVERYWHERE, CONVERSATION };

static const struct bl_field common[] = {
	EVERYWHERE,
	CONVERSATION,
	FIELD("model_id", STRING, OPTIONAL, "the model without parameters"),
	FIELD("model_params", ARRAY, OPTIONAL, "objects of id and value"),
	FIELD("session_id", STRING, OPTIONAL, "equal to conversation_id"),
	FIELD("transcript_path", STRING_OR_NULL, OPTIONAL, "a file"),
};

static const struct bl_field before_shell_fields[] = { COMMAND, CWD, SANDBOX };
static const struct bl_field after_shell_2_3_fields[] = { COMMAND, CWD, SANDBOX,
							  OUTPUT, DURATION_MS };
static const struct bl_field after_shell_fields[] = { COMMAND, OUTPUT,
						      DURATION_MS, SANDBOX,
						      TOOL_CWD };
static const struct bl_field before_mcp_2_3_fields[] = { TOOL_NAME, MCP_INPUT,
							 URL };
static const struct bl_field before_mcp_fields[] = {
	TOOL_NAME,
	MCP_INPUT,
	MCP_SERVER,
	URL,
	MCP_URL,
	FIELD("command", STRING, OPTIONAL, "launch line of a stdio server"),
};
static const struct bl_field after_mcp_2_3_fields[] = {
	TOOL_NAME,
	MCP_INPUT,
	URL,
	MCP_RESULT,
	FIELD("duration", NUMBER, REQUIRED, "seconds"),
};
static const struct bl_field after_mcp_fields[] = {
	TOOL_NAME, MCP_INPUT, MCP_SERVER, MCP_URL, MCP_RESULT, DURATION_MS,
};
static const struct bl_field read_fields[] = { CONTENT, FILE_PATH,
					       ATTACHMENTS };
static const struct bl_field tab_read_fields[] = { FILE_PATH, CONTENT };
static const struct bl_field edit_fields[] = { FILE_PATH, EDITS };
static const struct bl_field prompt_2_3_fields[] = {
	FIELD("prompt_text", STRING, REQUIRED, "what the user wrote"),
	ATTACHMENTS,
};
static const struct bl_field prompt_fields[] = {
	FIELD("prompt", STRING, REQUIRED, "what the user wrote"),
	ATTACHMENTS,
	FIELD("composer_mode", STRING, OPTIONAL, "agent, ask, edit, ..."),
};
static const struct bl_field response_2_3_fields[] = { TEXT_FIELD };
static const struct bl_field response_fields[] = { TEXT_FIELD, TOKENS };
static const struct bl_field thought_2_3_fields[] = {
	TEXT_FIELD,
	FIELD("duration_ms", NUMBER, REQUIRED, "milliseconds"),
};
static const struct bl_field thought_fields[] = {
	TEXT_FIELD,
	FIELD("duration_ms", NUMBER, OPTIONAL, "milliseconds"),
};
static const struct bl_field stop_2_3_fields[] = { STATUS, LOOP_COUNT };
static const struct bl_field stop_fields[] = { STATUS, LOOP_COUNT, TOKENS };
static const struct bl_field session_start_fields[] = {
	BACKGROUND,
	FIELD("composer_mode", STRING, OPTIONAL, "agent, ask, edit, ..."),
	FIELD("repo_urls", STRINGS, OPTIONAL, "workers: repositories"),
	FIELD("repos", ARRAY, OPTIONAL, "workers: repo_url, primary, ref"),
};
static const struct bl_field session_end_fields[] = {
	FIELD("reason", STRING, REQUIRED,
	      "completed, aborted, error, window_close or user_close"),
	FIELD("duration_ms", NUMBER, REQUIRED, "milliseconds"),
	BACKGROUND,
	FIELD("final_status", STRING, REQUIRED, "how it ended"),
	FIELD("error_message", STRING, OPTIONAL, "what went wrong"),
};
static const struct bl_field tool_before_fields[] = {
	TOOL_NAME,
	TOOL_INPUT,
	TOOL_USE_ID,
	TOOL_CWD,
	FIELD("agent_message", STRING, OPTIONAL, "what the agent said with it"),
};
static const struct bl_field tool_after_fields[] = {
	TOOL_NAME,
	TOOL_INPUT,
	FIELD("tool_output", STRING, REQUIRED, "result, as JSON"),
	DURATION_MS,
	TOOL_USE_ID,
	TOOL_CWD,
};
static const struct bl_field tool_failed_fields[] = {
	TOOL_NAME,
	TOOL_INPUT,
	FIELD("error_message", STRING, REQUIRED, "what went wrong"),
	FIELD("failure_type", STRING, REQUIRED,
	      "error, timeout or permission_denied"),
	DURATION_MS,
	TOOL_USE_ID,
	FIELD("is_interrupt", BOOLEAN, REQUIRED, "did the user interrupt it"),
	TOOL_CWD,
};
static const struct bl_field subagent_start_fields[] = {
	FIELD("subagent_id", STRING, REQUIRED, "one per subagent"),
	SUBAGENT_TYPE,
	TASK,
	FIELD("parent_conversation_id", STRING, REQUIRED, "who starts it"),
	FIELD("tool_call_id", STRING, REQUIRED, "the call that starts it"),
	FIELD("subagent_model", STRING, REQUIRED, "its model's name"),
	FIELD("is_parallel_worker", BOOLEAN, REQUIRED, "runs beside others"),
	FIELD("git_branch", STRING, OPTIONAL, "its branch"),
};
static const struct bl_field subagent_stop_fields[] = {
	SUBAGENT_TYPE,
	STATUS,
	TASK,
	FIELD("description", STRING, REQUIRED, "the task in short"),
	FIELD("summary", STRING, REQUIRED, "what came of it"),
	FIELD("duration_ms", NUMBER, REQUIRED, "milliseconds"),
	FIELD("message_count", NUMBER, REQUIRED, "messages"),
	FIELD("tool_call_count", NUMBER, REQUIRED, "tool calls"),
	LOOP_COUNT,
	FIELD("modified_files", ARRAY, REQUIRED, "paths"),
	FIELD("agent_transcript_path", STRING_OR_NULL, REQUIRED, "a file"),
	FIELD("subagent_id", STRING, OPTIONAL, "one per subagent"),
	FIELD("parent_conversation_id", STRING, OPTIONAL, "who started it"),
	FIELD("error_message", STRING, OPTIONAL, "what went wrong"),
	FIELD("git_branch", STRING, OPTIONAL, "its branch"),
};
static const struct bl_field compact_fields[] = {
	FIELD("trigger", STRING, REQUIRED, "auto or manual"),
	FIELD("context_usage_percent", NUMBER, REQUIRED, "percent"),
	FIELD("context_tokens", NUMBER, REQUIRED, "tokens"),
	FIELD("context_window_size", NUMBER, REQUIRED, "tokens"),
	FIELD("message_count", NUMBER, REQUIRED, "messages"),
	FIELD("messages_to_compact", NUMBER, REQUIRED, "messages"),
	FIELD("is_first_compaction", BOOLEAN, REQUIRED, "none came before"),
};

/* ---- responses of belay as Cursor's hook ----------------------------------- */

static const struct response_part say_permission_allow[] = {
	CONSTANT(TOP, "permission", "allow"),
};
static const struct response_part say_permission_deny[] = {
	PART(TOP, "agent_message", AGENT_REASON),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};
static const struct response_part say_permission_ask[] = {
	PART(TOP, "agent_message", AGENT_REASON),
	CONSTANT(TOP, "permission", "ask"),
	PART(TOP, "question", REASON),
	PART(TOP, "user_message", REASON),
};

/* beforeShellExecution, beforeMCPExecution */
static const struct bl_response_shape command_response = {
	"permission",
	{
		[CASE_ALLOW] = { FORM(say_permission_allow) },
		[CASE_REFUSE] = { FORM(say_permission_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(say_permission_ask), .effect = ASKS },
		[CASE_MODIFY] = { FORM(say_permission_allow),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Old versions take no message; today's send transcript_path. */
static const struct response_part say_read_deny[] = {
	CONSTANT(TOP, "permission", "deny"),
	{ "user_message", NULL, "transcript_path", PLACE_TOP, SAY_REASON },
};

/* beforeReadFile, beforeTabFileRead */
static const struct bl_response_shape read_response = {
	"read permission",
	{
		[CASE_ALLOW] = { FORM(say_permission_allow) },
		[CASE_REFUSE] = { FORM(say_read_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(say_read_deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(say_permission_allow),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part say_prompt_allow[] = {
	PART(TOP, "additional_context", CONTEXT),
	FLAG(TOP, "continue", TRUE),
};
static const struct response_part say_prompt_deny[] = {
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "user_message", REASON),
};

static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(say_prompt_allow) },
		[CASE_REFUSE] = { FORM(say_prompt_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(say_prompt_deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(say_prompt_allow),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part say_followup[] = {
	PART(TOP, "followup_message", BOTH_REASONS),
};

/* stop, subagentStop */
static const struct bl_response_shape stop_response = {
	"follow-up",
	{
		[CASE_REFUSE] = { FORM(say_followup), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* Events that only inform: sessionEnd, the after events of old, workspaceOpen. */
static const struct bl_response_shape notice_response = {
	"notice",
	{
		[CASE_REFUSE] = { .degradations = DEGRADES(REFUSAL) },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part say_tool_allow[] = {
	PART(TOP, "additional_context", CONTEXT),
	CONSTANT(TOP, "permission", "allow"),
};
static const struct response_part say_tool_deny[] = {
	PART(TOP, "additional_context", CONTEXT),
	PART(TOP, "agent_message", AGENT_REASON),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};
/* "ask" is accepted, and the tool runs all the same. */
static const struct response_part say_tool_ask[] = {
	PART(TOP, "additional_context", CONTEXT),
	PART(TOP, "agent_message", ASK_FIRST),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};
static const struct response_part say_tool_modify[] = {
	PART(TOP, "additional_context", TOLD),
	CONSTANT(TOP, "permission", "allow"),
	PART(TOP, "updated_input", FULL_INPUT),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(say_tool_allow) },
		[CASE_REFUSE] = { FORM(say_tool_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(say_tool_ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(say_tool_modify), .effect = MODIFIES },
	},
};

static const struct response_part say_context[] = {
	PART(TOP, "additional_context", CONTEXT),
};
static const struct response_part say_told[] = {
	PART(TOP, "additional_context", TOLD),
};

/* postToolUse, postToolUseFailure */
static const struct bl_response_shape result_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(say_context) },
		[CASE_REFUSE] = { FORM(say_told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(say_told),
			       .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(say_told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* Accepted, recorded, and not acted on: continue and user_message. */
static const struct response_part say_session_deny[] = {
	PART(TOP, "additional_context", CONTEXT),
	FLAG(TOP, "continue", FALSE),
	PART(TOP, "user_message", REASON),
};

static const struct bl_response_shape session_response = {
	"session",
	{
		[CASE_ALLOW] = { FORM(say_context) },
		[CASE_REFUSE] = { FORM(say_session_deny),
				  .degradations = DEGRADES(REFUSAL) },
		[CASE_ASK] = { FORM(say_told),
			       .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(say_told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct response_part say_subagent_deny[] = {
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};

static const struct bl_response_shape subagent_response = {
	"subagent",
	{
		[CASE_ALLOW] = { FORM(say_permission_allow) },
		[CASE_REFUSE] = { FORM(say_subagent_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(say_subagent_deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(say_permission_allow),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part say_user_context[] = {
	PART(TOP, "user_message", CONTEXT),
};
static const struct response_part say_user_reason[] = {
	PART(TOP, "user_message", REASON),
};

static const struct bl_response_shape compact_response = {
	"message",
	{
		[CASE_ALLOW] = { FORM(say_user_context) },
		[CASE_REFUSE] = { FORM(say_user_reason),
				  .degradations = DEGRADES(REFUSAL) },
		[CASE_ASK] = { FORM(say_user_reason),
			       .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { FORM(say_user_reason),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* An event that is not known: every word that any event understands. */
static const struct response_part say_unknown_deny[] = {
	PART(TOP, "agent_message", AGENT_REASON),
	FLAG(TOP, "continue", FALSE),
	CONSTANT(TOP, "permission", "deny"),
	PART(TOP, "user_message", REASON),
};

static const struct bl_response_shape unknown_response = {
	"unknown",
	{
		[CASE_ALLOW] = { FORM(say_context) },
		[CASE_REFUSE] = { FORM(say_unknown_deny), .effect = DENIES },
		[CASE_ASK] = { FORM(say_unknown_deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(say_context),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

/* ---- matcher subjects --------------------------------------------------- */

static const char *const tool_names[] = {
	"Shell",
	"Write",
	"Read",
	"Grep",
	"List",
	"Delete",
	"Fetch",
	"ComputerUse",
	"RecordScreen",
	"ReadLints",
	"BackgroundShell",
	"WriteShellStdin",
	"ListMcpResources",
	"FetchMcpResource",
	"Task",
	"MCP:",
	NULL,
};

#define SUBJECT_FIELD(name) .subject = BL_SUBJECT_FIELD, .subject_text = name

#define SUBJECT_MCP .subject = BL_SUBJECT_PREFIXED, .subject_text = "tool_name"

#define SUBJECT_TOOL SUBJECT_FIELD("tool_name"), .subject_values = tool_names

#define SUBJECT_CONSTANT(text)                                                 \
	.subject = BL_SUBJECT_CONSTANT, .subject_text = text,                  \
	.subject_values = (const char *const[])                                \
	{                                                                      \
		text, NULL                                                     \
	}

/* ---- events ------------------------------------------------------------- */

#define FIELDS(list) .fields = list, .field_count = BL_COUNT(list)

#define HOOK(event_name, event_kind, outputs)                                  \
	.name = event_name, .kind = BL_EVENT_##event_kind,                     \
	.output = &outputs##_output
#define CLASS(class_name, refusals)                                            \
	.class = BL_CLASS_##class_name, .refusal = &refusals##_refusal
#define RESPONSE(shape, can) .response = &shape##_response, .capabilities = can
#define IN_2_3                                                                 \
	.common_fields = common_2_3, .common_field_count = BL_COUNT(common_2_3)
#define IN_TODAY .common_fields = common, .common_field_count = BL_COUNT(common)

/*
 * Matchers mean nothing in 2.3.41 (C21): no subjects.  The order is the one
 * in which its messages list the names.
 */
static const struct bl_hook_event events_2_3[] = {
	{ IN_2_3, HOOK("beforeShellExecution", SHELL_BEFORE, command),
	  CLASS(PERMISSION, shell_2_3), .can_ask = true,
	  FIELDS(before_shell_fields) },
	{ IN_2_3, HOOK("beforeMCPExecution", MCP_BEFORE, command),
	  CLASS(PERMISSION, mcp_2_3), .can_ask = true,
	  FIELDS(before_mcp_2_3_fields) },
	{ IN_2_3, HOOK("afterShellExecution", SHELL_AFTER, object),
	  FIELDS(after_shell_2_3_fields) },
	{ IN_2_3, HOOK("afterMCPExecution", MCP_AFTER, object),
	  FIELDS(after_mcp_2_3_fields) },
	{ IN_2_3, HOOK("beforeReadFile", READ_BEFORE, read_2_3),
	  CLASS(PERMISSION, read_2_3), FIELDS(read_fields) },
	{ IN_2_3, HOOK("afterFileEdit", EDIT_AFTER, object),
	  FIELDS(edit_fields) },
	{ IN_2_3, HOOK("beforeTabFileRead", READ_BEFORE, read_2_3),
	  CLASS(PERMISSION, read_2_3), FIELDS(read_fields) },
	{ IN_2_3, HOOK("afterTabFileEdit", EDIT_AFTER, object),
	  FIELDS(edit_fields) },
	{ IN_2_3, HOOK("stop", STOP, stop), .has_loop_limit = true,
	  FIELDS(stop_2_3_fields) },
	{ IN_2_3, HOOK("beforeSubmitPrompt", PROMPT, prompt_2_3),
	  CLASS(PROMPT, prompt), FIELDS(prompt_2_3_fields) },
	{ IN_2_3, HOOK("afterAgentResponse", RESPONSE, object),
	  FIELDS(response_2_3_fields) },
	{ IN_2_3, HOOK("afterAgentThought", THOUGHT, object),
	  FIELDS(thought_2_3_fields) },
};

static const struct bl_hook_event events[] = {
	{ .common_fields = common,
	  .common_field_count = EVERYWHERE_COUNT,
	  HOOK("workspaceOpen", WORKSPACE_OPEN, plugins),
	  RESPONSE(notice, 0) },
	{ IN_TODAY, HOOK("sessionStart", SESSION_START, session),
	  RESPONSE(session, BL_CAN_CONTEXT), FIELDS(session_start_fields) },
	{ IN_TODAY, HOOK("sessionEnd", SESSION_END, object),
	  RESPONSE(notice, 0), FIELDS(session_end_fields) },
	{ IN_TODAY, HOOK("beforeSubmitPrompt", PROMPT, prompt),
	  RESPONSE(prompt, BL_CAN_REFUSE | BL_CAN_CONTEXT),
	  CLASS(PROMPT, prompt), SUBJECT_CONSTANT("UserPromptSubmit"),
	  FIELDS(prompt_fields) },
	{ IN_TODAY, HOOK("preToolUse", TOOL_BEFORE, tool),
	  RESPONSE(tool, BL_CAN_REFUSE | BL_CAN_REWRITE | BL_CAN_CONTEXT),
	  CLASS(PERMISSION, tool), SUBJECT_TOOL, FIELDS(tool_before_fields) },
	{ IN_TODAY, HOOK("postToolUse", TOOL_AFTER, tool_result),
	  RESPONSE(result, BL_CAN_CONTEXT | BL_CAN_FEEDBACK), SUBJECT_TOOL,
	  FIELDS(tool_after_fields) },
	{ IN_TODAY, HOOK("postToolUseFailure", TOOL_FAILED, tool_failure),
	  RESPONSE(result, BL_CAN_CONTEXT | BL_CAN_FEEDBACK), SUBJECT_TOOL,
	  FIELDS(tool_failed_fields) },
	{ IN_TODAY, HOOK("subagentStart", SUBAGENT_START, subagent),
	  RESPONSE(subagent, BL_CAN_REFUSE), CLASS(PERMISSION, subagent),
	  .ask_is_deny = true, SUBJECT_FIELD("subagent_type"),
	  FIELDS(subagent_start_fields) },
	{ IN_TODAY, HOOK("subagentStop", SUBAGENT_STOP, stop),
	  RESPONSE(stop, BL_CAN_CONTINUE), .has_loop_limit = true,
	  .followup_status = "completed", SUBJECT_FIELD("subagent_type"),
	  FIELDS(subagent_stop_fields) },
	{ IN_TODAY, HOOK("beforeShellExecution", SHELL_BEFORE, command),
	  RESPONSE(command, BL_CAN_REFUSE | BL_CAN_ASK),
	  CLASS(PERMISSION, shell), .can_ask = true, SUBJECT_FIELD("command"),
	  FIELDS(before_shell_fields) },
	{ IN_TODAY, HOOK("afterShellExecution", SHELL_AFTER, object),
	  RESPONSE(notice, 0), SUBJECT_FIELD("command"),
	  FIELDS(after_shell_fields) },
	{ IN_TODAY, HOOK("beforeMCPExecution", MCP_BEFORE, command),
	  RESPONSE(command, BL_CAN_REFUSE | BL_CAN_ASK), CLASS(PERMISSION, mcp),
	  .can_ask = true, SUBJECT_MCP, FIELDS(before_mcp_fields) },
	{ IN_TODAY, HOOK("afterMCPExecution", MCP_AFTER, object),
	  RESPONSE(notice, 0), SUBJECT_MCP, FIELDS(after_mcp_fields) },
	{ IN_TODAY, HOOK("beforeReadFile", READ_BEFORE, read),
	  RESPONSE(read, BL_CAN_REFUSE), CLASS(PERMISSION, read),
	  SUBJECT_CONSTANT("Read"), FIELDS(read_fields) },
	{ IN_TODAY, HOOK("afterFileEdit", EDIT_AFTER, object),
	  RESPONSE(notice, 0), SUBJECT_CONSTANT("Write"), FIELDS(edit_fields) },
	{ IN_TODAY, HOOK("beforeTabFileRead", READ_BEFORE, read),
	  RESPONSE(read, BL_CAN_REFUSE), CLASS(PERMISSION, read),
	  SUBJECT_CONSTANT("TabRead"), FIELDS(tab_read_fields) },
	{ IN_TODAY, HOOK("afterTabFileEdit", EDIT_AFTER, object),
	  RESPONSE(notice, 0), SUBJECT_CONSTANT("TabWrite"),
	  FIELDS(edit_fields) },
	{ IN_TODAY, HOOK("afterAgentResponse", RESPONSE, object),
	  RESPONSE(notice, 0), SUBJECT_CONSTANT("AgentResponse"),
	  FIELDS(response_fields) },
	{ IN_TODAY, HOOK("afterAgentThought", THOUGHT, object),
	  RESPONSE(notice, 0), SUBJECT_CONSTANT("AgentThought"),
	  FIELDS(thought_fields) },
	{ IN_TODAY, HOOK("preCompact", COMPACT, notice), RESPONSE(compact, 0),
	  FIELDS(compact_fields) },
	{ IN_TODAY, HOOK("stop", STOP, stop), RESPONSE(stop, BL_CAN_CONTINUE),
	  .has_loop_limit = true, SUBJECT_CONSTANT("Stop"),
	  FIELDS(stop_fields) },
};

const struct bl_contract bl_cursor_2_3_contract = {
	.agent = "cursor",
	.dialect = BL_DIALECT_CURSOR_2_3,
	.events = events_2_3,
	.event_count = BL_COUNT(events_2_3),
	.common_fields = common_2_3,
	.common_field_count = BL_COUNT(common_2_3),
};

const struct bl_contract bl_cursor_contract = {
	.agent = "cursor",
	.dialect = BL_DIALECT_CURSOR,
	.events = events,
	.event_count = BL_COUNT(events),
	.common_fields = common,
	.common_field_count = BL_COUNT(common),
};

/* ---- the agent ----------------------------------------------------------- */

static const struct bl_payload_rows payload_rows = {
	.dialect = "cursor",
	.marks = {
		{ MARK_PAYLOAD,
		  { "cursor_version" },
		  "payload: cursor_version" },
		{ MARK_PAYLOAD,
		  { "conversation_id", "generation_id" },
		  "payload: conversation_id and generation_id" },
		/* event names begin with a small letter at Cursor alone */
		{ MARK_EVENT_NAME, { NULL }, "payload: hook_event_name" },
		{ MARK_ENVIRONMENT,
		  { "CURSOR_VERSION" },
		  "environment: CURSOR_VERSION" },
		{ MARK_ENVIRONMENT,
		  { "CURSOR_PROJECT_DIR" },
		  "environment: CURSOR_PROJECT_DIR" },
	},
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "conversation_id", "session_id" },
		[PAYLOAD_TURN] = { "generation_id" },
		[PAYLOAD_TRANSCRIPT] = { "transcript_path" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_ROOTS] = { "workspace_roots" },
		[PAYLOAD_MODE] = { "composer_mode" },
		[PAYLOAD_VERSION] = { "cursor_version" },
		[PAYLOAD_AGENT_ID] = { "subagent_id" },
		[PAYLOAD_AGENT_TYPE] = { "subagent_type" },
		[PAYLOAD_TOOL_NAME] = { "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_input" },
		[PAYLOAD_CALL_ID] = { "tool_use_id" },
		[PAYLOAD_OUTPUT] = { "tool_output", "output",
					 "result_json" },
		[PAYLOAD_ERROR] = { "error_message" },
		[PAYLOAD_PROMPT] = { "prompt", "prompt_text" },
		[PAYLOAD_MESSAGE] = { "text", "summary" },
		[PAYLOAD_STATUS] = { "status" },
		[PAYLOAD_LOOPS] = { "loop_count" },
		[PAYLOAD_SERVER] = { "mcp_server_name" },
		[PAYLOAD_URL] = { "mcp_server_url", "url" },
	},
	.path_fields = { "file_path", "path", "target_notebook" },
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_FLAT,
	.folder = ".cursor",
	.global_folder = ".cursor",
	.files = { { ".cursor/hooks.json", ".cursor/hooks.json",
		     "etc/cursor/hooks.json" } },
	.has_version = true,
	.fails_closed_key = "failClosed",
	.project = "",
	.variable = "CURSOR_PROJECT_DIR",
	.entries = {
		{ "beforeShellExecution", .fails_closed = true },
		{ "beforeMCPExecution", .fails_closed = true },
		{ "beforeReadFile", .fails_closed = true },
		{ "preToolUse", "Write|Delete|EditNotebook|ApplyPatch",
		  .fails_closed = true, .is_new = true },
		{ "afterFileEdit" },
		{ "beforeSubmitPrompt" },
		{ "stop" },
	},
	.canary =
		"{\"conversation_id\":\"canary\",\"generation_id\":"
		"\"canary\",\"hook_event_name\":"
		"\"beforeShellExecution\",\"command\":"
		"@command,\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_cursor = {
	.name = "cursor",
	.title = "Cursor",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     RESPONSE(unknown, BL_CAN_REFUSE | BL_CAN_CONTEXT) },
	.payload = &payload_rows,
	.registration = &registration,
};

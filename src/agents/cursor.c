/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cursor's two dialects: rows only.  Steps, payloads and answers of 2.3.41:
 * docs/contracts/cursor-2.3.41.md "Events", "Hook files", "Hook output",
 * "Payload"; of today: docs/contracts/cursor.md "Matchers", "Payload",
 * "Events", "Differences".
 */
#include "agents/internal.h"

/* ---- answers ------------------------------------------------------------ */

#define PERMISSION                                                             \
	{                                                                      \
		"permission", BL_FIELD_PERMISSION, BL_ANSWER_PERMISSION,       \
			"Invalid permission value. Expected one of: allow, "   \
			"deny, ask, or undefined"                              \
	}
#define PERMISSION_READ                                                        \
	{                                                                      \
		"permission", BL_FIELD_PERMISSION_READ, BL_ANSWER_PERMISSION,  \
			"Invalid permission value. Expected one of: allow, "   \
			"deny, or undefined"                                   \
	}
#define TYPED(name, type, slot, expected)                                      \
	{                                                                      \
		name, BL_FIELD_##type, BL_ANSWER_##slot,                       \
			"Invalid " name " value. Expected " expected           \
			" if provided"                                         \
	}
#define TEXT(name, slot)   TYPED(name, STRING, slot, "a string")
#define CONTINUE(slot)     TYPED("continue", BOOLEAN, slot, "a boolean")
#define USER_MESSAGE(slot) TEXT("user_message", slot)
#define AGENT_MESSAGE      TEXT("agent_message", AGENT_MESSAGE)
#define CONTEXT            TEXT("additional_context", CONTEXT)

#define SHAPE(name, fields)                                                    \
	static const struct bl_answer_shape fields##_shape = {                 \
		name, fields, BL_COUNT(fields)                                 \
	}

static const struct bl_answer_field command[] = {
	PERMISSION,
	USER_MESSAGE(USER_MESSAGE),
	AGENT_MESSAGE,
};
SHAPE("command", command);

static const struct bl_answer_field read_2_3[] = { PERMISSION_READ };
SHAPE("read", read_2_3);

static const struct bl_answer_field read[] = {
	PERMISSION_READ,
	USER_MESSAGE(USER_MESSAGE),
};
SHAPE("read", read);

static const struct bl_answer_field prompt_2_3[] = {
	CONTINUE(CONTINUE),
	USER_MESSAGE(USER_MESSAGE),
};
SHAPE("prompt", prompt_2_3);

static const struct bl_answer_field prompt[] = {
	CONTINUE(CONTINUE),
	USER_MESSAGE(USER_MESSAGE),
	CONTEXT,
};
SHAPE("prompt", prompt);

static const struct bl_answer_field stop[] = {
	TEXT("followup_message", FOLLOWUP),
};
SHAPE("stop", stop);

static const struct bl_answer_field tool[] = {
	PERMISSION,    USER_MESSAGE(USER_MESSAGE),
	AGENT_MESSAGE, TYPED("updated_input", OBJECT, INPUT, "an object"),
	CONTEXT,
};
SHAPE("tool", tool);

static const struct bl_answer_field tool_result[] = {
	CONTEXT,
	{ "updated_mcp_tool_output", BL_FIELD_ANY, BL_ANSWER_OUTPUT, NULL },
};
SHAPE("tool result", tool_result);

static const struct bl_answer_field tool_failure[] = { CONTEXT };
SHAPE("tool failure", tool_failure);

static const struct bl_answer_field subagent[] = {
	PERMISSION,
	USER_MESSAGE(USER_MESSAGE),
};
SHAPE("subagent", subagent);

/* continue and user_message are accepted here and not acted on. */
static const struct bl_answer_field session[] = {
	TYPED("env", STRING_MAP, ENV, "an object of strings"),
	CONTEXT,
	CONTINUE(CHECKED),
	USER_MESSAGE(CHECKED),
};
SHAPE("session", session);

static const struct bl_answer_field notice[] = { USER_MESSAGE(USER_MESSAGE) };
SHAPE("notice", notice);

static const struct bl_answer_field plugins[] = {
	TYPED("pluginPaths", STRINGS, PLUGIN_PATHS, "an array of strings"),
};
SHAPE("plugins", plugins);

static const struct bl_answer_shape object_shape = { "object", NULL, 0 };

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
	FIELD("hook_event_name", STRING, FILLED, "the step's name"),           \
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

/* ---- steps -------------------------------------------------------------- */

#define FIELDS(list) .fields = list, .field_count = BL_COUNT(list)

#define STEP(step_name, event_kind, answers)                                   \
	.name = step_name, .kind = BL_EVENT_##event_kind,                      \
	.shape = &answers##_shape
#define CLASS(class_name, texts)                                               \
	.class = BL_CLASS_##class_name, .refusal = &bl_cursor_##texts##_refusal
#define IN_2_3                                                                 \
	.dialect = BL_DIALECT_CURSOR_2_3,                                      \
	.common_field_count = BL_COUNT(common_2_3)
#define IN_TODAY                                                               \
	.dialect = BL_DIALECT_CURSOR, .common_field_count = BL_COUNT(common)

/*
 * Matchers mean nothing in 2.3.41 (C21): no subjects.  The order is the one
 * in which its messages list the names.
 */
static const struct bl_step steps_2_3[] = {
	{ IN_2_3, STEP("beforeShellExecution", SHELL_BEFORE, command),
	  CLASS(PERMISSION, 2_3_shell), .can_ask = true,
	  FIELDS(before_shell_fields) },
	{ IN_2_3, STEP("beforeMCPExecution", MCP_BEFORE, command),
	  CLASS(PERMISSION, 2_3_mcp), .can_ask = true,
	  FIELDS(before_mcp_2_3_fields) },
	{ IN_2_3, STEP("afterShellExecution", SHELL_AFTER, object),
	  FIELDS(after_shell_2_3_fields) },
	{ IN_2_3, STEP("afterMCPExecution", MCP_AFTER, object),
	  FIELDS(after_mcp_2_3_fields) },
	{ IN_2_3, STEP("beforeReadFile", READ_BEFORE, read_2_3),
	  CLASS(PERMISSION, 2_3_read), FIELDS(read_fields) },
	{ IN_2_3, STEP("afterFileEdit", EDIT_AFTER, object),
	  FIELDS(edit_fields) },
	{ IN_2_3, STEP("beforeTabFileRead", READ_BEFORE, read_2_3),
	  CLASS(PERMISSION, 2_3_read), FIELDS(read_fields) },
	{ IN_2_3, STEP("afterTabFileEdit", EDIT_AFTER, object),
	  FIELDS(edit_fields) },
	{ IN_2_3, STEP("stop", STOP, stop), .has_loop_limit = true,
	  FIELDS(stop_2_3_fields) },
	{ IN_2_3, STEP("beforeSubmitPrompt", PROMPT, prompt_2_3),
	  CLASS(PROMPT, prompt), FIELDS(prompt_2_3_fields) },
	{ IN_2_3, STEP("afterAgentResponse", RESPONSE, object),
	  FIELDS(response_2_3_fields) },
	{ IN_2_3, STEP("afterAgentThought", THOUGHT, object),
	  FIELDS(thought_2_3_fields) },
};

static const struct bl_step steps[] = {
	{ .dialect = BL_DIALECT_CURSOR,
	  .common_field_count = EVERYWHERE_COUNT,
	  STEP("workspaceOpen", WORKSPACE_OPEN, plugins) },
	{ IN_TODAY, STEP("sessionStart", SESSION_START, session),
	  FIELDS(session_start_fields) },
	{ IN_TODAY, STEP("sessionEnd", SESSION_END, object),
	  FIELDS(session_end_fields) },
	{ IN_TODAY, STEP("beforeSubmitPrompt", PROMPT, prompt),
	  CLASS(PROMPT, prompt), SUBJECT_CONSTANT("UserPromptSubmit"),
	  FIELDS(prompt_fields) },
	{ IN_TODAY, STEP("preToolUse", TOOL_BEFORE, tool),
	  CLASS(PERMISSION, tool), SUBJECT_TOOL, FIELDS(tool_before_fields) },
	{ IN_TODAY, STEP("postToolUse", TOOL_AFTER, tool_result), SUBJECT_TOOL,
	  FIELDS(tool_after_fields) },
	{ IN_TODAY, STEP("postToolUseFailure", TOOL_FAILED, tool_failure),
	  SUBJECT_TOOL, FIELDS(tool_failed_fields) },
	{ IN_TODAY, STEP("subagentStart", SUBAGENT_START, subagent),
	  CLASS(PERMISSION, subagent), .ask_is_deny = true,
	  SUBJECT_FIELD("subagent_type"), FIELDS(subagent_start_fields) },
	{ IN_TODAY, STEP("subagentStop", SUBAGENT_STOP, stop),
	  .has_loop_limit = true, .followup_status = "completed",
	  SUBJECT_FIELD("subagent_type"), FIELDS(subagent_stop_fields) },
	{ IN_TODAY, STEP("beforeShellExecution", SHELL_BEFORE, command),
	  CLASS(PERMISSION, shell), .can_ask = true, SUBJECT_FIELD("command"),
	  FIELDS(before_shell_fields) },
	{ IN_TODAY, STEP("afterShellExecution", SHELL_AFTER, object),
	  SUBJECT_FIELD("command"), FIELDS(after_shell_fields) },
	{ IN_TODAY, STEP("beforeMCPExecution", MCP_BEFORE, command),
	  CLASS(PERMISSION, mcp), .can_ask = true, SUBJECT_MCP,
	  FIELDS(before_mcp_fields) },
	{ IN_TODAY, STEP("afterMCPExecution", MCP_AFTER, object), SUBJECT_MCP,
	  FIELDS(after_mcp_fields) },
	{ IN_TODAY, STEP("beforeReadFile", READ_BEFORE, read),
	  CLASS(PERMISSION, read), SUBJECT_CONSTANT("Read"),
	  FIELDS(read_fields) },
	{ IN_TODAY, STEP("afterFileEdit", EDIT_AFTER, object),
	  SUBJECT_CONSTANT("Write"), FIELDS(edit_fields) },
	{ IN_TODAY, STEP("beforeTabFileRead", READ_BEFORE, read),
	  CLASS(PERMISSION, read), SUBJECT_CONSTANT("TabRead"),
	  FIELDS(tab_read_fields) },
	{ IN_TODAY, STEP("afterTabFileEdit", EDIT_AFTER, object),
	  SUBJECT_CONSTANT("TabWrite"), FIELDS(edit_fields) },
	{ IN_TODAY, STEP("afterAgentResponse", RESPONSE, object),
	  SUBJECT_CONSTANT("AgentResponse"), FIELDS(response_fields) },
	{ IN_TODAY, STEP("afterAgentThought", THOUGHT, object),
	  SUBJECT_CONSTANT("AgentThought"), FIELDS(thought_fields) },
	{ IN_TODAY, STEP("preCompact", COMPACT, notice),
	  FIELDS(compact_fields) },
	{ IN_TODAY, STEP("stop", STOP, stop), .has_loop_limit = true,
	  SUBJECT_CONSTANT("Stop"), FIELDS(stop_fields) },
};

const struct bl_harness bl_cursor_2_3 = {
	.agent = "cursor",
	.dialect = BL_DIALECT_CURSOR_2_3,
	.steps = steps_2_3,
	.step_count = BL_COUNT(steps_2_3),
	.common_fields = common_2_3,
	.common_field_count = BL_COUNT(common_2_3),
};

const struct bl_harness bl_cursor = {
	.agent = "cursor",
	.dialect = BL_DIALECT_CURSOR,
	.steps = steps,
	.step_count = BL_COUNT(steps),
	.common_fields = common,
	.common_field_count = BL_COUNT(common),
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of Cursor's events against docs/contracts/cursor-2.3.41.md "Events" and
 * "Payload", and docs/contracts/cursor.md "Events", "Payload" and "Matchers".
 */
#include "agents_test.h"

enum { ASKS = 1, ASK_IS_DENY = 2, LOOPS = 4, ONLY_COMPLETED = 8 };

#define KIND(name) BL_EVENT_##name
#define OBSERVE    BL_CLASS_OBSERVE
#define PERMISSION BL_CLASS_PERMISSION
#define PROMPT     BL_CLASS_PROMPT
#define NONE       BL_SUBJECT_NONE
#define FIELD      BL_SUBJECT_FIELD
#define MCP        BL_SUBJECT_PREFIXED
#define CONSTANT   BL_SUBJECT_CONSTANT

static const struct {
	int dialect;
	const char *name;
	enum bl_event_kind kind;
	enum bl_event_class class;
	int flags;
	const char *shape;
	enum bl_subject subject;
	const char *subject_text;
} event_rows[] = {
	{ OLD, "beforeShellExecution", KIND(SHELL_BEFORE), PERMISSION, ASKS,
	  "command", NONE, NULL },
	{ OLD, "afterShellExecution", KIND(SHELL_AFTER), OBSERVE, 0, "object",
	  NONE, NULL },
	{ OLD, "beforeMCPExecution", KIND(MCP_BEFORE), PERMISSION, ASKS,
	  "command", NONE, NULL },
	{ OLD, "afterMCPExecution", KIND(MCP_AFTER), OBSERVE, 0, "object", NONE,
	  NULL },
	{ OLD, "beforeReadFile", KIND(READ_BEFORE), PERMISSION, 0, "read", NONE,
	  NULL },
	{ OLD, "afterFileEdit", KIND(EDIT_AFTER), OBSERVE, 0, "object", NONE,
	  NULL },
	{ OLD, "beforeTabFileRead", KIND(READ_BEFORE), PERMISSION, 0, "read",
	  NONE, NULL },
	{ OLD, "afterTabFileEdit", KIND(EDIT_AFTER), OBSERVE, 0, "object", NONE,
	  NULL },
	{ OLD, "beforeSubmitPrompt", KIND(PROMPT), PROMPT, 0, "prompt", NONE,
	  NULL },
	{ OLD, "afterAgentResponse", KIND(RESPONSE), OBSERVE, 0, "object", NONE,
	  NULL },
	{ OLD, "afterAgentThought", KIND(THOUGHT), OBSERVE, 0, "object", NONE,
	  NULL },
	{ OLD, "stop", KIND(STOP), OBSERVE, LOOPS, "stop", NONE, NULL },

	{ NEW, "workspaceOpen", KIND(WORKSPACE_OPEN), OBSERVE, 0, "plugins",
	  NONE, NULL },
	{ NEW, "sessionStart", KIND(SESSION_START), OBSERVE, 0, "session", NONE,
	  NULL },
	{ NEW, "sessionEnd", KIND(SESSION_END), OBSERVE, 0, "object", NONE,
	  NULL },
	{ NEW, "beforeSubmitPrompt", KIND(PROMPT), PROMPT, 0, "prompt",
	  CONSTANT, "UserPromptSubmit" },
	{ NEW, "preToolUse", KIND(TOOL_BEFORE), PERMISSION, 0, "tool", FIELD,
	  "tool_name" },
	{ NEW, "postToolUse", KIND(TOOL_AFTER), OBSERVE, 0, "tool result",
	  FIELD, "tool_name" },
	{ NEW, "postToolUseFailure", KIND(TOOL_FAILED), OBSERVE, 0,
	  "tool failure", FIELD, "tool_name" },
	{ NEW, "subagentStart", KIND(SUBAGENT_START), PERMISSION, ASK_IS_DENY,
	  "subagent", FIELD, "subagent_type" },
	{ NEW, "subagentStop", KIND(SUBAGENT_STOP), OBSERVE,
	  LOOPS | ONLY_COMPLETED, "stop", FIELD, "subagent_type" },
	{ NEW, "beforeShellExecution", KIND(SHELL_BEFORE), PERMISSION, ASKS,
	  "command", FIELD, "command" },
	{ NEW, "afterShellExecution", KIND(SHELL_AFTER), OBSERVE, 0, "object",
	  FIELD, "command" },
	{ NEW, "beforeMCPExecution", KIND(MCP_BEFORE), PERMISSION, ASKS,
	  "command", MCP, "tool_name" },
	{ NEW, "afterMCPExecution", KIND(MCP_AFTER), OBSERVE, 0, "object", MCP,
	  "tool_name" },
	{ NEW, "beforeReadFile", KIND(READ_BEFORE), PERMISSION, 0, "read",
	  CONSTANT, "Read" },
	{ NEW, "afterFileEdit", KIND(EDIT_AFTER), OBSERVE, 0, "object",
	  CONSTANT, "Write" },
	{ NEW, "beforeTabFileRead", KIND(READ_BEFORE), PERMISSION, 0, "read",
	  CONSTANT, "TabRead" },
	{ NEW, "afterTabFileEdit", KIND(EDIT_AFTER), OBSERVE, 0, "object",
	  CONSTANT, "TabWrite" },
	{ NEW, "afterAgentResponse", KIND(RESPONSE), OBSERVE, 0, "object",
	  CONSTANT, "AgentResponse" },
	{ NEW, "afterAgentThought", KIND(THOUGHT), OBSERVE, 0, "object",
	  CONSTANT, "AgentThought" },
	{ NEW, "preCompact", KIND(COMPACT), OBSERVE, 0, "notice", NONE, NULL },
	{ NEW, "stop", KIND(STOP), OBSERVE, LOOPS, "stop", CONSTANT, "Stop" },
};

static void events(void)
{
	CHECK_INT(BL_COUNT(event_rows), 12 + 21);
	for (size_t i = 0; i < BL_COUNT(event_rows); i++) {
		int flags = event_rows[i].flags;
		const struct bl_hook_event *event =
			find_event(event_rows[i].dialect, event_rows[i].name);

		CHECK_INT(event->kind, event_rows[i].kind);
		CHECK_INT(event->class, event_rows[i].class);
		CHECK_INT(event->can_ask, (flags & ASKS) != 0);
		CHECK_INT(event->ask_is_deny, (flags & ASK_IS_DENY) != 0);
		CHECK_INT(event->has_loop_limit, (flags & LOOPS) != 0);
		CHECK_STR(bl_str(event->followup_status),
			  flags & ONLY_COMPLETED ? "completed" : "");
		CHECK_STR(bl_str(event->output->name), event_rows[i].shape);
		CHECK_INT(event->subject, event_rows[i].subject);
		CHECK_STR(bl_str(event->subject_text),
			  event_rows[i].subject_text
				  ? event_rows[i].subject_text
				  : "");
		/* An event that can be refused has messages for it. */
		CHECK((event->refusal != NULL) == (event->class != OBSERVE));
	}
}

static void known_subjects(void)
{
	static const char *const tools[] = { "Shell",
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
					     "MCP:" };
	static const char *const tool_events[] = { "preToolUse", "postToolUse",
						   "postToolUseFailure" };

	for (size_t i = 0; i < BL_COUNT(tool_events); i++) {
		const struct bl_hook_event *event =
			find_event(NEW, tool_events[i]);

		REQUIRE(event->subject_values);
		for (size_t t = 0; t < BL_COUNT(tools); t++)
			CHECK_STR(bl_str(event->subject_values[t]), tools[t]);
		CHECK(!event->subject_values[BL_COUNT(tools)]);
	}
	for (size_t i = 0; i < BL_COUNT(event_rows); i++) {
		const struct bl_hook_event *event =
			find_event(event_rows[i].dialect, event_rows[i].name);

		if (event->subject == CONSTANT) {
			REQUIRE(event->subject_values);
			CHECK_STR(bl_str(event->subject_values[0]),
				  event->subject_text);
			CHECK(!event->subject_values[1]);
		} else if (event->subject_text &&
			   event->kind != BL_EVENT_TOOL_BEFORE &&
			   event->kind != BL_EVENT_TOOL_AFTER &&
			   event->kind != BL_EVENT_TOOL_FAILED) {
			CHECK(!event->subject_values);
		}
	}
}

/* ---- payload fields ------------------------------------------------------ */

/*
 * name:type, with "!" filled and "?" optional; types: s string, z string or
 * null, b boolean, n number, o object, a array, l list of strings.
 */
static const struct {
	int dialect;
	const char *event;
	const char *fields;
} field_rows[] = {
	{ OLD, "beforeShellExecution", "command:s! cwd:s! sandbox:b!" },
	{ OLD, "afterShellExecution",
	  "command:s! cwd:s! sandbox:b! output:s duration:n" },
	{ OLD, "beforeMCPExecution", "tool_name:s tool_input:s url:s?" },
	{ OLD, "afterMCPExecution",
	  "tool_name:s tool_input:s url:s? result_json:s duration:n" },
	{ OLD, "beforeReadFile", "content:s file_path:s attachments:a?" },
	{ OLD, "beforeTabFileRead", "content:s file_path:s attachments:a?" },
	{ OLD, "afterFileEdit", "file_path:s edits:a" },
	{ OLD, "afterTabFileEdit", "file_path:s edits:a" },
	{ OLD, "beforeSubmitPrompt", "prompt_text:s attachments:a?" },
	{ OLD, "afterAgentResponse", "text:s" },
	{ OLD, "afterAgentThought", "text:s duration_ms:n" },
	{ OLD, "stop", "status:s loop_count:n" },

	{ NEW, "workspaceOpen", "" },
	{ NEW, "sessionStart",
	  "is_background_agent:b composer_mode:s? repo_urls:l? repos:a?" },
	{ NEW, "sessionEnd",
	  "reason:s duration_ms:n is_background_agent:b final_status:s "
	  "error_message:s?" },
	{ NEW, "beforeSubmitPrompt",
	  "prompt:s attachments:a? composer_mode:s?" },
	{ NEW, "preToolUse",
	  "tool_name:s tool_input:o tool_use_id:s cwd:s? agent_message:s?" },
	{ NEW, "postToolUse",
	  "tool_name:s tool_input:o tool_output:s duration:n tool_use_id:s "
	  "cwd:s?" },
	{ NEW, "postToolUseFailure",
	  "tool_name:s tool_input:o error_message:s failure_type:s duration:n "
	  "tool_use_id:s is_interrupt:b cwd:s?" },
	{ NEW, "subagentStart",
	  "subagent_id:s subagent_type:s task:s parent_conversation_id:s "
	  "tool_call_id:s subagent_model:s is_parallel_worker:b "
	  "git_branch:s?" },
	{ NEW, "subagentStop",
	  "subagent_type:s status:s task:s description:s summary:s "
	  "duration_ms:n message_count:n tool_call_count:n loop_count:n "
	  "modified_files:a agent_transcript_path:z subagent_id:s? "
	  "parent_conversation_id:s? error_message:s? git_branch:s?" },
	{ NEW, "beforeShellExecution", "command:s! cwd:s! sandbox:b!" },
	{ NEW, "afterShellExecution",
	  "command:s! output:s duration:n sandbox:b! cwd:s?" },
	{ NEW, "beforeMCPExecution",
	  "tool_name:s tool_input:s mcp_server_name:s? url:s? "
	  "mcp_server_url:s? command:s?" },
	{ NEW, "afterMCPExecution",
	  "tool_name:s tool_input:s mcp_server_name:s? mcp_server_url:s? "
	  "result_json:s duration:n" },
	{ NEW, "beforeReadFile", "content:s file_path:s attachments:a?" },
	{ NEW, "afterFileEdit", "file_path:s edits:a" },
	{ NEW, "beforeTabFileRead", "file_path:s content:s" },
	{ NEW, "afterTabFileEdit", "file_path:s edits:a" },
	{ NEW, "afterAgentResponse",
	  "text:s input_tokens:n? output_tokens:n? cache_read_tokens:n? "
	  "cache_write_tokens:n?" },
	{ NEW, "afterAgentThought", "text:s duration_ms:n?" },
	{ NEW, "preCompact",
	  "trigger:s context_usage_percent:n context_tokens:n "
	  "context_window_size:n message_count:n messages_to_compact:n "
	  "is_first_compaction:b" },
	{ NEW, "stop",
	  "status:s loop_count:n input_tokens:n? output_tokens:n? "
	  "cache_read_tokens:n? cache_write_tokens:n?" },
};

#define COMMON                                                                 \
	"hook_event_name:s! cursor_version:s! workspace_roots:l! "             \
	"user_email:z?"
#define CONVERSATION " conversation_id:s! generation_id:s! model:s!"

static const char letters[BL_FIELD_TYPE_COUNT] = {
	[BL_FIELD_STRING] = 's',  [BL_FIELD_STRING_OR_NULL] = 'z',
	[BL_FIELD_BOOLEAN] = 'b', [BL_FIELD_NUMBER] = 'n',
	[BL_FIELD_OBJECT] = 'o',  [BL_FIELD_ARRAY] = 'a',
	[BL_FIELD_STRINGS] = 'l',
};

static void check_fields(const struct bl_field *fields, size_t count,
			 const char *expected)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	for (size_t i = 0; i < count; i++) {
		bl_buf_printf(&buf, "%s%s:%c", i ? " " : "", fields[i].name,
			      letters[fields[i].type]);
		if (fields[i].presence != BL_FIELD_REQUIRED)
			bl_buf_put_char(&buf,
					fields[i].presence == BL_FIELD_FILLED
						? '!'
						: '?');
		CHECK(fields[i].doc && fields[i].doc[0]);
	}
	CHECK_STR(bl_buf_str(&buf), expected);
	bl_buf_clear(&buf);
}

static void own_fields(void)
{
	CHECK_INT(BL_COUNT(field_rows), 12 + 21);
	for (size_t i = 0; i < BL_COUNT(field_rows); i++) {
		const struct bl_hook_event *event =
			find_event(field_rows[i].dialect, field_rows[i].event);

		check_fields(event->fields, event->field_count,
			     field_rows[i].fields);
	}
}

static void common_fields(void)
{
	const struct bl_contract *old = bl_contract_get(OLD);
	const struct bl_contract *new = bl_contract_get(NEW);

	check_fields(old->common_fields, old->common_field_count,
		     COMMON CONVERSATION);
	check_fields(new->common_fields, new->common_field_count,
		     COMMON CONVERSATION
		     " model_id:s? model_params:a? session_id:s? "
		     "transcript_path:z?");
	for (size_t i = 0; i < BL_COUNT(event_rows); i++) {
		const struct bl_hook_event *event =
			find_event(event_rows[i].dialect, event_rows[i].name);
		bool outside = !strcmp(event->name, "workspaceOpen");

		check_fields(
			event->common_fields, event->common_field_count,
			outside                        ? COMMON
			: event_rows[i].dialect == OLD ? COMMON CONVERSATION
						       : COMMON CONVERSATION
				" model_id:s? model_params:a? session_id:s? "
				"transcript_path:z?");
	}
}

int main(void)
{
	RUN(events);
	RUN(known_subjects);
	RUN(own_fields);
	RUN(common_fields);
	return tap_end();
}

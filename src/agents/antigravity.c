/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google's Antigravity: rows only (docs/contracts/agents.md "Antigravity"; by
 * its documents, not run).  Exit status says nothing; an answer that is missing
 * has the user asked.  Its "allow" suppresses no question of its own, and before
 * a tool an answer must be there.  Early payloads do not name their event, and
 * the program that is called gets no arguments.
 */
#include "agents/rows.h"

static const struct response_part allow[] = {
	CONSTANT(TOP, "decision", "allow"),
};
static const struct response_part deny[] = {
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", EVERYTHING),
};
/* "ask" would take a grant of before for an answer. */
static const struct response_part ask[] = {
	CONSTANT(TOP, "decision", "force_ask"),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct response_part go_on[] = {
	CONSTANT(TOP, "decision", "continue"),
	PART(TOP, "reason", BOTH_REASONS),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = ASKS },
		[CASE_MODIFY] = { FORM(allow),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_REFUSE] = { FORM(go_on), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_response_shape unknown_response = {
	"unknown",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES },
		[CASE_ASK] = { FORM(deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_ASK,
	      tool_response),
	EVENT("PostToolUse", TOOL_AFTER, 0, bl_claude_notice_response),
	EVENT("PreInvocation", NOTIFICATION, 0, bl_claude_notice_response),
	EVENT("PostInvocation", NOTIFICATION, 0, bl_claude_notice_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "antigravity-hooks",
	.marks = {
		{ MARK_PAYLOAD,
		  { "conversationId", "workspacePaths" },
		  "payload: conversationId and workspacePaths" },
	},
	.fields = {
		[PAYLOAD_EVENT] = { "hookEventName", "hook_event_name" },
		[PAYLOAD_SESSION] = { "conversationId" },
		[PAYLOAD_TRANSCRIPT] = { "transcriptPath" },
		[PAYLOAD_CWD] = { "toolCall.args.Cwd" },
		[PAYLOAD_ROOTS] = { "workspacePaths" },
		[PAYLOAD_TOOL_NAME] = { "toolCall.name" },
		[PAYLOAD_TOOL_INPUT] = { "toolCall.args" },
		[PAYLOAD_ERROR] = { "error" },
		[PAYLOAD_STATUS] = { "terminationReason" },
		[PAYLOAD_URL] = { "toolCall.args.Url" },
	},
	.path_fields = { "TargetFile", "AbsolutePath" },
	.folder_field = "Cwd",
	.event_marks = {
		{ { "toolCall", "error" }, "PostToolUse" },
		{ { "toolCall" }, "PreToolUse" },
		{ { "terminationReason" }, "Stop" },
		{ { "invocationNum" }, "PreInvocation" },
	},
	.emergency = "{\"decision\":\"deny\",\"reason\":",
};

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_GROUPS,
	.folder = ".agents/hooks.json", /* the folder is many tools' */
	.global_folder = ".gemini/config",
	.files = { { ".agents/hooks.json", ".gemini/config/hooks.json" } },
	.hooks_key = "belay", /* a set of hooks, by a name of one's choice */
	.timeout = 20,
	.project = "\"$(dirname \"$0\")/..\"/",
	.program = "agy",
	.entries = {
		{ "PreToolUse", "*", .fails_closed = true },
		{ "PostToolUse", "*" },
		{ "Stop", .is_plain = true },
	},
	.script = "belay-hook",
	.script_text =
		"answer=$(@command) && [ -n \"$answer\" ] && "
		"printf '%s\\n' \"$answer\" && exit 0\n"
		"# Antigravity heeds words, and no exit status.\n"
		"printf '%s\\n' '{\"decision\":\"deny\",\"reason\":"
		"\"belay gave no answer, so this is refused\"}'\n",
	.canary = "{\"conversationId\":\"canary\",\"workspacePaths\":[@cwd],"
		  "\"stepIdx\":1,\"toolCall\":{\"name\":\"run_command\","
		  "\"args\":{\"CommandLine\":@command,\"Cwd\":@cwd}}}",
};

const struct bl_agent bl_agent_antigravity = {
	.name = "antigravity",
	.title = "Antigravity",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &unknown_response },
	.payload = &payload_rows,
	.registration = &registration,
};

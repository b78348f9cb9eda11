/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hermes Agent: rows only (docs/contracts/agents.md "Hermes"; by its source, not
 * run).  A word of its own before a tool: "action".  Commands run without a
 * shell; `fail_closed` makes a hook refuse when it fails; each command wants the
 * person's consent, once.
 */
#include "agents/rows.h"

static const struct response_part block[] = {
	CONSTANT(TOP, "action", "block"),
	PART(TOP, "message", EVERYTHING),
};
static const struct response_part modify[] = {
	CONSTANT(TOP, "action", "modify"),
	PART(TOP, "args", FULL_INPUT),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(block), .effect = DENIES },
		[CASE_ASK] = { FORM(block), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

static const struct response_part go_on[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", BOTH_REASONS),
};

static const struct bl_response_shape verify_response = {
	"verification",
	{
		[CASE_REFUSE] = { FORM(go_on), .effect = DENIES },
		[CASE_ASK] = { .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part context[] = {
	PART(TOP, "context", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "context", TOLD),
};

static const struct bl_response_shape call_response = {
	"call of the model",
	{
		[CASE_ALLOW] = { FORM(context) },
		[CASE_REFUSE] = { FORM(told),
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(told), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("pre_tool_call", TOOL_BEFORE, BL_CAN_REFUSE | BL_CAN_REWRITE,
	      tool_response),
	EVENT("post_tool_call", TOOL_AFTER, 0, bl_claude_notice_response),
	EVENT("pre_llm_call", PROMPT, BL_CAN_CONTEXT, call_response),
	EVENT("post_llm_call", RESPONSE, 0, bl_claude_notice_response),
	EVENT("pre_verify", STOP, BL_CAN_CONTINUE, verify_response),
	EVENT("on_session_start", SESSION_START, 0, bl_claude_notice_response),
	EVENT("on_session_end", SESSION_END, 0, bl_claude_notice_response),
	EVENT("on_session_finalize", SESSION_END, 0, bl_claude_notice_response),
	EVENT("on_session_reset", SESSION_END, 0, bl_claude_notice_response),
	EVENT("subagent_start", SUBAGENT_START, 0, bl_claude_notice_response),
	EVENT("subagent_stop", SUBAGENT_STOP, 0, bl_claude_notice_response),
	EVENT("pre_approval_request", NOTIFICATION, 0,
	      bl_claude_notice_response),
	EVENT("post_approval_response", NOTIFICATION, 0,
	      bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "hermes-hooks",
	.marks = { { MARK_PAYLOAD,
		     { "hook_event_name", "profile", "extra" },
		     "payload: profile and extra" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "tool_input" },
		[PAYLOAD_OUTPUT] = { "extra.result" },
		[PAYLOAD_ERROR] = { "extra.error" },
		[PAYLOAD_PROMPT] = { "extra.user_message" },
	},
	.path_fields = { "path", "file_path" },
};

static const char block_text[] = "hooks:\n"
				 "  pre_tool_call:\n"
				 "    - command: @command\n"
				 "      timeout: 20\n"
				 "      fail_closed: true\n"
				 "  post_tool_call:\n"
				 "    - command: @command\n"
				 "      timeout: 20\n";

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_BLOCK,
	.folder = ".hermes",
	.global_folder = ".hermes",
	.files = { { NULL, ".hermes/config.yaml" } },
	.consent = BL_CONSENT_UNSEEN,
	.afterwards = "Hermes asks once for consent to each hook; without a "
		      "terminal it skips those without it, unless "
		      "hooks_auto_accept is on",
	.plugin = block_text,
	.excludes = "hooks",
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"pre_tool_call\",\"tool_name\":\"terminal\","
		  "\"tool_input\":{\"command\":@command},\"cwd\":@cwd,"
		  "\"profile\":\"\",\"extra\":{}}",
};

const struct bl_agent bl_agent_hermes = {
	.name = "hermes",
	.title = "Hermes Agent",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

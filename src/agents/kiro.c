/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kiro, and Amazon Q Developer, its older name: rows only
 * (docs/contracts/agents.md "Kiro"; by their documents, not run).  Before a tool
 * the exit status alone counts: 2 refuses.  At a prompt whatever is printed is
 * context.  The vendor's pages disagree about other exit statuses; belay uses 0
 * and 2 only.
 */
#include "agents/rows.h"

static const struct response_part go_on[] = {
	CONSTANT(TOP, "decision", "block"),
	PART(TOP, "reason", BOTH_REASONS),
};

static const struct bl_response_shape stop_response = {
	"stop",
	{
		[CASE_ALLOW] = { .is_silent = true },
		[CASE_REFUSE] = { FORM(go_on), .effect = DENIES },
		[CASE_ASK] = { .is_silent = true,
			       .degradations = DEGRADES(ASK_DROPPED) },
		[CASE_MODIFY] = { .is_silent = true,
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct response_part context[] = {
	PART(TOP, "text", CONTEXT),
};
static const struct response_part told[] = {
	PART(TOP, "text", TOLD),
};

/* The editor refuses the prompt; the command-line program sends it all the same. */
static const struct bl_response_shape prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(context), .is_text = true },
		[CASE_REFUSE] = { .effect = DENIES,
				  .is_silent = true,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(told), .is_text = true,
			       .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(told), .is_text = true,
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

#define PROMPT_ABILITIES (BL_CAN_REFUSE | BL_CAN_CONTEXT)

/* A trigger is spelled in capitals in files, and not in payloads. */
static const struct bl_hook_event events[] = {
	EVENT("preToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("PreToolUse", TOOL_BEFORE, BL_CAN_REFUSE,
	      bl_exit_2_tool_response),
	EVENT("postToolUse", TOOL_AFTER, 0, bl_exit_2_silent_response),
	EVENT("PostToolUse", TOOL_AFTER, 0, bl_exit_2_silent_response),
	EVENT("userPromptSubmit", PROMPT, PROMPT_ABILITIES, prompt_response),
	EVENT("UserPromptSubmit", PROMPT, PROMPT_ABILITIES, prompt_response),
	EVENT("agentSpawn", SESSION_START, BL_CAN_CONTEXT,
	      bl_exit_2_text_response),
	EVENT("sessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_exit_2_text_response),
	EVENT("SessionStart", SESSION_START, BL_CAN_CONTEXT,
	      bl_exit_2_text_response),
	EVENT("sessionEnd", SESSION_END, 0, bl_exit_2_silent_response),
	EVENT("stop", STOP, BL_CAN_CONTINUE, stop_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, stop_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "kiro-hooks",
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "path", "file_path" },
};

/* One file of our own; matchers are left out, so that every tool comes. */
static const char hooks[] =
	"{ \"version\": \"v1\", \"hooks\": [ { \"name\": \"belay\",\n"
	"  \"trigger\": \"PreToolUse\", \"enabled\": true, \"timeout\": 20,\n"
	"  \"action\": { \"type\": \"command\", \"command\": @closing } },\n"
	"{ \"name\": \"belay\",\n"
	"  \"trigger\": \"PostToolUse\", \"enabled\": true, \"timeout\": 20,\n"
	"  \"action\": { \"type\": \"command\", \"command\": @command } },\n"
	"{ \"name\": \"belay\",\n"
	"  \"trigger\": \"UserPromptSubmit\", \"enabled\": true, \"timeout\": "
	"20,\n"
	"  \"action\": { \"type\": \"command\", \"command\": @command } },\n"
	"{ \"name\": \"belay\",\n"
	"  \"trigger\": \"SessionStart\", \"enabled\": true, \"timeout\": 20,\n"
	"  \"action\": { \"type\": \"command\", \"command\": @command } },\n"
	"{ \"name\": \"belay\",\n"
	"  \"trigger\": \"Stop\", \"enabled\": true, \"timeout\": 20,\n"
	"  \"action\": { \"type\": \"command\", \"command\": @command } } ] "
	"}\n";

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_PLUGIN,
	.folder = ".kiro",
	.global_folder = ".kiro",
	.files = { { ".kiro/hooks/belay.json", ".kiro/hooks/belay.json" } },
	.closes_by_status = true,
	/* hooks run where the project is */
	.project = "",
	.program = "kiro-cli",
	.afterwards =
		"Kiro's older command-line program and Amazon Q read hooks "
		"from each agent's own file: see the guide",
	.plugin = hooks,
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"preToolUse\",\"tool_name\":\"execute_bash\","
		  "\"tool_input\":{\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_kiro = {
	.name = "kiro",
	.title = "Kiro",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

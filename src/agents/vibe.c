/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mistral's Vibe: rows only (docs/contracts/agents.md "Vibe"; by its documents,
 * not run).  A flat decision; hooks are an experiment that has to be turned on.
 */
#include "agents/rows.h"

static const struct response_part deny[] = {
	CONSTANT(TOP, "decision", "deny"),
	PART(TOP, "reason", EVERYTHING),
};

static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_REFUSE] = { FORM(deny), .effect = DENIES,
				  .exits_2 = true },
		[CASE_ASK] = { FORM(deny), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED),
			       .exits_2 = true },
		[CASE_MODIFY] = { .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("before_tool", TOOL_BEFORE, BL_CAN_REFUSE, tool_response),
	EVENT("after_tool", TOOL_AFTER, 0, bl_claude_notice_response),
	EVENT("post_agent_turn", STOP, 0, bl_claude_notice_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "vibe-hooks",
	.marks = { { MARK_ENVIRONMENT,
		     { "VIBE_SESSION_ID" },
		     "environment: VIBE_SESSION_ID" } },
	.fields = {
		CLAUDE_FIELDS,
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
	},
	.path_fields = { "path", "file_path" },
};

static const char block[] = "[[hooks]]\n"
			    "type = \"before_tool\"\n"
			    "command = @closing\n"
			    "timeout = 20\n"
			    "\n"
			    "[[hooks]]\n"
			    "type = \"after_tool\"\n"
			    "command = @command\n"
			    "timeout = 20\n";

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_BLOCK,
	.folder = ".vibe",
	.global_folder = ".vibe",
	.files = { { ".vibe/hooks.toml", ".vibe/hooks.toml" } },
	.consent = BL_CONSENT_UNSEEN,
	.closes_by_status = true,
	.project = "\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)\"/",
	.afterwards = "Vibe runs hooks only with enable_experimental_hooks = "
		      "true in its config.toml",
	.plugin = block,
	.excludes = "hooks",
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"before_tool\",\"tool_name\":\"bash\",\"tool_input\":{"
		  "\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_vibe = {
	.name = "vibe",
	.title = "Mistral Vibe",
	.events = events,
	.event_count = BL_COUNT(events),
	UNKNOWN_EXITS_2,
	.payload = &payload_rows,
	.registration = &registration,
};

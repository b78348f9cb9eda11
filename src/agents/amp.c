/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amp: rows, and the plugin that calls belay (docs/contracts/agents.md "Amp"; by
 * its documents, not run).  The plugin reads the words that OpenCode's reads,
 * and asks the user by a dialogue where there is one.
 */
#include "agents/plugin.h"
#include "agents/rows.h"

static const struct response_part ask[] = {
	CONSTANT(TOP, "decision", "ask"),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct response_part allow[] = {
	CONSTANT(TOP, "decision", "allow"),
};
static const struct response_part refuse[] = {
	PART(TOP, "decision", REFUSAL_WORD),
	PART(TOP, "reason", EVERYTHING),
};
static const struct response_part modify[] = {
	CONSTANT(TOP, "decision", "allow"),
	PART(TOP, "updated_input", FULL_INPUT),
};

/* The dialogue refuses where nobody can be asked. */
static const struct bl_response_shape tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = ASKS },
		[CASE_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE,
	      BL_CAN_REFUSE | BL_CAN_ASK | BL_CAN_REWRITE, tool_response),
	EVENT("PostToolUse", TOOL_AFTER, BL_CAN_FEEDBACK | BL_CAN_CONTEXT,
	      bl_plugin_result_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_plugin_other_response),
};

static const struct bl_payload_rows payload_rows = {
	.dialect = "amp-plugin",
	.marks = { { MARK_PAYLOAD,
		     { "amp_thread" },
		     "payload: amp_thread" } },
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "amp_thread" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_TOOL_NAME] = { "tool" },
		[PAYLOAD_TOOL_INPUT] = { "args" },
		[PAYLOAD_CALL_ID] = { "call_id" },
		[PAYLOAD_OUTPUT] = { "result" },
		[PAYLOAD_LOOPS] = { "loop_count" },
	},
	.path_fields = { "path", "file_path" },
	.emergency = "{\"decision\":\"block\",\"reason\":",
};

static const char plugin[] =
	"// Made by belay init; belay init --remove takes it away.\n"
	"// Amp's plugin interface is experimental, and may change.\n"
	"import { spawn } from \"node:child_process\"\n"
	"\n" BL_PLUGIN_ASK "\n"
	"const reject = (message) => "
	"({ action: \"reject-and-continue\", message })\n"
	"\n"
	"const confirmed = async (ctx, reason) => {\n"
	"  try {\n"
	"    return (await ctx.ui.confirm({ title: \"belay\", "
	"message: reason })) === true\n"
	"  } catch {\n"
	"    return false\n"
	"  }\n"
	"}\n"
	"\n"
	"export default function (amp) {\n"
	"  let continuations = 0\n"
	"  amp.on(\"tool.call\", async (event, ctx) => {\n"
	"    const answer = await ask(process.cwd(), {\n"
	"      hook_event_name: \"PreToolUse\",\n"
	"      amp_thread: event.thread?.id ?? \"\",\n"
	"      call_id: event.toolUseID,\n"
	"      tool: event.tool,\n"
	"      args: event.input ?? {},\n"
	"    })\n"
	"    if (answer.decision === \"ask\")\n"
	"      return (await confirmed(ctx, answer.reason))\n"
	"        ? { action: \"allow\" }\n"
	"        : reject(`${answer.reason}\\n"
	"Ask the user before you try this again.`)\n"
	"    if (answer.decision !== \"allow\") return reject(answer.reason)\n"
	"    if (answer.updated_input) "
	"return { action: \"modify\", input: answer.updated_input }\n"
	"    return { action: \"allow\" }\n"
	"  })\n"
	"  amp.on(\"tool.result\", async (event) => {\n"
	"    const answer = await ask(process.cwd(), {\n"
	"      hook_event_name: \"PostToolUse\",\n"
	"      amp_thread: event.thread?.id ?? \"\",\n"
	"      call_id: event.toolUseID,\n"
	"      tool: event.tool,\n"
	"      args: event.input ?? {},\n"
	"      result: { success: event.status === \"done\", "
	"output: event.output },\n"
	"    })\n"
	"    const said = [...(answer.context ?? [])]\n"
	"    if (answer.decision !== \"allow\") said.push(answer.reason)\n"
	"    if (!said.length) return\n"
	"    return { status: event.status, "
	"output: [event.output, ...said].join(\"\\n\\n\"), "
	"error: event.error }\n"
	"  })\n"
	"  amp.on(\"agent.end\", async (event) => {\n"
	"    if (continuations >= MAX_CONTINUATIONS) return\n"
	"    const answer = await ask(process.cwd(), { hook_event_name: "
	"\"Stop\", "
	"amp_thread: event.thread?.id ?? \"\", loop_count: continuations })\n"
	"    if (answer.failed) return\n"
	"    if (answer.decision !== \"block\" && "
	"answer.decision !== \"deny\") return\n"
	"    continuations++\n"
	"    return { action: \"continue\", userMessage: answer.reason }\n"
	"  })\n"
	"}\n";

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_PLUGIN,
	.folder = ".amp",
	.global_folder = ".config/amp",
	.files = { { ".amp/plugins/belay.ts",
		     ".config/amp/plugins/belay.ts" } },
	.project = "",
	.program = "amp",
	.afterwards = "headless Amp may start before its plugins are loaded: "
		      "pass --plugin-ready-timeout 30 to amp -x",
	.plugin = plugin,
	.canary = "{\"amp_thread\":\"canary\",\"hook_event_name\":"
		  "\"PreToolUse\",\"tool\":\"Bash\",\"args\":{"
		  "\"cmd\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_amp = {
	.name = "amp",
	.title = "Amp",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &bl_plugin_other_response },
	.payload = &payload_rows,
	.registration = &registration,
};

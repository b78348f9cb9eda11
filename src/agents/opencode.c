/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCode: rows, and the plugin that calls belay, since OpenCode has no hooks
 * that are commands.  Responses are those that Cupcake's plugin understands;
 * belay's understands `updated_input` besides, and says so with `takes_input`
 * in what it sends.  Facts: docs/contracts/agents.md "OpenCode",
 * docs/contracts/cupcake.md "Responses".
 */
#include "agents/plugin.h"
#include "agents/rows.h"

#define TAKES_INPUT "takes_input"

static const struct response_part allow[] = {
	PART(TOP, "context", CONTEXT_LIST),
	CONSTANT(TOP, "decision", "allow"),
};
static const struct response_part refuse[] = {
	PART(TOP, "decision", REFUSAL_WORD),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct response_part ask[] = {
	CONSTANT(TOP, "decision", "ask"),
	PART(TOP, "reason", BOTH_REASONS),
};
static const struct response_part modify[] = {
	PART(TOP, "context", TOLD_LIST),
	CONSTANT(TOP, "decision", "allow"),
	{ "updated_input", NULL, TAKES_INPUT, PLACE_TOP, SAY_PATCH },
};

const struct bl_response_shape bl_plugin_tool_response = {
	"tool",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		/* the plugins throw, and the tool does not run */
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(modify), .effect = MODIFIES },
	},
};

/* A permission has no input to change. */
static const struct bl_response_shape permission_response = {
	"permission",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(allow),
				  .degradations = DEGRADES(REWRITE_DROPPED) },
	},
};

const struct bl_response_shape bl_plugin_result_response = {
	"tool result",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES,
				  .degradations = DEGRADES(REFUSAL_FEEDBACK) },
		[CASE_ASK] = { FORM(ask), .degradations = DEGRADES(ASK_TOLD) },
		[CASE_MODIFY] = { FORM(modify),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* The plugin throws, and the prompt is not sent; it adds context to the prompt. */
const struct bl_response_shape bl_plugin_prompt_response = {
	"prompt",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(modify),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

/* Stopped is what has been said to the agent, as for every other agent. */
const struct bl_response_shape bl_plugin_other_response = {
	"other",
	{
		[CASE_ALLOW] = { FORM(allow) },
		[CASE_REFUSE] = { FORM(refuse), .effect = DENIES },
		[CASE_ASK] = { FORM(ask), .effect = DENIES,
			       .degradations = DEGRADES(ASK_DENIED) },
		[CASE_MODIFY] = { FORM(modify),
				  .degradations = DEGRADES(REWRITE_TOLD) },
	},
};

#define TOOL_ABILITIES   (BL_CAN_REFUSE | BL_CAN_REWRITE | BL_CAN_CONTEXT)
#define RESULT_ABILITIES (BL_CAN_FEEDBACK | BL_CAN_CONTEXT)

static const struct bl_hook_event events[] = {
	EVENT("PreToolUse", TOOL_BEFORE, TOOL_ABILITIES,
	      bl_plugin_tool_response),
	EVENT("PostToolUse", TOOL_AFTER, RESULT_ABILITIES,
	      bl_plugin_result_response),
	EVENT("tool.execute.before", TOOL_BEFORE, TOOL_ABILITIES,
	      bl_plugin_tool_response),
	EVENT("tool.execute.after", TOOL_AFTER, RESULT_ABILITIES,
	      bl_plugin_result_response),
	EVENT("PermissionRequest", PERMISSION, BL_CAN_REFUSE,
	      permission_response),
	EVENT("UserPromptSubmit", PROMPT, BL_CAN_REFUSE | BL_CAN_CONTEXT,
	      bl_plugin_prompt_response),
	EVENT("Stop", STOP, BL_CAN_CONTINUE, bl_plugin_other_response),
};

/* ---- the agent ----------------------------------------------------------- */

static const struct bl_payload_rows payload_rows = {
	.dialect = "opencode-plugin",
	.marks = {
		{ MARK_PAYLOAD, { "tool", "args" }, "payload: tool and args" },
		{ MARK_INHERITED, { "OPENCODE" }, "environment: OPENCODE" },
	},
	.fields = {
		[PAYLOAD_EVENT] = { "hook_event_name", "hookEventName" },
		[PAYLOAD_SESSION] = { "session_id" },
		[PAYLOAD_TURN] = { "message_id" },
		[PAYLOAD_CWD] = { "cwd" },
		[PAYLOAD_VERSION] = { "version" },
		[PAYLOAD_AGENT_TYPE] = { "agent" },
		[PAYLOAD_TOOL_NAME] = { "tool", "tool_name" },
		[PAYLOAD_TOOL_INPUT] = { "args", "tool_input" },
		[PAYLOAD_CALL_ID] = { "call_id", "tool_use_id" },
		[PAYLOAD_OUTPUT] = { "result", "tool_response" },
		[PAYLOAD_PROMPT] = { "prompt" },
		[PAYLOAD_MESSAGE] = { "last_assistant_message" },
		[PAYLOAD_LOOPS] = { "loop_count" },
	},
	.path_fields = { "file_path", "path", "filePath" },
	.folder_field = "workdir",
	.mcp_between = "_",
	.emergency = "{\"decision\":\"block\",\"reason\":",
};

/*
 * OpenCode runs no commands at its events; this plugin does.  It answers for
 * itself when belay cannot: a tool does not run then.
 */
const char bl_opencode_plugin[] =
	"// Made by belay init; belay init --remove takes it away.\n"
	"import { spawn } from \"node:child_process\"\n"
	"\n" BL_PLUGIN_ASK "\n"
	"export const Belay = async ({ client, directory }) => {\n"
	"  const notes = new Map() // of a call, for its result\n"
	"  const continuations = new Map() // of a session\n"
	"  const subagents = new Set() // their sessions\n"
	"  return {\n"
	"    \"tool.execute.before\": async (input, output) => {\n"
	"      const answer = await ask(directory, {\n"
	"        hook_event_name: \"PreToolUse\",\n"
	"        session_id: input.sessionID,\n"
	"        call_id: input.callID,\n"
	"        tool: input.tool,\n"
	"        args: output.args ?? {},\n"
	"        takes_input: true,\n"
	"      })\n"
	"      if (answer.decision === \"ask\")\n"
	"        throw new Error(`${answer.reason}\\n"
	"Ask the user before you try this again.`)\n"
	"      if (answer.decision !== \"allow\") "
	"throw new Error(answer.reason)\n"
	"      if (answer.updated_input)\n"
	"        output.args = "
	"Object.assign(output.args ?? {}, answer.updated_input)\n"
	"      if (answer.context) notes.set(input.callID, answer.context)\n"
	"    },\n"
	"    \"tool.execute.after\": async (input, output) => {\n"
	"      const answer = await ask(directory, {\n"
	"        hook_event_name: \"PostToolUse\",\n"
	"        session_id: input.sessionID,\n"
	"        call_id: input.callID,\n"
	"        tool: input.tool,\n"
	"        args: input.args ?? {},\n"
	"        result: {\n"
	"          success: (output.metadata?.exit ?? 0) === 0,\n"
	"          exit_code: output.metadata?.exit,\n"
	"          output: output.output,\n"
	"        },\n"
	"      })\n"
	"      const said = [...(notes.get(input.callID) ?? []), "
	"...(answer.context ?? [])]\n"
	"      if (answer.decision !== \"allow\") said.push(answer.reason)\n"
	"      notes.delete(input.callID)\n"
	"      if (said.length) output.output = "
	"[output.output, ...said].join(\"\\n\\n\")\n"
	"    },\n"
	"    \"chat.message\": async (input, output) => {\n"
	"      const texts = output.parts.filter((part) => "
	"part.type === \"text\")\n"
	"      const answer = await ask(directory, {\n"
	"        hook_event_name: \"UserPromptSubmit\",\n"
	"        session_id: input.sessionID,\n"
	"        agent: input.agent,\n"
	"        prompt: texts.map((part) => part.text).join(\"\\n\"),\n"
	"      })\n"
	"      if (answer.failed) return\n"
	"      if (answer.decision !== \"allow\") "
	"throw new Error(answer.reason)\n"
	"      if (answer.context && texts.length)\n"
	"        texts.at(-1).text = "
	"[texts.at(-1).text, ...answer.context].join(\"\\n\\n\")\n"
	"    },\n"
	"    event: async ({ event }) => {\n"
	"      if (event.type === \"session.created\" && "
	"event.properties.info?.parentID)\n"
	"        subagents.add(event.properties.info.id)\n"
	"      if (event.type !== \"session.idle\") return\n"
	"      const id = event.properties.sessionID\n"
	"      if (subagents.has(id)) return\n"
	"      const count = continuations.get(id) ?? 0\n"
	"      if (count >= MAX_CONTINUATIONS) return\n"
	"      const answer = await ask(directory, "
	"{ hook_event_name: \"Stop\", session_id: id, loop_count: count })\n"
	"      if (answer.failed) return\n"
	"      if (answer.decision !== \"block\" && "
	"answer.decision !== \"deny\") return\n"
	"      continuations.set(id, count + 1)\n"
	"      await client.session.promptAsync({\n"
	"        path: { id },\n"
	"        body: { parts: [{ type: \"text\", text: answer.reason }] },\n"
	"      })\n"
	"    },\n"
	"  }\n"
	"}\n";

static const struct bl_registration registration = {
	.form = BL_REGISTRATION_PLUGIN,
	.folder = ".opencode",
	.global_folder = ".config/opencode",
	.files = { { ".opencode/plugins/belay.js",
		     ".config/opencode/plugins/belay.js" } },
	.project = "",
	.plugin = bl_opencode_plugin,
	.canary = "{\"session_id\":\"canary\",\"hook_event_name\":"
		  "\"PreToolUse\",\"tool\":\"bash\",\"args\":{"
		  "\"command\":@command},\"cwd\":@cwd}",
};

const struct bl_agent bl_agent_opencode = {
	.name = "opencode",
	.title = "OpenCode",
	.measured = "1.18.33",
	.events = events,
	.event_count = BL_COUNT(events),
	.unknown = { .name = "",
		     .kind = BL_EVENT_UNKNOWN,
		     .capabilities = BL_CAN_REFUSE,
		     .response = &bl_plugin_other_response },
	.renames_tools = true,
	.payload = &payload_rows,
	.registration = &registration,
};

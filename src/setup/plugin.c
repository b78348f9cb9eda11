/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.c: OpenCode's side.  OpenCode runs no commands at its events; this
 * plugin does (docs/contracts/agents.md "OpenCode").  It answers for itself
 * when belay cannot: a tool does not run then.
 */
#include "os/os.h"
#include "setup/agents.h"

static const char plugin[] =
	"// Made by belay init; belay init --remove takes it away.\n"
	"import { spawn } from \"node:child_process\"\n"
	"\n"
	"const PROGRAM = @program\n"
	"const ARGUMENTS = [\"eval\", \"--harness\", \"opencode\", "
	"\"--policy-dir\", @dir]\n"
	"const TIMEOUT_MS = 20000\n"
	"const MAX_CONTINUATIONS = 5\n"
	"\n"
	"const refusal = (reason) => ({ decision: \"block\", reason })\n"
	"\n"
	"const read = (text, errors) => {\n"
	"  try {\n"
	"    const answer = JSON.parse(text)\n"
	"    if (typeof answer.decision === \"string\") return answer\n"
	"  } catch {}\n"
	"  return refusal(`belay gave no answer: ${errors || text}`)\n"
	"}\n"
	"\n"
	"const ask = (directory, event) =>\n"
	"  new Promise((resolve) => {\n"
	"    const child = spawn(PROGRAM, ARGUMENTS, { cwd: directory })\n"
	"    let output = \"\"\n"
	"    let errors = \"\"\n"
	"    const end = (answer) => {\n"
	"      clearTimeout(timer)\n"
	"      resolve(answer)\n"
	"    }\n"
	"    const timer = setTimeout(() => {\n"
	"      child.kill(\"SIGKILL\")\n"
	"      end(refusal(\"belay took too long\"))\n"
	"    }, TIMEOUT_MS)\n"
	"    child.on(\"error\", (error) => "
	"end(refusal(`belay does not run: ${error.message}`)))\n"
	"    child.on(\"close\", () => end(read(output, errors)))\n"
	"    child.stdout.on(\"data\", (data) => (output += data))\n"
	"    child.stderr.on(\"data\", (data) => (errors += data))\n"
	"    child.stdin.on(\"error\", () => {})\n"
	"    child.stdin.end(JSON.stringify({ ...event, cwd: directory }))\n"
	"  })\n"
	"\n"
	"export const Belay = async ({ client, directory }) => {\n"
	"  const notes = new Map() // of a call, for its result\n"
	"  const continuations = new Map() // of a session\n"
	"  return {\n"
	"    \"tool.execute.before\": async (input, output) => {\n"
	"      const answer = await ask(directory, {\n"
	"        hook_event_name: \"PreToolUse\",\n"
	"        session_id: input.sessionID,\n"
	"        call_id: input.callID,\n"
	"        tool: input.tool,\n"
	"        args: output.args,\n"
	"        takes_input: true,\n"
	"      })\n"
	"      if (answer.decision === \"ask\")\n"
	"        throw new Error(`${answer.reason}\\n"
	"Ask the user before you try this again.`)\n"
	"      if (answer.decision !== \"allow\") "
	"throw new Error(answer.reason)\n"
	"      Object.assign(output.args, answer.updated_input)\n"
	"      if (answer.context) notes.set(input.callID, answer.context)\n"
	"    },\n"
	"    \"tool.execute.after\": async (input, output) => {\n"
	"      const answer = await ask(directory, {\n"
	"        hook_event_name: \"PostToolUse\",\n"
	"        session_id: input.sessionID,\n"
	"        call_id: input.callID,\n"
	"        tool: input.tool,\n"
	"        args: input.args ?? {},\n"
	"        result: { success: true, output: output.output },\n"
	"      })\n"
	"      const said = [...(notes.get(input.callID) ?? []), "
	"...(answer.context ?? [])]\n"
	"      if (answer.decision !== \"allow\") said.push(answer.reason)\n"
	"      notes.delete(input.callID)\n"
	"      if (said.length) output.output = "
	"[output.output, ...said].join(\"\\n\\n\")\n"
	"    },\n"
	"    event: async ({ event }) => {\n"
	"      if (event.type !== \"session.idle\") return\n"
	"      const id = event.properties.sessionID\n"
	"      const count = continuations.get(id) ?? 0\n"
	"      if (count >= MAX_CONTINUATIONS) return\n"
	"      const answer = await ask(directory, "
	"{ hook_event_name: \"Stop\", session_id: id, loop_count: count })\n"
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

struct bl_str bl_setup_plugin(const struct bl_setup *setup,
			      struct bl_arena *arena)
{
	const struct setup_word words[] = {
		{ "@program", setup->program, .is_json = true },
		{ "@dir",
		  setup->is_global ? setup->policy_dir
				   : bl_path_base(setup->policy_dir),
		  .is_json = true },
	};

	return bl_setup_fill(arena, plugin, words, BL_COUNT(words));
}

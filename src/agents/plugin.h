/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents/plugin.h: the part of a plugin in JavaScript that starts belay and reads
 * its answer, for agents whose hooks are plugins.  ask(directory, event) gives an
 * object with a decision; whatever goes wrong, that is "block".
 */
#ifndef BELAY_AGENTS_PLUGIN_H
#define BELAY_AGENTS_PLUGIN_H

#define BL_PLUGIN_ASK                                                          \
	"const PROGRAM = @program\n"                                           \
	"const ARGUMENTS = [\"eval\", \"--harness\", @agent, "                 \
	"\"--policy-dir\", @dir]\n"                                            \
	"const TIMEOUT_MS = 20000\n"                                           \
	"const MAX_CONTINUATIONS = 5\n"                                        \
	"\n"                                                                   \
	"// No decision: a tool does not run then; a prompt and an end go "    \
	"on.\n"                                                                \
	"const refusal = (reason) => "                                         \
	"({ decision: \"block\", reason, failed: true })\n"                    \
	"\n"                                                                   \
	"const read = (text, errors) => {\n"                                   \
	"  try {\n"                                                            \
	"    const answer = JSON.parse(text)\n"                                \
	"    if (typeof answer.decision === \"string\") return answer\n"       \
	"  } catch {}\n"                                                       \
	"  return refusal(`belay gave no answer: ${errors || text}`)\n"        \
	"}\n"                                                                  \
	"\n"                                                                   \
	"const ask = (directory, event) =>\n"                                  \
	"  new Promise((resolve) => {\n"                                       \
	"    const child = spawn(PROGRAM, ARGUMENTS, { cwd: directory })\n"    \
	"    let output = \"\"\n"                                              \
	"    let errors = \"\"\n"                                              \
	"    const end = (answer) => {\n"                                      \
	"      clearTimeout(timer)\n"                                          \
	"      resolve(answer)\n"                                              \
	"    }\n"                                                              \
	"    const timer = setTimeout(() => {\n"                               \
	"      child.kill(\"SIGKILL\")\n"                                      \
	"      end(refusal(\"belay took too long\"))\n"                        \
	"    }, TIMEOUT_MS)\n"                                                 \
	"    child.on(\"error\", (error) => "                                  \
	"end(refusal(`belay does not run: ${error.message}`)))\n"              \
	"    child.on(\"close\", () => end(read(output, errors)))\n"           \
	"    child.stdout.on(\"data\", (data) => (output += data))\n"          \
	"    child.stderr.on(\"data\", (data) => (errors += data))\n"          \
	"    child.stdin.on(\"error\", () => {})\n"                            \
	"    child.stdin.end(JSON.stringify({ ...event, cwd: directory }))\n"  \
	"  })\n"

#endif

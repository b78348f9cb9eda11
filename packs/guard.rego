# guard: belay itself, and the agents' own configuration.
package belay.packs

import rego.v1

# Changes of what is guarded; reading it is free.
guarded contains effect if {
	some effect in effects
	effect.guard
	effect.kind in {"write", "delete", "chmod"}
}

is_weakening(command, word) if {
	word in {"allow", "ask", "deny", "exempt", "uninstall"}
	command.argv[1] == word
}

is_weakening(command, word) if {
	word in {"add", "remove"}
	command.argv[1] == "trust"
}

is_weakening(command, word) if {
	word == "--remove"
	command.argv[1] == "init"
}

is_weakening(command, word) if {
	word in {"logout", "accept"}
	command.argv[1] == "team"
}

# METADATA
# title: belay's own rules and records
# custom:
#   id: guard/config
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: ask the person to change them in a terminal of their own
hits contains found("guard/config", effect) if {
	some effect in guarded
	effect.guard == "config"
}

# METADATA
# title: The settings of an agent
# custom:
#   id: guard/agent-settings
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: say which change is wanted; the person makes it
hits contains found("guard/agent-settings", effect) if {
	some effect in guarded
	effect.guard in {"agent-settings", "hooks", "managed"}
}

# METADATA
# title: A folder that holds what guards
# custom:
#   id: guard/parent
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: work on the files beside it
hits contains found("guard/parent", effect) if {
	some effect in effects
	effect.kind in {"delete", "chmod"}
	"guard" in effect.holds
	not effect.guard
	is_wide(effect)
}

# METADATA
# title: The program that guards
# custom:
#   id: guard/program
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: belay init --remove, by the person, in a terminal
hits contains found("guard/program", effect) if {
	some effect in guarded
	effect.guard == "program"
}

# chmod -x "$(command -v belay)": the target is what another command prints.
hits contains found("guard/program", effect) if {
	some effect in effects
	effect.kind in {"chmod", "delete", "write"}
	effect.state == "unknown"
	some command in commands
	command.program in {"command", "which", "type", "whereis", "realpath", "readlink"}
	some word in command.argv
	regex.match(`(^|/)(belay|belay-tools|cupcake)$`, word)
}

hits contains found_command("guard/program", command) if {
	some command in live_commands
	command.program in {"chmod", "rm", "mv", "ln", "cp", "install", "truncate", "dd"}
	some other in commands
	other.program in {"command", "which", "type", "whereis"}
	some word in other.argv
	regex.match(`(^|/)(belay|belay-tools|cupcake)$`, word)
	some i, state in command.states
	state == "unknown"
	i > 0
}

hits contains found_command("guard/program", command) if {
	some command in live_commands
	command.program in {"npm", "pnpm", "yarn", "pip", "pip3", "uv", "brew", "apt", "apt-get", "dnf", "cargo"}
	some verb in command.operands
	verb in {"uninstall", "remove", "rm", "un", "r", "unlink", "purge"}
	some word in command.operands
	regex.match(`(^|[-/])(belay|guard|cupcake)($|[-@])`, word)
}

# METADATA
# title: The record of decisions
# custom:
#   id: guard/log
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("guard/log", effect) if {
	some effect in guarded
	effect.guard in {"log", "state"}
}

# METADATA
# title: A server of tools is added or changed
# custom:
#   id: guard/mcp-config
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name the server; the person adds it
hits contains found("guard/mcp-config", effect) if {
	some effect in guarded
	effect.guard == "mcp"
}

hits contains found_command("guard/mcp-config", command) if {
	some command in live_commands
	command.program in {"claude", "codex", "gemini", "cursor-agent", "opencode", "droid"}
	command.operands[0] == "mcp"
	command.operands[1] in {"add", "add-json", "remove"}
}

# METADATA
# title: Instructions of an agent outside the workspace
# custom:
#   id: guard/instructions
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: put them in a file of the project
hits contains found("guard/instructions", effect) if {
	some effect in guarded
	effect.guard == "instructions"
	effect.place != "workspace"
}

# METADATA
# title: A command that weakens the guard
# custom:
#   id: guard/command
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: give it to the person
hits contains found_command("guard/command", command) if {
	some command in commands
	command.program in {"belay", "belay-tools", "cupcake"}
	some word in command.argv
	is_weakening(command, word)
}

# METADATA
# title: A signal to the guard or the agent
# custom:
#   id: guard/process
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: end the one process that you started
hits contains found("guard/process", effect) if {
	some effect in effects
	effect.kind == "process"
	regex.match(`(^|/|\b)(belay|cupcake|claude|cursor|opencode|droid|codex|gemini)(\b|$)`, object.get(effect, "target", ""))
}

# METADATA
# title: An agent without its questions
# custom:
#   id: guard/agent-bypass
#   severity: high
#   modes: [ask, deny, deny]
#   instead: start it with approvals on
hits contains found_command("guard/agent-bypass", command) if {
	some command in live_commands
	command.program in {"claude", "codex", "gemini", "cursor-agent", "opencode", "droid", "copilot", "qwen", "cline", "amp", "aider"}
	some word in command.argv
	regex.match(`^(--dangerously-skip-permissions|--yolo|-y|--allow-all-tools|--full-auto|--dangerously-bypass-approvals-and-sandbox|--skip-permissions-unsafe|--permission-mode=bypassPermissions|bypassPermissions|--yes-always|--force|-f)$`, word)
}

# METADATA
# title: Characters that deceive a reader
# custom:
#   id: guard/deceptive
#   severity: high
#   modes: [ask, ask, deny]
#   instead: type it again in plain characters
hits contains found_text("guard/deceptive", one, "the line holds") if {
	some one in opaque
	one.reason == "deceptive"
}

# METADATA
# title: A line that is not the shell's language
# custom:
#   id: guard/syntax
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: correct it; bash -n says where
hits contains found_text("guard/syntax", one, "the line does not parse:") if {
	some one in opaque
	one.reason == "syntax"
	not "command" in object.keys(one)
}

# METADATA
# title: More than can be followed
# custom:
#   id: guard/limit
#   severity: high
#   modes: [ask, ask, deny]
#   instead: split the line
hits contains found_text("guard/limit", one, "belay stopped looking:") if {
	some one in opaque
	one.reason == "limit"
}

# METADATA
# title: Git takes away files of the guard
# custom:
#   id: guard/by-git
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: leave the path out with -- ':!PATH'
hits contains found_command("guard/by-git", command) if {
	some command in live_commands
	command.program == "git"
	words_of(command)[0] in {"stash", "clean", "rm", "mv", "checkout", "restore"}
	some word in array.slice(command.argv, 2, count(command.argv))
	regex.match(`(^|/)\.(belay|cupcake)(/|$)|(^|/)\.(claude/settings[^/]*\.json|cursor/hooks\.json|factory/(hooks|settings)\.json)$`, word)
}

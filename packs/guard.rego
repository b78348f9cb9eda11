# guard: belay itself, and the agents' own configuration.
package belay.packs

import rego.v1

# These rules also decide where nothing is configured (src/sources/policies/packs.c).
hits contains hit if some hit in guard_hits

# Changes of guarded files; reading them is free.
guarded contains effect if {
	some effect in effects
	effect.guard
	changes_it(effect)
}

changes_it(effect) if effect.kind in {"write", "delete", "chmod"}

changes_it(effect) if {
	effect.kind == "git"
	effect.action in {"discard", "clean"}
}

# The words of a command of belay: its subcommand may stand behind options.
belay_words(command) := [word |
	some i, word in command.argv
	i > 0
	not startswith(word, "-")
]

is_weakening(command) if {
	some i, word in belay_words(command)
	i < 3
	word in {"allow", "exempt", "uninstall"}
}

is_weakening(command) if {
	words := belay_words(command)
	some i, word in words
	word == "trust"
	words[i + 1] in {"add", "remove"}
}

is_weakening(command) if {
	"init" in belay_words(command)
	some word in command.argv
	regex.match(`^--(remove|level)`, word)
}

is_weakening(command) if {
	words := belay_words(command)
	some i, word in words
	word == "team"
	words[i + 1] in {"logout", "accept"}
}

# A word that is not known may be any of these.
is_weakening(command) if command.states[1] == "unknown"

is_weakening(command) if {
	command.argv[1] in {"trust", "init", "team"}
	"unknown" in command.states
}

# METADATA
# title: belay's own rules and records
# custom:
#   id: guard/config
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: ask the person to change them in a terminal of their own
guard_hits contains found("guard/config", effect) if {
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
guard_hits contains found("guard/agent-settings", effect) if {
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
guard_hits contains found("guard/parent", effect) if {
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
guard_hits contains found("guard/program", effect) if {
	some effect in guarded
	effect.guard == "program"
}

# chmod -x "$(command -v belay)": the target is what another command prints.
guard_hits contains found("guard/program", effect) if {
	some effect in effects
	effect.kind in {"chmod", "delete", "write"}
	effect.state == "unknown"
	some command in commands
	command.program in {"command", "which", "type", "whereis", "realpath", "readlink"}
	some word in command.argv
	regex.match(`(^|/)(belay|belay-tools|cupcake)$`, word)
}

guard_hits contains found_command("guard/program", command) if {
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

guard_hits contains found_command("guard/program", command) if {
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
guard_hits contains found("guard/log", effect) if {
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
guard_hits contains found_command("guard/command", command) if {
	some command in commands
	command.program in {"belay", "belay-tools", "cupcake"}
	is_weakening(command)
}

# METADATA
# title: A signal to the guard or the agent
# custom:
#   id: guard/process
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: end the one process that you started
guard_hits contains found("guard/process", effect) if {
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

# Behind what belay followed, the line names what guards.
guard_hits contains found_text("guard/limit", one, "belay stopped looking:") if {
	some one in opaque
	one.reason == "limit"
	regex.match(`belay|cupcake|\.(claude|cursor|factory|opencode)`, input.belay.tool.shell.command)
}

# METADATA
# title: Git takes away files of the guard
# custom:
#   id: guard/by-git
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: leave the path out with -- ':!PATH'
guard_hits contains found_command("guard/by-git", command) if {
	some command in live_commands
	command.program == "git"
	belay_words(command)[0] in {"stash", "clean", "rm", "mv", "checkout", "restore"}
	some word in array.slice(command.argv, 2, count(command.argv))
	regex.match(`(^|/)\.(belay|cupcake)(/|$)|(^|/)\.(claude/settings[^/]*\.json|cursor/hooks\.json|factory/(hooks|settings)\.json)$`, word)
}

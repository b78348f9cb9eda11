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
	words := belay_words(command)
	some i, word in words
	i < 3
	word in {"allow", "ask", "deny", "exempt", "uninstall"}
	not words[0] in {"check", "completion", "explain", "help", "log", "packs", "shell"}
}

is_weakening(command) if {
	words := belay_words(command)
	some i, word in words
	word == "trust"
	words[i + 1] in {"add", "remove"}
}

# Another program in belay's place guards nothing.
is_weakening(command) if {
	"init" in belay_words(command)
	some word in command.argv
	regex.match(`^--(remove|level|program)`, word)
}

is_weakening(command) if {
	words := belay_words(command)
	some i, word in words
	word == "team"
	words[i + 1] in {"logout", "accept"}
}

is_weakening(command) if {
	words := belay_words(command)
	some i, word in words
	word == "opa"
	words[i + 1] in {"leave", "sync"}
}

# Its pages change trust and rules.
is_weakening(command) if belay_words(command)[0] == "ui"

is_weakening(command) if command.program == "belay-ui"

# A word that is not known may be any of these.
is_weakening(command) if command.states[1] == "unknown"

is_weakening(command) if {
	command.argv[1] in {"trust", "init", "team", "opa"}
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

# The transcripts of agents: adding is what they do themselves.
hits contains found("guard/log", effect) if {
	some effect in effects
	effect.kind in {"write", "delete"}
	effect.path
	regex.match(`\.jsonl$`, effect.target)
	is_session(effect.target)
	not "append" in effect.details
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
	command.program in {"belay", "belay-tools", "belay-ui", "cupcake"}
	is_weakening(command)
}

# The subcommand is computed: nobody knows that it is a harmless one.
guard_hits contains found_command("guard/command", command) if {
	some command in commands
	command.program in {"belay", "belay-tools", "cupcake"}
	command.states[1] == "unknown"
}

# Terminals, and languages that can open one, take the line as a text.
opens_terminals := {
	"script", "expect", "unbuffer", "tmux", "screen", "socat", "dtach", "abduco", "zellij", "xterm", "rxvt",
	"urxvt", "gnome-terminal", "konsole", "kitty", "alacritty", "wezterm", "foot", "ghostty", "xfce4-terminal",
	"x-terminal-emulator", "vim", "nvim", "vi", "emacs", "emacsclient", "make", "gmake", "gdb",
	"crontab", "at", "batch",
}

is_asked_to_weaken(text) if regex.match(`(^|/)belay-ui\b["', ]+/`, text)

is_asked_to_weaken(text) if regex.match(`(?s)\b(belay|belay-tools|cupcake)\b[^A-Za-z0-9_./-]{1,12}(allow|exempt|ui|uninstall)\b`, text)

guard_hits contains found_command("guard/command", command) if {
	some command in live_commands
	command.program in (opens_terminals | interpreters)
	is_asked_to_weaken(concat(" ", array.concat(command.argv, [object.get(command, "input", "")])))
}

# The shell's own commands that take words and run none.
takes_words := {"echo", "printf", "test", "[", "read", "export", "declare", "local", "readonly", "set", "alias", "type", "hash"}

starts_words(command) if {
	not command.row
	not command.program in takes_words
}

# faketty belay allow K7M2QX: a program that no table knows may start another.
guard_hits contains found_command("guard/command", command) if {
	some command in live_commands
	starts_words(command)
	some i, word in command.argv
	i > 0
	regex.match(`(^|/)(belay|belay-tools|cupcake)$`, word)
	command.argv[i + 1] in {"allow", "exempt", "ui", "uninstall"}
}

guard_hits contains found_command("guard/command", command) if {
	some command in live_commands
	starts_words(command)
	some word in command.argv
	regex.match(`^([^ ]*/)?(belay|belay-tools|cupcake) +(allow|exempt|ui|uninstall)\b`, word)
}

# alias b=belay; b ui: the name alone, so that anything can be asked of it.
guard_hits contains found_command("guard/command", command) if {
	some command in live_commands
	command.program == "alias"
	some word in command.argv
	regex.match(`=([^ ]*/)?(belay|belay-tools|belay-ui|cupcake)$`, word)
}

# ./b allow K7M2QX: the program by another name, with a code.
guard_hits contains found_command("guard/command", command) if {
	some command in live_commands
	starts_words(command)
	command.argv[1] == "allow"
	regex.match(`^[0-9A-Za-z]{6}$`, command.argv[2])
}

# A copy of the program would be a program that nothing guards.
hits contains found("guard/program", effect) if {
	some effect in effects
	effect.guard == "program"
	effect.kind == "read"
	program_of(effect) in {"cp", "ln", "install", "mv", "rsync", "scp", "dd", "cat", "tee", "tar", "cpio", "zip"}
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
	command.program in agents
	some word in command.argv
	regex.match(`^(--dangerously-skip-permissions|--yolo|-y|--allow-all-tools|--full-auto|--dangerously-bypass-approvals-and-sandbox|--skip-permissions-unsafe|--permission-mode=bypassPermissions|bypassPermissions|--yes-always|--force|-f|--approval-mode=yolo|--auto-approve|--allow-all-paths|--allow-all|--trust-all-tools|--ask-for-approval=never|--setting-sources=?|--dangerously-allow-all)$`, word)
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

# METADATA
# title: Variables that take the hooks away
# description: For an agent that is started, or for all that follows.
# custom:
#   id: guard/environment
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: run it without them
hits contains found_command("guard/environment", command) if {
	some command in live_commands
	command.program in {"export", "declare", "typeset", "readonly", "setenv"}
	some word in command.argv
	regex.match(`^(CLAUDE_CONFIG_DIR|CLAUDE_CODE_[A-Z_]*HOOKS?[A-Z_]*|CODEX_HOME|GEMINI_CLI_HOME|GEMINI_CLI_SYSTEM_SETTINGS_PATH|QWEN_HOME|CURSOR_CONFIG_DIR|COPILOT_HOME|XDG_CONFIG_HOME|FACTORY_HOME|OPENCODE_CONFIG(_DIR|_CONTENT)?|BELAY_[A-Z_]+|CUPCAKE_[A-Z_]+)=`, word)
}

hits contains found_command("guard/environment", command) if {
	some command in live_commands
	command.program in agents
	some name in object.keys(object.get(command, "environment", {}))
	regex.match(`^(HOME|USERPROFILE|XDG_CONFIG_HOME|CLAUDE_CONFIG_DIR|CLAUDE_CODE_.*HOOK.*|CODEX_HOME|GEMINI_CLI_HOME|GEMINI_CLI_SYSTEM_SETTINGS_PATH|QWEN_HOME|CURSOR_CONFIG_DIR|COPILOT_HOME|FACTORY_HOME|OPENCODE_CONFIG.*|BELAY_.*|CUPCAKE_.*|PATH)$`, name)
}

hits contains found_command("guard/environment", command) if {
	some command in live_commands
	command.program in agents
	some other in live_commands
	other.program in {"export", "declare", "typeset"}
	some word in other.argv
	regex.match(`^(HOME|USERPROFILE|PATH)=`, word)
}

# METADATA
# title: An agent is started
# custom:
#   id: guard/agent-start
#   severity: low
#   modes: ["off", monitor, ask]
hits contains found_command("guard/agent-start", command) if {
	some command in live_commands
	command.program in agents
	count(command.argv) > 1
	not command.argv[1] in {"--version", "-v", "-V", "--help", "-h", "help", "version", "mcp", "doctor", "update", "config", "login", "logout", "auth", "completion", "plugin"}
}

# METADATA
# title: The stored sessions of an agent are changed
# custom:
#   id: guard/other-session
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: copy them, and work on the copy
hits contains found("guard/other-session", effect) if {
	some effect in effects
	effect.kind in {"write", "chmod"}
	is_session(effect.target)
}

# METADATA
# title: A folder or tool is marked as trusted
# custom:
#   id: guard/trust-mark
#   severity: high
#   modes: [ask, deny, deny]
#   instead: let the person answer the question
hits contains found("guard/trust-mark", effect) if {
	some effect in effects
	effect.kind == "write"
	effect.path
	regex.match(`/(trustedFolders|trusted-folders|trusted_folders)\.json$|/\.workspace-trusted$`, effect.target)
}

hits contains found_command("guard/trust-mark", command) if {
	some command in live_commands
	command.program in {"direnv", "mise", "rtx"}
	some verb in array.slice(command.argv, 1, 3)
	verb in {"allow", "permit", "grant", "trust"}
}

hits contains found_command("guard/trust-mark", command) if {
	some command in live_commands
	command.program in {"code", "cursor", "codium", "windsurf", "code-insiders"}
	"--disable-workspace-trust" in command.argv
}

# METADATA
# title: The sandbox of an agent is left
# custom:
#   id: guard/sandbox-off
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: run it inside, and say what is missing
hits contains found_command("guard/sandbox-off", command) if {
	some command in live_commands
	command.program in agents
	some word in command.argv
	regex.match(`^(--no-sandbox|--sandbox=(none|false|danger-full-access)|danger-full-access|--dangerously-bypass-approvals-and-sandbox|--dangerously-disable-sandbox)$`, word)
}

# The agents that belay knows by their programs.
agents := {
	"claude", "codex", "gemini", "cursor-agent", "opencode", "droid", "copilot", "qwen", "cline", "amp", "aider", "goose", "kiro-cli",
	"q", "crush", "auggie", "kimi", "letta", "pi", "grok", "openhands", "plandex", "continue", "cn",
}

# Where agents keep what was said and done; their memory and plans are for them to write.
is_session(path) if {
	regex.match(`/\.(claude/(projects|sessions|todos|history\.jsonl|statsig|shell-snapshots)|codex/(sessions|history\.jsonl)|cursor/(chats|projects)|gemini/(tmp|[^/]+/(brain|conversations))|qwen/tmp|factory/sessions|copilot/(session-state|history-session-state))(/|$)|/\.local/share/(opencode|amp|crush)/`, path)
	not regex.match(`/memory(/|$)|/plans?(/|$)|MEMORY\.md$`, path)
}

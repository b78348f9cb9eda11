# remote-code: code from elsewhere that is run here.
package belay.packs

import rego.v1

# METADATA
# title: Text from the network is run
# description: By a pipe, a substitution, a file that was just downloaded.
# custom:
#   id: remote-code/pipe
#   severity: high
#   modes: [ask, deny, deny]
#   instead: download it, read it, then run it
hits contains found("remote-code/pipe", effect) if {
	some effect in network_code
	not is_saved(effect)
	not is_substituted(effect)
}

hits contains found_opaque("remote-code/pipe", one) if {
	some one in opaque
	one.reason in {"code", "script", "program"}
	"network" in one.origins
	count(network_code) == 0
}

# METADATA
# title: A program is run by its address
# custom:
#   id: remote-code/url-run
#   severity: high
#   modes: [ask, deny, deny]
#   instead: add it as a dependency
hits contains found_command("remote-code/url-run", command) if {
	some command in live_commands
	command.program in {"deno", "bun", "node"}
	some word in command.operands
	regex.match(`^https?://`, word)
	not command.operands[0] in {"install", "add", "cache"}
}

# go run MODULE@VERSION fetches, builds and runs; the Go project's own tools are known.
hits contains found("remote-code/url-run", effect) if {
	some effect in acts["execute:go"]
	contains(effect.target, "@")
	not regex.match(`^(golang\.org/x|google\.golang\.org)/`, effect.target)
}

# Runners of packages, with an address in place of a name.
hits contains found_command("remote-code/url-run", command) if {
	some command in live_commands
	runs_packages(command)
	some word in array.slice(command.argv, 1, 5)
	regex.match(`^(git\+|https?://|git@|github:|gitlab:|bitbucket:|gist:|git://)`, word)
}

runs_packages(command) if command.program in {"npx", "bunx", "uvx", "pnpx"}

runs_packages(command) if object.get(command, "row", "") in {"pnpm dlx", "yarn dlx", "bun x", "npm exec", "npm x", "pipx run", "uv tool run"}

# METADATA
# title: A package from an address
# custom:
#   id: remote-code/package-url
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: a version from the registry
hits contains found("remote-code/package-url", effect) if {
	some effect in effects
	effect.kind == "package"
	regex.match(`^(git\+|https?://|git@|github:|git://)`, effect.target)
}

# METADATA
# title: Decoded text is run
# custom:
#   id: remote-code/decoded
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: write it as plain text
hits contains found("remote-code/decoded", effect) if {
	some effect in effects
	effect.kind == "execute"
	"decoded" in effect.origins
}

hits contains found_command("remote-code/decoded", command) if {
	some command in commands
	command.program in {"pwsh", "powershell", "powershell.exe", "pwsh.exe"}
	some word in command.argv
	regex.match(`(?i)^[-/]e(nc?|c|ncodedcommand)?$`, word)
}

hits contains found_opaque("remote-code/decoded", one) if {
	some one in opaque
	one.reason in {"code", "script", "program"}
	"decoded" in one.origins
}

# METADATA
# title: Text that a program prints is run
# custom:
#   id: remote-code/generated
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: print it first
hits contains found_opaque("remote-code/generated", one) if {
	some one in opaque
	one.reason in {"code", "program"}
	"generated" in one.origins
	not "network" in one.origins
	not "decoded" in one.origins
	not regex.match(`^\$?\(?\s*(ssh-agent|dircolors|brew|direnv|(py|rb|nod|j|go)env|fnm|mise|rtx|asdf|starship|zoxide|atuin|thefuck|fzf|conda|mamba|micromamba|docker-machine|opam|luarocks|keychain|lesspipe|gpgconf|register-python-argcomplete|pixi|rustup|pack|minikube|vault|saml2aws|aws-vault|granted)( |$)`, object.get(one, "what", ""))
	not prints_completion(one)
	not is_compiled(one)
}

# source <(kubectl completion bash)
prints_completion(one) if {
	some command in live_commands
	command.program == object.get(one, "what", "")
	some word in command.argv
	regex.match(`^(--)?completions?$|^(--)?(generate-)?(shell-)?completion(s|-script)?$`, word)
}

# A compiler's output is a program built from the project's own source.
is_compiled(one) if {
	regex.match(`^(go|cc|c99|gcc|g\+\+|clang|clang\+\+|rustc|cargo|make|cmake|ninja|tsc|javac|zig|ld)$`, object.get(one, "what", ""))
	some effect in acts["execute:script"]
	effect.command == one.command
	"written" in effect.origins
}

# METADATA
# title: A command that is not known
# custom:
#   id: remote-code/opaque
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: spell it out
hits contains found_opaque("remote-code/opaque", one) if {
	some one in opaque
	one.reason in {"program", "code"}
	not object.get(command_of(one), "program", "") in filters
	not "generated" in one.origins
	not "network" in one.origins
	not "decoded" in one.origins
}

# bash "$SCRIPT": which file is run depends on a variable.
hits contains found_opaque("remote-code/opaque", one) if {
	some one in opaque
	one.reason == "script"
	"variable" in one.origins
	some effect in acts["execute:script"]
	effect.command == one.command
	effect.state == "unknown"
	effect.place == "unknown"
}

# Their programs choose and change text; statements are judged by databases/opaque.
filters := {"sed", "awk", "gawk", "mawk", "jq", "psql", "mysql", "mariadb", "sqlite3", "expect"}

# METADATA
# title: A script from outside the workspace
# custom:
#   id: remote-code/outside-script
#   severity: medium
#   modes: ["off", ask, deny]
#   instead: copy it in, and read it
hits contains found("remote-code/outside-script", effect) if {
	some effect in acts["execute:script"]
	effect.place in {"home", "other", "temp"}
	not "elsewhere" in effect.details
	not "written" in effect.origins
	not is_installed_tool(effect.target)
}

# Folders where tools are installed; a write to them is judged for itself (persistence/path).
is_installed_tool(path) if regex.match(`^/(home|Users)/[^/]+/(Library/Android/sdk|Android/Sdk|\.cargo/bin|\.local/bin|go/bin|\.bun/bin|\.deno/bin|\.nvm/versions|\.volta|\.pyenv|\.rbenv|\.asdf|\.sdkman|\.local/share/(mise|pnpm|uv|pipx)|\.dotnet|\.rustup|\.foundry/bin|flutter/bin|miniconda3/bin|anaconda3/bin|Library/pnpm)/|^/(opt/homebrew|home/linuxbrew/\.linuxbrew|nix/store|snap)/|/node_modules/\.bin/`, path)

# METADATA
# title: A variable that loads code into programs
# custom:
#   id: remote-code/preload
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("remote-code/preload", effect) if {
	some effect in acts["execute:preload"]
}

# A module or agent from outside the project, loaded by a variable of the runtime.
hits contains found_command("remote-code/preload", command) if {
	some command in live_commands
	some setting in runtime_settings(command)
	regex.match(`^NODE_OPTIONS=(.*[ "'])?(-r|--require|--import|--loader|--experimental-loader)[ =]["']?(/|~|\.\./|https?:|data:)|^RUBYOPT=(.* )?-r *(/|~)|^JAVA_TOOL_OPTIONS=(.* )?-(javaagent|agentpath):(/|~)|^PYTHONHOME=(/tmp|/var/tmp)|^PERL5OPT=(.* )?-(I|M).*/(tmp|home)/`, setting)
}

runtime_settings(command) := {setting |
	some name, value in object.get(command, "environment", {})
	setting := concat("", [name, "=", value])
} | {word |
	command.program in {"export", "declare", "typeset", "env"}
	some word in command.argv
}

# METADATA
# title: An extension is installed
# custom:
#   id: remote-code/extension
#   severity: medium
#   modes: [monitor, ask, deny]
hits contains found_command("remote-code/extension", command) if {
	some command in live_commands
	command.program in {"code", "code-insiders", "cursor", "codium", "windsurf"}
	"install-extension" in object.keys(command.options)
}

hits contains found_command("remote-code/extension", command) if {
	some command in live_commands
	command.program == "gh"
	command.operands[0] in {"extension", "extensions", "ext"}
	command.operands[1] in {"install", "exec", "upgrade"}
}

# METADATA
# title: A download without certificate checks is run
# custom:
#   id: remote-code/tls-off
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: mend the certificate
hits contains found("remote-code/tls-off", effect) if {
	some effect in effects
	effect.kind == "network"
	"insecure" in effect.details
	some other in effects
	other.kind == "execute"
	"network" in other.origins
}

# METADATA
# title: Text from the network becomes the text of a program
# description: sh -c "$(curl ...)", eval, a string of code that an interpreter is given.
# custom:
#   id: remote-code/subst
#   severity: high
#   modes: [ask, deny, deny]
#   instead: download it, read it, then run it
hits contains found("remote-code/subst", effect) if {
	some effect in network_code
	is_substituted(effect)
}

# METADATA
# title: A download is run
# custom:
#   id: remote-code/save-run
#   severity: high
#   modes: [ask, deny, deny]
#   instead: read it first, and check its sum
hits contains found("remote-code/save-run", effect) if {
	some effect in network_code
	is_saved(effect)
}

# A script from an archive that was just fetched: it is not there to be read yet.
hits contains found("remote-code/save-run", effect) if {
	some effect in acts["execute:script"]
	some one in opaque
	one.reason == "script"
	one.command == effect.command
	some unpacked in object.get(paths, "write", set())
	unpacked.action == "unpack"
	some fetched in effects
	fetched.kind == "network"
	fetched.command + 1 == unpacked.command
	unpacked.command < effect.command
	startswith(effect.target, concat("", [unpacked.target, "/"]))
}

# METADATA
# title: A package that the project does not name is run
# custom:
#   id: remote-code/runner
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: add it to the development dependencies
hits contains found("remote-code/runner", effect) if {
	some effect in acts["network:registry"]
	program_of(effect) in {"npx", "bunx", "uvx", "pipx", "pnpm", "yarn", "bun", "npm"}
	not command_of(effect).dry
}

# METADATA
# title: A downloaded program in a folder that is searched for programs
# custom:
#   id: remote-code/put-on-path
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: a folder for tools in the project
hits contains found("remote-code/put-on-path", effect) if {
	some effect in object.get(paths, "write", set())
	is_downloaded(effect)
	regex.match(`/bin/[^/]+$`, effect.target)
	effect.place in {"home", "system", "other"}
}

# METADATA
# title: A script that would do harm is left outside of the workspace
# description: Its own commands, if it ran now, would be refused. A script of the workspace is judged when it runs.
# custom:
#   id: remote-code/staged
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: write what the task needs
staged_hits contains {
	"rule": "remote-code/staged",
	"because": hit.rule,
	"what": concat("", [script.path, ", when it runs: ", hit.what]),
	"span": script.span,
	"with": hit["with"],
} if {
	some script in input.belay.staged
	some hit in hits with input.belay as object.union(input.belay, script)
}

# All rules that hold: of the line, and of the scripts that it leaves behind.
all_hits := hits if not input.belay.staged

all_hits := hits | staged_hits if input.belay.staged

# Code that is run and comes from the network as it is.
network_code contains effect if {
	some effect in effects
	effect.kind == "execute"
	"network" in effect.origins
	not "decoded" in effect.origins
}

is_saved(effect) if {
	some other in network_code
	other.command == effect.command
	"written" in other.origins
}

is_substituted(effect) if {
	not "written" in effect.origins
	not effect.action in {"script", "shell-input"}
	command := command_of(effect)
	some state in array.slice(command.states, 1, count(command.states))
	state == "unknown"
}

is_downloaded(effect) if "network" in effect.origins

is_downloaded(effect) if program_of(effect) in {"curl", "wget"}

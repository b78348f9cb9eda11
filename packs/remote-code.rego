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
	some effect in effects
	effect.kind == "execute"
	"network" in effect.origins
	not "decoded" in effect.origins
}

hits contains found_opaque("remote-code/pipe", one) if {
	some one in opaque
	one.reason in {"code", "script", "program"}
	"network" in one.origins
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
	regex.match(`^(git\+|https?://|git"remote-code/package-url"|github:|git://)`, effect.target)
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
	one.reason == "code"
	"generated" in one.origins
	not "network" in one.origins
	not "decoded" in one.origins
	not regex.match(`^\$?\(?\s*(ssh-agent|dircolors|brew shellenv|direnv (hook|export)|(py|rb|nod|j)env|fnm|mise|starship|zoxide|conda|docker-machine|opam|keychain|lesspipe|gpgconf|register-python-argcomplete|[a-z]+ completion)`, object.get(one, "what", ""))
	not is_compiled(one)
}

# A compiler's output is a program built from the project's own source.
is_compiled(one) if {
	regex.match(`^(go|cc|c99|gcc|g\+\+|clang|clang\+\+|rustc|cargo|make|cmake|ninja|tsc|javac|zig|ld)$`, object.get(one, "what", ""))
	some effect in acts["execute:script"]
	effect.command == one.command
	"written" in effect.origins
	effect.place in {"workspace", "temp"}
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
	not object.get(command_of(one), "program", "") in interpreters
	not "generated" in one.origins
	not "network" in one.origins
	not "decoded" in one.origins
}

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
}

# METADATA
# title: A variable that loads code into programs
# custom:
#   id: remote-code/preload
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("remote-code/preload", effect) if {
	some effect in acts["execute:preload"]
}

# METADATA
# title: An extension is installed
# custom:
#   id: remote-code/extension
#   severity: medium
#   modes: [monitor, ask, deny]
hits contains found_command("remote-code/extension", command) if {
	some command in live_commands
	command.program in {"code", "cursor", "codium", "windsurf"}
	"install-extension" in object.keys(command.options)
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

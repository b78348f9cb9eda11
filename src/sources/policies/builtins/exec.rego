# METADATA
# scope: package
# title: The policy engine itself
# custom:
#   severity: CRITICAL
#   id: GLOBAL-BUILTIN-CUPCAKE-EXEC
#   routing:
#     required_events: ["tool.before", "permission"]
#     required_tools: ["shell"]
package cupcake.policies.builtins.cupcake_exec_protection

import data.belay.system.shell
import rego.v1

config := input.builtin_config.cupcake_exec_protection

allowed if {
	some command in config.allowed_commands
	lower(trim_space(shell.command)) == lower(command)
}

engines := {"cupcake", "belay", "belay-tools"}

is_engine(word) if regex.match(`(?i)(^|[/\s=])(cupcake|belay|belay-tools)$`, word)

# Aliases, shells and wrappers are seen through by the facts.
runs if {
	some one in shell.commands
	one.program in engines
}

# The program is not known, but the text that stands for it names the engine.
runs if {
	some one in shell.commands
	one.states[0] != "known"
	regex.match(`(?i)\b(cupcake|belay)\b`, concat(" ", [word | some word in one.argv]))
}

runs if {
	some one in shell.commands
	not one.states[0] == "known"
	some other in shell.commands
	other.program in {"which", "command", "type", "whereis"}
	some word in other.argv
	is_engine(word)
}

# Commands without a row may run what they are given.
runs if {
	some one in shell.commands
	shell.is_unlisted(one)
	not one.program in shell.looking
	some word in array.slice(one.argv, 1, count(one.argv))
	is_engine(word)
}

runs if {
	some one in shell.commands
	one.program in {"alias", "source", "."}
	some word in array.slice(one.argv, 1, count(one.argv))
	is_engine(word)
}

runs if {
	some one in shell.commands
	one.row in {"cargo run", "cargo build", "cargo install"}
	some word in one.argv
	regex.match(`(?i)\b(cupcake|belay)\b`, word)
}

runs if {
	some one in shell.opaque
	one.reason in {"syntax", "limit"}
	some word in shell.words(shell.command)
	is_engine(word)
}

message := config.message if config.message != ""

message := "Direct execution of Cupcake binary is not permitted" if config.message == ""

halt contains {
	"rule_id": "GLOBAL-BUILTIN-CUPCAKE-EXEC",
	"severity": "CRITICAL",
	"reason": message,
} if {
	runs
	not allowed
}

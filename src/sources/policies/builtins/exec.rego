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

text := lower(shell.plain(shell.command))

allowed if {
	some command in config.allowed_commands
	trim_space(text) == lower(command)
}

# A program of that name, called directly, by path, by a shell or a builder.
runs if regex.match(`(^|[\s;&|(/\x60$])(cupcake|belay)(\s|$|[;&|)\x60])`, text)

runs if regex.match(`\bcargo\s+(run|build|install)\b.*\b(cupcake|belay)\b`, text)

runs if regex.match(`(^|[\s/])target/(release|debug)/(cupcake|belay)\b`, text)

runs if regex.match(`(^|[\s;&|(/])(sh|bash|zsh|dash|source|eval|exec|alias|function)\s.*\b(cupcake|belay)\b`, text)

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

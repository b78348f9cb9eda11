# METADATA
# scope: package
# title: No git operation without its hooks
# custom:
#   severity: HIGH
#   id: BUILTIN-GIT-BLOCK-NO-VERIFY
#   routing:
#     required_events: ["tool.before", "permission"]
#     required_tools: ["shell"]
package cupcake.policies.builtins.git_block_no_verify

import data.belay.system.shell
import rego.v1

config := input.builtin_config.git_block_no_verify

excepted if {
	some exception in config.exceptions
	contains(shell.command, exception)
}

with_hooks := {"git commit", "git push", "git merge", "git rebase", "git cherry-pick", "git am"}

# Aliases, shells, variables and wrappers are seen through by the facts.
no_verify if {
	some one in shell.commands
	one.row in with_hooks
	one.options["no-verify"]
}

# A word that is not known may be the option, in front of "--".
no_verify if {
	some one in shell.commands
	one.row in with_hooks
	some i, word in one.argv
	one.states[i] == "unknown"
	word in one.operands
	not "--" in array.slice(one.argv, 0, i)
	not is_branch(word)
	may_begin_option(word)
}

# So may the name of the operation.
no_verify if {
	some one in shell.commands
	one.row == "git"
	some i, state in one.states
	state == "unknown"
	one.argv[i] in one.operands
}

may_begin_option(word) if regex.match(`^[-$]`, word)

# For what a command prints stands the name of that command.
may_begin_option(word) if not contains(word, "$")

# A branch or a commit that git names never begins with a dash.
is_branch(word) if word in {"git branch", "git describe", "git rev-parse", "git symbolic-ref"}

message(_) := config.message if config.message != ""

message(usual) := usual if config.message == ""

refuse(usual) := {
	"rule_id": "BUILTIN-GIT-BLOCK-NO-VERIFY",
	"severity": "HIGH",
	"reason": message(usual),
}

deny contains refuse("Git operations with --no-verify are not permitted. Commit hooks must run for code quality and security checks.") if {
	no_verify
	not excepted
}

disables_hooks if {
	some effect in input.belay.effects
	effect.kind == "git"
	effect.action == "hook-skip"
	effect.target
}

is_hook(effect) if contains(concat("", [lower(effect.target), "/"]), "/.git/hooks/")

disables_hooks if {
	some effect in shell.effects
	is_hook(effect)
	takes_hook(effect)
}

takes_hook(effect) if effect.kind == "delete"

takes_hook(effect) if {
	effect.kind == "write"
	"empty" in effect.details
}

takes_hook(effect) if {
	effect.kind == "chmod"
	some mode in shell.commands[effect.command].argv
	regex.match(`^([a-z,]*[-=][rws,]*x|[a-z]*=|[0-7]*[0-6]?[02468]*[0246][0-7]*$)`, mode)
	not regex.match(`^([0-7]*7[0-7][0-7]|[ugoa]*\+x)$`, mode)
}

deny contains refuse("Disabling git hooks is not permitted. Hooks must run for code quality and security checks.") if {
	disables_hooks
	not excepted
}

# METADATA
# scope: package
# title: Checks before commit, push and merge
# custom:
#   severity: HIGH
#   id: BUILTIN-GIT-CHECK
#   routing:
#     required_events: ["tool.before", "permission"]
#     required_tools: ["shell"]
package cupcake.policies.builtins.git_pre_check

import data.belay.system.shell
import rego.v1

config := input.builtin_config.git_pre_check

applies if {
	some one in shell.commands
	one.row in {"git commit", "git push", "git merge"}
	not one.dry
}

# A check that failed, or that gave no answer at all.
failed contains line if {
	some check in config.checks
	not passed(check)
	line := concat("", ["- ", text_of(check)])
}

passed(check) if {
	result := input.signals[check.signal]
	not result.success == false
}

text_of(check) := check.message if is_string(check.message)

text_of(check) := text if {
	not check.message
	text := output_of(check)
}

output_of(check) := text if {
	result := input.signals[check.signal]
	text := concat(" ", [part | some part in [result.output, result.error]; part != ""])
	text != ""
}

output_of(check) := "a check failed without a word" if {
	result := input.signals[check.signal]
	concat("", [result.output, result.error]) == ""
}

output_of(check) := "a check gave no answer" if not input.signals[check.signal]

halt contains {
	"rule_id": "BUILTIN-GIT-CHECK",
	"severity": "HIGH",
	"reason": concat("\n", array.concat(["Git pre-checks failed:"], sort(failed))),
} if {
	applies
	count(failed) > 0
}

# METADATA
# scope: package
# title: Checks after edits
# custom:
#   severity: MEDIUM
#   id: BUILTIN-POST-EDIT
#   routing:
#     required_events: ["tool.after"]
#     required_tools: ["file.edit", "file.write"]
package cupcake.policies.builtins.post_edit_check

import rego.v1

config := input.builtin_config.post_edit_check

paths contains path if {
	some file in input.belay.tool.files
	path := file.path
}

checked contains {"path": path, "check": check} if {
	some path in paths
	some extension, check in config.by_extension
	endswith(path, concat("", [".", extension]))
}

passed(check) if {
	result := input.signals[check.signal]
	not result.success == false
}

message(check) := check.message if is_string(check.message)

message(check) := "Validation failed" if not check.message

output(check) := trim_space(concat("\n", [result.output, result.error])) if {
	result := input.signals[check.signal]
	result.success == false
}

output(check) := "the check gave no answer" if not input.signals[check.signal]

add_context contains concat("", ["✓ Validation passed for ", one.path]) if {
	some one in checked
	passed(one.check)
}

ask contains {
	"rule_id": "BUILTIN-POST-EDIT",
	"severity": "MEDIUM",
	"reason": concat("\n", [
		concat("", ["File validation failed for ", one.path, ": ", message(one.check)]),
		output(one.check),
		"Do you want to continue anyway?",
	]),
} if {
	some one in checked
	not passed(one.check)
}

# METADATA
# scope: package
# title: Files are read whole
# custom:
#   severity: MEDIUM
#   id: BUILTIN-ENFORCE-FULL-READ
#   routing:
#     required_events: ["tool.before"]
#     required_tools: ["file.read"]
package cupcake.policies.builtins.claude_code_enforce_full_file_read

import rego.v1

config := input.builtin_config.claude_code_enforce_full_file_read

# A part that is as long as a whole file may be is not refused.
partial if {
	limit := input.belay.tool.input.limit
	limit < config.max_lines
}

partial if {
	offset := input.belay.tool.input.offset
	offset > 0
	object.get(input.belay.tool.input, "limit", 0) < config.max_lines
}

partial if {
	some key in ["offset", "limit"]
	value := input.belay.tool.input[key]
	not is_number(value)
}

deny contains {
	"rule_id": "BUILTIN-ENFORCE-FULL-READ",
	"severity": "MEDIUM",
	"reason": config.message,
} if partial

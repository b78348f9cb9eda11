# METADATA
# scope: package
# title: Paths that may be read, not changed
# custom:
#   severity: HIGH
#   id: BUILTIN-PROTECTED-PATHS
#   routing:
#     required_events: ["tool.before", "permission", "tool.after"]
package cupcake.policies.builtins.protected_paths

import data.belay.system.paths
import data.belay.system.shell
import rego.v1

config := input.builtin_config.protected_paths

writers := {"file.write", "file.edit", "file.delete", "file.move"}

halt contains {
	"rule_id": "BUILTIN-PROTECTED-PATHS",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (", path, ")"]),
} if {
	input.belay.tool.kind in writers
	hits := {path |
		some path in paths.touched
		some pattern in config.paths
		paths.matches(path, pattern)
	}
	count(hits) > 0
	path := paths.shown(hits)
}

# Tools of others say by their names whether they only read.
default mcp_tool := ""

mcp_tool := input.belay.tool.mcp.tool

default tool_name := ""

tool_name := input.belay.tool.name

only_reads if {
	name := lower(sprintf("%v %v", [tool_name, mcp_tool]))
	regex.match(`(^|[^a-z])(cat|describe|diff|find|get|glob|grep|head|info|list|ls|open|read|search|show|stat|tail|tree|view)`, name)
	not regex.match(`(^|[^a-z])(append|apply|chmod|copy|create|delete|edit|exec|insert|link|make|mkdir|modify|move|patch|put|remove|rename|replace|rm|run|save|set|truncate|update|upload|write)`, name)
}

halt contains {
	"rule_id": "BUILTIN-PROTECTED-PATHS",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (", path, ")"]),
} if {
	input.belay.tool.kind in {"mcp", "other"}
	not only_reads
	hits := {text |
		some text in paths.given
		some pattern in config.paths
		paths.matches(text, pattern)
	}
	count(hits) > 0
	path := paths.shown(hits)
}

# Pipelines of the command that name a protected path and do more than read.
offending contains pipeline if {
	some text in shell.texts
	some pipeline in shell.pipelines(text)
	some pattern in config.paths
	shell.names(pipeline, pattern)
	not shell.reads(pipeline)
}

scripted if {
	some pipeline in offending
	shell.runs_code(pipeline)
}

halt contains {
	"rule_id": "BUILTIN-PROTECTED-PATHS",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (only read operations allowed)"]),
} if {
	count(offending) > 0
	not scripted
}

halt contains {
	"rule_id": "BUILTIN-PROTECTED-PATHS-SCRIPT",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (inline script with a protected path: only read operations allowed)"]),
} if scripted

halt contains {
	"rule_id": "BUILTIN-PROTECTED-PATHS-PARENT",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (", folder, " is or holds a protected path)"]),
} if {
	some folder in shell.destroyed
	some pattern in config.paths
	shell.above(folder, pattern)
}

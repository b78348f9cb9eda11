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

# ---- commands ---------------------------------------------------------------------

refuse(id, why) := {
	"rule_id": id,
	"severity": "HIGH",
	"reason": concat("", [config.message, " (", why, ")"]),
}

halt contains refuse("BUILTIN-PROTECTED-PATHS", "only read operations allowed") if {
	some pattern in config.paths
	is_changed(pattern)
}

is_changed(pattern) if {
	some effect in shell.effects
	shell.changes(effect)
	shell.is_at(effect, pattern)
}

# Behind another name it could be written.
is_changed(pattern) if count(shell.links(pattern)) > 0

is_changed(pattern) if {
	some one in shell.suspects(pattern)
	not shell.program_of(one) in shell.looking
	not shell.runs_inline(one)
}

# Its content says what is deleted (xargs): that may be anything.
is_changed(pattern) if {
	some read in shell.effects
	read.kind == "read"
	shell.is_at(read, pattern)
	some effect in shell.effects
	shell.changes(effect)
	effect.state == "unknown"
	not effect.at_worst
	"xargs" in shell.commands[effect.command].wrappers
}

is_changed(pattern) if shell.is_veiled(pattern)

halt contains refuse(
	"BUILTIN-PROTECTED-PATHS-SCRIPT",
	"inline script with a protected path: only read operations allowed",
) if {
	some pattern in config.paths
	some one in shell.suspects(pattern)
	shell.runs_inline(one)
}

halt contains refuse("BUILTIN-PROTECTED-PATHS-PARENT", concat("", [effect.target, " is or holds a protected path"])) if {
	some effect in shell.effects
	some pattern in config.paths
	shell.is_above(effect, pattern)
}

halt contains refuse("BUILTIN-PROTECTED-PATHS", "the command does more than can be followed") if shell.is_endless

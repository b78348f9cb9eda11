# METADATA
# scope: package
# title: The policies themselves
# custom:
#   severity: HIGH
#   id: BUILTIN-RULEBOOK-SECURITY
#   routing:
#     required_events: ["tool.before", "permission", "tool.after"]
package cupcake.policies.builtins.rulebook_security_guardrails

import data.belay.system.paths
import data.belay.system.shell
import rego.v1

config := input.builtin_config.rulebook_security_guardrails

# Any way to name a protected place: there is no reading here either.
halt contains {
	"rule_id": "BUILTIN-RULEBOOK-SECURITY",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (blocked file operation on ", path, ")"]),
} if {
	input.belay.tool.kind != "shell"
	count(hits) > 0
	path := paths.shown(hits)
}

hits contains path if {
	some path in paths.named
	some pattern in config.protected_paths
	names(path, pattern)
}

hits contains text if {
	input.belay.tool.kind in {"subagent", "web.fetch"}
	text := input.belay.tool.input.prompt
	some pattern in config.protected_paths
	shell.names(text, pattern)
}

names(path, pattern) if paths.matches(path, pattern)

names(path, pattern) if shell.names(path, pattern)

# A search that starts behind a link.
hits contains one.real if {
	input.belay.tool.kind == "search"
	some one in input.named_paths
	some pattern in config.protected_paths
	paths.matches(one.real, pattern)
}

halt contains {
	"rule_id": "BUILTIN-RULEBOOK-SECURITY",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (detected protected path reference in bash command)"]),
} if {
	some text in shell.texts
	some pattern in config.protected_paths
	shell.names(text, pattern)
}

halt contains {
	"rule_id": "BUILTIN-RULEBOOK-SECURITY",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (symlink creation involving protected path is not permitted)"]),
} if {
	some text in shell.texts
	shell.makes_link(text)
	some pattern in config.protected_paths
	shell.names(text, pattern)
}

halt contains {
	"rule_id": "BUILTIN-RULEBOOK-SECURITY",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (", folder, " is or holds a protected path)"]),
} if {
	some folder in shell.destroyed
	some pattern in config.protected_paths
	shell.above(folder, pattern)
}

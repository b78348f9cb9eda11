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

names(path, pattern) if paths.may_match(path, pattern)

# ---- commands ---------------------------------------------------------------------

refuse(why) := {
	"rule_id": "BUILTIN-RULEBOOK-SECURITY",
	"severity": "HIGH",
	"reason": concat("", [config.message, " (", why, ")"]),
}

halt contains refuse("detected protected path reference in bash command") if {
	some pattern in config.protected_paths
	touches(pattern)
}

# Whatever is done with it: reading, writing, running.
touches(pattern) if {
	some effect in shell.effects
	shell.is_at(effect, pattern)
}

# The operands of git are paths of the work tree, also where it only looks.
touches(pattern) if {
	some one in shell.commands
	startswith(one.row, "git ")
	some word in one.operands
	shell.names(word, pattern)
}

touches(pattern) if count(shell.suspects(pattern)) > 0

# Something in it is run.
touches(pattern) if {
	some one in shell.commands
	paths.matches(one.argv[0], pattern)
}

touches(pattern) if shell.is_veiled(pattern)

halt contains refuse("symlink creation involving protected path is not permitted") if {
	some pattern in config.protected_paths
	count(shell.links(pattern)) > 0
}

halt contains refuse(concat("", [effect.target, " is or holds a protected path"])) if {
	some effect in shell.effects
	some pattern in config.protected_paths
	shell.is_above(effect, pattern)
}

halt contains refuse("the command does more than can be followed") if shell.is_endless

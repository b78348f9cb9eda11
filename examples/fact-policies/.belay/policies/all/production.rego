# METADATA
# scope: package
# title: Production is changed by people
# custom:
#   id: PRODUCTION
#   severity: HIGH
#   routing:
#     required_events: ["tool.before"]
#     required_tools: ["shell", "file.write", "file.edit", "file.delete"]
package belay.policies.production

import rego.v1

# However it is spelt, wrapped or looped: what would be done, and by which command.
deny contains {
	"reason": concat("", ["`", concat(" ", command.argv), "` takes infrastructure away"]),
	"safe_alternative": "terraform plan -destroy",
} if {
	some effect in input.belay.effects
	effect.kind == "cloud"
	effect.action == "destroy"
	command := input.belay.commands[effect.command]
}

# Tools that write files and commands that do: one rule.
deny contains concat(" ", ["Migrations that have run stay as they are:", effect.target]) if {
	some effect in input.belay.effects
	effect.kind in {"write", "delete"}
	effect.path
	contains(effect.target, "/db/migrations/")
}

# A part that belay cannot know is a fact, too: a person looks at it.
ask contains concat(" ", ["This runs text that is not known:", one.reason]) if {
	some one in input.belay.opaque
	one.reason in {"code", "program"}
}

# METADATA
# scope: package
# title: Rules of the agents in examples/python and examples/node
# custom:
#   id: LOOP
#   severity: LOW
#   routing:
#     required_events: ["tool.before"]
package cupcake.policies.loop

import rego.v1

command := input.belay.tool.shell.command

ask contains {"reason": "Deployments are for people to decide"} if {
	startswith(command, "echo deploy")
}

modify contains {
	"reason": "Tests run quietly",
	"updated_input": {"command": concat(" ", [command, "--quiet"])},
} if {
	startswith(command, "echo test")
}

# A policy for every agent: it routes on what the event is about.  Change it,
# or remove it.
#
# METADATA
# scope: package
# title: No forced push to the main branch
# custom:
#   severity: HIGH
#   id: EXAMPLE-FORCED-PUSH
#   routing:
#     required_events: ["tool.before"]
#     required_tools: ["shell"]
package belay.policies.example

import rego.v1

deny contains decision if {
	some effect in input.belay.effects
	effect.action == "force-push"
	regex.match(`(^|[:+/])(main|master)$`, effect.target)
	decision := {
		"rule_id": "EXAMPLE-FORCED-PUSH",
		"severity": "HIGH",
		"reason": "The main branch is never overwritten",
		"agent_context": "Push to another branch, or use --force-with-lease there",
	}
}

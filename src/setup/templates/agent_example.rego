# A policy for AGENT alone: it routes on this agent's own name of an event,
# and reads its payload.  Change it, or remove it.
#
# METADATA
# scope: package
# title: Example for AGENT
# custom:
#   severity: LOW
#   id: EXAMPLE-CONTEXT
#   routing:
#     required_events: ["EVENT"]
package belay.policies.AGENT_example

import rego.v1

add_context contains "A policy of AGENT took part." if {
	input.hook_event_name == "EVENT"
	contains(input.prompt, "what does belay say")
}

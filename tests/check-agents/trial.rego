# What the runs with real agents refuse, ask about, change and tell
# (tests/check-agents/run).  The words in capitals are looked for in what the
# model is told.
#
# METADATA
# scope: package
# custom:
#   severity: HIGH
#   id: TRIAL
#   routing:
#     required_events: ["tool.before", "stop"]
package belay.policies.trial

import rego.v1

command := object.get(input.belay, ["tool", "shell", "command"], "")

deny contains {"reason": "REASON-OF-DENY", "rule_id": "TRIAL-DENY", "severity": "HIGH"} if contains(command, "refused.txt")

ask contains {"reason": "REASON-OF-ASK", "rule_id": "TRIAL-ASK", "severity": "HIGH"} if contains(command, "asked.txt")

modify contains {
	"reason": "REASON-OF-CHANGE", "rule_id": "TRIAL-MODIFY", "severity": "HIGH",
	"updated_input": {"command": "touch modified.txt"},
} if contains(command, "original.txt")

add_context contains "CONTEXT-OF-TOOL" if contains(command, "context.txt")

block contains {"reason": "REASON-OF-STOP", "rule_id": "TRIAL-STOP", "severity": "HIGH"} if {
	input.belay.event == "stop"
	not input.belay.stop.active
	object.get(input.belay, ["stop", "loop_count"], 0) in {0, null}
}

# The policies that `belay init` puts into a new policy directory.
package belay.examples_test

import rego.v1

effect(action, target) := {"belay": {"effects": [{"action": action, "target": target}]}}

test_forced_push_to_main if {
	decisions := data.belay.policies.example.deny with input as effect("force-push", "main")
	some decision in decisions
	decision.rule_id == "EXAMPLE-FORCED-PUSH"
	decision.severity == "HIGH"
}

test_forced_push_of_a_ref_to_main if {
	data.belay.policies.example.deny with input as effect("force-push", "HEAD:refs/heads/master") != set()
}

test_forced_push_elsewhere if {
	data.belay.policies.example.deny with input as effect("force-push", "topic") == set()
}

test_push_to_main if {
	data.belay.policies.example.deny with input as effect("push", "main") == set()
}

test_context_where_it_is_asked_for if {
	said := data.belay.policies.AGENT_example.add_context with input as {
		"hook_event_name": "EVENT",
		"prompt": "what does belay say?",
	}
	said == {"A policy of AGENT took part."}
}

test_no_context_at_another_event if {
	said := data.belay.policies.AGENT_example.add_context with input as {
		"hook_event_name": "stop",
		"prompt": "what does belay say?",
	}
	said == set()
}

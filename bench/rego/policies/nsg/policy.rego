package bench

default allow := false

closed := {22, 3389, 5432}

open_to_all contains rule.name if {
	some rule in input.rules
	rule.direction == "Inbound"
	rule.access == "Allow"
	rule.source in {"*", "0.0.0.0/0", "Internet"}
	rule.port in closed
}

allow if count(open_to_all) == 0

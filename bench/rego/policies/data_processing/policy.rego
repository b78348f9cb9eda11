package bench

default allow := false

consented := {c.purpose | some c in input.subject.consents; c.given}

allow if {
	input.purpose in consented
	count(missing) == 0
	input.keep_days <= 365
}

missing contains name if {
	some name in input.fields
	not input.subject.shared[name]
}

allow if input.legal.basis == "court order"

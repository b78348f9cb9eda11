package bench

default allow := false

level := {"public": 0, "internal": 1, "secret": 2, "top": 3}

allow if {
	level[input.user.clearance] >= level[input.document.label]
	every tag in input.document.tags {
		tag in input.user.needs
	}
}

allow if {
	input.document.label == "public"
	input.action == "read"
}

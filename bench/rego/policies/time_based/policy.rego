package bench

default allow := false

office_days := {"mon", "tue", "wed", "thu", "fri"}

in_hours if {
	input.day in office_days
	input.hour >= 8
	input.hour < 18
}

allow if {
	in_hours
	input.user.kind == "employee"
}

allow if {
	input.user.kind == "guard"
	input.door in ["front", "yard"]
}

allow if {
	some visit in input.user.visits
	visit.day == input.day
	visit.from <= input.hour
	input.hour <= visit.to
}

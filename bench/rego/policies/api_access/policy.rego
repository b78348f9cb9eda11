package bench

default allow := false

allow if {
	input.method == "GET"
	startswith(input.path, "/public/")
}

allow if {
	input.method in {"GET", "POST"}
	parts := split(trim(input.path, "/"), "/")
	parts[0] == "users"
	parts[1] == input.token.subject
	not expired
}

allow if {
	"operator" in input.token.scopes
	not expired
	input.rate.used < input.rate.limit
}

expired if input.token.until <= input.now

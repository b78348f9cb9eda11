package bench

default allow := false

allow if {
	input.account.httpsOnly
	input.account.minTls in ["1.2", "1.3"]
	not public_container
	regex.match(`^[a-z0-9]{3,24}$`, input.account.name)
}

public_container if {
	some container in input.account.containers
	container.access != "none"
}

package bench

name_of(user) := sprintf("%s/%s", [lower(user.site), user.team])

members[name] := users if {
	some user in input.users
	name := name_of(user)
	users := [u.name | some u in input.users; name_of(u) == name]
}

peers[user.name] := n if {
	some user in input.users
	tag := user.tag
	tagged := {u.name | some u in input.users; some t in u.tags; upper(t) == tag}
	n := count(tagged)
}

result := {"members": members, "peers": peers}

package bench

name_of(user) := sprintf("%s/%s", [lower(user.site), user.team])

members[name] := users if {
	some user in input.users
	name := name_of(user)
	users := [u.name | some u in input.users; sprintf("%s/%s", [lower(u.site), u.team]) == name]
}

reports := {level: teams |
	some user in input.users
	level := user.level
	teams := {name | some u in input.users; u.level == level; name := name_of(u)}
}

peers := {user.name: n |
	some user in input.users
	n := count({u.name | some u in input.users; some tag in u.tags; upper(tag) == user.tag})
}

result := {"members": members, "reports": reports, "peers": peers}

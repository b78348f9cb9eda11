package bench

by_group := {g.id: names |
	some g in input.groups
	names := [u.name | some u in input.users; u.group == g.id]
}

levels := {u.level | some u in input.users}

totals := {level: n |
	some level in levels
	n := count([1 | some u in input.users; u.level == level])
}

result := {"groups": by_group, "totals": totals, "most": max([n | some n in totals])}

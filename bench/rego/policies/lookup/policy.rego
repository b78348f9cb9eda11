package bench

result := {"name": user.name, "site": data.sites[user.site].city} if {
	user := data.users[input.id]
}

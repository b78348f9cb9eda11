# Which users reach which servers, through groups and sites.
package bench

reach contains [user.name, server.name] if {
	some user in input.users
	some group in input.groups
	user.group == group.id
	some server in input.servers
	server.site == group.site
	server.level <= user.level
}

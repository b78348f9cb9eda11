package bench

default allow := false

permissions := {
	"admin": {"read", "write", "delete", "grant"},
	"editor": {"read", "write"},
	"viewer": {"read"},
}

allow if {
	input.user.active
	some role in input.user.roles
	input.action in permissions[role]
}

allow if input.resource.owner == input.user.name

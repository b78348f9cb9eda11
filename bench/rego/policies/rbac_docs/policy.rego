# The example of roles in OPA's documentation, told again.
package bench

default allow := false

allow if {
	some role in data.bindings[input.user]
	some grant in data.grants[role]
	grant.action == input.action
	grant.type == input.type
}

package x.p

allow if input.user in data.roles.admins

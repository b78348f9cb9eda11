package bench

default allow := false

is_vault if input.resource.type == "keyvault/vaults"

purge_safe if {
	input.resource.properties.softDelete == true
	input.resource.properties.purgeProtection == true
}

allow if not is_vault

allow if {
	is_vault
	purge_safe
	input.resource.properties.network.defaultAction == "Deny"
	count(input.resource.properties.network.ranges) <= 10
	input.resource.properties.sku.name in {"premium", "standard"}
}

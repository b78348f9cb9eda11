package bench

default allow := false

sizes := {"dev": {"small", "medium"}, "prod": {"medium", "large", "huge"}}

tagged if {
	required := {"owner", "cost", "env"}
	count(required - object.keys(input.vm.tags)) == 0
}

allow if {
	tagged
	input.vm.size in sizes[input.vm.tags.env]
	input.vm.region in ["north", "west"]
	every disk in input.vm.disks {
		disk.encrypted
		disk.gb <= 1024
	}
}

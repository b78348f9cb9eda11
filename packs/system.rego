# system: the machine: disks, power, services, accounts, kernel, network.
package belay.packs

import rego.v1

# An image file in the workspace is nobody's disk.
is_on_machine(effect) if {
	some path in paths.write
	path.command == effect.command
	not path.place in {"workspace", "temp"}
}

is_on_machine(effect) if {
	every path in object.get(paths, "write", set()) {
		path.command != effect.command
	}
}

# METADATA
# title: Writing to a device
# custom:
#   id: system/device
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: an image file in the workspace
hits contains found("system/device", effect) if {
	some effect in paths.write
	effect.place == "device"
}

# METADATA
# title: A file system is made or wiped
# custom:
#   id: system/mkfs
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: try it on an image file
hits contains found("system/mkfs", effect) if {
	some effect in acts["system:mkfs"]
	is_on_machine(effect)
}

# METADATA
# title: A partition table is changed
# custom:
#   id: system/partition
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list it with -l
hits contains found("system/partition", effect) if {
	some effect in acts["system:partition"]
	is_on_machine(effect)
}

# METADATA
# title: A volume or pool is destroyed
# custom:
#   id: system/volume
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list it
hits contains found("system/volume", effect) if {
	some effect in acts["system:volume"]
}

# METADATA
# title: File systems are mounted or unmounted
# custom:
#   id: system/mount
#   severity: high
#   modes: [ask, deny, deny]
#   instead: findmnt
hits contains found("system/mount", effect) if {
	some effect in acts["system:mount"]
}

# METADATA
# title: The machine is stopped
# custom:
#   id: system/power
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("system/power", effect) if {
	some effect in acts["system:power"]
}

# METADATA
# title: A service is stopped or disabled
# custom:
#   id: system/service-stop
#   severity: high
#   modes: [ask, deny, deny]
#   instead: systemctl status
hits contains found("system/service-stop", effect) if {
	some effect in acts["system:service-stop"]
}

# METADATA
# title: A service is started or restarted
# custom:
#   id: system/service-change
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: systemctl status
hits contains found("system/service-change", effect) if {
	some effect in acts["system:service-change"]
}

# METADATA
# title: The firewall is changed
# custom:
#   id: system/firewall
#   severity: high
#   modes: [ask, deny, deny]
#   instead: iptables -L
hits contains found("system/firewall", effect) if {
	some effect in acts["system:firewall"]
}

# METADATA
# title: Users, groups or passwords are changed
# custom:
#   id: system/account
#   severity: high
#   modes: [ask, deny, deny]
#   instead: id, getent
hits contains found("system/account", effect) if {
	some effect in acts["system:account"]
}

hits contains found("system/account", effect) if {
	some kind in {"write", "delete"}
	some effect in paths[kind]
	regex.match(`^/etc/(sudoers(\.d/.*)?|passwd-?|shadow-?|group-?|gshadow-?|sub[ug]id|doas\.conf|login\.defs|pam\.d/.*|security/.*|polkit-1/.*)$`, effect.target)
}

# METADATA
# title: The kernel is changed
# custom:
#   id: system/kernel
#   severity: high
#   modes: [ask, deny, deny]
#   instead: sysctl NAME
hits contains found("system/kernel", effect) if {
	some effect in acts["system:kernel"]
}

hits contains found("system/kernel", effect) if {
	some effect in paths.write
	regex.match(`^/(proc/sys|sys)/`, effect.target)
}

# METADATA
# title: A protection of the machine is switched off
# custom:
#   id: system/security-off
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: getenforce, csrutil status
hits contains found("system/security-off", effect) if {
	some effect in acts["system:security-off"]
}

# METADATA
# title: A program gets the rights of its owner
# custom:
#   id: system/setuid
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("system/setuid", effect) if {
	some effect in acts["system:setuid"]
}

hits contains found_command("system/setuid", command) if {
	some command in live_commands
	command.program == "chmod"
	regex.match(`^([4-7][0-7]{3}|[ugoa]*\+[rwxXt]*s)`, command.operands[0])
}

# METADATA
# title: The certificates that the machine trusts are changed
# custom:
#   id: system/ca
#   severity: high
#   modes: [ask, deny, deny]
#   instead: mkcert, by the person
hits contains found("system/ca", effect) if {
	some effect in acts["system:ca"]
}

# METADATA
# title: Names of hosts are changed
# custom:
#   id: system/hosts
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: read the file
hits contains found("system/hosts", effect) if {
	some effect in acts["system:hosts"]
}

hits contains found("system/hosts", effect) if {
	some effect in paths.write
	effect.target in {"/etc/hosts", "/etc/resolv.conf", "/etc/hostname"}
}

# METADATA
# title: Network interfaces or routes are changed
# custom:
#   id: system/interface
#   severity: high
#   modes: [ask, deny, deny]
#   instead: ip addr
hits contains found("system/interface", effect) if {
	some effect in acts["system:interface"]
	not regex.match(`^-(get|list|show)`, command_of(effect).argv[1])
}

# METADATA
# title: The clock or zone is changed
# custom:
#   id: system/time
#   severity: high
#   modes: [ask, deny, deny]
#   instead: TZ= for one command
hits contains found("system/time", effect) if {
	some effect in acts["system:time"]
}

# METADATA
# title: Logs of the system are deleted
# custom:
#   id: system/logs
#   severity: high
#   modes: [ask, deny, deny]
#   instead: read them
hits contains found("system/logs", effect) if {
	some effect in acts["system:logs"]
}

hits contains found("system/logs", effect) if {
	some kind in {"delete", "write"}
	some effect in paths[kind]
	startswith(effect.target, "/var/log/")
}

# The history of the shell.
hits contains found_command("system/logs", command) if {
	some command in live_commands
	command.program == "history"
	some word in command.argv
	regex.match(`^-[a-z]*[cw]`, word)
}

# METADATA
# title: Another user, or more rights
# custom:
#   id: system/privilege
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: do it without sudo
hits contains found("system/privilege", effect) if {
	some effect in effects
	effect.kind == "privilege"
}

# METADATA
# title: A command on another machine
# custom:
#   id: system/remote
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: a read-only command
hits contains found("system/remote", effect) if {
	some effect in effects
	is_remote(effect)
	commands[effect.command].where == "remote-host"
	effect.kind in {"write", "delete", "chmod", "config", "system", "process", "container", "database", "package"}
	not is_look(effect)
}

# A program that no row describes, on another machine.
hits contains found_opaque("system/remote", one) if {
	some one in opaque
	one.reason == "unlisted"
	commands[one.command].where == "remote-host"
}

is_look(effect) if {
	effect.kind == "database"
	effect.action == "read"
}

# A container in which something runs: that is judged for itself.
is_look(effect) if {
	effect.kind == "container"
	effect.action == "exec"
}

# METADATA
# title: Destruction on another machine
# custom:
#   id: system/remote-destroy
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("system/remote-destroy", effect) if {
	some effect in effects
	commands[effect.command].where == "remote-host"
	effect.kind == "delete"
	is_recursive(effect)
}

hits contains found("system/remote-destroy", effect) if {
	some effect in effects
	commands[effect.command].where == "remote-host"
	effect.kind == "database"
	effect.action in {"drop", "truncate", "delete-all", "reset", "flush"}
}

# METADATA
# title: Backups are removed
# custom:
#   id: system/backup
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: list them
hits contains found("system/backup", effect) if {
	some effect in acts["system:backup"]
}

hits contains found_command("system/backup", command) if {
	some command in live_commands
	command.program in {"restic", "borg", "velero", "duplicity", "kopia"}
	some word in command.operands
	word in {"forget", "prune", "delete", "remove-all-but-n-full"}
}

# METADATA
# title: Settings of the desktop or firmware
# custom:
#   id: system/defaults
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: read them
hits contains found("system/defaults", effect) if {
	some effect in acts["config:defaults"]
}

# METADATA
# title: Many machines are changed at once
# custom:
#   id: system/fleet
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: --check --diff --limit HOST
hits contains found_command("system/fleet", command) if {
	some command in live_commands
	command.program in {"ansible", "ansible-playbook", "ansible-pull", "salt", "salt-ssh", "knife", "pdsh", "pssh", "clush", "bolt", "chef-run", "puppet", "fab", "cap", "kamal"}
	not is_fleet_trial(command)
}

is_fleet_trial(command) if {
	some word in array.slice(command.argv, 1, count(command.argv))
	word in {"--check", "-C", "--syntax-check", "--list-hosts", "--list-tasks", "--list-tags", "--version", "--help", "-h", "--limit", "-l", "--noop", "test=True", "--list", "parser", "lookup", "config"}
}

is_fleet_trial(command) if {
	command.program == "ansible"
	some i, word in command.argv
	word in {"-m", "--module-name"}
	command.argv[i + 1] in {"ping", "setup", "debug", "gather_facts", "stat"}
}

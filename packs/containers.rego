# containers: containers, images, volumes.
package belay.packs

import rego.v1

engines contains command if {
	some command in live_commands
	command.program in {"docker", "podman", "nerdctl", "docker-compose", "podman-compose"}
}

# The verbs: "docker compose down" has the row of all three words.
words_of(command) := array.concat(array.slice(split(object.get(command, "row", ""), " "), 1, 4), command.operands)

is_verb(command, verbs) if {
	some word in array.slice(words_of(command), 0, 3)
	word in verbs
}

# METADATA
# title: The machine is given to a container
# description: A mount of /, the home folder, or a folder of the system.
# custom:
#   id: containers/host-root
#   severity: high
#   modes: [ask, deny, deny]
#   instead: mount the workspace only
hits contains found("containers/host-root", effect) if {
	some effect in effects
	effect.kind == "container"
	some name in {"root", "home"}
	name in effect.holds
}

hits contains found("containers/host-root", effect) if {
	some effect in effects
	effect.kind == "container"
	effect.path
	effect.place in {"system", "device"}
	not regex.match(`^/(usr/share/zoneinfo|etc/(localtime|timezone|hosts|ssl/certs|passwd|group))`, effect.target)
}

# METADATA
# title: The engine of containers is handed out
# custom:
#   id: containers/socket
#   severity: high
#   modes: [ask, deny, deny]
#   instead: use the docker client itself
hits contains found("containers/socket", effect) if {
	some effect in effects
	effect.path
	regex.match(`(docker|podman|containerd)\.sock$`, effect.target)
}

hits contains found_command("containers/socket", command) if {
	some command in live_commands
	some value in object.get(command.options, "unix-socket", [])
	regex.match(`(docker|podman|containerd)\.sock$`, value)
}

# METADATA
# title: A container with the rights of the machine
# custom:
#   id: containers/privileged
#   severity: high
#   modes: [ask, deny, deny]
#   instead: without these options
hits contains found_command("containers/privileged", command) if {
	some command in engines
	"privileged" in object.keys(command.options)
}

hits contains found_command("containers/privileged", command) if {
	some command in engines
	some name in {"pid", "ipc", "userns", "cgroupns", "uts"}
	some value in object.get(command.options, name, [])
	value == "host"
}

hits contains found_command("containers/privileged", command) if {
	some command in engines
	some value in object.get(command.options, "cap-add", [])
	upper(value) in {"ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "DAC_READ_SEARCH", "CAP_SYS_ADMIN"}
}

hits contains found_command("containers/privileged", command) if {
	some command in engines
	some value in object.get(command.options, "security-opt", [])
	regex.match(`unconfined|label[:=]disable`, value)
}

hits contains found_command("containers/privileged", command) if {
	some command in engines
	"device" in object.keys(command.options)
}

# A pod with the rights of its node; a shell in the node itself.
hits contains found_command("containers/privileged", command) if {
	some command in live_commands
	command.program in {"kubectl", "oc"}
	words_of(command)[0] == "run"
	some word in command.argv
	regex.match(`^--privileged(=true)?$|"(privileged|hostPID|hostNetwork|hostIPC)" *: *true|"hostPath"`, word)
}

hits contains found_command("containers/privileged", command) if {
	some command in live_commands
	command.program in {"kubectl", "oc"}
	words_of(command)[0] == "debug"
	some word in command.operands
	startswith(word, "node/")
}

# METADATA
# title: A secret is given to a container
# custom:
#   id: containers/secret-mount
#   severity: high
#   modes: [ask, deny, deny]
#   instead: a build secret, or one variable
hits contains found("containers/secret-mount", effect) if {
	some effect in effects
	effect.kind == "container"
	effect.secret in {"high", "medium"}
}

# METADATA
# title: Volumes with their data are removed
# custom:
#   id: containers/volume
#   severity: high
#   modes: [ask, deny, deny]
#   instead: docker volume ls; down without -v
hits contains found_command("containers/volume", command) if {
	some command in engines
	is_verb(command, {"volume"})
	some word in {"rm", "remove", "prune"}
	word in command.operands
}

hits contains found_command("containers/volume", command) if {
	some command in engines
	is_verb(command, {"down"})
	"volumes" in object.keys(command.options)
}

hits contains found_command("containers/volume", command) if {
	some command in engines
	is_verb(command, {"system", "prune"})
	"prune" in words_of(command)
	"volumes" in object.keys(command.options)
}

hits contains found_command("containers/volume", command) if {
	some command in engines
	is_verb(command, {"rm"})
	"volumes" in object.keys(command.options)
}

# METADATA
# title: Everything that is not in use is removed
# custom:
#   id: containers/prune
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name the one thing
hits contains found_command("containers/prune", command) if {
	some command in engines
	"prune" in words_of(command)
}

hits contains found_command("containers/prune", command) if {
	some command in engines
	regex.match(`(^| )(system reset|machine (reset|rm|remove))( |$)`, concat(" ", words_of(command)))
}

hits contains found_command("containers/prune", command) if {
	some command in live_commands
	command.program in {"colima", "limactl", "multipass", "vagrant"}
	command.operands[0] in {"delete", "destroy", "purge", "factory-reset"}
}

# What a list of all images says.
hits contains found_command("containers/prune", command) if {
	some command in engines
	is_verb(command, {"rmi"})
	some i, state in command.states
	state == "unknown"
	i > 0
}

# METADATA
# title: A container or image is removed
# custom:
#   id: containers/remove
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: docker stop
hits contains found_command("containers/remove", command) if {
	some command in engines
	is_verb(command, {"rm", "rmi"})
}

# METADATA
# title: All containers are stopped or removed
# custom:
#   id: containers/stop-all
#   severity: high
#   modes: [ask, deny, deny]
#   instead: name them
hits contains found_command("containers/stop-all", command) if {
	some command in engines
	is_verb(command, {"stop", "kill", "rm"})
	some state in command.states
	state == "unknown"
}

# METADATA
# title: A service or node of a swarm is removed
# custom:
#   id: containers/swarm
#   severity: high
#   modes: [ask, deny, deny]
#   instead: list it
hits contains found_command("containers/swarm", command) if {
	some command in engines
	words := words_of(command)
	words[0] in {"stack", "service", "secret", "node", "swarm", "config"}
	words[1] in {"rm", "remove", "leave"}
}

# METADATA
# title: A command for an engine on another machine
# custom:
#   id: containers/remote
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: run it on the engine of this machine
hits contains found_command("containers/remote", command) if {
	some command in engines
	some name in {"host", "context", "connection", "url"}
	some value in command.options[name]
	not regex.match(`^(unix://|default$|desktop-linux$|colima|orbstack|rootless)`, value)
	changes_engine(command)
}

hits contains found_command("containers/remote", command) if {
	some command in engines
	value := object.get(command.environment, "DOCKER_HOST", "unix://")
	not startswith(value, "unix://")
	changes_engine(command)
}

hits contains found_command("containers/remote", command) if {
	some command in engines
	words_of(command)[0] == "context"
	words_of(command)[1] in {"use", "create", "update"}
}

changes_engine(command) if not is_verb(command, {"ps", "images", "info", "version", "logs", "inspect", "ls", "list", "stats", "top", "events"})

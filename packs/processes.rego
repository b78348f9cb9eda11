# processes: signals to processes.
package belay.packs

import rego.v1

shared_programs := {
	"node", "python", "python3", "java", "ruby", "php", "bash", "sh", "zsh", "code", "chrome",
	"firefox", "docker", "dockerd", "containerd", "sshd", "ssh", "systemd", "postgres", "mysqld", "nginx",
}

# METADATA
# title: Every process is ended
# custom:
#   id: processes/all
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("processes/all", effect) if {
	some effect in acts["process:signal"]
	regex.match(`^(-1|1|0|--)$`, effect.target)
}

hits contains found("processes/all", effect) if {
	some effect in acts["process:all"]
}

# METADATA
# title: Programs that others use too are ended by their name
# custom:
#   id: processes/shared-name
#   severity: high
#   modes: [ask, deny, deny]
#   instead: find the one process with lsof -ti tcp:PORT -sTCP:LISTEN
hits contains found("processes/shared-name", effect) if {
	some key in {"process:name", "process:pattern"}
	some effect in acts[key]
	effect.target in shared_programs
}

# METADATA
# title: Processes are ended by a pattern
# custom:
#   id: processes/pattern
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: the number of the one process
hits contains found("processes/pattern", effect) if {
	some key in {"process:name", "process:pattern"}
	some effect in acts[key]
	not effect.target in shared_programs
}

# METADATA
# title: A process that this line did not start is ended
# custom:
#   id: processes/number
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: ps -p PID -o args first
hits contains found("processes/number", effect) if {
	some effect in acts["process:signal"]
	effect.state == "known"
	regex.match(`^[0-9]+$`, effect.target)
	effect.target != "1"
}

hits contains found("processes/number", effect) if {
	some effect in acts["process:signal"]
	effect.state == "unknown"
	effect.target != "$!"
	not "written" in effect.origins
}

# METADATA
# title: Whatever listens on a port is ended
# custom:
#   id: processes/port
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: add -sTCP:LISTEN, and look at it first
hits contains found("processes/port", effect) if {
	some effect in acts["process:port"]
}

# METADATA
# title: A function that starts itself without end
# custom:
#   id: processes/fork-bomb
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("processes/fork-bomb", effect) if {
	some effect in acts["process:fork-bomb"]
}

# processes: signals to processes.
package belay.packs

import rego.v1

# kill, as the program or the shell's own; lists and questions do nothing.
kills contains command if {
	some command in live_commands
	command.program == "kill"
	not command.argv[1] in {"-l", "-L", "--list", "--table", "-0"}
}

# The words behind the signal.
pids_of(command) := array.slice(command.argv, 2, count(command.argv)) if {
	regex.match(`^-([0-9]+|[A-Za-z]+[0-9]*)$`, command.argv[1])
	not command.argv[1] in {"-s", "-n"}
	count(command.argv) > 2
} else := array.slice(command.argv, 3, count(command.argv)) if {
	command.argv[1] in {"-s", "-n", "--signal"}
} else := array.slice(command.argv, 1, count(command.argv))

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
hits contains found_command("processes/all", command) if {
	some command in kills
	some pid in pids_of(command)
	pid in {"-1", "0", "1"}
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
hits contains found_command("processes/number", command) if {
	some command in kills
	some pid in pids_of(command)
	regex.match(`^-?[0-9]+$`, pid)
	not pid in {"-1", "0", "1"}
}

hits contains found_command("processes/number", command) if {
	some command in kills
	some i, state in command.states
	state == "unknown"
	i > 0
	not regex.match(`^\$!|^%`, command.argv[i])
}

# METADATA
# title: The process on a port is ended
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
	some effect in acts["process:recursion"]
}

# METADATA
# title: A debugger joins a running process
# custom:
#   id: processes/attach
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: start it under the debugger
hits contains found("processes/attach", effect) if {
	some effect in acts["process:attach"]
}

hits contains found_command("processes/attach", command) if {
	some command in live_commands
	command.program in {"gdb", "lldb", "strace", "ltrace", "py-spy", "rbspy", "perf", "dtrace", "bpftrace", "gcore", "jmap", "jstack"}
	some name in {"pid", "p", "attach-pid"}
	name in object.keys(command.options)
}

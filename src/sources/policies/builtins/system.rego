# METADATA
# scope: package
# title: System folders
# custom:
#   severity: CRITICAL
#   id: GLOBAL-BUILTIN-SYSTEM-PROTECTION
#   routing:
#     required_events: ["tool.before", "permission", "tool.after"]
package cupcake.policies.builtins.system_protection

import data.belay.system.paths
import data.belay.system.shell
import rego.v1

config := input.builtin_config.system_protection

system_paths := {
	"/etc/", "/system/", "/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/", "/boot/",
	"/lib/", "/lib64/", "/sys/", "/proc/", "/dev/", "/root/", "/var/log/secure",
	"/var/log/auth", "/library/launchagents/", "/library/launchdaemons/",
	"/library/preferences/", "/private/etc/", "c:\\windows\\",
	"c:\\program files\\", "c:\\program files (x86)\\", "c:\\programdata\\",
	"c:\\users\\all users\\", "c:\\bootmgr", "%systemroot%", "%windir%",
}

harmless := {
	"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty",
	"/dev/zero", "/dev/urandom", "/dev/random", "/dev/fd",
}

is_system(path) if {
	some start in system_paths
	startswith(concat("", [paths.tidy(path), "/"]), start)
	not is_harmless(path)
}

is_system(path) if {
	some start in {"/var/log/secure", "/var/log/auth", "c:\\windows\\", "%systemroot%", "%windir%"}
	startswith(lower(path), start)
}

# Of other users; the own home, wherever it is, is among the additional paths.
is_system(path) if regex.match(
	`^(~|/home/[^/]+|/users/[^/]+|/root|\$home)/(\.ssh|library/launchagents|\.gnupg|\.config|\.local/share/keyrings)(/|$)`,
	paths.tidy(path),
)

is_system(path) if {
	some pattern in config.additional_paths
	paths.matches(path, pattern)
}

is_harmless(path) if {
	some one in harmless
	paths.matches(path, one)
}

message(_) := config.message if config.message != ""

message(usual) := usual if config.message == ""

halt contains {
	"rule_id": "GLOBAL-BUILTIN-SYSTEM-PROTECTION",
	"severity": "CRITICAL",
	"reason": concat("", [message("Access to critical system path blocked"), ": ", path]),
} if {
	input.belay.tool.kind != "shell"
	hits := {one | some one in paths.named; is_system(one)}
	count(hits) > 0
	path := paths.shown(hits)
}

# ---- commands ---------------------------------------------------------------------

halt contains {
	"rule_id": "GLOBAL-BUILTIN-SYSTEM-PROTECTION",
	"severity": "CRITICAL",
	"reason": message("Command blocked - references critical system paths"),
} if references_system

# Programs lie in system folders and may be run.
references_system if {
	some effect in shell.effects
	effect.kind != "execute"
	is_system(effect.target)
}

references_system if {
	some one in shell.commands
	shell.may_do_more(one)
	some word in shell.words(shell.behind_program(one))
	is_system(word)
}

references_system if {
	some one in shell.opaque
	one.reason in {"syntax", "limit"}
	some word in shell.words(shell.command)
	is_system(word)
}

references_system if {
	some one in shell.commands
	one.program in {"sudo", "doas", "pkexec", "su", "run0"}
}

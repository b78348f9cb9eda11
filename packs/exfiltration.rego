# exfiltration: what leaves the machine.
package belay.packs

import rego.v1

# METADATA
# title: A secret is sent to another machine
# custom:
#   id: exfiltration/secret
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("exfiltration/secret", effect) if {
	some effect in effects
	effect.kind in {"network", "publish", "remote"}
	"secret" in effect.origins
}

hits contains found("exfiltration/secret", effect) if {
	some effect in effects
	effect.kind == "network"
	some other in object.get(paths, "read", set())
	other.command == effect.command
	other.secret == "high"
	"send" in effect.details
}

# METADATA
# title: The environment is sent to another machine
# custom:
#   id: exfiltration/environment
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("exfiltration/environment", effect) if {
	some effect in effects
	effect.kind in {"network", "publish", "remote"}
	"environment" in effect.origins
}

# METADATA
# title: A shell is joined to a connection
# custom:
#   id: exfiltration/reverse-shell
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("exfiltration/reverse-shell", effect) if {
	some effect in acts["network:shell"]
}

hits contains found("exfiltration/reverse-shell", effect) if {
	some effect in effects
	effect.kind == "execute"
	"network" in effect.origins
	effect.action == "shell-input"
}

# METADATA
# title: The repository goes to an address that it does not know
# custom:
#   id: exfiltration/new-remote
#   severity: high
#   modes: [ask, deny, deny]
#   instead: push to a configured remote
hits contains found("exfiltration/new-remote", effect) if {
	some effect in acts["remote:push"]
	regex.match(`^([a-z+]+://|[^/]+"exfiltration/new-remote"[^/]+:|/|\.\.?/|~|file:)`, effect.target)
}

# METADATA
# title: Something is sent to a paste or drop site
# custom:
#   id: exfiltration/drop-site
#   severity: high
#   modes: [ask, deny, deny]
#   instead: attach it to the issue
hits contains found("exfiltration/drop-site", effect) if {
	some effect in effects
	effect.kind == "network"
	"send" in effect.details
	regex.match(`(^|[/."exfiltration/drop-site"])(pastebin\.com|paste\.rs|ix\.io|0x0\.st|transfer\.sh|file\.io|webhook\.site|requestbin\.[a-z]+|termbin\.com|bashupload\.com|oshi\.at|tmpfiles\.org|temp\.sh|pipedream\.net|ngrok(-free)?\.(io|app|dev))([:/]|$)`, effect.target)
}

# METADATA
# title: A file is sent to a chat
# custom:
#   id: exfiltration/webhook
#   severity: medium
#   modes: [monitor, ask, deny]
hits contains found("exfiltration/webhook", effect) if {
	some effect in effects
	effect.kind == "network"
	"send" in effect.details
	"file" in effect.origins
	regex.match(`hooks\.slack\.com|discord(app)?\.com/api/webhooks|api\.telegram\.org`, effect.target)
}

# METADATA
# title: A file becomes a gist or snippet
# custom:
#   id: exfiltration/gist
#   severity: medium
#   modes: [ask, ask, deny]
hits contains found_command("exfiltration/gist", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"gist", "snippet"}
	command.operands[1] in {"create", "edit"}
}

# METADATA
# title: A tunnel into this machine
# custom:
#   id: exfiltration/tunnel
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: ssh -L
hits contains found("exfiltration/tunnel", effect) if {
	some effect in acts["network:tunnel"]
}

# METADATA
# title: A file is sent by mail
# custom:
#   id: exfiltration/mail
#   severity: medium
#   modes: [monitor, ask, deny]
hits contains found("exfiltration/mail", effect) if {
	some effect in acts["publish:mail"]
}

# METADATA
# title: A file of the workspace goes to another machine
# custom:
#   id: exfiltration/file-out
#   severity: low
#   modes: ["off", monitor, ask]
hits contains found("exfiltration/file-out", effect) if {
	some effect in effects
	effect.kind == "network"
	"send" in effect.details
	"file" in effect.origins
}

# A command that carries a file away, by its words.
hits contains found_command("exfiltration/secret", command) if {
	some command in live_commands
	carries_away(command)
	some word in array.slice(command.argv, 1, count(command.argv))
	regex.match(`(^|/)(\.env(\.[a-z]+)?|\.netrc|\.git-credentials|credentials|id_(rsa|ed25519|ecdsa)|[^/]*\.(pem|p12|key))$|(^|/)\.(ssh|aws|gnupg)(/|$)`, word)
	not regex.match(`\.(example|sample|template|dist|pub)$`, word)
}

carries_away(command) if {
	command.program == "rclone"
	command.operands[0] in {"copy", "copyto", "sync", "move", "moveto", "rcat"}
}

carries_away(command) if {
	command.program == "aws"
	command.operands[0] == "s3"
	command.operands[1] in {"cp", "mv", "sync"}
}

carries_away(command) if {
	command.program in {"gsutil", "gcloud", "az", "s3cmd", "mc", "b2"}
	some word in command.operands
	word in {"cp", "mv", "rsync", "put", "upload", "mirror"}
}

# A secret file as the input of a command on another machine.
hits contains found("exfiltration/secret", effect) if {
	some effect in object.get(paths, "read", set())
	effect.action == "redirect"
	effect.secret == "high"
	some command in live_commands
	command.program in {"ssh", "nc", "ncat", "netcat", "telnet", "socat", "mail", "sendmail"}
}

# METADATA
# title: A secret goes to the clipboard
# custom:
#   id: exfiltration/clipboard
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("exfiltration/clipboard", effect) if {
	some effect in object.get(paths, "read", set())
	effect.secret == "high"
	some command in live_commands
	command.program in {"xclip", "xsel", "wl-copy", "pbcopy", "clip.exe"}
}

# METADATA
# title: Files are served to the network
# description: The home folder, the root, or a folder of the system.
# custom:
#   id: exfiltration/serve
#   severity: high
#   modes: [ask, deny, deny]
#   instead: bind 127.0.0.1
hits contains found("exfiltration/serve", effect) if {
	some served in acts["network:serve"]
	some effect in object.get(paths, "read", set())
	effect.command == served.command
	some name in {"home", "root"}
	name in effect.holds
}

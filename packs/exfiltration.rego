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
	some effect in acts["execute:shell"]
	"network" in effect.origins
	some socket in acts["network:socket"]
	"send" in socket.details
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
	regex.match(`^([a-z+]+://|[^/]+@[^/]+:|/|\.\.?/|~|file:)`, effect.target)
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
	regex.match(`(^|[/.@])(pastebin\.com|paste\.rs|ix\.io|0x0\.st|transfer\.sh|file\.io|webhook\.site|requestbin\.[a-z]+|termbin\.com|sprunge\.us|clbin\.com|dpaste\.(com|org)|hastebin\.com|paste\.ee|catbox\.moe|gofile\.io|uguu\.se|x0\.at|envs\.sh|pastes\.dev|paste\.debian\.net|p\.ip\.fi|requestcatcher\.com|beeceptor\.com|oast\.(pro|live|site|online|fun|me)|interact\.sh|burpcollaborator\.net|wetransfer\.com|bashupload\.com|oshi\.at|tmpfiles\.org|temp\.sh|pipedream\.net|ngrok(-free)?\.(io|app|dev))([:/]|$)`, effect.target)
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
	some key in {"network:tunnel", "network:agent"}
	some effect in acts[key]
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

# The commands of a file transfer.
hits contains found_command("exfiltration/secret", command) if {
	some command in live_commands
	command.program in {"sftp", "ftp", "lftp"}
	some text in array.concat(command.argv, [object.get(command, "input", "")])
	regex.match(`(?m)(^|[;\n])\s*(m?put|mirror -R)\s(.*[/ ])?(\.env(\.[a-z]+)?|\.netrc|\.git-credentials|credentials|id_(rsa|ed25519|ecdsa)|[^/ ]*\.(pem|p12|key)|\.(ssh|aws|gnupg)(/.*)?)\s*(;|$)`, text)
}

carries_away(command) if {
	command.program in {"gh", "glab"}
	command.operands[0] in {"gist", "snippet"}
	command.operands[1] in {"create", "edit"}
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

hits contains found("exfiltration/serve", served) if {
	some served in acts["network:serve"]
	regex.match(`^/(home/[^/]+|root|Users/[^/]+|etc|var)?/?$`, command_of(served).cwd)
}

# METADATA
# title: The whole workspace is sent away
# description: Packed, or as a folder, to another machine.
# custom:
#   id: exfiltration/workspace
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("exfiltration/workspace", effect) if {
	some effect in effects
	effect.kind in {"network", "remote"}
	"send" in effect.details
	not is_local_host(effect)
	some packed in object.get(paths, "read", set())
	"workspace" in packed.holds
	"recursive" in packed.details
	program_of(packed) in {"tar", "zip", "7z", "bsdtar", "cpio", "pax", "git", "rsync", "scp"}
}

# Packed into the pipe of a program that hands its input to the other side.
hits contains found("exfiltration/workspace", effect) if {
	some effect in effects
	effect.kind == "network"
	program_of(effect) in {"ssh", "nc", "ncat", "netcat", "socat", "telnet"}
	not is_local_host(effect)
	some packed in object.get(paths, "read", set())
	"workspace" in packed.holds
	"quiet" in packed.details
	packed.command + 1 == effect.command
	program_of(packed) in {"tar", "zip", "bsdtar", "cpio", "pax", "git"}
}

# Packed into a file by git, and that file is sent.
hits contains found("exfiltration/workspace", effect) if {
	some effect in effects
	effect.kind == "network"
	"send" in effect.details
	not is_local_host(effect)
	some sent in object.get(paths, "read", set())
	sent.command == effect.command
	some packed in object.get(paths, "write", set())
	packed.target == sent.target
	program_of(packed) == "git"
	words_of(command_of(packed))[0] in {"bundle", "archive"}
}

# METADATA
# title: Something that is not known is sent to an address that is not known
# custom:
#   id: exfiltration/unknown
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name the file and the host
hits contains found("exfiltration/unknown", effect) if {
	some effect in effects
	effect.kind == "network"
	"send" in effect.details
	effect.state == "unknown"
	not is_local_host(effect)
	regex.match(`^\$|^[a-z]+://\$`, effect.target)
}

# METADATA
# title: A secret goes to a host that it does not belong to
# custom:
#   id: exfiltration/auth-header
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: the host of that service
hits contains found_command("exfiltration/auth-header", command) if {
	some command in live_commands
	command.program in {"curl", "wget", "http", "https", "xh", "httpie"}
	some word in command.argv
	some row in token_homes
	regex.match(row[0], word)
	some address in web_addresses(command)
	not regex.match(row[1], host_of(address))
	not is_this_machine(address)
}

# METADATA
# title: A tool is told to talk to another address
# description: The address of a model, a registry or a proxy.
# custom:
#   id: exfiltration/base-url
#   severity: high
#   modes: [ask, deny, deny]
hits contains found_command("exfiltration/base-url", command) if {
	some command in live_commands
	some word in command.argv
	command.program in {"export", "declare", "typeset", "setx", "set"}
	is_base_url(word)
	not is_own_url(word)
}

hits contains found_command("exfiltration/base-url", command) if {
	some command in live_commands
	some name, value in object.get(command, "environment", {})
	is_base_url(concat("", [name, "="]))
	not is_own_url(concat("", [name, "=", value]))
	value != ""
}

# METADATA
# title: A secret is copied to a removable or shared folder
# custom:
#   id: exfiltration/mount
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("exfiltration/mount", effect) if {
	some effect in object.get(paths, "write", set())
	"secret" in effect.origins
	regex.match(`^/(mnt|media|run/media|Volumes|net)/|/(Dropbox|OneDrive[^/]*|Google ?Drive|iCloud[^/]*|Nextcloud|ownCloud|Syncthing|pCloud[^/]*|MEGA)/`, effect.target)
}

is_local_host(effect) if is_this_machine(object.get(effect, "target", ""))

# A variable with a token, and the hosts of its service.
token_homes := [
	[`\$\{?(GITHUB|GH)_TOKEN`, `(^|[/.@])(github\.com|githubusercontent\.com|ghcr\.io)([:/]|$)|github\.[a-z0-9-]+\.[a-z]+`],
	[`\$\{?(GITLAB|CI_JOB)_TOKEN`, `gitlab`],
	[`\$\{?OPENAI_API_KEY`, `(^|[/.])(openai\.com|openai\.azure\.com)([:/]|$)`],
	[`\$\{?ANTHROPIC_(API_KEY|AUTH_TOKEN)`, `(^|[/.])anthropic\.com([:/]|$)`],
	[`\$\{?(GEMINI|GOOGLE)_API_KEY`, `(^|[/.])googleapis\.com([:/]|$)`],
	[`\$\{?(NPM_TOKEN|NODE_AUTH_TOKEN)`, `(^|[/.])(npmjs\.org|npmjs\.com|npm\.pkg\.github\.com)([:/]|$)`],
	[`\$\{?(AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN)`, `(^|[/.])amazonaws\.com([:/]|$)`],
	[`\$\{?(SLACK|SLACK_BOT)_TOKEN`, `(^|[/.])slack\.com([:/]|$)`],
	[`\$\{?STRIPE_SECRET_KEY`, `(^|[/.])stripe\.com([:/]|$)`],
	[`\$\{?(CLOUDFLARE_API_TOKEN|CF_API_TOKEN)`, `(^|[/.])cloudflare\.com([:/]|$)`],
	[`\$\{?(HF_TOKEN|HUGGING_FACE_HUB_TOKEN)`, `(^|[/.])(huggingface\.co|hf\.co)([:/]|$)`],
	[`\$\{?SENTRY_AUTH_TOKEN`, `sentry`],
	[`\$\{?VERCEL_TOKEN`, `(^|[/.])vercel\.com([:/]|$)`],
	[`\$\{?(DIGITALOCEAN|DO)_TOKEN`, `(^|[/.])digitalocean\.com([:/]|$)`],
]

host_of(address) := regex.replace(address, `^([a-z]+://)?([^@/?#]*@)?([^/?#]*).*$`, "$3")

web_addresses(command) := {word | some word in command.operands; regex.match(`^[a-z]+://|^[a-z0-9.-]+\.[a-z]{2,}([:/]|$)`, word)}

is_base_url(text) if regex.match(`^(OPENAI|ANTHROPIC|GEMINI|GOOGLE_GEMINI|AZURE_OPENAI|MISTRAL|GROQ|OPENROUTER|DEEPSEEK|COHERE)_(API_)?(BASE|BASE_URL|ENDPOINT|API_BASE|HOST)=|^(NPM_CONFIG_REGISTRY|npm_config_registry|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|UV_INDEX_URL|UV_DEFAULT_INDEX|GOPROXY|CARGO_REGISTRIES_[A-Z_]+_INDEX|YARN_REGISTRY|YARN_NPM_REGISTRY_SERVER|BUNDLE_MIRROR[A-Z_]*|GEM_HOST)=|^(HTTPS?_PROXY|https?_proxy|ALL_PROXY|all_proxy)=`, text)

is_own_url(text) if regex.match(`=["']?$|=(https?|socks5h?)://([^/@]*@)?(localhost|127\.[0-9.]+|\[::1\]|0\.0\.0\.0|host\.docker\.internal|[^/.:@]+)(:[0-9]*)?(/|$)|=(https?://)?([a-z0-9-]+\.)*(openai\.com|anthropic\.com|googleapis\.com|azure\.com|mistral\.ai|groq\.com|openrouter\.ai|deepseek\.com|cohere\.(com|ai)|npmjs\.org|yarnpkg\.com|npmmirror\.com|pypi\.org|golang\.org|goproxy\.(io|cn)|crates\.io|rubygems\.org)(:[0-9]*)?([/,|"']|$)|=(off|direct)([,|"']|$)`, text)

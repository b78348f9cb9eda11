# secrets: content that would reach the model.
package belay.packs

import rego.v1

# Reads of secrets whose content is shown: by confidence, high or medium.
secret_reads contains effect if {
	some effect in object.get(paths, "read", set())
	effect.secret in {"high", "medium"}
	reads_content(effect)
	is_shown(effect)
}

# An archive that goes to standard output carries what it holds.
secret_reads contains effect if {
	some effect in object.get(paths, "read", set())
	effect.secret in {"high", "medium"}
	is_printed_archive(command_of(effect))
}

is_printed_archive(command) if {
	command.program == "tar"
	"create" in object.keys(command.options)
	not "file" in object.keys(command.options)
}

is_printed_archive(command) if {
	command.program == "tar"
	some file in command.options.file
	file in {"-", "/dev/stdout"}
}

is_env_file(path) if regex.match(`(^|/)(\.env(\.[^/]*)?|[^/]*\.env|\.envrc|\.flaskenv|\.dev\.vars|secrets\.env)[^/]*$`, path)

is_key(path) if {
	not regex.match(`/\.(password-store|gnupg)/`, path)
	has_key_name(path)
}

has_key_name(path) if regex.match(`/\.ssh/|\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|p8|agekey|asc|gpg)([.~][^/]*)?$|_(rsa|ed25519|ecdsa|dsa)$|/id_(rsa|ed25519|ecdsa|dsa)`, path)

is_history(path) if regex.match(`/\.[a-z_]*history$|fish_history$`, path)

is_process_environment(path) if regex.match(`^/proc/[^/]+/environ$`, path)

# Reads of other secrets, by the sort of the file: the first row that fits.
logins[sort] contains effect if {
	some effect in secret_reads
	not is_key(effect.target)
	not is_env_file(effect.target)
	not is_history(effect.target)
	not is_process_environment(effect.target)
	sort := [row[0] | some row in login_sorts; regex.match(row[1], effect.target)][0]
}

login_sorts := [
	["agent", `/\.(claude|codex|gemini|cursor|copilot|pi|kimi[^/]*|qwen|factory|grok)/|/\.config/(cursor|github-copilot|amp)/|/\.local/share/(opencode|amp|droid)/`],
	["vault", `/\.password-store|keyrings|Keychains|/\.gnupg|/\.mozilla|/\.config/(google-chrome|chromium|BraveSoftware|microsoft-edge|vivaldi|1Password|Bitwarden)|/\.(bitcoin|ethereum|electrum|litecoin)|/solana/|/\.thunderbird|Library/(Messages|Mail|Safari|Application Support/(Google/Chrome|Firefox))|\.kdbx$`],
	["package", `/\.(npmrc|pypirc|yarnrc\.yml|yarnrc|gem/credentials|cargo/credentials[^/]*|m2/settings[^/]*|nuget/[^/]*|gradle/gradle\.properties)$|/composer/auth\.json$|/pip/?pip\.conf$`],
	["state", `/terraform\.tfstate[^/]*$|\.tfvars(\.json)?$|/Pulumi\.[^/]+\.yaml$`],
	["cloud", `/\.(aws|azure|kube|docker|oci|fly|wrangler|netlify|boto|s3cfg|vault-token|git-credentials|netrc)(/|$)|/_netrc$|/\.config/(gcloud|doctl|hcloud|rclone|gh|glab-cli|heroku|vercel|containers|argocd|git)/|/\.terraform\.d/|^/(var/)?run/secrets`],
	["other", ``],
]

is_secret_name(name) if regex.match(`(?i)(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|ENCRYPTION_KEY|SIGNING_KEY|CREDENTIALS|CONNECTION_STRING|DSN|PGPASSWORD|MYSQL_PWD|DATABASE_URL|REDIS_URL|MONGODB_URI)$|(?i)^(SECRET|TOKEN|PASSWORD)`, name)

# METADATA
# title: A file of settings that holds secrets is read
# custom:
#   id: secrets/env-file
#   severity: high
#   modes: [ask, deny, deny]
#   instead: read .env.example; grep -c "^NAME=" .env
hits contains found("secrets/env-file", effect) if {
	some effect in secret_reads
	is_env_file(effect.target)
}

# METADATA
# title: A private key is read
# custom:
#   id: secrets/private-key
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: ssh-keygen -lf KEY.pub
hits contains found("secrets/private-key", effect) if {
	some effect in secret_reads
	is_key(effect.target)
}

# METADATA
# title: The login of a cloud, cluster, registry or forge is read
# custom:
#   id: secrets/cloud-login
#   severity: high
#   modes: [ask, deny, deny]
#   instead: the status command of the service
hits contains found("secrets/cloud-login", effect) if {
	some effect in logins.cloud
}

# METADATA
# title: The token of a package registry is read
# custom:
#   id: secrets/package-token
#   severity: high
#   modes: [ask, deny, deny]
#   instead: npm whoami
hits contains found("secrets/package-token", effect) if {
	some effect in logins["package"]
}

# METADATA
# title: A store of passwords, a browser's profile or a wallet is read
# custom:
#   id: secrets/vault
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: ask the person
hits contains found("secrets/vault", effect) if {
	some effect in logins.vault
}

# METADATA
# title: The login of an agent is read
# custom:
#   id: secrets/agent-login
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: the status command of the agent
hits contains found("secrets/agent-login", effect) if {
	some effect in logins.agent
}

# METADATA
# title: The state of an infrastructure tool is read
# description: It holds the secrets of what it made, in plain text.
# custom:
#   id: secrets/state
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: output NAME for one plain value
hits contains found("secrets/state", effect) if {
	some effect in logins.state
}

hits contains found_command("secrets/state", command) if {
	some command in live_commands
	command.program in terraforms
	prints_state(command)
}

hits contains found_command("secrets/state", command) if {
	some command in live_commands
	command.program == "pulumi"
	command.operands[0] in {"stack", "config"}
	"show-secrets" in object.keys(command.options)
}

# METADATA
# title: A file whose name says that it holds logins is read
# custom:
#   id: secrets/login
#   severity: high
#   modes: [ask, deny, deny]
#   instead: the status command of the service
hits contains found("secrets/login", effect) if {
	some effect in logins.other
}

# METADATA
# title: The environment of a process is read
# custom:
#   id: secrets/proc-environ
#   severity: high
#   modes: [ask, deny, deny]
#   instead: /proc/self/status
hits contains found("secrets/proc-environ", effect) if {
	some effect in secret_reads
	is_process_environment(effect.target)
}

# METADATA
# title: The history of a shell or client is read
# custom:
#   id: secrets/history
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("secrets/history", effect) if {
	some effect in secret_reads
	is_history(effect.target)
}

# METADATA
# title: A command that prints a stored secret
# custom:
#   id: secrets/token-command
#   severity: high
#   modes: [ask, deny, deny]
#   instead: the status form, such as gh auth status
hits contains found("secrets/token-command", effect) if {
	some effect in effects
	effect.kind == "secret"
	not effect.action in {"environment", "variable", "delete"}
	is_shown(effect)
}

hits contains found_command("secrets/token-command", command) if {
	some command in live_commands
	words := concat(" ", array.concat([command.program], array.slice(command.argv, 1, count(command.argv))))
	prints_token(words)
}

# Parameters that are stored encrypted, wherever the option stands.
hits contains found_command("secrets/token-command", command) if {
	some command in live_commands
	command.program == "aws"
	command.operands[0] == "ssm"
	"with-decryption" in object.keys(command.options)
}

# METADATA
# title: A stored key or secret is deleted
# description: Keys of gpg, entries of a keychain or a store of passwords; what they open cannot be opened again.
# custom:
#   id: secrets/delete
#   severity: high
#   modes: [ask, deny, deny]
#   instead: list them, and let the person delete the one
hits contains found("secrets/delete", effect) if {
	some effect in acts["secret:delete"]
}

hits contains found_command("secrets/delete", command) if {
	some command in live_commands
	words := concat(" ", array.slice(command.argv, 0, 4))
	regex.match(`^(pass (rm|remove|delete)|gopass (rm|delete)|bw delete|lpass rm|op (item|vault|document) delete|vault kv (delete|destroy|metadata delete)|keyring del|keyctl (purge|clear))\b`, words)
}

# METADATA
# title: The whole environment is printed
# custom:
#   id: secrets/environment
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name the one variable
hits contains found("secrets/environment", effect) if {
	some effect in acts["secret:environment"]
	is_shown(effect)
}

# The environment of processes: e of ps without a dash.
hits contains found_command("secrets/environment", command) if {
	some command in live_commands
	command.program == "ps"
	some word in array.slice(command.argv, 1, count(command.argv))
	regex.match(`^[a-z]*e[a-z]*$`, word)
	not regex.match(`^(p|pid|ppid|user|comm?|command|args|etime|stime|time|-.*)$`, word)
	not command.argv[1] in {"-o", "-p", "-C", "-u", "-O", "-eo", "-axo", "axo"}
}

# METADATA
# title: A variable that holds a secret is printed
# custom:
#   id: secrets/variable
#   severity: high
#   modes: [ask, deny, deny]
#   instead: test whether it is set, with [ -n "$NAME" ] && echo set
hits contains found("secrets/variable", effect) if {
	some effect in acts["secret:variable"]
	is_shown(effect)
}

# METADATA
# title: A secret in the history of a repository
# custom:
#   id: secrets/git-history
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git log --stat -- PATH
hits contains found("secrets/git-history", effect) if {
	some effect in acts["secret:history"]
	is_shown(effect)
}

# METADATA
# title: A search through files that hold secrets
# custom:
#   id: secrets/hunt
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git grep, or leave them out
hits contains found("secrets/hunt", effect) if {
	some effect in secret_reads
	is_recursive(effect)
}

# METADATA
# title: A secret is copied to a name that nothing protects
# custom:
#   id: secrets/copy
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("secrets/copy", effect) if {
	some effect in paths.write
	"secret" in effect.origins
	not effect.secret
}

hits contains found("secrets/copy", effect) if {
	some effect in paths.delete
	is_move(effect)
	effect.secret == "high"
}

# METADATA
# title: A file of settings is loaded
# custom:
#   id: secrets/use-env-file
#   severity: low
#   modes: ["off", monitor, ask]
hits contains found("secrets/use-env-file", effect) if {
	some effect in paths.read
	"quiet" in effect.details
	effect.secret in {"high", "medium"}
	is_env_file(effect.target)
	program_of(effect) in {"source", ".", "docker", "podman", "node"}
}

# METADATA
# title: The names in a folder of keys
# custom:
#   id: secrets/key-list
#   severity: low
#   modes: ["off", ask, ask]
hits contains found("secrets/key-list", effect) if {
	some effect in paths.read
	"names" in effect.details
	regex.match(`/\.(ssh|gnupg|aws)(/|$)`, effect.target)
	count(commands) == 0
}

# METADATA
# title: The metadata service of a cloud machine
# custom:
#   id: secrets/metadata
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("secrets/metadata", effect) if {
	some effect in effects
	effect.kind == "network"
	regex.match(`169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254`, effect.target)
}

# METADATA
# title: The clipboard is read
# custom:
#   id: secrets/clipboard
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: ask for the text
hits contains found_command("secrets/clipboard", command) if {
	some command in live_commands
	command.program == "pbpaste"
}

hits contains found_command("secrets/clipboard", command) if {
	some command in live_commands
	command.program in {"xclip", "xsel", "wl-paste"}
	some word in command.argv
	word in {"-o", "--output", "wl-paste"}
}

# A search through files of which some are secrets.
hits contains found_command("secrets/hunt", command) if {
	some command in live_commands
	command.program in {"grep", "egrep", "fgrep", "rg"}
	some value in array.concat(object.get(command.options, "include", []), object.get(command.options, "glob", []))
	is_env_file(value)
}

hits contains found("secrets/hunt", effect) if {
	some effect in object.get(paths, "read", set())
	effect.kind == "read"
	"recursive" in effect.details
	some name in {"home", "root"}
	name in effect.holds
	program_of(effect) in {"grep", "egrep", "fgrep", "rg", "ack", "ag"}
}

# A file whose name says that it is a secret, from the history of a repository.
hits contains found_command("secrets/git-history", command) if {
	some command in live_commands
	command.program == "git"
	words_of(command)[0] in {"show", "cat-file", "log", "diff", "stash", "grep", "archive"}
	some word in command.operands
	regex.match(`(^|[:/])(\.env[^/]*|creds?[^/]*\.txt|credentials[^/]*|secrets?\.[a-z]+|id_(rsa|ed25519|ecdsa)|[^/]*\.(pem|key|p12))$`, word)
	not regex.match(`\.(example|sample|template|dist|pub)$`, word)
	not "stat" in object.keys(command.options)
	shows_content(command)
}

shows_content(command) if words_of(command)[0] in {"show", "cat-file", "grep", "archive"}

shows_content(command) if "patch" in object.keys(command.options)

hits contains found_command("secrets/env-file", command) if {
	some command in live_commands
	command.program == "git"
	"no-index" in object.keys(command.options)
	some word in command.operands
	is_env_file(word)
	not regex.match(`\.(example|sample|template|dist)$`, word)
}

# A loop or filter that prints what it reads from a secret file.
hits contains found("secrets/env-file", effect) if {
	some effect in object.get(paths, "read", set())
	effect.action == "redirect"
	effect.secret == "high"
	some command in commands
	command.program in {"read", "mapfile", "readarray", "tr", "cat"}
}

hits contains found_command("secrets/variable", command) if {
	some command in live_commands
	command.program in {"declare", "typeset", "export", "printenv", "set"}
	some word in array.slice(command.argv, 1, count(command.argv))
	is_secret_name(word)
	prints_variables(command)
}

prints_variables(command) if command.program == "printenv"

prints_variables(command) if "-p" in command.argv

# Programs that print a stored secret, by their words.
# One literal: it is compiled with the packs.
prints_token(words) if regex.match(`^gh auth token\b|^glab auth token\b|^aws configure (export-credentials|get aws_secret)|^aws (ecr get-login-password|secretsmanager get-secret-value|sts get-session-token|codeartifact get-authorization-token)|^gcloud auth (application-default )?print-(access|identity)-token|^gcloud secrets versions access|^az (account get-access-token|keyvault secret show)|^docker-credential-[a-z-]+ get|^security (find-(generic|internet)-password|dump-keychain)|^secret-tool (lookup|search)|^pass (show )?[^-]|^op (read|item get)|^bw (get|export)|^lpass (show|export)|^vault (read|kv get|token lookup)|^doppler secrets|^heroku (config|auth:token)|^vercel env pull|^railway variables|^(sops|age)\b.*( -d\b|--decrypt)|^ansible-vault (view|decrypt)|^(gh|glab) auth status.* (-t|--show-token)\b|^infisical (secrets|export)|^npm config get .*(_authToken|_password|_auth)\b|^pip3? config debug|^pulumi config get .*(?i:secret|token|passw|key)|^git credential (fill|approve)`, words)

# METADATA
# title: Secrets of a cluster or container are shown
# custom:
#   id: secrets/cluster
#   severity: high
#   modes: [ask, deny, deny]
#   instead: kubectl get secret without an output form
hits contains found_command("secrets/cluster", command) if {
	some command in kubectls
	command.operands[0] in {"get", "describe"}
	some word in command.operands
	regex.match(`^secrets?(/|$|,)`, word)
	"output" in object.keys(command.options)
}

hits contains found_command("secrets/cluster", command) if {
	some command in kubectls
	command.operands[0] == "config"
	command.operands[1] == "view"
	"--raw" in command.argv
}

hits contains found_command("secrets/cluster", command) if {
	some command in live_commands
	command.program == "helm"
	command.operands[0] == "get"
	command.operands[1] in {"values", "all", "manifest"}
}

hits contains found_command("secrets/cluster", command) if {
	some command in engines
	is_verb(command, {"inspect"})
	not leaves_environment_out(command)
}

hits contains found_command("secrets/cluster", command) if {
	some command in live_commands
	command.program in {"docker", "podman", "docker-compose"}
	regex.match(`(^| )compose config( |$)|^config( |$)`, concat(" ", array.concat([w | command.program == "docker-compose"; w := "compose"], words_of(command))))
	not "services" in object.keys(command.options)
	not "quiet" in object.keys(command.options)
}

# METADATA
# title: The content of a whole tree outside the workspace is read
# description: /etc, /var, the home folder or another user's, searched or printed as a whole.
# custom:
#   id: secrets/sweep
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: name the folder or file
hits contains found("secrets/sweep", effect) if {
	some effect in object.get(paths, "read", set())
	is_wide(effect)
	reads_content(effect)
	is_shown(effect)
	is_swept(effect)
}

# METADATA
# title: A search for the shapes of tokens
# custom:
#   id: secrets/shape-search
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: grep -l or -c
hits contains found_command("secrets/shape-search", command) if {
	some command in live_commands
	command.program in {"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "ripgrep"}
	some word in command.argv
	regex.match(`(?i)AKIA|ghp_|gho_|github_pat_|glpat-|xox[abp\[]|sk-ant|sk-proj|sk_live|AIza|npm_\[|BEGIN [A-Z. ]*PRIVATE KEY|-----BEGIN|(password|passwd|secret|api_?key|token)\s*[\[(.\\]?[^|]*[=:]`, word)
	prints_matches(command)
	not count(command.operands) == 0
}

# METADATA
# title: A secret is typed in the line
# description: A token, or a name with its password.
# custom:
#   id: secrets/inline
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: a variable, or standard input
hits contains found_command("secrets/inline", command) if {
	some command in live_commands
	some word in command.argv
	has_token(word)
}

hits contains found_command("secrets/inline", command) if {
	some command in live_commands
	command.program in {"curl", "wget", "http", "https", "xh"}
	some name in {"user", "auth", "password", "proxy-user"}
	some value in command.options[name]
	regex.match(`^[^:$]+:[^$].*$`, value)
	not regex.match(`(?i)^[^:]*:(pass(word)?|changeme|example|x+|test|secret)?$`, value)
}

hits contains found_command("secrets/inline", command) if {
	some command in live_commands
	command.program in {"mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass"}
	some value in command.options.password
	value != ""
	not regex.match(`\$`, value)
}

# METADATA
# title: A token or private key is written into a file of the workspace
# custom:
#   id: secrets/write
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: a placeholder, and a store of secrets
hits contains found("secrets/write", effect) if {
	some effect in object.get(paths, "write", set())
	effect.place == "workspace"
	not effect.secret
	not regex.match(`(^|/)(tests?|__tests__|testdata|fixtures|spec|examples?|mocks?)/`, effect.target)
	some command in live_commands
	has_token(object.get(command, "input", ""))
}

# Places whose files are many people's, or a person's own.
is_swept(effect) if {
	regex.match(`^/(etc|var|root|home|Users|proc|sys)$`, effect.target)
}

is_swept(effect) if regex.match(`^/(etc|var|root|home|Users)/\*`, effect.target)

is_swept(effect) if {
	some name in {"home", "root"}
	name in effect.holds
}

prints_matches(command) if {
	count({"files-with-matches", "count", "quiet", "files-without-match", "files"} & object.keys(command.options)) == 0
}

prints_state(command) if {
	command.operands[0] == "state"
	command.operands[1] in {"pull", "show"}
}

prints_state(command) if {
	command.operands[0] == "output"
	"json" in object.keys(command.options)
}

prints_state(command) if {
	command.operands[0] == "output"
	"raw" in object.keys(command.options)
}

prints_state(command) if {
	command.operands[0] == "output"
	count(command.operands) == 1
}

# --format that names other parts than the environment.
leaves_environment_out(command) if {
	some value in command.options.format
	not regex.match(`(?i)env|\.Config\s*}|^\s*{{\s*(json )?\.\s*}}|^json$`, value)
}

leaves_environment_out(command) if {
	some word in {"image", "volume", "network", "context", "node", "plugin", "manifest", "buildx"}
	is_verb(command, {word})
}

# Shapes that only tokens have, and not the samples of documents.
has_token(text) if {
	regex.match(`(^|[^A-Za-z0-9])(AKIA|ASIA)[A-Z0-9]{16}|gh[posu]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40}|glpat-[A-Za-z0-9_-]{20}|xox[abprs]-[0-9A-Za-z-]{20}|sk-(ant|proj)-[A-Za-z0-9_-]{20}|[sr]k_live_[A-Za-z0-9]{20}|AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{36}|pypi-AgEI[A-Za-z0-9_-]{20}|dop_v1_[a-f0-9]{40}|hf_[A-Za-z0-9]{30}|hvs\.[A-Za-z0-9_-]{20}|AGE-SECRET-KEY-1[A-Z0-9]{40}|-----BEGIN ([A-Z]+ )?PRIVATE KEY-----`, text)
	not regex.match(`(?i)EXAMPLE|x{8}|0{8}|1234567890`, text)
}

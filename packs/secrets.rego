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

is_key(path) if regex.match(`/\.ssh/|\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|p8|agekey|asc|gpg)([.~][^/]*)?$|_(rsa|ed25519|ecdsa|dsa)$|/id_(rsa|ed25519|ecdsa|dsa)`, path)

is_history(path) if regex.match(`/\.[a-z_]*history$|fish_history$`, path)

is_process_environment(path) if regex.match(`^/proc/[^/]+/environ$`, path)

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
# title: A file with logins is read
# description: Logins of clouds, clusters, registries, forges, agents, password stores.
# custom:
#   id: secrets/login
#   severity: high
#   modes: [ask, deny, deny]
#   instead: the status command of the service
hits contains found("secrets/login", effect) if {
	some effect in secret_reads
	not is_key(effect.target)
	not is_env_file(effect.target)
	not is_history(effect.target)
	not is_process_environment(effect.target)
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
	not effect.action in {"environment", "variable"}
	is_shown(effect)
}

hits contains found_command("secrets/token-command", command) if {
	some command in live_commands
	words := concat(" ", array.concat([command.program], array.slice(command.argv, 1, count(command.argv))))
	some pattern in token_commands
	regex.match(pattern, words)
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
	is_secret_name(effect.target)
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
	words_of(command)[0] in {"show", "cat-file", "log", "diff", "stash", "grep"}
	some word in command.operands
	regex.match(`(^|[:/])(\.env[^/]*|creds?[^/]*\.txt|credentials[^/]*|secrets?\.[a-z]+|id_(rsa|ed25519|ecdsa)|[^/]*\.(pem|key|p12))$`, word)
	not regex.match(`\.(example|sample|template|dist|pub)$`, word)
	not "stat" in object.keys(command.options)
	shows_content(command)
}

shows_content(command) if words_of(command)[0] in {"show", "cat-file", "grep"}

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
token_commands := {
	`^gh auth token\b`,
	`^glab auth token\b`,
	`^aws configure (export-credentials|get aws_secret)`,
	`^aws (ecr get-login-password|secretsmanager get-secret-value|sts get-session-token|codeartifact get-authorization-token)`,
	`^gcloud auth (application-default )?print-(access|identity)-token`,
	`^gcloud secrets versions access`,
	`^az (account get-access-token|keyvault secret show)`,
	`^docker-credential-[a-z-]+ get`,
	`^security (find-(generic|internet)-password|dump-keychain)`,
	`^secret-tool (lookup|search)`,
	`^pass (show )?[^-]`,
	`^op (read|item get)`,
	`^bw (get|export)`,
	`^lpass (show|export)`,
	`^vault (read|kv get|token lookup)`,
	`^doppler secrets`,
	`^heroku (config|auth:token)`,
	`^vercel env pull`,
	`^railway variables`,
	`^(terraform|tofu) (output|state pull)`,
	`^(sops|age)\b.*( -d\b|--decrypt)`,
	`^ansible-vault (view|decrypt)`,
	`^git credential (fill|approve)`,
	`^(docker|podman) inspect\b.*`,
	`^(docker|podman|docker-compose) (compose )?config\b`,
	`^helm get values`,
}

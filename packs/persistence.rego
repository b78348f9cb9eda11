# persistence: what runs later by itself.
package belay.packs

import rego.v1

changes contains effect if {
	some kind in {"write", "delete"}
	some effect in object.get(paths, kind, set())
}

# METADATA
# title: A start-up file of the shell
# custom:
#   id: persistence/shell
#   severity: high
#   modes: [ask, deny, deny]
#   instead: export it in the line, and show what to add
hits contains found("persistence/shell", effect) if {
	some effect in changes
	regex.match(`/\.(bashrc|bash_aliases|aliases|zsh_aliases|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|inputrc|kshrc|cshrc|tcshrc|pam_environment|xprofile|xinitrc|xsessionrc)$|/\.config/(fish|environment\.d)/|^/etc/(profile|bash\.bashrc|environment|zsh|profile\.d/)`, effect.target)
}

# METADATA
# title: Keys that may log in
# custom:
#   id: persistence/ssh-keys
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("persistence/ssh-keys", effect) if {
	some effect in changes
	regex.match(`authorized_keys2?$`, effect.target)
}

hits contains found("persistence/ssh-keys", effect) if {
	some effect in acts["remote:authorized-key"]
}

# METADATA
# title: The configuration of ssh
# custom:
#   id: persistence/ssh-config
#   severity: high
#   modes: [ask, deny, deny]
#   instead: -o for one command
hits contains found("persistence/ssh-config", effect) if {
	some effect in changes
	regex.match(`/\.ssh/(config|rc|environment|known_hosts)|^/etc/ssh/`, effect.target)
}

# METADATA
# title: Jobs that run later
# custom:
#   id: persistence/cron
#   severity: high
#   modes: [ask, deny, deny]
#   instead: run it now
hits contains found("persistence/cron", effect) if {
	some key in {"config:cron", "config:cron-remove"}
	some effect in acts[key]
}

hits contains found("persistence/cron", effect) if {
	some effect in changes
	regex.match(`^/(etc/cron|var/spool/cron)`, effect.target)
}

# METADATA
# title: A unit or timer
# custom:
#   id: persistence/systemd
#   severity: high
#   modes: [ask, deny, deny]
#   instead: run it in the foreground
hits contains found("persistence/systemd", effect) if {
	some effect in acts["config:systemd"]
}

hits contains found("persistence/systemd", effect) if {
	some effect in changes
	regex.match(`/systemd/(user|system)/`, effect.target)
}

# METADATA
# title: A launch agent
# custom:
#   id: persistence/launchd
#   severity: high
#   modes: [ask, deny, deny]
#   instead: launchctl list
hits contains found("persistence/launchd", effect) if {
	some effect in acts["config:launchd"]
}

hits contains found("persistence/launchd", effect) if {
	some effect in changes
	regex.match(`/Launch(Agents|Daemons)/`, effect.target)
}

# METADATA
# title: A program that starts with the session
# custom:
#   id: persistence/autostart
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("persistence/autostart", effect) if {
	some effect in changes
	regex.match(`/\.config/autostart/|^/etc/xdg/autostart/`, effect.target)
}

# METADATA
# title: A hook of a repository
# custom:
#   id: persistence/git-hook
#   severity: high
#   modes: [monitor, deny, deny]
#   instead: the hook tool of the project
hits contains found("persistence/git-hook", effect) if {
	some effect in changes
	regex.match(`/\.git/hooks/|/\.husky/|/\.githooks/`, effect.target)
	not endswith(effect.target, ".sample")
}

# METADATA
# title: A setting of git that runs a program
# custom:
#   id: persistence/git-program
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("persistence/git-program", effect) if {
	some effect in acts["config:git-program"]
	"global" in effect.details
}

hits contains found("persistence/git-program", effect) if {
	some effect in changes
	regex.match(`/\.gitconfig$|/\.git/config$|/\.config/git/(config|attributes)$|^/etc/gitconfig$`, effect.target)
}

# METADATA
# title: A task of an editor
# custom:
#   id: persistence/editor
#   severity: high
#   modes: [ask, deny, deny]
#   instead: a task that does not run by itself
hits contains found("persistence/editor", effect) if {
	some effect in changes
	regex.match(`/\.vscode/(tasks|launch)\.json$|/\.idea/(runConfigurations|workspace)|/\.vimrc$|/\.exrc$|/\.config/nvim/|/\.emacs(\.d/|$)`, effect.target)
	not regex.match(`/(build|dist|docs|examples)/`, effect.target)
}

# METADATA
# title: A file that tools run when a folder is entered
# custom:
#   id: persistence/direnv
#   severity: high
#   modes: [ask, deny, deny]
#   instead: tell the person
hits contains found("persistence/direnv", effect) if {
	some effect in changes
	regex.match(`/\.envrc$|/\.mise\.toml$|/\.tool-versions$|/\.devcontainer/`, effect.target)
}

# METADATA
# title: A script that runs at installation
# custom:
#   id: persistence/install-script
#   severity: high
#   modes: [ask, deny, deny]
#   instead: an ordinary script name
hits contains found_command("persistence/install-script", command) if {
	some command in live_commands
	command.program in {"npm", "pnpm", "yarn"}
	some word in command.operands
	regex.match(`^scripts\.(pre|post)?(install|prepare|publish|pack)`, word)
}

# METADATA
# title: A program in a folder that is searched first
# custom:
#   id: persistence/path
#   severity: high
#   modes: [ask, deny, deny]
#   instead: a folder of the project, and the full path
hits contains found("persistence/path", effect) if {
	some effect in changes
	regex.match(`^(/home/[^/]+|/root|/Users/[^/]+)/(\.local/)?bin/[^/]+$|^/usr/local/s?bin/`, effect.target)
}

# METADATA
# title: A file that an interpreter loads by itself
# custom:
#   id: persistence/interpreter
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("persistence/interpreter", effect) if {
	some effect in changes
	regex.match(`/(sitecustomize|usercustomize)\.py$|\.pth$|/\.(npmrc|yarnrc|yarnrc\.yml|pypirc|gemrc|condarc)$|/pip(\.conf|/pip\.conf)$|/\.config/pip/`, effect.target)
	effect.place in {"home", "workspace", "system"}
}

# METADATA
# title: Code that every program loads
# custom:
#   id: persistence/loader
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found("persistence/loader", effect) if {
	some effect in changes
	regex.match(`^/etc/(ld\.so\.(preload|conf)|pam\.d/|nsswitch\.conf|modules)`, effect.target)
}

# METADATA
# title: A process that outlives the session
# custom:
#   id: persistence/detached
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: a task in the background of the agent
hits contains found("persistence/detached", effect) if {
	some effect in effects
	effect.kind == "process"
	effect.action == "detached"
}

# METADATA
# title: A job that runs once, later
# custom:
#   id: persistence/at
#   severity: high
#   modes: [ask, deny, deny]
#   instead: run it now
hits contains found("persistence/at", effect) if {
	some effect in acts["config:job"]
}

# METADATA
# title: A workflow with more rights
# description: Secrets, a runner of one's own, pull_request_target, a token that may write.
# custom:
#   id: persistence/ci
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: an ordinary workflow
hits contains found("persistence/ci", effect) if {
	some effect in changes
	regex.match(`/\.github/workflows/[^/]+\.ya?ml$|/\.gitlab-ci\.yml$`, effect.target)
	effect.kind == "write"
	some command in commands
	regex.match(`pull_request_target|self-hosted|secrets\.|permissions: *write-all|id-token: *write`, object.get(command, "input", ""))
}

# METADATA
# title: A long-lived key, token or session is made
# custom:
#   id: persistence/token
#   severity: high
#   modes: [ask, deny, deny]
#   instead: let the person make it
hits contains found_command("persistence/token", command) if {
	some command in live_commands
	words := concat(" ", array.concat([command.program], array.slice(command.argv, 1, count(command.argv))))
	makes_token(words)
}

# One literal: it is compiled with the packs.
makes_token(words) if regex.match(`^aws iam create-(access-key|login-profile|service-specific-credential)|^gcloud iam service-accounts keys create|^az (ad sp (create-for-rbac|credential reset)|ad app credential reset)|^npm token create|^(gh|glab) (ssh-key|gpg-key|deploy-key|repo deploy-key) add|^glab token create|^(doctl|hcloud|fly|flyctl|heroku|vercel|netlify|railway|supabase|neonctl|pscale|turso) (.* )?(tokens?|authorizations|service-token|access-token|ssh-key)[ :](create|add|issue)|^heroku authorizations:create|^vault token create|^kubectl .*create token|^cargo owner --add|^gem owner .*(-a|--add)|^tailscale .*authkey`, words)

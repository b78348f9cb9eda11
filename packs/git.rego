# git: repositories, and the forges behind them.
package belay.packs

import rego.v1

# The branch of a refspec: feature:main is main, +main too.
branch_of(ref) := regex.replace(regex.replace(ref, `^.*:`, ""), `^(\+|refs/heads/)*`, "")

is_protected_ref(ref) if regex.match(`^(main|master|trunk|develop|production|prod|staging|stable|gh-pages|(releases?|hotfix)(/.*)?)$`, branch_of(ref))

# Those of the rulebook: protect.branches.
is_protected_ref(ref) if {
	some pattern in input.belay.protected_branches
	glob.match(pattern, null, branch_of(ref))
}

# METADATA
# title: A push that overwrites what the remote has
# custom:
#   id: git/force-push
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git push --force-with-lease --force-if-includes
hits contains found_command("git/force-push", command) if {
	some command in live_commands
	command.program == "git"
	words_of(command)[0] == "send-pack"
	some word in command.argv
	regex.match(`^(--force|-f|--mirror)$|^\+`, word)
}

hits contains found("git/force-push", effect) if {
	some effect in acts["remote:force-push"]
}

# A setting that makes each push overwrite.
hits contains found("git/force-push", effect) if {
	some effect in acts["config:git"]
	regex.match(`(?i)^remote\..+\.(mirror|push)$`, effect.target)
	some value in command_of(effect).operands
	regex.match(`^(true|yes|on|1|\+.*)$`, value)
}

# METADATA
# title: A force push, tried
# custom:
#   id: git/force-push-dry
#   severity: low
#   modes: ["off", ask, ask]
hits contains found("git/force-push-dry", effect) if {
	some effect in acts["remote:force-push-dry"]
}

# METADATA
# title: A protected branch is overwritten
# custom:
#   id: git/lease-protected
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: a new commit, or a pull request
hits contains found("git/lease-protected", effect) if {
	some effect in acts["remote:lease-push"]
	is_protected_ref(effect.target)
}

# METADATA
# title: A branch is overwritten after a check
# custom:
#   id: git/lease-push
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: name the value that is expected
hits contains found("git/lease-push", effect) if {
	some effect in acts["remote:lease-push"]
	not is_protected_ref(effect.target)
}

# METADATA
# title: A branch or tag of the remote is deleted
# custom:
#   id: git/remote-delete
#   severity: high
#   modes: [ask, deny, deny]
#   instead: leave it to the forge, after the merge
hits contains found("git/remote-delete", effect) if {
	some effect in acts["remote:delete-ref"]
}

# METADATA
# title: A push to a protected branch
# custom:
#   id: git/push-protected
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: push a branch of your own
hits contains found("git/push-protected", effect) if {
	some effect in acts["remote:push"]
	some ref in command_of(effect).operands
	is_protected_ref(ref)
}

# METADATA
# title: Another address for the remote
# custom:
#   id: git/remote-change
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: say which address is meant
hits contains found("git/remote-change", effect) if {
	some effect in acts["git:remote-change"]
}

# METADATA
# title: Edits that are not committed are thrown away
# custom:
#   id: git/discard
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git stash push -- PATH
hits contains found("git/discard", effect) if {
	some effect in acts["git:discard"]
}

# An older version written over the file: git show HEAD:f > f.
hits contains found("git/discard", effect) if {
	some effect in paths.write
	some old in paths.read
	"history" in old.details
	old.target == effect.target
}

# METADATA
# title: Edits or commits are thrown away
# custom:
#   id: git/reset-hard
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git stash; git reset --keep
hits contains found("git/reset-hard", effect) if {
	some effect in acts["git:reset-hard"]
}

# METADATA
# title: Untracked files are deleted
# custom:
#   id: git/clean
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git clean -n, and name the files
hits contains found("git/clean", effect) if {
	some effect in acts["git:clean"]
	not is_ignored_output(effect)
}

# METADATA
# title: Stashed work is thrown away
# custom:
#   id: git/stash-drop
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git stash apply
hits contains found("git/stash-drop", effect) if {
	some effect in acts["git:stash-drop"]
}

# METADATA
# title: Commits may be on no branch any more
# custom:
#   id: git/branch-loss
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git branch -d; make a tag first
hits contains found("git/branch-loss", effect) if {
	some effect in acts["git:branch-loss"]
}

# METADATA
# title: A work tree with edits is removed
# custom:
#   id: git/worktree-loss
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git worktree remove without --force
hits contains found("git/worktree-loss", effect) if {
	some effect in acts["git:worktree-loss"]
}

# METADATA
# title: Files with edits are removed
# custom:
#   id: git/rm-loss
#   severity: high
#   modes: [ask, deny, deny]
#   instead: git rm --cached
hits contains found("git/rm-loss", effect) if {
	some effect in acts["git:rm-loss"]
}

# METADATA
# title: A whole history is rewritten
# custom:
#   id: git/rewrite
#   severity: high
#   modes: [ask, deny, deny]
#   instead: work in a fresh clone
hits contains found("git/rewrite", effect) if {
	some effect in acts["git:rewrite"]
}

# METADATA
# title: Git's copies for recovery are deleted
# custom:
#   id: git/recovery
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: leave it to git
hits contains found("git/recovery", effect) if {
	some effect in acts["git:recovery"]
}

# METADATA
# title: Hooks of the repository are skipped
# custom:
#   id: git/hook-skip
#   severity: high
#   modes: [monitor, deny, deny]
#   instead: mend what the hook reports
hits contains found("git/hook-skip", effect) if {
	some effect in object.get(paths, "chmod", set())
	regex.match(`/\.git/hooks/|/\.husky/`, effect.target)
	some word in command_of(effect).operands
	regex.match(`^[ugoa]*-[rw]*x|^0?[0246]{3}$`, word)
}

hits contains found("git/hook-skip", effect) if {
	some effect in object.get(paths, "chmod", set())
	regex.match(`/\.git/hooks/|/\.husky/`, effect.target)
	"x" in object.keys(command_of(effect).options)
}

hits contains found("git/hook-skip", effect) if {
	some effect in acts["git:hook-skip"]
}

hits contains found("git/hook-skip", effect) if {
	some key in {"git:config", "config:git"}
	some effect in acts[key]
	lower(effect.target) == "core.hookspath"
}

hits contains found_command("git/hook-skip", command) if {
	some command in live_commands
	command.program == "git"
	some name in object.keys(object.get(command, "environment", {}))
	name in {"HUSKY", "HUSKY_SKIP_HOOKS", "HUSKY_SKIP_INSTALL", "SKIP", "SKIP_HOOKS", "SKIP_GIT_HOOKS", "PRE_COMMIT_ALLOW_NO_CONFIG", "LEFTHOOK", "LEFTHOOK_EXCLUDE", "OVERCOMMIT_DISABLE", "SIMPLE_GIT_HOOKS_SKIP", "SKIP_SIMPLE_GIT_HOOKS"}
	command.environment[name] in {"0", "1", "false", "true", "all", "*"}
}

# METADATA
# title: A setting of git that runs a program
# custom:
#   id: git/config-program
#   severity: high
#   modes: [ask, deny, deny]
#   instead: plain --no-pager
hits contains found("git/config-program", effect) if {
	some effect in acts["config:git-program"]
}

# METADATA
# title: A transport that runs a program
# custom:
#   id: git/ext-transport
#   severity: high
#   modes: [ask, deny, deny]
#   instead: an https or ssh address
hits contains found_command("git/ext-transport", command) if {
	some command in live_commands
	command.program == "git"
	some word in command.operands
	startswith(word, "ext::")
}

# The program on the other side of the line's choosing.
hits contains found_command("git/ext-transport", command) if {
	some command in live_commands
	command.program == "git"
	some name in {"upload-pack", "receive-pack", "exec", "exec-path"}
	words_of(command)[0] in {"clone", "fetch", "pull", "push", "ls-remote", "archive"}
	some value in command.options[name]
	not regex.match(`^(/usr/(bin|lib/git-core)/)?git(-| )(upload-pack|receive-pack|upload-archive)$`, value)
}

# METADATA
# title: Commits that a remote has are rewritten
# description: Amended commits, or a rebase of commits that were pushed; the branch parts from that of the remote.
# custom:
#   id: git/amend-pushed
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: a new commit
hits contains found("git/amend-pushed", effect) if {
	some effect in acts["git:rewrite-pushed"]
}

# METADATA
# title: A tag is moved or deleted
# custom:
#   id: git/tag-move
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: a new tag
hits contains found("git/tag-move", effect) if {
	some effect in acts["git:tag-move"]
}

# METADATA
# title: A merge or rebase is aborted
# custom:
#   id: git/abort
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: git stash first
hits contains found("git/abort", effect) if {
	some effect in acts["git:abort"]
}

# METADATA
# title: A repository is deleted, moved or archived
# custom:
#   id: git/forge-repo-delete
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: the person does it on the site
hits contains found_command("git/forge-repo-delete", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"repo", "project"}
	command.operands[1] in {"delete", "archive", "transfer", "rename"}
}

hits contains found_command("git/forge-repo-delete", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "api"
	some value in object.get(command.options, "method", [])
	upper(value) == "DELETE"
}

hits contains found_command("git/forge-repo-delete", command) if {
	some command in forge_changes
	some word in command.argv
	regex.match(`(^|[^a-z])archived["']? *[=:] *["']?true`, word)
}

# A question in GraphQL that deletes, moves or archives.
hits contains found_command("git/forge-repo-delete", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "api"
	some word in command.argv
	regex.match(`\b(delete|archive|transfer|remove)(Repository|Project|Organization|Enterprise|Ref|Branch|Issue|Deployment|Package|Team)`, word)
}

hits contains found_command("git/forge-repo-delete", command) if {
	some command in live_commands
	command.program == "gh"
	command.operands[0] == "codespace"
	command.operands[1] == "delete"
}

# Calls of a forge's API that change something.
forge_changes contains command if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "api"
	some value in object.get(command.options, "method", [])
	upper(value) in {"PUT", "PATCH", "POST"}
}

# METADATA
# title: A repository becomes public
# custom:
#   id: git/forge-visibility
#   severity: critical
#   modes: [deny, deny, deny]
hits contains found_command("git/forge-visibility", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "repo"
	some value in object.get(command.options, "visibility", [])
	value == "public"
}

hits contains found_command("git/forge-visibility", command) if {
	some command in forge_changes
	some word in command.argv
	regex.match(`(^|[^a-z])(visibility["']? *[=:] *["']?public|private["']? *[=:] *["']?false)`, word)
	not regex.match(`^/?repos/[^/]+/[^/]+/`, command.operands[1])
}

# METADATA
# title: A merge past the checks
# custom:
#   id: git/forge-protection
#   severity: critical
#   modes: [deny, deny, deny]
#   instead: wait for the checks
hits contains found_command("git/forge-protection", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"pr", "mr"}
	command.operands[1] == "merge"
	"admin" in object.keys(command.options)
}

hits contains found_command("git/forge-protection", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "api"
	some word in command.operands
	regex.match(`(branches/.*/protection|rulesets)`, word)
	some value in object.get(command.options, "method", [])
	upper(value) in {"PUT", "PATCH", "POST", "DELETE"}
}

# METADATA
# title: A pull request is merged
# custom:
#   id: git/forge-merge
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: leave it for review
hits contains found_command("git/forge-merge", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"pr", "mr"}
	command.operands[1] == "merge"
}

# METADATA
# title: Checks of the forge are switched off
# custom:
#   id: git/forge-ci-off
#   severity: high
#   modes: [ask, deny, deny]
hits contains found_command("git/forge-ci-off", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"workflow", "run", "cache"}
	command.operands[1] in {"disable", "delete", "cancel"}
	[command.operands[0], command.operands[1]] != ["run", "cancel"]
}

# METADATA
# title: Keys, secrets or rights of a repository are changed
# custom:
#   id: git/forge-access
#   severity: high
#   modes: [ask, deny, deny]
#   instead: the person does it
hits contains found_command("git/forge-access", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"secret", "variable", "ssh-key", "gpg-key", "deploy-key"}
	command.operands[1] in {"set", "delete", "remove", "add"}
}

hits contains found_command("git/forge-access", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] == "repo"
	command.operands[1] == "deploy-key"
}

# Ignored files in a folder of build products: git clean -X build.
is_ignored_output(effect) if {
	"X" in object.keys(command_of(effect).options)
	regex.match(`/(node_modules|dist|build|out|target|\.next|\.nuxt|\.turbo|\.cache|coverage|__pycache__|\.venv|venv|\.tox|\.gradle)$`, effect.target)
}

# METADATA
# title: A secret is put into the repository
# custom:
#   id: git/commit-secret
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: add it to .gitignore
hits contains found("git/commit-secret", effect) if {
	some key in {"git:add", "git:commit"}
	some effect in acts[key]
	effect.secret in {"high", "medium"}
}

# METADATA
# title: The name or key of all commits of the user is changed
# custom:
#   id: git/identity
#   severity: low
#   modes: ["off", monitor, ask]
#   instead: -c for one commit
hits contains found("git/identity", effect) if {
	some effect in acts["config:git"]
	"global" in effect.details
	regex.match(`(?i)^(user\.|author\.|committer\.|commit\.gpgsign|gpg\.|tag\.gpgsign)`, effect.target)
}

hits contains found_command("git/identity", command) if {
	some command in live_commands
	command.program == "git"
	words_of(command)[0] in {"commit", "tag", "merge", "rebase"}
	"no-gpg-sign" in object.keys(command.options)
}

# METADATA
# title: Issues, releases or branches are closed or deleted in bulk
# description: In a loop, or from a list that is not known here.
# custom:
#   id: git/forge-bulk
#   severity: high
#   modes: [ask, deny, deny]
#   instead: one, by its name
hits contains found_command("git/forge-bulk", command) if {
	some command in live_commands
	command.program in {"gh", "glab"}
	command.operands[0] in {"issue", "pr", "mr", "release", "repo", "label", "run", "gist", "cache", "variable", "secret"}
	command.operands[1] in {"close", "delete", "archive", "remove"}
	some i, state in command.states
	i > 2
	state != "known"
}

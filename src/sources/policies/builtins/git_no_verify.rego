# METADATA
# scope: package
# title: No git operation without its hooks
# custom:
#   severity: HIGH
#   id: BUILTIN-GIT-BLOCK-NO-VERIFY
#   routing:
#     required_events: ["tool.before", "permission"]
#     required_tools: ["shell"]
package cupcake.policies.builtins.git_block_no_verify

import data.belay.system.shell
import rego.v1

config := input.builtin_config.git_block_no_verify

# Quoted texts (messages) say nothing about options.
bare := regex.replace(shell.command, `"(\\.|[^"\\])*"|'[^']*'`, "_")

excepted if {
	some exception in config.exceptions
	contains(shell.command, exception)
}

pipelines contains pipeline if {
	not excepted
	some text in {bare, shell.plain(shell.command)}
	some pipeline in shell.pipelines(text)
}

# git, its own options, then the verb.
git_verb(pipeline, verbs) if regex.match(
	concat("", [`(^|[\s(/])git\s+(\S+\s+)*?(`, verbs, `)(\s|$)`]),
	lower(pipeline),
)

no_verify if {
	some pipeline in shell.pipelines(bare)
	not excepted
	git_verb(pipeline, "commit|push|merge|rebase|cherry-pick|am")
	regex.match(`\s--no-veri?f?y?(\s|$)`, lower(pipeline))
}

# Quotes do not hide an option either: git commit "--no-verify".
no_verify if {
	not excepted
	some pipeline in shell.pipelines(shell.command)
	git_verb(shell.plain(pipeline), "commit|push|merge")
	regex.match(`\s(['"]--no-verify['"]|--no-['"\\]+verify|-['"\\]+-no-verify)(\s|$)`, lower(pipeline))
}

# -n is --no-verify for commit alone; alone or in a group of letters.
no_verify if {
	not excepted
	some pipeline in shell.pipelines(bare)
	git_verb(pipeline, "commit")
	regex.match(`\s-[^\smFCct-]*n[a-zA-Z]*(\s|$)`, pipeline)
}

message(_) := config.message if config.message != ""

message(usual) := usual if config.message == ""

deny contains {
	"rule_id": "BUILTIN-GIT-BLOCK-NO-VERIFY",
	"severity": "HIGH",
	"reason": message("Git operations with --no-verify are not permitted. Commit hooks must run for code quality and security checks."),
} if no_verify

disables_hooks if {
	some pipeline in pipelines
	git_verb(pipeline, "config")
	contains(lower(pipeline), "core.hookspath")
	not regex.match(`--get|--unset|core\.hookspath\s*$`, lower(pipeline))
}

disables_hooks if {
	some pipeline in pipelines
	regex.match(`(^|\s)git\s+(\S+\s+)*?-c\s+core\.hookspath=`, lower(pipeline))
}

disables_hooks if {
	some pipeline in pipelines
	contains(pipeline, ".git/hooks")
	regex.match(`(^|[\s/])chmod\s+(-\S+\s+)*([a-z,]*[-=][rws,]*x|[a-z]*=|[0-7]*[0-6]?[02468]*[0246][0-7]*)`, pipeline)
	not regex.match(`chmod\s+(-\S+\s+)*([0-7]*7[0-7][0-7]|[ugoa]*\+x)\s`, pipeline)
}

disables_hooks if {
	some pipeline in pipelines
	contains(pipeline, ".git/hooks")
	regex.match(`(^|[\s/])(rm|unlink|trash|mv|shred|truncate)\s`, pipeline)
}

deny contains {
	"rule_id": "BUILTIN-GIT-BLOCK-NO-VERIFY",
	"severity": "HIGH",
	"reason": message("Disabling git hooks is not permitted. Hooks must run for code quality and security checks."),
} if disables_hooks

# METADATA
# scope: package
# title: Secrets
# custom:
#   severity: HIGH
#   id: GLOBAL-BUILTIN-SENSITIVE-DATA
#   routing:
#     required_events: ["tool.before", "permission"]
package cupcake.policies.builtins.sensitive_data_protection

import data.belay.system.paths
import data.belay.system.shell
import rego.v1

config := input.builtin_config.sensitive_data_protection

# Kinds of sensitive file: what a path looks like, and what is said for it.
# Words stand alone: author.md and tokenizer.py are not secrets.
kinds := [
	{"mask": "[REDACTED-KEY-FILE]", "pattern": `(^|/)(id_rsa|id_dsa|id_ecdsa|id_ed25519)(\.[^/]*)?$|\.(pem|key|p12|pfx|cer|crt|jks|keystore|ppk)$|(^|/)(known_hosts|authorized_keys)$|(^|/)\.ssh/config$`},
	{"mask": "[REDACTED-ENV-FILE]", "pattern": `(^|/)\.env($|\.[^/]*$|rc$)|(^|/)[^/]*\.env$|(^|[/._-])dotenv($|[/._-])`},
	{"mask": "[REDACTED-CREDENTIAL-FILE]", "pattern": `(^|[/._-])credentials?($|[/._-])|(^|/)\.(aws|azure|gcloud|kube|docker)/|(^|/)(kubeconfig|\.dockercfg|\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.htpasswd|wp-config\.php|\.hgrc|nuget\.config)$|\.gem/credentials|\.m2/settings\.xml|\.gradle/gradle\.properties|\.cargo/credentials`},
	{"mask": "[REDACTED-SECRET-FILE]", "pattern": `(^|[/._-])secrets?($|[/._-])`},
	{"mask": "[REDACTED-TOKEN-FILE]", "pattern": `(^|[/._-])(tokens?|api_?-?keys?)($|[/._-])`},
	{"mask": "[REDACTED-PASSWORD-FILE]", "pattern": `(^|[/._-])(passwords?|passwd)($|[/._-])`},
	{"mask": "", "pattern": `\.(sqlite3?|db)$|(^|/)(database|connection)\.(ya?ml|json)$|(^|[/._-])(cookies?)($|[/._-])`},
]

mask(kind, _) := kind.mask if kind.mask != ""

mask(kind, path) := concat("", ["[SENSITIVE-FILE: *.", extension, "]"]) if {
	kind.mask == ""
	parts := split(path, ".")
	extension := parts[count(parts) - 1]
}

# The class of a path; undefined when it is not sensitive.
sensitive(path) := masks[0] if {
	masks := [mask(kind, path) |
		some kind in kinds
		regex.match(kind.pattern, lower(path))
	]
	count(masks) > 0
}

sensitive_word(word) if sensitive(word)

sensitive_word(word) if {
	some pattern in config.additional_patterns
	contains(lower(word), lower(pattern))
}

message(_) := config.message if config.message != ""

message(usual) := usual if config.message == ""

readers := {"file.read", "search", "web.fetch"}

deny contains {
	"rule_id": "GLOBAL-BUILTIN-SENSITIVE-DATA",
	"severity": "HIGH",
	"reason": concat("", [message("Access to sensitive data blocked"), ": ", shown]),
} if {
	input.belay.tool.kind in readers
	shown := min({sensitive(path) | some path in paths.named})
}

deny contains {
	"rule_id": "GLOBAL-BUILTIN-SENSITIVE-DATA",
	"severity": "HIGH",
	"reason": message("Access to sensitive data blocked: a pattern of the rulebook"),
} if {
	input.belay.tool.kind in readers
	some path in paths.named
	some pattern in config.additional_patterns
	contains(lower(path), lower(pattern))
}

refuse(usual) := {
	"rule_id": "GLOBAL-BUILTIN-SENSITIVE-DATA",
	"severity": "HIGH",
	"reason": message(usual),
}

# ---- commands -----------------------------------------------------------------------

# Below the folder of the event a path counts from there: the names of the folders above
# say nothing about the file.
local(path) := trim_prefix(path, top) if {
	top := concat("", [input.belay.where.cwd, "/"])
	startswith(path, top)
} else := path

deny contains refuse("Command blocked - it reads sensitive files") if {
	some effect in shell.effects
	effect.kind in {"read", "execute"}
	not "names" in effect.details
	some path in {local(effect.target), object.get(effect, "at_worst", "")}
	sensitive_word(path)
}

# Commands without a row, and code that is known in part: by their words.
deny contains refuse("Command blocked - it reads sensitive files") if {
	some one in shell.commands
	shell.may_do_more(one)
	some word in shell.words(shell.behind_program(one))
	sensitive_word(word)
}

deny contains refuse("Command blocked - it reads sensitive files") if {
	some one in shell.opaque
	one.reason in {"syntax", "limit"}
	some word in shell.words(shell.command)
	sensitive_word(word)
}

secret_tools := {
	`^security\s+find-generic-password`, `^security\s+dump-keychain`,
	`^gpg2?\s+.*--export`, `^ssh-add\s+-l`, `^aws\s+configure\s+get`,
	`^gcloud\s+auth\s+print-access-token`, `^docker\s+login`, `^git\s+config\s+.*--get`,
}

prints_credentials(one) if {
	parts := split(one.argv[0], "/")
	line := concat(" ", array.concat([parts[count(parts) - 1]], array.slice(one.argv, 1, count(one.argv))))
	some pattern in secret_tools
	regex.match(pattern, lower(line))
}

deny contains refuse("Command blocked - it prints credentials") if {
	some one in shell.commands
	prints_credentials(one)
}

deny contains refuse("Command blocked - it prints credentials") if {
	input.belay.tool.kind == "shell"
	some effect in input.belay.effects
	effect.kind == "secret"
}

# What each builtin decides on an event and its section of the rulebook.
package cupcake.policies.builtins_test

import data.cupcake.policies.builtins
import rego.v1

# The facts are those that belay finds: data.facts, which the file "lines" makes.
shell(command, config) := {
	"belay": object.union(
		{
			"event": "tool.before",
			"where": {"cwd": "/r"},
			"tool": {"kind": "shell", "files": [], "input": {}, "shell": {"command": command, "cwd": "/r"}},
		},
		data.facts[command],
	),
	"builtin_config": config,
}

file(kind, path, config) := {
	"belay": {
		"event": "tool.before",
		"where": {"cwd": "/r"},
		"tool": {"kind": kind, "files": [{"path": path, "real": path, "path_native": path}], "input": {}},
	},
	"builtin_config": config,
}

reasons(findings) := {one.reason | some one in findings}

# ---- rulebook_security_guardrails

guardrails := {"rulebook_security_guardrails": {"message": "kept", "protected_paths": [".belay"]}}

test_guardrails_refuse_any_mention if {
	every command in ["rm -rf .belay", "cat .belay/rulebook.yml", "ln -s .belay x", "ls .bel*"] {
		count(builtins.rulebook_security_guardrails.halt) > 0 with input as shell(command, guardrails)
	}
}

test_guardrails_refuse_reading if {
	event := file("file.read", "/r/.belay/rulebook.yml", guardrails)
	said := reasons(builtins.rulebook_security_guardrails.halt) with input as event
	said == {"kept (blocked file operation on /r/.belay/rulebook.yml)"}
}

test_guardrails_leave_the_rest if {
	every command in ["ls src", `git commit -m "update .belay/rulebook.yml"`, "ls # .belay", "echo .belay"] {
		count(builtins.rulebook_security_guardrails.halt) == 0 with input as shell(command, guardrails)
	}
	count(builtins.rulebook_security_guardrails.halt) == 0 with input as file("file.edit", "/r/a.c", guardrails)
}

# ---- protected_paths

protected := {"protected_paths": {"message": "read-only", "paths": ["src/legacy", "*.lock"]}}

test_protected_paths_may_be_read if {
	count(builtins.protected_paths.halt) == 0 with input as file("file.read", "/r/src/legacy/a.c", protected)
	count(builtins.protected_paths.halt) == 0 with input as shell("cat src/legacy/a.c | grep x", protected)
}

test_protected_paths_may_not_be_changed if {
	said := reasons(builtins.protected_paths.halt) with input as file("file.edit", "/r/yarn.lock", protected)
	said == {"read-only (/r/yarn.lock)"}
	written := reasons(builtins.protected_paths.halt) with input as shell("echo x >src/legacy/a.c", protected)
	written == {"read-only (only read operations allowed)"}
}

test_protected_paths_and_inline_scripts if {
	event := shell("python3 -c 'open(\"src/legacy/a\", \"w\")'", protected)
	some one in builtins.protected_paths.halt with input as event
	one.rule_id == "BUILTIN-PROTECTED-PATHS-SCRIPT"
}

# ---- git_block_no_verify

no_verify := {"git_block_no_verify": {"message": "", "exceptions": ["git commit --no-verify -m wip"]}}

test_no_verify_is_refused if {
	every command in [
		"git commit --no-verify", "git commit -nm x", "git -C a push --no-verify", `git commit "--no-verify"`,
		"git config core.hooksPath /dev/null", "git -c core.hooksPath=/x commit", "rm .git/hooks/pre-commit",
		"chmod -x .git/hooks/pre-commit", "bash -c 'git commit --no-verify'", `\git commit -n`,
		"f=--no-verify; git commit $f", `eval "git commit -n"`, "git -c alias.x='commit --no-verify' x",
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='commit -n' git x", "git commit $X",
		"git $X", "git commit --no-verif", "git merge --no-verify a", "g=git; $g commit -n",
		"for f in -n; do git commit $f; done", "find . -exec git commit -n {} +", "echo commit -n | xargs git",
	] {
		count(builtins.git_block_no_verify.deny) > 0 with input as shell(command, no_verify)
	}
}

test_no_verify_leaves_the_rest if {
	every command in [
		"git commit -m x", `git commit -m "about --no-verify"`, "git log -n 3", "git push",
		"git commit --no-verify -m wip", "git config --get core.hooksPath", `git commit -m "$X"`, "git commit -- $X",
		`git push origin "$(git branch --show-current)"`, "ls .git/hooks", "chmod +x .git/hooks/pre-commit",
		"echo git commit --no-verify", "cat >notes <<< 'git commit --no-verify'",
	] {
		count(builtins.git_block_no_verify.deny) == 0 with input as shell(command, no_verify)
	}
}

# ---- git_pre_check

pre_check := {"git_pre_check": {"checks": [
	{"signal": "fmt", "message": "format first"},
	{"signal": "unit"},
]}}

checked(command, signals) := object.union(shell(command, pre_check), {"signals": signals})

test_failed_checks_are_named if {
	signals := {"fmt": {"success": false}, "unit": {"success": false, "output": "2 failed", "error": ""}}
	said := reasons(builtins.git_pre_check.halt) with input as checked("git commit -m x", signals)
	said == {"Git pre-checks failed:\n- 2 failed\n- format first"}
}

test_a_check_without_an_answer_failed if {
	signals := {"fmt": {"success": true}}
	said := reasons(builtins.git_pre_check.halt) with input as checked("git push", signals)
	said == {"Git pre-checks failed:\n- a check gave no answer"}
}

test_checks_that_passed if {
	signals := {"fmt": {"success": true}, "unit": {"success": true}}
	count(builtins.git_pre_check.halt) == 0 with input as checked("git merge a", signals)
	count(builtins.git_pre_check.halt) == 0 with input as checked("git log", {})
}

# ---- post_edit_check

post_edit(signals) := {
	"belay": {"event": "tool.after", "tool": {"files": [{"path": "src/a.rs"}, {"path": "b.md"}]}},
	"builtin_config": {"post_edit_check": {"by_extension": {"rs": {"signal": "rs", "message": "does not build"}}}},
	"signals": signals,
}

test_checks_after_an_edit if {
	event := post_edit({"rs": {"success": true}})
	said := builtins.post_edit_check.add_context with input as event
	said == {"✓ Validation passed for src/a.rs"}
	count(builtins.post_edit_check.ask) == 0 with input as event
}

test_a_failed_check_after_an_edit_asks if {
	event := post_edit({"rs": {"success": false, "output": "line 3", "error": ""}})
	said := reasons(builtins.post_edit_check.ask) with input as event
	said == {"File validation failed for src/a.rs: does not build\nline 3\nDo you want to continue anyway?"}
}

# ---- always_inject_on_prompt, enforce_full_file_read

test_context_with_a_prompt if {
	said := builtins.claude_code_always_inject_on_prompt.add_context with input as {
		"builtin_config": {"claude_code_always_inject_on_prompt": {
			"static_contexts": ["be brief", ""],
			"signals": ["branch", "broken", "facts"],
		}},
		"signals": {"branch": "main", "broken": {"success": false}, "facts": {"a": 1}},
	}
	said == {"be brief\n\nmain\n\n{\"a\":1}"}
}

read(arguments) := {
	"belay": {"tool": {"input": arguments}},
	"builtin_config": {"claude_code_enforce_full_file_read": {"max_lines": 2000, "message": "whole"}},
}

test_files_are_read_whole if {
	every arguments in [{"limit": 10}, {"offset": 5}, {"limit": "10"}, {"offset": 1, "limit": 100}] {
		reasons(builtins.claude_code_enforce_full_file_read.deny) == {"whole"} with input as read(arguments)
	}
	every arguments in [{}, {"limit": 2000}, {"offset": 2000, "limit": 2000}] {
		count(builtins.claude_code_enforce_full_file_read.deny) == 0 with input as read(arguments)
	}
}

# ---- system_protection

system := {"system_protection": {"message": "", "additional_paths": ["/srv/data"]}}

test_system_folders if {
	every path in ["/etc/passwd", "/bin/sh", "/root/x", "/home/a/.ssh/id", "/srv/data/x", `C:\Windows\system.ini`] {
		event := file("file.edit", path, system)
		count(builtins.system_protection.halt) > 0 with input as event
	}
	every path in ["/r/a.c", "/dev/null", "/home/a/src/etc/x"] {
		event := file("file.edit", path, system)
		count(builtins.system_protection.halt) == 0 with input as event
	}
}

test_system_commands if {
	every command in ["cat /etc/shadow", "echo x >/etc/x", "sudo ls"] {
		count(builtins.system_protection.halt) > 0 with input as shell(command, system)
	}
	every command in ["/usr/bin/make all", "ls >/dev/null"] {
		count(builtins.system_protection.halt) == 0 with input as shell(command, system)
	}
}

# ---- sensitive_data_protection

sensitive := {"sensitive_data_protection": {"message": "", "additional_patterns": ["payroll"]}}

test_sensitive_files if {
	said := reasons(builtins.sensitive_data_protection.deny) with input as file("file.read", "/r/.env", sensitive)
	said == {"Access to sensitive data blocked: [REDACTED-ENV-FILE]"}
	every path in ["/r/key.pem", "/r/secrets/a", "/r/a/payroll.csv", "/h/.aws/x", "/r/app.sqlite"] {
		event := file("file.read", path, sensitive)
		count(builtins.sensitive_data_protection.deny) > 0 with input as event
	}
	every path in ["/r/author.md", "/r/tokenizer.py", "/r/environment.c"] {
		event := file("file.read", path, sensitive)
		count(builtins.sensitive_data_protection.deny) == 0 with input as event
	}
}

test_sensitive_commands if {
	every command in ["cat .env", "base64 id_rsa", "aws configure get x", "gpg --armor --export-secret-keys"] {
		count(builtins.sensitive_data_protection.deny) > 0 with input as shell(command, sensitive)
	}
	count(builtins.sensitive_data_protection.deny) == 0 with input as shell("ls .env", sensitive)
}

# ---- cupcake_exec_protection

engine := {"cupcake_exec_protection": {"message": "", "allowed_commands": ["belay --version"]}}

test_the_engine_itself if {
	every command in ["belay init", "/usr/bin/cupcake eval", "x | belay eval", "cargo run -p cupcake", "bash -c 'belay x'"] {
		count(builtins.cupcake_exec_protection.halt) > 0 with input as shell(command, engine)
	}
	every command in ["belay --version", "ls belay.txt", "echo belaying"] {
		count(builtins.cupcake_exec_protection.halt) == 0 with input as shell(command, engine)
	}
}

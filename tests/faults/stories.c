/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stories.c: the table of stories; see stories.h.  A world has home (the
 * user's), root (the machine's), ws (the project, and the working folder) and
 * logs.
 */
#include "stories.h"

#define HOME     "--home", "@W/home"
#define SERVICE  HOME, "--root", "@W/root", "--state-dir", "@W/logs"
#define EVALUATE "eval", "--harness", "claude", HOME, "--state-dir", "@W/logs"

#define CLAUDE(command)                                                        \
	"{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\","            \
	"\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"" command        \
	"\"},\"cwd\":\"/tmp\"}"
#define CURSOR(command)                                                        \
	"{\"hook_event_name\":\"beforeShellExecution\",\"command\":\"" command \
	"\"}"
#define CLAUDE_DENIES "\"permissionDecision\":\"deny\""

#define HEAD(events)                                                           \
	"# METADATA\n# scope: package\n# custom:\n#   routing:\n"              \
	"#     required_events: [" events "]\n"
#define RULE                                                                   \
	"package cupcake.policies.guard\n\nimport rego.v1\n\n"                 \
	"deny contains {\"reason\": \"no rm\", \"severity\": \"HIGH\", "       \
	"\"rule_id\": \"R\"} if contains(input.tool_input.command, \"rm "      \
	"x\")\n"
#define POLICY                                                                 \
	"mkdir -p ws/.cupcake/policies/claude\n"                               \
	"cat >ws/.cupcake/policies/claude/guard.rego <<'END'\n" HEAD(          \
		"\"PreToolUse\"") RULE "END\n"
/* An image is kept of files that are older than a moment. */
#define WARM                                                                   \
	"find ws home root -exec touch -d '1 hour ago' {} +\n"                 \
	"cd ws && printf '%s' '" CLAUDE(                                       \
		"ls") "' | "                                                   \
		      "@B/belay eval --harness claude --home ../home "         \
		      "--state-dir ../logs >/dev/null\n"

#define SIGNAL                                                                 \
	"mkdir -p ws/.cupcake/policies/claude\n"                               \
	"cat >ws/.cupcake/policies/claude/guard.rego <<'END'\n" HEAD(          \
		"\"PreToolUse\"") "#     demanded_signals: [\"branch\"]\n"     \
				  "package cupcake.policies.guard\n\n"         \
				  "import rego.v1\n\n"                         \
				  "deny contains {\"reason\": \"no\", "        \
				  "\"severity\": \"HIGH\", "                   \
				  "\"rule_id\": \"R\"} if "                    \
				  "input.signals.branch == \"main\"\nEND\n"    \
				  "cat >ws/.cupcake/rulebook.yml <<'END'\n"    \
				  "signals:\n  branch:\n"                      \
				  "    command: echo main\nEND\n"

#define HOOKS(place, entries)                                                  \
	"cat >" place "/hooks.json <<'END'\n"                                  \
	"{\"version\":1,\"hooks\":{\"beforeShellExecution\":[" entries         \
	"]}}\nEND\n"
#define SAY(answer)                                                            \
	"{\"command\":\"echo '{\\\"permission\\\":\\\"" answer "\\\"}'\"}"
#define PROJECT                                                                \
	HOOKS("ws/.cursor",                                                    \
	      "{\"command\":\".cursor/guard\",\"failClosed\":true}")           \
	"cat >ws/.cursor/guard <<'END'\n#!/bin/sh\n"                           \
	"echo '{\"permission\":\"deny\"}'\nEND\n"                              \
	"chmod 755 ws/.cursor/guard\n"
#define TRUST "@B/belay trust add ws --home home >/dev/null\n"

#define LOGGED                                                                 \
	"printf '%s' '" CURSOR("rm x") "' | @B/belay dispatch --home home "    \
				       "--root root --state-dir logs "         \
				       "--workspace ws >/dev/null\n:\n"

#define REGO                                                                   \
	"cat >ws/p.rego <<'END'\npackage p\n\nimport rego.v1\n\n"              \
	"allow if input.x > 1\n\nv := data.d\nEND\n"                           \
	"cat >ws/p_test.rego <<'END'\npackage p_test\n\nimport rego.v1\n\n"    \
	"test_allow if data.p.allow with input as {\"x\": 2}\nEND\n"           \
	"printf '{\"d\":[1,2,3]}' >ws/data.json\n"

/* Whatever happens, the settings that init edits stay JSON. */
#define SETTINGS_ARE_JSON                                                      \
	"python3 -c 'import json; "                                            \
	"json.load(open(\"home/.claude/settings.json\"))'"

const struct story stories[] = {
	{ .name = "eval: an image denies",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = POLICY WARM,
	  .words = { EVALUATE },
	  .input = CLAUDE("rm x"),
	  .denies = CLAUDE_DENIES },
	{ .name = "eval: an image allows",
	  .rule = STORY_ALLOWED,
	  .program = "belay",
	  .make = POLICY WARM,
	  .words = { EVALUATE },
	  .input = CLAUDE("ls") },
	{ .name = "eval: the guard denies, nothing configured",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .words = { EVALUATE },
	  .input = CLAUDE("rm -rf ~/.config/belay"),
	  .denies = CLAUDE_DENIES },
	{ .name = "eval: compiled policies deny",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = POLICY,
	  .words = { EVALUATE, "--no-cache" },
	  .input = CLAUDE("rm x"),
	  .denies = CLAUDE_DENIES },
	{ .name = "eval: belay-tools is asked",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = POLICY,
	  .words = { EVALUATE },
	  .input = CLAUDE("rm x"),
	  .denies = CLAUDE_DENIES,
	  .is_changed = 1 },
	{ .name = "eval: a global policy denies",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = "mkdir -p home/.config/belay/policies\n"
		  "cat >home/.config/belay/policies/guard.rego "
		  "<<'END'\n" HEAD("\"PreToolUse\"") RULE "END\n" WARM,
	  .words = { EVALUATE },
	  .input = CLAUDE("rm x"),
	  .denies = CLAUDE_DENIES },
	{ .name = "eval: a seal denies",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = "mkdir -p home/.config/belay/policies\n"
		  "cat >home/.config/belay/policies/guard.rego "
		  "<<'END'\n" HEAD("\"PreToolUse\"") RULE
	  "END\n"
	  "cd ws && HOME=$PWD/../home @B/belay verify --harness claude "
	  "--seal >/dev/null 2>&1 || :\n",
	  .words = { EVALUATE },
	  .input = CLAUDE("rm x"),
	  .denies = CLAUDE_DENIES },
	{ .name = "eval: a signal decides",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = SIGNAL WARM,
	  .words = { EVALUATE },
	  .input = CLAUDE("ls"),
	  .denies = CLAUDE_DENIES },
	{ .name = "eval: hooks decide",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = HOOKS("home/.cursor", SAY("deny")),
	  .words = { "eval", "--harness", "cursor", "--hooks", HOME,
		     "--state-dir", "@W/logs" },
	  .input = CURSOR("rm x"),
	  .denies = "\"permission\":\"deny\"" },
	{ .name = "dispatch: a user's hook denies",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = HOOKS("home/.cursor", SAY("deny")),
	  .words = { "dispatch", SERVICE },
	  .input = CURSOR("rm x") },
	{ .name = "dispatch: a user's hook allows",
	  .rule = STORY_ALLOWED,
	  .program = "belay",
	  .make = HOOKS("home/.cursor", SAY("allow")),
	  .words = { "dispatch", SERVICE },
	  .input = CURSOR("ls") },
	{ .name = "dispatch: enterprise and team hooks",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = HOOKS("root/etc/cursor", SAY("deny"))
		  HOOKS("home/.cursor", SAY("allow") "," SAY("allow")),
	  .words = { "dispatch", "--json", SERVICE },
	  .input = CURSOR("rm x") },
	{ .name = "dispatch: a trusted project's hook denies",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = PROJECT TRUST,
	  .words = { "dispatch", SERVICE, "--workspace", "@W/ws" },
	  .input = CURSOR("rm x") },
	{ .name = "dispatch: a sandboxed hook denies",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = HOOKS("home/.cursor",
			"{\"command\":\"echo '{\\\"permission\\\":"
			"\\\"deny\\\"}'\",\"sandbox\":\"workspace\","
			"\"failClosed\":true}"),
	  .words = { "dispatch", SERVICE, "--workspace", "@W/ws" },
	  .input = CURSOR("rm x") },
	{ .name = "dispatch: a failed hook that is a guard",
	  .rule = STORY_DENIED,
	  .program = "belay",
	  .make = HOOKS("home/.cursor",
			"{\"command\":\"exit 1\",\"failClosed\":true}"),
	  .words = { "dispatch", SERVICE },
	  .input = CURSOR("rm x") },
	{ .name = "log",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = HOOKS("home/.cursor", SAY("deny")) LOGGED LOGGED,
	  .words = { "log", HOME, "--state-dir", "@W/logs" } },
	{ .name = "log --json",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = HOOKS("home/.cursor", SAY("deny")) LOGGED LOGGED,
	  .words = { "log", "--json", HOME, "--state-dir", "@W/logs" } },
	{ .name = "log verify",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = HOOKS("home/.cursor", SAY("deny")) LOGGED LOGGED,
	  .words = { "log", "verify", HOME, "--state-dir", "@W/logs" } },
	{ .name = "trust add",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT,
	  .words = { "trust", "add", "@W/ws", HOME },
	  .effect = "@B/belay trust status ws --home home",
	  .is_changed = 1 },
	{ .name = "trust add again",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT TRUST
	  "mkdir -p other/.cursor && cp ws/.cursor/* other/.cursor\n"
	  "@B/belay trust add other --home home "
	  ">/dev/null\necho >>ws/.cursor/guard\n",
	  .words = { "trust", "add", "@W/ws", HOME },
	  .effect = "@B/belay trust status ws --home home",
	  .after = "@B/belay trust status other --home home",
	  .is_changed = 1 },
	{ .name = "trust remove",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT TRUST
	  "mkdir -p other/.cursor && "
	  "cp ws/.cursor/* other/.cursor\n@B/belay trust add other "
	  "--home home >/dev/null\n",
	  .words = { "trust", "remove", "@W/ws", HOME },
	  .effect = "! @B/belay trust status ws --home home",
	  .after = "@B/belay trust status other --home home",
	  .is_changed = 1 },
	{ .name = "trust list",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT TRUST,
	  .words = { "trust", "list", HOME } },
	{ .name = "trust status",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT TRUST,
	  .words = { "trust", "status", "@W/ws", HOME } },
	{ .name = "init",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = "mkdir home/.claude\n"
		  "echo '{\"model\": \"opus\"}' >home/.claude/settings.json\n",
	  .words = { "init", "--global", "--harness", "claude", "--no-canary",
		     HOME, "--state-dir", "@W/logs" },
	  .effect = "grep -q belay home/.claude/settings.json",
	  .after = SETTINGS_ARE_JSON
	  " && grep -q opus home/.claude/settings.json",
	  .is_changed = 1 },
	{ .name = "hooks init",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .words = { "hooks", "init", HOME, "--dir", "@W/ws" },
	  .effect = "test -s ws/.cursor/hooks.json",
	  .is_changed = 1 },
	{ .name = "hooks list",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT TRUST HOOKS("home/.cursor", SAY("deny")),
	  .words = { "hooks", "list", HOME, "--root", "@W/root", "--workspace",
		     "@W/ws" } },
	{ .name = "hooks validate",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = PROJECT TRUST HOOKS("home/.cursor", SAY("deny")),
	  .words = { "hooks", "validate", HOME, "--root", "@W/root",
		     "--workspace", "@W/ws" } },
	{ .name = "rego eval",
	  .rule = STORY_HONEST,
	  .program = "belay",
	  .make = REGO,
	  .words = { "rego", "eval", "-d", "p.rego", "-d", "data.json", "-I",
		     "-f", "json", "data.p" },
	  .input = "{\"x\": 3}" },
	{ .name = "rego test",
	  .rule = STORY_HONEST,
	  .program = "belay-tools",
	  .make = REGO,
	  .words = { "rego", "test", "p.rego", "p_test.rego" } },
	{ .name = "rego check",
	  .rule = STORY_HONEST,
	  .program = "belay-tools",
	  .make = REGO,
	  .words = { "rego", "check", "p.rego", "p_test.rego" } },
	{ .name = "rego build",
	  .rule = STORY_HONEST,
	  .program = "belay-tools",
	  .make = REGO,
	  .words = { "rego", "build", "p.rego", "-o", "@W/ws/b.tar.gz" },
	  .effect = "tar -tzf ws/b.tar.gz",
	  .is_changed = 1 },
};

const size_t story_count = sizeof(stories) / sizeof(stories[0]);

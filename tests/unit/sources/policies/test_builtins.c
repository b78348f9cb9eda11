/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builtins against the behaviour list of docs/contracts/cupcake.md
 * "Behaviours", through the neutral event.
 */
#include "world.h"

static void put_string(struct bl_buf *out, const char *text)
{
	bl_json_write_string(out, bl_str(text));
}

/* A shell command; cwd is the world. */
static void shell_in(const char *command, const char *affected)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "{\"hook_event_name\":\"PreToolUse\","
			     "\"affected_parent_directories\":[");
	if (affected)
		put_string(&text, affected);
	bl_buf_printf(&text, "],\"belay\":{\"event\":\"tool.before\",\"where\":"
			     "{\"cwd\":\"/r\"},\"tool\":{\"kind\":\"shell\","
			     "\"files\":[],\"input\":{},\"shell\":{"
			     "\"command\":");
	put_string(&text, command);
	bl_buf_puts(&text, "}}}}");
	world_decide("PreToolUse", "tool.before", "Bash", "shell", text.ptr);
	bl_buf_clear(&text);
}

static void shell(const char *command)
{
	shell_in(command, NULL);
}

/* A tool on a path, or with an input of its own. */
static void tool(const char *kind, const char *path, const char *input)
{
	char text[1024];
	char files[512] = "";

	if (path)
		snprintf(files, sizeof(files),
			 "{\"op\":\"x\",\"path_native\":\"%s\",\"path\":\"%s\","
			 "\"real\":\"%s\"}",
			 path, path, path);
	snprintf(text, sizeof(text),
		 "{\"belay\":{\"event\":\"tool.before\",\"where\":{\"cwd\":"
		 "\"/r\"},\"tool\":{\"kind\":\"%s\",\"files\":[%s],\"input\":"
		 "%s}}}",
		 kind, files, input ? input : "{}");
	world_decide("PreToolUse", "tool.before", "Some", kind, text);
}

static void rulebook(const char *builtins)
{
	char text[1024];

	world_begin();
	snprintf(text, sizeof(text), "builtins:\n%s", builtins);
	world_file(".belay/rulebook.yml", text);
	world_load();
	CHECK_INT(diags.error_count, 0);
	if (diags.error_count)
		print_diags();
}

#define EXPECT(wanted, what)                                                   \
	do {                                                                   \
		struct bl_str got = verb();                                    \
                                                                               \
		if (!bl_str_is(got, wanted)) {                                 \
			tap_failures++;                                        \
			TAP_NOTE("%s: %.*s (%.*s), not %s", what,              \
				 BL_STR_ARG(got),                              \
				 BL_STR_ARG(report.decision.user_message),     \
				 wanted);                                      \
		}                                                              \
	} while (0)

static void each_shell(const char *const *commands, const char *wanted)
{
	for (; *commands; commands++) {
		shell(*commands);
		EXPECT(wanted, *commands);
		for (size_t i = 0; i < report.trouble_count; i++)
			TAP_NOTE("%.*s", BL_STR_ARG(report.troubles[i].text));
	}
}

static const char *const guardrails_refuses[] = {
	"rm -rf .cupcake",
	"cp permissive ~/.cache/belay/policies/0.image",
	"rm -rf .cupcake/policies",
	"rm --recursive --force .cupcake",
	"echo 'test' && rm -rf .cupcake",
	"rm -rf ./.cupcake",
	"rm -rf //.cupcake",
	"rm -rf .cupcake/../.cupcake",
	"cd / && rm -rf .cupcake",
	"mv .cupcake /tmp/backup",
	"chmod 777 .cupcake",
	"chown nobody:nobody .cupcake",
	"find .cupcake -delete",
	"rsync -a --delete empty/ .cupcake/",
	"ln -s .cupcake /tmp/x",
	"ln -sf .cupcake /tmp/x",
	"ln -s ./.cupcake ~/link",
	"ln -s .cupcake/rulebook.yml /tmp/config",
	"ln -s /r/.cupcake /tmp/x && rm -rf /tmp/x",
	"ln .cupcake/rulebook.yml x",
	"cat .cupcake/rulebook.yml",
	"grep -r x .cupcake",
	"vim .cupcake/rulebook.yml",
	"rm -rf .cup\"cake\"",
	"rm -rf .cup\\cake",
	"rm -rf .cup*",
	"rm -rf .{belay,git}",
	"rm -rf .BELAY",
	"echo x >.belay/rulebook.yml",
	NULL,
};

static const char *const guardrails_allows[] = {
	"ls -la",           "rm -rf build", "ln -s a b", "cat src/a.c",
	"echo my.cupcakes", "rm -rf *",     NULL,
};

static void guardrails(void)
{
	rulebook("  rulebook_security_guardrails: {}\n");
	each_shell(guardrails_refuses, "halt");
	each_shell(guardrails_allows, "none");
	shell("ln -s .cupcake /tmp/x");
	CHECK(has_text(report.decision.user_message,
		       "Multiple high-severity policy violations detected: "
		       "[BUILTIN-RULEBOOK-SECURITY] "));
	CHECK(has_text(report.decision.user_message,
		       "symlink creation involving protected path is not "
		       "permitted"));
	shell_in("rm -rf /r", "/r");
	EXPECT("halt", "rm -rf /r");
	tool("file.read", "/r/.cupcake/rulebook.yml", NULL);
	EXPECT("halt", "read");
	CHECK_STR(report.decision.user_message,
		  "Cupcake configuration files are protected from modification "
		  "(blocked file operation on /r/.cupcake/rulebook.yml)");
	tool("file.edit", "/r/src/a.c", NULL);
	EXPECT("none", "edit");
	tool("search", NULL, "{\"pattern\":\".cupcake/**/*.rego\"}");
	EXPECT("halt", "glob");
	tool("search", NULL, "{\"pattern\":\".cupcake*\"}");
	EXPECT("halt", "glob");
	tool("search", NULL, "{\"pattern\":\"TODO\",\"path\":\"src\"}");
	EXPECT("none", "grep");
	rulebook("  rulebook_security_guardrails:\n    message: Hands off\n"
		 "    protected_paths: [secrets/, .env.production, "
		 "config/database.yml]\n");
	shell("cat config/database.yml");
	EXPECT("halt", "custom");
	CHECK_STR(report.decision.user_message,
		  "Hands off (detected protected path reference "
		  "in bash command)");
	shell("rm -rf .cupcake");
	EXPECT("none", "custom paths replace the usual ones");
}

static const char *const protected_paths_refuses[] = {
	"echo x > production.env",
	"echo x >production.env",
	"printf x >> production.env",
	"cat <<EOF > production.env",
	"tee production.env < input.txt",
	"dd if=input of=production.env",
	"sed -i 's/old/new/' production.env",
	"echo 'test' > ./production.env",
	"echo 'test' > secrets/api.key",
	"mv temp.txt production.env",
	"rm production.env",
	"vim production.env",
	/* what the original lets pass */
	"rm production.env; cat y",
	"cat x >production.env",
	"find secrets -delete",
	"cat production.env | tee production.env",
	"rm pro\"duction\".env",
	"rm production.{env,bak}",
	"cp a b && rm production.env",
	"python3 -c 'open(\"production.env\",\"w\")'",
	"echo x > src/legacy/main.c",
	"rm other/server.key",
	NULL,
};

static const char *const protected_paths_allows[] = {
	"cat production.env",
	"grep pattern production.env",
	"less secrets/api.key",
	"head -n 10 production.env",
	"wc -l production.env",
	"cat production.env | grep x | sort",
	"cat production.env 2>/dev/null",
	"git diff production.env",
	"cat production.env; rm other",
	"rm my-production.env.txt",
	"rm mysrc/legacy2/x",
	"git add *",
	NULL,
};

/* One compiled rulebook is right for every user. */
static void paths_in_home(void)
{
	static const char *const homes[] = { "/net/a", "/net/b", NULL };

	rulebook("  protected_paths: {paths: ['~/vault/']}\n"
		 "  system_protection: {additional_paths: ['~/etc']}\n");
	for (size_t i = 0; homes[i]; i++) {
		const char *other = homes[!i];
		char command[256];

		world_home = bl_str(homes[i]);
		shell("rm ~/vault/x");
		EXPECT("halt", "~");
		shell("cat $HOME/etc");
		EXPECT("halt", "another builtin");
		shell("cp x ~/.ssh/config");
		EXPECT("halt", "what is the system's in each home");
		snprintf(command, sizeof(command), "rm %s/vault/x", homes[i]);
		shell(command);
		EXPECT("halt", command);
		snprintf(command, sizeof(command), "rm %s/vault/x", other);
		shell(command);
		EXPECT("none", command);
	}
	world_home = BL_STR("");
}

static void protected_paths(void)
{
	rulebook("  protected_paths:\n    paths: [production.env, secrets/, "
		 "'*.key', src/legacy, /etc/app/]\n");
	each_shell(protected_paths_refuses, "halt");
	each_shell(protected_paths_allows, "none");
	shell("mv temp.txt production.env");
	CHECK(has_text(report.decision.user_message,
		       "only read operations allowed"));
	tool("file.write", "/r/production.env", NULL);
	EXPECT("halt", "write");
	CHECK_STR(report.decision.user_message,
		  "This path is read-only and cannot be "
		  "modified (/r/production.env)");
	tool("file.read", "/r/production.env", NULL);
	EXPECT("none", "read");
	tool("file.edit", "/r/src/legacy/deep/a.c", NULL);
	EXPECT("halt", "edit in folder");
	tool("file.edit", "/r/src/legacy2/a.c", NULL);
	EXPECT("none", "edit beside folder");
	tool("file.write", "/r/my-production.env", NULL);
	EXPECT("none", "no suffixes");
	tool("file.write", "/r/deep/server.KEY", NULL);
	EXPECT("halt", "glob, whatever the case");
	tool("file.write", "/etc/app/x", NULL);
	EXPECT("halt", "absolute");
	shell_in("rm -rf /etc", "/etc");
	EXPECT("halt", "above");
	CHECK(has_text(report.decision.user_message,
		       "/etc is or holds a protected path"));
	shell_in("rm *.bak", "/r");
	EXPECT("none", "single files");
}

static void git_no_verify(void)
{
	static const char *const refused[] = {
		"git commit --no-verify -m 'test'",
		"git -C sub commit --no-verify",
		"git push --no-verify",
		"git merge --no-verify x",
		"git commit -n -m x",
		"git commit -anm x",
		"git commit \"--no-verify\" -m x",
		"ls && git commit --no-verify",
		"git config core.hooksPath /dev/null",
		"git -c core.hooksPath=/tmp commit -m x",
		"chmod -x .git/hooks/pre-commit",
		"chmod 000 .git/hooks/pre-commit",
		"chmod 644 .git/hooks/pre-commit",
		"rm .git/hooks/pre-commit",
		"mv .git/hooks /tmp",
		NULL,
	};
	static const char *const fine[] = {
		"git commit -m 'test'",
		"git add .",
		"git status",
		"git push",
		"git push -n",
		"git commit -m 'say --no-verify -n here'",
		"git config --get core.hooksPath",
		"chmod 755 .git/hooks/pre-commit",
		"chmod +x .git/hooks/pre-commit",
		"ls .git/hooks",
		NULL,
	};

	rulebook("  git_block_no_verify:\n    exceptions: [release-bot]\n");
	each_shell(refused, "deny");
	each_shell(fine, "none");
	shell("git commit --no-verify -m x");
	CHECK_STR(report.decision.user_message,
		  "Git operations with --no-verify are not permitted. Commit "
		  "hooks must run for code quality and security checks.");
	shell("git commit --no-verify --author release-bot");
	EXPECT("none", "exception");
	rulebook("  git_block_no_verify: {message: Nope}\n");
	shell("git commit --no-verify -m x");
	CHECK_STR(report.decision.user_message, "Nope");
}

static void full_read(void)
{
	rulebook("  enforce_full_file_read: {max_lines: 100}\n");
	tool("file.read", "/r/a", "{\"offset\":10}");
	EXPECT("deny", "offset");
	tool("file.read", "/r/a", "{\"limit\":50}");
	EXPECT("deny", "limit");
	tool("file.read", "/r/a", "{\"limit\":\"x\"}");
	EXPECT("deny", "what is not a number");
	tool("file.read", "/r/a", "{\"limit\":2000}");
	EXPECT("none", "as long as a whole file may be");
	tool("file.read", "/r/a", "{}");
	EXPECT("none", "whole");
}

static void system_protection(void)
{
	static const char *const refused[] = {
		"cat /etc/passwd",
		"echo x > /etc/hosts",
		"sudo ls",
		"ls /root/x",
		"cat ~/.ssh/id_rsa",
		"ls;doas x",
		"cp x /usr/bin/tool",
		NULL,
	};
	static const char *const fine[] = {
		"ls 2>/dev/null", "/usr/bin/make all", "cat a > /dev/null",
		"echo pseudo",    "cat /etcetera",     NULL,
	};

	rulebook("  system_protection:\n    additional_paths: [/srv/data]\n");
	each_shell(refused, "halt");
	each_shell(fine, "none");
	tool("file.read", "/etc/hosts", NULL);
	EXPECT("halt", "/etc/hosts");
	CHECK_STR(report.decision.user_message,
		  "Access to critical system path blocked: /etc/hosts");
	tool("file.write", "/srv/data/x", NULL);
	EXPECT("halt", "additional");
	tool("file.read", "/private/var/folders/x", NULL);
	EXPECT("none", "where macOS keeps temporary files");
}

static void sensitive_data(void)
{
	static const char *const refused[] = {
		"cat .env",
		"head secrets/x",
		"gpg --export-secret-keys",
		"cat ~/.aws/credentials",
		"aws configure get x",
		"grep x server.pem",
		NULL,
	};
	static const char *const fine[] = {
		"cat author.md",
		"python3 tokenizer.py",
		"cat tokenizer_test.py",
		"make secretary",
		NULL,
	};

	rulebook("  sensitive_data_protection:\n"
		 "    additional_patterns: [payroll]\n");
	each_shell(refused, "deny");
	each_shell(fine, "none");
	tool("file.read", "/home/user/.env", NULL);
	EXPECT("deny", ".env");
	CHECK(has_text(report.decision.user_message, "[REDACTED-ENV-FILE]"));
	CHECK(!has_text(report.decision.user_message, "/home/user"));
	tool("file.read", "/r/author.md", NULL);
	EXPECT("none", "author.md");
	tool("file.read", "/r/Payroll.xls", NULL);
	EXPECT("deny", "additional");
	tool("search", NULL, "{\"pattern\":\"**/*.pem\"}");
	EXPECT("deny", "glob");
	tool("file.write", "/r/.env", NULL);
	EXPECT("none", "it is about reading");
}

static void exec_protection(void)
{
	static const char *const refused[] = {
		"cupcake init --global",
		"ls; belay eval --harness x",
		"echo $(cupcake verify)",
		"./target/release/cupcake eval",
		"cargo run -p cupcake",
		"bash -c 'cupcake eval'",
		"/usr/local/bin/belay init --remove",
		NULL,
	};
	static const char *const fine[] = { "ls cupcakes", "cat belay.md",
					    "belay validate", NULL };

	rulebook("  cupcake_exec_protection:\n"
		 "    allowed_commands: [belay validate]\n");
	each_shell(refused, "halt");
	each_shell(fine, "none");
}

static void inject_prompt(void)
{
	rulebook("  always_inject_on_prompt:\n    context:\n"
		 "      - Be kind\n      - {command: echo from-command}\n"
		 "      - {file: note.txt}\n");
	world_file("note.txt", "from file\n");
	world_decide("UserPromptSubmit", "prompt", "", "",
		     "{\"prompt\":\"x\",\"belay\":{\"event\":\"prompt\"}}");
	CHECK_STR(verb(), "none");
	CHECK_INT(bl_value_count(report.decision.additional_context), 1);
	CHECK_STR(bl_value_text(
			  bl_value_item(report.decision.additional_context, 0)),
		  "Be kind\n\nfrom-command\n\nfrom file");
}

static void git_pre_check(void)
{
	rulebook(
		"  git_pre_check:\n    checks:\n"
		"      - {command: 'true'}\n"
		"      - {command: 'echo broken; exit 1', message: Fix tests}\n"
		"      - {command: 'echo loud; exit 1'}\n");
	shell("git commit -m x");
	CHECK_STR(verb(), "halt");
	CHECK_STR(report.decision.user_message,
		  "Git pre-checks failed:\n- Fix tests\n- loud");
	CHECK_INT(report.signal_count, 3);
	shell("ls");
	CHECK_STR(verb(), "none");
	CHECK_INT(report.signal_count, 0);
}

static void after_edit(const char *path)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "{\"belay\":{\"event\":\"tool.after\",\"tool\":{\"kind\":"
		 "\"file.edit\",\"files\":[{\"path\":\"%s\",\"real\":\"%s\"}]}"
		 "}}",
		 path, path);
	world_decide("PostToolUse", "tool.after", "Edit", "file.edit", text);
}

static void post_edit_check(void)
{
	rulebook("  post_edit_check:\n    by_extension:\n"
		 "      txt: {command: 'true', message: m}\n"
		 "      rs: {command: 'echo bad syntax >&2; exit 3', message: "
		 "Rust}\n");
	after_edit("/r/a.txt");
	CHECK_STR(verb(), "none");
	CHECK_STR(bl_value_text(
			  bl_value_item(report.decision.additional_context, 0)),
		  "✓ Validation passed for /r/a.txt");
	CHECK_INT(report.signal_count, 1);
	after_edit("/r/a.rs");
	CHECK_STR(verb(), "ask");
	CHECK(has_text(report.decision.user_message, "validation failed"));
	CHECK(has_text(report.decision.user_message, "bad syntax"));
	CHECK(has_text(report.decision.user_message,
		       "Do you want to continue anyway?"));
	after_edit("/r/a.c");
	CHECK_INT(report.signal_count, 0);
	CHECK_INT(bl_value_count(report.decision.additional_context), 0);
}

/* Off, and no more to be seen. */
static void disabled(void)
{
	rulebook("  protected_paths: {enabled: false, paths: [a]}\n");
	world_policy("p", "#     required_events: [\"*\"]\n",
		     "deny contains 1 if false");
	world_load();
	tool("file.write", "/r/a", NULL);
	EXPECT("none", "disabled");
	CHECK_INT(report.route_count, 1);
}

int main(void)
{
	RUN(guardrails);
	RUN(protected_paths);
	RUN(paths_in_home);
	RUN(git_no_verify);
	RUN(full_read);
	RUN(system_protection);
	RUN(sensitive_data);
	RUN(exec_protection);
	RUN(inject_prompt);
	RUN(git_pre_check);
	RUN(post_edit_check);
	RUN(disabled);
	world_end();
	return tap_end();
}

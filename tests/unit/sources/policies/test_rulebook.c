/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rulebook.yml: every key, every finding (docs/contracts/cupcake.md "Rulebook",
 * "Builtin options").
 */
#include "packs/packs.h"
#include "world.h"

static struct bl_rulebook book;

static void read_book(const char *text)
{
	char dir[128];

	world_begin();
	world_file(".belay/rulebook.yml", text);
	world_path(dir, sizeof(dir), ".belay");
	CHECK_STATUS(bl_rulebook_read(bl_arena_copy_str(&arena, bl_str(dir)),
				      &arena, &diags, &book, &error),
		     BL_OK);
}

static const struct bl_signal *find(const char *name)
{
	for (size_t i = 0; i < book.signal_count; i++)
		if (bl_str_is(book.signals[i].name, name))
			return &book.signals[i];
	return NULL;
}

static void missing(void)
{
	world_begin();
	CHECK_STATUS(bl_rulebook_read(BL_STR("/nowhere"), &arena, &diags, &book,
				      &error),
		     BL_OK);
	CHECK(!book.is_broken);
	CHECK_INT(book.path.len, 0);
	CHECK_INT(book.signal_count, 0);
	CHECK_INT(book.builtins, 0);
}

static void signals(void)
{
	read_book("version: 3\nsignals:\n"
		  "  a: {command: 'git status'}\n"
		  "  b: {command: [prog, 'two words'], timeout_seconds: 2}\n");
	CHECK_INT(diags.error_count + diags.warning_count, 0);
	REQUIRE(book.signal_count == 2);
	CHECK_INT(book.signals[0].kind, BL_SIGNAL_SHELL);
	CHECK_STR(book.signals[0].command, "git status");
	CHECK_INT(book.signals[0].timeout_ms, 5000);
	CHECK_INT(book.signals[1].kind, BL_SIGNAL_ARGV);
	CHECK_STR(bl_str(book.signals[1].argv[1]), "two words");
	CHECK(!book.signals[1].argv[2]);
	CHECK_INT(book.signals[1].timeout_ms, 2000);
	read_book("signals:\n");
	CHECK(!book.is_broken);
}

static void check_sandbox(const char *name, const char *expected)
{
	REQUIRE(find(name));
	CHECK_STR(find(name)->sandbox, expected);
}

/* Each may say it; the rest have what is said for all, builtins' too. */
static void sandboxes(void)
{
	read_book("signals:\n  a: {command: x}\n"
		  "  b: {command: x, sandbox: workspace+network}\n"
		  "  c: {command: x, sandbox: none}\n"
		  "builtins:\n  git_pre_check:\n    checks:\n"
		  "      - {command: made}\n"
		  "sandbox: readonly\n");
	CHECK_INT(diags.error_count + diags.warning_count, 0);
	check_sandbox("a", "readonly");
	check_sandbox("b", "workspace+network");
	check_sandbox("c", "none");
	check_sandbox("__builtin_git_check_0", "readonly");
	read_book("signals:\n  a: {command: x}\n");
	check_sandbox("a", "");
}

/* The rulebook's own signals go before found ones, those before builtins'. */
static void discovery(void)
{
	char dir[128];

	world_begin();
	world_file(".belay/rulebook.yml",
		   "builtins:\n  git_pre_check:\n    checks:\n"
		   "      - {command: made}\n      - {command: other}\n"
		   "signals:\n  named: {command: mine}\n"
		   "  __builtin_git_check_0: {command: own}\n");
	world_program(".belay/signals/named.sh", "#!/bin/sh\n");
	world_program(".belay/signals/test.status.sh", "#!/bin/sh\n");
	world_program(".belay/signals/.hidden", "#!/bin/sh\n");
	world_file(".belay/signals/folder/x", "");
	world_path(dir, sizeof(dir), ".belay");
	CHECK_STATUS(bl_rulebook_read(bl_arena_copy_str(&arena, bl_str(dir)),
				      &arena, &diags, &book, &error),
		     BL_OK);
	CHECK_INT(book.signal_count, 4);
	REQUIRE(find("named") && find("test.status") &&
		find("__builtin_git_check_0") && find("__builtin_git_check_1"));
	CHECK_STR(find("named")->command, "mine");
	CHECK_INT(find("test.status")->kind, BL_SIGNAL_ARGV);
	CHECK_STR(find("__builtin_git_check_0")->command, "own");
	CHECK_STR(find("__builtin_git_check_1")->command, "other");
	CHECK_INT(find("__builtin_git_check_1")->timeout_ms, 30000);
}

static void other_sections(void)
{
	read_book("telemetry: {enabled: true, format: text, destination: t}\n"
		  "preprocess: {scripts: true}\n"
		  "on_error: {tool.before: ask, '*': allow}\n"
		  "watchdog: {enabled: false, model: x}\n");
	CHECK_INT(diags.error_count + diags.warning_count, 0);
	CHECK(book.telemetry_enabled && book.telemetry_is_text);
	CHECK_STR(book.telemetry_destination, "t");
	CHECK(book.inspect_scripts);
	REQUIRE(book.on_error_count == 2);
	CHECK_STR(book.on_error[0].event, "tool.before");
	CHECK_INT(book.on_error[0].verdict, BL_VERDICT_ASK);
	CHECK_INT(book.on_error[1].verdict, BL_VERDICT_ALLOW);
	read_book("on_error: deny\n");
	REQUIRE(book.on_error_count == 1);
	CHECK_STR(book.on_error[0].event, "*");
}

/* A wrong value breaks it; a merely unknown key does not. */
static const struct {
	const char *text;
	const char *code;
	bool breaks;
	uint32_t line;
} faults[] = {
	{ "a: [1\n", "rulebook/syntax", true, 1 },
	{ "- a\n", "rulebook/syntax", true, 0 },
	{ "signals: 3\n", "rulebook/type", true, 1 },
	{ "signals:\n  a: {}\n", "rulebook/signal", true, 2 },
	{ "signals:\n  a: {command: ' '}\n", "rulebook/signal", true, 2 },
	{ "signals:\n  a: {command: [1]}\n", "rulebook/signal", true, 2 },
	{ "signals:\n  a: {command: x, timeout_seconds: 0}\n",
	  "rulebook/signal", true, 2 },
	{ "signals:\n  a: {command: x, timeout: 1}\n", "rulebook/unknown-key",
	  false, 2 },
	{ "signals:\n  a: {command: x, sandbox: jail}\n", "rulebook/sandbox",
	  true, 2 },
	{ "signals:\n  a: {command: x, sandbox: true}\n", "rulebook/sandbox",
	  true, 2 },
	{ "sandbox: jail\n", "rulebook/sandbox", true, 1 },
	{ "on_error: never\n", "rulebook/on-error", true, 1 },
	{ "on_error: {stop: 4}\n", "rulebook/on-error", true, 1 },
	{ "telemetry: {format: xml}\n", "rulebook/type", true, 1 },
	{ "telemetry: {enabled: 3}\n", "rulebook/type", true, 1 },
	{ "preprocess: {scripts: 3}\n", "rulebook/type", true, 1 },
	{ "watchdog: true\n", "rulebook/watchdog", false, 1 },
	{ "watchdog: [1]\n", "rulebook/type", true, 1 },
	{ "signal: {}\n", "rulebook/unknown-key", false, 1 },
	{ "builtins: {nothing: {}}\n", "rulebook/unknown-builtin", false, 1 },
	{ "builtins: {protected_paths: {}}\n", "rulebook/builtin", true, 1 },
	{ "builtins: {protected_paths: {paths: [' ']}}\n", "rulebook/builtin",
	  true, 1 },
	{ "builtins: {protected_paths: {paths: x}}\n", "rulebook/builtin", true,
	  1 },
	{ "builtins: {protected_paths: {paths: [x], path: y}}\n",
	  "rulebook/unknown-key", false, 1 },
	{ "builtins: {protected_paths: 3}\n", "rulebook/type", true, 1 },
	{ "builtins: {git_pre_check: {enabled: 1}}\n", "rulebook/builtin", true,
	  1 },
	{ "builtins: {git_pre_check: {}}\n", "rulebook/builtin", true, 1 },
	{ "builtins: {git_pre_check: {checks: [{command: ' '}]}}\n",
	  "rulebook/builtin", true, 1 },
	{ "builtins: {post_edit_check: {by_extension: {.c: {command: "
	  "x}}}}\n",
	  "rulebook/builtin", true, 1 },
	{ "builtins: {always_inject_on_prompt: {context: [{}]}}\n",
	  "rulebook/builtin", true, 1 },
	{ "builtins: {enforce_full_file_read: {max_lines: 0}}\n",
	  "rulebook/builtin", true, 1 },
	{ "builtins: {rulebook_security_guardrails: {protected_paths: "
	  "[]}}\n",
	  "rulebook/builtin", true, 1 },
};

static void findings(void)
{
	for (size_t i = 0; i < BL_COUNT(faults); i++) {
		read_book(faults[i].text);
		if (book.is_broken != faults[i].breaks || !diags.first ||
		    strcmp(diags.first->code, faults[i].code) != 0 ||
		    diags.first->place.line != faults[i].line) {
			tap_failures++;
			TAP_NOTE("%s: %s, line %u, broken %d", faults[i].text,
				 diags.first ? diags.first->code : "nothing",
				 diags.first ? diags.first->place.line : 0,
				 book.is_broken);
		}
	}
}

/* Present is on; defaults; "~/" is left to the event (test_builtins.c). */
static void builtins(void)
{
	struct bl_value config;

	read_book("builtins:\n  rulebook_security_guardrails:\n"
		  "  enforce_full_file_read: {}\n"
		  "  git_block_no_verify: {enabled: false}\n"
		  "  protected_paths: {paths: ['~/.ssh', a]}\n");
	CHECK(!book.is_broken);
	CHECK_INT(bl_value_count(book.builtin_config), 3);
	config = bl_object_find(book.builtin_config,
				BL_STR("rulebook_security_guardrails"));
	CHECK_INT(bl_value_count(
			  bl_object_find(config, BL_STR("protected_paths"))),
		  3);
	config = bl_object_find(book.builtin_config,
				BL_STR("claude_code_enforce_full_file_read"));
	CHECK(bl_value_equal(bl_object_find(config, BL_STR("max_lines")),
			     bl_value_integer(2000)));
	config = bl_object_find(
		bl_object_find(book.builtin_config, BL_STR("protected_paths")),
		BL_STR("paths"));
	REQUIRE(bl_value_count(config) == 2);
	CHECK_STR(bl_value_text(bl_value_item(config, 0)), "~/.ssh");
}

/* before, with ENTRY added to rules; NULL: it cannot be. */
static void check_added(const char *before, const char *after)
{
	struct bl_rulebook_entry entry = {
		.section = "rules",
		.path = BL_STR("r.yml"),
		.text = bl_str(before),
		.entry = BL_STR("{deny: \"b\"}"),
	};
	struct bl_str text = { NULL, 0 };
	enum bl_status status;

	world_begin();
	status = bl_rulebook_add(&entry, &arena, &text, &error);
	CHECK_STATUS(status, after ? BL_OK : BL_INVALID);
	if (after)
		CHECK_STR(text, after);
}

/* All but the new line is as it was. */
static void additions(void)
{
	check_added("", "rules:\n  - {deny: \"b\"}\n");
	check_added("level: strict # x\n",
		    "level: strict # x\n\nrules:\n  - {deny: \"b\"}\n");
	check_added("level: strict",
		    "level: strict\n\nrules:\n  - {deny: \"b\"}\n");
	check_added("rules: # mine\n  # first\n  - {deny: a}\n\n# levels\n"
		    "level: strict\n",
		    "rules: # mine\n  # first\n  - {deny: a}\n"
		    "  - {deny: \"b\"}\n\n# levels\nlevel: strict\n");
	check_added("rules:\n- deny: a\n  reason: |\n    why\n\n    so\n"
		    "level: strict\n",
		    "rules:\n- deny: a\n  reason: |\n    why\n\n    so\n"
		    "- {deny: \"b\"}\nlevel: strict\n");
	check_added("rules:\n      - deny: a",
		    "rules:\n      - deny: a\n      - {deny: \"b\"}\n");
	check_added("rules: []\nlevel: strict\n",
		    "rules: \n  - {deny: \"b\"}\nlevel: strict\n");
	check_added("rules: [{deny: a}] # all\n",
		    "rules: [{deny: a}, {deny: \"b\"}] # all\n");
	check_added("rules: [{deny: a},\n  {deny: c}]\n",
		    "rules: [{deny: a}, {deny: \"b\"},\n  {deny: c}]\n");
	check_added("rules: [\n  {deny: a}]\n", NULL);
	check_added("{rules: [{deny: a}]}\n", NULL);
	check_added("rules:\n  - {deny: a\n", NULL);
	check_added("rules:\n  - {dney: a}\n", NULL);
	check_added("rules: &r\n  - {deny: a}\n", NULL);
}

/* The mode of a rule under a user's rulebook and a project's; NULL: absent. */
static void check_mode(const char *user, const char *project, const char *rule,
		       const char *expected)
{
	const char *const texts[] = {
		[BL_POLICY_GLOBAL] = user, [BL_POLICY_PROJECT] = project
	};
	struct bl_policy_set both = { 0 };
	struct bl_value rules;

	world_begin();
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		if (texts[i])
			CHECK_STATUS(bl_rulebook_parse(
					     BL_STR("rulebook.yml"),
					     bl_str(texts[i]), &arena, &diags,
					     &both.dirs[i].rulebook, &error),
				     BL_OK);
	CHECK_INT(diags.error_count, 0);
	CHECK_STATUS(bl_packs_rules(&arena, &rules, &error), BL_OK);
	CHECK_STR(bl_str(bl_policy_rule_mode(
			  &both, bl_str(rule),
			  bl_object_find(rules, bl_str(rule)))),
		  expected);
}

/* docs/formats/rulebook.md "weaken", and its table; git/force-push has ask, deny, deny. */
static void modes_in_force(void)
{
	check_mode(NULL, "level: relaxed", "git/force-push", "ask");
	check_mode(NULL, "level: standard", "git/force-push", "deny");
	check_mode(NULL, "level: \"off\"", "git/force-push", "off");
	check_mode(NULL, NULL, "git/force-push", "off");
	check_mode(NULL, NULL, "guard/config", "deny");
	check_mode(NULL, "level: \"off\"", "guard/config", "off");
	check_mode("level: strict", "level: relaxed", "git/force-push", "deny");
	check_mode(NULL, "level: standard\nmodes: {git: monitor}",
		   "git/force-push", "monitor");
	check_mode(NULL,
		   "level: standard\nmodes: {git: monitor, git/force-push: "
		   "ask}",
		   "git/force-push", "ask");
	check_mode("level: standard", "modes: {git/force-push: \"off\"}",
		   "git/force-push", "deny");
	check_mode("level: relaxed", "modes: {git/force-push: deny}",
		   "git/force-push", "deny");
	check_mode("level: standard\nweaken: allow",
		   "modes: {git/force-push: \"off\"}", "git/force-push", "off");
	check_mode("modes: {git: ask}", "level: standard", "git/force-push",
		   "ask");
}

int main(void)
{
	RUN(missing);
	RUN(signals);
	RUN(sandboxes);
	RUN(discovery);
	RUN(other_sections);
	RUN(findings);
	RUN(builtins);
	RUN(additions);
	RUN(modes_in_force);
	world_end();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The validator (docs/contracts/cupcake.md "Validation"), and the list of
 * policies.
 */
#include "world.h"

static size_t file_count;

/* "Before" can everything, "After" only add_context. */
static bool verbs_at(struct bl_str agent, struct bl_str event,
		     unsigned *out_verbs, const char **out_near)
{
	(void)agent;
	*out_near = bl_str_is(event, "Befor") ? "Before" : NULL;
	*out_verbs = bl_str_is(event, "Before") ? (1U << BL_VERB_COUNT) - 1
						: 1U << BL_VERB_ADD_CONTEXT;
	return bl_str_is(event, "Before") || bl_str_is(event, "After");
}

static const char *near_tool(struct bl_str tool)
{
	return bl_str_is(tool, "Bsah") ? "Bash" : NULL;
}

static void validate(void)
{
	struct bl_policy_validate_options options = { .verbs_at = verbs_at,
						      .near_tool = near_tool,
						      .agent_at =
							      world_agent_at };
	char dir[128];

	world_path(dir, sizeof(dir), ".belay");
	options.dir = bl_arena_copy_str(&arena, bl_str(dir));
	CHECK_STATUS(bl_policy_validate(&options, &arena, &diags, &file_count,
					&error),
		     BL_OK);
}

/* One policy alone: the finding, or NULL for none. */
static void expect(const char *text, const char *code, bool is_error,
		   uint32_t line)
{
	world_begin();
	world_file(".belay/policies/test/a.rego", text);
	validate();
	if ((code != NULL) != (diags.first != NULL) ||
	    (code && (strcmp(diags.first->code, code) != 0 ||
		      diags.first->place.line != line ||
		      (diags.error_count > 0) != is_error))) {
		tap_failures++;
		TAP_NOTE("%s", text);
		print_diags();
	}
}

#define HEAD(events)                                                           \
	"# METADATA\n# scope: package\n# custom:\n#   routing:\n"              \
	"#     required_events: [" events "]\n"                                \
	"package cupcake.policies.a\nimport rego.v1\n"

static void rules(void)
{
	expect(HEAD("Before") "deny contains \"x\" if input.a\n", NULL, false,
	       0);
	expect("package cupcake.policies.a\nimport rego.v1\n# METADATA\n"
	       "# custom:\n#   routing:\n#     required_events: [Before]\n\n"
	       "deny contains \"x\" if input.a\n",
	       "policy/metadata-placement", true, 3);
	expect("import rego.v1\ndeny contains \"x\"\n", "rego_parse_error",
	       true, 1);
	expect("package cupcake.policies.a\nimport rego.v1\n"
	       "deny contains \"x\" if input.a\n",
	       "policy/routing-metadata", true, 0);
	expect(HEAD("Before") "denny contains \"x\" if input.a\n",
	       "policy/no-verb", true, 0);
	expect("# METADATA\n# custom:\n#   routing:\n"
	       "#     required_events: [Before]\n"
	       "#     required_tools: [Bsah]\n"
	       "package cupcake.policies.a\nimport rego.v1\n"
	       "deny contains \"x\" if input.a\n",
	       "policy/unknown-tool", true, 1);
	expect(HEAD(""), "policy/routing-metadata", false, 1);
	/* Nothing that it could run with. */
	expect(HEAD("") "deny contains \"x\" if input.a\n",
	       "policy/routing-metadata", true, 0);
	expect(HEAD("After") "deny contains \"x\" if input.a\n",
	       "policy/decision-event-compatibility", true, 8);
	expect(HEAD("After") "add_context contains \"x\" if input.a\n", NULL,
	       false, 0);
	expect(HEAD("Befor") "deny contains \"x\" if input.a\n",
	       "policy/unknown-event", true, 1);
	expect(HEAD("Before, Other") "deny contains \"x\" if input.a\n",
	       "policy/unknown-event", false, 1);
	expect(HEAD("Other") "deny contains \"x\" if input.a\n",
	       "policy/unknown-event", true, 1);
	/* It works at one: told once, not an error, for both rules. */
	expect(HEAD("Before, After") "deny contains \"x\" if input.a\n"
				     "deny contains \"y\" if input.b\n",
	       "policy/decision-event-compatibility", false, 8);
	expect(HEAD("\"Bef*\"") "deny contains \"x\" if input.a\n", NULL, false,
	       0);
	expect(HEAD("Before") "deny contains d if {\n\td := input.a\n}\n"
			      "ask contains \"y\" if input.b\n"
			      "deny contains \"x\" if input.a\n",
	       "policy/incremental-rule-grouping", false, 12);
	expect(HEAD("Before") "deny contains decision if {\n"
			      "\tdecision := {\n\t\t\"reason\": \"r\",\n\t}\n"
			      "}\n",
	       "policy/decision-structure", false, 9);
	expect(HEAD("Before") "deny contains \"x\" if {\n"
			      "\t\"key\" in input.object\n}\n",
	       "policy/object-key-membership", false, 9);
	expect(HEAD("Before") "# \"key\" in input.object\n", NULL, false, 0);
}

static void metadata(void)
{
	static const struct {
		const char *yaml;
		const char *code;
	} rows[] = {
		{ "# authors: Me\n", "policy/metadata" },
		{ "# title: [1]\n", "policy/metadata" },
		{ "# custom: 3\n", "policy/metadata" },
		{ "# custom: {severity: 3}\n", "policy/metadata" },
		{ "# custom: {routing: [1]}\n", "policy/metadata" },
		{ "# custom: {routing: {required_events: [3]}}\n",
		  "policy/metadata" },
		{ "# custom: {routing: {required_tools: Bash}}\n",
		  "policy/metadata" },
		{ "# a: [1\n", "policy/metadata" },
		{ "# - list\n", "policy/metadata" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "# METADATA\n%spackage cupcake.policies.a\n",
			 rows[i].yaml);
		expect(text, rows[i].code, true, 1);
	}
}

/* A finding of a shared file is reported once, not once an agent. */
static void several_harnesses(void)
{
	world_begin();
	world_file(".belay/policies/one/a.rego", HEAD("Before"));
	world_file(".belay/policies/two/a.rego", HEAD("Before"));
	world_file(".belay/policies/all/b.rego",
		   "package cupcake.policies.b\nx := y\n");
	world_file(".belay/rulebook.yml", "nonsense: 1\n");
	validate();
	CHECK_INT(file_count, 3);
	CHECK_INT(diags.error_count, 1);
	CHECK_INT(diags.warning_count, 1);
	CHECK(has_code("rulebook/unknown-key"));
}

/* One file among others: its finding, or NULL. */
static void expect_file(const char *path, const char *text, const char *code)
{
	world_begin();
	world_file(".belay/policies/test/a.rego", HEAD("Before"));
	world_file(path, text);
	world_load();
	if ((code != NULL) != (diags.error_count != 0) ||
	    (code && !has_code(code))) {
		tap_failures++;
		TAP_NOTE("%s", path);
		print_diags();
	}
}

#define DENIES                                                                 \
	"# METADATA\n# custom:\n#   routing:\n#     required_events: [E]\n"    \
	"package cupcake.policies.b\nimport rego.v1\n"                         \
	"deny contains \"no\" if true\n"
#define TESTS                                                                  \
	"package broken_test\nimport rego.v1\n"                                \
	"test_a if data.no_such.thing\ntodo_test_b if true\n"

/* Whatever may hold a refusal is loaded, or it is an error that it is not. */
static void what_is_loaded(void)
{
	static const struct {
		const char *path;
		const char *verdict;
	} loaded[] = {
		{ ".belay/policies/b.rego", "deny" },
		{ ".belay/policies/block_test.rego", "deny" },
		{ ".belay/policies/test/block_test.rego", "deny" },
		{ ".belay/policies/test/deep/er/b.rego", "deny" },
		{ ".belay/policies/all/b.rego", "deny" },
		{ ".belay/policies/git/b.rego", "deny" },
		{ ".belay/policies/helpers/b.rego", "deny" },
		{ ".belay/policies/builtins/mine.rego", "deny" },
		{ ".belay/system/b.rego", "deny" },
		{ ".belay/helpers/b.rego", "deny" },
		{ ".belay/policies/one/b.rego", "none" },
		{ ".belay/tests/b.rego", "none" },
		{ ".belay/policies/test/tests/b.rego", "none" },
	};

	for (size_t i = 0; i < BL_COUNT(loaded); i++) {
		expect_file(loaded[i].path, DENIES, NULL);
		world_decide("E", "tool.before", "", "", "{}");
		CHECK_STR(verb(), loaded[i].verdict);
	}
	expect_file(".belay/b.rego", DENIES, "policy/stray");
	expect_file(".belay/policy/b.rego", DENIES, "policy/stray");
	expect_file(".belay/rules/git/b.rego", DENIES, "policy/stray");
	expect_file(".belay/policies/.b.rego", DENIES, "policy/not-loaded");
	expect_file(".belay/policies/test/b.Rego", DENIES, "policy/not-loaded");
	expect_file(".belay/telemetry/b.rego", DENIES, NULL);
	/* Nothing but tests: a test wherever it lies. */
	expect_file(".belay/policies/test/a_test.rego", TESTS, NULL);
	expect_file(".belay/policies/test/anything.rego", TESTS, NULL);
	expect_file(".belay/rules/a_test.rego", TESTS, NULL);
	expect_file(".belay/policies/test/a_test.rego", "package broken {\n",
		    "rego_parse_error");
	/* Something else decides by what it says: its package is asked for. */
	expect_file(".belay/policies/test/b.rego",
		    "package lib\nimport rego.v1\ndeny contains \"x\"\n",
		    "policy/routing-metadata");
	world_begin();
	world_file(".belay/policies/test/b.rego",
		   "package lib\nimport rego.v1\ndeny contains \"x\"\n");
	world_policy("a", "#     required_events: [E]\n",
		     "deny contains x if some x in data.lib.deny");
	world_load();
	CHECK_INT(diags.error_count, 0);
}

/* A folder that almost has an agent's name is every agent's, and told. */
static void folders(void)
{
	world_begin();
	world_file(".belay/policies/oen/b.rego", DENIES);
	world_load();
	CHECK(has_code("policy/unknown-agent"));
	CHECK_INT(diags.error_count, 0);
	world_decide("E", "tool.before", "", "", "{}");
	CHECK_STR(verb(), "deny");
	world_begin();
	world_file(".belay/policies/one/b.rego", DENIES);
	world_load();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK(has_text(report.decision.user_message, "neither policies/test"));
}

static void trees(void)
{
	char from[128];

	world_begin();
	world_file(".belay/policies/test/a.rego", HEAD("Before"));
	world_file(".belay/policies/test/builtins/protected_paths.rego",
		   "package {\n");
	world_path(from, sizeof(from), ".belay/policies/test/loop");
	CHECK(!symlink("..", from));
	/* As an editor leaves it beside a file that it holds open. */
	world_path(from, sizeof(from), ".belay/policies/test/.#a.rego");
	CHECK(!symlink("me@here.123:456", from));
	world_load();
	CHECK(has_code("policy/link-loop"));
	/* The loop is an error; nothing else is. */
	CHECK_INT(diags.error_count, 1);
}

/* The team's rulebook, or the user's, keeps the project's from loosening. */
static void weakening(void)
{
	static const char *const above[] = { "team", "global" };

	for (int i = 0; i < BL_POLICY_PROJECT; i++) {
		struct bl_policy_validate_options options = {
			.agent_at = world_agent_at,
		};
		char path[128];

		world_begin();
		world_file(".belay/policies/test/a.rego", HEAD("Before"));
		world_file(".belay/rulebook.yml",
			   "level: relaxed\nrules: [{allow: git push}]\n");
		world_path(path, sizeof(path), ".belay");
		options.dir = bl_arena_copy_str(&arena, bl_str(path));
		world_path(path, sizeof(path), above[i]);
		options.above[i] = bl_arena_copy_str(&arena, bl_str(path));
		snprintf(path, sizeof(path), "%s/rulebook.yml", above[i]);
		world_file(path, "level: strict\n");
		CHECK_STATUS(bl_policy_validate(&options, &arena, &diags,
						&file_count, &error),
			     BL_OK);
		CHECK(has_code("rulebook/weakening"));
		CHECK_INT(diags.error_count, 0);
		CHECK_INT(diags.stored_count, 2);
	}
}

static void listing(void)
{
	struct bl_policy_validate_options options = {
		.agent_at = world_agent_at,
	};
	struct bl_policy_infos list;
	char dir[128];

	world_begin();
	world_file(".belay/policies/test/a.rego", HEAD("Before"));
	world_file(".belay/policies/test/b.rego", "# METADATA\n# title: 3\n"
						  "package b\n");
	world_file(".belay/policies/test/builtins/c.rego", "package c\n");
	world_path(dir, sizeof(dir), ".belay");
	options.dir = bl_arena_copy_str(&arena, bl_str(dir));
	CHECK_STATUS(bl_policy_list(&options, &arena, &diags, &list, &error),
		     BL_OK);
	REQUIRE(list.count == 3);
	CHECK_STR(list.items[0].package, "cupcake.policies.a");
	CHECK(bl_value_is(list.items[0].metadata, BL_KIND_OBJECT));
	CHECK_STR(list.items[1].package, "b");
	CHECK(list.items[2].is_builtin);
}

/* Helpers are a library of every policy; belay's own do not get in the way. */
static void libraries(void)
{
	static const char text[] =
		"# METADATA\n# custom:\n#   routing:\n"
		"#     required_events: [E]\n"
		"package cupcake.policies.a\nimport rego.v1\n"
		"import data.cupcake.system.commands\n"
		"deny contains \"x\" if commands.has_verb(input.c, \"rm\")\n";

	world_begin();
	world_file(".belay/policies/test/a.rego", text);
	world_load();
	world_decide("E", "tool.before", "", "", "{\"c\":\"a; rm x\"}");
	CHECK_STR(verb(), "deny");
	world_file(".belay/system/commands.rego",
		   "package cupcake.system.commands\nimport rego.v1\n"
		   "has_verb(c, v) if c == v\n");
	world_file(".belay/system/evaluate.rego",
		   "package cupcake.system\nimport rego.v1\n"
		   "evaluate := {\"denials\": [d | walk(data.cupcake.policies, "
		   "[p, v]); p[count(p) - 1] == \"deny\"; some d in v]}\n");
	world_load();
	CHECK_INT(diags.error_count, 0);
	world_decide("E", "tool.before", "", "", "{\"c\":\"a; rm x\"}");
	CHECK_STR(verb(), "none");
	world_decide("E", "tool.before", "", "", "{\"c\":\"rm\"}");
	CHECK_STR(verb(), "deny");
}

static void report_value(void)
{
	struct bl_value value;

	world_begin();
	world_file(".belay/policies/test/a.rego",
		   HEAD("Before") "deny contains \"no\" if true\n");
	world_load();
	world_decide("Before", "tool.before", "", "", "{}");
	value = bl_policy_report_value(&report, &arena);
	CHECK_STR(bl_value_text(bl_object_find(value, BL_STR("verb"))), "deny");
	value = bl_value_item(bl_object_find(value, BL_STR("findings")), 0);
	CHECK(bl_value_equal(bl_object_find(value, BL_STR("line")),
			     bl_value_integer(8)));
}

int main(void)
{
	RUN(rules);
	RUN(metadata);
	RUN(several_harnesses);
	RUN(what_is_loaded);
	RUN(folders);
	RUN(trees);
	RUN(weakening);
	RUN(listing);
	RUN(libraries);
	RUN(report_value);
	world_end();
	return tap_end();
}

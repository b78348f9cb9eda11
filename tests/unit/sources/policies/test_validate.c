/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The validator (docs/contracts/cupcake.md "Validation"), and the list of
 * policies.
 */
#include "world.h"

static size_t file_count;

/* "Before" can everything, "After" only add_context. */
static bool verbs_at(struct bl_str harness, struct bl_str event,
		     unsigned *out_verbs)
{
	(void)harness;
	*out_verbs = bl_str_is(event, "Before") ? (1U << BL_VERB_COUNT) - 1
						: 1U << BL_VERB_ADD_CONTEXT;
	return bl_str_is(event, "Before") || bl_str_is(event, "After");
}

static void validate(void)
{
	struct bl_policy_validate_options options = { .verbs_at = verbs_at };
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
	       "policy/routing-metadata", false, 0);
	expect(HEAD(""), "policy/routing-metadata", false, 1);
	expect(HEAD("After") "deny contains \"x\" if input.a\n",
	       "policy/decision-event-compatibility", true, 8);
	expect(HEAD("After") "add_context contains \"x\" if input.a\n", NULL,
	       false, 0);
	expect(HEAD("Befor") "deny contains \"x\" if input.a\n",
	       "policy/unknown-event", false, 1);
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

static void trees(void)
{
	world_begin();
	world_file(".belay/policies/test/a.rego", HEAD("Before"));
	world_file(".belay/policies/test/a_test.rego", "package broken {\n");
	world_file(".belay/policies/test/builtins/mine.rego", "package {\n");
	world_file(".belay/policies/test/builtins/protected_paths.rego",
		   "package {\n");
	world_file(".belay/policies/stray.rego", HEAD("Before"));
	{
		char from[128];

		world_path(from, sizeof(from), ".belay/policies/test/loop");
		CHECK(!symlink("..", from));
	}
	world_load();
	CHECK(has_code("policy/unknown-builtin"));
	CHECK(has_code("policy/stray"));
	CHECK(has_code("policy/link-loop"));
	/* The loop is an error; nothing else is. */
	CHECK_INT(diags.error_count, 1);
}

static void listing(void)
{
	struct bl_policy_info *list;
	size_t count;
	char dir[128];

	world_begin();
	world_file(".belay/policies/test/a.rego", HEAD("Before"));
	world_file(".belay/policies/test/b.rego", "# METADATA\n# title: 3\n"
						  "package b\n");
	world_file(".belay/policies/test/builtins/c.rego", "package c\n");
	world_path(dir, sizeof(dir), ".belay");
	CHECK_STATUS(bl_policy_list(bl_arena_copy_str(&arena, bl_str(dir)),
				    &arena, &diags, &list, &count, &error),
		     BL_OK);
	REQUIRE(count == 3);
	CHECK_STR(list[0].package, "cupcake.policies.a");
	CHECK(bl_value_is(list[0].metadata, BL_KIND_OBJECT));
	CHECK_STR(list[1].package, "b");
	CHECK(list[2].is_builtin);
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
	RUN(trees);
	RUN(listing);
	RUN(libraries);
	RUN(report_value);
	world_end();
	return tap_end();
}

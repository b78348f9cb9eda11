/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations of decisions; the trees were written by hand. */
#include "world.h"

#define SHELL "#     required_events: [PreToolUse]\n"

static const char rules[] = /* from line 10 of the file on */
	"rm if contains(input.command, \"rm -rf\")\n"
	"deny contains {\"reason\": \"no rm\", \"rule_id\": \"R1\"} if rm\n"
	"deny contains \"root\" if input.user == \"root\"\n"
	"ask := \"sure?\" if input.user == \"root\"\n";

static void load(bool observe)
{
	struct bl_policy_load_options options = { .agent = BL_STR("test"),
						  .observe = observe };
	char project[512];

	world_path(project, sizeof(project), ".belay");
	options.places[BL_POLICY_PROJECT].path =
		bl_arena_copy_str(&arena, bl_str(project));
	CHECK_STATUS(bl_policy_load(&options, &arena, &diags, &set, &error),
		     BL_OK);
}

static void decide(const char *input)
{
	world_decide("PreToolUse", "tool.before", "Bash", "shell", input);
}

/* The explanation of finding i, without the folder of this program. */
static void check_why(size_t i, const char *expected)
{
	struct bl_buf out;
	struct bl_str text;
	size_t at;

	REQUIRE(i < report.finding_count);
	bl_buf_init(&out, 0);
	bl_rego_put_explanation(&out, report.findings[i].why, 0);
	text = bl_buf_str(&out);
	while ((at = bl_str_find(text, bl_str(world), 0)) != SIZE_MAX) {
		struct bl_str rest =
			bl_str_slice(text, at + strlen(world), SIZE_MAX);

		text = bl_arena_printf(&arena, "%.*sDIR%.*s", (int)at, text.ptr,
				       BL_STR_ARG(rest));
	}
	CHECK_STR(text, expected);
	bl_buf_clear(&out);
}

#define FILE_AT(line) "(DIR/.belay/policies/test/a.rego:" line ")"

static void each_finding(void)
{
	world_begin();
	world_policy("a", SHELL, rules);
	load(true);
	decide("{\"command\": \"rm -rf /\", \"user\": \"root\"}");
	CHECK_STR(verb(), "deny");
	REQUIRE(report.finding_count == 3);
	check_why(0, "data.cupcake.policies.a.deny contains \"root\" " FILE_AT(
			     "12") "\n"
				   "  input.user == \"root\"\n"
				   "    | input.user = \"root\"\n");
	check_why(
		1,
		"data.cupcake.policies.a.deny contains "
		"{\"reason\":\"no rm\",\"rule_id\":\"R1\"} " FILE_AT(
			"11") "\n"
			      "  rm\n"
			      "    | rm = true\n"
			      "    data.cupcake.policies.a.rm = true " FILE_AT(
				      "10") "\n"
					    "      contains(input.command, "
					    "\"rm -rf\")\n"
					    "        | input.command = "
					    "\"rm -rf /\"\n");
	check_why(2, "data.cupcake.policies.a.ask = \"sure?\" " FILE_AT(
			     "13") "\n"
				   "  input.user == \"root\"\n"
				   "    | input.user = \"root\"\n");
}

/* The decision is the same, and nothing is explained. */
static void not_observed(void)
{
	world_begin();
	world_policy("a", SHELL, rules);
	load(false);
	decide("{\"command\": \"rm -rf /\", \"user\": \"root\"}");
	CHECK_STR(verb(), "deny");
	REQUIRE(report.finding_count == 3);
	for (size_t i = 0; i < 3; i++)
		CHECK(!bl_value_is_defined(report.findings[i].why));
}

/* Rules that need not be tried are not, and their builtins do not fail. */
static void troubles_are_the_same(void)
{
	world_begin();
	world_policy("a", SHELL,
		     "p if input.user == \"root\"\n"
		     "p if to_number(\"x\") > 1\n"
		     "deny contains \"x\" if p\n");
	load(true);
	decide("{\"user\": \"root\"}");
	CHECK_STR(verb(), "deny");
	CHECK_INT(report.trouble_count, 0);
}

/*
 * Observed, every round of a loop is gone through: what takes too long then is
 * decided all the same, and said to be without an explanation.
 */
static void too_much(void)
{
	struct bl_policy_options options = { .max_steps = 30000 };
	struct bl_buf input;
	struct bl_policy_event event = {
		.name = BL_STR("PreToolUse"),
		.canonical = BL_STR("tool.before"),
		.class = BL_CLASS_PERMISSION,
		.cwd = bl_str(world),
	};

	world_begin();
	world_policy("a", SHELL,
		     "deny contains \"x\" if {\n"
		     "\tsome k in numbers.range(1, 100)\n"
		     "\tsome x in input.xs\n\tx.id == k\n}\n");
	load(true);
	bl_buf_init(&input, 0);
	bl_buf_puts(&input, "{\"xs\": [{\"id\": 0}");
	for (int i = 1; i < 2000; i++)
		bl_buf_printf(&input, ",{\"id\": %d}", i);
	bl_buf_puts(&input, "]}");
	event.input = world_json(input.ptr);
	bl_buf_clear(&input);
	CHECK_STATUS(bl_policy_decide(set, &event, &options, &arena, &report,
				      &error),
		     BL_OK);
	CHECK_INT(report.trouble_count, 0);
	REQUIRE(report.finding_count == 1);
	CHECK(has_text(bl_value_text(bl_object_find(report.findings[0].why,
						    BL_STR("problem"))),
		       "the limit of 30000 steps was reached"));
}

int main(void)
{
	RUN(each_finding);
	RUN(not_observed);
	RUN(troubles_are_the_same);
	RUN(too_much);
	world_end();
	return tap_end();
}

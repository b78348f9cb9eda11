/* SPDX-License-Identifier: Apache-2.0 */
/* From a policy directory and an event to a decision. */
#include "world.h"

#define ON_BASH                                                                \
	"#     required_events: [\"PreToolUse\"]\n"                            \
	"#     required_tools: [\"Bash\"]\n"

static void bash(const char *command)
{
	char input[512];

	snprintf(input, sizeof(input),
		 "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
		 "\"tool_input\":{\"command\":\"%s\"}}",
		 command);
	world_decide("PreToolUse", "tool.before", "Bash", "shell", input);
}

static void one_policy(void)
{
	world_begin();
	world_policy("rm", ON_BASH,
		     "deny contains d if {\n"
		     "\tcontains(input.tool_input.command, \"rm -rf\")\n"
		     "\td := {\"reason\": \"no rm -rf\", \"severity\": "
		     "\"HIGH\", \"rule_id\": \"R1\", \"agent_context\": "
		     "\"use trash\"}\n}\n");
	world_load();
	bash("rm -rf /");
	CHECK_STR(verb(), "deny");
	CHECK_STR(report.decision.user_message, "no rm -rf");
	CHECK_INT(bl_value_count(report.decision.agent_messages), 1);
	CHECK_STR(
		bl_value_text(bl_value_item(report.decision.agent_messages, 0)),
		"use trash");
	bash("ls");
	CHECK_STR(verb(), "none");
	CHECK_INT(report.route_count, 1);
	CHECK_INT(report.routes[0].route, BL_ROUTE_MATCHED);
	CHECK_INT(diags.error_count, 0);
}

/* One policy that fails keeps no other from speaking, and itself refuses. */
static void isolation(void)
{
	world_begin();
	world_policy("bad", ON_BASH, "ask := 1 if true\nask := 2 if true\n");
	world_policy("good", ON_BASH, "add_context contains \"hello\"\n");
	world_policy("loop", ON_BASH,
		     "deny contains \"x\" if {\n"
		     "\tsome i in numbers.range(1, 100000)\n"
		     "\tsome j in numbers.range(1, 100000)\n\ti + j < 0\n}\n");
	world_load();
	{
		struct bl_policy_options options = { .max_steps = 500000 };
		struct bl_value input = world_json("{}");
		struct bl_policy_event event = {
			.name = BL_STR("PreToolUse"),
			.canonical = BL_STR("tool.before"),
			.tool = BL_STR("Bash"),
			.class = BL_CLASS_PERMISSION,
			.input = input,
		};

		CHECK_STATUS(bl_policy_decide(set, &event, &options, &arena,
					      &report, &error),
			     BL_OK);
	}
	CHECK_STR(verb(), "deny");
	CHECK_INT(report.trouble_count, 2);
	CHECK_INT(report.troubles[0].failure, BL_FAILURE_ENGINE);
	CHECK_INT(report.troubles[1].failure, BL_FAILURE_LIMIT);
	CHECK(has_text(report.decision.user_message, "cupcake.policies.bad"));
	CHECK_INT(bl_value_count(report.decision.additional_context), 1);
}

/* The global directory: its refusal is final, the rest is kept. */
static void global_first(void)
{
	static const char global[] =
		"# METADATA\n# custom:\n#   routing:\n"
		"#     required_events: [\"PreToolUse\"]\n"
		"package cupcake.global.policies.g\n\nimport rego.v1\n\n"
		"halt contains {\"reason\": \"stop\", \"severity\": \"LOW\", "
		"\"rule_id\": \"G\"} if input.tool_input.command == \"x\"\n"
		"ask contains {\"reason\": \"sure?\", \"severity\": \"LOW\", "
		"\"rule_id\": \"G\"} if input.tool_input.command == \"y\"\n";

	world_begin();
	world_file("global/policies/test/g.rego", global);
	world_policy("p", ON_BASH,
		     "deny contains {\"reason\": \"never\", \"severity\": "
		     "\"LOW\", \"rule_id\": \"P\"} if "
		     "input.tool_input.command == \"x\"\n"
		     "add_context contains \"note\"\n");
	world_load();
	bash("x");
	CHECK_STR(verb(), "halt");
	CHECK_STR(report.decision.user_message, "stop");
	CHECK_INT(report.routes[1].route, BL_ROUTE_DECIDED);
	bash("y");
	CHECK_STR(verb(), "ask");
	CHECK_STR(report.decision.user_message, "sure?");
	CHECK_INT(bl_value_count(report.decision.additional_context), 1);
}

/* The team's, the user's and the project's: each is asked, the first one first. */
static void three_directories(void)
{
	static const char *const files[] = { "team/policies/test/p.rego",
					     "global/policies/test/p.rego",
					     ".belay/policies/test/p.rego" };
	static const char *const names[] = { "team", "global", "project" };

	world_begin();
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "# METADATA\n# custom:\n#   routing:\n"
			 "#     required_events: [\"PreToolUse\"]\n"
			 "package cupcake.policies.p\n\nimport rego.v1\n\n"
			 "deny contains \"%s\" if "
			 "input.tool_input.command == \"%s\"\n",
			 names[i], names[i]);
		world_file(files[i], text);
	}
	world_load();
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		bash(names[i]);
		CHECK_STR(verb(), "deny");
		CHECK_STR(report.decision.user_message, names[i]);
		CHECK(!strcmp(
			bl_policy_origin_name(report.routes[i].dir->origin),
			names[i]));
		for (int j = 0; j < BL_POLICY_ORIGINS; j++)
			CHECK_INT(report.routes[j].route,
				  j > i ? BL_ROUTE_DECIDED : BL_ROUTE_MATCHED);
	}
	bash("other");
	CHECK_STR(verb(), "none");
}

/* Policies see no more than the event and what belay adds. */
static void input(void)
{
	world_begin();
	world_policy("keys", ON_BASH,
		     "add_context contains concat(\",\", "
		     "sort(object.keys(input)))\n");
	world_load();
	bash("x");
	CHECK_STR(bl_value_text(
			  bl_value_item(report.decision.additional_context, 0)),
		  "builtin_config,hook_event_name,tool_input,tool_name");
}

/* A target is the place that its links lead to. */
static void links(void)
{
	static const char event[] =
		"{\"belay\":{\"tool\":{\"kind\":\"shell\",\"shell\":"
		"{\"command\":\"ls notes\"}}}}";
	char link[128];

	world_begin();
	world_policy("p", ON_BASH,
		     "deny contains \"the policies\" if {\n"
		     "\tsome one in input.belay.effects\n"
		     "\tendswith(one.target, \"/.belay\")\n}\n");
	world_path(link, sizeof(link), "notes");
	if (symlink(".belay", link))
		abort();
	world_load();
	world_decide("PreToolUse", "tool.before", "Bash", "shell", event);
	CHECK_STR(verb(), "deny");
	CHECK_STR(report.decision.user_message, "the policies");
}

/* Facts are found for those who can read them, however they ask. */
static void facts(void)
{
	static const struct {
		const char *rule;
		bool asks;
	} rows[] = {
		{ "deny contains one.target if {\n"
		  "\tsome one in input.belay.effects\n"
		  "\tone.kind == \"delete\"\n}\n",
		  true },
		{ "deny contains \"rm\" if {\n"
		  "\tb := input.belay\n"
		  "\tsome key in [\"commands\"]\n"
		  "\tb[key][_].program == \"rm\"\n}\n",
		  true },
		{ "deny contains \"rm\" if {\n"
		  "\tcount(object.get(input, [\"belay\", \"opaque\"], [1])) == "
		  "0\n"
		  "}\n",
		  true },
		{ "# commands, effects and opaque in words\n"
		  "deny contains \"rm\" if "
		  "contains(input.belay.tool.shell.command, \"rm\")\n",
		  false },
	};
	static const char event[] =
		"{\"belay\":{\"tool\":{\"kind\":\"shell\",\"shell\":"
		"{\"command\":\"r''m x\",\"cwd\":\"/work\"}}}}";

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		world_begin();
		world_policy("p", ON_BASH, rows[i].rule);
		world_load();
		world_decide("PreToolUse", "tool.before", "Bash", "shell",
			     event);
		CHECK_STR(verb(), rows[i].asks ? "deny" : "none");
		CHECK_INT(bl_value_is_defined(report.facts), rows[i].asks);
		if (!i)
			CHECK_STR(report.decision.user_message, "/work/x");
	}
}

int main(void)
{
	RUN(one_policy);
	RUN(isolation);
	RUN(global_first);
	RUN(three_directories);
	RUN(input);
	RUN(links);
	RUN(facts);
	world_end();
	return tap_end();
}

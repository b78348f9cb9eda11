/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which policies take part, and why not (docs/contracts/cupcake.md "Routing",
 * mended).
 */
#include "world.h"

struct row {
	const char *routing;
	const char *name;
	const char *canonical;
	const char *tool;
	const char *kind;
	enum bl_route route;
};

static void one(const struct row *row)
{
	char routing[256];

	world_begin();
	snprintf(routing, sizeof(routing), "#     %s\n", row->routing);
	world_policy("p", routing, "add_context contains \"ran\"\n");
	world_load();
	world_decide(row->name, row->canonical, row->tool, row->kind, "{}");
	REQUIRE(report.route_count == 1);
	if (report.routes[0].route != row->route) {
		tap_failures++;
		TAP_NOTE("%s on %s %s: %s", row->routing, row->name, row->tool,
			 bl_route_text(report.routes[0].route));
	}
	CHECK_INT(bl_value_count(report.decision.additional_context),
		  bl_route_runs(row->route) ? 1 : 0);
}

static void rows(void)
{
	static const struct row all[] = {
		{ "required_events: [PreToolUse]", "PreToolUse", "tool.before",
		  "Bash", "shell", BL_ROUTE_MATCHED },
		{ "required_events: [PreToolUse]", "PostToolUse", "tool.after",
		  "Bash", "shell", BL_ROUTE_EVENT },
		{ "required_events: [tool.before]", "PreToolUse", "tool.before",
		  "Bash", "shell", BL_ROUTE_MATCHED },
		{ "required_events: [\"*\"]", "Stop", "stop", "", "",
		  BL_ROUTE_MATCHED },
		{ "{required_events: [PreToolUse], required_tools: [Bash]}",
		  "PreToolUse", "tool.before", "Bash", "shell",
		  BL_ROUTE_MATCHED },
		{ "{required_events: [PreToolUse], required_tools: [Bash]}",
		  "PreToolUse", "tool.before", "Read", "file.read",
		  BL_ROUTE_TOOL },
		{ "{required_events: [PreToolUse], required_tools: [Bash]}",
		  "PreToolUse", "tool.before", "", "", BL_ROUTE_NO_TOOL },
		{ "{required_events: [PreToolUse], required_tools: [\"*\"]}",
		  "PreToolUse", "tool.before", "Anything", "other",
		  BL_ROUTE_MATCHED },
		{ "{required_events: [PreToolUse], required_tools: "
		  "[\"mcp__git__*\"]}",
		  "PreToolUse", "tool.before", "mcp__git__log", "mcp",
		  BL_ROUTE_MATCHED },
		{ "{required_events: [PreToolUse], required_tools: "
		  "[\"mcp__git__*\"]}",
		  "PreToolUse", "tool.before", "mcp__gist__log", "mcp",
		  BL_ROUTE_TOOL },
		{ "{required_events: [tool.before], required_tools: "
		  "[\"file.*\"]}",
		  "PreToolUse", "tool.before", "Edit", "file.edit",
		  BL_ROUTE_MATCHED },
		{ "{required_tools: [shell]}", "PreToolUse", "tool.before",
		  "Bash", "shell", BL_ROUTE_MATCHED },
		{ "{required_events: []}", "PreToolUse", "tool.before", "Bash",
		  "shell", BL_ROUTE_ALONE },
	};

	for (size_t i = 0; i < BL_COUNT(all); i++)
		one(&all[i]);
}

/* A policy that routes on nothing joins when another matched. */
static void joins(void)
{
	world_begin();
	world_policy("a", "#     required_events: []\n",
		     "add_context contains \"a\"\n");
	world_policy("b", "#     required_events: [Stop]\n",
		     "add_context contains \"b\"\n");
	world_load();
	world_decide("Stop", "stop", "", "", "{}");
	CHECK_INT(report.routes[0].route, BL_ROUTE_JOINED);
	CHECK_INT(bl_value_count(report.decision.additional_context), 2);
	world_decide("Start", "start", "", "", "{}");
	CHECK_INT(report.routes[0].route, BL_ROUTE_ALONE);
	CHECK_INT(report.routes[1].route, BL_ROUTE_EVENT);
}

/* policies/all serves every agent; that of another agent is not read. */
static void folders(void)
{
	static const char text[] =
		"# METADATA\n# custom:\n#   routing:\n"
		"#     required_events: [\"tool.before\"]\n"
		"package cupcake.policies.x\nimport rego.v1\n"
		"add_context contains \"x\"\n";

	world_begin();
	world_file(".belay/policies/all/x.rego", text);
	world_file(".belay/policies/one/y.rego", "package broken {");
	world_load();
	world_decide("PreToolUse", "tool.before", "Bash", "shell", "{}");
	CHECK_INT(diags.error_count, 0);
	CHECK_INT(bl_value_count(report.decision.additional_context), 1);
}

/* Two files of one package: it is asked once. */
static void one_package(void)
{
	world_begin();
	world_policy("p", "#     required_events: [Stop]\n",
		     "add_context contains \"1\"\n");
	world_file(".belay/policies/test/q.rego",
		   "# METADATA\n# custom:\n#   routing:\n"
		   "#     required_events: [\"*\"]\n"
		   "package cupcake.policies.p\nimport rego.v1\n"
		   "add_context contains \"2\"\n");
	world_load();
	world_decide("Stop", "stop", "", "", "{}");
	CHECK_INT(report.route_count, 2);
	CHECK_INT(bl_value_count(report.decision.additional_context), 2);
}

int main(void)
{
	RUN(rows);
	RUN(joins);
	RUN(folders);
	RUN(one_package);
	world_end();
	return tap_end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a new policy directory: their texts stand alone here. */
#include "os/os.h"
#include "setup/private.h"

static const char rulebook[] =
	"# yaml-language-server: $schema=rulebook.schema.json\n"
	"# How much the rules that belay ships stop: off, relaxed, standard, "
	"strict.\n"
	"# `belay packs list` shows the rules, `belay check 'LINE'` what they "
	"say.\n"
	"level: @level\n"
	"\n"
	"# Single rules, or whole packs: \"off\", monitor, ask, deny.\n"
	"#\n"
	"# modes:\n"
	"#   git/force-push: ask\n"
	"#   publish: \"off\"\n"
	"\n"
	"# Rules of your own, one line each; they match what would run, in any "
	"spelling.\n"
	"# `belay deny 'terraform destroy'` writes one.\n"
	"#\n"
	"# rules:\n"
	"#   - {deny: terraform destroy, instead: ask the platform team}\n"
	"#   - {ask: git push, to: main}\n"
	"#   - {deny: {write: \"migrations/**\"}}\n"
	"\n"
	"# Programs that tell policies something, as input.signals.NAME:\n"
	"#\n"
	"# signals:\n"
	"#   git_branch:\n"
	"#     command: git branch --show-current\n"
	"#     timeout_seconds: 5\n";

static const char all_example[] =
	"# A policy for every agent: it routes on what the event is about.  "
	"Change it,\n"
	"# or remove it.\n"
	"#\n"
	"# METADATA\n"
	"# scope: package\n"
	"# title: No forced push to the main branch\n"
	"# custom:\n"
	"#   severity: HIGH\n"
	"#   id: EXAMPLE-FORCED-PUSH\n"
	"#   routing:\n"
	"#     required_events: [\"tool.before\"]\n"
	"#     required_tools: [\"shell\"]\n"
	"package belay.policies.example\n"
	"\n"
	"import rego.v1\n"
	"\n"
	"deny contains decision if {\n"
	"\tsome effect in input.belay.effects\n"
	"\teffect.action == \"force-push\"\n"
	"\tregex.match(`(^|[:+/])(main|master)$`, effect.target)\n"
	"\tdecision := {\n"
	"\t\t\"rule_id\": \"EXAMPLE-FORCED-PUSH\",\n"
	"\t\t\"severity\": \"HIGH\",\n"
	"\t\t\"reason\": \"The main branch is never overwritten\",\n"
	"\t\t\"agent_context\": \"Push to another branch, or use "
	"--force-with-lease there\",\n"
	"\t}\n"
	"}\n";

static const char agent_example[] =
	"# A policy for @agent alone: it routes on this agent's own name of an "
	"event,\n"
	"# and reads its payload.  Change it, or remove it.\n"
	"#\n"
	"# METADATA\n"
	"# scope: package\n"
	"# title: Example for @agent\n"
	"# custom:\n"
	"#   severity: LOW\n"
	"#   id: EXAMPLE-CONTEXT\n"
	"#   routing:\n"
	"#     required_events: [\"@event\"]\n"
	"package belay.policies.@agent_example\n"
	"\n"
	"import rego.v1\n"
	"\n"
	"add_context contains \"A policy of @agent took part.\" if {\n"
	"\tinput.hook_event_name == \"@event\"\n"
	"\tcontains(input.prompt, \"what does belay say\")\n"
	"}\n";

/* The event that the example routes on: the prompt, or else a tool. */
static struct bl_str example_event(const struct bl_agent *agent)
{
	static const enum bl_event_kind kinds[] = { BL_EVENT_PROMPT,
						    BL_EVENT_TOOL_BEFORE };

	for (size_t i = 0; i < BL_COUNT(kinds); i++)
		for (size_t j = 0; j < agent->event_count; j++)
			if (agent->events[j].kind == kinds[i])
				return bl_str(agent->events[j].name);
	return bl_str(agent->events[0].name);
}

static const struct {
	const char *name;
	const char *text;
} templates[] = {
	{ "rulebook.yml", rulebook },
	{ "policies/all/example.rego", all_example },
	{ "policies/@agent/example.rego", agent_example },
};

bool bl_setup_template(const struct bl_setup *setup, size_t i,
		       struct bl_arena *arena,
		       struct bl_setup_template *out_template)
{
	const struct setup_word words[] = {
		{ "@agent", bl_str(setup->agent->name), false },
		{ "@event", example_event(setup->agent), false },
		{ "@level",
		  setup->level.len ? setup->level : BL_STR("standard"), false },
	};

	if (i >= BL_COUNT(templates))
		return false;
	*out_template = (struct bl_setup_template){
		.name = bl_setup_fill(arena, templates[i].name, words,
				      BL_COUNT(words)),
		.text = bl_setup_fill(arena, templates[i].text, words,
				      BL_COUNT(words)),
	};
	return true;
}

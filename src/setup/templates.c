/* SPDX-License-Identifier: Apache-2.0 */
/*
 * templates.c: the files of a new policy directory, with what they are made for
 * filled in.  Their texts are templates/, which the build puts into the program, so
 * that the policies among them are laid out and tested as policies are.
 */
#include "os/os.h"
#include "setup/private.h"
#include "setup/templates.h"

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
	{ "rulebook.yml", setup_text_rulebook },
	{ "policies/all/example.rego", setup_text_all_example },
	{ "policies/AGENT/example.rego", setup_text_agent_example },
};

bool bl_setup_template(const struct bl_setup *setup, size_t i,
		       struct bl_arena *arena,
		       struct bl_setup_template *out_template)
{
	const struct setup_word words[] = {
		{ "AGENT", bl_str(setup->agent->name), false },
		{ "EVENT", example_event(setup->agent), false },
		{ "LEVEL", setup->level.len ? setup->level : BL_STR("standard"),
		  false },
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

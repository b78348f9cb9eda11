/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of states, states.def, with what each means for what is in force.
 */
#include "team/team.h"

static const struct {
	const char *name;
	enum bl_team_in_force in_force;
	const char *text;
} rows[] = {
#define STATE(constant, word, set, what)                                       \
	[BL_TEAM_##constant] = { word, BL_TEAM_##set, what },
#include "team/states.def"
#undef STATE
};

const char *bl_team_state_name(enum bl_team_state state)
{
	return rows[state].name;
}

const char *bl_team_state_text(enum bl_team_state state)
{
	return rows[state].text;
}

enum bl_team_in_force bl_team_state_in_force(enum bl_team_state state)
{
	return rows[state].in_force;
}

bool bl_team_state_find(struct bl_str name, enum bl_team_state *out_state)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (!bl_str_is(name, rows[i].name))
			continue;
		*out_state = (enum bl_team_state)i;
		return true;
	}
	return false;
}

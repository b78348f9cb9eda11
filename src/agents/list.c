/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of all agents.  It stands alone so that a test can put another list
 * in its place: the linker takes this file only where bl_agents is missing.
 */
#include "agents/private.h"

#define AGENT(name) extern const struct bl_agent bl_agent_##name;
#include "agents/agents.def"
#undef AGENT

const struct bl_agent *const bl_agents[] = {
#define AGENT(name) &bl_agent_##name,
#include "agents/agents.def"
#undef AGENT
	NULL,
};

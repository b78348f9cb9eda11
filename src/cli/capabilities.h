/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capabilities.h: what every agent can do at every event, and what becomes of a
 * decision where it cannot; from the rows of src/agents.
 */
#ifndef BELAY_CLI_CAPABILITIES_H
#define BELAY_CLI_CAPABILITIES_H

#include "cli/cli.h"
#include "agents/agents.h"

/* Appends the tables of all agents, as Markdown. */
void cli_put_capability_tables(struct bl_buf *out);

/*
 * Appends the table of agents, as Markdown: run or not, what an event before a
 * tool can do, where belay registers, what a belay that is missing means.
 */
void cli_put_agents(struct bl_buf *out);

/* Appends an agent's events for people, with the reasons. */
void cli_put_capabilities(struct cli *cli, const struct bl_agent *agent);

/* Appends what becomes of each decision at one event, indented. */
void cli_put_event_capabilities(struct cli *cli,
				const struct bl_hook_event *event);

/* A cell as a value: "decision" to "effect" and "losses". */
struct bl_value cli_event_capabilities(struct cli *cli,
				       const struct bl_hook_event *event);
struct bl_value cli_capabilities(struct cli *cli, const struct bl_agent *agent);

/* A list of degradations as objects with "id" and "text". */
struct bl_value cli_degradations(struct cli *cli, unsigned degradations);

#endif

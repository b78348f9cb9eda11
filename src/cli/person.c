/* SPDX-License-Identifier: Apache-2.0 */
/*
 * person.c: commands that weaken what guards are for a person, in a terminal of
 * their own.  It stands apart from the commands because they must all refuse
 * the same callers in the same words.
 */
#include "cli/cli.h"
#include "cli/person.h"
#include "agents/agents.h"
#include "os/os.h"

enum bl_status cli_check_person(const struct cli *cli, struct bl_error *err)
{
	const char *evidence = NULL;
	const struct bl_agent *agent =
		bl_agent_detect(bl_value_undefined(), bl_os_getenv, &evidence);
	enum bl_status status = BL_OK;

	if (agent)
		status = bl_fail(err, BL_DENIED, "%s started this (%s)",
				 agent->title, evidence);
	if (!status)
		status = bl_os_check_terminal(err);
	if (status)
		bl_error_context(err,
				 "belay %s is for a person, in a terminal of "
				 "their own",
				 cli->command->name);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * person.c: what weakens the guard is for a person, in a terminal of their own.  It
 * stands apart because belay's commands and belay-ui must refuse the same
 * callers in the same words.
 */
#include "os/os.h"
#include "setup/setup.h"

enum bl_status bl_setup_check_person(const char *command, struct bl_error *err)
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
				 command);
	return status;
}

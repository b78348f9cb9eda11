/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signed.c: a team's script, run as it was signed.  It is read once; the digest is
 * of the bytes that were read, and a sealed file in memory that holds them is
 * what runs, so nobody can swap the script in between.  Its $0 is
 * /proc/self/fd/N; its working directory is the team's folder.
 */
#include "run/private.h"

enum bl_status bl_executor_seal_script(struct bl_execution *execution,
				       struct bl_arena *arena, int *out_fd,
				       bool *out_can_start,
				       struct bl_error *err)
{
	const struct bl_hook *hook = execution->hook;
	struct bl_error why = { 0 };
	struct bl_str text;
	enum bl_status status;

	*out_fd = 0;
	if (!hook->file->team)
		return BL_OK;
	status = bl_hook_read_signed(hook, arena, &text, &why);
	if (!status)
		status = bl_os_seal_text(text, out_fd, &why);
	if (!status)
		return BL_OK;
	if (bl_arena_status(arena))
		return bl_arena_fail(arena, err);
	*out_can_start = false;
	execution->outcome.kind = BL_OUTCOME_CHANGED;
	execution->outcome.reason =
		bl_arena_printf(arena, "Hook \"%.*s\" was not run: %s",
				BL_STR_ARG(hook->command), why.message);
	return execution->outcome.reason.ptr ? BL_OK
					     : bl_arena_fail(arena, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor "sandboxed": the command of a hook that asks for a sandbox.
 * Its environment is the profile's variables and the sandbox's own.
 */
#include "run/private.h"

/*
 * It may see the workspace, and the folder of the hook file, in which
 * its scripts are.
 */
static struct bl_sandbox_request *
make_request(const struct bl_execution_context *context,
	     const struct bl_hook *hook, struct bl_arena *arena)
{
	struct bl_sandbox_request *request =
		bl_arena_new(arena, struct bl_sandbox_request);

	if (!request)
		return NULL;
	*request = (struct bl_sandbox_request){
		.profile = hook->sandbox,
		.network = hook->sandbox_network,
		.workspace = bl_executor_workspace(context, hook),
		.readable = &hook->file->dir,
		.readable_count = 1,
	};
	return request;
}

static enum bl_status plan(const struct bl_execution_context *context,
			   struct bl_execution *execution,
			   struct bl_arena *arena,
			   struct bl_sandbox_job *out_job, bool *out_can_start,
			   struct bl_error *err)
{
	struct bl_sandbox_request *request =
		make_request(context, execution->hook, arena);
	enum bl_status status;

	if (!request)
		return bl_arena_fail(arena, err);
	status = bl_executor_command.plan(context, execution, arena, out_job,
					  out_can_start, err);
	if (status != BL_OK || !*out_can_start)
		return status;
	out_job->request = request;
	if (!request->profile->has_readable)
		out_job->spec.dir = NULL;
	return BL_OK;
}

const struct bl_executor bl_executor_sandboxed = {
	.name = "sandboxed",
	.plan = plan,
	.classify = bl_executor_classify,
};

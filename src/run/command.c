/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executor "command": /bin/sh -c COMMAND. It only says what is to be
 * started; run.c starts the hooks of an event together.
 */
#include "base/limits.h"
#include "run/private.h"

static const char *c_string(struct bl_arena *arena, struct bl_str text)
{
	return bl_arena_copy_str(arena, text).ptr;
}

enum bl_status bl_executor_cannot(const struct bl_execution_context *context,
				  struct bl_execution *execution,
				  struct bl_str why, struct bl_arena *arena,
				  struct bl_error *err)
{
	execution->outcome.kind = BL_OUTCOME_CANNOT_START;
	execution->outcome.reason = bl_arena_printf(
		arena, "could not be started: %.*s", BL_STR_ARG(why));
	if (!execution->outcome.reason.ptr)
		return bl_arena_fail(arena, err);
	return bl_executor_word(context, execution, arena, err);
}

/* Bytes that no argument of a program can hold. */
static struct bl_str bad_command(const struct bl_hook *hook)
{
	struct bl_limits limits = bl_limits_default();

	if (hook->command.len > limits.env_value_bytes)
		return BL_STR("the command is longer than the system takes "
			      "(128 KiB)");
	if (hook->command.len > 0 &&
	    memchr(hook->command.ptr, 0, hook->command.len))
		return BL_STR("the command holds a NUL byte");
	return (struct bl_str){ NULL, 0 };
}

static enum bl_status plan(const struct bl_execution_context *context,
			   struct bl_execution *execution,
			   struct bl_arena *arena,
			   struct bl_sandbox_job *out_job, bool *out_can_start,
			   struct bl_error *err)
{
	const struct bl_hook *hook = execution->hook;
	struct bl_limits limits = bl_limits_default();
	struct bl_str bad = bad_command(hook);
	const char **argv = bl_arena_new_array(arena, const char *, 4);
	struct bl_child_spec spec = {
		.argv = argv,
		.input = context->payload,
		.timeout_ms = hook->timeout_ms,
		.stop = context->stop,
		.max_stdout_bytes = context->max_output_bytes
					    ? context->max_output_bytes
					    : limits.hook_output_bytes,
		.max_stderr_bytes = context->max_error_bytes
					    ? context->max_error_bytes
					    : limits.hook_error_bytes,
	};
	enum bl_status status;

	if (!argv)
		return bl_arena_fail(arena, err);
	status = bl_executor_env(context, hook, arena, &spec.env, &bad, err);
	if (status != BL_OK)
		return status;
	*out_can_start = bad.len == 0;
	if (bad.len > 0)
		return bl_executor_cannot(context, execution, bad, arena, err);
	argv[0] = "/bin/sh";
	argv[1] = "-c";
	status = bl_executor_seal_script(execution, arena, &spec.keep_fd,
					 out_can_start, err);
	if (status != BL_OK || !*out_can_start)
		return status;
	argv[2] = spec.keep_fd ? bl_arena_printf(arena, "/proc/self/fd/%d",
						 spec.keep_fd)
					 .ptr
			       : c_string(arena, hook->command);
	spec.dir = c_string(arena, hook->file->dir);
	if (!argv[2] || !spec.dir) {
		if (spec.keep_fd)
			bl_os_close(spec.keep_fd);
		return bl_arena_fail(arena, err);
	}
	*out_job = (struct bl_sandbox_job){ .spec = spec };
	return BL_OK;
}

const struct bl_executor bl_executor_command = {
	.name = "command",
	.plan = plan,
	.classify = bl_executor_classify,
};

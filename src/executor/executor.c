/* SPDX-License-Identifier: Apache-2.0 */
/* Running the hooks of one event, at once or one after the other. */
#include "executor/private.h"

/* By enum bl_hook_type; NULL: hooks of that type are never run. */
static const struct bl_executor *const executors[] = {
	[BL_HOOK_COMMAND] = &bl_executor_command,
	[BL_HOOK_PROMPT] = NULL,
};

struct run {
	const struct bl_execution_context *context;
	struct bl_arena *arena;
	struct bl_child_spec *specs;
	struct bl_child_result *results;
	struct bl_execution **started; /* started[i] belongs to specs[i] */
	size_t count;
};

/* Adds the execution to those that are started, if it can be. */
static enum bl_status prepare(struct run *run, struct bl_execution *execution,
			      struct bl_error *err)
{
	const struct bl_executor *executor = executors[execution->hook->type];
	bool can_start = false;
	enum bl_status status;

	execution->outcome = (struct bl_outcome){
		.kind = BL_OUTCOME_NOT_SUPPORTED,
		.fail_closed = execution->hook->fail_closed,
	};
	execution->response = bl_value_undefined();
	execution->ran = false;
	execution->started_wall_ms = bl_os_wall_ms();
	if (!executor)
		return BL_OK;
	status = executor->plan(run->context, execution, run->arena,
				&run->specs[run->count], &can_start, err);
	if (status == BL_OK && can_start)
		run->started[run->count++] = execution;
	return status;
}

static enum bl_status finish(struct run *run, size_t i, struct bl_error *err)
{
	struct bl_execution *execution = run->started[i];

	execution->child = run->results[i];
	execution->ran = execution->child.end != BL_CHILD_CANNOT_START;
	return executors[execution->hook->type]->classify(
		run->context, execution, run->arena, err);
}

/* Runs what was prepared, and forgets it. */
static enum bl_status run_prepared(struct run *run, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	if (run->count > 0)
		status = bl_child_run(run->specs, run->count, run->arena,
				      run->results, err);
	for (size_t i = 0; status == BL_OK && i < run->count; i++)
		status = finish(run, i, err);
	run->count = 0;
	return status;
}

static enum bl_status run_in_turn(struct run *run,
				  struct bl_execution *executions, size_t count,
				  struct bl_error *err)
{
	enum bl_status status = BL_OK;
	bool answered = false;

	for (size_t i = 0; status == BL_OK && i < count; i++) {
		if (answered) {
			executions[i].ran = false;
			executions[i].outcome = (struct bl_outcome){
				.kind = BL_OUTCOME_SKIPPED,
				.fail_closed = executions[i].hook->fail_closed,
			};
			continue;
		}
		status = prepare(run, &executions[i], err);
		if (status == BL_OK)
			status = run_prepared(run, err);
		answered = executions[i].outcome.kind == BL_OUTCOME_ANSWERED;
	}
	return status;
}

static enum bl_status run_at_once(struct run *run,
				  struct bl_execution *executions, size_t count,
				  struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; status == BL_OK && i < count; i++)
		status = prepare(run, &executions[i], err);
	return status == BL_OK ? run_prepared(run, err) : status;
}

enum bl_status bl_executor_run(const struct bl_execution_context *context,
			       struct bl_execution *executions, size_t count,
			       struct bl_arena *arena, struct bl_error *err)
{
	size_t room = context->profile->sequential ? 1 : count;
	struct run run = {
		.context = context,
		.arena = arena,
		.specs = bl_arena_new_array(arena, struct bl_child_spec, room),
		.results =
			bl_arena_new_array(arena, struct bl_child_result, room),
		.started =
			bl_arena_new_array(arena, struct bl_execution *, room),
	};

	if (!run.specs || !run.results || !run.started)
		return bl_arena_fail(arena, err);
	if (context->profile->sequential)
		return run_in_turn(&run, executions, count, err);
	return run_at_once(&run, executions, count, err);
}

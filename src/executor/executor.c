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
	struct bl_sandbox_job *jobs;
	struct bl_execution **started; /* started[i] belongs to jobs[i] */
	size_t count;
	struct bl_sandbox_machine machine;
	bool has_looked; /* at the machine: not before a hook needs it */
};

static const struct bl_executor *executor_of(const struct bl_hook *hook)
{
	if (hook->type == BL_HOOK_COMMAND && bl_executor_is_sandboxed(hook))
		return &bl_executor_sandboxed;
	return executors[hook->type];
}

/* Adds the execution to those that are started, if it can be. */
static enum bl_status prepare(struct run *run, struct bl_execution *execution,
			      struct bl_error *err)
{
	const struct bl_executor *executor = executor_of(execution->hook);
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
				&run->jobs[run->count], &can_start, err);
	if (status == BL_OK && can_start)
		run->started[run->count++] = execution;
	return status;
}

/* What the sandbox was made of, for the record. */
static enum bl_status note_layers(const struct run *run,
				  const struct bl_sandbox_job *job,
				  struct bl_execution *execution,
				  struct bl_error *err)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_layers_print(&text, job->layers, " ");
	execution->layers = bl_arena_copy_str(run->arena, bl_buf_str(&text));
	bl_buf_reset(&text);
	bl_sandbox_print_missing(&text, &run->machine, job->missing);
	execution->missing_layers =
		bl_arena_copy_str(run->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return execution->layers.ptr && execution->missing_layers.ptr
		       ? BL_OK
		       : bl_arena_fail(run->arena, err);
}

static enum bl_status finish(struct run *run, size_t i, struct bl_error *err)
{
	struct bl_execution *execution = run->started[i];
	const struct bl_sandbox_job *job = &run->jobs[i];
	enum bl_status status = BL_OK;

	execution->child = job->result;
	execution->ran = execution->child.end != BL_CHILD_CANNOT_START;
	if (job->refusal.len > 0)
		return bl_executor_cannot(run->context, execution, job->refusal,
					  run->arena, err);
	if (job->request)
		status = note_layers(run, job, execution, err);
	if (status != BL_OK)
		return status;
	return executor_of(execution->hook)
		->classify(run->context, execution, run->arena, err);
}

static void look_at_machine(struct run *run)
{
	for (size_t i = 0; i < run->count && !run->has_looked; i++) {
		if (!run->jobs[i].request)
			continue;
		bl_sandbox_look(&run->machine);
		run->has_looked = true;
	}
}

/* Runs what was prepared, and forgets it. */
static enum bl_status run_prepared(struct run *run, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	look_at_machine(run);
	if (run->count > 0)
		status = bl_sandbox_run(run->jobs, run->count, &run->machine,
					run->arena, err);
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
		.jobs = bl_arena_new_array(arena, struct bl_sandbox_job, room),
		.started =
			bl_arena_new_array(arena, struct bl_execution *, room),
	};

	if (!run.jobs || !run.started)
		return bl_arena_fail(arena, err);
	if (context->profile->sequential)
		return run_in_turn(&run, executions, count, err);
	return run_at_once(&run, executions, count, err);
}

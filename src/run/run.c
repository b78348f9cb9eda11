/* SPDX-License-Identifier: Apache-2.0 */
/* Running the hooks of one event, at once or one after the other. */
#include "base/limits.h"
#include "run/private.h"

/* By enum bl_hook_type; NULL: hooks of that type are never run. */
static const struct bl_executor *const executors[] = {
	[BL_HOOK_COMMAND] = &bl_executor_command,
	[BL_HOOK_PROMPT] = NULL,
	[BL_HOOK_WEBHOOK] = &bl_executor_webhook,
};

enum seen { NOTHING, GROUP, ALL };

struct run {
	const struct bl_execution_context *context;
	struct bl_arena *arena;
	struct bl_sandbox_job *jobs;
	struct bl_execution **started; /* started[i] belongs to jobs[i] */
	size_t count;
	struct bl_http_request *requests;
	struct bl_execution **posted; /* posted[i] belongs to requests[i] */
	struct bl_http_result *results;
	size_t request_count;
	struct bl_own_call *calls;
	struct bl_execution **called; /* called[i] belongs to calls[i] */
	struct bl_child_result *ends; /* ends[i] too */
	size_t call_count;
	struct bl_sandbox_machine machine;
	enum seen seen; /* of the machine: not before a hook needs it */
};

static const struct bl_executor *
executor_of(const struct bl_execution_context *context,
	    const struct bl_hook *hook)
{
	if (context->everruns && hook->type == BL_HOOK_WEBHOOK)
		return &bl_executor_everruns_webhook;
	if (context->everruns)
		return context->own ? &bl_executor_everruns_own
				    : &bl_executor_everruns;
	if (hook->type == BL_HOOK_COMMAND && context->own)
		return &bl_executor_own;
	if (hook->type == BL_HOOK_COMMAND && bl_executor_is_sandboxed(hook))
		return &bl_executor_sandboxed;
	return executors[hook->type];
}

static enum bl_status prepare_request(struct run *run,
				      const struct bl_executor *executor,
				      struct bl_execution *execution,
				      struct bl_error *err)
{
	bool can_start = false;
	enum bl_status status = executor->plan_request(
		run->context, execution, run->arena,
		&run->requests[run->request_count], &can_start, err);

	if (status == BL_OK && can_start)
		run->posted[run->request_count++] = execution;
	return status;
}

static enum bl_status prepare_call(struct run *run,
				   const struct bl_executor *executor,
				   struct bl_execution *execution,
				   struct bl_error *err)
{
	bool can_start = true;
	int fd = 0;
	enum bl_status status = BL_OK;

	/* The embedder runs a script by its name: it is compared right before. */
	if (executor == &bl_executor_own)
		status = bl_executor_seal_script(execution, run->arena, &fd,
						 &can_start, err);
	if (fd)
		bl_os_close(fd);
	if (status != BL_OK || !can_start)
		return status;
	status = executor->plan_call(run->context, execution, run->arena,
				     &run->calls[run->call_count], err);
	if (status == BL_OK)
		run->called[run->call_count++] = execution;
	return status;
}

/* Adds the execution to those that are started, if it can be. */
static enum bl_status prepare(struct run *run, struct bl_execution *execution,
			      struct bl_error *err)
{
	const struct bl_executor *executor =
		executor_of(run->context, execution->hook);
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
	if (executor->plan_request)
		return prepare_request(run, executor, execution, err);
	if (executor->plan_call)
		return prepare_call(run, executor, execution, err);
	status = executor->plan(run->context, execution, run->arena,
				&run->jobs[run->count], &can_start, err);
	if (status == BL_OK && can_start)
		run->started[run->count++] = execution;
	return status;
}

/* The parts of the sandbox, for the record. */
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

/* A child that was stopped before it could start has no start to speak of. */
static bool has_begun(const struct bl_child_result *child)
{
	return child->end != BL_CHILD_CANNOT_START &&
	       (child->end != BL_CHILD_STOPPED || child->elapsed_ns > 0);
}

static enum bl_status finish(struct run *run, size_t i, struct bl_error *err)
{
	struct bl_execution *execution = run->started[i];
	const struct bl_sandbox_job *job = &run->jobs[i];
	enum bl_status status = BL_OK;

	execution->child = job->result;
	execution->ran = has_begun(&execution->child);
	execution->refusal = job->refusal;
	if (job->refusal.len > 0 && !run->context->everruns)
		return bl_executor_cannot(run->context, execution, job->refusal,
					  run->arena, err);
	if (job->request)
		status = note_layers(run, job, execution, err);
	if (status != BL_OK)
		return status;
	return executor_of(run->context, execution->hook)
		->classify(run->context, execution, run->arena, err);
}

/* Hooks that are not confined need the control group only: most events. */
static void look_at_machine(struct run *run)
{
	enum seen needed = run->count ? GROUP : NOTHING;

	for (size_t i = 0; i < run->count; i++)
		if (run->jobs[i].request)
			needed = ALL;
	if (needed <= run->seen)
		return;
	if (needed == ALL)
		bl_sandbox_look(&run->machine);
	else
		bl_sandbox_look_at_group(&run->machine);
	run->seen = needed;
}

/* Work of one kind, with an arena of its own: there are threads. */
struct part {
	struct run *run;
	enum bl_status (*work)(struct run *run, struct bl_arena *arena,
			       struct bl_error *err);
	struct bl_arena *arena;
	enum bl_status status;
	struct bl_error err;
};

static enum bl_status run_children(struct run *run, struct bl_arena *arena,
				   struct bl_error *err)
{
	look_at_machine(run);
	return bl_sandbox_run(run->jobs, run->count, &run->machine, arena, err);
}

static enum bl_status run_requests(struct run *run, struct bl_arena *arena,
				   struct bl_error *err)
{
	return bl_http_run(run->context->http, run->requests,
			   run->request_count, arena, run->results, err);
}

static void run_call(void *context, uint32_t i)
{
	struct run *run = context;

	bl_own_run(run->context->own, &run->calls[i], &run->ends[i]);
}

static enum bl_status run_calls(struct run *run, struct bl_arena *arena,
				struct bl_error *err)
{
	(void)arena;
	(void)err;
	bl_os_parallel((uint32_t)run->call_count, run_call, run);
	return BL_OK;
}

static void run_part(void *context, uint32_t i)
{
	struct part *part = (struct part *)context + i;

	part->status = part->work(part->run, part->arena, &part->err);
}

/* The answers of requests are in scratch, so they are copied. */
static enum bl_status keep_bodies(struct run *run, struct bl_error *err)
{
	for (size_t i = 0; i < run->request_count; i++) {
		struct bl_http_result *result = &run->results[i];

		if (result->end != BL_HTTP_ANSWERED)
			continue;
		result->body = bl_arena_copy_str(run->arena, result->body);
		if (!result->body.ptr)
			return bl_arena_fail(run->arena, err);
	}
	return BL_OK;
}

/* All kinds of work that there are, at once. */
static enum bl_status run_parts(struct run *run, struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_arena scratch;
	struct part parts[3];
	uint32_t count = 0;
	enum bl_status status = BL_OK;

	bl_arena_init(&scratch, NULL, 0, limits.event_arena_bytes);
	if (run->count > 0)
		parts[count++] = (struct part){ .run = run,
						.work = run_children,
						.arena = run->arena };
	if (run->request_count > 0)
		parts[count++] = (struct part){ .run = run,
						.work = run_requests,
						.arena = &scratch };
	if (run->call_count > 0)
		parts[count++] = (struct part){ .run = run, .work = run_calls };
	bl_os_parallel(count, run_part, parts);
	for (uint32_t i = 0; i < count && status == BL_OK; i++) {
		status = parts[i].status;
		if (status != BL_OK && err)
			*err = parts[i].err;
	}
	if (status == BL_OK)
		status = keep_bodies(run, err);
	bl_arena_clear(&scratch);
	return status;
}

static enum bl_status finish_request(struct run *run, size_t i,
				     struct bl_error *err)
{
	struct bl_execution *execution = run->posted[i];

	execution->request = run->requests[i];
	execution->http = run->results[i];
	return executor_of(run->context, execution->hook)
		->classify(run->context, execution, run->arena, err);
}

/* The text of a call is freed with it, so it is copied. */
static enum bl_status finish_call(struct run *run, size_t i,
				  struct bl_error *err)
{
	struct bl_execution *execution = run->called[i];

	execution->child = run->ends[i];
	execution->ran = has_begun(&execution->child);
	execution->child.output =
		bl_arena_copy_str(run->arena, execution->child.output);
	execution->child.errors =
		bl_arena_copy_str(run->arena, execution->child.errors);
	if (!execution->child.output.ptr || !execution->child.errors.ptr)
		return bl_arena_fail(run->arena, err);
	return executor_of(run->context, execution->hook)
		->classify(run->context, execution, run->arena, err);
}

static enum bl_status finish_all(struct run *run, struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; status == BL_OK && i < run->count; i++)
		status = finish(run, i, err);
	for (size_t i = 0; status == BL_OK && i < run->request_count; i++)
		status = finish_request(run, i, err);
	for (size_t i = 0; status == BL_OK && i < run->call_count; i++)
		status = finish_call(run, i, err);
	return status;
}

/* The scripts of a team's hooks, which children have by descriptor. */
static void close_scripts(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		if (run->jobs[i].spec.keep_fd)
			bl_os_close(run->jobs[i].spec.keep_fd);
		run->jobs[i].spec.keep_fd = 0;
	}
}

/* Runs what was prepared, and forgets it. */
static enum bl_status run_prepared(struct run *run, struct bl_error *err)
{
	enum bl_status status = run_parts(run, err);

	if (status == BL_OK)
		status = finish_all(run, err);
	for (size_t i = 0; i < run->call_count; i++)
		bl_own_clear(&run->calls[i]);
	close_scripts(run);
	run->count = 0;
	run->request_count = 0;
	run->call_count = 0;
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
	if (status == BL_OK)
		return run_prepared(run, err);
	close_scripts(run);
	return status;
}

enum bl_status bl_executor_run(const struct bl_execution_context *context,
			       struct bl_execution *executions, size_t count,
			       struct bl_arena *arena, struct bl_error *err)
{
	size_t room = context->profile->sequential ? 1 : count;
	size_t calls = context->own ? room : 0;
	struct run run = {
		.context = context,
		.arena = arena,
		.jobs = bl_arena_new_array(arena, struct bl_sandbox_job, room),
		.started =
			bl_arena_new_array(arena, struct bl_execution *, room),
		.requests =
			bl_arena_new_array(arena, struct bl_http_request, room),
		.posted =
			bl_arena_new_array(arena, struct bl_execution *, room),
		.results =
			bl_arena_new_array(arena, struct bl_http_result, room),
		.calls = bl_arena_new_array(arena, struct bl_own_call, calls),
		.called =
			bl_arena_new_array(arena, struct bl_execution *, calls),
		.ends = bl_arena_new_array(arena, struct bl_child_result,
					   calls),
	};

	if (!run.jobs || !run.started || !run.requests || !run.posted ||
	    !run.results || !run.calls || !run.called || !run.ends)
		return bl_arena_fail(arena, err);
	if (context->profile->sequential)
		return run_in_turn(&run, executions, count, err);
	return run_at_once(&run, executions, count, err);
}

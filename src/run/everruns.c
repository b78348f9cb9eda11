/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of Everruns (docs/contracts/everruns.md "Running"): rows of their
 * own in the table of executors, since the payload comes in three places, the
 * environment is not ours, and the output is read by other rules.
 */
#include "run/private.h"

#include "json/json.h"

#define FOLDER ".hooks"

/* The folder, which an agent might have made a link to somewhere else. */
static enum bl_status open_folder(struct bl_str folder, struct bl_error *err)
{
	enum bl_status status = bl_os_make_dirs(folder, 0700, err);
	int fd = -1;

	if (status == BL_OK)
		status = bl_os_open(folder, BL_OPEN_NO_LINK | BL_OPEN_DIRECTORY,
				    &fd, err);
	bl_os_close(fd);
	return status;
}

/* Writes the payload; true when there is a file to remove afterwards. */
static bool write_payload(struct bl_everruns_call *call, struct bl_arena *arena)
{
	struct bl_executor_everruns_env *env = &call->env;
	struct bl_str folder =
		bl_path_join(arena, env->workspace, BL_STR(FOLDER));
	struct bl_error why = { 0 };
	struct bl_str name;
	enum bl_status status = bl_everruns_file_name(env->id, bl_os_wall_ms(),
						      arena, &name, &why);

	if (status == BL_OK && folder.ptr) {
		env->path = bl_path_join(arena, folder, name);
		status = open_folder(folder, &why);
	}
	if (status == BL_OK && env->path.ptr)
		status = bl_os_create_file(env->path, env->payload, 0600, &why);
	if (status != BL_OK)
		bl_everruns_note(call->notices,
				 "hook %.*s: its payload file could not be "
				 "written: %s",
				 BL_STR_ARG(env->id), why.message);
	return status == BL_OK && env->path.ptr;
}

/* ---- what can fail before it starts --------------------------------------- */

static enum bl_status failed(struct bl_execution *execution, struct bl_str why,
			     struct bl_arena *arena, struct bl_error *err)
{
	execution->said = (struct bl_everruns_outcome){
		.kind = BL_EVERRUNS_FAILED,
		.reason = why,
	};
	return why.ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* As above, with messages for errors outside the hook. */
static enum bl_status cannot(struct bl_execution *execution, struct bl_str why,
			     struct bl_arena *arena, struct bl_error *err)
{
	return failed(execution,
		      bl_arena_printf(arena, "hook execution error: %.*s",
				      BL_STR_ARG(why)),
		      arena, err);
}

/* Why there is no child to start; empty: there is. */
static struct bl_str why_not(const struct bl_everruns_call *call)
{
	if (call->env.wrong.len > 0)
		return call->env.wrong;
	if (call->env.is_too_long && !call->has_file)
		return BL_STR("the payload is too long for a variable, and its "
			      "file could not be written");
	return BL_STR("");
}

/* ---- children --------------------------------------------------------------- */

static enum bl_status
fill_job(const struct bl_everruns_call *call, const char *const *env,
	 const struct bl_stop *stop, struct bl_arena *arena,
	 struct bl_sandbox_job *out_job, struct bl_error *err)
{
	static const char *const paths[] = { "WORKSPACE",
					     "EVERRUNS_HOOK_PAYLOAD_PATH",
					     NULL };
	const struct bl_everruns_hook *hook = call->env.hook;
	const char **argv = bl_arena_new_array(arena, const char *, 4);
	struct bl_sandbox_request *request = NULL;
	struct bl_child_spec spec = {
		.argv = argv,
		.env = env,
		.input = call->env.payload,
		.timeout_ms = hook->timeout_ms,
		.stop = stop,
		.max_together_bytes = BL_EVERRUNS_MAX_OUTPUT_BYTES,
		.kill_leftovers = true,
	};

	if (!argv)
		return bl_arena_fail(arena, err);
	argv[0] = "/bin/bash";
	argv[1] = "-c";
	argv[2] = bl_arena_copy_str(arena, hook->command).ptr;
	if (hook->sandbox.profile && hook->sandbox.profile->is_confined) {
		request = bl_arena_new(arena, struct bl_sandbox_request);
		if (!request)
			return bl_arena_fail(arena, err);
		*request = hook->sandbox;
		request->workspace = call->env.workspace;
	} else {
		spec.dir = bl_arena_copy_str(arena, call->env.workspace).ptr;
	}
	if (!argv[2] || (!request && !spec.dir))
		return bl_arena_fail(arena, err);
	*out_job = (struct bl_sandbox_job){ .spec = spec,
					    .request = request,
					    .path_variables = paths };
	return BL_OK;
}

static enum bl_status plan(const struct bl_execution_context *context,
			   struct bl_execution *execution,
			   struct bl_arena *arena,
			   struct bl_sandbox_job *out_job, bool *out_can_start,
			   struct bl_error *err)
{
	struct bl_everruns_call *call = context->everruns;
	const char *const *env = bl_executor_everruns_env(&call->env, arena);
	struct bl_str why;

	*out_can_start = false;
	if (!env)
		return bl_arena_fail(arena, err);
	why = why_not(call);
	if (why.len > 0)
		return cannot(execution, why, arena, err);
	if (call->env.is_too_long)
		bl_everruns_note(call->notices,
				 "hook %.*s: the payload of %zu bytes is "
				 "longer than a variable may be: it is in the "
				 "file and on standard input only",
				 BL_STR_ARG(call->env.id),
				 call->env.payload.len);
	*out_can_start = true;
	return fill_job(call, env, context->stop, arena, out_job, err);
}

static struct bl_str too_much(const struct bl_child_result *child,
			      struct bl_arena *arena)
{
	return bl_arena_printf(
		arena, "hook output exceeded %d bytes (stdout=%zu, stderr=%zu)",
		BL_EVERRUNS_MAX_OUTPUT_BYTES, child->output.len,
		child->errors.len);
}

/*
 * The event was given up.  That is not a failure of the hook, which on_error
 * could let pass: it refuses what can be refused.
 */
static enum bl_status give_up(struct bl_execution *execution, int reason,
			      struct bl_arena *arena, struct bl_error *err)
{
	const char *why = reason == BL_STOP_CANCELLED
				  ? "the action was cancelled"
				  : "the time for the decision was up";

	execution->said = (struct bl_everruns_outcome){
		.kind = BL_EVERRUNS_BLOCKED,
		.reason = bl_arena_printf(arena, "hook was stopped: %s", why),
	};
	return execution->said.reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}

/*
 * The sandbox that a hook is to run in cannot be had.  Where hooks are confined
 * as a rule, on_error has no say in that: nobody has looked at the event.
 */
static enum bl_status refuse_start(const struct bl_execution_context *context,
				   struct bl_execution *execution,
				   struct bl_arena *arena, struct bl_error *err)
{
	if (!context->profile->everruns->confines)
		return cannot(execution, execution->refusal, arena, err);
	execution->said = (struct bl_everruns_outcome){
		.kind = BL_EVERRUNS_BLOCKED,
		.reason = bl_arena_printf(
			arena,
			"hook was not run: %.*s (--sandbox none, or "
			"\"sandbox\": \"none\" of the hook, runs it without)",
			BL_STR_ARG(execution->refusal)),
	};
	return execution->said.reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}

static enum bl_status say_start(const struct bl_execution_context *context,
				struct bl_execution *execution,
				struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_child_result *child = &execution->child;

	if (execution->refusal.len > 0)
		return refuse_start(context, execution, arena, err);
	if (child->stage && !strcmp(child->stage, "executor"))
		return cannot(execution,
			      bl_everruns_clean(arena, child->errors), arena,
			      err);
	return failed(execution,
		      bl_arena_printf(arena,
				      "hook execution error: could not be "
				      "started (%s): %s",
				      child->stage ? child->stage : "start",
				      strerror(child->code)),
		      arena, err);
}

static enum bl_status classify(const struct bl_execution_context *context,
			       struct bl_execution *execution,
			       struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_everruns_hook *hook = context->everruns->env.hook;
	const struct bl_child_result *child = &execution->child;
	struct bl_str why = { NULL, 0 };

	switch (child->end) {
	case BL_CHILD_EXITED:
		return bl_everruns_parse_output(child->code, child->output,
						child->errors, arena,
						&execution->said, err);
	case BL_CHILD_TOO_MUCH:
		why = too_much(child, arena);
		break;
	case BL_CHILD_TIMED_OUT:
		why = bl_arena_printf(arena, "hook timed out after %u ms",
				      (unsigned)hook->timeout_ms);
		break;
	case BL_CHILD_UNREADABLE:
		why = bl_arena_printf(arena,
				      "hook execution error: its output could "
				      "not be read to the end");
		break;
	case BL_CHILD_STOPPED:
		return give_up(execution, child->code, arena, err);
	case BL_CHILD_SIGNALLED:
		why = bl_arena_printf(arena,
				      "hook execution error: ended by signal "
				      "%d",
				      child->code);
		break;
	case BL_CHILD_CANNOT_START:
		return say_start(context, execution, arena, err);
	}
	return failed(execution, why, arena, err);
}

const struct bl_executor bl_executor_everruns = {
	.name = "everruns",
	.plan = plan,
	.classify = classify,
};

/* ---- an embedder's own executor --------------------------------------------- */

/* The spec, as far as it is for whoever runs it. */
static struct bl_value definition(const struct bl_everruns_hook *hook,
				  struct bl_str id, struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("id"), bl_value_string(id));
	bl_object_builder_add(
		&object, BL_STR("event"),
		bl_value_string(bl_str(bl_everruns_event_name(hook->event))));
	bl_object_builder_add(&object, BL_STR("command"),
			      bl_value_string(hook->command));
	bl_object_builder_add(&object, BL_STR("env"), hook->env);
	bl_object_builder_add(&object, BL_STR("timeout_ms"),
			      bl_value_integer(hook->timeout_ms));
	return bl_object_builder_end(&object);
}

static enum bl_status plan_call(const struct bl_execution_context *context,
				struct bl_execution *execution,
				struct bl_arena *arena,
				struct bl_own_call *out_call,
				struct bl_error *err)
{
	const struct bl_executor_everruns_env *env = &context->everruns->env;

	*out_call = (struct bl_own_call){
		.event = bl_everruns_event_name(env->hook->event),
		.command = execution->hook->command,
		.definition = definition(env->hook, env->id, arena),
		.payload = env->payload,
		.dir = env->workspace,
		.timeout_ms = env->hook->timeout_ms,
		.max_output_bytes = BL_EVERRUNS_MAX_OUTPUT_BYTES,
		.max_error_bytes = BL_EVERRUNS_MAX_OUTPUT_BYTES,
		.stop = context->stop,
	};
	return bl_value_is_defined(out_call->definition)
		       ? BL_OK
		       : bl_arena_fail(arena, err);
}

const struct bl_executor bl_executor_everruns_own = {
	.name = "everruns, own",
	.plan_call = plan_call,
	.classify = classify,
};

/* ---- webhooks ----------------------------------------------------------------- */

static enum bl_status plan_request(const struct bl_execution_context *context,
				   struct bl_execution *execution,
				   struct bl_arena *arena,
				   struct bl_http_request *out_request,
				   bool *out_can_start, struct bl_error *err)
{
	const struct bl_executor_everruns_env *env = &context->everruns->env;
	const struct bl_webhook *webhook = &env->hook->webhook;
	struct bl_error why = { 0 };

	*out_can_start = false;
	if (webhook->refused.len > 0)
		return cannot(execution, webhook->refused, arena, err);
	if (!context->http)
		return cannot(execution,
			      BL_STR("this program sends no requests"), arena,
			      err);
	bl_webhook_request(webhook, bl_everruns_event_name(env->hook->event),
			   env->payload, arena, out_request, &why);
	if (bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	if (why.status != BL_OK)
		return cannot(execution, bl_str(why.message), arena, err);
	out_request->timeout_ms = env->hook->timeout_ms;
	out_request->max_answer_bytes = BL_EVERRUNS_MAX_OUTPUT_BYTES;
	out_request->stop = context->stop;
	*out_can_start = true;
	return BL_OK;
}

/* The body of an answer of 2xx is read like the output of exit 0. */
static enum bl_status
classify_answer(const struct bl_execution_context *context,
		struct bl_execution *execution, struct bl_arena *arena,
		struct bl_error *err)
{
	const struct bl_http_result *http = &execution->http;
	struct bl_child_result *child = &execution->child;
	struct bl_str why;

	(void)context;
	execution->ran = http->end != BL_HTTP_NOT_ALLOWED &&
			 http->end != BL_HTTP_NO_CLIENT;
	*child = (struct bl_child_result){
		.end = BL_CHILD_CANNOT_START, /* without an exit code */
		.elapsed_ns = http->elapsed_ns,
	};
	if (http->end == BL_HTTP_STOPPED) {
		child->end = BL_CHILD_STOPPED;
		child->code = http->status;
		return give_up(execution, http->status, arena, err);
	}
	if (bl_webhook_is_output(http)) {
		child->end = BL_CHILD_EXITED;
		child->output = http->body;
		return bl_everruns_parse_output(0, child->output, BL_STR(""),
						arena, &execution->said, err);
	}
	child->errors = bl_everruns_clean(arena, http->body);
	why = bl_webhook_say_end(&execution->request, http, child->errors,
				 arena);
	return cannot(execution, why, arena, err);
}

const struct bl_executor bl_executor_everruns_webhook = {
	.name = "everruns, webhook",
	.plan_request = plan_request,
	.classify = classify_answer,
};

/* ---- the run ---------------------------------------------------------------- */

/* The file is gone before anybody else is told about it. */
static enum bl_status run_with_file(const struct bl_execution_context *context,
				    struct bl_execution *execution,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	struct bl_everruns_call *call = context->everruns;
	enum bl_status status;

	if (execution->hook->type == BL_HOOK_COMMAND && !context->own)
		call->has_file = write_payload(call, arena);
	status = bl_executor_run(context, execution, 1, arena, err);
	if (call->has_file &&
	    bl_os_remove_file(call->env.path, NULL) == BL_SYSTEM)
		bl_everruns_note(call->notices,
				 "hook %.*s: its payload file stays: %.*s",
				 BL_STR_ARG(call->env.id),
				 BL_STR_ARG(call->env.path));
	return status;
}

enum bl_status bl_run_everruns(const struct bl_execution_context *context,
			       const struct bl_everruns_job *job,
			       struct bl_arena *arena,
			       struct bl_array_builder *notices,
			       struct bl_everruns_run *out_run,
			       struct bl_error *err)
{
	static const struct bl_hook_file no_file;
	const struct bl_hook hook = {
		.file = &no_file,
		.type = job->hook->is_webhook ? BL_HOOK_WEBHOOK
					      : BL_HOOK_COMMAND,
		.command = job->hook->command,
		.timeout_ms = job->hook->timeout_ms,
	};
	struct bl_everruns_call call = {
		.env = { .hook = job->hook,
			 .id = job->id,
			 .facts = job->facts,
			 .workspace = job->workspace,
			 .payload = bl_everruns_payload(job->facts, job->id,
							arena) },
		.notices = notices,
	};
	struct bl_execution_context with_call = *context;
	struct bl_execution execution = { .hook = &hook };
	enum bl_status status;

	if (!call.env.payload.ptr)
		return bl_arena_fail(arena, err);
	with_call.everruns = &call;
	status = run_with_file(&with_call, &execution, arena, err);
	if (status != BL_OK)
		return status;
	if (execution.missing_layers.len > 0)
		bl_everruns_note(notices,
				 "the sandbox of hook %.*s is without %.*s",
				 BL_STR_ARG(job->id),
				 BL_STR_ARG(execution.missing_layers));
	*out_run = (struct bl_everruns_run){
		.outcome = execution.said,
		.ran = execution.ran,
		.started_wall_ms = execution.started_wall_ms,
		.child = execution.child,
		.missing = execution.missing_layers,
	};
	return BL_OK;
}

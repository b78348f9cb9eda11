/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals (docs/contracts/cupcake.md "Signals"): those that the routed policies
 * need, each once, all at once, killed as trees at their deadline; in a sandbox
 * where the rulebook says so.
 */
#include "base/utf8.h"
#include "json/json.h"
#include "sources/policies/private.h"
#include "sandbox/sandbox.h"

/* The signals of one directory on one event. */
struct batch {
	struct policy_run *run;
	size_t first; /* of report->signals */
	struct bl_sandbox_job *jobs;
	size_t *result_of; /* by job */
	size_t job_count;
	struct bl_str event;     /* standard input of all */
	struct bl_str workspace; /* of those in a sandbox */
};

static const struct bl_signal *find_signal(const struct bl_policy_dir *dir,
					   struct bl_str name)
{
	for (size_t i = 0; i < dir->rulebook.signal_count; i++)
		if (bl_str_equal(dir->rulebook.signals[i].name, name))
			return &dir->rulebook.signals[i];
	return NULL;
}

/* ---- which ---------------------------------------------------------------- */

static enum bl_status add_name(struct batch *batch, struct bl_str name)
{
	struct policy_run *run = batch->run;
	struct bl_policy_report *report = run->report;

	for (size_t i = batch->first; i < report->signal_count; i++)
		if (bl_str_equal(report->signals[i].name, name))
			return BL_OK;
	if (report->signal_count - batch->first == POLICY_MAX_SIGNALS)
		return bl_fail(run->err, BL_LIMIT,
			       "policies need more than %d signals",
			       POLICY_MAX_SIGNALS);
	report->signals =
		bl_arena_room(run->arena, report->signals, report->signal_count,
			      &run->signal_cap, sizeof(*report->signals));
	if (!report->signals)
		return bl_arena_fail(run->arena, run->err);
	report->signals[report->signal_count++] = (struct bl_signal_result){
		.signal = find_signal(run->dir, name),
		.name = name,
	};
	return BL_OK;
}

static enum bl_status add_names(struct batch *batch, struct bl_names names)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < names.count; i++)
		status = add_name(batch, names.items[i]);
	return status;
}

/* The signals that a builtin has made and that this event needs. */
static enum bl_status add_builtin(struct batch *batch,
				  const struct bl_policy_builtin *builtin)
{
	const struct bl_rulebook *book = &batch->run->dir->rulebook;
	struct bl_str prefix = bl_str(builtin->signal_prefix);
	struct bl_value belay = bl_value_is_defined(batch->run->facts)
					? batch->run->facts
					: batch->run->event->belay;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < book->signal_count; i++) {
		struct bl_str name = book->signals[i].name;

		if (!bl_str_has_prefix(name, prefix))
			continue;
		if (!builtin->needs_signal ||
		    builtin->needs_signal(
			    bl_str_slice(name, prefix.len, SIZE_MAX), belay))
			status = add_name(batch, name);
	}
	return status;
}

static enum bl_status collect(struct batch *batch, size_t first_route)
{
	const struct bl_policy_report *report = batch->run->report;
	enum bl_status status = BL_OK;

	for (size_t i = first_route; !status && i < report->route_count; i++) {
		const struct bl_policy *policy = report->routes[i].policy;

		if (!bl_route_runs(report->routes[i].route))
			continue;
		status = add_names(batch, policy->signals);
		if (!status)
			status = add_names(batch, policy->demanded);
		if (!status && policy->builtin &&
		    policy->builtin->signal_prefix)
			status = add_builtin(batch, policy->builtin);
	}
	return status;
}

/* ---- what they say -------------------------------------------------------- */

static struct bl_value read_output(struct bl_arena *arena, struct bl_str output)
{
	struct bl_str text = bl_str_trim(output);
	struct bl_value value;

	if (!text.len)
		return bl_value_string(BL_STR(""));
	if (!bl_json_read(arena, text, NULL, &value, NULL, NULL, NULL))
		return value;
	return bl_value_string(text);
}

static struct bl_value failed_value(struct bl_arena *arena,
				    const struct bl_child_result *child)
{
	struct bl_object_builder made;
	struct bl_str errors = bl_str_trim(child->errors);

	errors.len = bl_utf8_valid_prefix(errors);
	bl_object_builder_init(&made, arena);
	bl_object_builder_add(&made, BL_STR("exit_code"),
			      bl_value_integer(child->end == BL_CHILD_EXITED
						       ? child->code
						       : -1));
	bl_object_builder_add(&made, BL_STR("output"),
			      bl_value_string(bl_str_trim(child->output)));
	bl_object_builder_add(&made, BL_STR("error"), bl_value_string(errors));
	bl_object_builder_add(&made, BL_STR("success"),
			      bl_value_boolean(false));
	return bl_object_builder_end(&made);
}

static int output_limit(const struct bl_sandbox_job *job)
{
	return job->layers ? BL_SANDBOX_OUTPUT_BYTES : POLICY_SIGNAL_BYTES;
}

static void take_child(struct batch *batch, struct bl_signal_result *result,
		       const struct bl_sandbox_job *job)
{
	const struct bl_child_result *child = &job->result;
	struct bl_arena *arena = batch->run->arena;

	result->elapsed_ns = child->elapsed_ns;
	result->timed_out = child->end == BL_CHILD_TIMED_OUT ||
			    child->end == BL_CHILD_STOPPED;
	if (job->refusal.len)
		result->problem = bl_arena_printf(arena, "was not run: %.*s",
						  BL_STR_ARG(job->refusal));
	else if (child->end == BL_CHILD_TIMED_OUT)
		result->problem = bl_arena_printf(
			arena, "did not end within %u ms, and was killed",
			job->spec.timeout_ms);
	else if (child->end == BL_CHILD_STOPPED)
		result->problem = BL_STR("was stopped with the whole decision");
	else if (child->end == BL_CHILD_TOO_MUCH)
		result->problem = bl_arena_printf(
			arena, "printed more than %d bytes, and was killed",
			output_limit(job));
	else if (child->end == BL_CHILD_CANNOT_START)
		result->problem =
			bl_arena_printf(arena, "cannot be started (%s: %s)",
					child->stage, strerror(child->code));
	else if (child->end == BL_CHILD_UNREADABLE)
		result->problem = bl_arena_printf(
			arena, "printed what could not be read to the end (%s)",
			strerror(child->code));
	else if (!bl_utf8_is_valid(child->output))
		result->problem = BL_STR("printed what is not UTF-8");
	else if (child->end == BL_CHILD_EXITED && !child->code)
		result->value = read_output(arena, child->output);
	else
		result->value = failed_value(arena, child);
}

static void take_file(struct batch *batch, struct bl_signal_result *result)
{
	struct bl_arena *arena = batch->run->arena;
	struct bl_error problem = { 0 };
	struct bl_str path =
		batch->run->event->cwd.len
			? bl_path_join(arena, batch->run->event->cwd,
				       result->signal->command)
			: result->signal->command;
	struct bl_str text = { 0 };

	if (bl_os_read_file(path, 0, POLICY_SIGNAL_BYTES, arena, &text, NULL,
			    &problem))
		result->problem =
			bl_arena_copy_str(arena, bl_str(problem.message));
	else if (!bl_utf8_is_valid(text))
		result->problem = BL_STR("holds what is not UTF-8");
	else
		result->value = bl_value_string(bl_str_trim(text));
}

/* ---- running -------------------------------------------------------------- */

static uint32_t timeout_of(const struct policy_run *run,
			   const struct bl_signal *signal)
{
	int64_t left_ms;

	if (!run->deadline_ns)
		return signal->timeout_ms;
	left_ms = (run->deadline_ns - bl_os_monotonic_ns()) / 1000000;
	if (left_ms < 1)
		left_ms = 1;
	return left_ms < signal->timeout_ms ? (uint32_t)left_ms
					    : signal->timeout_ms;
}

/*
 * The folder that a sandbox shows as the workspace: the folder of the project's policy
 * directory, when we are in it, else where we are.
 */
static enum bl_status find_workspace(struct batch *batch)
{
	struct policy_run *run = batch->run;
	struct bl_str project = run->set->dirs[BL_POLICY_PROJECT].path;
	enum bl_status status;

	if (batch->workspace.len)
		return BL_OK;
	status = bl_path_current(run->arena, &batch->workspace, run->err);
	if (!status && project.len &&
	    bl_path_is_in(batch->workspace, bl_path_dir(project)))
		batch->workspace = bl_path_dir(project);
	return status;
}

/* Puts the job at hand into the sandbox that its signal asks for. */
static enum bl_status confine(struct batch *batch,
			      const struct bl_sandbox_request *asked,
			      struct bl_sandbox_job *job)
{
	struct policy_run *run = batch->run;
	struct bl_sandbox_request *request =
		bl_arena_new(run->arena, struct bl_sandbox_request);
	struct bl_str here = { 0 };
	enum bl_status status = find_workspace(batch);

	if (!status)
		status = bl_path_current(run->arena, &here, run->err);
	if (status)
		return status;
	if (!request)
		return bl_arena_fail(run->arena, run->err);
	*request = *asked;
	request->workspace = batch->workspace;
	request->readable = &run->dir->path;
	request->readable_count = 1;
	job->request = request;
	if (request->profile->has_readable)
		job->spec.dir = bl_arena_copy_str(run->arena, here).ptr;
	return BL_OK;
}

static enum bl_status add_job(struct batch *batch, size_t index)
{
	struct bl_sandbox_job *job = &batch->jobs[batch->job_count];
	struct bl_arena *arena = batch->run->arena;
	const struct bl_signal *signal =
		batch->run->report->signals[index].signal;
	const char *const *argv = signal->argv;
	struct bl_sandbox_request asked = { 0 };

	/* An image may be from a belay that knows others. */
	if (signal->sandbox.len && !bl_sandbox_parse(signal->sandbox, &asked))
		return bl_fail(batch->run->err, BL_UNSUPPORTED,
			       "signal %.*s: there is no sandbox profile "
			       "'%.*s'",
			       BL_STR_ARG(signal->name),
			       BL_STR_ARG(signal->sandbox));

	if (signal->kind == BL_SIGNAL_SHELL) {
		struct bl_str command =
			bl_arena_copy_str(arena, signal->command);
		const char **words = bl_arena_new_array(arena, const char *, 4);

		if (!words || !command.ptr)
			return bl_arena_fail(arena, batch->run->err);
		words[0] = "/bin/sh";
		words[1] = "-c";
		words[2] = command.ptr;
		argv = words;
	}
	batch->result_of[batch->job_count++] = index;
	job->spec = (struct bl_child_spec){
		.argv = argv,
		.input = batch->event,
		.timeout_ms = timeout_of(batch->run, signal),
		.stop = batch->run->options->stop,
		.max_stdout_bytes = POLICY_SIGNAL_BYTES,
		.max_stderr_bytes = POLICY_SIGNAL_BYTES,
		.kill_leftovers = true,
	};
	return asked.profile && asked.profile->is_confined
		       ? confine(batch, &asked, job)
		       : BL_OK;
}

/* From the record, from files, and the jobs of those that are programs. */
static enum bl_status prepare(struct batch *batch)
{
	struct bl_policy_report *report = batch->run->report;
	struct bl_value recorded = batch->run->options->recorded_signals;

	for (size_t i = batch->first; i < report->signal_count; i++) {
		struct bl_signal_result *result = &report->signals[i];
		enum bl_status status = BL_OK;

		if (bl_value_is_defined(recorded)) {
			result->value = bl_object_find(recorded, result->name);
			if (!bl_value_is_defined(result->value))
				result->problem =
					BL_STR("is not in the record");
		} else if (!result->signal) {
			result->problem = BL_STR("the rulebook has no signal "
						 "of that name");
		} else if (result->signal->kind == BL_SIGNAL_FILE) {
			take_file(batch, result);
		} else {
			status = add_job(batch, i);
		}
		if (status)
			return status;
	}
	return BL_OK;
}

static enum bl_status write_event(struct batch *batch)
{
	struct policy_run *run = batch->run;
	struct bl_buf text;
	enum bl_status status;

	bl_buf_init(&text, 0);
	bl_json_write(&text, run->event->input, BL_JSON_COMPACT);
	status = bl_buf_status(&text);
	if (!status)
		batch->event = bl_arena_copy_str(run->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	if (status)
		return bl_fail(run->err, status, "the event is too large");
	return batch->event.ptr ? BL_OK : bl_arena_fail(run->arena, run->err);
}

/* Once, however many signals there are: what their sandboxes lack. */
static enum bl_status report_layers(struct policy_run *run,
				    const struct bl_sandbox_machine *machine,
				    bl_layers missing)
{
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	bl_sandbox_print_missing(&text, machine, missing);
	copy = bl_arena_printf(
		run->arena, "the sandbox of signals is without %s", text.ptr);
	bl_buf_clear(&text);
	return policy_trouble(run, BL_FAILURE_SIGNAL_SANDBOX, NULL, copy);
}

static enum bl_status run_children(struct batch *batch)
{
	struct policy_run *run = batch->run;
	struct bl_sandbox_machine machine = { 0 };
	struct bl_error problem = { 0 };
	bl_layers missing = 0;
	enum bl_status status;

	if (!batch->job_count)
		return BL_OK;
	bl_sandbox_look(&machine);
	status = bl_sandbox_run(batch->jobs, batch->job_count, &machine,
				run->arena, &problem);
	for (size_t i = 0; i < batch->job_count; i++) {
		struct bl_signal_result *result =
			&run->report->signals[batch->result_of[i]];

		if (status)
			result->problem = bl_arena_copy_str(
				run->arena, bl_str(problem.message));
		else
			take_child(batch, result, &batch->jobs[i]);
		missing |= batch->jobs[i].missing;
	}
	if (bl_arena_status(run->arena))
		return bl_arena_fail(run->arena, run->err);
	return missing ? report_layers(run, &machine, missing) : BL_OK;
}

/* ---- what is missing ------------------------------------------------------ */

static bool has_name(struct bl_names names, struct bl_str name)
{
	for (size_t i = 0; i < names.count; i++)
		if (bl_str_equal(names.items[i], name))
			return true;
	return false;
}

/* The routed policy that demands it; NULL: none. */
static const struct bl_policy *
demanded_by(const struct batch *batch, size_t first_route, struct bl_str name)
{
	const struct bl_policy_report *report = batch->run->report;

	for (size_t i = first_route; i < report->route_count; i++)
		if (bl_route_runs(report->routes[i].route) &&
		    has_name(report->routes[i].policy->demanded, name))
			return report->routes[i].policy;
	return NULL;
}

static bool is_silence(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_STRING) && !bl_value_text(value).len;
}

static enum bl_status report_missing(struct batch *batch, size_t first_route)
{
	struct policy_run *run = batch->run;
	enum bl_status status = BL_OK;

	for (size_t i = batch->first; !status && i < run->report->signal_count;
	     i++) {
		struct bl_signal_result *result = &run->report->signals[i];
		const struct bl_policy *by =
			demanded_by(batch, first_route, result->name);

		/* Silence is an answer only where none is demanded. */
		if (by && !result->problem.len && is_silence(result->value))
			result->problem = BL_STR("printed nothing");
		if (!result->problem.len)
			continue;
		status = policy_trouble(
			run,
			result->timed_out ? BL_FAILURE_SIGNAL_TIMEOUT
			: by              ? BL_FAILURE_SIGNAL_DEMANDED
					  : BL_FAILURE_SIGNAL_MISSING,
			by,
			bl_arena_printf(run->arena, "signal %.*s: %.*s",
					BL_STR_ARG(result->name),
					BL_STR_ARG(result->problem)));
	}
	return status;
}

static enum bl_status make_object(struct batch *batch,
				  struct bl_value *out_signals)
{
	const struct bl_policy_report *report = batch->run->report;
	struct bl_object_builder made;

	bl_object_builder_init(&made, batch->run->arena);
	for (size_t i = batch->first; i < report->signal_count; i++)
		bl_object_builder_add(&made, report->signals[i].name,
				      report->signals[i].value);
	*out_signals = bl_object_builder_end(&made);
	return bl_value_is_defined(*out_signals)
		       ? BL_OK
		       : bl_arena_fail(batch->run->arena, batch->run->err);
}

enum bl_status policy_run_signals(struct policy_run *run, size_t first,
				  struct bl_value *out_signals)
{
	struct batch batch = { .run = run, .first = run->report->signal_count };
	size_t count;
	enum bl_status status = collect(&batch, first);

	*out_signals = bl_value_undefined();
	count = run->report->signal_count - batch.first;
	if (status || !count)
		return status;
	batch.jobs =
		bl_arena_new_array(run->arena, struct bl_sandbox_job, count);
	batch.result_of = bl_arena_new_array(run->arena, size_t, count);
	if (!batch.jobs || !batch.result_of)
		return bl_arena_fail(run->arena, run->err);
	status = write_event(&batch);
	if (!status)
		status = prepare(&batch);
	if (!status)
		status = run_children(&batch);
	if (!status)
		status = report_missing(&batch, first);
	return status ? status : make_object(&batch, out_signals);
}

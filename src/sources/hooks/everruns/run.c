/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running one hook: payload file, child, outcome (docs/contracts/everruns.md
 * "Running").
 */
#include "sources/hooks/everruns/internal.h"

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
static bool write_payload(struct bl_everruns_env *env, struct bl_arena *arena,
			  struct bl_array_builder *notices)
{
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
		bl_everruns_note(notices,
				 "hook %.*s: its payload file could not be "
				 "written: %s",
				 BL_STR_ARG(env->id), why.message);
	return status == BL_OK && env->path.ptr;
}

/* ---- outcomes of a child ------------------------------------------------ */

static enum bl_status failed(struct bl_everruns_run *run, struct bl_str why,
			     struct bl_arena *arena, struct bl_error *err)
{
	run->outcome = (struct bl_everruns_outcome){
		.kind = BL_EVERRUNS_FAILED,
		.reason = why,
	};
	return why.ptr ? BL_OK : bl_arena_fail(arena, err);
}

static struct bl_str too_much(const struct bl_child_result *child,
			      struct bl_arena *arena)
{
	return bl_arena_printf(
		arena, "hook output exceeded %d bytes (stdout=%zu, stderr=%zu)",
		BL_EVERRUNS_MAX_OUTPUT_BYTES, child->output.len,
		child->errors.len);
}

static enum bl_status classify(const struct bl_everruns_hook *hook,
			       struct bl_everruns_run *run,
			       struct bl_arena *arena, struct bl_error *err)
{
	const struct bl_child_result *child = &run->child;
	struct bl_str why = { NULL, 0 };

	switch (child->end) {
	case BL_CHILD_EXITED:
		return bl_everruns_parse_output(child->code, child->output,
						child->errors, arena,
						&run->outcome, err);
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
		why = bl_arena_printf(arena, "hook execution was stopped");
		break;
	case BL_CHILD_SIGNALLED:
		why = bl_arena_printf(arena,
				      "hook execution error: ended by signal "
				      "%d",
				      child->code);
		break;
	case BL_CHILD_CANNOT_START:
		why = run->refusal.len > 0
			      ? bl_arena_printf(arena,
						"hook execution error: %.*s",
						BL_STR_ARG(run->refusal))
			      : bl_arena_printf(
					arena,
					"hook execution error: could not be "
					"started (%s): %s",
					child->stage ? child->stage : "start",
					strerror(child->code));
		break;
	}
	return failed(run, why, arena, err);
}

/* ---- the run ------------------------------------------------------------ */

/* The resource that the sandbox lacked; ptr NULL: memory. */
static struct bl_str missing_of(const struct bl_sandbox_job *job,
				const struct bl_sandbox_machine *machine,
				struct bl_arena *arena)
{
	struct bl_str text = { NULL, 0 };
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_sandbox_print_missing(&buf, machine, job->missing);
	if (bl_buf_status(&buf) == BL_OK)
		text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

static enum bl_status start(struct bl_everruns_env *env,
			    const char *const *strings, struct bl_arena *arena,
			    struct bl_everruns_run *run, struct bl_error *err)
{
	const char **argv = bl_arena_new_array(arena, const char *, 4);
	const struct bl_everruns_hook *hook = env->hook;
	struct bl_sandbox_request request = hook->sandbox;
	bool is_confined = request.profile && request.profile->is_confined;
	struct bl_sandbox_machine machine;
	struct bl_sandbox_job job = {
		.request = is_confined ? &request : NULL,
		.spec = {
			.argv = argv,
			.env = strings,
			.input = env->payload,
			.timeout_ms = hook->timeout_ms,
			.max_together_bytes = BL_EVERRUNS_MAX_OUTPUT_BYTES,
			.kill_leftovers = true,
		},
	};
	enum bl_status status;

	if (!argv)
		return bl_arena_fail(arena, err);
	argv[0] = "/bin/bash";
	argv[1] = "-c";
	argv[2] = bl_arena_copy_str(arena, hook->command).ptr;
	if (!is_confined)
		job.spec.dir = bl_arena_copy_str(arena, env->workspace).ptr;
	if (!argv[2] || (!is_confined && !job.spec.dir))
		return bl_arena_fail(arena, err);
	request.workspace = env->workspace;
	run->started_wall_ms = bl_os_wall_ms();
	bl_sandbox_look(&machine);
	status = bl_sandbox_run(&job, 1, &machine, arena, err);
	run->child = job.result;
	run->refusal = job.refusal;
	run->missing = missing_of(&job, &machine, arena);
	if (!run->missing.ptr)
		return bl_arena_fail(arena, err);
	run->ran = status == BL_OK && run->child.end != BL_CHILD_CANNOT_START;
	return status;
}

static enum bl_status run_child(struct bl_everruns_env *env, bool has_file,
				struct bl_arena *arena,
				struct bl_array_builder *notices,
				struct bl_everruns_run *run,
				struct bl_error *err)
{
	const char *const *strings = bl_everruns_env(env, arena);
	enum bl_status status;

	if (!strings)
		return bl_arena_fail(arena, err);
	if (env->wrong.len > 0)
		return failed(run,
			      bl_arena_printf(arena,
					      "hook execution error: %.*s",
					      BL_STR_ARG(env->wrong)),
			      arena, err);
	if (env->is_too_long && !has_file)
		return failed(run,
			      BL_STR("hook execution error: the payload is too "
				     "long for a variable, and its file could "
				     "not be written"),
			      arena, err);
	if (env->is_too_long)
		bl_everruns_note(notices,
				 "hook %.*s: the payload of %zu bytes is "
				 "longer than a variable may be: it is in the "
				 "file and on standard input only",
				 BL_STR_ARG(env->id), env->payload.len);
	status = start(env, strings, arena, run, err);
	if (status == BL_OK && run->missing.len > 0)
		bl_everruns_note(notices,
				 "the sandbox of hook %.*s is without %.*s",
				 BL_STR_ARG(env->id), BL_STR_ARG(run->missing));
	if (status == BL_OK)
		status = classify(env->hook, run, arena, err);
	return status;
}

enum bl_status bl_everruns_run(const struct bl_everruns_job *job,
			       struct bl_arena *arena,
			       struct bl_array_builder *notices,
			       struct bl_everruns_run *out_run,
			       struct bl_error *err)
{
	struct bl_everruns_env env = {
		.hook = job->hook,
		.id = job->id,
		.facts = job->facts,
		.workspace = job->workspace,
		.payload = bl_everruns_payload(job->facts, job->id, arena),
	};
	struct bl_everruns_run run = { .ran = false };
	enum bl_status status;
	bool has_file;

	if (!env.payload.ptr)
		return bl_arena_fail(arena, err);
	if (job->hook->is_webhook)
		return bl_everruns_post(job, env.payload, arena, out_run, err);
	has_file = write_payload(&env, arena, notices);
	status = run_child(&env, has_file, arena, notices, &run, err);
	if (has_file && bl_os_remove_file(env.path, NULL) == BL_SYSTEM)
		bl_everruns_note(notices,
				 "hook %.*s: its payload file stays: %.*s",
				 BL_STR_ARG(env.id), BL_STR_ARG(env.path));
	if (status == BL_OK)
		*out_run = run;
	return status;
}

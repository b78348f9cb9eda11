/* SPDX-License-Identifier: Apache-2.0 */
/* Running jobs: plan, start, learn from refusals, and once more. */
#include "sandbox/private.h"

#include <errno.h>

struct batch {
	struct bl_sandbox_job *jobs;
	struct bl_sandbox_plan *plans; /* by job */
	size_t *started;               /* the jobs of this round */
	size_t count;
	struct bl_group *groups; /* by place in started, as are these: */
	struct bl_child_spec *specs;
	struct bl_child_result *results;
	struct bl_sandbox_machine *machine;
	struct bl_arena *arena;
};

static bool is_confined(const struct bl_sandbox_job *job)
{
	return job->request && job->request->profile->is_confined;
}

/* ---- the child of a plan -------------------------------------------- */

static const char *const *join_env(struct bl_arena *arena,
				   const char *const *first,
				   const char *const *second)
{
	size_t count = 0, more = 0;
	const char **env;

	while (first[count])
		count++;
	while (second && second[more])
		more++;
	env = bl_arena_new_array(arena, const char *, count + more + 1);
	if (!env)
		return NULL;
	memcpy(env, first, count * sizeof(*env));
	if (more)
		memcpy(env + count, second, more * sizeof(*env));
	return env;
}

/*
 * Where dir of the host is in there; NULL: memory.  Without its links, as what
 * is bound there is; one that is not there is left to fail by its name.
 */
static const char *place_of(const struct bl_sandbox_plan *plan,
			    struct bl_str workspace, const char *dir,
			    struct bl_arena *arena)
{
	struct bl_str path = bl_str(dir);

	if (!dir && !workspace.len)
		return "/";
	if (!dir)
		path = workspace;
	else if (bl_path_resolve(arena, path, &path, NULL) == BL_NO_MEMORY)
		return NULL;
	if (!(plan->layers & BL_LAYER(MOUNT)) || !workspace.len ||
	    !bl_path_is_in(path, workspace))
		return bl_arena_copy_str(arena, path).ptr;
	return bl_arena_printf(arena, "/workspace%.*s",
			       (int)(path.len - workspace.len),
			       path.ptr + workspace.len)
		.ptr;
}

/* The value behind NAME= of a variable in the list; ptr NULL: another one. */
static struct bl_str path_in(const char *variable, const char *const *names)
{
	for (size_t i = 0; names && names[i]; i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(variable, names[i], len) && variable[len] == '=')
			return bl_str(variable + len + 1);
	}
	return (struct bl_str){ NULL, 0 };
}

/* The environment with those paths as the child sees them; NULL: memory. */
static const char *const *place_env(const struct bl_sandbox_plan *plan,
				    const struct bl_sandbox_job *job,
				    struct bl_arena *arena)
{
	const char *const *env = job->spec.env;
	const char **placed;
	size_t count = 0;

	while (env && env[count])
		count++;
	placed = bl_arena_new_array(arena, const char *, count + 1);
	for (size_t i = 0; placed && i < count; i++) {
		struct bl_str path = path_in(env[i], job->path_variables);
		const char *seen;

		placed[i] = env[i];
		if (!path.len || !bl_path_is_absolute(path))
			continue;
		seen = place_of(plan, plan->workspace, path.ptr, arena);
		placed[i] = seen ? bl_arena_printf(arena, "%.*s%s",
						   (int)(path.ptr - env[i]),
						   env[i], seen)
					    .ptr
				 : NULL;
		if (!placed[i])
			return NULL;
	}
	return placed;
}

static enum bl_status confine(const struct bl_sandbox_plan *plan,
			      const struct bl_sandbox_job *job,
			      struct bl_arena *arena,
			      struct bl_child_spec *spec, struct bl_error *err)
{
	size_t most = spec->max_together_bytes;
	const char *const *own = place_env(plan, job, arena);

	if (!own)
		return bl_arena_fail(arena, err);
	spec->env = join_env(arena, plan->env, own);
	spec->dir = place_of(plan, plan->workspace, spec->dir, arena);
	if (!spec->env || !spec->dir)
		return bl_arena_fail(arena, err);
	spec->steps = plan->child_steps;
	spec->step_count = plan->step_count;
	spec->clone_flags = plan->clone_flags;
	spec->kill_at_once = true;
	spec->kill_leftovers = true;
	spec->ends_whole = plan->layers & BL_LAYER(PID);
	if (!most || most > BL_SANDBOX_OUTPUT_BYTES)
		spec->max_together_bytes = BL_SANDBOX_OUTPUT_BYTES;
	return BL_OK;
}

/* ---- one round ------------------------------------------------------ */

/* A refusal is the job's own result; being out of memory is everybody's. */
static enum bl_status refuse(struct batch *batch, struct bl_sandbox_job *job,
			     const struct bl_error *why, struct bl_error *err)
{
	if (why->status == BL_NO_MEMORY || why->status == BL_LIMIT)
		return bl_fail(err, why->status, "%s", why->message);
	job->refusal = bl_arena_copy_str(batch->arena, bl_str(why->message));
	if (!job->refusal.ptr)
		return bl_arena_fail(batch->arena, err);
	job->result = (struct bl_child_result){
		.end = BL_CHILD_CANNOT_START,
		.code = EPERM,
		.stage = "sandbox",
		.output = BL_STR(""),
		.errors = BL_STR(""),
	};
	return BL_OK;
}

/*
 * The plan for a job, with its group when it has one.  Making the group is
 * where a machine says first what it does not give.
 */
static enum bl_status make_plan(struct batch *batch, size_t i,
				struct bl_group *group, struct bl_error *err)
{
	struct bl_sandbox_plan *plan = &batch->plans[i];
	const struct bl_sandbox_step *step;
	enum bl_status status;
	int why;

	do {
		status = bl_sandbox_plan_make(batch->jobs[i].request,
					      batch->machine, batch->arena,
					      plan, err);
		if (status || !plan->group_step_count)
			return status;
		why = bl_sandbox_group_open(plan, group, &step);
	} while (why && bl_machine_learn(batch->machine, plan, step, why));
	return why ? bl_fail_errno(err, why, "sandbox: %s", step->text) : BL_OK;
}

/*
 * An ordinary child is born in a group of its own too, where one can be made:
 * nothing else ends all that it started.  Where that is refused it does without.
 */
static void make_ordinary_plan(struct batch *batch, size_t i,
			       struct bl_group *group)
{
	struct bl_sandbox_plan *plan = &batch->plans[i];
	const struct bl_sandbox_step *step;

	*plan = (struct bl_sandbox_plan){ 0 };
	if (!batch->machine->group.path[0] ||
	    !(batch->machine->has & BL_LAYER(GROUP)))
		return;
	plan->group_steps = bl_arena_new(batch->arena, struct bl_sandbox_step);
	if (!plan->group_steps)
		return;
	plan->group_steps[0] = (struct bl_sandbox_step){
		.layer = BL_LAYER_GROUP,
		.a = batch->machine->group.path,
	};
	plan->group_step_count = 1;
	plan->layers = BL_LAYER(GROUP);
	if (bl_sandbox_group_open(plan, group, &step))
		batch->machine->has &= ~BL_LAYER(GROUP);
}

/* Plans job i into the round, or refuses it. */
static enum bl_status add_job(struct batch *batch, size_t i,
			      struct bl_error *err)
{
	struct bl_sandbox_job *job = &batch->jobs[i];
	struct bl_sandbox_plan *plan = &batch->plans[i];
	struct bl_child_spec spec = job->spec;
	struct bl_group *group = &batch->groups[batch->count];
	struct bl_error why;
	enum bl_status status = BL_OK;

	*group = (struct bl_group){ .parent_fd = -1, .fd = -1 };
	if (!is_confined(job)) {
		make_ordinary_plan(batch, i, group);
		group->may_stay = !spec.kill_leftovers;
		spec.group_fd = group->fd < 0 ? 0 : group->fd;
	} else {
		if (make_plan(batch, i, group, &why))
			return refuse(batch, job, &why, err);
		status = confine(plan, job, batch->arena, &spec, err);
		spec.group_fd = group->fd < 0 ? 0 : group->fd;
		job->layers = plan->layers;
		job->missing = plan->missing;
	}
	if (status) {
		bl_sandbox_group_close(group);
		return status;
	}
	batch->started[batch->count] = i;
	batch->specs[batch->count++] = spec;
	return BL_OK;
}

/* Was the machine the reason, and is there another way now? */
static bool has_learned(struct batch *batch, size_t i)
{
	const struct bl_sandbox_plan *plan = &batch->plans[i];
	const struct bl_child_result *result = &batch->jobs[i].result;
	const struct bl_sandbox_step *step = NULL;

	if (result->end != BL_CHILD_CANNOT_START)
		return false;
	for (size_t at = 0; at < plan->step_count; at++) {
		if (result->stage == plan->child_steps[at].name)
			step = &plan->steps[at];
	}
	if (!step && !bl_str_is(bl_str(result->stage), "fork"))
		return false;
	return bl_machine_learn(batch->machine, plan, step, result->code);
}

static void close_groups(struct batch *batch)
{
	for (size_t at = 0; at < batch->count; at++)
		bl_sandbox_group_close(&batch->groups[at]);
}

/* Runs the round; those that can be tried again make up the next. */
static enum bl_status run_round(struct batch *batch, struct bl_error *err)
{
	size_t count = batch->count;
	bl_layers before = batch->machine->has;
	enum bl_status status;

	status = bl_child_run(batch->specs, count, batch->arena, batch->results,
			      err);
	for (size_t at = 0; at < count; at++)
		batch->groups[at].may_stay =
			batch->groups[at].may_stay &&
			batch->results[at].end == BL_CHILD_EXITED;
	close_groups(batch);
	batch->count = 0;
	for (size_t at = 0; at < count && !status; at++) {
		size_t i = batch->started[at];
		bl_layers tried = batch->plans[i].layers;

		batch->jobs[i].result = batch->results[at];
		/* Another job may have learned the same a moment ago. */
		if (has_learned(batch, i) ||
		    (batch->results[at].end == BL_CHILD_CANNOT_START &&
		     (tried & before & ~batch->machine->has)))
			status = add_job(batch, i, err);
	}
	return status;
}

enum bl_status bl_sandbox_run(struct bl_sandbox_job *jobs, size_t count,
			      struct bl_sandbox_machine *machine,
			      struct bl_arena *arena, struct bl_error *err)
{
	struct batch batch = {
		.jobs = jobs,
		.plans = bl_arena_new_array(arena, struct bl_sandbox_plan,
					    count + 1),
		.started = bl_arena_new_array(arena, size_t, count + 1),
		.groups = bl_arena_new_array(arena, struct bl_group, count + 1),
		.specs = bl_arena_new_array(arena, struct bl_child_spec,
					    count + 1),
		.results = bl_arena_new_array(arena, struct bl_child_result,
					      count + 1),
		.machine = machine,
		.arena = arena,
	};
	enum bl_status status = BL_OK;

	if (!batch.plans || !batch.started || !batch.groups || !batch.specs ||
	    !batch.results)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count && !status; i++) {
		jobs[i].refusal = BL_STR("");
		jobs[i].layers = jobs[i].missing = 0;
		status = add_job(&batch, i, err);
	}
	/* A round more for every layer that may be lost. */
	for (int i = 0; i <= BL_LAYER_COUNT && batch.count && !status; i++)
		status = run_round(&batch, err);
	close_groups(&batch);
	return status;
}

/* ---- probing -------------------------------------------------------- */

enum bl_status bl_sandbox_probe(struct bl_sandbox_machine *machine,
				bl_layers *out_works, struct bl_arena *arena,
				struct bl_error *err)
{
	static const struct bl_sandbox_profile everything = {
		.name = "probe",
		.is_confined = true,
		.has_everything = true,
	};
	static const char *const argv[] = { "/bin/sh", "-c", ":", NULL };
	const struct bl_sandbox_request request = { .profile = &everything };
	struct bl_sandbox_job job = {
		.request = &request,
		.spec = { .argv = argv, .timeout_ms = 10000 },
	};

	enum bl_status status;

	bl_sandbox_look(machine);
	status = bl_sandbox_run(&job, 1, machine, arena, err);
	if (!status)
		*out_works = job.layers;
	return status;
}

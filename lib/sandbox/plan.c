/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a request to a plan.  The order of the steps matters: the user map
 * before anything that needs its power, mounts before the allow list that
 * names their places, the filter of system calls last.
 */
#include "sandbox/private.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sandbox/seccomp.h"

enum { MAX_STEPS = 4096 };

#define MEBIBYTES(n) ((uint64_t)(n)*1024 * 1024)

/* ---- adding --------------------------------------------------------- */

static bool grow(struct bl_planner *planner)
{
	struct bl_sandbox_plan *plan = planner->plan;
	size_t cap = planner->cap ? planner->cap * 2 : 128;
	struct bl_sandbox_step *steps =
		bl_arena_new_array(planner->arena, struct bl_sandbox_step, cap);

	if (!steps || cap > MAX_STEPS)
		return false;
	if (plan->step_count)
		memcpy(steps, plan->steps, plan->step_count * sizeof(*steps));
	plan->steps = steps;
	planner->cap = cap;
	return true;
}

void bl_planner_add(struct bl_planner *planner, struct bl_sandbox_step step,
		    const char *fmt, ...)
{
	struct bl_sandbox_plan *plan = planner->plan;
	va_list args;

	if (!bl_planner_has(planner, (bl_layers)1 << step.layer))
		return;
	va_start(args, fmt);
	step.text = strchr(fmt, '%')
			    ? bl_arena_vprintf(planner->arena, fmt, args).ptr
			    : fmt;
	va_end(args);
	if (!step.text || (plan->step_count == planner->cap && !grow(planner)))
		planner->no_memory = true;
	else
		plan->steps[plan->step_count++] = step;
}

static const char *printed(struct bl_planner *planner, const char *fmt, ...)
	BL_PRINTF(2, 3);

static const char *printed(struct bl_planner *planner, const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(planner->arena, fmt, args);
	va_end(args);
	planner->no_memory = planner->no_memory || !text.ptr;
	return text.ptr;
}

/* ---- the groups of steps -------------------------------------------- */

static void add_terminal(struct bl_planner *planner)
{
	struct bl_sandbox_step step = { BL_LAYER_LIMITS,
					bl_step_leave_terminal };

	bl_planner_add(planner, step, "no terminal of ours");
}

static void add_user(struct bl_planner *planner)
{
	unsigned user = bl_os_user_id(), group = getegid();
	struct bl_sandbox_step step = {
		BL_LAYER_USER,
		bl_step_map_user,
		.a = printed(planner, "%u %u 1\n", user, user),
		.b = printed(planner, "%u %u 1\n", group, group),
	};

	bl_planner_add(planner, step, "map user %u and group %u, no other",
		       user, group);
}

/* The values for the files of a control group. */
static const struct group_limit {
	const char *file;
	uint64_t value;
	const char *text;
	enum bl_sandbox_layer layer;
	bool may_lack; /* a kernel that does not count swap has no such file */
} group_limits[] = {
	{ "memory.max", MEBIBYTES(BL_SANDBOX_MEMORY_MIB),
	  "at most 2 GiB of memory in all its processes together",
	  BL_LAYER_MEMORY, false },
	{ "memory.swap.max", 0,
	  "nothing of that swapped out, where it is counted", BL_LAYER_MEMORY,
	  true },
	{ "memory.oom.group", 1, "with more than that all of them end",
	  BL_LAYER_MEMORY, false },
	{ "pids.max", BL_SANDBOX_PROCESSES, "at most 512 processes in all",
	  BL_LAYER_PROCESSES, false },
};

static void add_group_limit(struct bl_planner *planner,
			    const struct group_limit *limit)
{
	struct bl_sandbox_plan *plan = planner->plan;

	if (!bl_planner_has(planner, (bl_layers)1 << limit->layer) ||
	    (limit->layer == BL_LAYER_PROCESSES &&
	     !planner->machine->group.counts_processes))
		return;
	plan->group_steps[plan->group_step_count++] = (struct bl_sandbox_step){
		.layer = limit->layer,
		.a = limit->file,
		.b = printed(planner, "%llu", (unsigned long long)limit->value),
		.number = limit->may_lack,
		.text = limit->text,
	};
}

static void add_group(struct bl_planner *planner)
{
	struct bl_sandbox_plan *plan = planner->plan;
	const char *path = planner->machine->group.path;

	if (!bl_planner_has(planner, BL_LAYER(GROUP)))
		return;
	plan->group_steps =
		bl_arena_new_array(planner->arena, struct bl_sandbox_step,
				   BL_COUNT(group_limits) + 1);
	if (!plan->group_steps) {
		planner->no_memory = true;
		return;
	}
	plan->group_steps[plan->group_step_count++] = (struct bl_sandbox_step){
		.layer = BL_LAYER_GROUP,
		.a = printed(planner, "%s", path),
		.text = printed(planner, "born in a group of its own below %s",
				path),
	};
	for (size_t i = 0; i < BL_COUNT(group_limits); i++)
		add_group_limit(planner, &group_limits[i]);
}

/*
 * RLIMIT_NPROC is not asked of root, whose pid namespace gets few numbers
 * instead (the first 300 only once each).  Without a user namespace the limit
 * counts all processes of the user, so it has to be larger.
 */
static void add_processes(struct bl_planner *planner)
{
	bool counts_all = !bl_planner_has(planner, BL_LAYER(USER));
	unsigned most = BL_SANDBOX_PROCESSES * (counts_all ? 8 : 1);
	struct bl_sandbox_step limit = {
		BL_LAYER_PROCESSES,
		bl_step_limit,
		.number = RLIMIT_NPROC,
		.other = most,
	};
	struct bl_sandbox_step numbers = {
		BL_LAYER_PROCESSES,
		bl_step_write_file,
		.a = "/proc/sys/kernel/pid_max",
		.b = printed(planner, "%d", BL_SANDBOX_PROCESSES),
	};

	if (bl_os_user_id() == 0 && bl_planner_has(planner, BL_LAYER(PID)) &&
	    planner->machine->has_pid_max)
		bl_planner_add(planner, numbers,
			       "%d numbers for processes, no more",
			       BL_SANDBOX_PROCESSES);
	else if (bl_os_user_id() != 0)
		bl_planner_add(planner, limit, "at most %u processes%s", most,
			       counts_all ? " of the user" : "");
}

static const struct {
	int which;
	uint64_t value;
	const char *text;
} limits[] = {
	{ RLIMIT_CORE, 0, "no core files" },
	{ RLIMIT_DATA, MEBIBYTES(BL_SANDBOX_MEMORY_MIB),
	  "at most 2 GiB of memory in each process" },
	{ RLIMIT_FSIZE, MEBIBYTES(BL_SANDBOX_FILE_MIB),
	  "no file larger than 1 GiB" },
	{ RLIMIT_NOFILE, BL_SANDBOX_FILES, "at most 1024 open files" },
	{ RLIMIT_MEMLOCK, MEBIBYTES(1), "at most 1 MiB of locked memory" },
	{ RLIMIT_MSGQUEUE, 0, "no message queues of POSIX" },
};

static void add_limits(struct bl_planner *planner)
{
	struct bl_sandbox_step end = { BL_LAYER_LIMITS,
				       bl_step_die_with_parent };

	for (size_t i = 0; i < BL_COUNT(limits); i++) {
		struct bl_sandbox_step step = {
			BL_LAYER_LIMITS,
			bl_step_limit,
			.number = (uint64_t)limits[i].which,
			.other = limits[i].value,
		};

		bl_planner_add(planner, step, "%s", limits[i].text);
	}
	bl_planner_add(planner, end, "die with belay");
}

static void add_privileges(struct bl_planner *planner)
{
	struct bl_sandbox_step forbid = { BL_LAYER_PRIVILEGES,
					  bl_step_no_new_privileges };
	struct bl_sandbox_step drop = { BL_LAYER_PRIVILEGES,
					bl_step_drop_capabilities };

	bl_planner_add(planner, forbid, "no program gives privileges");
	bl_planner_add(planner, drop, "drop all capabilities");
}

/* Sockets and queues that are harmless, since they lead nowhere else. */
static unsigned filter_allows(const struct bl_planner *planner)
{
	bool has_own_sockets = bl_planner_has(planner, BL_LAYER(MOUNT)) &&
			       (bl_planner_has(planner, BL_LAYER(NET)) ||
				bl_planner_has(planner, BL_LAYER(SCOPE)));
	unsigned allows = 0;

	if (has_own_sockets)
		allows |= BL_SECCOMP_UNIX;
	if (planner->request->network)
		allows |= BL_SECCOMP_INET;
	if (bl_planner_has(planner, BL_LAYER(IPC)))
		allows |= BL_SECCOMP_IPC;
	/* Landlock does not guard them; read-only mounts do. */
	if (bl_planner_has(planner, BL_LAYER(MOUNT)))
		allows |= BL_SECCOMP_MODES;
	if (bl_planner_has(planner, BL_LAYER(PID)))
		allows |= BL_SECCOMP_PROCESSES;
	return allows;
}

static void add_filter(struct bl_planner *planner)
{
	unsigned allows = filter_allows(planner);
	struct bl_sandbox_step step = {
		BL_LAYER_SECCOMP,
		bl_step_filter,
	};

	if (!bl_planner_has(planner, BL_LAYER(SECCOMP)))
		return;
	step.table =
		bl_seccomp_make(bl_seccomp_native(), allows, planner->arena);
	planner->no_memory = planner->no_memory || !step.table;
	bl_planner_add(planner, step,
		       "filter system calls (sockets: %s%s; queues: %s)",
		       allows & BL_SECCOMP_UNIX   ? "local"
		       : allows & BL_SECCOMP_INET ? ""
						  : "none",
		       allows & BL_SECCOMP_INET ? " network" : "",
		       allows & BL_SECCOMP_IPC ? "its own" : "none");
}

static void add_host_name(struct bl_planner *planner)
{
	struct bl_sandbox_step step = { BL_LAYER_UTS, bl_step_host_name,
					.a = "belay" };

	bl_planner_add(planner, step, "host name belay");
}

static void add_environment(struct bl_planner *planner)
{
	bool has_root = bl_planner_has(planner, BL_LAYER(MOUNT));
	const char **env = bl_arena_new_array(planner->arena, const char *, 8);
	size_t count = 0;

	if (!env) {
		planner->no_memory = true;
		return;
	}
	env[count++] = "PATH=/usr/local/bin:/usr/bin:/bin";
	env[count++] = "LANG=C.UTF-8";
	env[count++] = has_root ? "HOME=/tmp" : "HOME=/";
	if (has_root)
		env[count++] = "TMPDIR=/tmp";
	env[count++] = printed(planner, "BELAY_SANDBOX=%s",
			       planner->request->profile->name);
	if (planner->workspace.len && has_root)
		env[count++] = "WORKSPACE=/workspace";
	else if (planner->workspace.len)
		env[count++] = printed(planner, "WORKSPACE=%.*s",
				       BL_STR_ARG(planner->workspace));
	planner->plan->env = env;
}

/* ---- layers --------------------------------------------------------- */

static const struct {
	bl_layers layer;
	uint32_t flag;
} clone_flags[] = {
	{ BL_LAYER(USER), CLONE_NEWUSER }, { BL_LAYER(MOUNT), CLONE_NEWNS },
	{ BL_LAYER(PID), CLONE_NEWPID },   { BL_LAYER(IPC), CLONE_NEWIPC },
	{ BL_LAYER(UTS), CLONE_NEWUTS },   { BL_LAYER(NET), CLONE_NEWNET },
};

static enum bl_status refuse(const struct bl_planner *planner, bl_layers need)
{
	struct bl_buf text;
	enum bl_status status;
	bool first = true;

	bl_buf_init(&text, BL_ERROR_TEXT_BYTES);
	for (int i = 0; i < BL_LAYER_COUNT; i++) {
		enum bl_sandbox_layer layer = (enum bl_sandbox_layer)i;

		if (!(need & (bl_layers)1 << i))
			continue;
		bl_buf_printf(&text, "%s%s (", first ? "" : " or ",
			      bl_layer_name(layer));
		bl_sandbox_print_lost(&text, planner->machine, layer);
		bl_buf_put_char(&text, ')');
		first = false;
	}
	status = bl_fail(planner->err, BL_UNSUPPORTED,
			 "sandbox profile %s needs a layer that this machine "
			 "does not give: %s",
			 planner->request->profile->name, text.ptr);
	bl_buf_clear(&text);
	return status;
}

/* Chooses the layers, or says which one is missing. */
static enum bl_status choose_layers(struct bl_planner *planner)
{
	const struct bl_sandbox_profile *profile = planner->request->profile;
	bl_layers has = bl_machine_layers(planner->machine);
	bl_layers wanted = ((bl_layers)1 << BL_LAYER_COUNT) - 1;
	struct bl_sandbox_plan *plan = planner->plan;

	if (planner->request->network)
		wanted &= ~BL_LAYER(NET);
	if (has & BL_LAYER(PID) && !(has & BL_LAYER(MEMORY)) &&
	    !profile->has_everything)
		wanted &= ~BL_LAYER(GROUP); /* it ends as a whole anyway */
	plan->layers = wanted & has;
	plan->missing = wanted & ~has & ~BL_LAYERS_EXTRA;
	for (size_t i = 0; i < BL_SANDBOX_NEEDS && profile->needs[i]; i++) {
		bl_layers need = profile->needs[i] & wanted;

		if (need && !(need & has))
			return refuse(planner, need);
	}
	for (size_t i = 0; i < BL_COUNT(clone_flags); i++) {
		if (plan->layers & clone_flags[i].layer)
			plan->clone_flags |= clone_flags[i].flag;
	}
	return BL_OK;
}

/* ---- folders -------------------------------------------------------- */

static enum bl_status resolve(struct bl_planner *planner, struct bl_str path,
			      const char *what, struct bl_str *out_path)
{
	struct bl_file_info info;
	enum bl_status status;

	status = bl_path_resolve(planner->arena, path, out_path, planner->err);
	if (!status)
		status = bl_os_info_path(*out_path, &info, planner->err);
	if (status) {
		bl_error_context(planner->err, "%s of the sandbox", what);
		return status;
	}
	if (info.type != BL_FILE_DIRECTORY || out_path->len < 2)
		return bl_fail(planner->err, BL_INVALID,
			       "%s of the sandbox, '%.*s', %s", what,
			       BL_STR_ARG(*out_path),
			       out_path->len < 2 ? "is the whole file system"
						 : "is not a folder");
	return BL_OK;
}

static enum bl_status resolve_workspace(struct bl_planner *planner)
{
	const struct bl_sandbox_request *request = planner->request;

	if (request->profile->workspace == BL_ACCESS_NONE)
		return BL_OK;
	if (!request->workspace.len)
		return bl_fail(planner->err, BL_INVALID,
			       "sandbox profile %s needs a workspace",
			       request->profile->name);
	return resolve(planner, request->workspace, "the workspace",
		       &planner->workspace);
}

/* The readable folders that are not to be seen anyway. */
static enum bl_status resolve_readable(struct bl_planner *planner)
{
	const struct bl_sandbox_request *request = planner->request;
	size_t count =
		request->profile->has_readable ? request->readable_count : 0;

	planner->readable = bl_arena_new_array(planner->arena, struct bl_str,
					       count ? count : 1);
	if (!planner->readable)
		return bl_arena_fail(planner->arena, planner->err);
	for (size_t i = 0; i < count; i++) {
		struct bl_str path;
		enum bl_status status = resolve(planner, request->readable[i],
						"a readable folder", &path);

		if (status)
			return status;
		if (bl_sandbox_is_of_system(path) ||
		    (planner->workspace.len &&
		     bl_path_is_in(path, planner->workspace)))
			continue;
		planner->readable[planner->readable_count++] = path;
	}
	return BL_OK;
}

/* ---- the plan ------------------------------------------------------- */

static enum bl_status link_steps(struct bl_planner *planner)
{
	struct bl_sandbox_plan *plan = planner->plan;
	struct bl_child_step *steps = bl_arena_new_array(
		planner->arena, struct bl_child_step, plan->step_count + 1);

	if (!steps || planner->no_memory)
		return bl_fail_memory(planner->err);
	for (size_t i = 0; i < plan->step_count; i++)
		steps[i] = (struct bl_child_step){ plan->steps[i].text,
						   plan->steps[i].run,
						   &plan->steps[i] };
	plan->child_steps = steps;
	return BL_OK;
}

static void add_all(struct bl_planner *planner)
{
	add_group(planner);
	add_terminal(planner);
	add_user(planner);
	add_processes(planner);
	bl_planner_add_mounts(planner);
	add_host_name(planner);
	add_limits(planner);
	add_privileges(planner);
	bl_planner_add_landlock(planner);
	add_filter(planner);
	add_environment(planner);
}

enum bl_status bl_sandbox_plan_make(const struct bl_sandbox_request *request,
				    const struct bl_sandbox_machine *machine,
				    struct bl_arena *arena,
				    struct bl_sandbox_plan *out_plan,
				    struct bl_error *err)
{
	struct bl_planner planner = {
		.request = request,
		.machine = machine,
		.arena = arena,
		.plan = out_plan,
		.err = err,
		.fd = bl_arena_new(arena, int),
	};
	enum bl_status status;

	*out_plan = (struct bl_sandbox_plan){ .request = request };
	if (!planner.fd)
		return bl_arena_fail(arena, err);
	status = choose_layers(&planner);
	if (!status)
		status = resolve_workspace(&planner);
	if (!status)
		status = resolve_readable(&planner);
	if (status)
		return status;
	out_plan->workspace = planner.workspace;
	add_all(&planner);
	return link_steps(&planner);
}

static void print_steps(struct bl_buf *out, const struct bl_sandbox_step *steps,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		bl_buf_printf(out, "%s: %s\n", bl_layer_name(steps[i].layer),
			      steps[i].text);
}

void bl_sandbox_plan_print(struct bl_buf *out,
			   const struct bl_sandbox_plan *plan)
{
	print_steps(out, plan->group_steps, plan->group_step_count);
	print_steps(out, plan->steps, plan->step_count);
	for (size_t i = 0; plan->env[i]; i++)
		bl_buf_printf(out, "environment: %s\n", plan->env[i]);
}

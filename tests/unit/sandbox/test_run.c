/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <dirent.h>
#include <signal.h>

#include "planning.h"

static struct bl_sandbox_job job;
static const char *const base_env[] = { "X=y", NULL };

/* Runs a script in a sandbox of the machine as it is set. */
static enum bl_status run(const char *profile, const char *script)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };

	request = (struct bl_sandbox_request){
		.workspace = bl_str(workspace),
	};
	bl_sandbox_parse(bl_str(profile), &request);
	job = (struct bl_sandbox_job){
		.request = &request,
		.spec = { .argv = argv,
			  .env = base_env,
			  .input = BL_STR("payload"),
			  .timeout_ms = 10000 },
	};
	return bl_sandbox_run(&job, 1, &machine, &arena, &error);
}

static bool ended(int code, const char *output)
{
	if (job.result.end == BL_CHILD_CANNOT_START)
		TAP_NOTE("%s: %s %d: %.*s", output, job.result.stage,
			 job.result.code, BL_STR_ARG(job.refusal));
	return job.result.end == BL_CHILD_EXITED && job.result.code == code &&
	       bl_str_is(job.result.output, output);
}

/* Whatever this machine has: a child sees its payload and its environment. */
static void as_it_is(void)
{
	bl_sandbox_look(&machine);
	CHECK_STATUS(run("workspace", "cat; echo \" $X $BELAY_SANDBOX $USER\""),
		     BL_OK);
	CHECK(ended(0, "payload y workspace \n"));
	CHECK(job.layers & BL_LAYER(SECCOMP));
	printf("# layers here: ");
	bl_buf_reset(&text);
	bl_layers_print(&text, job.layers, " ");
	printf("%s\n", text.ptr);
}

/* The second step of the ladder is told by the same words. */
static void without_namespaces(void)
{
	bl_sandbox_look(&machine);
	if (!machine.landlock_abi) {
		printf("# NOT TESTED: this machine has no Landlock\n");
		return;
	}
	machine.has &= ~NAMESPACES;
	CHECK_STATUS(run("workspace", "cat; pwd >&2; echo x >f && cat f"),
		     BL_OK);
	CHECK(ended(0, "payloadx\n"));
	CHECK(bl_str_has_prefix(job.result.errors, bl_str(workspace)));
	CHECK_INT(job.missing & NAMESPACES, NAMESPACES);
	CHECK_STATUS(run("readonly", "rm f"), BL_OK);
	CHECK(job.result.code != 0);
	CHECK_STATUS(run("workspace", "rm f"), BL_OK);
	CHECK_INT(job.result.code, 0);
}

/* A folder that is named by way of a link, or from where we are. */
static void folders_by_other_names(void)
{
	static const char *const argv[] = { "/bin/sh", "-c", "pwd -P", NULL };
	char before[512];
	const char *const names[] = { "../belay-run-link",
				      "/tmp/belay-run-link", "." };

	REQUIRE(getcwd(before, sizeof(before)) && !chdir(workspace));
	unlink("/tmp/belay-run-link");
	REQUIRE(!symlink(workspace, "/tmp/belay-run-link"));
	bl_sandbox_look(&machine);
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		CHECK_STATUS(run("readonly", "pwd -P"), BL_OK);
		job.spec.argv = argv;
		job.spec.dir = names[i];
		CHECK_STATUS(bl_sandbox_run(&job, 1, &machine, &arena, &error),
			     BL_OK);
		CHECK(ended(0,
			    machine.has & BL_LAYER(MOUNT)
				    ? "/workspace\n"
				    : bl_arena_printf(&arena, "%s\n", workspace)
					      .ptr));
	}
	unlink("/tmp/belay-run-link");
	REQUIRE(!chdir(before));
}

static void refused(void)
{
	bl_sandbox_look(&machine);
	machine.has &= ~BL_LAYER(SECCOMP);
	CHECK_STATUS(run("workspace", "echo must not run"), BL_OK);
	CHECK_INT(job.result.end, BL_CHILD_CANNOT_START);
	CHECK_STR(bl_str(job.result.stage), "sandbox");
	CHECK(bl_str_find(job.refusal, BL_STR("seccomp"), 0) != SIZE_MAX);
	/* A caller that passes NULL is not told. */
	CHECK_STATUS(bl_sandbox_run(&job, 1, &machine, &arena, NULL), BL_OK);
	CHECK(job.refusal.len > 0);
}

static void not_confined(void)
{
	bl_sandbox_look(&machine);
	CHECK_STATUS(run("none", "cat; echo $BELAY_SANDBOX"), BL_OK);
	CHECK(ended(0, "payload\n"));
	CHECK_INT(job.layers, 0);
	job.request = NULL;
}

/* Groups of ours below the one where they are made. */
static int count_groups(void)
{
	char mine[32];
	const struct dirent *item;
	DIR *dir = opendir(machine.group.path);
	int count = 0;

	snprintf(mine, sizeof(mine), "belay-%d-", (int)getpid());
	while (dir && (item = readdir(dir)))
		count += !strncmp(item->d_name, mine, strlen(mine));
	if (dir)
		closedir(dir);
	return count;
}

/* An ordinary child has a group where there can be one, which then is gone. */
static void ordinary_group(void)
{
	pid_t daemon;

	bl_sandbox_look(&machine);
	if (!machine.group.path[0]) {
		printf("# NOT TESTED: no control group can be made here\n");
		return;
	}
	CHECK_STATUS(run("none", "cat /proc/self/cgroup"), BL_OK);
	CHECK(bl_str_find(job.result.output, BL_STR("/belay-"), 0) != SIZE_MAX);
	CHECK_INT(count_groups(), 0);
	/* Its leftovers are left alone. */
	CHECK_STATUS(run("none", "setsid sleep 9 >/dev/null 2>&1 & echo $!"),
		     BL_OK);
	daemon = (pid_t)strtol(job.result.output.ptr, NULL, 10);
	CHECK_INT(kill(daemon, SIGKILL), 0);
	/* A group that is refused is done without. */
	bl_sandbox_look(&machine);
	snprintf(machine.group.path, sizeof(machine.group.path), "/proc");
	CHECK_STATUS(run("none", "echo x"), BL_OK);
	CHECK(ended(0, "x\n"));
}

/* Confined and not, refused and not, side by side. */
static void side_by_side(void)
{
	const char *const argv[] = { "/bin/sh", "-c",
				     "echo \"<$BELAY_SANDBOX>\"", NULL };
	struct bl_sandbox_request requests[2] = {
		{ .workspace = bl_str(workspace) },
		{ .workspace = BL_STR("/nonexistent") },
	};
	struct bl_sandbox_job jobs[3] = {
		{ .request = &requests[0], .spec.argv = argv },
		{ .request = &requests[1], .spec.argv = argv },
		{ .spec.argv = argv },
	};

	bl_sandbox_look(&machine);
	bl_sandbox_parse(BL_STR("readonly"), &requests[0]);
	bl_sandbox_parse(BL_STR("workspace"), &requests[1]);
	CHECK_STATUS(bl_sandbox_run(jobs, 3, &machine, &arena, &error), BL_OK);
	CHECK_STR(jobs[0].result.output, "<readonly>\n");
	CHECK_INT(jobs[1].result.end, BL_CHILD_CANNOT_START);
	CHECK(jobs[1].refusal.len > 0);
	CHECK_STR(jobs[2].result.output, "<>\n");
	CHECK_INT(jobs[2].refusal.len, 0);
}

/* A command that is not there says nothing of the machine. */
static void no_such_command(void)
{
	const char *const argv[] = { "/nonexistent/command", NULL };
	bl_layers before;

	bl_sandbox_look(&machine);
	CHECK_STATUS(run("workspace", ":"), BL_OK);
	before = machine.has;
	job.spec = (struct bl_child_spec){ .argv = argv };
	CHECK_STATUS(bl_sandbox_run(&job, 1, &machine, &arena, &error), BL_OK);
	CHECK_INT(job.result.end, BL_CHILD_CANNOT_START);
	CHECK_STR(bl_str(job.result.stage), "exec");
	CHECK_INT(job.result.code, ENOENT);
	CHECK_INT(machine.has, before);
}

static void output_cap(void)
{
	bl_sandbox_look(&machine);
	CHECK_STATUS(run("workspace", "yes & yes >&2; wait"), BL_OK);
	CHECK_INT(job.result.end, BL_CHILD_TOO_MUCH);
	CHECK_INT(job.result.output.len + job.result.errors.len,
		  BL_SANDBOX_OUTPUT_BYTES);
}

static void out_of_memory(void)
{
	const char *const argv[] = { "/bin/true", NULL };

	bl_sandbox_look(&machine);
	CHECK_STATUS(run("workspace", ":"), BL_OK);
	for (size_t bytes = 64; bytes < 16 * 1024; bytes += 512) {
		struct bl_arena tiny;
		struct bl_sandbox_job other = { .request = &request,
						.spec.argv = argv };
		enum bl_status status;

		bl_arena_init(&tiny, NULL, 0, bytes);
		status = bl_sandbox_run(&other, 1, &machine, &tiny, &error);
		CHECK(status == BL_LIMIT || status == BL_NO_MEMORY ||
		      (bytes > 2048 && status == BL_OK));
		bl_arena_clear(&tiny);
	}
}

static void probing(void)
{
	bl_layers works = 0;

	CHECK_STATUS(bl_sandbox_probe(&machine, &works, &arena, &error), BL_OK);
	CHECK_INT(works & ~machine.has, 0);
	CHECK(works & BL_LAYER(PRIVILEGES));
}

int main(void)
{
	if (!planning_open())
		return 1;
	RUN(as_it_is);
	RUN(without_namespaces);
	RUN(folders_by_other_names);
	RUN(refused);
	RUN(not_confined);
	RUN(ordinary_group);
	RUN(side_by_side);
	RUN(no_such_command);
	RUN(output_cap);
	RUN(out_of_memory);
	RUN(probing);
	planning_close();
	return tap_end();
}

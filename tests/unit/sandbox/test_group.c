/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control groups: as this machine has them, and the fallback where it lacks them.
 * tests/live/sandbox/groups measures what they limit.
 */
#include "tap.h"

#include <sys/wait.h>

#include "planning.h"

static struct bl_sandbox_job jobs[2];
static struct bl_sandbox_request plain;

/* Whether this machine has groups; says so when it lacks them. */
static bool has_group(void)
{
	bl_sandbox_look(&machine);
	if (machine.has & BL_LAYER(GROUP))
		return true;
	printf("# NOT TESTED: no control group that is ours to divide\n");
	return false;
}

static size_t count_groups(const char *prefix)
{
	struct bl_str *names;
	size_t count, found = 0;

	if (bl_os_list_dir(bl_str(machine.group.path), 10000, &arena, &names,
			   &count, &error))
		return SIZE_MAX;
	for (size_t i = 0; i < count; i++)
		found += bl_str_has_prefix(names[i], bl_str(prefix));
	return found;
}

static size_t groups_of_this_test(void)
{
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "belay-%d-", (int)getpid());
	return count_groups(prefix);
}

/* As workspace, and in a group also where a pid namespace ends all of it. */
static const struct bl_sandbox_profile grouped = {
	.name = "grouped",
	.is_confined = true,
	.has_everything = true,
	.workspace = BL_ACCESS_WRITE,
};

/* A script in the sandbox, and beside it a child that is not one of its. */
static void run_with_a_neighbour(const char *script, uint32_t timeout_ms)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	const char *const nap[] = { "/bin/sleep", "0.5", NULL };

	request = (struct bl_sandbox_request){
		.profile = &grouped,
		.workspace = bl_str(workspace),
	};
	bl_sandbox_parse(BL_STR("none"), &plain);
	jobs[0] = (struct bl_sandbox_job){
		.request = &request,
		.spec = { .argv = argv, .timeout_ms = timeout_ms },
	};
	jobs[1] = (struct bl_sandbox_job){ .request = &plain,
					   .spec = { .argv = nap } };
	CHECK_STATUS(bl_sandbox_run(jobs, 2, &machine, &arena, &error), BL_OK);
}

static void born_in_it_and_removed(void)
{
	if (!has_group())
		return;
	run_with_a_neighbour("grep ^0:: /proc/self/cgroup", 10000);
	CHECK(jobs[0].layers & BL_LAYER(GROUP));
	CHECK(bl_str_find(jobs[0].result.output, BL_STR("/belay-"), 0) !=
	      SIZE_MAX);
	CHECK_INT(groups_of_this_test(), 0);
}

/*
 * Without a pid namespace, beside a child that may leave something behind: by
 * its parents a daemon cannot be told from what is not ours.  By the group it
 * can.
 */
static void daemons_end_with_it(void)
{
	char late[64];

	if (!has_group() || !machine.landlock_abi)
		return;
	machine.has &= ~NAMESPACES;
	run_with_a_neighbour("(setsid sh -c 'sleep 0.7; echo >late' &) "
			     ">&- 2>&-; sleep 5",
			     300);
	CHECK(jobs[0].layers & BL_LAYER(GROUP));
	CHECK_INT(jobs[0].result.end, BL_CHILD_TIMED_OUT);
	CHECK_INT(groups_of_this_test(), 0);
	usleep(700000);
	snprintf(late, sizeof(late), "%s/late", workspace);
	CHECK(access(late, F_OK));
}

/* A limit that cannot be set: the layer goes, the command is run. */
static void limit_refused(void)
{
	if (!has_group() || machine.group.counts_memory)
		return;
	machine.has |= BL_LAYER(MEMORY);
	machine.group.counts_memory = true;
	run_with_a_neighbour("echo ran", 10000);
	CHECK_STR(jobs[0].result.output, "ran\n");
	CHECK(jobs[0].layers & BL_LAYER(GROUP));
	CHECK(!(machine.has & BL_LAYER(MEMORY)));
	CHECK_INT(jobs[0].missing & BL_LAYER(MEMORY), 0);
	CHECK_INT(groups_of_this_test(), 0);
}

/* Where there is no group the command is run without; rlimits are there. */
static void no_group(void)
{
	static const struct bl_sandbox_group nowhere = { .path = "/nonexistent",
							 .counts_processes =
								 true };

	bl_sandbox_look(&machine);
	machine.has |= BL_LAYER(GROUP);
	machine.group = nowhere;
	run_with_a_neighbour("ulimit -d", 10000);
	CHECK(!(machine.has & BL_LAYER(GROUP)));
	CHECK(!(jobs[0].layers & (BL_LAYER(GROUP) | BL_LAYER(MEMORY))));
	CHECK_STR(jobs[0].result.output, "2097152\n"); /* KiB */
}

/* A profile that needs it is refused, and says what is missing. */
static void needed(void)
{
	static const struct bl_sandbox_profile needs = {
		.name = "needs",
		.is_confined = true,
		.needs = { BL_LAYER(MEMORY) },
	};
	const char *const argv[] = { "/bin/true", NULL };

	bl_sandbox_look(&machine);
	if (machine.group.counts_memory)
		return;
	request = (struct bl_sandbox_request){ .profile = &needs };
	jobs[0] = (struct bl_sandbox_job){ .request = &request,
					   .spec.argv = argv };
	CHECK_STATUS(bl_sandbox_run(jobs, 1, &machine, &arena, &error), BL_OK);
	CHECK_INT(jobs[0].result.end, BL_CHILD_CANNOT_START);
	CHECK(bl_str_find(jobs[0].refusal, BL_STR("memory ("), 0) != SIZE_MAX);
}

/* The groups that a killed belay has left are removed by the next. */
static void stale(void)
{
	char path[BL_SANDBOX_GROUP_BYTES + 32];
	pid_t dead;

	if (!has_group())
		return;
	dead = fork();
	if (!dead)
		_exit(0);
	CHECK_INT(waitpid(dead, NULL, 0), dead);
	snprintf(path, sizeof(path), "%s/belay-%d-0", machine.group.path,
		 (int)dead);
	REQUIRE(!mkdir(path, 0755));
	run_with_a_neighbour(":", 10000);
	CHECK(access(path, F_OK));
}

int main(void)
{
	if (!planning_open())
		return 1;
	RUN(born_in_it_and_removed);
	RUN(daemons_end_with_it);
	RUN(limit_refused);
	RUN(no_group);
	RUN(needed);
	RUN(stale);
	planning_close();
	return tap_end();
}

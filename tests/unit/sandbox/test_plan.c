/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <sched.h>
#include <sys/syscall.h>

#include "bpf.h"
#include "planning.h"
#include "sandbox/seccomp.h"

static const struct bl_sandbox_step *step_of(int (*run)(const void *))
{
	size_t at = place_of_step(run);

	return at == SIZE_MAX ? NULL : &plan.steps[at];
}

/* The variant that the plan's filter is, by what it decides. */
static unsigned filter_of_plan(void)
{
	static const struct {
		unsigned allows;
		uint32_t number;
		uint64_t argument;
	} signs[] = {
		{ BL_SECCOMP_UNIX, SYS_socket, 1 },
		{ BL_SECCOMP_INET, SYS_socket, 2 },
		{ BL_SECCOMP_IPC, SYS_shmget, 0 },
		{ BL_SECCOMP_MODES, SYS_fchown, 0 },
		{ BL_SECCOMP_PROCESSES, SYS_prlimit64, 17 },
	};
	const struct bl_sandbox_step *step = step_of(bl_step_filter);
	const struct bl_bpf_program *program = step ? step->table : NULL;
	unsigned allows = 0;

	for (size_t i = 0; program && i < BL_COUNT(signs); i++) {
		const struct call call = {
			.number = signs[i].number,
			.arch = NATIVE_TOKEN,
			.arguments = { signs[i].argument },
		};

		if (decide(program->insns, program->len, &call) ==
		    BL_SECCOMP_RET_ALLOW)
			allows |= signs[i].allows;
	}
	return program ? allows : 99;
}

static const struct bl_landlock_ruleset *ruleset_of_plan(void)
{
	return step_of(bl_step_ruleset)->table;
}

/* ---- what a profile gives ------------------------------------------- */

static void everything_there(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK_INT(plan.layers, EVERYTHING);
	CHECK_INT(plan.missing, 0);
	CHECK_INT(plan.clone_flags, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID |
					    CLONE_NEWIPC | CLONE_NEWUTS |
					    CLONE_NEWNET);
	CHECK(says("\nlandlock: allow reading /\n"));
	CHECK(says("\nlandlock: allow writing /workspace\n"));
	CHECK(says("\nenvironment: WORKSPACE=/workspace\n"));
	CHECK_INT(filter_of_plan(), BL_SECCOMP_UNIX | BL_SECCOMP_IPC |
					    BL_SECCOMP_MODES |
					    BL_SECCOMP_PROCESSES);
	CHECK_INT(ruleset_of_plan()->net, 3);
	CHECK_INT(ruleset_of_plan()->scoped, 3);
}

/* Made by us, before all else; its limits are those that it counts. */
static void group(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK(says("\ncgroup: born in a group of its own below "
		   "/sys/fs/cgroup/ours\n"
		   "memory: at most 2 GiB of memory in all its processes "
		   "together\n"));
	CHECK(says("\nprocesses: at most 512 processes in all\n"));
	REQUIRE(plan.group_step_count == 5);
	CHECK_STR(bl_str(plan.group_steps[1].a), "memory.max");
	CHECK_STR(bl_str(plan.group_steps[1].b), "2147483648");
	CHECK_STR(bl_str(plan.group_steps[4].a), "pids.max");
	CHECK_STR(bl_str(plan.group_steps[4].b), "512");
	machine.has &= ~BL_LAYER(MEMORY);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK_INT(plan.group_step_count, 0); /* the pid namespace will do */
	machine.has &= ~BL_LAYER(PID);
	machine.group.counts_processes = false;
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK_INT(plan.group_step_count, 1);
	CHECK_INT(plan.missing & BL_LAYERS_EXTRA, 0);
	machine_without(BL_LAYER(GROUP));
	CHECK_STATUS(plan_for("strict"), BL_OK);
	CHECK_INT(plan.group_step_count, 0);
	CHECK(!says("\nmemory: "));
	CHECK_INT(plan.missing, 0);
}

static void order(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK(place_of_step(bl_step_map_user) < place_of_step(bl_step_private));
	CHECK(place_of_step(bl_step_enter) < place_of_step(bl_step_ruleset));
	CHECK(place_of_step(bl_step_no_new_privileges) <
	      place_of_step(bl_step_restrict));
	CHECK(place_of_step(bl_step_drop_capabilities) <
	      place_of_step(bl_step_filter));
	CHECK_INT(place_of_step(bl_step_filter), plan.step_count - 1);
	for (size_t i = 0; i < plan.step_count; i++)
		CHECK(plan.child_steps[i].run == plan.steps[i].run &&
		      plan.child_steps[i].data == &plan.steps[i]);
}

static void readonly(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("readonly"), BL_OK);
	CHECK(!says("allow writing /workspace"));
	CHECK(says("workspace: no set-user-id, no devices, read-only\n"));
}

static void strict(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("strict"), BL_OK);
	CHECK(!says("workspace"));
	CHECK(!says("WORKSPACE"));
	CHECK(!says(workspace));
}

static void network(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace+network"), BL_OK);
	CHECK(!(plan.layers & BL_LAYER(NET)));
	CHECK(!(plan.missing & BL_LAYER(NET)));
	CHECK_INT(plan.clone_flags & CLONE_NEWNET, 0);
	CHECK_INT(ruleset_of_plan()->net, 0);
	CHECK_INT(filter_of_plan(), BL_SECCOMP_UNIX | BL_SECCOMP_INET |
					    BL_SECCOMP_IPC | BL_SECCOMP_MODES |
					    BL_SECCOMP_PROCESSES);
	if (access("/etc/resolv.conf", F_OK) == 0)
		CHECK(says("bind /etc/resolv.conf"));
}

/* ---- the ladder ----------------------------------------------------- */

static void without_namespaces(void)
{
	machine_without(NAMESPACES);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK_INT(plan.clone_flags, 0);
	CHECK_INT(plan.missing & NAMESPACES, NAMESPACES);
	CHECK(place_of_step(bl_step_enter) == SIZE_MAX);
	CHECK(says("landlock: allow reading /usr\n"));
	CHECK(!says("landlock: allow reading /\n"));
	CHECK(!says("landlock: allow reading /proc"));
	CHECK(!says("allow writing /tmp\n"));
	CHECK_INT(filter_of_plan(), 0); /* no socket, no queue of the host */
	CHECK_STATUS(plan_for("workspace+network"), BL_OK);
	CHECK_INT(filter_of_plan(), BL_SECCOMP_INET);
}

static void old_landlock(void)
{
	static const struct {
		int abi;
		size_t bytes;
		uint64_t files;
	} versions[] = {
		{ 1, 8, 0x1fff },  { 2, 8, 0x3fff },  { 3, 8, 0x7fff },
		{ 4, 16, 0x7fff }, { 5, 16, 0xffff }, { 6, 24, 0xffff },
	};

	for (size_t i = 0; i < BL_COUNT(versions); i++) {
		machine_without(versions[i].abi < 6 ? BL_LAYER(SCOPE) : 0);
		machine.landlock_abi = versions[i].abi;
		CHECK_STATUS(plan_for("workspace"), BL_OK);
		CHECK_INT(step_of(bl_step_ruleset)->number, versions[i].bytes);
		CHECK_INT(ruleset_of_plan()->files, versions[i].files);
		for (size_t at = 0; at < plan.step_count; at++) {
			const struct bl_sandbox_step *step = &plan.steps[at];

			if (step->run == bl_step_allow)
				CHECK_INT(step->number & ~versions[i].files, 0);
		}
	}
}

static bool refusal_has(const char *part)
{
	return bl_str_find(bl_str(error.message), bl_str(part), 0) != SIZE_MAX;
}

static void refusals(void)
{
	machine_without(BL_LAYER(SECCOMP));
	CHECK_STATUS(plan_for("readonly"), BL_UNSUPPORTED);
	CHECK(refusal_has("profile readonly needs a layer"));
	CHECK(refusal_has(": seccomp ("));
	machine_without(BL_LAYER(LANDLOCK));
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK_STATUS(plan_for("strict"), BL_UNSUPPORTED);
	CHECK(refusal_has(": landlock ("));
	machine_without(BL_LAYER(LANDLOCK) | BL_LAYER(MOUNT));
	CHECK_STATUS(plan_for("workspace"), BL_UNSUPPORTED);
	CHECK(refusal_has("mount ("));
	CHECK(refusal_has(" or landlock ("));
	machine_without(NAMESPACES);
	CHECK_STATUS(plan_for("strict"), BL_UNSUPPORTED);
	machine_without(BL_LAYER(NET));
	CHECK_STATUS(plan_for("strict"), BL_UNSUPPORTED);
	CHECK_STATUS(plan_for("strict+network"), BL_OK);
}

/* ---- folders -------------------------------------------------------- */

static void wrong_workspaces(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	request.workspace = BL_STR("/");
	CHECK_STATUS(
		bl_sandbox_plan_make(&request, &machine, &arena, &plan, &error),
		BL_INVALID);
	CHECK(refusal_has("whole file system"));
	request.workspace = BL_STR("/etc/passwd");
	CHECK_STATUS(
		bl_sandbox_plan_make(&request, &machine, &arena, &plan, &error),
		BL_INVALID);
	request.workspace = BL_STR("/nonexistent");
	CHECK_STATUS(
		bl_sandbox_plan_make(&request, &machine, &arena, &plan, &error),
		BL_NOT_FOUND);
	request.workspace = BL_STR("");
	CHECK_STATUS(
		bl_sandbox_plan_make(&request, &machine, &arena, &plan, &error),
		BL_INVALID);
	CHECK(refusal_has("needs a workspace"));
}

static void readable_folders(void)
{
	const struct bl_str folders[] = { BL_STR("/usr/bin"), BL_STR("/srv"),
					  bl_str(workspace) };

	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	request.readable = folders;
	request.readable_count = 3;
	CHECK_STATUS(
		bl_sandbox_plan_make(&request, &machine, &arena, &plan, &error),
		BL_OK);
	CHECK(says("bind /srv from the host's /srv\n"));
	CHECK(!says("bind /usr/bin")); /* there anyway, as the next */
	CHECK(says("\nmount: link "));
	CHECK_STATUS(plan_for("strict"), BL_OK);
	CHECK(!says("/srv"));
}

int main(void)
{
	if (!planning_open())
		return 1;
	RUN(everything_there);
	RUN(group);
	RUN(order);
	RUN(readonly);
	RUN(strict);
	RUN(network);
	RUN(without_namespaces);
	RUN(old_landlock);
	RUN(refusals);
	RUN(wrong_workspaces);
	RUN(readable_folders);
	planning_close();
	return tap_end();
}

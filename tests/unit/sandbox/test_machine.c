/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "planning.h"

static bool lost_is(enum bl_sandbox_layer layer, const char *expected)
{
	bl_buf_reset(&text);
	bl_sandbox_print_lost(&text, &machine, layer);
	return bl_str_is(bl_buf_str(&text), expected);
}

static void what_depends(void)
{
	machine_without(BL_LAYER(USER));
	CHECK_INT(bl_machine_layers(&machine) & NAMESPACES, 0);
	machine.is_admin = true; /* needs no user namespace */
	CHECK_INT(bl_machine_layers(&machine) & NAMESPACES,
		  NAMESPACES & ~BL_LAYER(USER));
	machine_without(BL_LAYER(PID));
	CHECK(!(bl_machine_layers(&machine) & BL_LAYER(PROC)));
	machine_without(BL_LAYER(LANDLOCK));
	CHECK(!(bl_machine_layers(&machine) & BL_LAYER(SCOPE)));
}

/* The group goes first: it is the least. */
static void group_refused(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK(bl_machine_learn(&machine, &plan, NULL, ENOSYS));
	CHECK_INT(EVERYTHING & ~machine.has, BL_LAYER(GROUP));
	CHECK(!(bl_machine_layers(&machine) & BL_LAYER(MEMORY)));
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	REQUIRE(plan.group_step_count == 5);
	CHECK(bl_machine_learn(&machine, &plan, &plan.group_steps[1], ENOENT));
	CHECK_INT(EVERYTHING & ~machine.has, BL_LAYER(MEMORY));
	CHECK(!bl_machine_learn(&machine, &plan, &plan.group_steps[0], EMFILE));
}

static void clone_refused(void)
{
	machine_without(BL_LAYER(GROUP));
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK(bl_machine_learn(&machine, &plan, NULL, EPERM));
	CHECK_INT(EVERYTHING & ~machine.has, BL_LAYER(GROUP) | BL_LAYER(USER));
	CHECK(lost_is(BL_LAYER_USER, "clone: Operation not permitted"));
	CHECK(lost_is(BL_LAYER_PID,
		      "needs user, clone: Operation not permitted"));
	CHECK(lost_is(BL_LAYER_SECCOMP, "there"));
}

/* A user who may make namespaces without a user namespace tries that, too. */
static void clone_refused_twice(void)
{
	machine_without(BL_LAYER(GROUP) | BL_LAYER(USER));
	machine.is_admin = true;
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK(plan.layers & BL_LAYER(MOUNT));
	CHECK(bl_machine_learn(&machine, &plan, NULL, EPERM));
	CHECK_INT(machine.has & NAMESPACES, 0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK_INT(plan.clone_flags, 0);
	CHECK(!bl_machine_learn(&machine, &plan, NULL, EPERM));
}

static void step_refused(void)
{
	const struct bl_sandbox_step *step;

	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	step = &plan.steps[place_of_step(bl_step_proc)];
	CHECK(bl_machine_learn(&machine, &plan, step, EPERM));
	CHECK_INT(EVERYTHING & ~machine.has, BL_LAYER(PROC));
	CHECK(lost_is(BL_LAYER_PROC, "/proc with its own processes only: "
				     "Operation not permitted"));
	CHECK(!bl_machine_learn(&machine, &plan, step, EPERM));
}

/* A folder that has gone, or memory that is out, says nothing of a layer. */
static void other_failures(void)
{
	machine_without(0);
	CHECK_STATUS(plan_for("workspace"), BL_OK);
	CHECK(!bl_machine_learn(&machine, &plan, &plan.steps[0], ENOENT));
	CHECK(!bl_machine_learn(&machine, &plan, NULL, EAGAIN));
	CHECK(!bl_machine_learn(&machine, &plan, NULL, ENOMEM));
	CHECK_INT(machine.has, EVERYTHING);
}

static void looking(void)
{
	bl_sandbox_look(&machine);
	CHECK_INT((machine.has & BL_LAYER(LANDLOCK)) != 0,
		  machine.landlock_abi > 0);
	CHECK_INT((machine.has & BL_LAYER(SCOPE)) != 0,
		  machine.landlock_abi >= 6);
	CHECK_INT((machine.has & BL_LAYER(USER)) != 0,
		  access("/proc/self/ns/user", F_OK) == 0);
}

static void missing(void)
{
	machine_without(BL_LAYER(USER));
	snprintf(machine.lost[BL_LAYER_USER].what, sizeof(machine.lost[0].what),
		 "clone");
	machine.lost[BL_LAYER_USER].sys_errno = EPERM;
	bl_buf_reset(&text);
	bl_sandbox_print_missing(&text, &machine,
				 BL_LAYER(USER) | BL_LAYER(NET));
	CHECK_STR(bl_buf_str(&text), "user (clone: Operation not permitted), "
				     "net (needs user, clone: Operation not "
				     "permitted)");
}

int main(void)
{
	if (!planning_open())
		return 1;
	RUN(what_depends);
	RUN(group_refused);
	RUN(clone_refused);
	RUN(clone_refused_twice);
	RUN(step_refused);
	RUN(other_failures);
	RUN(looking);
	RUN(missing);
	planning_close();
	return tap_end();
}

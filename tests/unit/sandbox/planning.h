/* SPDX-License-Identifier: Apache-2.0 */
/* Machines made by hand, and the plans for them. */
#ifndef BELAY_TESTS_SANDBOX_PLANNING_H
#define BELAY_TESTS_SANDBOX_PLANNING_H

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/private.h"

#define EVERYTHING (((bl_layers)1 << BL_LAYER_COUNT) - 1)
#define NAMESPACES                                                             \
	(BL_LAYER(USER) | BL_LAYER(MOUNT) | BL_LAYER(PID) | BL_LAYER(PROC) |   \
	 BL_LAYER(IPC) | BL_LAYER(UTS) | BL_LAYER(NET))

static struct bl_arena arena;
static struct bl_error error;
static struct bl_buf text;
static struct bl_sandbox_machine machine;
static struct bl_sandbox_request request;
static struct bl_sandbox_plan plan;
static char workspace[] = "/tmp/belay-plan-XXXXXX";

/* A machine that has all but without; an ordinary one, as to its user. */
static inline void machine_without(bl_layers without)
{
	machine = (struct bl_sandbox_machine){
		.has = EVERYTHING & ~without,
		.landlock_abi = without & BL_LAYER(LANDLOCK) ? 0 : 7,
		.has_pid_max = true,
		.group = { "/sys/fs/cgroup/ours", true, true },
	};
}

static inline enum bl_status plan_for(const char *profile)
{
	request = (struct bl_sandbox_request){
		.workspace = bl_str(workspace),
	};
	if (!bl_sandbox_parse(bl_str(profile), &request))
		return BL_NOT_FOUND;
	return bl_sandbox_plan_make(&request, &machine, &arena, &plan, &error);
}

/* Does the printed plan hold this line? */
static inline bool says(const char *line)
{
	bl_buf_reset(&text);
	bl_buf_put_char(&text, '\n');
	bl_sandbox_plan_print(&text, &plan);
	return bl_str_find(bl_buf_str(&text), bl_str(line), 0) != SIZE_MAX;
}

/* The place of the first step of this kind; SIZE_MAX: absent. */
static inline size_t place_of_step(int (*run)(const void *))
{
	for (size_t i = 0; i < plan.step_count; i++) {
		if (plan.steps[i].run == run)
			return i;
	}
	return SIZE_MAX;
}

static inline bool planning_open(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&text, 0);
	return mkdtemp(workspace) != NULL;
}

static inline void planning_close(void)
{
	rmdir(workspace);
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
}

#endif

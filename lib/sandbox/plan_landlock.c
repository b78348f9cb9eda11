/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allow list of Landlock.  In a private root everything may be read, since
 * only what may be read is there; without one, the list is what makes it so.
 */
#include "sandbox/private.h"

#include <sys/stat.h>

#include "sandbox/linux_abi.h"

#define READ                                                                   \
	((uint64_t)BL_LANDLOCK_EXECUTE | BL_LANDLOCK_READ_FILE |               \
	 BL_LANDLOCK_READ_DIR)
#define WRITE                                                                  \
	(READ | BL_LANDLOCK_WRITE_FILE | BL_LANDLOCK_REMOVE_DIR |              \
	 BL_LANDLOCK_REMOVE_FILE | BL_LANDLOCK_MAKE_DIR |                      \
	 BL_LANDLOCK_MAKE_REG | BL_LANDLOCK_MAKE_SOCK |                        \
	 BL_LANDLOCK_MAKE_FIFO | BL_LANDLOCK_MAKE_SYM | BL_LANDLOCK_REFER |    \
	 BL_LANDLOCK_TRUNCATE)
#define OF_FILES                                                               \
	((uint64_t)BL_LANDLOCK_EXECUTE | BL_LANDLOCK_READ_FILE |               \
	 BL_LANDLOCK_WRITE_FILE | BL_LANDLOCK_TRUNCATE)
#define DEVICES (OF_FILES & ~(uint64_t)BL_LANDLOCK_EXECUTE)
#define EVERYTHING                                                             \
	(WRITE | BL_LANDLOCK_MAKE_CHAR | BL_LANDLOCK_MAKE_BLOCK |              \
	 BL_LANDLOCK_IOCTL_DEV)

/* Rights unknown to a version must not be requested. */
static uint64_t known(const struct bl_planner *planner, uint64_t access)
{
	int abi = planner->machine->landlock_abi;

	if (abi < BL_LANDLOCK_ABI_REFER)
		access &= ~(uint64_t)BL_LANDLOCK_REFER;
	if (abi < BL_LANDLOCK_ABI_TRUNCATE)
		access &= ~(uint64_t)BL_LANDLOCK_TRUNCATE;
	if (abi < BL_LANDLOCK_ABI_IOCTL)
		access &= ~(uint64_t)BL_LANDLOCK_IOCTL_DEV;
	return access;
}

static void allow(struct bl_planner *planner, const char *path, uint64_t access,
		  const char *verb)
{
	struct bl_sandbox_step step = {
		BL_LAYER_LANDLOCK, bl_step_allow,
		.a = path,         .number = known(planner, access),
		.fd = planner->fd,
	};

	bl_planner_add(planner, step, "allow %s %s", verb, path);
}

static void allow_str(struct bl_planner *planner, struct bl_str path,
		      uint64_t access, const char *verb)
{
	const char *copy = bl_arena_copy_str(planner->arena, path).ptr;

	planner->no_memory = planner->no_memory || !copy;
	if (copy)
		allow(planner, copy, access, verb);
}

/* Of each that is there, a folder or a file. */
static void allow_reading(struct bl_planner *planner, const char *const *paths)
{
	for (size_t i = 0; paths[i]; i++) {
		struct stat st;

		if (!stat(paths[i], &st))
			allow(planner, paths[i],
			      S_ISDIR(st.st_mode) ? READ : READ & OF_FILES,
			      "reading");
	}
}

static void allow_devices(struct bl_planner *planner)
{
	for (size_t i = 0; bl_system_devices[i]; i++)
		allow(planner, bl_system_devices[i], DEVICES, "using");
}

static void allow_in_own_root(struct bl_planner *planner)
{
	enum bl_sandbox_access access = planner->request->profile->workspace;

	allow(planner, "/", READ, "reading");
	allow(planner, "/tmp", WRITE, "writing");
	allow(planner, "/dev", DEVICES | BL_LANDLOCK_READ_DIR, "using");
	if (access == BL_ACCESS_WRITE)
		allow(planner, "/workspace", WRITE, "writing");
}

static void allow_in_root_of_host(struct bl_planner *planner)
{
	bool may_write =
		planner->request->profile->workspace == BL_ACCESS_WRITE;

	allow_devices(planner);
	allow_reading(planner, bl_system_folders);
	allow_reading(planner, bl_system_files);
	if (planner->request->network)
		allow_reading(planner, bl_network_files);
	for (size_t i = 0; i < planner->readable_count; i++)
		allow_str(planner, planner->readable[i], READ, "reading");
	if (planner->workspace.len)
		allow_str(planner, planner->workspace, may_write ? WRITE : READ,
			  may_write ? "writing" : "reading");
}

static const struct bl_landlock_ruleset *
make_ruleset(struct bl_planner *planner, size_t *out_bytes)
{
	struct bl_landlock_ruleset *ruleset =
		bl_arena_new(planner->arena, struct bl_landlock_ruleset);

	if (!ruleset)
		return NULL;
	*out_bytes = offsetof(struct bl_landlock_ruleset, net);
	ruleset->files = known(planner, EVERYTHING);
	if (planner->machine->landlock_abi >= BL_LANDLOCK_ABI_NET) {
		*out_bytes = offsetof(struct bl_landlock_ruleset, scoped);
		if (!planner->request->network)
			ruleset->net =
				BL_LANDLOCK_BIND_TCP | BL_LANDLOCK_CONNECT_TCP;
	}
	if (bl_planner_has(planner, BL_LAYER(SCOPE))) {
		*out_bytes = sizeof(*ruleset);
		ruleset->scoped = BL_LANDLOCK_SCOPE_ABSTRACT_UNIX |
				  BL_LANDLOCK_SCOPE_SIGNAL;
	}
	return ruleset;
}

void bl_planner_add_landlock(struct bl_planner *planner)
{
	size_t bytes = 0;
	struct bl_sandbox_step begin = {
		BL_LAYER_LANDLOCK,
		bl_step_ruleset,
		.table = make_ruleset(planner, &bytes),
		.fd = planner->fd,
	};
	struct bl_sandbox_step end = { BL_LAYER_LANDLOCK, bl_step_restrict,
				       .fd = planner->fd };
	const struct bl_landlock_ruleset *ruleset = begin.table;

	begin.number = bytes;
	if (!ruleset) {
		planner->no_memory = true;
		return;
	}
	bl_planner_add(planner, begin, "an allow list of files%s%s",
		       ruleset->net ? ", no TCP" : "",
		       ruleset->scoped ? ", no signals to others" : "");
	if (bl_planner_has(planner, BL_LAYER(MOUNT)))
		allow_in_own_root(planner);
	else
		allow_in_root_of_host(planner);
	bl_planner_add(planner, end, "nothing but what is on the list");
}

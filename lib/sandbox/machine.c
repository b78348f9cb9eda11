/* SPDX-License-Identifier: Apache-2.0 */
/* The features of this machine: probed, and learned from refusals. */
#include "sandbox/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sandbox/seccomp.h"

#define NAMESPACES                                                             \
	(BL_LAYER(MOUNT) | BL_LAYER(PID) | BL_LAYER(PROC) | BL_LAYER(IPC) |    \
	 BL_LAYER(UTS) | BL_LAYER(NET))

/* No rlimit of processes binds root. */
#define OTHER_LIMITS_OF_PROCESSES "for root needs Linux 6.14 or a control group"

static void lose(struct bl_sandbox_machine *machine,
		 enum bl_sandbox_layer layer, int sys_errno, const char *what)
{
	if (!(machine->has & (bl_layers)1 << layer))
		return;
	machine->has &= ~((bl_layers)1 << layer);
	machine->lost[layer].sys_errno = sys_errno;
	snprintf(machine->lost[layer].what, sizeof(machine->lost[layer].what),
		 "%s", what);
}

/* ---- looking -------------------------------------------------------- */

/* Namespaces that the kernel was built with have a file here. */
static const struct {
	enum bl_sandbox_layer layer;
	const char *name;
} namespaces[] = {
	{ BL_LAYER_USER, "user" }, { BL_LAYER_MOUNT, "mnt" },
	{ BL_LAYER_PID, "pid" },   { BL_LAYER_IPC, "ipc" },
	{ BL_LAYER_UTS, "uts" },   { BL_LAYER_NET, "net" },
};

/* Since Linux 6.14 each pid namespace has a pid_max of its own. */
static bool has_own_pid_max(void)
{
	struct utsname name;
	unsigned major, minor;

	return !uname(&name) &&
	       sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 14));
}

/* Where nobody says so, the kernel will when it is asked for them. */
static void look_at_namespaces(struct bl_sandbox_machine *machine)
{
	int fd = open("/proc/self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	for (size_t i = 0; i < BL_COUNT(namespaces); i++) {
		if (faccessat(fd, namespaces[i].name, F_OK, 0))
			lose(machine, namespaces[i].layer, errno,
			     namespaces[i].name);
	}
	close(fd);
}

static void look_at_group(struct bl_sandbox_machine *machine, bool asks_limits)
{
	*machine = (struct bl_sandbox_machine){
		.has = ((bl_layers)1 << BL_LAYER_COUNT) - 1,
	};
	if (!bl_sandbox_group_find(&machine->group, asks_limits))
		lose(machine, BL_LAYER_GROUP, 0,
		     "no control group (v2) that is ours to divide");
	if (!machine->group.counts_memory)
		lose(machine, BL_LAYER_MEMORY, 0,
		     machine->group.path[0]
			     ? "our control group does not count it"
			     : "needs the control group");
}

void bl_sandbox_look_at_group(struct bl_sandbox_machine *machine)
{
	look_at_group(machine, false);
}

void bl_sandbox_look(struct bl_sandbox_machine *machine)
{
	look_at_group(machine, true);
	machine->landlock_abi = bl_landlock_abi();
	machine->is_admin = bl_has_capability(BL_CAP_SYS_ADMIN);
	machine->has_pid_max = has_own_pid_max();
	look_at_namespaces(machine);
	if (!machine->landlock_abi)
		lose(machine, BL_LAYER_LANDLOCK, ENOSYS, "landlock");
	if (machine->landlock_abi < BL_LANDLOCK_ABI_SCOPE)
		lose(machine, BL_LAYER_SCOPE, 0, "needs Landlock 6");
	if (bl_seccomp_native() == BL_SECCOMP_ARCHITECTURES)
		lose(machine, BL_LAYER_SECCOMP, 0,
		     "there is no filter for this architecture");
	if (bl_os_user_id() == 0 && !machine->has_pid_max &&
	    !machine->group.counts_processes)
		lose(machine, BL_LAYER_PROCESSES, 0, OTHER_LIMITS_OF_PROCESSES);
}

/* ---- learning ------------------------------------------------------- */

/* Layers that are nothing without another one, which comes first. */
static const struct {
	bl_layers layers;
	enum bl_sandbox_layer needs;
	bool for_users; /* and not for who may make namespaces as he is */
} needs[] = {
	{ NAMESPACES, BL_LAYER_USER, true },
	{ BL_LAYER(PROC), BL_LAYER_MOUNT, false },
	{ BL_LAYER(PROC), BL_LAYER_PID, false },
	{ BL_LAYER(SCOPE), BL_LAYER_LANDLOCK, false },
	{ BL_LAYER(MEMORY), BL_LAYER_GROUP, false },
};

bl_layers bl_machine_layers(const struct bl_sandbox_machine *machine)
{
	bl_layers has = machine->has;

	for (size_t i = 0; i < BL_COUNT(needs); i++) {
		if (!(has & (bl_layers)1 << needs[i].needs) &&
		    !(needs[i].for_users && machine->is_admin))
			has &= ~needs[i].layers;
	}
	if (bl_os_user_id() == 0 &&
	    !(has & BL_LAYER(PID) && machine->has_pid_max) &&
	    !(has & BL_LAYER(GROUP) && machine->group.counts_processes))
		has &= ~BL_LAYER(PROCESSES);
	return has;
}

/* The error codes by which the kernel, a container or a security module refuses. */
static bool is_refusal(int sys_errno)
{
	static const int refusals[] = { EPERM,  EACCES, EINVAL, ENOSYS,
					ENOSPC, EUSERS, ENODEV, EOPNOTSUPP };

	for (size_t i = 0; i < BL_COUNT(refusals); i++) {
		if (sys_errno == refusals[i])
			return true;
	}
	return false;
}

/* Further error codes of the files of a control group. */
static bool is_refusal_of_group(int sys_errno)
{
	static const int refusals[] = { ENOENT, EROFS, EBUSY, EAGAIN, ERANGE };

	for (size_t i = 0; i < BL_COUNT(refusals); i++) {
		if (sys_errno == refusals[i])
			return true;
	}
	return false;
}

/*
 * The group first, then the namespaces as a whole: clone does not say which it
 * minds.
 */
static bool learn_from_clone(struct bl_sandbox_machine *machine,
			     const struct bl_sandbox_plan *plan, int sys_errno)
{
	if (plan->layers & BL_LAYER(GROUP)) {
		lose(machine, BL_LAYER_GROUP, sys_errno, "clone");
		return true;
	}
	if (!plan->clone_flags)
		return false;
	if (plan->layers & BL_LAYER(USER)) {
		lose(machine, BL_LAYER_USER, sys_errno, "clone");
		return true;
	}
	for (int i = 0; i < BL_LAYER_COUNT; i++) {
		if (NAMESPACES & (bl_layers)1 << i)
			lose(machine, (enum bl_sandbox_layer)i, sys_errno,
			     "clone");
	}
	return true;
}

bool bl_machine_learn(struct bl_sandbox_machine *machine,
		      const struct bl_sandbox_plan *plan,
		      const struct bl_sandbox_step *step, int sys_errno)
{
	if (!is_refusal(sys_errno) &&
	    !(step && !step->run && is_refusal_of_group(sys_errno)))
		return false;
	if (!step)
		return learn_from_clone(machine, plan, sys_errno);
	if (!(machine->has & (bl_layers)1 << step->layer))
		return false;
	lose(machine, step->layer, sys_errno, step->text);
	return true;
}

/* The layer that this one lacks; BL_LAYER_COUNT: none. */
static enum bl_sandbox_layer
what_lacks(const struct bl_sandbox_machine *machine,
	   enum bl_sandbox_layer layer)
{
	for (size_t i = 0; i < BL_COUNT(needs); i++) {
		if (needs[i].layers & (bl_layers)1 << layer &&
		    !(machine->has & (bl_layers)1 << needs[i].needs) &&
		    !(needs[i].for_users && machine->is_admin))
			return needs[i].needs;
	}
	return BL_LAYER_COUNT;
}

void bl_sandbox_print_lost(struct bl_buf *out,
			   const struct bl_sandbox_machine *machine,
			   enum bl_sandbox_layer layer)
{
	enum bl_sandbox_layer lacks;

	if (bl_machine_layers(machine) & (bl_layers)1 << layer) {
		bl_buf_puts(out, "there");
		return;
	}
	if (machine->has & (bl_layers)1 << layer) {
		lacks = what_lacks(machine, layer);
		if (lacks == BL_LAYER_COUNT) {
			bl_buf_puts(out, OTHER_LIMITS_OF_PROCESSES);
			return;
		}
		bl_buf_printf(out, "needs %s, ", bl_layer_name(lacks));
		layer = lacks;
	}
	bl_buf_puts(out, machine->lost[layer].what);
	if (machine->lost[layer].sys_errno)
		bl_buf_printf(out, ": %s",
			      strerror(machine->lost[layer].sys_errno));
}

void bl_sandbox_print_missing(struct bl_buf *out,
			      const struct bl_sandbox_machine *machine,
			      bl_layers missing)
{
	bool first = true;

	for (int i = 0; i < BL_LAYER_COUNT; i++) {
		enum bl_sandbox_layer layer = (enum bl_sandbox_layer)i;

		if (!(missing & (bl_layers)1 << i))
			continue;
		bl_buf_printf(out, "%s%s (", first ? "" : ", ",
			      bl_layer_name(layer));
		bl_sandbox_print_lost(out, machine, layer);
		bl_buf_put_char(out, ')');
		first = false;
	}
}

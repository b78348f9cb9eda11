/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Giving up work that another thread waits for: a flag that wakes a poll loop,
 * and a deadline.  Separate from the loops that ask, since children, requests
 * and policies all do.
 */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/os.h"

enum bl_status bl_flag_init(struct bl_flag *flag, struct bl_error *err)
{
	atomic_init(&flag->is_raised, false);
	flag->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (flag->fd < 0)
		return bl_fail_errno(err, errno, "eventfd");
	return BL_OK;
}

void bl_flag_raise(struct bl_flag *flag)
{
	const uint64_t one = 1;

	if (atomic_exchange(&flag->is_raised, true))
		return;
	/* Fails only when the counter is full, and this is its first count. */
	while (write(flag->fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

bool bl_flag_is_raised(const struct bl_flag *flag)
{
	return atomic_load(&flag->is_raised);
}

void bl_flag_clear(struct bl_flag *flag)
{
	flag->fd = bl_os_close(flag->fd);
}

enum bl_stop_reason bl_stop_ask(const struct bl_stop *stop)
{
	if (!stop)
		return BL_STOP_NONE;
	if (stop->flag && bl_flag_is_raised(stop->flag))
		return BL_STOP_CANCELLED;
	if (stop->deadline_ns && bl_os_monotonic_ns() >= stop->deadline_ns)
		return BL_STOP_DEADLINE;
	return BL_STOP_NONE;
}

int bl_stop_fd(const struct bl_stop *stop)
{
	return stop && stop->flag ? stop->flag->fd : -1;
}

int64_t bl_stop_deadline_ns(const struct bl_stop *stop)
{
	return stop && stop->deadline_ns ? stop->deadline_ns : INT64_MAX;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of an image, as they were when they were read. */
#include "sources/policies/private.h"

/*
 * A file that changes twice within one tick of its clock has one and the same
 * stamp both times, so what is as new as that is not put into images.  Ticks
 * are at most 10 ms on Linux, and up to two seconds where file systems count
 * in whole seconds.
 */
enum { FINE_TICK_NS = 20 * 1000 * 1000 };
#define COARSE_TICK_NS INT64_C(2500000000)

static struct policy_stamp stamp_of(struct bl_str path)
{
	struct policy_stamp stamp = { .path = path };

	stamp.is_there = !bl_os_info_target(path, &stamp.info, NULL);
	if (!stamp.is_there)
		stamp.info = (struct bl_file_info){ 0 };
	return stamp;
}

static bool is_settled(int64_t time_ns, int64_t now_ns)
{
	int64_t tick = time_ns % 1000000000 ? FINE_TICK_NS : COARSE_TICK_NS;

	return time_ns < now_ns - tick;
}

static bool is_same(const struct policy_stamp *before)
{
	struct policy_stamp now = stamp_of(before->path);

	return now.is_there == before->is_there &&
	       now.info.device == before->info.device &&
	       now.info.inode == before->info.inode &&
	       now.info.size_bytes == before->info.size_bytes &&
	       now.info.mtime_ns == before->info.mtime_ns &&
	       now.info.ctime_ns == before->info.ctime_ns;
}

bool bl_policy_has_changed(const struct bl_policy_set *set)
{
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		const struct policy_stamps *stamps = set->dirs[i].stamps;

		if (stamps && stamps->has_unsettled)
			return true;
		for (size_t at = 0; stamps && at < stamps->count; at++)
			if (!is_same(&stamps->items[at]))
				return true;
	}
	return false;
}

bool policy_add_stamp(struct policy_stamps *stamps, struct bl_str path)
{
	struct policy_stamp *items;

	if (!stamps)
		return true;
	items = bl_arena_room(stamps->arena, stamps->items, stamps->count,
			      &stamps->cap, sizeof(*items));
	if (!items)
		return false;
	stamps->items = items;
	items[stamps->count] = stamp_of(path);
	/* Not mtime: whoever may write a file may set that as he likes. */
	stamps->has_unsettled |=
		items[stamps->count].is_there &&
		!is_settled(items[stamps->count].info.ctime_ns, stamps->now_ns);
	stamps->count++;
	return true;
}

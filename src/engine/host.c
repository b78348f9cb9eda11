/* SPDX-License-Identifier: Apache-2.0 */
/* The time zones and random numbers that Rego asks of the system. */
#include "engine/engine.h"
#include "os/os.h"

enum { MAX_ZONE_BYTES = 1 << 20 };

bool bl_engine_read_zone(void *context, struct bl_arena *arena,
			 struct bl_str name, struct bl_str *out_tzif)
{
	struct bl_str path =
		bl_path_join(arena, BL_STR("/usr/share/zoneinfo"), name);

	(void)context;
	return path.ptr && !bl_os_read_file(path, 0, MAX_ZONE_BYTES, arena,
					    out_tzif, NULL, NULL);
}

bool bl_engine_fill_random(void *context, void *out, size_t len)
{
	(void)context;
	return !bl_os_random(out, len, NULL);
}

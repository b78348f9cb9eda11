/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rego_eval_options.h"

#include "os/os.h"

enum { MAX_ZONE_BYTES = 1 << 20 };

/* The name has no ".." and does not begin with "/": see rego/rego.h. */
static bool read_zone(void *context, struct bl_arena *arena, struct bl_str name,
		      struct bl_str *out_tzif)
{
	struct bl_str path =
		bl_path_join(arena, BL_STR("/usr/share/zoneinfo"), name);

	(void)context;
	return path.ptr && bl_os_read_file(path, 0, MAX_ZONE_BYTES, arena,
					   out_tzif, NULL, NULL) == BL_OK;
}

static bool fill_random(void *context, void *out, size_t len)
{
	(void)context;
	return bl_os_random(out, len, NULL) == BL_OK;
}

struct bl_rego_options cli_rego_eval_options(struct bl_value data)
{
	return (struct bl_rego_options){
		.data = data,
		.now_ns = bl_os_wall_ms() * 1000000,
		.read_zone = read_zone,
		.fill_random = fill_random,
	};
}

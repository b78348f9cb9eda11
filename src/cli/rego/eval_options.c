/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that an evaluation gets from the machine: data, clock, time zones, randomness.
 */
#include "cli/rego/eval_options.h"

#include "engine/engine.h"
#include "os/os.h"

struct bl_rego_options cli_rego_eval_options(struct bl_value data)
{
	return (struct bl_rego_options){
		.data = data,
		.host = { .now_ns = bl_os_wall_ms() * 1000000,
			  .read_zone = bl_engine_read_zone,
			  .fill_random = bl_engine_fill_random },
	};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "tap.h"

/* Values of docs/contracts/cursor.md "Limits", not those of limits.def. */
static void defaults_are_the_documented_ones(void)
{
	struct bl_limits limits = bl_limits_default();

	CHECK_INT(limits.payload_bytes, 134217728);
	CHECK_INT(limits.config_bytes, 4194304);
	CHECK_INT(limits.hook_timeout_ms, 60000);
	CHECK_INT(limits.hooks_per_file, 1000);
	CHECK_INT(limits.hooks_per_event, 256);
	CHECK_INT(limits.env_value_bytes, 131071);
	CHECK_INT(limits.loop_count, 5);
}

static void nothing_is_unlimited(void)
{
	struct bl_limits limits = bl_limits_default();
	uint64_t values[sizeof(limits) / sizeof(uint64_t)];

	memcpy(values, &limits, sizeof(values));
	for (size_t i = 0; i < BL_COUNT(values); i++)
		CHECK(values[i] > 0 && values[i] < INT64_MAX);
}

static void the_page_has_a_row_for_each(void)
{
	struct bl_buf out;
	size_t lines = 0;

	bl_buf_init(&out, 0);
	bl_limits_print(&out);
	for (size_t i = 0; i < out.len; i++)
		lines += out.ptr[i] == '\n';
	CHECK_INT(lines, 2 + sizeof(struct bl_limits) / sizeof(uint64_t));
	CHECK(strstr(out.ptr, "| `hook_timeout_ms` | 60000 ms | 1 ms | "
			      "3600000 ms | "));
	CHECK(strstr(out.ptr, "| `payload_bytes` | 128 MiB | 4 KiB | "
			      "1024 MiB | "));
	CHECK(strstr(out.ptr, "| `env_value_bytes` | 131071 bytes | "));
	bl_buf_clear(&out);
}

int main(void)
{
	RUN(defaults_are_the_documented_ones);
	RUN(nothing_is_unlimited);
	RUN(the_page_has_a_row_for_each);
	return tap_end();
}

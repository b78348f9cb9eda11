/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/internal.h"

static const struct bl_harness *const harnesses[BL_DIALECT_COUNT] = {
	[BL_DIALECT_CURSOR_2_3] = &bl_cursor_2_3,
	[BL_DIALECT_CURSOR] = &bl_cursor,
};

const struct bl_harness *bl_harness_get(enum bl_dialect dialect)
{
	return harnesses[dialect];
}

const struct bl_step *bl_harness_find_step(const struct bl_harness *harness,
					   struct bl_str name)
{
	for (size_t i = 0; i < harness->step_count; i++)
		if (bl_str_is(name, harness->steps[i].name))
			return &harness->steps[i];
	return NULL;
}

void bl_harness_put_step_names(const struct bl_harness *harness,
			       struct bl_buf *out)
{
	for (size_t i = 0; i < harness->step_count; i++) {
		if (i > 0)
			bl_buf_puts(out, ", ");
		bl_buf_puts(out, harness->steps[i].name);
	}
}

struct bl_str bl_harness_concat(struct bl_arena *arena,
				const struct bl_str *parts, size_t count)
{
	size_t len = 0;
	char *start;
	char *at;

	for (size_t i = 0; i < count; i++)
		if (!bl_add_size(len, parts[i].len, &len)) {
			len = SIZE_MAX; /* the arena refuses, and notes it */
			break;
		}
	start = at = bl_arena_alloc_aligned(arena, len, 1);
	if (!start)
		return (struct bl_str){ NULL, 0 };
	for (size_t i = 0; i < count; i++) {
		if (parts[i].len == 0)
			continue;
		memcpy(at, parts[i].ptr, parts[i].len);
		at += parts[i].len;
	}
	return (struct bl_str){ start, len };
}

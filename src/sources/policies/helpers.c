/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small things that several files need: a place in a text, a value at a path, an
 * object with one member more.
 */
#include "sources/policies/private.h"

struct bl_place policy_place(struct bl_str text, uint32_t line, uint32_t column)
{
	struct bl_place place = { .line = line, .column = line ? column : 0 };
	size_t at = 0;

	for (uint32_t i = 1; i < line && at < text.len; i++) {
		at = bl_str_find(text, BL_STR("\n"), at);
		at = at == SIZE_MAX ? text.len : at + 1;
	}
	while (column > 1 && at < text.len && text.ptr[at] != '\n') {
		at++;
		column--;
	}
	place.offset = at;
	return place;
}

/* The first step of a path; *path is the rest, NULL at the end. */
static struct bl_str first_step(const char **path)
{
	const char *dot = strchr(*path, '.');
	struct bl_str step = bl_str(*path);

	if (dot)
		step.len = (size_t)(dot - *path);
	*path = dot ? dot + 1 : NULL;
	return step;
}

struct bl_value policy_at(struct bl_value value, const char *path)
{
	while (path)
		value = bl_object_find(value, first_step(&path));
	return value;
}

struct bl_value policy_put(struct bl_arena *arena, struct bl_value object,
			   struct bl_str key, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, arena);
	for (size_t i = 0; i < bl_value_count(object); i++)
		bl_object_builder_add(&made,
				      bl_value_text(bl_object_key(object, i)),
				      bl_object_value(object, i));
	bl_object_builder_add(&made, key, value);
	return bl_object_builder_end(&made);
}

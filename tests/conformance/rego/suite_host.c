/* SPDX-License-Identifier: Apache-2.0 */
#include "suite_host.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"

static const char declaration[] =
	"{\"type\":\"function\",\"args\":[{\"type\":\"string\"}],"
	"\"result\":{\"type\":\"null\"}}";

/* Waits for a duration as Go writes it ("10ms"), of one unit. */
static bool sleep_for(struct bl_rego_call *call)
{
	static const struct {
		const char *name;
		double nanoseconds;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	struct bl_str text =
		bl_arena_copy_str(call->arena, bl_value_text(call->args[0]));
	char *unit = NULL;
	double count = text.ptr ? strtod(text.ptr, &unit) : 0;

	for (size_t i = 0; unit && i < BL_COUNT(units); i++) {
		double all = count * units[i].nanoseconds;
		struct timespec wait = { .tv_sec = (time_t)(all / 1e9) };

		if (strcmp(unit, units[i].name) != 0)
			continue;
		wait.tv_nsec = (long)(all - (double)wait.tv_sec * 1e9);
		nanosleep(&wait, NULL);
		call->result = bl_value_null();
		return true;
	}
	call->fault = BL_STR("no duration");
	return false;
}

/* Ours with more features. */
static struct bl_value extended(struct bl_arena *arena,
				const char *const *features, size_t count)
{
	struct bl_value own = bl_rego_own_capabilities(arena);
	struct bl_value before = bl_object_find(own, BL_STR("features"));
	struct bl_object_builder out;
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < bl_value_count(before); i++)
		bl_array_builder_add(&list, bl_value_item(before, i));
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list,
				     bl_value_string(bl_str(features[i])));
	bl_object_builder_init(&out, arena);
	for (size_t i = 0; i < bl_value_count(own); i++) {
		struct bl_str key = bl_value_text(bl_object_key(own, i));

		if (!bl_str_is(key, "features"))
			bl_object_builder_add(&out, key,
					      bl_object_value(own, i));
	}
	bl_object_builder_add(&out, BL_STR("features"),
			      bl_array_builder_end(&list));
	return bl_object_builder_end(&out);
}

bool suite_compile_options(struct bl_arena *arena, const char *const *features,
			   size_t feature_count,
			   struct bl_rego_compile_options *out_options)
{
	struct bl_rego_function *sleep =
		bl_arena_new(arena, struct bl_rego_function);

	*out_options = (struct bl_rego_compile_options){ .functions = sleep,
							 .function_count = 1 };
	if (!sleep)
		return false;
	sleep->name = BL_STR("test.sleep");
	sleep->call = sleep_for;
	sleep->is_nondeterministic = true;
	if (bl_json_read(arena, bl_str(declaration), NULL, &sleep->declaration,
			 NULL, NULL, NULL))
		return false;
	return !feature_count ||
	       !bl_rego_read_capabilities(
		       arena, extended(arena, features, feature_count),
		       &out_options->capabilities, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a query that the compiler has prepared.  Apart from documents.c, which
 * is all that the decision path of a program needs.
 */
#include "rego/runtime/private.h"

/* A solution as the machine gives it: names to values; "$N" are statements. */
static struct bl_value show_solution(struct bl_arena *arena,
				     struct bl_value solution)
{
	struct bl_object_builder shown;
	struct bl_object_builder bindings;
	struct bl_array_builder expressions;

	bl_object_builder_init(&shown, arena);
	bl_object_builder_init(&bindings, arena);
	bl_array_builder_init(&expressions, arena);
	for (size_t i = 0; i < bl_value_count(solution); i++) {
		struct bl_str name = bl_value_text(bl_object_key(solution, i));

		if (bl_str_has_prefix(name, BL_STR("$")))
			bl_array_builder_add(&expressions,
					     bl_object_value(solution, i));
		else
			bl_object_builder_add(&bindings, name,
					      bl_object_value(solution, i));
	}
	bl_object_builder_add(&shown, BL_STR("expressions"),
			      bl_array_builder_end(&expressions));
	bl_object_builder_add(&shown, BL_STR("bindings"),
			      bl_object_builder_end(&bindings));
	return bl_object_builder_end(&shown);
}

static enum bl_status show_solutions(struct bl_arena *arena,
				     struct bl_value solutions,
				     struct bl_value *out_shown,
				     struct bl_error *err)
{
	struct bl_array_builder shown;

	bl_array_builder_init(&shown, arena);
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value one =
			show_solution(arena, bl_value_item(solutions, i));

		if (!bl_value_is_defined(one))
			return bl_arena_fail(arena, err);
		bl_array_builder_add(&shown, one);
	}
	*out_shown = bl_array_builder_end(&shown);
	return bl_value_is_defined(*out_shown) ? BL_OK
					       : bl_arena_fail(arena, err);
}

enum bl_status bl_rego_run(const struct bl_rego_prepared *prepared,
			   const struct bl_rego_options *options,
			   struct bl_arena *arena,
			   struct bl_rego_result *out_result,
			   struct bl_error *err)
{
	struct bl_vm vm;
	struct bl_value solutions;
	enum bl_status status =
		bl_rego_begin(&vm, &prepared->program, options, arena, err);

	*out_result = (struct bl_rego_result){ 0 };
	if (status)
		return status;
	if (!bl_vm_call(&vm, prepared->function, NULL, 0, &solutions)) {
		bl_rego_note_fault(&vm, out_result);
		return BL_OK;
	}
	return show_solutions(arena, solutions, &out_result->solutions, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a query as JSON: result, errors, metrics. */
#include "cli/rego/answer.h"

#include "cli/rego/formats.h"

struct writer {
	struct bl_arena *arena;
	struct bl_str query;
	struct bl_value values; /* of one solution */
	struct bl_array_builder expressions;
};

static void add_expression(void *context, struct bl_str text, size_t offset)
{
	struct writer *w = context;

	bl_array_builder_add(
		&w->expressions,
		cli_rego_expression(
			w->arena, text, bl_place_at(w->query, offset),
			bl_value_item(w->values, w->expressions.count)));
}

static struct bl_value solution_value(struct writer *w,
				      struct bl_value solution)
{
	struct bl_value bindings = bl_object_find(solution, BL_STR("bindings"));
	struct bl_object_builder one;

	w->values = bl_object_find(solution, BL_STR("expressions"));
	bl_array_builder_init(&w->expressions, w->arena);
	if (bl_rego_each_statement(w->arena, w->query, add_expression, w, NULL))
		return bl_value_undefined();
	bl_object_builder_init(&one, w->arena);
	if (w->expressions.count)
		bl_object_builder_add(&one, BL_STR("expressions"),
				      bl_array_builder_end(&w->expressions));
	if (bl_value_count(bindings))
		bl_object_builder_add(&one, BL_STR("bindings"),
				      cli_rego_sorted(w->arena, bindings));
	return bl_object_builder_end(&one);
}

struct bl_value cli_rego_answer(struct cli *cli, struct bl_str query,
				struct bl_value solutions)
{
	struct writer w = { .arena = &cli->arena, .query = query };
	struct bl_array_builder all;

	bl_array_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value one =
			solution_value(&w, bl_value_item(solutions, i));

		if (!bl_value_is_defined(one))
			return one;
		bl_array_builder_add(&all, one);
	}
	return bl_array_builder_end(&all);
}

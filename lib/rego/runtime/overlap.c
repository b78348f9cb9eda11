/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules at or below paths that base data has.  The machine lets base data win
 * there, which "with" relies on; in data that an evaluation begins with it would
 * silently overrule the rule, so it is refused before (as OPA's conflict check).
 */
#include "rego/runtime/private.h"

struct overlap {
	const struct bl_program *program;
	struct bl_diags *diags;
};

static void report(struct overlap *overlap, const struct bl_program_node *node,
		   struct bl_str path)
{
	const struct bl_program *program = overlap->program;
	const struct bl_diag_source source = {
		.file = bl_program_file_name(program, node->place.module)
	};
	struct bl_place place = {
		.line = bl_program_line(program, node->place),
		.column = bl_program_column(program, node->place),
		.offset = node->place.offset,
	};

	bl_diags_add(overlap->diags, BL_SEVERITY_ERROR, "rego_compile_error",
		     &source, place, NULL,
		     "conflicting rule for data path %.*s found",
		     BL_STR_ARG(path));
}

/*
 * data is what stands at the node under path ("p/q"); undefined: nothing.  A
 * value that is not an object stands for everything below it, too.
 */
static void look_at(struct overlap *overlap, uint32_t index, struct bl_str path,
		    struct bl_value data)
{
	const struct bl_program_node *node = &overlap->program->nodes[index];
	uint32_t to = node->first_child + node->child_count;

	if (!bl_value_is_defined(data))
		return;
	if (node->kind != BL_RULE_NONE)
		report(overlap, node, path);
	for (uint32_t child = node->first_child; child < to; child++) {
		struct bl_value key = bl_program_constant(
			overlap->program, overlap->program->nodes[child].key);
		struct bl_str name = bl_value_text(key);

		if (!bl_value_is(key, BL_KIND_STRING))
			continue;
		look_at(overlap, child,
			bl_arena_printf(overlap->diags->arena, "%.*s%s%.*s",
					BL_STR_ARG(path), path.len ? "/" : "",
					BL_STR_ARG(name)),
			bl_value_is(data, BL_KIND_OBJECT)
				? bl_object_find_value(data, key)
				: data);
	}
}

enum bl_status bl_rego_check_data(const struct bl_rego_policies *policies,
				  struct bl_value data, struct bl_diags *diags,
				  struct bl_error *err)
{
	struct overlap overlap = { .program = &policies->program,
				   .diags = diags };
	size_t before = diags->error_count;
	size_t found;

	if (bl_value_count(data))
		look_at(&overlap, 0, (struct bl_str){ "", 0 }, data);
	found = diags->error_count - before;
	if (!found)
		return BL_OK;
	return bl_fail(err, BL_INVALID, "data stands where %zu rule%s", found,
		       found == 1 ? " does" : "s do");
}
